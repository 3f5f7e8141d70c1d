// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "pipeline/clip_from.h"
#include "pipeline/recipe.h"
#include "pipeline/report.h"
#include "pipeline/run.h"

namespace clipmill::pipeline {

enum class MergedRootMotion { kKeep, kInPlace, kExtract };

/// How clips of many files are put on one character.
struct MergeSettings {
  std::string names = "file";               ///< See mergedName().
  std::optional<std::string> strip_prefix;  ///< Glob; see withoutPrefix().
  std::vector<std::string> map = {};        ///< As InputSettings::clip_from_map, for all files.
  std::optional<std::string> rest;          ///< File with the rest pose of the clips; unset: found.
  locomotion::FeetPolicy feet = locomotion::FeetPolicy::kAuto;
  bool keep_hands = false;
  MergedRootMotion root_motion = MergedRootMotion::kKeep;
  bool self_collision = false;                       ///< Run that stage with its defaults.
  ContactsFrom contacts_from = ContactsFrom::kClip;  ///< Of that stage.
  bool penetration = true;  ///< Measure self-penetration of the added clips.
  bool keep_going = false;  ///< A file that fails is left out, with a warning.
};

/// `name` without the shortest leading part that the glob matches: "Hero@Walk" and "*@" give
/// "Walk". The name itself where no part matches, or nothing would be left.
std::string withoutPrefix(const std::string& name, const std::string& glob);

/// The name of an added clip. `pattern` is "clip", "file", or a text in which {clip} and {file} are
/// replaced by the clip's name and the stem of the file's name, both without `prefix` (a glob).
/// Where a file has several clips and the pattern lacks {clip}, "_" and its name follow.
std::string mergedName(const std::string& pattern, const std::string& prefix,
                       const io::Asset& source, int clip);

/// Adds the clips of `files` to the character of `input` as new clips, retargeted onto it by
/// ClipTransfer, and writes `output`. The clips are the same as by runFile() with
/// InputSettings::clip_from for each file, one after another; a character in another format than
/// that of `output` is converted first. A few files are in memory at a time, as many as
/// threads; of those before them only the keys to write. One StageReport "merge" a clip has the
/// foot skate before and after feet are held, and the penetration of the result. Warnings:
/// clip_renamed, file_left_out.
Status mergeFiles(const std::filesystem::path& input, const std::vector<std::string>& files,
                  const MergeSettings& settings, const OutputSettings& output_settings,
                  const io::ArraySettings& arrays, const std::filesystem::path& output,
                  const RunOptions& options, RunReport& report);

}  // namespace clipmill::pipeline
