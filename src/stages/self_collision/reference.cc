// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/reference.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "anim/two_bone_ik.h"
#include "core/math.h"
#include "core/to_size.h"
#include "retarget/rest_alignment.h"
#include "stages/self_collision/greedy_search.h"

namespace clipmill::stages::self_collision {
namespace {

// The published weights of the direction of the forearm and of the position of the wrist.
constexpr double kDirectionWeight = -5.0;
constexpr double kPositionWeight = 1.0;

// Largest rotation of each joint.
constexpr int kMaxShoulder_deg = 180;
constexpr int kMaxElbow_deg = 150;
constexpr int kMaxHip_deg = 90;
constexpr int kMaxAnkle_deg = 45;

std::size_t at(Side side) { return toSize(side); }

double cosineBetween(const Vec3& a, const Vec3& b) {
  const double lengths = lengthOf(a) * lengthOf(b);
  return lengths > 0.0 ? glm::dot(a, b) / lengths : 1.0;
}

// About `forward`: positive angles lead away from the body. Seen from the front, a hanging left arm
// moves to the character's left in a right-handed rotation about forward.
Quat rotationAway(const humanoid::BodyAxes& axes, Side side, int angle_deg) {
  const double sign = side == Side::kLeft ? 1.0 : -1.0;
  return rotationAbout(axes.forward, sign * angle_deg * kDegree);
}

bool isSound(std::span<const Affine> worlds) {
  return std::all_of(worlds.begin(), worlds.end(), [](const Affine& world) {
    return isFinite(world.translation) && isFinite(world.linear[0]) && isFinite(world.linear[1]) &&
           isFinite(world.linear[2]);
  });
}

bool anyNonZero(const std::array<int, 2>& angles_deg) {
  return angles_deg[0] != 0 || angles_deg[1] != 0;
}

}  // namespace

// One frame that is being resolved.
class ReferenceSolver::Frame {
 public:
  Frame(const ReferenceSolver& solver, const humanoid::BodyAxes& chest,
        const humanoid::BodyAxes& hips, std::span<Transform> locals, PosedParts& posed)
      : solver_(solver),
        proxies_(*solver.proxies_),
        chest_(chest),
        hips_(hips),
        locals_(locals),
        posed_(posed),
        start_(posed) {}

  FrameRotations resolve() {
    for (const Arm& arm : solver_.arms_) resolveArmAndTrunk(arm);
    resolveArms();
    for (const Arm& arm : solver_.arms_) {
      if (rotations_.shoulder_deg[at(arm.side)] > 0) bendElbow(arm);
    }
    if (solver_.legs_) resolveLegs(*solver_.legs_);
    return rotations_;
  }

 private:
  using Test = std::function<bool(const PosedParts&)>;

  // Angles are tried on a copy of the pose.
  template <class Rotate>
  std::optional<int> search(const Rotate& rotate, const Test& hits, int max_deg) {
    rotations_.had_overlap = true;
    const auto found_deg = leastFreeAngle(
        [&](int angle_deg) {
          trial_ = posed_;
          rotate(angle_deg, trial_);
          return !hits(trial_);
        },
        max_deg);
    if (!found_deg) rotations_.remains_overlapping = true;
    return found_deg;
  }

  // Rotates a subtree in the result.
  void apply(const Subtree& subtree, const Quat& world_rotation) {
    const auto node = toSize(subtree.node);
    const int parent = solver_.scene_->skeleton.nodes[node].parent;
    const Affine& above =
        parent < 0 ? solver_.scene_->metric_from_file : posed_.worlds[toSize(parent)];
    Quat& rotation = locals_[node].rotation;
    rotation = rotatedInWorld(above, kIdentityRotation, world_rotation, rotation);
    proxies_.rotate(subtree, world_rotation, posed_);
  }

  void rotateShoulder(const Arm& arm, int angle_deg) {
    apply(arm.shoulder, rotationAway(chest_, arm.side, angle_deg));
    rotations_.shoulder_deg[at(arm.side)] += angle_deg;
  }

  void resolveArmAndTrunk(const Arm& arm) {
    const TestList& tests = proxies_.armTrunk(arm.side);
    const Test hits = [&](const PosedParts& posed) { return proxies_.anyOverlaps(tests, posed); };
    if (!hits(posed_)) return;
    const auto found_deg = search(
        [&](int angle_deg, PosedParts& trial) {
          proxies_.rotate(arm.shoulder, rotationAway(chest_, arm.side, angle_deg), trial);
        },
        hits, kMaxShoulder_deg);
    if (found_deg) rotateShoulder(arm, *found_deg + kRelief_deg);
  }

  bool armsHit(const PosedParts& posed) const {
    return proxies_.anyOverlaps(proxies_.armArm(), posed);
  }

  void resolveArms() {
    if (!armsHit(posed_)) return;
    const Test hits = [&](const PosedParts& posed) {
      return armsHit(posed) || proxies_.anyOverlaps(proxies_.armTrunk(Side::kLeft), posed) ||
             proxies_.anyOverlaps(proxies_.armTrunk(Side::kRight), posed);
    };
    const auto found_deg = search(
        [&](int angle_deg, PosedParts& trial) {
          for (const Arm& arm : solver_.arms_) {
            proxies_.rotate(arm.shoulder, rotationAway(chest_, arm.side, angle_deg), trial);
          }
        },
        hits, kMaxShoulder_deg);
    if (!found_deg) return;
    for (const Arm& arm : solver_.arms_) rotateShoulder(arm, *found_deg + kRelief_deg);
  }

  void bendElbow(const Arm& arm) {
    if (arm.wrist < 0) return;
    const auto positionIn = [](const PosedParts& posed, int node) {
      return posed.worlds[toSize(node)].translation;
    };
    const Vec3 wrist_before = positionIn(start_, arm.wrist);
    const Vec3 elbow = positionIn(posed_, arm.elbow.node), wrist = positionIn(posed_, arm.wrist);
    const double arm_length =
        lengthOf(elbow - positionIn(posed_, arm.shoulder.node)) + lengthOf(wrist - elbow);
    if (!(arm_length > 0.0)) return;
    const auto rotationBack = [&](int angle_deg) {
      return rotationAway(chest_, arm.side, -angle_deg);
    };
    const auto cost = [&](int angle_deg) {
      const Vec3 wrist_after = elbow + rotationBack(angle_deg) * (wrist - elbow);
      return kDirectionWeight * cosineBetween(wrist_before - elbow, wrist_after - elbow) +
             kPositionWeight * lengthOf(wrist_before - wrist_after) / arm_length;
    };
    const auto isFree = [&](int angle_deg) {
      trial_ = posed_;
      proxies_.rotate(arm.elbow, rotationBack(angle_deg), trial_);
      return !proxies_.anyOverlaps(proxies_.armTrunk(arm.side), trial_) && !armsHit(trial_);
    };
    const int angle_deg = cheapestFreeAngle(isFree, cost, kMaxElbow_deg);
    if (angle_deg == 0) return;
    apply(arm.elbow, rotationBack(angle_deg));
    rotations_.elbow_deg[at(arm.side)] = angle_deg;
  }

  // Rotates both joints by the same angle until no parts overlap. False if no angle is free.
  bool separate(const std::array<Subtree, 2>& joints, const TestList& tests, int max_deg,
                std::array<int, 2>& angles_deg) {
    const Test hits = [&](const PosedParts& posed) { return proxies_.anyOverlaps(tests, posed); };
    if (!hits(posed_)) return true;
    if (joints[0].node < 0 || joints[1].node < 0) return false;
    const auto found_deg = search(
        [&](int angle_deg, PosedParts& trial) {
          for (Side side : kSides) {
            proxies_.rotate(joints[at(side)], rotationAway(hips_, side, angle_deg), trial);
          }
        },
        hits, max_deg);
    if (!found_deg) return false;
    for (Side side : kSides) {
      apply(joints[at(side)], rotationAway(hips_, side, *found_deg));
      angles_deg[at(side)] += *found_deg;
    }
    return true;
  }

  void resolveLegs(const Legs& legs) {
    separate(legs.hips, proxies_.legLeg(), kMaxHip_deg, rotations_.hip_deg);
    const bool was_hit = rotations_.remains_overlapping;
    if (separate(legs.ankles, proxies_.footFoot(), kMaxAnkle_deg, rotations_.ankle_deg)) return;
    rotations_.remains_overlapping = was_hit;
    separate(legs.hips, proxies_.footFoot(), kMaxHip_deg, rotations_.hip_deg);
  }

  const ReferenceSolver& solver_;
  const Proxies& proxies_;
  const humanoid::BodyAxes &chest_, &hips_;
  std::span<Transform> locals_;
  PosedParts& posed_;
  const PosedParts start_;
  PosedParts trial_;
  FrameRotations rotations_;
};

Result<ReferenceSolver> ReferenceSolver::make(const Scene& scene, const humanoid::HumanoidMap& map,
                                              const Proxies& proxies) {
  using enum humanoid::HumanoidRole;
  const std::vector<Affine> bound = retarget::RestPose(scene).worlds;
  const auto axes = humanoid::bodyAxes(map, bound);
  if (!axes || chestOf(map) < 0) {
    return Error{ErrorCode::kUnsupported, "self-collision",
                 "the humanoid map does not determine the facing direction of the body",
                 "assign hips, neck or head, and arms or legs of both sides with humanoid_map"};
  }
  ReferenceSolver solver(scene, proxies, AttachedAxes(*axes, chestOf(map), bound),
                         AttachedAxes(*axes, map[kHips], bound));
  const auto addArm = [&](Side side, humanoid::HumanoidRole upper, humanoid::HumanoidRole lower,
                          humanoid::HumanoidRole hand) {
    if (map[upper] < 0 || map[lower] < 0) return;
    solver.arms_.push_back(
        {side, proxies.subtreeOf(map[upper]), proxies.subtreeOf(map[lower]), map[hand]});
  };
  addArm(Side::kLeft, kLeftUpperArm, kLeftLowerArm, kLeftHand);
  addArm(Side::kRight, kRightUpperArm, kRightLowerArm, kRightHand);
  if (map[kLeftUpperLeg] >= 0 && map[kRightUpperLeg] >= 0) {
    solver.legs_ =
        Legs{{proxies.subtreeOf(map[kLeftUpperLeg]), proxies.subtreeOf(map[kRightUpperLeg])},
             {proxies.subtreeOf(map[kLeftFoot]), proxies.subtreeOf(map[kRightFoot])}};
  }
  return solver;
}

std::optional<FrameRotations> ReferenceSolver::solveFrame(std::span<Transform> locals,
                                                          PosedParts& work) const {
  proxies_->pose(locals, work);
  const auto chest = chest_.at(work.worlds), hips = hips_.at(work.worlds);
  if (!chest || !hips || !isSound(work.worlds)) return std::nullopt;
  return Frame(*this, *chest, *hips, locals, work).resolve();
}

namespace {

// Replaces the rotations of a node at all frames between `first` and `last` by their slerp.
void slerpBetween(std::size_t first, std::size_t last, int node, Motion& motion) {
  const auto rotationAt = [&](std::size_t frame) -> Quat& {
    return motion.frame(frame).locals[toSize(node)].rotation;
  };
  const double start_s = motion.grid.timeOf(first);
  const double duration_s = motion.grid.timeOf(last) - start_s;
  const Arc arc(normalizedOrIdentity(rotationAt(first)), normalizedOrIdentity(rotationAt(last)));
  for (std::size_t frame = first + 1; frame < last; ++frame) {
    rotationAt(frame) = arc.at((motion.grid.timeOf(frame) - start_s) / duration_s);
  }
}

}  // namespace

ReferenceCounts ReferenceSolver::solveClip(Motion& motion) const {
  ReferenceCounts counts;
  std::vector<std::size_t> keys;
  std::array<bool, 2> shoulder{}, elbow{};
  bool hips = false, ankles = false;
  PosedParts work;
  for (std::size_t i = 0; i < motion.grid.frame_count; ++i) {
    if (!isKeyFrame(i, motion.grid.frame_count)) continue;
    keys.push_back(i);
    const auto rotations = solveFrame(motion.frame(i).locals, work);
    ++counts.key_frames;
    if (!rotations) {
      ++counts.skipped_key_frames;
      continue;
    }
    counts.overlapping_key_frames += rotations->had_overlap ? 1 : 0;
    counts.unresolved_key_frames += rotations->remains_overlapping ? 1 : 0;
    for (Side side : kSides) {
      shoulder[at(side)] |= rotations->shoulder_deg[at(side)] != 0;
      elbow[at(side)] |= rotations->elbow_deg[at(side)] != 0;
    }
    hips |= anyNonZero(rotations->hip_deg);
    ankles |= anyNonZero(rotations->ankle_deg);
  }
  std::vector<int> rotated;
  for (const Arm& arm : arms_) {
    if (shoulder[at(arm.side)]) rotated.push_back(arm.shoulder.node);
    if (elbow[at(arm.side)]) rotated.push_back(arm.elbow.node);
  }
  for (Side side : kSides) {
    if (hips) rotated.push_back(legs_->hips[at(side)].node);
    if (ankles) rotated.push_back(legs_->ankles[at(side)].node);
  }
  for (int node : rotated) {
    for (std::size_t k = 1; k < keys.size(); ++k) slerpBetween(keys[k - 1], keys[k], node, motion);
    motion.modified.set(node, TrackPath::kRotation);
  }
  return counts;
}

bool isKeyFrame(std::size_t frame, std::size_t count) {
  return frame % kKeyStep == 0 || frame + 1 == count;
}

std::vector<bool> overlappingFrames(const Proxies& proxies, const Motion& motion) {
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

}  // namespace clipmill::stages::self_collision
