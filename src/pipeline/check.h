// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "io/limits.h"
#include "pipeline/limb_measures.h"
#include "pipeline/limb_volumes.h"
#include "scene/humanoid.h"
#include "scene/scene.h"

namespace clipmill {

/// What `check` measures of a clip; the order is that of CheckMeasure.
struct MeasureKind {
  const char* name;  ///< snake_case with its unit; the limit is the flag --max-NAME.
  const char* doc;   ///< One clause.
  int digits;        ///< Behind the point, for people.
};

enum class CheckMeasure {
  kDuration,
  kRootPath,
  kRootNet,
  kMeanSpeed,
  kMaxSpeed,
  kFootSkate,
  kPlantedDrift,
  kKneeAcceleration,
  kKneeTurnAcceleration,
  kAirborneGravity,
  kLoopSeam,
  kLoopSeamTurn,
  kLoopSeamSpeed,
  kLimbInside,
  kDeepFrames,
  kDeepest,
  kLongestDeep,
  kArmJerk,
  kLimbVolumeLoss,
  kNonFinite,
  kCount,
};
inline constexpr std::size_t kCheckMeasureCount = static_cast<std::size_t>(CheckMeasure::kCount);

/// All measures, in their order.
std::span<const MeasureKind> checkMeasures();

/// A stretch of time in which a part of a foot was on the ground.
struct GroundSpan {
  std::string part;  ///< "left heel", "right ball", ..
  double begin_s = 0.0, end_s = 0.0;
  double drift_mm = 0.0;  ///< Farthest from its mean place, horizontally.
};

/// What was measured of one clip. Nothing where it does not apply: no feet, no flight, one frame,
/// no skin.
struct ClipCheck {
  std::string clip;
  int index = 0;
  std::string root;  ///< Path of the node that carries the way; empty where none does.
  std::vector<std::optional<double>> values;  ///< One a CheckMeasure.
  std::vector<GroundSpan> ground_spans;
  std::vector<LimbMeasures::Pair> limb_pairs;  ///< Empty where limbs were not measured.
  std::vector<LimbVolume> limb_volumes;        ///< Empty where no skin has a limb.

  std::optional<double> of(CheckMeasure measure) const {
    return values[static_cast<std::size_t>(measure)];
  }
};

/// The most that is allowed of each measure, nothing for no limit; one a CheckMeasure.
using CheckLimits = std::vector<std::optional<double>>;

/// A limit that a clip does not keep. A measure that is no number, or that could not be taken,
/// keeps none.
struct BrokenLimit {
  CheckMeasure measure = CheckMeasure::kDuration;
  std::optional<double> value;
  double limit = 0.0;
};
std::vector<BrokenLimit> brokenLimits(const ClipCheck& check, const CheckLimits& limits);

/// All clips of one file, and what the figure in it was taken for.
struct FileCheck {
  std::string file;
  HumanoidMap humanoid;
  std::string no_limbs;  ///< Why limbs were not measured, one clause; empty where they were.
  std::vector<ClipCheck> clips;
};

/// Measures clips (indices in Scene::clips); nothing is changed. Paths are metric. How deep limbs
/// are in the body, and what volume they keep, is measured on the meshes, where the scene was
/// loaded with them. Error: kLimit for clips that need more memory than `limits` allow.
Result<FileCheck> checkClips(const Scene& scene, std::span<const int> clips,
                             const io::Limits& limits);

/// For people: a table a clip, a line for every limit that is broken.
std::string checkText(const FileCheck& check, const CheckLimits& limits);

/// {schema: 1, file, humanoid: {origin, confidence}, no_limbs (only where they were not measured),
/// limits: {NAME}, clips: [{clip, index, root, measures: {NAME: number or null}, ground_spans:
/// [{part, begin_s, end_s, drift_mm}], broken: [{measure, value, limit}], limb_pairs: [{pair,
/// inside_percent, deep_frames_percent, deepest_percent, longest_deep_s}], limb_volumes: [{joint,
/// least_percent, least_at_s, most_percent}]}]}.
std::string checkJson(const FileCheck& check, const CheckLimits& limits);

}  // namespace clipmill
