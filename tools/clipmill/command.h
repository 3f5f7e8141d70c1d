// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <span>
#include <string>

#include <CLI/App.hpp>

#include "core/limits.h"
#include "core/result.h"

namespace clipmill::cli {

/// Exit codes, a stable contract.
enum ExitCode {
  kOk = 0,
  kSomeFailed = 1,
  kUsage = 2,
  kInput = 3,    ///< Input or environment: unreadable, unsupported, no permission, disk full.
  kDiffers = 4,  ///< diff or check found a violation.
  kInternal = 70,
  kInterrupted = 75,  ///< Safe to run again.
};
int exitCodeOf(ErrorCode code);

/// The meaning of an exit code, as help texts print it.
struct ExitCodeText {
  ExitCode code;
  const char* meaning;
};
std::span<const ExitCodeText> exitCodeTexts();

/// Prints the error on stderr and returns its exit code.
int report(const Error& error);

/// What the user asked for, filled while the command line is parsed; run afterwards.
using Action = std::function<int()>;

/// The type name of flags whose value is "stage.key=value".
inline constexpr const char* kSettingValueName = "STAGE.KEY=VALUE";

/// Options that every command takes.
struct CommonOptions {
  std::uint64_t max_file_mb = 1024;
  std::uint64_t max_decoded_mb = 4096;
  bool quiet = false;
  int verbose = 0;

  io::Limits limits() const;
  void applyLogLevel() const;
};
void addCommonOptions(CLI::App& command, CommonOptions& options);

/// Each adds one subcommand (or one per stage) to `app`; when the user chose it, `action` is set.
void addInfo(CLI::App& app, Action& action);
void addPoses(CLI::App& app, Action& action);
void addDiff(CLI::App& app, Action& action);
void addCheck(CLI::App& app, Action& action);
void addConvert(CLI::App& app, Action& action);
void addExport(CLI::App& app, Action& action);
void addMerge(CLI::App& app, Action& action);
void addNormalize(CLI::App& app, Action& action);
void addPreview(CLI::App& app, Action& action);
void addBatch(CLI::App& app, Action& action);
void addBatchChild(CLI::App& app, Action& action);
void addRun(CLI::App& app, Action& action);
void addSplit(CLI::App& app, Action& action);
void addSprings(CLI::App& app, Action& action);
void addStages(CLI::App& app, Action& action);
/// Adds hidden commands that print the manual page and completions for shells: all that was added
/// to `app` until it is parsed.
void addReference(CLI::App& app, Action& action);

/// `work` that a signal ends at the next poll (core/cancel.h), with exit code kInterrupted. Not for
/// batches, which record what is done before they end.
Action interruptible(Action work);

/// Writes the payload of a command to standard output; exit code kInput where that fails.
int printPayload(const std::string& text);

}  // namespace clipmill::cli
