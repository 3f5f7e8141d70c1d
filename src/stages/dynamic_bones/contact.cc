// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/contact.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "stages/dynamic_bones/turn_out.h"

namespace clipmill::bones {
namespace {

constexpr int kMostRounds = 4;
// Solids near one bone that are looked up in a list of their own; beyond, all are gone through.
constexpr std::size_t kNearList = 64;
// Overlap that rounds leave alone.
constexpr double kAllowed_m = 1e-8;

// Sweeps.
constexpr int kMostSweepSteps = 400;
constexpr double kCoreShare = 0.5;    // of a solid's thickness, that a step may go without a sweep
constexpr double kSlideShare = 0.15;  // of that, what a sweep goes at once while it touches
constexpr double kThinnest_m = 2e-4;  // what thinner solids count as
constexpr double kArcOverChord = 0.5 * kPi;

// Touches nearer to the head than this, and those that press along the bone, cannot be felt at its
// end.
constexpr double kLeastLever = 1e-3;
constexpr double kLeastLean = 1e-6;

using Solids = std::span<const MovingSolid* const>;

// Solid and bone while they touch; `away` in the solid's own axes.
struct Contact {
  const MovingSolid* solid = nullptr;
  double along = 0.0;
  Vec3 away{0.0};
};

// The last touch with each solid, of the first few.
struct Contacts {
  std::array<Contact, kMostRounds> all;
  std::size_t count = 0;

  void add(const Contact& contact) {
    for (std::size_t i = 0; i < count; ++i) {
      if (all[i].solid == contact.solid) {
        all[i] = contact;
        return;
      }
    }
    if (count < all.size()) all[count++] = contact;
  }
};

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

Place placeAt(const MovingSolid& solid, double time) {
  if (time >= 1.0) return solid.now;
  if (time <= 0.0) return solid.before;
  return placeBetween(solid.before, solid.now, time);
}

// Room for a solid that is seldom needed: left empty, it costs nothing.
using Room = std::optional<PlacedSolid>;

// The solid at a time of the step; `room` holds it where it must be worked out.
const PlacedSolid& placedAt(const MovingSolid& solid, double time, Room& room) {
  if (time >= 1.0) return solid.placed;
  return room.emplace(placeSolid(*solid.solid, placeAt(solid, time)));
}

BoneShape shapeAtEnd(const BoneStep& bone) {
  return {bone.head, bone.end, bone.length_m, bone.head_radius_m, bone.end_radius_m};
}

struct Deepest {
  const MovingSolid* solid = nullptr;
  Touch touched{1.0, -kAllowed_m, Vec3(0.0)};
};

Deepest deepestOf(Solids solids, double time, const BoneShape& bone) {
  Deepest deepest;
  Room room;
  for (const MovingSolid* solid : solids) {
    const Touch touched = touch(placedAt(*solid, time, room), bone);
    if (touched.distance_m < deepest.touched.distance_m) deepest = {solid, touched};
  }
  return deepest;
}

// Turns the bone out of the deepest solid, again and again; where that leads back into the one
// before, to where it touches both; within the limit. Returns whether it touched any.
bool leaveSolids(Solids solids, double time, const PlacedLimit& limit, const Vec3& hint,
                 BoneShape& bone, Contacts& contacts) {
  const MovingSolid* last = nullptr;
  Room room, room_before;
  if (limit.limit) bone = bone.pointing(limitedDirection(limit, bone.direction()));
  for (int round = 0; round < kMostRounds; ++round) {
    const Deepest deepest = deepestOf(solids, time, bone);
    if (!deepest.solid) return last != nullptr;
    const PlacedSolid& solid = placedAt(*deepest.solid, time, room);
    BoneShape free = turnedOut(solid, bone, deepest.touched, hint);
    if (last && last != deepest.solid) {
      const PlacedSolid& before = placedAt(*last, time, room_before);
      if (touch(before, free).distance_m < -kAllowed_m) free = turnedOutOfBoth(solid, before, free);
    }
    // Where the end touches too, it is what feels the contact.
    Touch touched = touch(solid, free);
    const Touch end = touchOfEnd(solid, free);
    if (end.distance_m < touched.distance_m + kAllowed_m) touched = end;
    contacts.add({deepest.solid, touched.along,
                  glm::conjugate(placeAt(*deepest.solid, time).rotation) * touched.away});
    bone = limit.limit ? free.pointing(limitedDirection(limit, free.direction())) : free;
    last = deepest.solid;
    if (solids.size() == 1 && !limit.limit) return true;
  }
  return true;
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
BoneShape settle(Solids solids, const Stretch& stretch, const BoneStep& step,
                 const PlacedLimit& limit, Contacts& contacts) {
  const Vec3 hint = step.end_before - step.head_before;
  Contacts own;
  BoneShape bone = stretch.bone;
  if (!leaveSolids(solids, stretch.end, limit, hint, bone, own)) return bone;
  if (step.friction > 0.0 && bone.length_m > 0.0) {
    const Push push = pushedByAll(own, stretch, step, bone.end);
    if (push.held != Vec3(0.0)) {
      bone = withEndNear(bone, bone.end - push.held);
      leaveSolids(solids, stretch.end, limit, hint, bone, own);
    }
  }
  for (std::size_t i = 0; i < own.count; ++i) contacts.add(own.all[i]);
  return bone;
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
  const Solid& solid = *moving.solid;
  if (solid.shape == ColliderShape::kPlane || solid.inside) {
    return std::numeric_limits<double>::infinity();
  }
  double radius_m = solid.head_radius_m;
  if (solid.shape == ColliderShape::kCapsule) radius_m = std::min(radius_m, solid.tail_radius_m);
  if (solid.shape == ColliderShape::kBox) {
    const Vec3& half = moving.placed.half_size;
    radius_m = std::min({half.x, half.y, half.z});
  }
  const double thickness_m = radius_m + std::min(bone.head_radius_m, bone.end_radius_m);
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
BoneShape sweep(Solids solids, const BoneStep& bone, Contacts& contacts) {
  const FreeWay way(bone);
  BoneShape now = shapeAtEnd(bone);
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
    now = settle(solids, stretch, bone, limit, contacts);
    time = next;
  }
  return now;
}

}  // namespace

void encloseWay(MovingSolid& moving) {
  const Solid& solid = *moving.solid;
  moving.placed = placeSolid(solid, moving.now);
  moving.shift_m = glm::length(moving.now.position - moving.before.position);
  const Quat turn = moving.now.rotation * glm::conjugate(moving.before.rotation);
  moving.turn = 2.0 * glm::length(Vec3(turn.x, turn.y, turn.z));
  moving.middle = moving.placed.middle;
  moving.reach_m = std::numeric_limits<double>::infinity();
  if (solid.shape == ColliderShape::kPlane || solid.inside) return;

  Vec3 own_middle = solid.head;
  double radius_m = solid.head_radius_m;
  if (solid.shape == ColliderShape::kCapsule) {
    own_middle = (solid.head + solid.tail) * 0.5;
    radius_m = 0.5 * glm::length(solid.tail - solid.head) +
               std::max(solid.head_radius_m, solid.tail_radius_m);
  } else if (solid.shape == ColliderShape::kBox) {
    radius_m = glm::length(solid.half_size);
  }
  const Vec3 before = moving.before.toWorld(own_middle), now = moving.now.toWorld(own_middle);
  moving.middle = (before + now) * 0.5;
  // Where the solid turns, its middle runs on an arc, off the chord by less than half the chord.
  const Vec3 turned = moving.now.rotation * own_middle - moving.before.rotation * own_middle;
  moving.reach_m = radius_m + 0.5 * (glm::length(now - before) + glm::length(turned));
}

WayCapsule wayCapsuleOf(const MovingSolid& moving) {
  const Solid& solid = *moving.solid;
  WayCapsule capsule;
  capsule.head = moving.middle;
  capsule.radius_m = moving.reach_m;
  const bool is_round =
      solid.shape == ColliderShape::kSphere || solid.shape == ColliderShape::kCapsule;
  if (!is_round || solid.inside) return capsule;
  const bool is_sphere = solid.shape == ColliderShape::kSphere;
  const Vec3 own_tail = is_sphere ? solid.head : solid.tail;
  const Vec3 tail = moving.now.toWorld(own_tail);
  capsule.head = moving.now.toWorld(solid.head);
  capsule.axis = tail - capsule.head;
  const double square = glm::dot(capsule.axis, capsule.axis);
  capsule.inverse_square = square > 0.0 ? 1.0 / square : 0.0;
  // Ends run on arcs, shorter than half a turn.
  const double way_m = std::max(glm::length(capsule.head - moving.before.toWorld(solid.head)),
                                glm::length(tail - moving.before.toWorld(own_tail)));
  const double radius_m =
      is_sphere ? solid.head_radius_m : std::max(solid.head_radius_m, solid.tail_radius_m);
  capsule.radius_m = radius_m + kArcOverChord * way_m;
  return capsule;
}

double penetration(const Solid& solid, const Place& place, const Vec3& head, const Vec3& end,
                   double head_radius_m, double end_radius_m) {
  return penetration(placeSolid(solid, place), head, end, head_radius_m, end_radius_m);
}

double penetration(const PlacedSolid& solid, const Vec3& head, const Vec3& end,
                   double head_radius_m, double end_radius_m) {
  const BoneShape bone{head, end, glm::length(end - head), head_radius_m, end_radius_m};
  return -touch(solid, bone).distance_m;
}

ContactResult resolveContacts(Solids solids, const BoneStep& given) {
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
  const BoneShape free = mustSweep(near, bone) ? sweep(near, bone, contacts)
                                               : settle(near, whole, bone, bone.limit, contacts);
  if (contacts.count == 0) return result;
  result.touched = true;
  result.end = free.end;
  const Deepest left = deepestOf(near, 1.0, free);
  if (left.solid) result.left_m = -left.touched.distance_m;
  if (!(bone.length_m > 0.0)) return result;
  result.end_before = free.end - pushedByAll(contacts, whole, bone, free.end).way;
  return result;
}

}  // namespace clipmill::bones
