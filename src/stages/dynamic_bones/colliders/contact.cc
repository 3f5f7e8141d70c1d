// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/colliders/contact.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "stages/dynamic_bones/colliders/leave_solids.h"

namespace clipmill::bones {
namespace {

// Solids near one bone that are looked up in a list of their own; beyond, all are gone through.
constexpr std::size_t kNearList = 64;

// Sweeps.
constexpr int kMostSweepSteps = 400;
constexpr double kSlideShare = 0.15;  // of the core, what a sweep goes at once while it touches

// Touches nearer to the head than this, and those that press along the bone, cannot be felt at its
// end.
constexpr double kLeastLever = 1e-3;
constexpr double kLeastLean = 1e-6;

// A part of the step: the bone and the solids at its begin and at its end.
struct Stretch {
  double begin = 0.0, end = 1.0;  // share of the step
  BoneShape bone;                 // at the end; its end is where forces take it
  Vec3 head_way{0.0};
  Vec3 end_way{0.0};
};

bool isNear(const MovingSolid& solid, const Vec3& middle, double reach_m) {
  const Vec3 apart = solid.middle - middle;
  const double within_m = solid.reach_m + reach_m;
  return !(glm::dot(apart, apart) > within_m * within_m);
}

// The solids that the bone could touch in this step: in `list` if they fit, else all.
Solids nearSolids(Solids solids, const BoneStep& bone,
                  std::array<const MovingSolid*, kNearList>& list) {
  const Vec3 middle = (bone.head_before + bone.head + bone.end_before + bone.end) * 0.25;
  double square = 0.0;
  for (const Vec3& point : {bone.head_before, bone.head, bone.end_before, bone.end}) {
    const Vec3 apart = point - middle;
    square = std::max(square, glm::dot(apart, apart));
  }
  // The end runs on an arc: off its chord c by less than c^2 / 4 r.
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

// How the end moves by a contact: its way on, and by how much less it slid.
struct Push {
  Vec3 way{0.0};
  Vec3 held{0.0};
};

// Takes from the way of a bone's end what a contact takes. On the bone's sphere there are two
// directions: m, along which the solid pushes the end, and f, across. Along m the end keeps up with
// the surface, or comes back with the part `restitution` of the speed of approach. The change of
// way that this takes along the contact's own normal is Coulomb's measure for the slip along f.
Push pushed(const Contact& contact, const Stretch& stretch, const BoneStep& step, const Vec3& end,
            Vec3 way) {
  const Place from = placeAt(*contact.solid, stretch.begin);
  const Place to = placeAt(*contact.solid, stretch.end);
  const BoneShape& bone = stretch.bone;
  const Vec3 away = to.rotation * contact.away;
  const Vec3 direction = (end - bone.head) / bone.length_m;
  const double cosine = glm::dot(away, direction);
  const Vec3 across = away - direction * cosine;
  const double lean = glm::length(across);
  if (!(lean > kLeastLean && contact.along > kLeastLever)) return {way, Vec3(0.0)};
  const Vec3 m = across / lean;
  const Vec3 f = glm::cross(direction, m);

  const Vec3 at =
      bone.head + (end - bone.head) * contact.along - away * bone.radiusAt(contact.along);
  const Vec3 surface_way = at - from.toWorld(to.toOwn(at));
  // What the end must do for the touching sphere to move with the surface.
  const Vec3 carried = (surface_way - stretch.head_way * (1.0 - contact.along)) / contact.along;
  const double carried_m = (glm::dot(away, carried) - cosine * glm::dot(way, direction)) / lean;
  const double approach = glm::dot(way, m) - carried_m;
  if (!(approach < 0.0)) return {way, Vec3(0.0)};
  const double change = -(1.0 + step.restitution) * approach;
  way += m * change;
  const double slip = glm::dot(way - carried, f);
  const double most = step.friction * change / lean;
  const Vec3 held = f * std::clamp(slip, -most, most);
  return {way - held, held};
}

Push pushedByAll(const Contacts& contacts, const Stretch& stretch, const BoneStep& step,
                 const Vec3& end) {
  Push sum{stretch.end_way, Vec3(0.0)};
  for (std::size_t i = 0; i < contacts.count; ++i) {
    const Push push = pushed(contacts.all[i], stretch, step, end, sum.way);
    sum.way = push.way;
    sum.held += push.held;
  }
  return sum;
}

BoneShape withEndNear(const BoneShape& bone, const Vec3& point) {
  const Vec3 way = point - bone.head;
  const double length = glm::length(way);
  return length > 0.0 ? bone.pointing(way / length) : bone;
}

// Where the bone ends up after a stretch, within which no solid can be passed; `contacts` receives
// what it touched.
Leave settle(Solids solids, const Stretch& stretch, const BoneStep& step, const PlacedLimit& limit,
             Contacts& contacts) {
  const Vec3 hint = step.end_before - step.head_before;
  Contacts own;
  Leave leave = leaveSolids(solids, stretch.end, limit, hint, stretch.bone, own);
  if (!leave.touched) return leave;
  if (step.friction > 0.0 && leave.bone.length_m > 0.0) {
    const Push push = pushedByAll(own, stretch, step, leave.bone.end);
    if (push.held != Vec3(0.0)) {
      const BoneShape held = withEndNear(leave.bone, leave.bone.end - push.held);
      leave = leaveSolids(solids, stretch.end, limit, hint, held, own);
    }
  }
  for (std::size_t i = 0; i < own.count; ++i) contacts.add(own.all[i]);
  return leave;
}

// The way of a bone through a step that nothing stops: its head on a line, its direction at a
// constant rate, its length evenly.
class FreeWay {
 public:
  explicit FreeWay(const BoneStep& bone)
      : bone_(bone),
        bone_before_(bone.end_before - bone.head_before),
        length_before_m_(glm::length(bone_before_)),
        turn_(kIdentityRotation, rotationBetween(bone_before_, bone.end - bone.head)) {}

  Vec3 head(double time) const { return bone_.head_before + headWay() * time; }
  Vec3 headWay() const { return bone_.head - bone_.head_before; }
  double length_m(double time) const {
    return length_before_m_ + (bone_.length_m - length_before_m_) * time;
  }
  Vec3 end(double time) const {
    if (time >= 1.0) return bone_.end;
    if (!(length_before_m_ > 0.0)) return head(time) + (bone_.end - bone_.head) * time;
    return head(time) + turn_.at(time) * bone_before_ * (length_m(time) / length_before_m_);
  }

 private:
  const BoneStep& bone_;
  Vec3 bone_before_;
  double length_before_m_;
  Arc turn_;
};

// How far the bone goes relative to a solid, at most, if nothing stops it.
double relativeWay_m(const MovingSolid& solid, const BoneStep& bone) {
  const Vec3 head = bone.head - solid.now.toWorld(solid.before.toOwn(bone.head_before));
  const Vec3 end = bone.end - solid.now.toWorld(solid.before.toOwn(bone.end_before));
  return std::sqrt(std::max(glm::dot(head, head), glm::dot(end, end)));
}

// No less than relativeWay_m, for little.
double relativeWayBound_m(const MovingSolid& solid, const BoneStep& bone, double own_way_m) {
  const double arm_m = std::max(glm::length(bone.head_before - solid.before.position),
                                glm::length(bone.end_before - solid.before.position));
  return own_way_m + solid.shift_m + solid.turn * arm_m;
}

// How far a bone may go into the solid and still be turned out on the side on which it came.
double coreOf_m(const MovingSolid& moving, const BoneStep& bone) {
  const double thickness_m =
      leastRadius_m(*moving.solid) + std::min(bone.head_radius_m, bone.end_radius_m);
  return kCoreShare * std::max(thickness_m, kThinnest_m);
}

bool mustSweep(Solids solids, const BoneStep& bone) {
  const BoneShape before{bone.head_before, bone.end_before,
                         glm::length(bone.end_before - bone.head_before), bone.head_radius_m,
                         bone.end_radius_m};
  const double own_way_m =
      std::max(glm::length(bone.head - bone.head_before), glm::length(bone.end - bone.end_before));
  Room room;
  return std::any_of(solids.begin(), solids.end(), [&](const MovingSolid* solid) {
    const double core_m = coreOf_m(*solid, bone);
    if (!(relativeWayBound_m(*solid, bone, own_way_m) > core_m)) return false;
    const double way_m = relativeWay_m(*solid, bone);
    if (!(way_m > core_m)) return false;
    return touch(placedAt(*solid, 0.0, room), before).distance_m < way_m * kArcOverChord;
  });
}

// The share of the step that the bone may go on from where it is: no farther than to the nearest
// solid, but at least by a share of the thinnest one that it could be in.
double safeShare(Solids solids, double time, const BoneShape& now, const BoneStep& bone) {
  double share = 1.0;
  Room room;
  for (const MovingSolid* solid : solids) {
    const double way_m = relativeWay_m(*solid, bone) * kArcOverChord;
    const double core_m = coreOf_m(*solid, bone);
    if (!(way_m > core_m)) continue;
    const double gap_m = touch(placedAt(*solid, time, room), now).distance_m;
    share = std::min(share, std::max(gap_m, kSlideShare * core_m) / way_m);
  }
  return share;
}

// Goes through the step by conservative advancement, and slides on from what it touches.
Leave sweep(Solids solids, const BoneStep& bone, Contacts& contacts) {
  const FreeWay way(bone);
  Leave leave{shapeAtEnd(bone), false, {}};
  BoneShape& now = leave.bone;
  now.head = bone.head_before;
  now.end = bone.end_before;
  now.length_m = way.length_m(0.0);
  double time = 0.0;
  for (int step = 1; time < 1.0; ++step) {
    const double share = std::max(safeShare(solids, time, now, bone), 1.0 / kMostSweepSteps);
    const double next = step < kMostSweepSteps ? std::min(time + share, 1.0) : 1.0;
    Stretch stretch;
    stretch.begin = time;
    stretch.end = next;
    stretch.bone = now;
    stretch.bone.head = way.head(next);
    stretch.bone.length_m = way.length_m(next);
    stretch.bone = withEndNear(stretch.bone, now.end + (way.end(next) - way.end(time)));
    stretch.head_way = way.headWay() * (next - time);
    stretch.end_way = stretch.bone.end - now.end;
    const PlacedLimit limit = next < 1.0 ? PlacedLimit() : bone.limit;
    leave = settle(solids, stretch, bone, limit, contacts);
    time = next;
  }
  return leave;
}

// How deep the bone is in any solid at the end of the step.
double depthIn_m(Solids solids, const BoneShape& bone) {
  const Deepest left = deepestOf(solids, 1.0, bone);
  return left.solid ? -left.touched.distance_m : 0.0;
}

}  // namespace

double penetration(const Solid& solid, const Place& place, const Vec3& head, const Vec3& end,
                   double head_radius_m, double end_radius_m) {
  return penetration(placeSolid(solid, place), head, end, head_radius_m, end_radius_m);
}

double penetration(const PlacedSolid& solid, const Vec3& head, const Vec3& end,
                   double head_radius_m, double end_radius_m) {
  const BoneShape bone{head, end, glm::length(end - head), head_radius_m, end_radius_m};
  return -touch(solid, bone).distance_m;
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
  Stretch whole;
  whole.bone = shapeAtEnd(bone);
  whole.head_way = bone.head - bone.head_before;
  whole.end_way = bone.end - bone.end_before;
  const Leave leave = can_pass && mustSweep(near, bone)
                          ? sweep(near, bone, contacts)
                          : settle(near, whole, bone, bone.limit, contacts);
  if (contacts.count == 0) return result;
  result.touched = true;
  result.end = leave.bone.end;
  result.left_m = leave.depth_m ? *leave.depth_m : depthIn_m(near, leave.bone);
  if (!(bone.length_m > 0.0)) return result;
  result.end_before = leave.bone.end - pushedByAll(contacts, whole, bone, leave.bone.end).way;
  return result;
}

}  // namespace clipmill::bones
