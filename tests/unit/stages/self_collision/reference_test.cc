// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/reference.h"

#include <limits>
#include <vector>

#include "checks.h"
#include "core/to_size.h"
#include "stages/self_collision/box_character.h"

TEST_SUITE_BEGIN("self_collision.reference");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::stages::self_collision;
using namespace clipmill::stages::self_collision;
using enum HumanoidRole;
using test::rotateOutwards;

namespace {

using Angles = std::array<int, 2>;

ReferenceSolver solverOf(const test::BoxCharacter& character, const Proxies& proxies) {
  auto solver = ReferenceSolver::make(character.scene(), character.map, proxies);
  CHECK_OK(solver);
  return std::move(solver).value();
}

// Resolves the first frame of the motion.
FrameRotations solvedFirst(const test::BoxCharacter& character, Motion& motion) {
  const Proxies proxies(character.scene(), character.map);
  PosedParts work;
  const auto rotations = solverOf(character, proxies).solveFrame(motion.frame(0).locals, work);
  REQUIRE(rotations);
  return *rotations;
}

double rotationBetween(const Motion& a, const Motion& b, std::size_t frame, int node) {
  const auto rotationOf = [&](const Motion& motion) {
    return normalizedOrIdentity(motion.localsOf(frame)[toSize(node)].rotation);
  };
  return angleBetween(rotationOf(a), rotationOf(b));
}

// Bends both elbows so that hands point at each other in front of, or in, the trunk.
void bendInwards(test::BoxCharacter& character, Motion& motion, std::size_t frame) {
  hangArms(character, motion, frame);
  rotateOutwards(character, motion, frame, kLeftLowerArm, -90.0);
  rotateOutwards(character, motion, frame, kRightLowerArm, 90.0);
}

}  // namespace

// By hand: shoulder at (0.18, 1.42), forearm 0.32 to 0.54 below it and 0.06 thick, trunk to x =
// 0.2. At angle a its inner upper corner is at x = 0.18 + 0.32 sin a - 0.03 cos a: 0.1948 at 8
// degrees, 0.2004 at 9. So 9, and 10 more. Then the elbow is at (0.2712, 1.1552), the wrist wants
// 37 degrees back, and the forearm meets the trunk at 29: the inner lower corner is at x = 0.2009
// at 28.
TEST_CASE("an arm that hangs in the trunk rotates by the angles computed by hand") {
  test::BoxCharacter character = test::boxCharacter();
  Motion motion = character.still(1);
  rotateOutwards(character, motion, 0, kLeftUpperArm, -90.0);
  const Motion before = motion;
  const FrameRotations rotations = solvedFirst(character, motion);
  CHECK(rotations.had_overlap);
  CHECK_FALSE(rotations.remains_overlapping);
  CHECK(rotations.shoulder_deg == Angles{19, 0});
  CHECK(rotations.elbow_deg == Angles{28, 0});
  CHECK(rotations.hip_deg == Angles{0, 0});
  CHECK(rotations.ankle_deg == Angles{0, 0});
  const Quat shoulder = rotationAbout({0, 0, 1}, (19.0 - 90.0) * kDegree);
  const Quat elbow = rotationAbout({0, 0, 1}, -28.0 * kDegree);
  const auto rotationOf = [&](HumanoidRole role) {
    return motion.localsOf(0)[toSize(character.at(role))].rotation;
  };
  CHECK(test::distance(rotationOf(kLeftUpperArm), shoulder) < 1e-12);
  CHECK(test::distance(rotationOf(kLeftLowerArm), elbow) < 1e-12);
  for (int node = 0; node < static_cast<int>(motion.node_count); ++node) {
    if (node == character.at(kLeftUpperArm) || node == character.at(kLeftLowerArm)) continue;
    CHECK(motion.localsOf(0)[toSize(node)] == before.localsOf(0)[toSize(node)]);
  }
}

// By hand: forearms point inwards, 0.25 to 0.31 below the shoulder, to 0.26 beyond the elbow; the
// trunk goes to x = 0.1. Tip at x = 0.18 + 0.25 sin a - 0.26 cos a: 0.0981 at 33, 0.1043 at 34.
// At 44 the elbow is at (0.3745, 1.2186), the wrist was at (-0.08, 1.14), 34.2 degrees away: f is
// -4.6273 at 34, -4.6267 at 35 and -4.6260 at 33.
TEST_CASE("an elbow bends to where f is least") {
  test::BoxCharacterOptions options;
  options.trunk_half_width_m = 0.1;
  test::BoxCharacter character = test::boxCharacter(options);
  Motion motion = character.still(1);
  bendInwards(character, motion, 0);
  rotateOutwards(character, motion, 0, kRightUpperArm, 0.0);
  rotateOutwards(character, motion, 0, kRightLowerArm, 0.0);
  const FrameRotations rotations = solvedFirst(character, motion);
  CHECK(rotations.shoulder_deg == Angles{44, 0});
  CHECK(rotations.elbow_deg == Angles{34, 0});
}

// By hand, mirrored: free where no corner passes x = 0, 0.18 + 0.25 sin a - 0.26 cos a >= 0: 0.0044
// at 17 degrees, -0.0010 at 16.
TEST_CASE("arms in each other rotate away by the same angle") {
  test::BoxCharacterOptions options;
  options.trunk_front_m = -0.2;
  test::BoxCharacter character = test::boxCharacter(options);
  Motion motion = character.still(1);
  bendInwards(character, motion, 0);
  const FrameRotations rotations = solvedFirst(character, motion);
  CHECK(rotations.shoulder_deg == Angles{27, 27});
  CHECK(rotations.elbow_deg[0] > 0);
}

// Worked out apart, by the projections of the corners of both legs on 40,000 directions: 0.025 m in
// each other at 7 degrees, 0.0026 m apart at 8.
TEST_CASE("legs in each other rotate at the hips, without relief") {
  test::BoxCharacter character = test::boxCharacter();
  Motion motion = character.still(1);
  rotateOutwards(character, motion, 0, kLeftUpperLeg, -20.0);
  const FrameRotations rotations = solvedFirst(character, motion);
  CHECK(rotations.hip_deg == Angles{8, 8});
  CHECK(rotations.ankle_deg == Angles{0, 0});
  CHECK(rotations.shoulder_deg == Angles{0, 0});
}

// Likewise: 0.00008 m in each other at 24 degrees, 0.0022 m apart at 25.
TEST_CASE("feet in each other rotate at the ankles") {
  test::BoxCharacter character = test::boxCharacter();
  // Soles 0.15 below the ankle, so that the feet swing into each other.
  SkinnedMesh& mesh = character.scene().meshes[0];
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    const int bone = static_cast<int>(mesh.influences[v].joint);
    if (bone != character.at(kLeftFoot) && bone != character.at(kRightFoot)) continue;
    mesh.positions[v].y = mesh.positions[v].y > 0.0 ? 0.08 : -0.07;
  }
  Motion motion = character.still(1);
  rotateOutwards(character, motion, 0, kLeftFoot, -70.0);
  rotateOutwards(character, motion, 0, kRightFoot, 30.0);
  const FrameRotations rotations = solvedFirst(character, motion);
  CHECK(rotations.ankle_deg == Angles{25, 25});
  CHECK(rotations.hip_deg == Angles{0, 0});
}

TEST_CASE("a free pose stays as it is, to the bit") {
  test::BoxCharacter character = test::boxCharacter();
  Motion motion = character.still(5);
  const Motion before = motion;
  const Proxies proxies(character.scene(), character.map);
  const ReferenceCounts counts = solverOf(character, proxies).solveClip(motion);
  CHECK(counts.key_frames == 3);
  CHECK(counts.overlapping_key_frames == 0);
  CHECK(motion.locals == before.locals);
  CHECK(motion.modified.none());
}

TEST_CASE("unit, axes and mirroring of the file do not matter") {
  Transform rotated;
  rotated.rotation = rotationAbout({1, 0, 0}, 90.0 * kDegree);
  rotated.translation = Vec3(5.0, -2.0, 1.0);
  Transform mirrored;
  mirrored.scale = Vec3(-1.0, 1.0, 1.0);
  Transform scaled;
  scaled.scale = Vec3(100.0);
  for (const Transform& root : {rotated, mirrored, scaled}) {
    for (double units_per_metre : {1.0, 100.0}) {
      test::BoxCharacterOptions options;
      options.root = root;
      options.units_per_metre = units_per_metre;
      if (root.scale.x == 100.0) options.units_per_metre = 0.01 * units_per_metre;
      test::BoxCharacter character = test::boxCharacter(options);
      character.scene().metric_from_file.linear = Mat3(1.0 / units_per_metre);
      Motion motion = character.still(1);
      rotateOutwards(character, motion, 0, kLeftUpperArm, -90.0);
      const FrameRotations rotations = solvedFirst(character, motion);
      CHECK(rotations.shoulder_deg == Angles{19, 0});
      CHECK(rotations.elbow_deg == Angles{28, 0});
    }
  }
}

TEST_CASE("the frontal plane is that of the chest and rotates with it") {
  test::BoxCharacter character = test::boxCharacter();
  Motion motion = character.still(1);
  rotateOutwards(character, motion, 0, kLeftUpperArm, -90.0);
  test::localAt(motion, 0, character.at(kHips)).rotation =
      rotationAbout(glm::normalize(Vec3(0.3, 1.0, -0.4)), 2.0);
  test::localAt(motion, 0, character.at(kSpine)).rotation = rotationAbout({0, 1, 0}, 0.8);
  const FrameRotations rotations = solvedFirst(character, motion);
  CHECK(rotations.shoulder_deg == Angles{19, 0});
  CHECK(rotations.elbow_deg == Angles{28, 0});
}

TEST_CASE("frames 0, 3, 6 and the last are solved, and slerp fills the others") {
  test::BoxCharacter character = test::boxCharacter();
  Motion motion = character.still(9);  // keys 0, 3, 6, 8
  for (std::size_t i = 0; i < 9; ++i) {
    rotateOutwards(character, motion, i, kLeftUpperArm, -80.0 - 2.0 * static_cast<double>(i));
  }
  const Motion before = motion;
  const Proxies proxies(character.scene(), character.map);
  const ReferenceCounts counts = solverOf(character, proxies).solveClip(motion);
  CHECK(counts.key_frames == 4);
  CHECK(counts.overlapping_key_frames > 0);
  const int shoulder = character.at(kLeftUpperArm);
  CHECK(motion.modified.has(shoulder, TrackPath::kRotation));
  CHECK_FALSE(motion.modified.any(character.at(kRightUpperArm)));
  const auto rotationAt = [&](std::size_t frame) {
    return motion.localsOf(frame)[toSize(shoulder)].rotation;
  };
  const std::vector<std::size_t> keys = {0, 3, 6, 8};
  for (std::size_t k = 1; k < keys.size(); ++k) {
    for (std::size_t i = keys[k - 1] + 1; i < keys[k]; ++i) {
      const double t =
          static_cast<double>(i - keys[k - 1]) / static_cast<double>(keys[k] - keys[k - 1]);
      const Quat expected = slerp(rotationAt(keys[k - 1]), rotationAt(keys[k]), t);
      CHECK(test::distance(rotationAt(i), expected) < 1e-12);
    }
  }
  // Each key is what its frame alone becomes.
  for (std::size_t key : keys) {
    Motion alone = character.still(1);
    rotateOutwards(character, alone, 0, kLeftUpperArm, -80.0 - 2.0 * static_cast<double>(key));
    solvedFirst(character, alone);
    const Quat expected = alone.localsOf(0)[toSize(shoulder)].rotation;
    CHECK(test::distance(rotationAt(key), expected) < 1e-12);
  }
}

TEST_CASE("a hit on a skipped frame alone is never seen") {
  test::BoxCharacter character = test::boxCharacter();
  Motion motion = character.still(7);
  rotateOutwards(character, motion, 4, kLeftUpperArm, -90.0);
  const Motion before = motion;
  const Proxies proxies(character.scene(), character.map);
  solverOf(character, proxies).solveClip(motion);
  CHECK(motion.locals == before.locals);
  const std::vector<bool> hits = overlappingFrames(proxies, motion);
  for (std::size_t i = 0; i < hits.size(); ++i) CHECK(hits[i] == (i == 4));
}

TEST_CASE("clips of one and of two frames are solved at every frame") {
  for (std::size_t frames : {1, 2}) {
    test::BoxCharacter character = test::boxCharacter();
    Motion motion = character.still(frames);
    for (std::size_t i = 0; i < frames; ++i) {
      rotateOutwards(character, motion, i, kLeftUpperArm, -90.0);
    }
    const Motion before = motion;
    const Proxies proxies(character.scene(), character.map);
    const ReferenceCounts counts = solverOf(character, proxies).solveClip(motion);
    CHECK(counts.key_frames == frames);
    CHECK(counts.overlapping_key_frames == frames);
    for (std::size_t i = 0; i < frames; ++i) {
      const double rotation_rad = rotationBetween(before, motion, i, character.at(kLeftUpperArm));
      CHECK(rotation_rad == doctest::Approx(19.0 * kDegree));
    }
  }
}

TEST_CASE("the arm of a character with one arm is resolved") {
  test::BoxCharacter character = test::boxCharacter();
  for (HumanoidRole role : {kRightUpperArm, kRightLowerArm, kRightHand}) {
    character.map.nodes[toSize(role)] = -1;
  }
  Motion motion = character.still(1);
  rotateOutwards(character, motion, 0, kLeftUpperArm, -90.0);
  CHECK(solvedFirst(character, motion).shoulder_deg == Angles{19, 0});
}

TEST_CASE("an arm without a hand rotates at the shoulder only") {
  test::BoxCharacterOptions options;
  options.without_hands = true;
  test::BoxCharacter character = test::boxCharacter(options);
  Motion motion = character.still(1);
  rotateOutwards(character, motion, 0, kLeftUpperArm, -90.0);
  const FrameRotations rotations = solvedFirst(character, motion);
  CHECK(rotations.shoulder_deg == Angles{19, 0});
  CHECK(rotations.elbow_deg == Angles{0, 0});
}

TEST_CASE("a NaN pose is left unchanged and counted") {
  test::BoxCharacter character = test::boxCharacter();
  Motion motion = character.still(4);
  for (std::size_t i = 0; i < 4; ++i) rotateOutwards(character, motion, i, kLeftUpperArm, -90.0);
  test::localAt(motion, 3, character.at(kHips)).translation.x =
      std::numeric_limits<double>::quiet_NaN();
  const Proxies proxies(character.scene(), character.map);
  const ReferenceCounts counts = solverOf(character, proxies).solveClip(motion);
  CHECK(counts.skipped_key_frames == 1);
  CHECK(counts.overlapping_key_frames == 1);
}

TEST_CASE("an arm that is free at no angle stays as it is and is counted") {
  test::BoxCharacter character = test::boxCharacter();
  // The forearm at the shoulder: no rotation moves it out of the trunk.
  Motion motion = character.still(1);
  test::localAt(motion, 0, character.at(kLeftUpperArm)).translation = Vec3(-0.1, -0.2, 0.0);
  test::localAt(motion, 0, character.at(kLeftUpperArm)).scale = Vec3(0.05);
  const Motion before = motion;
  const FrameRotations rotations = solvedFirst(character, motion);
  CHECK(rotations.had_overlap);
  CHECK(rotations.remains_overlapping);
  CHECK(motion.locals == before.locals);
}

TEST_CASE("a map that does not determine the facing direction is refused with a remedy") {
  test::BoxCharacter character = test::boxCharacter();
  character.map.nodes[toSize(kHips)] = -1;
  const Proxies proxies(character.scene(), character.map);
  const auto solver = ReferenceSolver::make(character.scene(), character.map, proxies);
  REQUIRE_FALSE(solver.ok());
  CHECK(solver.error().code == ErrorCode::kUnsupported);
  CHECK(solver.error().remedy.find("map") != std::string::npos);
}

TEST_SUITE_END();
