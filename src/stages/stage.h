// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "core/limits.h"
#include "core/metric.h"
#include "core/result.h"
#include "core/settings.h"
#include "core/warnings.h"
#include "scene/additions.h"
#include "scene/scene.h"
#include "stages/stage_motions.h"

namespace clipmill::retarget {
struct ClipContacts;
}

namespace clipmill::stages {

/// Another file that a stage's settings name, loaded by the pipeline.
struct AuxiliaryFile {
  std::string path;  ///< As the settings name it.
  Scene scene;
};

/// A file that a stage's settings name and the stage reads by itself, loaded by the pipeline.
struct RawFile {
  std::string path;  ///< As the settings name it.
  std::span<const std::byte> bytes;
};

/// All that a stage may look at. It reads no file, logs nothing and keeps no state.
struct StageInput {
  const Scene& scene;
  StageMotions motions;  ///< The selected clips, as the stage before left them.
  int threads = 1;       ///< May change how long it takes, never what comes out.
  std::span<const AuxiliaryFile> files = {};  ///< Those of StageType::files_of, in that order.
  std::span<const RawFile> raw_files = {};    ///< Those of StageType::raw_files_of, likewise.
  /// The most memory that the motion of a result may need: see checkMotionSize().
  double max_motion_bytes = static_cast<double>(io::Limits().max_decoded_bytes);
  /// Contacts of the characters from which clips were retargeted, of those clips of which they are
  /// known. Null for none.
  const std::vector<retarget::ClipContacts>* contacts = nullptr;
};

/// Settings of a stage for one scene: what they leave to be found is found and written out.
struct ResolvedSettings {
  std::shared_ptr<void> settings;
  std::vector<std::string> notes;  ///< For people, one line each: what was found, and by what.
};

/// One of several outputs that the settings of a stage ask for.
struct StageVariant {
  std::string label;  ///< Distinguishes it from the others in a file name: "3m".
  std::shared_ptr<void> settings;
};

/// A number that changes along the clip: one value a frame of the stage's motion.
struct Series {
  std::string name;  ///< snake_case with its unit, e.g. "tip_speed_mps".
  std::string of;    ///< What it was measured on, e.g. a chain; empty for the whole character.
  std::vector<double> before;  ///< Of the clip as the stage got it; empty where it had none.
  std::vector<double> after;
};

/// A solid that the stage worked with, for previews: a capsule, or a sphere where both ends are the
/// same point. Its numbers are metres along the axes of the node that carries it.
struct StageShape {
  std::string kind;  ///< "collider"
  std::string name;
  int node = 0;           ///< Index in Skeleton::nodes.
  std::string node_name;  ///< For files in which the node has another index.
  Vec3 head_m{0.0};
  Vec3 tail_m{0.0};
  double radius_m = 0.0;
};

/// A point worth following with the eye, such as the end of a tail.
struct StagePoint {
  std::string name;
  int node = 0;  ///< Index in Skeleton::nodes.
  std::string node_name;
  Vec3 offset{0.0};  ///< In the node's own space and the file's units.
};

/// Parts of the body that are in contact for a part of the clip. The names and values of its
/// members are those of the setting `contact` of self-collision, so that a list can be edited and
/// given back.
struct StageContact {
  std::string clip;
  std::string kind;   ///< "grip": both hands hold one thing; "contact".
  std::string parts;  ///< "left arm - trunk"
  double start_s = 0.0, end_s = 0.0;
  double before_mm = 0.0, after_mm = 0.0;  ///< Largest gap, or error of the grip.
};

/// What a stage made of one clip.
struct StageResult {
  Motion motion;
  std::vector<Metric> metrics;
  std::vector<Series> series;
  std::vector<StageShape> shapes;
  std::vector<StagePoint> points;
  std::vector<StageContact> contacts;
  Warnings warnings;
  std::vector<std::string> notes;  ///< For people: what was decided for this clip, and why.
};

/// What a stage made of all clips.
struct StageOutput {
  StageOutput() = default;
  StageOutput(std::vector<StageResult> of_clips) : results(std::move(of_clips)) {}

  std::vector<StageResult> results;  ///< One a motion, in their order.
  /// New morphs and joints are no part yet of the scene that the stage got; its motions have them:
  /// see withAdditions().
  Additions additions;
};

/// A kind of stage: what the pipeline, the command line and the docs know about it. Adding one
/// means writing a function of this shape and a line in registry.cc.
struct StageType {
  std::string name;           ///< "dynamic-bones": recipe type and subcommand.
  std::string summary;        ///< One line for --help.
  int algorithm_version = 1;  ///< Raised whenever the same input gives another result.
  const SettingsTable* settings = nullptr;
  std::function<std::shared_ptr<void>()> make_settings;  ///< A settings struct with all defaults.
  std::function<Result<StageOutput>(const StageInput&, const void* settings)> run;
  // What only some stages have; empty functions mean "no".
  std::function<bool(const void* settings)> needs_meshes;  ///< Whether it looks at Scene::meshes.
  /// Whether its output has additions that become part of the file.
  std::function<bool(const void* settings)> adds_to_file;
  std::function<std::vector<std::string>(const void* settings)> files_of;      ///< See StageInput.
  std::function<std::vector<std::string>(const void* settings)> raw_files_of;  ///< Likewise.
  /// Called once a file, before run(), which gets what it returns.
  std::function<Result<ResolvedSettings>(const Scene&, std::span<const Motion>,
                                         const void* settings)>
      resolve;
  /// The outputs to make, none for one output with the settings as they are.
  std::function<std::vector<StageVariant>(const void* settings)> variants;
};

/// A StageType whose settings are a `Settings` struct and whose work is `run`; `Made` is
/// StageOutput, or std::vector<StageResult> for a stage that adds nothing.
template <class Settings, class Made>
StageType makeStageType(std::string name, std::string summary, const SettingsTable& table,
                        Result<Made> (*run)(const StageInput&, const Settings&)) {
  StageType type;
  type.name = std::move(name);
  type.summary = std::move(summary);
  type.settings = &table;
  type.make_settings = [] { return std::make_shared<Settings>(); };
  type.run = [run](const StageInput& input, const void* settings) -> Result<StageOutput> {
    CLIPMILL_TRY(Made made, run(input, *static_cast<const Settings*>(settings)));
    return StageOutput(std::move(made));
  };
  return type;
}

}  // namespace clipmill::stages
