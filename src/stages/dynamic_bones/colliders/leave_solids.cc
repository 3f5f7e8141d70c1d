// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/colliders/leave_solids.h"

#include "stages/dynamic_bones/colliders/turn_out.h"

namespace clipmill::bones {
namespace {

// What touch() says of a bone and one solid, from an earlier call.
struct Known {
  const MovingSolid* solid = nullptr;
  Touch touched;
};

Deepest deepestKnowing(Solids solids, double time, const BoneShape& bone, const Known& known) {
  Deepest deepest;
  Room room;
  for (const MovingSolid* solid : solids) {
    const Touch touched =
        solid == known.solid ? known.touched : touch(placedAt(*solid, time, room), bone);
    if (touched.distance_m < deepest.touched.distance_m) deepest = {solid, touched};
  }
  return deepest;
}

double depthOf_m(const Touch& touched) {
  return touched.distance_m < -kAllowed_m ? -touched.distance_m : 0.0;
}

}  // namespace

void Contacts::add(const Contact& contact) {
  for (std::size_t i = 0; i < count; ++i) {
    if (all[i].solid == contact.solid) {
      all[i] = contact;
      return;
    }
  }
  if (count < all.size()) all[count++] = contact;
}

const PlacedSolid& placedAt(const MovingSolid& solid, double time, Room& room) {
  if (time >= 1.0) return solid.placed;
  if (time <= 0.0) return solid.placed_before;
  return room.emplace(placeSolid(*solid.solid, placeAt(solid, time)));
}

Deepest deepestOf(Solids solids, double time, const BoneShape& bone) {
  return deepestKnowing(solids, time, bone, {});
}

Leave leaveSolids(Solids solids, double time, const PlacedLimit& limit, const Vec3& hint,
                  const BoneShape& bone, Contacts& contacts) {
  Leave leave{bone, false, {}};
  BoneShape& now = leave.bone;
  if (limit.limit) now = now.pointing(limitedDirection(limit, now.direction()));
  Known known;
  const MovingSolid* last = nullptr;
  Room room, room_before;
  for (int round = 0; round < kMostRounds; ++round) {
    const Deepest deepest = deepestKnowing(solids, time, now, known);
    if (!deepest.solid) {
      leave.depth_m = 0.0;
      return leave;
    }
    const PlacedSolid& solid = placedAt(*deepest.solid, time, room);
    TurnedBone turned = turnedOut(solid, now, deepest.touched, hint);
    if (last && last != deepest.solid) {
      const PlacedSolid& before = placedAt(*last, time, room_before);
      if (touch(before, turned.bone).distance_m < -kAllowed_m) {
        turned = {turnedOutOfBoth(solid, before, turned.bone), {}};
      }
    }
    const BoneShape& free = turned.bone;
    const Touch touched = turned.touched ? *turned.touched : touch(solid, free);
    // Where the end touches too, it is what feels the contact.
    const Touch end = touchOfEnd(solid, free);
    const Touch& felt = end.distance_m < touched.distance_m + kAllowed_m ? end : touched;
    contacts.add({deepest.solid, felt.along,
                  glm::conjugate(placeAt(*deepest.solid, time).rotation) * felt.away});
    leave.touched = true;
    now = limit.limit ? free.pointing(limitedDirection(limit, free.direction())) : free;
    known = limit.limit ? Known() : Known{deepest.solid, touched};
    last = deepest.solid;
    if (solids.size() == 1 && !limit.limit) {
      leave.depth_m = depthOf_m(touched);
      return leave;
    }
  }
  return leave;
}

}  // namespace clipmill::bones
