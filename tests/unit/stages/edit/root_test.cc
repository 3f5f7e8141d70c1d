// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/edit/root.h"

#include "checks.h"
#include "core/to_size.h"
#include "stages/blend/strider.h"
#include "stages/edit/rename.h"

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::edit;
using namespace clipmill::test;

TEST_SUITE_BEGIN("edit.root");

namespace {

// A walk in a curve with root motion on the hips; the root does not move.
Strider walkOfHips() {
  Strider character;
  const int clip = character.add("Walk", 1.0, 60.0, [](double t, PoseView pose) {
    pose.locals[1].translation = Vec3(0.3 * t * t, 0.9 + 0.02 * std::sin(9.0 * t), 1.2 * t);
    pose.locals[1].rotation =
        rotationAbout(Vec3(0, 1, 0), 0.6 * t) * rotationAbout(Vec3(1, 0, 0), 0.1);
    pose.locals[2].rotation = rotationAbout(Vec3(1, 0, 0), 0.4 * std::sin(6.0 * t));
  });
  character.scene.clips[toSize(clip)].animated.set(1, TrackPath::kTranslation);
  return character;
}

Result<std::vector<StageResult>> run(const Strider& character, const Motion& motion,
                                     const RootSettings& settings) {
  return runRoot({character.scene, std::span(&motion, 1), 1}, settings);
}

double worstWorld(const Scene& scene, const Motion& a, const Motion& b, std::size_t from_node) {
  double worst = 0.0;
  std::vector<Affine> worlds_a, worlds_b;
  for (std::size_t f = 0; f < a.grid.frame_count; ++f) {
    computeWorlds(scene.skeleton, a.localsOf(f), scene.metric_from_file, worlds_a);
    computeWorlds(scene.skeleton, b.localsOf(f), scene.metric_from_file, worlds_b);
    for (std::size_t n = from_node; n < worlds_a.size(); ++n) {
      worst = std::max(worst, distance(worlds_a[n].translation, worlds_b[n].translation));
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("extraction of root motion does not change world poses") {
  const Strider character = walkOfHips();
  const Motion walk = character.motion(0);
  const auto results = run(character, walk, {});
  CHECK_OK(results);
  const StageResult& made = results->front();
  CHECK(worstWorld(character.scene, walk, made.motion, 1) < 1e-12);
  CHECK(metricOf(made, "root_net_m") == nearTo(std::hypot(0.3, 1.2), 1e-9));
  CHECK(metricOf(made, "root_yaw_deg") == nearTo(0.6 / kDegree, 1e-6));
  // The hips keep their height, and stay above the root.
  const Vec3 hips = made.motion.localsOf(45)[1].translation;
  CHECK(std::abs(hips.x) + std::abs(hips.z) < 1e-9);
}

TEST_CASE("in place removes root motion and keeps poses") {
  const Strider character = walkOfHips();
  const Motion walk = character.motion(0);
  RootSettings settings;
  settings.root_motion = RootMotionMode::kInPlace;
  const auto results = run(character, walk, settings);
  CHECK_OK(results);
  const Motion& made = results->front().motion;
  CHECK(metricOf(results->front(), "root_net_m") < 1e-12);
  for (std::size_t f = 0; f < walk.grid.frame_count; ++f) {
    CHECK(made.localsOf(f)[1].translation.y == doctest::Approx(walk.localsOf(f)[1].translation.y));
    CHECK(made.localsOf(f)[2] == walk.localsOf(f)[2]);
  }
}

TEST_CASE("hips that are not below the root are refused by name") {
  const Strider character = walkOfHips();
  const Motion walk = character.motion(0);
  RootSettings settings;
  settings.root_joint = "leg";
  settings.hips_joint = "spine";
  const auto results = run(character, walk, settings);
  REQUIRE_FALSE(results.ok());
  CHECK(describe(results.error()).find("'spine' is not below 'leg'") != std::string::npos);
}

TEST_CASE("a clip gets another name, and no name that another clip has") {
  Strider character = walkOfHips();
  character.stride("Run", 1.0, 30.0, 1.0, 0.0, 0.2);
  const std::vector<Motion> both = {character.motion(0), character.motion(1)};
  const auto renamed = [&](std::span<const Motion> motions, const std::string& to) {
    return runRename({character.scene, motions, 1}, {to});
  };
  const auto made = renamed(both, "{}_v2");
  CHECK_OK(made);
  CHECK((*made)[0].motion.clip_name == "Walk_v2");
  CHECK((*made)[1].motion.clip_name == "Run_v2");
  CHECK((*made)[0].motion.locals == both[0].locals);
  CHECK(renamed(both, "{}{}").ok());
  const auto first = std::span(both).first(1);
  CHECK(renamed(first, "Walk").ok());
  CHECK_FALSE(renamed(first, "Run").ok());
  CHECK_FALSE(renamed(both, "One").ok());
  CHECK_FALSE(renamed(first, "").ok());
}

TEST_SUITE_END();
