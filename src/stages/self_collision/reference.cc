// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/reference.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "anim/two_bone_ik.h"
#include "scene/rest_alignment.h"
#include "stages/self_collision/greedy_search.h"

namespace clipmill::collision {
namespace {

// The published weights of the direction of the forearm and of the place of the wrist.
constexpr double kDirectionWeight = -5.0;
constexpr double kPlaceWeight = 1.0;

// Farther than that no joint is turned.
constexpr int kMostShoulder_deg = 180;
constexpr int kMostElbow_deg = 150;
constexpr int kMostHip_deg = 90;
constexpr int kMostAnkle_deg = 45;

std::size_t at(Side side) { return static_cast<std::size_t>(side); }

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

double cosineBetween(const Vec3& a, const Vec3& b) {
  const double lengths = lengthOf(a) * lengthOf(b);
  return lengths > 0.0 ? glm::dot(a, b) / lengths : 1.0;
}

// About `forward`: above 0 away from the body. Seen from the front, a left arm that hangs moves to
// the figure's left when it turns about forward by the right hand.
Quat turnAway(const BodyAxes& axes, Side side, int angle_deg) {
  const double sign = side == Side::kLeft ? 1.0 : -1.0;
  return rotationAbout(axes.forward, sign * angle_deg * kDegree);
}

bool isSound(std::span<const Affine> worlds) {
  return std::all_of(worlds.begin(), worlds.end(), [](const Affine& world) {
    return isFinite(world.translation) && isFinite(world.linear[0]) && isFinite(world.linear[1]) &&
           isFinite(world.linear[2]);
  });
}

bool anyTurned(const std::array<int, 2>& angles_deg) {
  return angles_deg[0] != 0 || angles_deg[1] != 0;
}

}  // namespace

// One frame while it is being freed.
class ReferenceSolver::Frame {
 public:
  Frame(const ReferenceSolver& solver, const BodyAxes& chest, const BodyAxes& hips,
        std::span<Transform> locals, PosedParts& posed)
      : solver_(solver),
        proxies_(*solver.proxies_),
        chest_(chest),
        hips_(hips),
        locals_(locals),
        posed_(posed),
        start_(posed) {}

  FrameTurns free() {
    for (const Arm& arm : solver_.arms_) freeArmOfTrunk(arm);
    freeArmsOfEachOther();
    for (const Arm& arm : solver_.arms_) {
      if (turns_.shoulder_deg[at(arm.side)] > 0) bendElbow(arm);
    }
    if (solver_.legs_) freeLegs(*solver_.legs_);
    return turns_;
  }

 private:
  using Test = std::function<bool(const PosedParts&)>;

  // What is found for an angle is tried on a copy.
  template <class Turn>
  std::optional<int> search(const Turn& turn, const Test& hits, int most_deg) {
    turns_.had_hit = true;
    const auto found_deg = leastFreeAngle(
        [&](int angle_deg) {
          trial_ = posed_;
          turn(angle_deg, trial_);
          return !hits(trial_);
        },
        most_deg);
    if (!found_deg) turns_.stays_hit = true;
    return found_deg;
  }

  // Turns what hangs on a joint, for good.
  void apply(const Swing& swing, const Quat& world_turn) {
    const auto node = static_cast<std::size_t>(swing.node);
    const int parent = solver_.scene_->skeleton.nodes[node].parent;
    const Affine& above = parent < 0 ? solver_.scene_->metric_from_file
                                     : posed_.worlds[static_cast<std::size_t>(parent)];
    Quat& rotation = locals_[node].rotation;
    rotation = turnedInWorld(above, kIdentityRotation, world_turn, rotation);
    proxies_.turn(swing, world_turn, posed_);
  }

  void turnShoulder(const Arm& arm, int angle_deg) {
    apply(arm.shoulder, turnAway(chest_, arm.side, angle_deg));
    turns_.shoulder_deg[at(arm.side)] += angle_deg;
  }

  void freeArmOfTrunk(const Arm& arm) {
    const TestList& tests = proxies_.armTrunk(arm.side);
    const Test hits = [&](const PosedParts& posed) { return proxies_.anyOverlaps(tests, posed); };
    if (!hits(posed_)) return;
    const auto found_deg = search(
        [&](int angle_deg, PosedParts& trial) {
          proxies_.turn(arm.shoulder, turnAway(chest_, arm.side, angle_deg), trial);
        },
        hits, kMostShoulder_deg);
    if (found_deg) turnShoulder(arm, *found_deg + kRelief_deg);
  }

  bool armsHit(const PosedParts& posed) const {
    return proxies_.anyOverlaps(proxies_.armArm(), posed);
  }

  void freeArmsOfEachOther() {
    if (!armsHit(posed_)) return;
    const Test hits = [&](const PosedParts& posed) {
      return armsHit(posed) || proxies_.anyOverlaps(proxies_.armTrunk(Side::kLeft), posed) ||
             proxies_.anyOverlaps(proxies_.armTrunk(Side::kRight), posed);
    };
    const auto found_deg = search(
        [&](int angle_deg, PosedParts& trial) {
          for (const Arm& arm : solver_.arms_) {
            proxies_.turn(arm.shoulder, turnAway(chest_, arm.side, angle_deg), trial);
          }
        },
        hits, kMostShoulder_deg);
    if (!found_deg) return;
    for (const Arm& arm : solver_.arms_) turnShoulder(arm, *found_deg + kRelief_deg);
  }

  void bendElbow(const Arm& arm) {
    if (arm.wrist < 0) return;
    const auto placeIn = [](const PosedParts& posed, int node) {
      return posed.worlds[static_cast<std::size_t>(node)].translation;
    };
    const Vec3 wrist_before = placeIn(start_, arm.wrist);
    const Vec3 elbow = placeIn(posed_, arm.elbow.node), wrist = placeIn(posed_, arm.wrist);
    const double arm_length =
        lengthOf(elbow - placeIn(posed_, arm.shoulder.node)) + lengthOf(wrist - elbow);
    if (!(arm_length > 0.0)) return;
    const auto turnBack = [&](int angle_deg) { return turnAway(chest_, arm.side, -angle_deg); };
    const auto cost = [&](int angle_deg) {
      const Vec3 wrist_after = elbow + turnBack(angle_deg) * (wrist - elbow);
      return kDirectionWeight * cosineBetween(wrist_before - elbow, wrist_after - elbow) +
             kPlaceWeight * lengthOf(wrist_before - wrist_after) / arm_length;
    };
    const auto isFree = [&](int angle_deg) {
      trial_ = posed_;
      proxies_.turn(arm.elbow, turnBack(angle_deg), trial_);
      return !proxies_.anyOverlaps(proxies_.armTrunk(arm.side), trial_) && !armsHit(trial_);
    };
    const int angle_deg = cheapestFreeAngle(isFree, cost, kMostElbow_deg);
    if (angle_deg == 0) return;
    apply(arm.elbow, turnBack(angle_deg));
    turns_.elbow_deg[at(arm.side)] = angle_deg;
  }

  // Turns both of a pair of joints alike until a test fails; whether that was needed and found.
  bool takeApart(const std::array<Swing, 2>& joints, const TestList& tests, int most_deg,
                 std::array<int, 2>& angles_deg) {
    const Test hits = [&](const PosedParts& posed) { return proxies_.anyOverlaps(tests, posed); };
    if (!hits(posed_)) return true;
    if (joints[0].node < 0 || joints[1].node < 0) return false;
    const auto found_deg = search(
        [&](int angle_deg, PosedParts& trial) {
          for (Side side : kSides) {
            proxies_.turn(joints[at(side)], turnAway(hips_, side, angle_deg), trial);
          }
        },
        hits, most_deg);
    if (!found_deg) return false;
    for (Side side : kSides) {
      apply(joints[at(side)], turnAway(hips_, side, *found_deg));
      angles_deg[at(side)] += *found_deg;
    }
    return true;
  }

  void freeLegs(const Legs& legs) {
    takeApart(legs.hips, proxies_.legLeg(), kMostHip_deg, turns_.hip_deg);
    const bool was_stuck = turns_.stays_hit;
    if (takeApart(legs.ankles, proxies_.footFoot(), kMostAnkle_deg, turns_.ankle_deg)) return;
    turns_.stays_hit = was_stuck;
    takeApart(legs.hips, proxies_.footFoot(), kMostHip_deg, turns_.hip_deg);
  }

  const ReferenceSolver& solver_;
  const Proxies& proxies_;
  const BodyAxes &chest_, &hips_;
  std::span<Transform> locals_;
  PosedParts& posed_;
  const PosedParts start_;
  PosedParts trial_;
  FrameTurns turns_;
};

Result<ReferenceSolver> ReferenceSolver::make(const Scene& scene, const HumanoidMap& map,
                                              const Proxies& proxies) {
  using enum HumanoidRole;
  const std::vector<Affine> bound = RestFigure(scene).worlds;
  const auto axes = bodyAxes(map, bound);
  if (!axes || chestOf(map) < 0) {
    return Error{ErrorCode::kUnsupported, "self-collision",
                 "the humanoid map does not tell which way the body faces",
                 "give hips, neck or head, and arms or legs of both sides with 'map'"};
  }
  ReferenceSolver solver(scene, proxies, CarriedAxes(*axes, chestOf(map), bound),
                         CarriedAxes(*axes, map[kHips], bound));
  const auto addArm = [&](Side side, HumanoidRole upper, HumanoidRole lower, HumanoidRole hand) {
    if (map[upper] < 0 || map[lower] < 0) return;
    solver.arms_.push_back(
        {side, proxies.swingOf(map[upper]), proxies.swingOf(map[lower]), map[hand]});
  };
  addArm(Side::kLeft, kLeftUpperArm, kLeftLowerArm, kLeftHand);
  addArm(Side::kRight, kRightUpperArm, kRightLowerArm, kRightHand);
  if (map[kLeftUpperLeg] >= 0 && map[kRightUpperLeg] >= 0) {
    solver.legs_ = Legs{{proxies.swingOf(map[kLeftUpperLeg]), proxies.swingOf(map[kRightUpperLeg])},
                        {proxies.swingOf(map[kLeftFoot]), proxies.swingOf(map[kRightFoot])}};
  }
  return solver;
}

std::optional<FrameTurns> ReferenceSolver::solveFrame(std::span<Transform> locals,
                                                      PosedParts& room) const {
  proxies_->pose(locals, room);
  const auto chest = chest_.at(room.worlds), hips = hips_.at(room.worlds);
  if (!chest || !hips || !isSound(room.worlds)) return std::nullopt;
  return Frame(*this, *chest, *hips, locals, room).free();
}

namespace {

// Replaces the rotations of a node at all frames between `first` and `last` by a slerp of theirs.
void slerpBetween(std::size_t first, std::size_t last, int node, Motion& motion) {
  const auto rotationAt = [&](std::size_t frame) -> Quat& {
    return motion.frame(frame).locals[static_cast<std::size_t>(node)].rotation;
  };
  const double begin_s = motion.grid.timeOf(first);
  const double duration_s = motion.grid.timeOf(last) - begin_s;
  const Arc arc(normalizedOrIdentity(rotationAt(first)), normalizedOrIdentity(rotationAt(last)));
  for (std::size_t frame = first + 1; frame < last; ++frame) {
    rotationAt(frame) = arc.at((motion.grid.timeOf(frame) - begin_s) / duration_s);
  }
}

}  // namespace

ReferenceCounts ReferenceSolver::solveClip(Motion& motion) const {
  ReferenceCounts counts;
  std::vector<std::size_t> keys;
  std::array<bool, 2> shoulder{}, elbow{};
  bool hips = false, ankles = false;
  PosedParts room;
  for (std::size_t i = 0; i < motion.grid.frame_count; ++i) {
    if (!isKeyFrame(i, motion.grid.frame_count)) continue;
    keys.push_back(i);
    const auto turns = solveFrame(motion.frame(i).locals, room);
    ++counts.key_frames;
    if (!turns) {
      ++counts.broken_key_frames;
      continue;
    }
    counts.hit_key_frames += turns->had_hit ? 1 : 0;
    counts.stuck_key_frames += turns->stays_hit ? 1 : 0;
    for (Side side : kSides) {
      shoulder[at(side)] |= turns->shoulder_deg[at(side)] != 0;
      elbow[at(side)] |= turns->elbow_deg[at(side)] != 0;
    }
    hips |= anyTurned(turns->hip_deg);
    ankles |= anyTurned(turns->ankle_deg);
  }
  std::vector<int> turned;
  for (const Arm& arm : arms_) {
    if (shoulder[at(arm.side)]) turned.push_back(arm.shoulder.node);
    if (elbow[at(arm.side)]) turned.push_back(arm.elbow.node);
  }
  for (Side side : kSides) {
    if (hips) turned.push_back(legs_->hips[at(side)].node);
    if (ankles) turned.push_back(legs_->ankles[at(side)].node);
  }
  for (int node : turned) {
    for (std::size_t k = 1; k < keys.size(); ++k) slerpBetween(keys[k - 1], keys[k], node, motion);
    motion.touched.set(node, TrackPath::kRotation);
  }
  return counts;
}

bool isKeyFrame(std::size_t frame, std::size_t count) {
  return frame % kKeyStep == 0 || frame + 1 == count;
}

std::vector<bool> framesThatHit(const Proxies& proxies, const Motion& motion) {
  std::vector<bool> hits(motion.grid.frame_count, false);
  PosedParts posed;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    proxies.pose(motion.localsOf(i), posed);
    if (!isSound(posed.worlds)) continue;
    const auto any = [&](const TestList& tests) { return proxies.anyOverlaps(tests, posed); };
    hits[i] = any(proxies.armTrunk(Side::kLeft)) || any(proxies.armTrunk(Side::kRight)) ||
              any(proxies.armArm()) || any(proxies.legLeg()) || any(proxies.footFoot());
  }
  return hits;
}

}  // namespace clipmill::collision
