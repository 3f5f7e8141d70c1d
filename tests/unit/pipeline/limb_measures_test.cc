// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/limb_measures.h"

#include "checks.h"
#include "pipeline/check.h"
#include "scene/box_man.h"

TEST_SUITE_BEGIN("pipeline.limb_measures");

using namespace clipmill;
using namespace clipmill::test;
using enum clipmill::HumanoidRole;

namespace {

// A clip of the figure that keys one track.
void addClip(BoxMan& man, Track track) {
  Clip clip;
  clip.name = "Clip";
  clip.end_s = track.times_s->back();
  clip.animated = TrackMask(man.scene.skeleton.size());
  clip.animated.set(static_cast<std::size_t>(track.node), track.path);
  clip.source = keyframeSource(man.scene.skeleton, {std::move(track)});
  man.scene.clips.push_back(clip);
}

std::shared_ptr<const std::vector<double>> timesOf(std::vector<double> times) {
  return std::make_shared<const std::vector<double>>(std::move(times));
}

// The ball of the left hand goes through these places.
void moveHandThrough(BoxMan& man, std::vector<double> times, const std::vector<Vec3>& places) {
  const Vec3 rest =
      man.scene.skeleton.nodes[static_cast<std::size_t>(man.at(kLeftHand))].rest.translation;
  std::vector<double> values;
  for (const Vec3& place : places) {
    const Vec3 local = rest + place - handPlace(true);
    values.insert(values.end(), {local.x, local.y, local.z});
  }
  addClip(man, {man.at(kLeftHand), TrackPath::kTranslation, Interpolation::kLinear, 3,
                timesOf(std::move(times)), values});
}

Motion motionOf(const BoxMan& man) {
  const Clip& clip = man.scene.clips[0];
  return sampleClip(man.scene.skeleton, clip, 0, makeGrid(clip.begin_s, clip.end_s, clip.fps));
}

LimbMeasures measured(const BoxMan& man) {
  const auto figure = SelfPenetration::make(man.scene, man.map());
  CHECK_OK(figure);
  return measureLimbs(man.scene, motionOf(man), *figure);
}

const DepthMeasures& pairNamed(const LimbMeasures& measures, const std::string& name) {
  for (const LimbMeasures::Pair& pair : measures.pairs) {
    if (pair.name == name) return pair.depths;
  }
  FAIL("no pair " << name);
  return measures.all;
}

}  // namespace

TEST_CASE(
    "a hand that goes in and out is deep for as long as it is deeper than 1 % of the height") {
  BoxMan man;
  // The front of the ball is 10 cm before the side of the trunk, 10 cm inside after 2 s.
  const Vec3 before(0.31, 1.2, 0.0), inside(0.11, 1.2, 0.0);
  moveHandThrough(man, {0.0, 2.0, 4.0}, {before, inside, before});
  const LimbMeasures measures = measured(man);
  const DepthMeasures& arm = pairNamed(measures, "left arm - trunk");
  // 1.75 cm deep between 1.175 s and 2.825 s: instants 71 to 169 of 0..240, 60 a second.
  CHECK(arm.deep_frames_percent == doctest::Approx(100.0 * 99 / 241));
  CHECK(arm.longest_deep_s == doctest::Approx(98.0 / 60.0));
  CHECK(arm.deepest_percent == doctest::Approx(100.0 * 0.1 / 1.75));
  CHECK(measures.all.deep_frames_percent == arm.deep_frames_percent);
  CHECK(measures.all.deepest_percent == arm.deepest_percent);
  CHECK(pairNamed(measures, "right arm - trunk").deepest_percent == 0.0);
}

TEST_CASE("what is inside only between two frames is seen") {
  BoxMan man;
  const Vec3 before(0.31, 1.2, 0.0), inside(0.11, 1.2, 0.0);
  moveHandThrough(man, {0.0, 0.5 / 30.0, 1.0 / 30.0, 1.0}, {before, inside, before, before});
  const DepthMeasures all = measured(man).all;
  CHECK(all.deepest_percent == doctest::Approx(100.0 * 0.1 / 1.75));
  CHECK(all.deep_frames_percent == doctest::Approx(100.0 / 61));
  CHECK(all.longest_deep_s == 0.0);
}

TEST_CASE("the share inside is that of the vertices of all limbs") {
  BoxMan man;
  const Vec3 middle(0.0, 1.2, 0.0);
  moveHandThrough(man, {0.0, 1.0}, {middle, middle});
  const LimbMeasures measures = measured(man);
  // A ball has 146 vertices, a box 8: forearms 154, shins with feet 16, thighs away from the hip 4.
  CHECK(pairNamed(measures, "left arm - trunk").inside_percent ==
        doctest::Approx(100.0 * 146 / 154));
  CHECK(measures.all.inside_percent == doctest::Approx(100.0 * 146 / (2 * (154 + 16 + 4))));
  CHECK(measures.all.longest_deep_s == doctest::Approx(1.0));
}

TEST_CASE("the jerk of an angle that grows with the cube of time is constant") {
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
                timesOf(times), values});
  const auto jerk = measureArmJerk(man.scene, man.map(), motionOf(man));
  REQUIRE(jerk);
  // The other arm is still.
  CHECK(*jerk == doctest::Approx(kJerk / std::sqrt(2.0)));
}

TEST_CASE("a turn of the whole body is no jerk of its arms; too short a clip has none") {
  BoxMan man;
  std::vector<double> times, values;
  for (int f = 0; f <= 30; ++f) {
    const Quat q = rotationAbout(Vec3(0, 1, 0), f % 2 == 0 ? 0.3 : 0.0);
    times.push_back(f / 30.0);
    values.insert(values.end(), {q.x, q.y, q.z, q.w});
  }
  addClip(man,
          {man.at(kHips), TrackPath::kRotation, Interpolation::kLinear, 4, timesOf(times), values});
  CHECK(*measureArmJerk(man.scene, man.map(), motionOf(man)) < 1e-6);
  BoxMan brief;
  moveHandThrough(brief, {0.0, 2.0 / 30.0}, {handPlace(true), handPlace(true)});
  CHECK(!measureArmJerk(brief.scene, brief.map(), motionOf(brief)));
}

TEST_CASE("check tells the depths of all pairs, and says where there is no skin") {
  BoxMan man;
  const Vec3 before(0.31, 1.2, 0.0), inside(0.11, 1.2, 0.0);
  moveHandThrough(man, {0.0, 2.0, 4.0}, {before, inside, before});
  const int clip = 0;
  const auto check = checkClips(man.scene, {&clip, 1}, {});
  CHECK_OK(check);
  CHECK(check->no_limbs.empty());
  CHECK(check->clips[0].limb_pairs.size() == 10);
  CHECK(*check->clips[0].of(CheckMeasure::kDeepest) == doctest::Approx(100.0 * 0.1 / 1.75));
  CHECK(checkText(*check, {})
            .find("left arm - trunk: 5.71 % of the height deep, 41.1 % of the "
                  "frames deeper than 1 %") != std::string::npos);
  man.scene.meshes.clear();
  const auto without = checkClips(man.scene, {&clip, 1}, {});
  CHECK_OK(without);
  CHECK(!without->clips[0].of(CheckMeasure::kDeepest));
  CHECK(without->clips[0].of(CheckMeasure::kArmJerk));
  CHECK(checkText(*without, {}).find("was not measured: no mesh is skinned") != std::string::npos);
}
