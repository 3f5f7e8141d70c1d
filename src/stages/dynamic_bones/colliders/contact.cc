// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/colliders/contact.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stages/dynamic_bones/colliders/depenetrate.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Largest number of near solids in the list of one bone. If there are more, all solids are tested.
constexpr std::size_t kNearList = 64;

// Sweep.
constexpr int kMaxSweepSteps = 400;
constexpr double kSlideShare = 0.15;  // share of the core that a sweep advances in contact

// A contact nearer to the head than this, or one that presses along the bone, does not affect its
// end.
constexpr double kMinSensitivity = 1e-3;
constexpr double kMinTangent = 1e-6;

// A part of the step: the bone and the solids at its start and at its end.
struct Substep {
  double start = 0.0, end = 1.0;  // share of the step
  BoneShape bone;                 // at the end; its end is where forces take it
  Vec3 head_path{0.0};
  Vec3 end_path{0.0};
};

bool isNear(const MovingSolid& solid, const Vec3& middle, double reach_m) {
  const Vec3 apart = solid.middle - middle;
  const double within_m = solid.reach_m + reach_m;
  return !(glm::dot(apart, apart) > within_m * within_m);
}

// The solids that the bone can contact in this step: in `list` if they fit, else all.
Solids nearSolids(Solids solids, const BoneStep& bone,
                  std::array<const MovingSolid*, kNearList>& list) {
  const Vec3 middle = (bone.head_before + bone.head + bone.end_before + bone.end) * 0.25;
  double square = 0.0;
  for (const Vec3& point : {bone.head_before, bone.head, bone.end_before, bone.end}) {
    const Vec3 apart = point - middle;
    square = std::max(square, glm::dot(apart, apart));
  }
  // The end moves on an arc. Its distance from the chord c is less than c^2 / 4 r.
  const Vec3 chord = bone.end - bone.end_before;
  const double bulge_m =
      bone.length_m > 0.0
          ? std::min(glm::dot(chord, chord) / (4.0 * bone.length_m), 2.0 * bone.length_m)
          : 0.0;
  const double reach_m =
      std::sqrt(square) + bulge_m + std::max(bone.head_radius_m, bone.end_radius_m);
  std::size_t count = 0;
  for (const MovingSolid* solid : solids) {
    if (!isNear(*solid, middle, reach_m)) continue;
    if (count == list.size()) return solids;
    list[count++] = solid;
  }
  return {list.data(), count};
}

BoneShape shapeAtEnd(const BoneStep& bone) {
  return {bone.head, bone.end, bone.length_m, bone.head_radius_m, bone.end_radius_m};
}

// The effect of a contact on the end: its path in the step, and the part that friction removed.
struct Push {
  Vec3 path{0.0};
  Vec3 friction_path{0.0};
};

// Applies a contact to the path of a bone's end in a step. The end moves on a sphere about the
// head, which has two tangent directions at a contact: m, along which the solid pushes the end, and
// f, normal to it. Along m the end moves with the surface, or rebounds with the share `restitution`
// of the approach speed. Coulomb friction limits the slip along f by the change of path along the
// contact normal.
Push applyContact(const Contact& contact, const Substep& substep, const BoneStep& step,
                  const Vec3& end, Vec3 path) {
  const RigidPose from = poseAt(*contact.solid, substep.start);
  const RigidPose to = poseAt(*contact.solid, substep.end);
  const BoneShape& bone = substep.bone;
  const Vec3 away = to.rotation * contact.away;
  const Vec3 direction = (end - bone.head) / bone.length_m;
  const double cosine = glm::dot(away, direction);
  const Vec3 across = away - direction * cosine;
  const double tangent_length = glm::length(across);
  if (!(tangent_length > kMinTangent && contact.along > kMinSensitivity)) return {path, Vec3(0.0)};
  const Vec3 m = across / tangent_length;
  const Vec3 f = glm::cross(direction, m);

  const Vec3 at =
      bone.head + (end - bone.head) * contact.along - away * bone.radiusAt(contact.along);
  const Vec3 surface_path = at - from.toWorld(to.toOwn(at));
  // The path of the end for which the sphere in contact moves with the surface.
  const Vec3 carried = (surface_path - substep.head_path * (1.0 - contact.along)) / contact.along;
  const double carried_m =
      (glm::dot(away, carried) - cosine * glm::dot(path, direction)) / tangent_length;
  const double approach = glm::dot(path, m) - carried_m;
  if (!(approach < 0.0)) return {path, Vec3(0.0)};
  const double change = -(1.0 + step.restitution) * approach;
  path += m * change;
  const double slip = glm::dot(path - carried, f);
  const double max_slip = step.friction * change / tangent_length;
  const Vec3 friction_path = f * std::clamp(slip, -max_slip, max_slip);
  return {path - friction_path, friction_path};
}

Push applyContacts(const Contacts& contacts, const Substep& substep, const BoneStep& step,
                   const Vec3& end) {
  Push sum{substep.end_path, Vec3(0.0)};
  for (std::size_t i = 0; i < contacts.count; ++i) {
    const Push push = applyContact(contacts.all[i], substep, step, end, sum.path);
    sum.path = push.path;
    sum.friction_path += push.friction_path;
  }
  return sum;
}

BoneShape withEndNear(const BoneShape& bone, const Vec3& point) {
  const Vec3 to_point = point - bone.head;
  const double length = glm::length(to_point);
  return length > 0.0 ? bone.pointing(to_point / length) : bone;
}

// The bone after a substep that is too short to pass through a solid; `contacts` receives its
// contacts.
Depenetration resolveSubstep(Solids solids, const Substep& substep, const BoneStep& step,
                             const PosedLimit& limit, Contacts& contacts) {
  const Vec3 hint = step.end_before - step.head_before;
  Contacts own;
  Depenetration outcome = depenetrate(solids, substep.end, limit, hint, substep.bone, own);
  if (!outcome.has_contact) return outcome;
  if (step.friction > 0.0 && outcome.bone.length_m > 0.0) {
    const Push push = applyContacts(own, substep, step, outcome.bone.end);
    if (push.friction_path != Vec3(0.0)) {
      const BoneShape held = withEndNear(outcome.bone, outcome.bone.end - push.friction_path);
      outcome = depenetrate(solids, substep.end, limit, hint, held, own);
    }
  }
  for (std::size_t i = 0; i < own.count; ++i) contacts.add(own.all[i]);
  return outcome;
}

// The motion of a bone in a step without contacts: its head moves on a line, its direction rotates
// at a constant rate, its length changes linearly.
class FreePath {
 public:
  explicit FreePath(const BoneStep& bone)
      : bone_(bone),
        bone_before_(bone.end_before - bone.head_before),
        length_before_m_(glm::length(bone_before_)),
        rotation_(kIdentityRotation, rotationBetween(bone_before_, bone.end - bone.head)) {}

  Vec3 head(double time) const { return bone_.head_before + headPath() * time; }
  Vec3 headPath() const { return bone_.head - bone_.head_before; }
  double length_m(double time) const {
    return length_before_m_ + (bone_.length_m - length_before_m_) * time;
  }
  Vec3 end(double time) const {
    if (time >= 1.0) return bone_.end;
    if (!(length_before_m_ > 0.0)) return head(time) + (bone_.end - bone_.head) * time;
    return head(time) + rotation_.at(time) * bone_before_ * (length_m(time) / length_before_m_);
  }

 private:
  const BoneStep& bone_;
  Vec3 bone_before_;
  double length_before_m_;
  Arc rotation_;
};

// The longest path of a point of the bone relative to a solid, without contacts.
double relativePath_m(const MovingSolid& solid, const BoneStep& bone) {
  const Vec3 head = bone.head - solid.now.toWorld(solid.before.toOwn(bone.head_before));
  const Vec3 end = bone.end - solid.now.toWorld(solid.before.toOwn(bone.end_before));
  return std::sqrt(std::max(glm::dot(head, head), glm::dot(end, end)));
}

// An upper bound of relativePath_m that is cheap to compute.
double relativePathBound_m(const MovingSolid& solid, const BoneStep& bone, double own_path_m) {
  const double arm_m = std::max(glm::length(bone.head_before - solid.before.position),
                                glm::length(bone.end_before - solid.before.position));
  return own_path_m + solid.shift_m + solid.rotation * arm_m;
}

// Largest penetration from which a bone is still rotated out on the side where it entered.
double coreOf_m(const MovingSolid& moving, const BoneStep& bone) {
  const double thickness_m =
      leastRadius_m(*moving.solid) + std::min(bone.head_radius_m, bone.end_radius_m);
  return kCoreShare * std::max(thickness_m, kThinnest_m);
}

bool mustSweep(Solids solids, const BoneStep& bone) {
  const BoneShape before{bone.head_before, bone.end_before,
                         glm::length(bone.end_before - bone.head_before), bone.head_radius_m,
                         bone.end_radius_m};
  const double own_path_m =
      std::max(glm::length(bone.head - bone.head_before), glm::length(bone.end - bone.end_before));
  PoseScratch scratch;
  return std::any_of(solids.begin(), solids.end(), [&](const MovingSolid* solid) {
    const double core_m = coreOf_m(*solid, bone);
    if (!(relativePathBound_m(*solid, bone, own_path_m) > core_m)) return false;
    const double path_m = relativePath_m(*solid, bone);
    if (!(path_m > core_m)) return false;
    return boneDistance(posedAt(*solid, 0.0, scratch), before).distance_m < path_m * kArcOverChord;
  });
}

// The share of the step by which the bone can advance: not beyond the nearest solid, but at least
// by a share of the thinnest solid that it can penetrate.
double safeShare(Solids solids, double time, const BoneShape& now, const BoneStep& bone) {
  double share = 1.0;
  PoseScratch scratch;
  for (const MovingSolid* solid : solids) {
    const double path_m = relativePath_m(*solid, bone) * kArcOverChord;
    const double core_m = coreOf_m(*solid, bone);
    if (!(path_m > core_m)) continue;
    const double gap_m = boneDistance(posedAt(*solid, time, scratch), now).distance_m;
    share = std::min(share, std::max(gap_m, kSlideShare * core_m) / path_m);
  }
  return share;
}

// Advances through the step by conservative advancement; the bone slides along its contacts.
Depenetration sweep(Solids solids, const BoneStep& bone, Contacts& contacts) {
  const FreePath path(bone);
  Depenetration outcome{shapeAtEnd(bone), false, {}};
  BoneShape& now = outcome.bone;
  now.head = bone.head_before;
  now.end = bone.end_before;
  now.length_m = path.length_m(0.0);
  double time = 0.0;
  for (int step = 1; time < 1.0; ++step) {
    const double share = std::max(safeShare(solids, time, now, bone), 1.0 / kMaxSweepSteps);
    const double next = step < kMaxSweepSteps ? std::min(time + share, 1.0) : 1.0;
    Substep substep;
    substep.start = time;
    substep.end = next;
    substep.bone = now;
    substep.bone.head = path.head(next);
    substep.bone.length_m = path.length_m(next);
    substep.bone = withEndNear(substep.bone, now.end + (path.end(next) - path.end(time)));
    substep.head_path = path.headPath() * (next - time);
    substep.end_path = substep.bone.end - now.end;
    const PosedLimit limit = next < 1.0 ? PosedLimit() : bone.limit;
    outcome = resolveSubstep(solids, substep, bone, limit, contacts);
    time = next;
  }
  return outcome;
}

// The largest penetration depth of the bone at the end of the step.
double depthIn_m(Solids solids, const BoneShape& bone) {
  const MaxPenetration worst = maxPenetration(solids, 1.0, bone);
  return worst.solid ? -worst.nearest.distance_m : 0.0;
}

}  // namespace

double penetration(const Solid& solid, const RigidPose& pose, const Vec3& head, const Vec3& end,
                   double head_radius_m, double end_radius_m) {
  return penetration(poseSolid(solid, pose), head, end, head_radius_m, end_radius_m);
}

double penetration(const PosedSolid& solid, const Vec3& head, const Vec3& end, double head_radius_m,
                   double end_radius_m) {
  const BoneShape bone{head, end, glm::length(end - head), head_radius_m, end_radius_m};
  return -boneDistance(solid, bone).distance_m;
}

ContactResult resolveContacts(Solids solids, const BoneStep& given, bool can_pass) {
  BoneStep bone = given;
  if (bone.limit.limit && bone.length_m > 0.0) {
    const BoneShape shape = shapeAtEnd(bone);
    bone.end = shape.pointing(limitedDirection(bone.limit, shape.direction())).end;
  }
  ContactResult result{bone.end, bone.end_before, false, 0.0};
  std::array<const MovingSolid*, kNearList> list;
  const Solids near = nearSolids(solids, bone, list);
  if (near.empty()) return result;

  Contacts contacts;
  Substep whole;
  whole.bone = shapeAtEnd(bone);
  whole.head_path = bone.head - bone.head_before;
  whole.end_path = bone.end - bone.end_before;
  const Depenetration outcome = can_pass && mustSweep(near, bone)
                                    ? sweep(near, bone, contacts)
                                    : resolveSubstep(near, whole, bone, bone.limit, contacts);
  if (contacts.count == 0) return result;
  result.has_contact = true;
  result.end = outcome.bone.end;
  result.remaining_m = outcome.depth_m ? *outcome.depth_m : depthIn_m(near, outcome.bone);
  if (!(bone.length_m > 0.0)) return result;
  result.end_before =
      outcome.bone.end - applyContacts(contacts, whole, bone, outcome.bone.end).path;
  return result;
}

}  // namespace clipmill::stages::dynamic_bones
