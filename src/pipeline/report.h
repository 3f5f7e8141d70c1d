// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/warnings.h"
#include "stages/stage.h"

namespace clipmill {

/// What one stage did to one clip.
struct StageReport {
  std::string type;
  std::vector<std::string> notes;  ///< What its settings left to be found, and was.
  std::vector<Metric> metrics;
  std::vector<Series> series;
  std::vector<StageShape> shapes;  ///< Their nodes are source ids, as the file counts them.
  std::vector<StagePoint> points;  ///< Likewise.
  Warnings warnings;
};

/// What became of one clip.
struct ClipReport {
  std::string clip;  ///< Its name; "" for a run that failed before its clips were known.
  int index = 0;
  double fps = 0.0;
  std::size_t frames = 0;
  std::vector<StageReport> stages;
  std::size_t tracks_written = 0;
  std::size_t keys_before = 0;  ///< One a frame for every touched track.
  std::size_t keys_after = 0;   ///< What was written.
  double worst_key_error_mm = 0.0;
  Warnings warnings;
};

/// Another file that settings name.
struct FileReport {
  std::string path;
  std::string hash;  ///< XXH3-128
};

/// What became of one run over one file.
struct RunReport {
  std::string input;
  std::string input_hash;                         ///< XXH3-128
  std::vector<FileReport> files;                  ///< What settings name, by path.
  std::vector<std::filesystem::path> read_files;  ///< Those, and what they and the input refer to.
  std::string output;                             ///< As it was asked for.
  std::vector<std::filesystem::path> beside;      ///< What stages wrote beside it.
  std::string config_hash;
  std::vector<std::string> notes;  ///< On clips of other files: how they were put on the figure.
  std::vector<ClipReport> clips;
  Warnings warnings;                ///< Of the file as a whole.
  std::string label;                ///< Of a variant.
  bool written = false;             ///< Whether `output` is there.
  std::vector<RunReport> variants;  ///< One an output where a stage asked for several: then clips
                                    ///< are in these only.
  std::optional<Error> error;
  std::int64_t milliseconds = 0;
  std::uint64_t peak_memory_bytes = 0;
};

/// The report as JSON. All of it is the same for the same input, except the two members of "run".
/// With variants there is a list "outputs" of {label, output, written, warnings, clips} in place of
/// "clips".
std::string reportJson(const RunReport& report);

/// A few lines for people: what was done, what it cost, what was noticed.
std::string reportText(const RunReport& report);

/// The names of all files that were to be written.
std::vector<std::filesystem::path> outputsOf(const RunReport& report);

/// The last of those lines: what was noticed, each line after a line break; empty for nothing.
std::string warningsText(const RunReport& report);

/// Program name and version, and what its outputs depend on.
std::string versionText();
inline constexpr const char* kProgramVersion = CLIPMILL_VERSION;

/// The word for an ErrorCode in reports: "malformed", "limit", ..
const char* errorWord(ErrorCode code);

}  // namespace clipmill
