// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "command.h"

#include <cstdio>

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "core/cancel.h"
#include "core/log.h"
#include "core/system.h"

namespace clipmill::cli {

int exitCodeOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
    case ErrorCode::kRecipe:
      return kUsage;
    case ErrorCode::kNotFound:
    case ErrorCode::kUnreadable:
    case ErrorCode::kMalformed:
    case ErrorCode::kUnsupported:
    case ErrorCode::kLimit:
    case ErrorCode::kWrite:
      return kInput;
    case ErrorCode::kInterrupted:
      return kInterrupted;
    case ErrorCode::kInternal:
      return kInternal;
  }
  return kInternal;
}

std::span<const ExitCodeText> exitCodeTexts() {
  static constexpr ExitCodeText kTexts[] = {
      {kOk, "ok"},
      {kSomeFailed, "some files of a batch failed"},
      {kUsage, "wrong command line or recipe"},
      {kInput, "unreadable input, or an output cannot be written"},
      {kDiffers, "a difference (diff) or an exceeded limit (check)"},
      {kInternal, "internal error"},
      {kInterrupted, "interrupted (safe to run again)"},
  };
  return kTexts;
}

int report(const Error& error) {
  log::error(describe(error));
  return exitCodeOf(error.code);
}

io::Limits CommonOptions::limits() const {
  io::Limits limits;
  limits.max_file_bytes = max_file_mb << 20;
  limits.max_decoded_bytes = max_decoded_mb << 20;
  return limits;
}

void CommonOptions::applyLogLevel() const {
  log::setLevel(quiet         ? log::Level::kQuiet
                : verbose > 0 ? log::Level::kVerbose
                              : log::Level::kNormal);
}

void addCommonOptions(CLI::App& command, CommonOptions& options) {
  const auto megabytes = CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 30);
  command.add_option("--max-file-mb", options.max_file_mb, "largest input file [MB]")
      ->capture_default_str()
      ->check(megabytes);
  command.add_option("--max-decoded-mb", options.max_decoded_mb, "largest decoded input [MB]")
      ->capture_default_str()
      ->check(megabytes);
  command.add_flag("-q,--quiet", options.quiet, "print errors only");
  command.add_flag("-v,--verbose", options.verbose, "print more messages");
}

Action interruptible(Action work) {
  return [work = std::move(work)] {
    const CancelScope scope(system::interrupted);
    try {
      return work();
    } catch (const Cancelled&) {
      return report(
          {ErrorCode::kInterrupted, "", "was interrupted; nothing was written", "run it again"});
    }
  };
}

int printPayload(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return kOk;
  log::error("standard output cannot be written");
  return kInput;
}

}  // namespace clipmill::cli
