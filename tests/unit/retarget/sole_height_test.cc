// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/sole_height.h"

#include <cmath>

#include "anim/pose.h"
#include "checks.h"
#include "core/to_size.h"
#include "retarget/graduation.h"
#include "retarget/support_heights.h"
#include "sole_walker.h"

TEST_SUITE_BEGIN("retarget.sole_height");

namespace {

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::retarget;
using namespace clipmill::test;
using Role = HumanoidRole;

// A skin so far before and behind hips and head.
void addTrunk(double thickness_m, Walker& walker) {
  SkinnedMesh mesh;
  mesh.node = 0;
  mesh.skin = 0;
  mesh.influence_start.push_back(0);
  for (const Role role : {Role::kHips, Role::kHead}) {
    for (const double side : {-1.0, 1.0}) {
      mesh.positions.push_back(positionOfRole(role) + Vec3(0, 0, side * thickness_m));
      mesh.influences.push_back({static_cast<std::uint32_t>(walker.map[role]), 1.0});
      mesh.influence_start.push_back(mesh.influences.size());
    }
  }
  walker.scene.meshes.push_back(std::move(mesh));
}

// A skin of the hips at that height of the rest pose.
void addTrunkPoint(double height_m, Walker& walker) {
  SkinnedMesh mesh;
  mesh.node = 0;
  mesh.skin = 0;
  mesh.positions = {Vec3(0.0, height_m, 0.0)};
  mesh.influences = {{static_cast<std::uint32_t>(walker.map[Role::kHips]), 1.0}};
  mesh.influence_start = {0, 1};
  walker.scene.meshes.push_back(std::move(mesh));
}

double hipsAt(Walker& walker, std::size_t frame) {
  return walker.local(frame, Role::kHips).translation.y;
}

std::vector<double> lowestOf(const Walker& walker) {
  const auto heights = supportHeights(walker.scene, walker.map, walker.motion);
  REQUIRE(heights);
  std::vector<double> lowest;
  for (std::size_t f = 0; f < heights->frameCount(); ++f) lowest.push_back(heights->lowerSole_m(f));
  return lowest;
}

}  // namespace

TEST_CASE("A graduated curve fulfils its normal equations, and keeps straight lines") {
  const std::vector<double> values{0.0, 1.0, 0.5, 7.0, 2.0, -1.0, 0.25},
      weights{1.0, 1.0, 0.5, 0.0, 0.0, 1.0, 1.0};
  const double stiffness = 0.7, tension = 0.3;
  const std::vector<double> x = graduated(values, weights, stiffness, tension);
  const auto at = [&](std::ptrdiff_t i) { return x[static_cast<std::size_t>(i)]; };
  const auto count = static_cast<std::ptrdiff_t>(x.size());
  // The derivative of the sum by each x.
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    double slope = weights[toSize(i)] * (at(i) - values[toSize(i)]);
    for (std::ptrdiff_t k = std::max<std::ptrdiff_t>(i - 1, 0); k <= i && k + 1 < count; ++k) {
      slope += tension * (at(k + 1) - at(k)) * (k + 1 == i ? 1.0 : -1.0);
    }
    for (std::ptrdiff_t k = std::max<std::ptrdiff_t>(i - 2, 0); k <= i && k + 2 < count; ++k) {
      const double second = at(k) - 2.0 * at(k + 1) + at(k + 2);
      slope += stiffness * second * (k + 1 == i ? -2.0 : 1.0);
    }
    CHECK(std::fabs(slope) < 1e-12);
  }
  const std::vector<double> line =
      graduated(std::vector{1.0, 9.0, 3.0}, std::vector{1.0, 0.0, 1.0}, 5.0, 0.0);
  CHECK(line[1] == doctest::Approx(2.0));
  CHECK(graduated(std::vector{4.0}, std::vector{1.0}, 1.0, 1.0) == std::vector{4.0});
}

TEST_CASE("A character whose soles hover, or are in the ground, is put on it") {
  for (const double off_m : {0.04, -0.03, -0.4}) {
    Walker source = makeWalker(40), target = makeWalker(40);
    for (std::size_t f = 0; f < 40; ++f) target.local(f, Role::kHips).translation.y += off_m;
    const auto match = matchSoleHeights(onCharacter(source, target, 1.0), target.motion);
    REQUIRE(match);
    CHECK(match->max_rise_m == doctest::Approx(std::fabs(off_m)).epsilon(0.01));
    for (const double height : lowestOf(target)) CHECK(std::fabs(height) < 2e-4);
  }
}

TEST_CASE("A character on the ground stays where it is") {
  Walker source = makeWalker(30), target = makeWalker(30);
  matchSoleHeights(onCharacter(source, target, 1.0), target.motion);
  for (std::size_t f = 0; f < 30; ++f) CHECK(hipsAt(target, f) == doctest::Approx(0.95));
}

TEST_CASE("Soles that hover by little settle: hips drop for straight legs") {
  Walker source = makeWalker(40), target = makeWalker(40);
  for (std::size_t f = 0; f < 40; ++f) target.local(f, Role::kHips).translation.y += 0.012;
  CHECK(settleSoles(onCharacter(source, target, 1.0), target.motion) == 0.0);
  for (std::size_t f = 0; f < 40; ++f) CHECK(hipsAt(target, f) == doctest::Approx(0.95));
  for (const double height : lowestOf(target)) CHECK(std::fabs(height) < 1e-6);
}

TEST_CASE("Soles that are on the ground, or far off it, do not settle") {
  for (const double off_m : {0.0, 0.1}) {
    Walker source = makeWalker(40), target = makeWalker(40);
    for (std::size_t f = 0; f < 40; ++f) target.local(f, Role::kHips).translation.y += off_m;
    const double hips_m = hipsAt(target, 0);
    CHECK(settleSoles(onCharacter(source, target, 1.0), target.motion) == doctest::Approx(off_m));
    for (std::size_t f = 0; f < 40; ++f) CHECK(hipsAt(target, f) == hips_m);
  }
}

TEST_CASE("Hips drop for soles no farther than the trunk is from the ground") {
  Walker source = makeWalker(40), target = makeWalker(40);
  addTrunkPoint(0.5, source);
  addTrunkPoint(-0.007, target);
  for (std::size_t f = 0; f < 40; ++f) target.local(f, Role::kHips).translation.y += 0.012;
  settleSoles(onCharacter(source, target, 1.0), target.motion);
  for (std::size_t f = 0; f < 40; ++f) CHECK(hipsAt(target, f) == doctest::Approx(0.957));
}

TEST_CASE("Soles below the height 0 on which a character was bound are its ground") {
  Walker source = makeWalker(30), target = makeWalker(30, 0.3);
  matchSoleHeights(onCharacter(source, target, 1.0), target.motion);
  for (const double height : lowestOf(target)) CHECK(height == doctest::Approx(-0.3).epsilon(1e-3));
}

TEST_CASE("A flight keeps its shape, with the rise of what is around it") {
  constexpr std::size_t kFrames = 60, kFrom = 20, kTo = 40;
  const auto lift = [](std::size_t f) {
    if (f <= kFrom || f >= kTo) return 0.0;
    const double u = static_cast<double>(f - kFrom) / static_cast<double>(kTo - kFrom);
    return 4.0 * 0.6 * u * (1.0 - u);
  };
  Walker source = makeWalker(kFrames), target = makeWalker(kFrames);
  for (std::size_t f = 0; f < kFrames; ++f) {
    source.local(f, Role::kHips).translation.y += lift(f);
    target.local(f, Role::kHips).translation.y += lift(f) + (f < 30 ? 0.02 : 0.05);
  }
  // The feet of the target point down in the air: its soles are lower there.
  for (std::size_t f = kFrom + 2; f + 1 < kTo; ++f) {
    for (const Role role : {Role::kLeftFoot, Role::kRightFoot}) {
      target.local(f, role).rotation = rotationAbout(Vec3(1, 0, 0), 0.5);
    }
  }
  const Motion before = target.motion;
  REQUIRE(matchSoleHeights(onCharacter(source, target, 1.0), target.motion));
  const auto hips = toSize(target.map[Role::kHips]);
  const auto rise = [&](std::size_t f) {
    return target.motion.localsOf(f)[hips].translation.y - before.localsOf(f)[hips].translation.y;
  };
  CHECK(rise(5) == doctest::Approx(-0.02).epsilon(0.02));
  CHECK(rise(55) == doctest::Approx(-0.05).epsilon(0.02));
  // Even steps in the middle of the flight: no acceleration is added.
  for (std::size_t f = kFrom + 6; f + 6 < kTo; ++f) {
    CHECK(std::fabs(rise(f + 1) - 2.0 * rise(f) + rise(f - 1)) < 2e-4);
  }
}

TEST_CASE("A foot that is lower than the other reaches the ground by its leg") {
  Walker source = makeWalker(40), target = makeWalker(40);
  for (std::size_t f = 0; f < 40; ++f) {
    // Both knees are bent; the right leg of the target a little more.
    for (Walker* walker : {&source, &target}) {
      for (const auto& [upper, lower, foot] :
           {std::array{Role::kLeftUpperLeg, Role::kLeftLowerLeg, Role::kLeftFoot},
            std::array{Role::kRightUpperLeg, Role::kRightLowerLeg, Role::kRightFoot}}) {
        const bool is_more = walker == &target && foot == Role::kRightFoot;
        const double bend_rad = is_more ? 0.55 : 0.45;
        walker->local(f, upper).rotation = rotationAbout(Vec3(1, 0, 0), -bend_rad);
        walker->local(f, lower).rotation = rotationAbout(Vec3(1, 0, 0), 2.0 * bend_rad);
        walker->local(f, foot).rotation = rotationAbout(Vec3(1, 0, 0), -bend_rad);
      }
    }
  }
  const double sunk_m = lowestOf(source).front();
  for (std::size_t f = 0; f < 40; ++f) {
    source.local(f, Role::kHips).translation.y -= sunk_m;
    target.local(f, Role::kHips).translation.y -= sunk_m;
  }
  REQUIRE(matchSoleHeights(onCharacter(source, target, 1.0), target.motion));
  const auto heights = supportHeights(target.scene, target.map, target.motion);
  REQUIRE(heights);
  for (const std::size_t sole : kSoles) {
    for (const double height : heights->heights_m[sole]) CHECK(std::fabs(height) < 1e-3);
  }
  CHECK(target.motion.modified.has(target.map[Role::kRightLowerLeg], TrackPath::kRotation));
}

TEST_CASE("Soles that hover over the ground for a few frames more than for others are put on it") {
  Walker source = makeWalker(40), target = makeWalker(40);
  for (std::size_t f = 0; f < 40; ++f) {
    // Legs are straight: hips alone take the feet down.
    const bool is_high = f >= 19 && f <= 20;
    target.local(f, Role::kHips).translation.y += is_high ? 0.08 : 0.03;
  }
  REQUIRE(matchSoleHeights(onCharacter(source, target, 1.0), target.motion));
  // 31 mm where hips do not fall back to where legs reach.
  for (const double height : lowestOf(target)) CHECK(std::fabs(height) < 3e-3);
}

TEST_CASE("A thin character lies on the ground on which a stout one lies") {
  constexpr double kStout_m = 0.3, kThin_m = 0.1;
  Walker source = makeWalker(40), target = makeWalker(40);
  addTrunk(kStout_m, source);
  addTrunk(kThin_m, target);
  for (std::size_t f = 0; f < 40; ++f) {
    for (Walker* walker : {&source, &target}) {
      Transform& hips = walker->local(f, Role::kHips);
      hips.rotation = rotationAbout(Vec3(1, 0, 0), -0.5 * kPi) * hips.rotation;
      hips.translation.y = kStout_m;
    }
  }
  REQUIRE(matchSoleHeights(onCharacter(source, target, 1.0), target.motion));
  const auto heights = supportHeights(target.scene, target.map, target.motion);
  REQUIRE(heights);
  for (const double height_m : heights->heights_m[kBodyPart]) CHECK(std::fabs(height_m) < 0.005);
}

TEST_CASE("A stout trunk stays out of the ground over which a thin one leans") {
  constexpr double kHips_m = 0.2, kLean_rad = 1.0;
  Walker source = makeWalker(40), target = makeWalker(40);
  addTrunk(0.1, source);
  addTrunk(0.3, target);
  for (std::size_t f = 0; f < 40; ++f) {
    for (Walker* walker : {&source, &target}) {
      Transform& hips = walker->local(f, Role::kHips);
      hips.rotation = rotationAbout(Vec3(1, 0, 0), -kLean_rad) * hips.rotation;
      hips.translation.y = kHips_m;
    }
  }
  const auto before = supportHeights(target.scene, target.map, target.motion);
  REQUIRE(before);
  CHECK(before->heights_m[kTrunkPart][20] < -0.05);
  REQUIRE(matchSoleHeights(onCharacter(source, target, 1.0), target.motion));
  const auto heights = supportHeights(target.scene, target.map, target.motion);
  REQUIRE(heights);
  for (const double height_m : heights->heights_m[kTrunkPart]) CHECK(height_m > -0.002);
}

TEST_CASE("The heels of a body that lies are not the ground on which it walked") {
  constexpr std::size_t kFrames = 90, kLies = 20;
  Walker walker = makeWalker(kFrames);
  for (std::size_t f = kLies; f < kFrames; ++f) {
    Transform& hips = walker.local(f, Role::kHips);
    hips.rotation = rotationAbout(Vec3(1, 0, 0), -0.5 * kPi) * hips.rotation;
  }
  const auto standing = supportHeights(walker.scene, walker.map, walker.motion);
  REQUIRE(standing);
  for (std::size_t f = kLies; f < kFrames; ++f) {
    walker.local(f, Role::kHips).translation.y -= standing->lowerSole_m(f) + 0.03;
  }
  const auto heights = supportHeights(walker.scene, walker.map, walker.motion);
  REQUIRE(heights);
  CHECK(heights->lowerSole_m(kFrames - 1) == doctest::Approx(-0.03));
  const PlantedFeet planted = plantedFeet(walker.scene, walker.map, walker.motion);
  CHECK(walkedGround_m(*heights, planted) == 0.0);
}

TEST_CASE("A clip walks on another ground only where all of its planted soles are on that") {
  SupportHeights heights;
  heights.has_skin = true;
  PlantedFeet planted;
  for (std::size_t f = 0; f < 40; ++f) {
    for (const std::size_t sole : kSoles) {
      heights.heights_m[sole].push_back(-0.04);
      planted.frames[sole].push_back(true);
    }
    heights.hips_m.push_back(0.9);
    heights.upright.push_back(1.0);
  }
  CHECK(walkedGround_m(heights, planted) == doctest::Approx(-0.04));
  // Feet that dip into the ground and roll off on it, as in a run.
  for (std::size_t f = 0; f < 40; f += 5) {
    for (const std::size_t sole : kSoles) heights.heights_m[sole][f] = -0.01;
  }
  CHECK(walkedGround_m(heights, planted) == 0.0);
}

TEST_SUITE_END();
