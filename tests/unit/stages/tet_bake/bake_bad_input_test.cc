// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Skins as files have them: what a bake makes of each is finite, and no worse than plain skinning.
#include <algorithm>
#include <cmath>

#include "checks.h"
#include "stages/tet_bake/rotating_limb.h"

TEST_SUITE_BEGIN("tet_bake.bad_input");

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::tet_bake;
using test::bakedLimb;
using test::kFrames;
using test::metricOf;
using test::rotatingLimb;

namespace {

constexpr double kRadius = 0.05;

void checkFinite(const StageOutput& output) {
  for (const AddedMorph& morph : output.additions.morphs) {
    for (const Vec3& delta : morph.position_deltas) REQUIRE(isFinite(delta));
    for (const Vec3& delta : morph.normal_deltas) REQUIRE(isFinite(delta));
  }
  for (const StageResult& result : output.results) {
    for (const double weight : result.motion.weights) {
      REQUIRE(std::isfinite(weight));
      CHECK(std::abs(weight) <= 1.0);
    }
    for (const Metric& metric : result.metrics) CHECK(std::isfinite(metric.after.value()));
  }
}

// Least volume about the joint: (with plain skinning, with morphs), percent.
std::pair<double, double> leastVolume(const StageResult& result) {
  for (const Metric& metric : result.metrics) {
    if (metric.name == "min_limb_volume_percent")
      return {metric.before.value(), metric.after.value()};
  }
  FAIL("no limb");
  return {};
}

// Takes the influences of the vertices for which `takes` is true.
template <class Takes>
void unskin(SkinnedMesh& mesh, const Takes& takes) {
  std::vector<Influence> influences;
  std::vector<std::size_t> start = {0};
  for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
    for (std::size_t i = mesh.influence_start[v]; i < mesh.influence_start[v + 1] && !takes(v);
         ++i) {
      influences.push_back(mesh.influences[i]);
    }
    start.push_back(influences.size());
  }
  mesh.influences = influences;
  mesh.influence_start.assign(start.begin(), start.end());
}

std::uint32_t addVertex(SkinnedMesh& mesh, const Vec3& position, const std::vector<Influence>& by) {
  mesh.positions.push_back(position);
  mesh.influences.insert(mesh.influences.end(), by.begin(), by.end());
  mesh.influence_start.push_back(mesh.influences.size());
  return static_cast<std::uint32_t>(mesh.positions.size() - 1);
}

}  // namespace

TEST_CASE("A limb whose skin is in disorder keeps its volume all the same") {
  Scene scene = test::limbScene(test::kCoarseLimb);
  SkinnedMesh& mesh = scene.meshes[0];
  std::vector<std::uint32_t>& triangles = mesh.triangles;
  SUBCASE("open at both ends") {
    std::vector<std::uint32_t> sides;
    for (std::size_t t = 0; t < triangles.size(); t += 3) {
      const bool is_cap = std::all_of(&triangles[t], &triangles[t] + 3, [&](std::uint32_t v) {
        return std::abs(mesh.positions[v].z) > 0.1999;
      });
      if (!is_cap) sides.insert(sides.end(), &triangles[t], &triangles[t] + 3);
    }
    REQUIRE(sides.size() < triangles.size());
    triangles = sides;
  }
  SUBCASE("inside out") {
    for (std::size_t t = 0; t < triangles.size(); t += 3) {
      std::swap(triangles[t], triangles[t + 1]);
    }
  }
  SUBCASE("every triangle twice, once from behind") {
    const std::vector<std::uint32_t> once = triangles;
    for (std::size_t t = 0; t < once.size(); t += 3) {
      triangles.insert(triangles.end(), {once[t + 1], once[t], once[t + 2]});
    }
  }
  SUBCASE("fins on its edges, so that more than two triangles meet there") {
    for (std::size_t t = 0; t < 3000; t += 300) {
      const Vec3 out = mesh.positions[triangles[t]] * Vec3(1.05, 1.05, 1.0);
      const double lower = test::lowerWeight(out.z, kRadius);
      const std::uint32_t tip = addVertex(mesh, out, {{0, 1.0 - lower}, {1, lower}});
      triangles.insert(triangles.end(), {triangles[t], triangles[t + 1], tip});
    }
  }
  SUBCASE("triangles without area") {
    const std::uint32_t last = triangles.back();
    triangles.insert(triangles.end(), {last, last, last, triangles[0], triangles[1], triangles[0]});
    const Vec3 middle = 0.5 * (mesh.positions[triangles[0]] + mesh.positions[triangles[1]]);
    const std::uint32_t between = addVertex(mesh, middle, {{0, 1.0}});
    triangles.insert(triangles.end(), {triangles[0], triangles[1], between});
  }
  SUBCASE("some vertices without a weight") {
    unskin(mesh, [](std::size_t v) { return v % 500 == 207; });
  }
  SUBCASE("weights of 0 beside those that count") {
    for (std::size_t v = 0; v < mesh.vertexCount(); v += 3) {
      Influence& second = mesh.influences[mesh.influence_start[v] + 1];
      if (second.weight < 0.5) second.weight = 0.0;
    }
  }
  SUBCASE("a vertex with NaN position, of no triangle") {
    addVertex(mesh, Vec3(std::nan("")), {{0, 1.0}});
  }
  const StageOutput output = bakedLimb(scene, rotatingLimb(scene, Vec3(1, 0, 0), 90.0));
  checkFinite(output);
  const auto [before, after] = leastVolume(output.results[0]);
  CHECK(before < 98.0);
  CHECK(after > before + 1.0);
  CHECK(after < 102.0);
}

TEST_CASE("A limb of a millimetre and one of a hundred metres are baked alike") {
  double volumes[2], morphs[2];
  for (const int which : {0, 1}) {
    const double scale = which == 0 ? 1e-3 / 0.4 : 100.0 / 0.4;
    const Scene scene = test::limbScene({kRadius * scale, 0.2 * scale});
    TetBakeSettings settings;
    settings.tolerance_mm = 0.5 * scale;
    const StageOutput output = bakedLimb(scene, rotatingLimb(scene, Vec3(1, 0, 0), 90.0), settings);
    checkFinite(output);
    volumes[which] = leastVolume(output.results[0]).second;
    morphs[which] = static_cast<double>(output.additions.morphs.size());
  }
  CHECK(volumes[0] > 98.0);
  CHECK(volumes[0] == test::nearTo(volumes[1], 0.001));
  CHECK(morphs[0] > 0.0);
  CHECK(morphs[0] == morphs[1]);
}

TEST_CASE("A skin without weights, or of weights that are all 0, is refused as no skin") {
  Scene scene = test::limbScene();
  SUBCASE("none") {
    unskin(scene.meshes[0], [](std::size_t) { return true; });
  }
  SUBCASE("all 0") {
    for (Influence& influence : scene.meshes[0].influences) influence.weight = 0.0;
  }
  SUBCASE("no triangle") { scene.meshes[0].triangles.clear(); }
  SUBCASE("no vertex") {
    scene.meshes[0].triangles.clear();
    scene.meshes[0].positions.clear();
    scene.meshes[0].influences.clear();
    scene.meshes[0].influence_start = {0};
  }
  SUBCASE("no mesh") { scene.meshes.clear(); }
  const std::vector<Motion> motions = {rotatingLimb(scene, Vec3(1, 0, 0), 90.0)};
  const auto refused = runTetBake({scene, motions, 1}, {});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kUnsupported);
}
