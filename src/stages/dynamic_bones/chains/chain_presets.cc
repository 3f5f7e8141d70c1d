// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/chains/chain_presets.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "core/math.h"

namespace clipmill::stages::dynamic_bones {
namespace {

constexpr double kGravity_mps2 = 9.81;
constexpr std::size_t kMinSideBySide = 3;

Curve ramp(double root, double tip) {
  return Curve(std::vector<Curve::Point>{{0.0, root}, {1.0, tip}});
}

// Swing frequency of a hanging rod of that length.
double hangingFrequency_hz(double length_m) {
  return std::sqrt(1.5 * kGravity_mps2 / length_m) / (2.0 * kPi);
}

void setSwing(ChainSettings& chain, const Curve& frequency_hz, double damping_ratio) {
  chain.frequency_hz = frequency_hz;
  chain.damping_ratio = damping_ratio;
}

// The frequency of a hanging rod, within bounds that look neither stiff nor slack.
void setHanging(ChainSettings& chain, double length_m, double damping_ratio) {
  constexpr double kMin_hz = 1.0, kMax_hz = 2.5, kMin_m = 0.01;
  const double hanging_hz = hangingFrequency_hz(std::max(length_m, kMin_m));
  const double frequency_hz = std::clamp(hanging_hz, kMin_hz, kMax_hz);
  setSwing(chain, frequency_hz, damping_ratio);
}

// Values of rods.
struct RodValues {
  double droop_deg = 0.0;  // 0: frequency_hz instead
  double frequency_hz = 0.0;
  double damping_ratio = 0.5;
  double air_drag_per_s = 0.0;
};

RodValues valuesOf(ChainPreset preset) {
  switch (preset) {
    case ChainPreset::kNone:
      break;
    case ChainPreset::kHair:
      return {35.0, 0.0, 0.5, 0.5};
    case ChainPreset::kLongHair:
      return {80.0, 0.0, 0.35, 2.0};
    case ChainPreset::kPonytail:
      return {70.0, 0.0, 0.35, 1.0};
    case ChainPreset::kSkirt:
      return {45.0, 0.0, 1.0, 4.0};
    case ChainPreset::kCape:
      return {80.0, 0.0, 0.5, 4.0};
    case ChainPreset::kTail:
      return {30.0, 0.0, 0.45, 0.3};
    case ChainPreset::kEars:
      return {8.0, 0.0, 0.4, 0.0};
    case ChainPreset::kAntenna:
      return {3.0, 0.0, 0.15, 0.0};
    case ChainPreset::kRope:
      return {87.0, 0.0, 0.5, 1.0};
    case ChainPreset::kBelly:
      return {0.0, 3.0, 0.35, 0.0};
  }
  return {};
}

void setRod(ChainSettings& chain, ChainPreset preset) {
  const RodValues values = valuesOf(preset);
  if (values.droop_deg > 0.0) {
    chain.droop_deg = values.droop_deg;
  } else {
    chain.frequency_hz = values.frequency_hz;
  }
  chain.damping_ratio = values.damping_ratio;
  chain.air_drag_per_s = values.air_drag_per_s;
}

ChainPreset presetOf(ChainClass chain_class, const ChainShape& shape) {
  switch (chain_class) {
    case ChainClass::kHair:
      return shape.length_m < kShortHair_m  ? ChainPreset::kEars
             : shape.length_m < kLongHair_m ? ChainPreset::kHair
                                            : ChainPreset::kLongHair;
    case ChainClass::kSkirt:
    case ChainClass::kSleeve:
      return ChainPreset::kSkirt;
    case ChainClass::kTail:
      return ChainPreset::kTail;
    case ChainClass::kRibbon:
      return ChainPreset::kPonytail;
    case ChainClass::kEar:
      return ChainPreset::kEars;
    case ChainClass::kCape:
      return ChainPreset::kCape;
    case ChainClass::kBreast:
      return ChainPreset::kBelly;
    case ChainClass::kAccessory:
      break;
  }
  return ChainPreset::kRope;
}

// A fifth of the length of a bone, and at most a finger's thickness.
void setRadius(ChainSettings& chain, double bone_m) {
  constexpr double kThicknessPerBone = 0.2, kMax_m = 0.02;
  chain.radius_m = std::min(kThicknessPerBone * bone_m, kMax_m);
}

// A cape lies over arms: it falls through them, not over them, where they reach back.
void leaveOutArms(ChainSettings& chain) {
  if (chain.colliders != ChainSettings().colliders) return;
  chain.colliders = {"*", "!skin:arms", "!auto:*Arm", "!auto:*Hand"};
}

// How the branches of a preset hold each other [m/N].
struct Cloth {
  double cross, shear, bend, slack;
  double slack_share = 0.0;
};

// A cape shears as cloth cut on the bias does: a sheet that gives nowhere buckles in a run, and
// does not smooth out again. A skirt gives all around: its hem, as it hangs at rest, is
// narrower than a stride, and a hem that does not widen climbs up the thighs and stays there.
std::optional<Cloth> clothOf(ChainPreset preset) {
  if (preset == ChainPreset::kSkirt) return Cloth{1e-4, 1e-4, 1e-4, 1e-3, 0.5};
  if (preset == ChainPreset::kCape) return Cloth{1e-4, 1e-3, 1e-5, 1e-2};
  return std::nullopt;
}

void setCloth(ChainPreset preset, ChainSettings& chain) {
  const std::optional<Cloth> cloth = clothOf(preset);
  if (!cloth) return;
  const ChainSettings defaults;
  const auto set = [&](Curve ChainSettings::*member, double value) {
    if (chain.*member == defaults.*member) chain.*member = value;
  };
  set(&ChainSettings::cross_compliance, cloth->cross);
  set(&ChainSettings::shear_compliance, cloth->shear);
  set(&ChainSettings::bend_compliance, cloth->bend);
  set(&ChainSettings::slack_compliance, cloth->slack);
  set(&ChainSettings::slack_share, cloth->slack_share);
}

}  // namespace

void applyNamedPreset(ChainSettings& chain) {
  const ChainPreset preset = std::exchange(chain.preset, ChainPreset::kNone);
  if (preset == ChainPreset::kNone) return;
  if (preset == ChainPreset::kCape) leaveOutArms(chain);
  setCloth(preset, chain);
  const ChainSettings defaults;
  ChainSettings wanted;
  setRod(wanted, preset);
  const bool has_own_swing = chain.droop_deg || !(chain.frequency_hz == defaults.frequency_hz);
  if (!has_own_swing) {
    chain.droop_deg = wanted.droop_deg;
    chain.frequency_hz = wanted.frequency_hz;
  }
  if (chain.damping_ratio == defaults.damping_ratio) chain.damping_ratio = wanted.damping_ratio;
  if (chain.air_drag_per_s == defaults.air_drag_per_s) {
    chain.air_drag_per_s = wanted.air_drag_per_s;
  }
}

void applyPreset(ChainClass chain_class, const ChainShape& shape, ChainSettings& chain) {
  setRadius(chain, shape.bone_m);
  const bool side_by_side = shape.branches >= kMinSideBySide;
  switch (chain_class) {
    case ChainClass::kHair:
      if (shape.length_m < kShortHair_m) {
        setSwing(chain, 3.0, 0.5);
      } else {
        setSwing(chain, ramp(2.2, 1.5), 0.5);
      }
      break;
    case ChainClass::kSkirt:
      setSwing(chain, ramp(2.5, 2.0), 0.6);
      if (side_by_side) chain.cross = CrossShape::kAuto;
      setCloth(ChainPreset::kSkirt, chain);
      break;
    case ChainClass::kTail:
      setSwing(chain, ramp(2.0, 1.2), 0.45);
      break;
    case ChainClass::kRibbon:
      setSwing(chain, 1.5, 0.4);
      break;
    case ChainClass::kEar:
      setSwing(chain, 4.0, 0.4);
      break;
    case ChainClass::kCape:
      setSwing(chain, ramp(1.5, 1.2), 0.6);
      if (side_by_side) chain.cross = CrossShape::kSheet;
      setCloth(ChainPreset::kCape, chain);
      leaveOutArms(chain);
      break;
    case ChainClass::kBreast:
      setSwing(chain, 3.0, 0.35);
      break;
    case ChainClass::kSleeve:
      setSwing(chain, 2.2, 0.55);
      break;
    case ChainClass::kAccessory:
      setHanging(chain, shape.length_m, 0.7);
      break;
  }
  const RodValues rod = valuesOf(presetOf(chain_class, shape));
  if (rod.droop_deg > 0.0) chain.droop_deg = rod.droop_deg;
  chain.damping_ratio = rod.damping_ratio;
  chain.air_drag_per_s = rod.air_drag_per_s;
}

}  // namespace clipmill::stages::dynamic_bones
