// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/support_needs.h"

#include <algorithm>
#include <cmath>

#include "core/smooth_step.h"

namespace clipmill::retarget {
namespace {

// Shares of the height of hips, of the source. A part lower than the first bears in full, one above
// the second not at all.
constexpr double kBears = 0.02, kBearsNot = 0.08;
// A planted sole up to the first is on the ground, above the second it is where it is; so is one
// below the ground, which nothing is if that is level.
constexpr double kOnGround = 0.012, kOverGround = 0.03;
constexpr double kInGround = 0.07, kUnderGround = 0.14;

// Weight of a low foot that is not planted: it swings near to the ground.
constexpr double kSwingWeight = 0.02;
// Of a body that lies soles are moved in full up to the first share of a leg, and not above the
// second.
constexpr double kLittle = 0.1, kMuch = 0.25;

// A trunk that bears more than this holds the body where it is.
constexpr double kTrunkHolds = 0.5;

// Hips this high above the sole, as a share of their height at bind: the character lies, or is
// upright.
constexpr double kLies = 0.15, kUpright = 0.35;
// A trunk bears where it leans so much (cosine from up), or the hips are so low.
constexpr double kLeans = 0.5, kUprightTrunk = 0.8, kLow = 0.5, kHigh = 0.75;

class NeedFinder {
 public:
  NeedFinder(const SupportHeights& from, double from_ground_m, const PlantedFeet& planted,
             const SupportHeights& to, double scale)
      : from_(from), from_ground_m_(from_ground_m), planted_(planted), to_(to), scale_(scale) {}

  SupportNeeds find() const {
    SupportNeeds needs;
    for (std::size_t f = 0; f < from_.frameCount(); ++f) {
      needs.trunk_bears.push_back(trunkBears(f));
      needs.trunk_rises_m.push_back(trunkRise(f));
      const double over_m = trunkOver(f);
      needs.trunk_under_m.push_back(std::clamp(-over_m, 0.0, to_.leg_m));
      needs.trunk_clear_m.push_back(std::max(over_m, 0.0));
      for (const std::size_t s : kSoles) addSole(s, f, needs);
    }
    return needs;
  }

 private:
  // Over the ground, as a share of the height of hips.
  double heightOf(std::size_t part, std::size_t f) const {
    return (from_.heights_m[part][f] - from_ground_m_) / from_.standing_m;
  }

  double wantedHeight(double height, bool is_planted) const {
    if (!planted_.is_flat) return height;
    if (height < 0.0) return height * smoothStep(kInGround, kUnderGround, -height);
    return is_planted ? height * smoothStep(kOnGround, kOverGround, height) : height;
  }

  double onGround(double height, bool is_planted) const {
    if (!planted_.is_flat) return is_planted ? 1.0 : 0.0;
    return height < 0.0 ? 1.0 - smoothStep(kInGround, kUnderGround, -height)
                        : 1.0 - smoothStep(kOnGround, kOverGround, height);
  }

  double riseOf(std::size_t s, std::size_t f) const {
    const double wanted = wantedHeight(heightOf(s, f), planted_.frames[s][f]);
    return to_.ground_m() + scale_ * from_.standing_m * wanted - to_.heights_m[s][f];
  }

  double trunkBears(std::size_t f) const {
    if (!std::isfinite(from_.heights_m[kTrunkPart][f])) return 0.0;
    const double hips = (from_.hips_m[f] - from_ground_m_) / from_.standing_m;
    const double upright =
        smoothStep(kLeans, kUprightTrunk, from_.upright[f]) * smoothStep(kLow, kHigh, hips);
    const double low = 1.0 - smoothStep(kBears, kBearsNot, heightOf(kTrunkPart, f));
    return low * (1.0 - upright);
  }

  // What of a body is lowest stays out of the ground.
  double trunkRise(std::size_t f) const {
    const double height = heightOf(kBodyPart, f), now_m = to_.heights_m[kBodyPart][f];
    if (!std::isfinite(height) || !std::isfinite(now_m)) return 0.0;
    const double wanted_m = to_.ground_m() + scale_ * from_.standing_m * std::max(0.0, height);
    return std::clamp(wanted_m - now_m, -to_.leg_m, to_.leg_m);
  }

  // How far the trunk is over level ground, or over where that of the source is in it.
  double trunkOver(std::size_t f) const {
    const double height = heightOf(kTrunkPart, f), now_m = to_.heights_m[kTrunkPart][f];
    if (!planted_.is_flat || !std::isfinite(height) || !std::isfinite(now_m)) return HUGE_VAL;
    return now_m - to_.ground_m() - scale_ * from_.standing_m * std::min(0.0, height);
  }

  void addSole(std::size_t s, std::size_t f, SupportNeeds& needs) const {
    const double height = heightOf(s, f);
    const bool is_known = std::isfinite(height) && std::isfinite(to_.heights_m[s][f]);
    const double rise_m = is_known ? riseOf(s, f) : 0.0;
    double bears = is_known ? 1.0 - smoothStep(kBears, kBearsNot, height) : 0.0;
    if (!from_.has_skin && rise_m < 0.0) {
      // What else rests on the ground is not known.
      bears *=
          smoothStep(kLies, kUpright, (from_.hips_m[f] - from_.lowerSole_m(f)) / from_.standing_m);
    }
    const double max_m = kMaxFootMove * to_.leg_m;
    // Legs of a body that lies are not bent by much.
    const double trunk = needs.trunk_bears[f];
    const double beside_m = std::fabs(rise_m - trunk * needs.trunk_rises_m[f]);
    bears *= 1.0 - trunk * smoothStep(kLittle, kMuch, beside_m / to_.leg_m);
    // Hips rise as far as a foot in the ground needs that; no leg is stretched by as much.
    needs.rises_m[s].push_back(std::clamp(rise_m, -max_m, to_.leg_m));
    needs.bears[s].push_back(bears);
    const bool is_planted = planted_.frames[s][f];
    const double contact = is_planted ? 1.0 : 1.0 - smoothStep(0.5 * kOnGround, kOnGround, height);
    needs.weights[s].push_back(bears * (is_planted ? 1.0 : kSwingWeight));
    needs.reaches[s].push_back(bears * std::max(contact, kSwingWeight));
    const double upright = 1.0 - smoothStep(0.0, kTrunkHolds, trunk);
    needs.on_ground[s].push_back(is_known ? bears * upright * onGround(height, is_planted) : 0.0);
    const bool is_over = is_known && planted_.is_flat && height > -kInGround;
    needs.under_m[s].push_back(is_over ? to_.ground_m() - to_.heights_m[s][f] : -HUGE_VAL);
  }

  const SupportHeights& from_;
  double from_ground_m_;
  const PlantedFeet& planted_;
  const SupportHeights& to_;
  double scale_;
};

}  // namespace

SupportNeeds findSupportNeeds(const SupportHeights& from, double from_ground_m,
                              const PlantedFeet& planted, const SupportHeights& to, double scale) {
  return NeedFinder(from, from_ground_m, planted, to, scale).find();
}

}  // namespace clipmill::retarget
