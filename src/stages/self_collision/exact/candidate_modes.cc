// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/candidate_modes.h"

#include <utility>

#include "core/math.h"

namespace clipmill::stages::self_collision {
namespace {

constexpr double kMaxShift = 0.6;  // of the limb's length
constexpr double kMaxClavicle_rad = 10.0 * kDegree;
constexpr double kMaxEnd_rad = 35.0 * kDegree;
// Of both hands as one: swivel of the elbows for each shift, and shift for each rotation.
constexpr double kGripSwivel = 1.5, kGripShift = 0.5;
constexpr double kPitchSwivel = 0.7;  // swivel of the elbows for each pitch
constexpr double kMinSine = 0.1;      // of the angle between an offset and a direction

const Vec3 kLateral(1, 0, 0), kUp(0, 1, 0), kForward(0, 0, 1);

// The axis of the rotation that moves the end of `offset` towards a direction (a unit vector); zero
// if the two are nearly parallel.
Vec3 axisFor(const Vec3& offset, const Vec3& direction) {
  const Vec3 normal = glm::cross(unitOrZero(offset), direction);
  return glm::dot(normal, normal) > kMinSine * kMinSine ? unitOrZero(normal) : Vec3(0.0);
}

// Builds the list of candidateModes().
class ModeList {
 public:
  ModeList(const PairGroup& group, const LimbPoser& poser, const PenetrationSite& site,
           double max_rotation_rad)
      : group_(group), poser_(poser), site_(site), max_rotation_rad_(max_rotation_rad) {}

  std::vector<CorrectionMode> makePitches() {
    if (poser_.hands()) addPitches();
    return std::move(modes_);
  }

  std::vector<CorrectionMode> make() {
    if (site_.is_gripped && poser_.hands() && !poser_.limb(group_.limbs[0]).is_leg) {
      addGripped();
    } else if (group_.limbs.size() == 1) {
      addSingle();
    } else {
      addBoth();
    }
    return std::move(modes_);
  }

 private:
  double outward(std::size_t i) const {
    return poser_.limb(group_.limbs[i]).side == locomotion::BodySide::kLeft ? 1.0 : -1.0;
  }

  LimbChange swivelOf(double angle) const {
    LimbChange unit;
    unit.swivel = angle;
    return unit;
  }
  LimbChange shiftOf(const Vec3& direction) const {
    LimbChange unit;
    unit.shift = direction;
    return unit;
  }
  LimbChange rotationToward(std::size_t i, const Vec3& direction) const {
    LimbChange unit;
    unit.rotation = axisFor(site_.root_offset[i], direction);
    return unit;
  }

  void add(std::vector<std::size_t> which, std::vector<LimbChange> units, double max_amount) {
    CorrectionMode mode{{}, {}, max_amount};
    for (std::size_t k = 0; k < which.size(); ++k) {
      if (units[k] == kNoChange) continue;
      mode.limbs.push_back(group_.limbs[which[k]]);
      mode.units.push_back(units[k]);
    }
    if (!mode.limbs.empty()) modes_.push_back(std::move(mode));
  }

  void addSingle() {
    const Vec3 out = kLateral * outward(0);
    add({0}, {swivelOf(1.0)}, max_rotation_rad_);
    add({0}, {swivelOf(-1.0)}, max_rotation_rad_);
    if (site_.is_pinned[0]) return;
    const Vec3 exit = unitOrZero(site_.exit_direction);
    const Vec3 directions[] = {out,
                               kForward,
                               unitOrZero(out + kForward),
                               unitOrZero(out - kForward),
                               unitOrZero(out + kUp),
                               unitOrZero(kForward + kUp),
                               -kForward,
                               exit,
                               unitOrZero(exit + out),
                               unitOrZero(exit + kForward)};
    for (const Vec3& direction : directions) {
      add({0}, {rotationToward(0, direction)}, max_rotation_rad_);
      add({0}, {shiftOf(direction)}, kMaxShift);
      addWithCompanion(direction);
    }
    addClavicleAndHand(exit);
    addClavicleAndHand(out);
  }

  // Both hands move as one; arms that are tested may swivel besides.
  void addGrip(const Vec3& rotation, const Vec3& shift, double swivel, double max_amount) {
    CorrectionMode mode{{}, {}, max_amount};
    for (const std::size_t limb : *poser_.hands()) {
      LimbChange unit;
      unit.grip_rotation = rotation;
      unit.grip_shift = shift;
      unit.swivel = swivel * (poser_.limb(limb).side == locomotion::BodySide::kLeft ? 1.0 : -1.0);
      mode.limbs.push_back(limb);
      mode.units.push_back(unit);
    }
    modes_.push_back(std::move(mode));
  }

  // Both arms rotate about the line through the shoulders, and swivel besides.
  void addPitches() {
    for (const double pitch : {1.0, -1.0}) {
      for (const double swivel : {0.0, kPitchSwivel, -kPitchSwivel}) {
        addGrip(Vec3(0.0), Vec3(0.0), swivel, max_rotation_rad_);
        for (LimbChange& unit : modes_.back().units) unit.pitch = pitch;
      }
    }
  }

  void addGripped() {
    for (std::size_t i = 0; i < group_.limbs.size(); ++i) {
      for (const double side : {1.0, -1.0}) add({i}, {swivelOf(side)}, max_rotation_rad_);
    }
    for (const double side : {1.0, -1.0}) {
      addGrip(Vec3(0.0), Vec3(0.0), side, max_rotation_rad_);
    }
    const Vec3 exit = unitOrZero(site_.exit_direction);
    const Vec3 directions[] = {kForward,
                               kUp,
                               -kUp,
                               kLateral,
                               -kLateral,
                               unitOrZero(kForward + kUp),
                               unitOrZero(kForward - kUp),
                               unitOrZero(kForward + kLateral),
                               unitOrZero(kForward - kLateral),
                               exit,
                               unitOrZero(exit + kForward),
                               unitOrZero(exit + kUp)};
    for (const Vec3& direction : directions) {
      if (direction == Vec3(0.0)) continue;
      addGrip(Vec3(0.0), direction, 0.0, kMaxShift);
    }
    for (const Vec3& direction : {kForward, exit, unitOrZero(kForward + kUp)}) {
      if (direction == Vec3(0.0)) continue;
      for (const double side : {1.0, -1.0}) {
        addGrip(Vec3(0.0), direction, side * kGripSwivel, kMaxShift);
      }
    }
    for (const Vec3& axis : {kLateral, kUp, kForward}) {
      for (const double sign : {1.0, -1.0}) {
        addGrip(axis * sign, Vec3(0.0), 0.0, max_rotation_rad_);
        addGrip(axis * sign, kForward * kGripShift, 0.0, max_rotation_rad_);
      }
    }
  }

  void addWithCompanion(const Vec3& direction) {
    if (!site_.companion || direction == Vec3(0.0)) return;
    modes_.push_back(
        {{group_.limbs[0], *site_.companion}, {shiftOf(direction), shiftOf(direction)}, kMaxShift});
  }

  void addClavicleAndHand(const Vec3& direction) {
    const MovableLimb& limb = poser_.limb(group_.limbs[0]);
    if (limb.is_leg) return;
    LimbChange clavicle, hand;
    clavicle.clavicle_rotation = axisFor(site_.clavicle_offset[0], direction);
    hand.end_rotation = axisFor(site_.end_offset[0], direction);
    if (limb.clavicle >= 0) add({0}, {clavicle}, kMaxClavicle_rad);
    add({0}, {hand}, kMaxEnd_rad);
  }

  void addAlong(const Vec3& direction) {
    const bool moves[] = {!site_.is_pinned[0], !site_.is_pinned[1]};
    if (moves[0] && moves[1] && site_.has_contact[0] == site_.has_contact[1]) {
      add({0, 1}, {shiftOf(direction), shiftOf(-direction)}, kMaxShift);
      add({0, 1}, {rotationToward(0, direction), rotationToward(1, -direction)}, max_rotation_rad_);
    }
    for (const std::size_t i : {0, 1}) {
      if (!moves[i] || (site_.has_contact[i] && !site_.has_contact[1 - i])) continue;
      const Vec3 own = i == 0 ? direction : -direction;
      add({i}, {shiftOf(own)}, kMaxShift);
      add({i}, {rotationToward(i, own)}, max_rotation_rad_);
    }
  }

  void addBoth() {
    const bool is_leg = poser_.limb(group_.limbs[0]).is_leg;
    // Knees separate where both swivel outwards.
    for (const double side : {1.0, -1.0}) {
      add({0, 1}, {swivelOf(side), swivelOf(-side)}, max_rotation_rad_);
      for (const std::size_t i : {0, 1}) add({i}, {swivelOf(side)}, max_rotation_rad_);
    }
    const Vec3 apart = kLateral * outward(0);
    addAlong(unitOrZero(site_.exit_direction));
    addAlong(apart);
    addAlong(kForward);
    addAlong(-kForward);
    if (is_leg) {
      addAlong(unitOrZero(apart + kForward));
      addAlong(unitOrZero(apart - kForward));
      return;
    }
    addAlong(kUp);
    addAlong(-kUp);
  }

  const PairGroup& group_;
  const LimbPoser& poser_;
  const PenetrationSite& site_;
  double max_rotation_rad_;
  std::vector<CorrectionMode> modes_;
};

}  // namespace

std::vector<CorrectionMode> candidateModes(const PairGroup& group, const LimbPoser& poser,
                                           const PenetrationSite& site, double max_rotation_rad) {
  return ModeList(group, poser, site, max_rotation_rad).make();
}

std::vector<CorrectionMode> pitchModes(const PairGroup& group, const LimbPoser& poser,
                                       double max_rotation_rad) {
  return ModeList(group, poser, {}, max_rotation_rad).makePitches();
}

}  // namespace clipmill::stages::self_collision
