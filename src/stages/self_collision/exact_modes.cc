// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact_modes.h"

#include <cmath>

namespace clipmill::collision {
namespace {

constexpr double kMostShift = 0.6;  // of the limb's length
constexpr double kMostCollar_rad = 10.0 * kDegree;
constexpr double kMostEnd_rad = 35.0 * kDegree;
constexpr double kLeastLever = 0.1;  // sine of the angle between lever and push

const Vec3 kLateral(1, 0, 0), kUp(0, 1, 0), kForward(0, 0, 1);

Vec3 unitOrZero(const Vec3& v) {
  const double length = std::sqrt(glm::dot(v, v));
  return length > 0.0 ? v / length : Vec3(0.0);
}

// The axis about which a lever turns towards `push` (a unit vector); zero where it lies along it.
Vec3 axisFor(const Vec3& lever, const Vec3& push) {
  const Vec3 normal = glm::cross(unitOrZero(lever), push);
  return glm::dot(normal, normal) > kLeastLever * kLeastLever ? unitOrZero(normal) : Vec3(0.0);
}

class ModeList {
 public:
  ModeList(const PairGroup& group, const LimbPoser& poser, const DeepPlace& place,
           double most_turn_rad)
      : group_(group), poser_(poser), place_(place), most_turn_rad_(most_turn_rad) {}

  std::vector<Mode> make() {
    if (group_.limbs.size() == 1) {
      addSingle();
    } else {
      addBoth();
    }
    return std::move(modes_);
  }

 private:
  double outward(std::size_t i) const {
    return poser_.limb(group_.limbs[i]).side == BodySide::kLeft ? 1.0 : -1.0;
  }

  LimbChange swivelOf(double angle) const {
    LimbChange unit;
    unit.swivel = angle;
    return unit;
  }
  LimbChange shiftOf(const Vec3& push) const {
    LimbChange unit;
    unit.shift = push;
    return unit;
  }
  LimbChange turnOf(std::size_t i, const Vec3& push) const {
    LimbChange unit;
    unit.turn = axisFor(place_.lever[i], push);
    return unit;
  }

  void add(std::vector<std::size_t> which, std::vector<LimbChange> units, double most) {
    Mode mode{{}, {}, most};
    for (std::size_t k = 0; k < which.size(); ++k) {
      if (units[k] == kNoChange) continue;
      mode.limbs.push_back(group_.limbs[which[k]]);
      mode.units.push_back(units[k]);
    }
    if (!mode.limbs.empty()) modes_.push_back(std::move(mode));
  }

  void addSingle() {
    const Vec3 out = kLateral * outward(0);
    add({0}, {swivelOf(1.0)}, most_turn_rad_);
    add({0}, {swivelOf(-1.0)}, most_turn_rad_);
    if (place_.is_held[0]) return;
    const Vec3 way_out = unitOrZero(place_.way_out);
    const Vec3 pushes[] = {out,
                           kForward,
                           unitOrZero(out + kForward),
                           unitOrZero(out - kForward),
                           unitOrZero(out + kUp),
                           unitOrZero(kForward + kUp),
                           -kForward,
                           way_out,
                           unitOrZero(way_out + out),
                           unitOrZero(way_out + kForward)};
    for (const Vec3& push : pushes) {
      add({0}, {turnOf(0, push)}, most_turn_rad_);
      add({0}, {shiftOf(push)}, kMostShift);
      addWithCompanion(push);
    }
    addCollarAndHand(way_out);
    addCollarAndHand(out);
  }

  void addWithCompanion(const Vec3& push) {
    if (!place_.companion || push == Vec3(0.0)) return;
    modes_.push_back(
        {{group_.limbs[0], *place_.companion}, {shiftOf(push), shiftOf(push)}, kMostShift});
  }

  void addCollarAndHand(const Vec3& push) {
    const MovableLimb& limb = poser_.limb(group_.limbs[0]);
    if (limb.is_leg) return;
    LimbChange collar, hand;
    collar.collar_turn = axisFor(place_.collar_lever[0], push);
    hand.end_turn = axisFor(place_.end_lever[0], push);
    if (limb.collar >= 0) add({0}, {collar}, kMostCollar_rad);
    add({0}, {hand}, kMostEnd_rad);
  }

  void addPush(const Vec3& push) {
    const bool moves[] = {!place_.is_held[0], !place_.is_held[1]};
    if (moves[0] && moves[1] && place_.is_busy[0] == place_.is_busy[1]) {
      add({0, 1}, {shiftOf(push), shiftOf(-push)}, kMostShift);
      add({0, 1}, {turnOf(0, push), turnOf(1, -push)}, most_turn_rad_);
    }
    for (const std::size_t i : {0, 1}) {
      if (!moves[i] || (place_.is_busy[i] && !place_.is_busy[1 - i])) continue;
      const Vec3 own = i == 0 ? push : -push;
      add({i}, {shiftOf(own)}, kMostShift);
      add({i}, {turnOf(i, own)}, most_turn_rad_);
    }
  }

  void addBoth() {
    const bool is_leg = poser_.limb(group_.limbs[0]).is_leg;
    // Knees part where both swivel outwards.
    for (const double side : {1.0, -1.0}) {
      add({0, 1}, {swivelOf(side), swivelOf(-side)}, most_turn_rad_);
      for (const std::size_t i : {0, 1}) add({i}, {swivelOf(side)}, most_turn_rad_);
    }
    const Vec3 apart = kLateral * outward(0);
    addPush(unitOrZero(place_.way_out));
    addPush(apart);
    addPush(kForward);
    addPush(-kForward);
    if (is_leg) {
      addPush(unitOrZero(apart + kForward));
      addPush(unitOrZero(apart - kForward));
      return;
    }
    addPush(kUp);
    addPush(-kUp);
  }

  const PairGroup& group_;
  const LimbPoser& poser_;
  const DeepPlace& place_;
  double most_turn_rad_;
  std::vector<Mode> modes_;
};

}  // namespace

std::vector<Mode> candidateModes(const PairGroup& group, const LimbPoser& poser,
                                 const DeepPlace& place, double most_turn_rad) {
  return ModeList(group, poser, place, most_turn_rad).make();
}

}  // namespace clipmill::collision
