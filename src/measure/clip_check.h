// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/limits.h"
#include "core/result.h"
#include "core/to_size.h"
#include "core/warnings.h"
#include "humanoid/humanoid.h"
#include "locomotion/limb_contacts.h"
#include "measure/limb_penetration.h"
#include "measure/limb_volumes.h"
#include "scene/scene.h"

namespace clipmill::measure {

/// A measure of a clip, in the order of CheckMeasure.
struct MeasureKind {
  const char* name;  ///< snake_case with its unit; the limit is the flag --max-NAME.
  const char* doc;   ///< One clause with the unit in brackets.
  int digits;        ///< Decimals in text.
};

enum class CheckMeasure {
  kDuration,
  kRootPath,
  kRootNet,
  kMeanSpeed,
  kMaxSpeed,
  kTreadmillSpeed,
  kFootSkate,
  kPlantedDrift,
  kKneeAcceleration,
  kKneeRotationAcceleration,
  kAirborneGravity,
  kLoopSeam,
  kLoopSeamRotation,
  kLoopSeamSpeed,
  kPenetratingVertices,
  kPenetratingFrames,
  kMaxPenetration,
  kMaxPenetrationDuration,
  kArmJerk,
  kLimbVolumeLoss,
  kNonFinite,
  kCount,
};
inline constexpr std::size_t kCheckMeasureCount = toSize(CheckMeasure::kCount);

/// All measures, in their order.
std::span<const MeasureKind> checkMeasures();

/// A time span in which a part of a foot is in contact with the ground.
struct GroundSpan {
  std::string part;  ///< "left heel", "right ball", ..
  double start_s = 0.0, end_s = 0.0;
  double drift_mm = 0.0;  ///< Largest horizontal distance from its mean position.
};

/// The measures of one clip. A measure that does not apply has no value but a reason: no feet, no
/// contacts, no flight, one frame, no skin.
struct ClipCheck {
  std::string clip;
  int index = 0;
  std::string root;  ///< Path of the root-motion joint; empty where the clip has none.
  std::vector<std::optional<double>> values;  ///< One a CheckMeasure.
  std::vector<std::string> not_measured;      ///< Reason, one clause, where there is no value.
  std::vector<GroundSpan> contacts;      ///< As a foot lock finds them: locomotion::traceFeet().
  std::vector<GroundSpan> ground_spans;  ///< Low and hardly rising, planted or sliding.
  std::vector<LimbPenetration::Pair> limb_pairs;  ///< Empty where limbs were not measured.
  std::vector<LimbVolume> limb_volumes;           ///< Empty where no skin has a limb.

  std::optional<double> of(CheckMeasure measure) const { return values[toSize(measure)]; }
};

/// The largest allowed value of each CheckMeasure; no value for no limit.
using CheckLimits = std::vector<std::optional<double>>;

/// A limit that a clip exceeds. A measure that is NaN or that was not measured exceeds every limit.
struct ExceededLimit {
  CheckMeasure measure = CheckMeasure::kDuration;
  std::optional<double> value;
  double limit = 0.0;
  std::string not_measured;  ///< The reason where there is no value.
};
std::vector<ExceededLimit> exceededLimits(const ClipCheck& check, const CheckLimits& limits);

/// The checks of all clips of one file, and the humanoid map that they used.
struct FileCheck {
  std::string file;
  humanoid::HumanoidMap humanoid;
  std::string penetration_not_measured;  ///< The reason, one clause; empty where it was measured.
  std::vector<ClipCheck> clips;
  Warnings irregularities;  ///< What `clipmill normalize` mends.
};

/// Measures clips (indices in Scene::clips). Lengths are metric. Penetration and volume of limbs
/// are measured on the meshes, if the scene was loaded with them. Error: kLimit for clips that need
/// more memory than `limits` allow.
Result<FileCheck> checkClips(const Scene& scene, std::span<const int> clips,
                             const io::Limits& limits, locomotion::ContactLimbs contact_limbs = {});

}  // namespace clipmill::measure
