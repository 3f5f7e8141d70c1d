// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "checks.h"
#include "random_solids.h"
#include "stages/dynamic_bones/colliders/bone_distance.h"
#include "stages/dynamic_bones/rods/rod_near_simd.h"
#include "stages/dynamic_bones/springs/near_simd.h"
#include "stages/dynamic_bones/springs/spring_simd.h"

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones;
using clipmill::test::Random;

TEST_SUITE_BEGIN("dynamic_bones.near");

namespace {

constexpr std::size_t kBones = 64;
constexpr std::size_t kSolids = 40;

// Bones that move through a step among solids that move too, in lanes and one by one.
struct Crowd {
  SpringLanes lanes{kBones, 0};
  std::vector<BoneStep> bones;
  std::vector<Solid> bodies;
  std::vector<MovingSolid> solids;
  Capsules capsules;
  SolidMotions motions;

  // `spread_m`: how far apart bones and solids are; `path_m`: their longest path.
  Crowd(Random& random, double spread_m, double path_m) {
    for (std::size_t i = 0; i < kBones; ++i) addBone(random, i, spread_m, path_m);
    for (std::size_t k = 0; k < kSolids; ++k) {
      bodies.push_back(test::randomSolid(random, false));
      if (bodies.back().shape == ColliderShape::kPlane) bodies.back().head *= 5.0;
    }
    capsules.resize(kSolids);
    motions.resize(kSolids);
    for (std::size_t k = 0; k < kSolids; ++k) addSolid(random, k, spread_m, path_m);
  }

  void addBone(Random& random, std::size_t i, double spread_m, double path_m) {
    BoneStep bone;
    bone.length_m = random.isChance(0.03) ? 0.0 : random.number(0.01, 0.2);
    bone.head = random.vector(spread_m);
    bone.head_before = bone.head + random.vector(path_m);
    bone.end = bone.head + random.direction() * bone.length_m;
    bone.end_before = bone.end + random.vector(path_m);
    bone.head_radius_m = random.isChance(0.1) ? 0.0 : random.number(0.0, 0.05);
    bone.end_radius_m = random.isChance(0.5) ? bone.head_radius_m : random.number(0.0, 0.05);
    lanes.head.set(i, bone.head_before);
    lanes.next_head.set(i, bone.head);
    lanes.target.set(i, bone.end_before);
    lanes.offset.set(i, Vec3(0.0));
    lanes.point.set(i, bone.end);
    lanes.reach_m[i] = std::max(bone.head_radius_m, bone.end_radius_m);
    lanes.least_radius_m[i] = std::min(bone.head_radius_m, bone.end_radius_m);
    bones.push_back(bone);
  }

  void addSolid(Random& random, std::size_t k, double spread_m, double path_m) {
    MovingSolid moving;
    moving.solid = &bodies[k];
    moving.now = test::randomPose(random, spread_m);
    moving.before.position = moving.now.position + random.vector(path_m);
    moving.before.rotation = random.rotation(5.0 * path_m) * moving.now.rotation;
    encloseMotion(moving);
    capsules.set(k, pathCapsuleOf(moving));
    motions.set(k, moving);
    solids.push_back(moving);
  }
};

bool isBit(std::uint64_t word, std::size_t k) { return (word >> k & 1) != 0; }

struct Found {
  std::vector<std::uint64_t> near, overlapping, passing;
};

Found findNear(const Crowd& crowd) {
  Found found;
  for (auto* bits : {&found.near, &found.overlapping, &found.passing}) bits->resize(kBones);
  findNearCapsules(crowd.lanes, 0, kBones, crowd.capsules, crowd.motions, 0,
                   {found.near, found.overlapping, found.passing});
  return found;
}

bool isSame(const ContactResult& a, const ContactResult& b) {
  return a.end == b.end && a.end_before == b.end_before && a.has_contact == b.has_contact &&
         a.remaining_m == b.remaining_m;
}

constexpr std::size_t kRodBones = 5;
constexpr std::size_t kRodSolids = 70;  // more than a block of bits

// Eight chains among solids at the end of a step.
struct RodCrowd {
  RodBatch batch;
  RodReach reach;
  std::vector<double> head_radii_m, end_radii_m;  // by bone and lane
  std::vector<Solid> bodies;
  std::vector<MovingSolid> solids;
  Capsules capsules;

  explicit RodCrowd(Random& random) {
    for (std::size_t j = 0; j < kRodBones; ++j) {
      const int above = static_cast<int>(j) - 1;
      RodBatch::Joint joint;
      joint.parent_bone = joint.parent_joint = above;
      joint.bones_start = j;
      joint.bones_end = j + 1;
      batch.joints.push_back(joint);
    }
    batch.bone_count = kRodBones;
    batch.trees.assign(kLaneBlock, 0);
    batch.allocate();
    reach.radius_m.assign(kRodBones * kLaneBlock, 0.0);
    for (std::size_t lane = 0; lane < kLaneBlock; ++lane) addChain(random, lane);
    for (std::size_t k = 0; k < kRodSolids; ++k) {
      bodies.push_back(test::randomSolid(random, false));
      if (bodies.back().shape == ColliderShape::kPlane) bodies.back().head *= 5.0;
    }
    capsules.resize(kRodSolids);
    for (std::size_t k = 0; k < kRodSolids; ++k) addSolid(random, k);
  }

  void addChain(Random& random, std::size_t lane) {
    Vec3 at_m = random.vector(0.3);
    batch.next_head.position_m.set(lane, at_m);
    for (std::size_t b = 0; b < kRodBones; ++b) {
      const std::size_t at = RodBatch::at(b, lane);
      at_m += random.vectorOfLength(0.01, 0.1);
      batch.next.position_m.set(at, at_m);
      head_radii_m.resize(kRodBones * kLaneBlock);
      end_radii_m.resize(kRodBones * kLaneBlock);
      head_radii_m[at] = random.number(0.0, 0.03);
      end_radii_m[at] = random.isChance(0.5) ? head_radii_m[at] : random.number(0.0, 0.03);
      reach.radius_m[at] = std::max(head_radii_m[at], end_radii_m[at]);
    }
  }

  // Of a third of the bones no depth is a contact, another third have a random depth at rest.
  void addSolid(Random& random, std::size_t k) {
    MovingSolid moving;
    moving.solid = &bodies[k];
    moving.now = moving.before = test::randomPose(random, 0.3);
    encloseMotion(moving);
    capsules.set(k, pathCapsuleOf(moving));
    solids.push_back(moving);
    Column rest_m;
    for (std::size_t at = 0; at < kRodBones * kLaneBlock; ++at) {
      rest_m.push_back(random.isChance(0.33)  ? std::numeric_limits<double>::infinity()
                       : random.isChance(0.5) ? random.number(0.0, 0.05)
                                              : 0.0);
    }
    reach.rest_depth_m.push_back(rest_m);
  }

  double depth_m(std::size_t b, std::size_t lane, std::size_t k) const {
    const std::size_t at = RodBatch::at(b, lane);
    const Vec3 end = batch.next.position_m.at(at);
    Vec3 head = b == 0 ? batch.next_head.position_m.at(lane)
                       : batch.next.position_m.at(RodBatch::at(b - 1, lane));
    double head_radius_m = head_radii_m[at];
    if (b == 0) {
      head += (end - head) * kClampedShare;
      head_radius_m += (end_radii_m[at] - head_radius_m) * kClampedShare;
    }
    const BoneShape bone = {head, end, glm::length(end - head), head_radius_m, end_radii_m[at]};
    return -boneDistance(solids[k].posed, bone).distance_m;
  }
};

}  // namespace

TEST_CASE(
    "a bone that lanes report clear of a solid is not moved by it, and a slow one is not swept") {
  Random random(31);
  std::size_t clear = 0, slow = 0, contact_count = 0;
  for (int round = 0; round < 300; ++round) {
    const Crowd crowd(random, 0.3, round % 3 == 0 ? 0.1 : 0.01);
    const Found found = findNear(crowd);
    for (std::size_t i = 0; i < kBones; ++i) {
      for (std::size_t k = 0; k < kSolids; ++k) {
        if (!isBit(found.near[i], k)) continue;
        const MovingSolid* solid = &crowd.solids[k];
        const ContactResult result = resolveContacts({&solid, 1}, crowd.bones[i]);
        contact_count += result.has_contact;
        if (!isBit(found.overlapping[i], k)) {
          ++clear;
          if (result.has_contact || result.end != crowd.bones[i].end) FAIL_CHECK("moved");
        }
        if (!isBit(found.passing[i], k)) {
          ++slow;
          const auto unswept = resolveContacts({&solid, 1}, crowd.bones[i], false);
          if (!isSame(result, unswept)) FAIL_CHECK("swept");
        }
      }
    }
  }
  // There must be many of each kind; and most pairs that remain have a contact.
  CHECK(clear > 5000);
  CHECK(slow > 20000);
  CHECK(contact_count > 20000);
}

TEST_CASE("no bone that penetrates a solid is excluded") {
  Random random(32);
  std::size_t in = 0, found = 0;
  for (int round = 0; round < 300; ++round) {
    const Crowd crowd(random, 0.3, 0.0);
    ThickSegments segments(kBones - 3);
    for (std::size_t i = 0; i < kBones - 3; ++i) {
      segments.head.set(i, crowd.bones[i].head);
      segments.end.set(i, crowd.bones[i].end);
      segments.radius_m[i] = crowd.lanes.reach_m[i];
    }
    std::vector<std::uint64_t> overlapping(segments.radius_m.size());
    findOverlappingCapsules(segments, crowd.capsules, 0, overlapping);
    for (std::size_t i = 0; i < kBones - 3; ++i) {
      const BoneStep& bone = crowd.bones[i];
      for (std::size_t k = 0; k < kSolids; ++k) {
        const bool is_in =
            test::searchedPenetration(crowd.bodies[k], crowd.solids[k].now, bone.head, bone.end,
                                      bone.head_radius_m, bone.end_radius_m) > 1e-9;
        in += is_in;
        found += isBit(overlapping[i], k);
        if (is_in && !isBit(overlapping[i], k)) FAIL_CHECK("left out");
      }
    }
  }
  CHECK(in > 20000);
  CHECK(found < 3 * in);
}

TEST_CASE("every instruction set finds the same near bones") {
  Random random(33);
  const Crowd crowd(random, 0.3, 0.03);
  useVectorTarget(0);
  const Found first = findNear(crowd);
  for (std::size_t target = 1; target < vectorTargets().size(); ++target) {
    useVectorTarget(static_cast<int>(target));
    const Found other = findNear(crowd);
    CHECK(other.near == first.near);
    CHECK(other.overlapping == first.overlapping);
    CHECK(other.passing == first.passing);
  }
  useVectorTarget(-1);
}

TEST_CASE("the broad phase of rods misses no bone that penetrates a solid by more than at rest") {
  for (const double beyond_m : {0.0, 0.02}) {
    Random random(47);
    std::size_t penetration_count = 0, found_count = 0, count = 0;
    for (int round = 0; round < 40; ++round) {
      const RodCrowd crowd(random);
      for (std::size_t first = 0; first < kRodSolids; first += kSolidBlock) {
        std::vector<std::uint64_t> penetrating(kRodBones * kLaneBlock, 0);
        findPenetratingRods(crowd.batch, crowd.reach, crowd.capsules, first, beyond_m, penetrating);
        for (std::size_t b = 0; b < kRodBones; ++b) {
          for (std::size_t lane = 0; lane < kLaneBlock; ++lane) {
            const std::size_t at = RodBatch::at(b, lane);
            for (std::size_t k = first; k < std::min(first + kSolidBlock, kRodSolids); ++k) {
              const double rest_m = crowd.reach.rest_depth_m[k][at];
              const bool penetrates = crowd.depth_m(b, lane, k) > rest_m + beyond_m;
              const bool is_found = (penetrating[at] >> (k - first) & 1U) != 0;
              ++count;
              penetration_count += penetrates;
              found_count += is_found;
              if (penetrates && !is_found) FAIL_CHECK("missed");
              if (is_found && std::isinf(rest_m)) FAIL_CHECK("no contact");
            }
          }
        }
      }
    }
    CHECK(penetration_count > (beyond_m > 0.0 ? 700 : 1000));
    CHECK(found_count < count / 3);
  }
}

TEST_SUITE_END();
