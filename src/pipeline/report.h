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
#include "retarget/joint_mapping.h"
#include "stages/stage.h"

namespace clipmill::pipeline {

/// The report of one stage on one clip.
struct StageReport {
  std::string type;
  std::vector<std::string> notes;  ///< What the stage detected because its settings left it open.
  std::vector<Metric> metrics;
  std::vector<stages::Series> series;
  std::vector<stages::StageShape> shapes;  ///< Their nodes are source ids, as the file counts them.
  std::vector<stages::StagePoint> points;  ///< Likewise.
  std::vector<stages::StageContact> contacts;
  Warnings warnings;
  std::vector<std::string> clip_notes;  ///< What the stage decided for this clip.
};

/// The report of one clip.
struct ClipReport {
  std::string clip;  ///< Its name; "" for a run that failed before its clips were known.
  int index = 0;
  double fps = 0.0;
  std::size_t frames = 0;
  std::vector<StageReport> stages;
  std::size_t tracks_written = 0;
  std::size_t keys_before = 0;  ///< One for each frame of every modified track.
  std::size_t keys_after = 0;   ///< Written keys.
  double worst_key_error_mm = 0.0;
  std::optional<double> planted_key_error_mm;  ///< Set where planted feet had a tolerance.
  /// ReducedKeys::error_histogram: numbers in equal parts of the tolerance; empty for all keys.
  std::vector<std::size_t> key_errors;
  Warnings warnings;
};

/// Files whose clips were put on the character with the same mapping of joints.
struct MappingReport {
  std::string first_file, last_file;
  std::size_t files = 0;
  retarget::JointMapping mapping;
};

/// Counts one more file with that mapping; a file counts once however many clips it has.
void addMapping(const std::string& file, retarget::JointMapping mapping,
                std::vector<MappingReport>& mappings);

/// Another file that settings name.
struct FileReport {
  std::string path;
  std::string hash;  ///< XXH3-128
};

/// The report of one run on one file.
struct RunReport {
  std::string input;
  std::string input_hash;                         ///< XXH3-128
  std::vector<FileReport> files;                  ///< What settings name, by path.
  std::vector<std::filesystem::path> read_files;  ///< Those, and what they and the input refer to.
  std::string output;                             ///< As it was asked for.
  std::vector<std::filesystem::path> beside;      ///< What stages wrote beside it.
  std::string config_hash;
  std::vector<std::string> notes;       ///< On clips of other files: how they were retargeted.
  std::vector<MappingReport> mappings;  ///< Of these clips.
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

/// A few lines of text: outputs, keys, notes and warnings. `has_stage_notes`: also what stages
/// found in the file before they ran, see RunOptions::resolved.
std::string reportText(const RunReport& report, bool has_stage_notes = true);

/// The names of all files that were to be written.
std::vector<std::filesystem::path> outputsOf(const RunReport& report);

/// The warnings of that text, each line after a line break; empty without warnings.
std::string warningsText(const RunReport& report);

/// Program name and version, and the versions of the stage algorithms.
std::string versionText();
inline constexpr const char* kProgramVersion = CLIPMILL_VERSION;

/// The name of an ErrorCode in reports: "malformed", "limit", ..
const char* errorWord(ErrorCode code);

}  // namespace clipmill::pipeline
