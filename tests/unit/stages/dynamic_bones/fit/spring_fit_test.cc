// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/fit/spring_fit.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/settings.h"
#include "stages/dynamic_bones/chains/stepwise_spring.h"
#include "stages/dynamic_bones/fit/chain_fit.h"
#include "stages/dynamic_bones/fit/made_probe.h"
#include "stages/dynamic_bones/fit/minimise.h"
#include "stages/dynamic_bones/swing_scene.h"

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

namespace {

// A level tail of that many bones, 0.4 m long, on a body of 1 m.
Scene tailScene(int bones) {
  return chainScene(bones + 1, Vec3(0, 0, -0.4 / bones), Vec3(0, 1, 0));
}

DynamicBonesSettings tailSettings() {
  DynamicBonesSettings settings = settingsFor("bone0", DynamicBonesMethod::kRod);
  settings.chain[0].droop_deg = 30.0;
  settings.chain[0].damping_ratio = 0.3;
  return settings;
}

std::vector<RowProbe> madeProbes(int bones) {
  const Scene scene = tailScene(bones);
  const auto rig = makeRig(scene, tailSettings());
  REQUIRE(rig.ok());
  const Motion motion = madeProbe(scene);
  return probesOf(rowsOf(*rig, scene.skeleton), *rig, scene, motion, motion, 4);
}

}  // namespace

TEST_SUITE_BEGIN("dynamic_bones.fit.spring_fit");

TEST_CASE("the simplex finds the minimum of a curved valley, and of a corner") {
  // Rosenbrock's function, moved into the unit cube: 0 at (0.6, 0.36).
  const Minimum valley = minimise(2, [](const std::vector<double>& p) {
    const double a = 0.6 - p[0], b = p[1] - p[0] * p[0];
    return a * a + 100.0 * b * b;
  });
  CHECK(valley.point[0] == doctest::Approx(0.6).epsilon(1e-3));
  CHECK(valley.point[1] == doctest::Approx(0.36).epsilon(2e-3));
  const Minimum corner =
      minimise(3, [](const std::vector<double>& p) { return p[0] - p[1] + std::abs(p[2] - 0.5); });
  CHECK(corner.point[0] == doctest::Approx(0.0).epsilon(1e-4));
  CHECK(corner.point[1] == doctest::Approx(1.0).epsilon(1e-4));
  CHECK(corner.point[2] == doctest::Approx(0.5).epsilon(1e-3));
}

TEST_CASE("a fit returns the parameters that a row was simulated with") {
  struct Given {
    SpringTarget target;
    std::vector<double> values;
  };
  const Given all[] = {
      {SpringTarget::kVrm1, {0.8, 0.6, 0.35, 0.12}},
      {SpringTarget::kGodot, {0.3, 1.5, 0.2, 0.05}},
      {SpringTarget::kKawaii, {0.06, 0.5, 0.12, 5.0}},
      {SpringTarget::kUnity, {0.05, 0.7, 0.15, 0.0015, 0.3, 0.2}},
  };
  for (const Given& given : all) {
    CAPTURE(static_cast<int>(given.target));
    std::vector<RowProbe> probes = madeProbes(4);
    probes[0].ends_m = simulateTarget(given.target, given.values, probes[0]);
    const SpringFit fit = fitSprings(given.target, probes);
    const auto parameters = parametersOf(given.target);
    for (std::size_t p = 0; p < parameters.size(); ++p) {
      CAPTURE(parameters[p].name);
      // The cone of DynamicBone's stiffness is wider than the swing: any such value is right.
      if (std::string(parameters[p].name) == "m_Stiffness") continue;
      CHECK(fit.values[p] == doctest::Approx(given.values[p]).epsilon(0.02));
    }
    CHECK(fit.error.rmsPercent() < 0.5);
    CHECK(fit.error.swing_rms_m > 0.01);
  }
}

TEST_CASE("the tip error is that of the simulated tip") {
  const std::vector<RowProbe> probes = madeProbes(3);
  const double values[] = {1.0, 1.0, 0.4, 0.1};
  const auto ends = simulateTarget(SpringTarget::kVrm1, values, probes[0]);
  double sum = 0.0, most = 0.0;
  for (std::size_t tip = 2; tip < ends.size(); tip += 3) {
    const double distance = lengthOf(ends[tip] - probes[0].ends_m[tip]);
    sum += distance * distance;
    most = std::max(most, distance);
  }
  const TipError error = tipError(SpringTarget::kVrm1, values, probes);
  CHECK(error.rms_m == doctest::Approx(std::sqrt(3.0 * sum / static_cast<double>(ends.size()))));
  CHECK(error.max_m == doctest::Approx(most));
  // The probe is the animated pose itself here.
  CHECK(error.swing_max_m < 1e-9);
}

TEST_CASE("springs of one bone come equally near to a rod in all engines") {
  // The steps of all targets have one form for small swings of one bone. They differ from a rod: it
  // has its mass along the bone, and is damped about its pose, not against the ground.
  const Scene scene = tailScene(1);
  const Motion motion = madeProbe(scene);
  DynamicBonesSettings settings = tailSettings();
  settings.chain[0].droop_deg.reset();
  settings.chain[0].frequency_hz = 2.0;
  settings.chain[0].gravity_mps2 = 0.0;
  std::vector<double> percents;
  for (SpringTarget target :
       {SpringTarget::kVrm1, SpringTarget::kKawaii, SpringTarget::kGodot, SpringTarget::kUnity}) {
    const auto fits = fitChains(scene, settings, std::span(&motion, 1), target, 1);
    REQUIRE(fits.ok());
    REQUIRE(fits->size() == 1);
    const TipError& error = fits->front().fit.error;
    CHECK(error.swing_rms_m > 0.005);
    percents.push_back(error.rmsPercent());
  }
  CHECK(percents[1] == doctest::Approx(percents[0]).epsilon(0.02));
  CHECK(percents[2] == doctest::Approx(percents[0]).epsilon(0.02));
  // One more parameter, m_Inert, can only help.
  CHECK(percents[3] < 1.02 * percents[0]);
}

TEST_CASE("springs without drag move like the rod that has their frequency and damping") {
  // One bone whose parent rotates about its head: the mass along the bone reacts as one at its end,
  // and the steps damp about the pose. So the rod of the equivalent spring is the same oscillator.
  constexpr double kShare = 0.02;  // of the displacement that a step removes
  const EquivalentSpring spring = equivalentSpring({0.0, kShare, kProbeRate_hz});
  const Scene scene = tailScene(1);
  const Motion motion = motionOf(scene, 3.0, 60.0, [](double t, PoseView pose) {
    const double u = std::clamp((t - 0.1) / 0.4, 0.0, 1.0);
    const double share = u - std::sin(2.0 * kPi * u) / (2.0 * kPi);
    pose.locals[0].rotation = rotationAbout(Vec3(0, 1, 0), 0.5 * share);
  });
  DynamicBonesSettings settings = settingsFor("bone0", DynamicBonesMethod::kRod);
  settings.chain[0].frequency_hz = spring.frequency_hz;
  settings.chain[0].damping_ratio = spring.damping_ratio;
  settings.chain[0].gravity_mps2 = 0.0;
  const auto fits = fitChains(scene, settings, std::span(&motion, 1), SpringTarget::kKawaii, 1);
  REQUIRE(fits.ok());
  const SpringFit& fit = fits->front().fit;
  MESSAGE("tip error ", fit.error.rmsPercent(), " %, stiffness ", fit.values[0], ", damping ",
          fit.values[2]);
  CHECK(fit.error.swing_rms_m > 0.02);
  CHECK(fit.error.rmsPercent() < 5.0);
  CHECK(fit.values[0] == doctest::Approx(kShare).epsilon(0.1));
  CHECK(fit.values[2] < 0.01);
}

TEST_CASE("fitted springs are nearer to a rod than the defaults of the engine") {
  struct Defaults {
    SpringTarget target;
    std::vector<double> values;
  };
  const Defaults all[] = {
      {SpringTarget::kVrm1, {1.0, 1.0, 0.5, 0.0}},
      {SpringTarget::kGodot, {1.0, 1.0, 0.4, 0.0}},
      {SpringTarget::kKawaii, {0.05, 1.0, 0.1, 0.0}},
      {SpringTarget::kUnity, {0.1, 1.0, 0.1, 0.0, 0.0, 0.1}},
  };
  const Scene scene = tailScene(4);
  const Motion motion = madeProbe(scene);
  const auto rig = makeRig(scene, tailSettings());
  REQUIRE(rig.ok());
  const auto rows = rowsOf(*rig, scene.skeleton);
  const auto baked = bake(scene, motion, settingsForFit(tailSettings(), SpringTarget::kVrm1));
  const auto probes = probesOf(rows, *rig, scene, motion, baked.motion, 4);
  for (const Defaults& defaults : all) {
    CAPTURE(static_cast<int>(defaults.target));
    const auto fits = fitChains(scene, tailSettings(), std::span(&motion, 1), defaults.target, 1);
    REQUIRE(fits.ok());
    const SpringFit& fit = fits->front().fit;
    const TipError before = tipError(defaults.target, defaults.values, probes);
    MESSAGE("tip error ", fit.error.rmsPercent(), " %, of the defaults ", before.rmsPercent(),
            " %");
    CHECK(fit.error.rms_m < 0.95 * before.rms_m);
    CHECK(fit.error.swing_rms_m == doctest::Approx(before.swing_rms_m));
    CHECK(fits->front().row.center == 0);
    CHECK(fits->front().lengths_m.size() == 4);
  }
}

TEST_CASE("springs do not react to the motion of their center") {
  // The body alone moves: springs with it as center stay in the animated pose.
  const std::vector<RowProbe> still = madeProbes(3);
  RowProbe probe = still[0];
  for (std::size_t step = 0; step < probe.stepCount(); ++step) {
    probe.centers.push_back({probe.attachments[step], probe.heads_m[step]});
  }
  const double values[] = {0.5, 1.0, 0.3, 0.0};
  for (SpringTarget target : {SpringTarget::kVrm1, SpringTarget::kKawaii, SpringTarget::kGodot}) {
    double centered_m = 0.0, free_m = 0.0;
    const auto centered = simulateTarget(target, values, probe, true);
    const auto free = simulateTarget(target, values, probe, false);
    for (std::size_t i = 0; i < free.size(); ++i) {
      centered_m = std::max(centered_m, lengthOf(centered[i] - probe.ends_m[i]));
      free_m = std::max(free_m, lengthOf(free[i] - probe.ends_m[i]));
    }
    CHECK(centered_m < 1e-9);
    CHECK(free_m > 0.01);
  }
}

TEST_CASE("a fit is the same for any number of threads") {
  const Scene scene = tailScene(3);
  const Motion motion = madeProbe(scene);
  const auto one = fitChains(scene, tailSettings(), std::span(&motion, 1), SpringTarget::kVrm1, 1);
  const auto two = fitChains(scene, tailSettings(), std::span(&motion, 1), SpringTarget::kVrm1, 2);
  REQUIRE(one.ok());
  REQUIRE(two.ok());
  CHECK(one->front().fit.values == two->front().fit.values);
}

TEST_CASE("a fork makes a row along its longest branch, and rows of the others from their joints") {
  Scene scene = chainScene(2, Vec3(0, -0.1, 0));  // body, bone0, bone1
  const int left = addNode(scene, "left", 2, Vec3(0.1, 0, 0));
  addNode(scene, "left_end", left, Vec3(0.1, 0, 0));
  int right = addNode(scene, "right", 2, Vec3(-0.1, 0, 0));
  right = addNode(scene, "right2", right, Vec3(-0.2, 0, 0));
  addNode(scene, "right_end", right, Vec3(-0.1, 0, 0));
  const auto rig = makeRig(scene, settingsFor("bone0", DynamicBonesMethod::kRod));
  REQUIRE(rig.ok());
  const auto rows = rowsOf(*rig, scene.skeleton);
  REQUIRE(rows.size() == 2);
  std::vector<std::string> names[2];
  for (std::size_t r = 0; r < 2; ++r) {
    for (int joint : rows[r].joints) {
      names[r].push_back(scene.skeleton.nodes[toSize(joint)].name);
    }
    names[r].push_back(scene.skeleton.nodes[toSize(rows[r].end_node)].name);
  }
  const bool is_swapped = names[0].front() == "left";
  CHECK(names[is_swapped ? 1 : 0] ==
        std::vector<std::string>{"bone0", "bone1", "right", "right2", "right_end"});
  CHECK(names[is_swapped ? 0 : 1] == std::vector<std::string>{"left", "left_end"});
  CHECK(rows[is_swapped ? 0 : 1].parent == 2);
}

TEST_CASE("the made motion starts and ends at rest, upright and rotated by 90 degrees") {
  const Scene scene = tailScene(2);
  const Motion motion = madeProbe(scene);
  CHECK(motion.localsOf(0)[0] == scene.skeleton.nodes[0].rest);
  const Transform last = motion.localsOf(motion.grid.frame_count - 1)[0];
  CHECK(last.translation.z == doctest::Approx(0.2));
  const Vec3 forward = last.rotation * Vec3(0, 0, 1);
  CHECK(forward.x == doctest::Approx(1.0));
}

TEST_SUITE_END();
