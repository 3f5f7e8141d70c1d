// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "measure/limb_penetration.h"

#include "checks.h"
#include "core/to_size.h"
#include "penetration/box_man.h"
#include "pipeline/check_report.h"

TEST_SUITE_BEGIN("measure.limb_measures");

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::measure;
using namespace clipmill::penetration;
using namespace clipmill::pipeline;
using namespace clipmill::test;
using enum clipmill::humanoid::HumanoidRole;

namespace {

// A clip of the character that keys one track.
void addClip(BoxMan& man, Track track) {
  Clip clip;
  clip.name = "Clip";
  clip.end_s = track.times_s->back();
  clip.animated = TrackMask(man.scene.skeleton.size());
  clip.animated.set(toSize(track.node), track.path);
  clip.source = keyframeSource(man.scene.skeleton, {std::move(track)});
  man.scene.clips.push_back(clip);
}

std::shared_ptr<const std::vector<double>> keyTimesOf(std::vector<double> times) {
  return std::make_shared<const std::vector<double>>(std::move(times));
}

// The ball of the left hand goes through these positions.
void moveHandThrough(BoxMan& man, std::vector<double> times, const std::vector<Vec3>& positions) {
  const Vec3 rest = man.scene.skeleton.nodes[toSize(man.at(kLeftHand))].rest.translation;
  std::vector<double> values;
  for (const Vec3& position : positions) {
    const Vec3 local = rest + position - handPosition(true);
    values.insert(values.end(), {local.x, local.y, local.z});
  }
  addClip(man, {man.at(kLeftHand), TrackPath::kTranslation, Interpolation::kLinear, 3,
                keyTimesOf(std::move(times)), values});
}

Motion motionOf(const BoxMan& man) {
  const Clip& clip = man.scene.clips[0];
  return sampleClip(man.scene.skeleton, clip, 0, makeGrid(clip.start_s, clip.end_s, clip.fps));
}

LimbPenetration measured(const BoxMan& man) {
  const auto character = SelfPenetration::make(man.scene, man.map());
  CHECK_OK(character);
  return measureLimbPenetration(man.scene, motionOf(man), *character);
}

const DepthMeasures& pairNamed(const LimbPenetration& measures, const std::string& name) {
  for (const LimbPenetration::Pair& pair : measures.pairs) {
    if (pair.name == name) return pair.depths;
  }
  FAIL("no pair " << name);
  return measures.all;
}

}  // namespace

TEST_CASE(
    "a hand that goes in and out penetrates for as long as its depth exceeds 1 % of the height") {
  BoxMan man;
  // The front of the ball is 10 cm before the side of the trunk, 10 cm inside after 2 s.
  const Vec3 before(0.31, 1.2, 0.0), inside(0.11, 1.2, 0.0);
  moveHandThrough(man, {0.0, 2.0, 4.0}, {before, inside, before});
  const LimbPenetration measures = measured(man);
  const DepthMeasures& arm = pairNamed(measures, "left arm - trunk");
  // 1.75 cm in penetration between 1.175 s and 2.825 s: instants 71 to 169 of 0..240, 60 a second.
  CHECK(arm.penetrating_frames_percent == doctest::Approx(100.0 * 99 / 241));
  CHECK(arm.max_penetration_duration_s == doctest::Approx(98.0 / 60.0));
  CHECK(arm.max_penetration_percent == doctest::Approx(100.0 * 0.1 / 1.75));
  CHECK(arm.max_penetration_at_s == doctest::Approx(2.0));
  CHECK(measures.all.penetrating_frames_percent == arm.penetrating_frames_percent);
  CHECK(measures.all.max_penetration_percent == arm.max_penetration_percent);
  CHECK(pairNamed(measures, "right arm - trunk").max_penetration_percent == 0.0);
}

TEST_CASE("penetration between two frames is found") {
  BoxMan man;
  const Vec3 before(0.31, 1.2, 0.0), inside(0.11, 1.2, 0.0);
  moveHandThrough(man, {0.0, 0.5 / 30.0, 1.0 / 30.0, 1.0}, {before, inside, before, before});
  const DepthMeasures all = measured(man).all;
  CHECK(all.max_penetration_percent == doctest::Approx(100.0 * 0.1 / 1.75));
  CHECK(all.penetrating_frames_percent == doctest::Approx(100.0 / 61));
  CHECK(all.max_penetration_duration_s == 0.0);
}

TEST_CASE("the penetrating share is that of the vertices of all limbs") {
  BoxMan man;
  const Vec3 middle(0.0, 1.2, 0.0);
  moveHandThrough(man, {0.0, 1.0}, {middle, middle});
  const LimbPenetration measures = measured(man);
  // A ball has 146 vertices, a box 8: forearms 154, shins with feet 16, thighs away from the hip 4.
  CHECK(pairNamed(measures, "left arm - trunk").penetrating_vertices_percent ==
        doctest::Approx(100.0 * 146 / 154));
  CHECK(measures.all.penetrating_vertices_percent ==
        doctest::Approx(100.0 * 146 / (2 * (154 + 16 + 4))));
  CHECK(measures.all.max_penetration_duration_s == doctest::Approx(1.0));
}

TEST_CASE("the jerk of an angle proportional to the cube of time is constant") {
  BoxMan man;
  constexpr double kJerk = 40.0;
  std::vector<double> times, values;
  for (int f = 0; f <= 30; ++f) {
    const double t = f / 30.0;
    const Quat q = rotationAbout(Vec3(0, 0, 1), kJerk * t * t * t / 6.0);
    times.push_back(t);
    values.insert(values.end(), {q.x, q.y, q.z, q.w});
  }
  addClip(man, {man.at(kLeftUpperArm), TrackPath::kRotation, Interpolation::kLinear, 4,
                keyTimesOf(times), values});
  const auto jerk = measureArmJerk(man.scene, man.map(), motionOf(man));
  REQUIRE(jerk);
  // The other arm is still.
  CHECK(*jerk == doctest::Approx(kJerk / std::sqrt(2.0)));
}

TEST_CASE("a rotation of the whole body and a clip that is too short give no jerk of arms") {
  BoxMan man;
  std::vector<double> times, values;
  for (int f = 0; f <= 30; ++f) {
    const Quat q = rotationAbout(Vec3(0, 1, 0), f % 2 == 0 ? 0.3 : 0.0);
    times.push_back(f / 30.0);
    values.insert(values.end(), {q.x, q.y, q.z, q.w});
  }
  addClip(man, {man.at(kHips), TrackPath::kRotation, Interpolation::kLinear, 4, keyTimesOf(times),
                values});
  CHECK(*measureArmJerk(man.scene, man.map(), motionOf(man)) < 1e-6);
  BoxMan brief;
  moveHandThrough(brief, {0.0, 2.0 / 30.0}, {handPosition(true), handPosition(true)});
  CHECK(!measureArmJerk(brief.scene, brief.map(), motionOf(brief)));
}

TEST_CASE("check reports the depths of all pairs, and a missing skin") {
  BoxMan man;
  const Vec3 before(0.31, 1.2, 0.0), inside(0.11, 1.2, 0.0);
  moveHandThrough(man, {0.0, 2.0, 4.0}, {before, inside, before});
  const int clip = 0;
  const auto check = checkClips(man.scene, {&clip, 1}, {});
  CHECK_OK(check);
  CHECK(check->penetration_not_measured.empty());
  CHECK(check->clips[0].limb_pairs.size() == 10);
  CHECK(*check->clips[0].of(CheckMeasure::kMaxPenetration) == doctest::Approx(100.0 * 0.1 / 1.75));
  CHECK(checkText(*check, {})
            .find("left arm - trunk: max. penetration 5.71 % of the height, "
                  "over 1 % in 41.1 % of the frames") != std::string::npos);
  man.scene.meshes.clear();
  const auto without = checkClips(man.scene, {&clip, 1}, {});
  CHECK_OK(without);
  CHECK(!without->clips[0].of(CheckMeasure::kMaxPenetration));
  CHECK(without->clips[0].of(CheckMeasure::kArmJerk));
  CHECK(checkText(*without, {}).find("was not measured: no mesh is skinned") != std::string::npos);
}
