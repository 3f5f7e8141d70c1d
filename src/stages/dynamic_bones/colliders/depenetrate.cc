// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/colliders/depenetrate.h"

#include "stages/dynamic_bones/colliders/rotate_out.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// The result of an earlier call of boneDistance() for one solid.
struct CachedDistance {
  const MovingSolid* solid = nullptr;
  BoneDistance nearest;
};

MaxPenetration maxPenetrationCached(Solids solids, double time, const BoneShape& bone,
                                    const CachedDistance& cached) {
  MaxPenetration worst;
  PoseScratch scratch;
  for (const MovingSolid* solid : solids) {
    const BoneDistance nearest =
        solid == cached.solid ? cached.nearest : boneDistance(posedAt(*solid, time, scratch), bone);
    if (nearest.distance_m < worst.nearest.distance_m) worst = {solid, nearest};
  }
  return worst;
}

double depthOf_m(const BoneDistance& nearest) {
  return nearest.distance_m < -kAllowed_m ? -nearest.distance_m : 0.0;
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

const PosedSolid& posedAt(const MovingSolid& solid, double time, PoseScratch& scratch) {
  if (time >= 1.0) return solid.posed;
  if (time <= 0.0) return solid.posed_before;
  return scratch.emplace(poseSolid(*solid.solid, poseAt(solid, time)));
}

MaxPenetration maxPenetration(Solids solids, double time, const BoneShape& bone) {
  return maxPenetrationCached(solids, time, bone, {});
}

Depenetration depenetrate(Solids solids, double time, const PosedLimit& limit, const Vec3& hint,
                          const BoneShape& bone, Contacts& contacts) {
  Depenetration result{bone, false, {}};
  BoneShape& now = result.bone;
  if (limit.limit) now = now.pointing(limitedDirection(limit, now.direction()));
  CachedDistance cached;
  const MovingSolid* last = nullptr;
  PoseScratch scratch, scratch_before;
  for (int round = 0; round < kMaxRounds; ++round) {
    const MaxPenetration worst = maxPenetrationCached(solids, time, now, cached);
    if (!worst.solid) {
      result.depth_m = 0.0;
      return result;
    }
    const PosedSolid& solid = posedAt(*worst.solid, time, scratch);
    RotatedBone rotated = rotatedOut(solid, now, worst.nearest, hint);
    if (last && last != worst.solid) {
      const PosedSolid& before = posedAt(*last, time, scratch_before);
      if (boneDistance(before, rotated.bone).distance_m < -kAllowed_m) {
        rotated = {rotatedOutOfBoth(solid, before, rotated.bone), {}};
      }
    }
    const BoneShape& free = rotated.bone;
    const BoneDistance nearest = rotated.nearest ? *rotated.nearest : boneDistance(solid, free);
    // If the end is in contact too, the contact acts on the end.
    const BoneDistance end = endDistance(solid, free);
    const BoneDistance& felt = end.distance_m < nearest.distance_m + kAllowed_m ? end : nearest;
    contacts.add(
        {worst.solid, felt.along, glm::conjugate(poseAt(*worst.solid, time).rotation) * felt.away});
    result.has_contact = true;
    now = limit.limit ? free.pointing(limitedDirection(limit, free.direction())) : free;
    cached = limit.limit ? CachedDistance() : CachedDistance{worst.solid, nearest};
    last = worst.solid;
    if (solids.size() == 1 && !limit.limit) {
      result.depth_m = depthOf_m(nearest);
      return result;
    }
  }
  return result;
}

}  // namespace clipmill::stages::dynamic_bones
