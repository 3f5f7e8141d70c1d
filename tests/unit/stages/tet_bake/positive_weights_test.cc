// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morphs/positive_weights.h"

#include "stages/tet_bake/rotating_limb.h"

TEST_SUITE_BEGIN("tet_bake.positive_weights");

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::test;
using namespace clipmill::stages::tet_bake;

namespace {

constexpr int kBody = 4, kHat = 7;

AddedMorph morph(int node, const std::string& name, const std::vector<Vec3>& deltas) {
  AddedMorph result{node, name, deltas};
  for (const Vec3& delta : deltas) result.normal_deltas.push_back(Vec3(delta.y, delta.z, -delta.x));
  return result;
}

// A body with three morphs, and a hat that shows two of them; four frames. The second weight is
// never negative, the third is 0 in the last two frames, as after a fallback.
NodeMorphs bodyAndHat() {
  NodeMorphs morphs;
  morphs.weights = {{1.0, -0.25, 0.5, 0.125}, {0.0, 0.5, 1.0, 0.75}, {-0.75, 1.0, 0.0, 0.0}};
  morphs.morphs = {morph(kBody, "a", {Vec3(0.01, 0, 0.02), Vec3(0), Vec3(-0.03, 0.01, 0)}),
                   morph(kHat, "a", {Vec3(0.002, 0, 0), Vec3(0)}),
                   morph(kBody, "b", {Vec3(0), Vec3(0), Vec3(0, 0, 0.04)}),
                   morph(kHat, "b", {Vec3(0), Vec3(0, 0.005, 0)}),
                   morph(kBody, "c", {Vec3(0.03, 0, -0.01), Vec3(0), Vec3(0)})};
  morphs.row = {0, 0, 1, 1, 2};
  return morphs;
}

// Displacements of a node's vertices, or of its normals, in a frame.
std::vector<Vec3> sumOf(const NodeMorphs& morphs, int node, std::size_t frame,
                        std::vector<Vec3> AddedMorph::*deltas) {
  std::vector<Vec3> sum;
  for (std::size_t m = 0; m < morphs.morphs.size(); ++m) {
    if (morphs.morphs[m].node != node) continue;
    const std::vector<Vec3>& own = morphs.morphs[m].*deltas;
    sum.resize(own.size(), Vec3(0.0));
    const double weight = morphs.weights[morphs.row[m]][frame];
    for (std::size_t v = 0; v < own.size(); ++v) sum[v] += own[v] * weight;
  }
  return sum;
}

double farthest(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  REQUIRE(a.size() == b.size());
  double most = 0.0;
  for (std::size_t v = 0; v < a.size(); ++v) most = std::max(most, distance(a[v], b[v]));
  return most;
}

// As a file holds it.
NodeMorphs inFloats(NodeMorphs morphs) {
  const auto round = [](double x) { return static_cast<double>(static_cast<float>(x)); };
  for (AddedMorph& morph : morphs.morphs) {
    for (Vec3& d : morph.position_deltas) d = {round(d.x), round(d.y), round(d.z)};
  }
  for (std::vector<double>& row : morphs.weights) {
    for (double& weight : row) weight = round(weight);
  }
  return morphs;
}

}  // namespace

TEST_CASE("Weights of either sign become weights from 0 to 1 that show the same") {
  const NodeMorphs before = bodyAndHat();
  NodeMorphs after = before;
  makeWeightsPositive(after);
  for (const std::vector<double>& row : after.weights) {
    CHECK(*std::min_element(row.begin(), row.end()) >= 0.0);
    CHECK(*std::max_element(row.begin(), row.end()) == 1.0);
  }
  for (const int node : {kBody, kHat}) {
    for (std::size_t f = 0; f < 4; ++f) {
      for (auto deltas : {&AddedMorph::position_deltas, &AddedMorph::normal_deltas}) {
        CHECK(farthest(sumOf(before, node, f, deltas), sumOf(after, node, f, deltas)) <= 1e-17);
      }
    }
  }
}

TEST_CASE("The base of a node is the last of its morphs, its weight is 1 throughout") {
  const NodeMorphs before = bodyAndHat();
  NodeMorphs after = before;
  makeWeightsPositive(after);
  REQUIRE(after.morphs.size() == before.morphs.size() + 2);
  REQUIRE(after.weights.size() == before.weights.size() + 1);
  CHECK(after.weights.back() == std::vector<double>(4, 1.0));
  for (std::size_t i = 0; i < before.morphs.size(); ++i) {
    CHECK(after.morphs[i].node == before.morphs[i].node);
    CHECK(after.morphs[i].name == before.morphs[i].name);
    CHECK(after.row[i] == before.row[i]);
  }
  for (const std::size_t i : {before.morphs.size(), before.morphs.size() + 1}) {
    CHECK(after.morphs[i].name == "bake_base");
    CHECK(after.row[i] == before.weights.size());
  }
  const AddedMorph& body = after.morphs[before.morphs.size()];
  CHECK(body.node == kBody);
  // -0.25 of the first, -0.75 of the third.
  CHECK(distance(body.position_deltas[0], Vec3(-0.025, 0, 0.0025)) <= 1e-17);
  CHECK(body.position_deltas[1] == Vec3(0));
  CHECK(distance(body.position_deltas[2], Vec3(0.0075, -0.0025, 0)) <= 1e-17);
}

TEST_CASE("A morph whose weights were never negative stays as it is, and takes no base") {
  const NodeMorphs before = bodyAndHat();
  NodeMorphs after = before;
  makeWeightsPositive(after);
  CHECK(after.weights[1] == before.weights[1]);
  CHECK(after.morphs[2].position_deltas == before.morphs[2].position_deltas);
  NodeMorphs positive = before;
  for (const std::size_t row : {0u, 2u}) {
    for (double& weight : positive.weights[row]) weight = std::abs(weight);
  }
  NodeMorphs same = positive;
  makeWeightsPositive(same);
  CHECK(same.morphs.size() == positive.morphs.size());
  CHECK(same.weights == positive.weights);
  // A node all of whose morphs are such ones takes none, whatever the others are.
  positive.weights[2] = before.weights[2];
  makeWeightsPositive(positive);
  REQUIRE(positive.morphs.size() == before.morphs.size() + 1);
  CHECK(positive.morphs.back().node == kBody);
  NodeMorphs none;
  makeWeightsPositive(none);
  CHECK(none.morphs.empty());
  CHECK(none.weights.empty());
}

TEST_CASE("A joint that is held back in a clip moves nothing in it, up to the rounding of floats") {
  NodeMorphs morphs = bodyAndHat();
  // All weights are 0 in the last frame, but not in others; so many that no number is round.
  for (int i = 0; i < 16; ++i) {
    const double odd = 0.013 * i;
    morphs.morphs.push_back(morph(kBody, "d", {Vec3(odd, -0.07, 0.011), Vec3(0.05), Vec3(odd)}));
    morphs.row.push_back(morphs.weights.size());
    morphs.weights.push_back({1.0, -1.0 / (1.1 + i), 0.3, 0.0});
  }
  for (std::vector<double>& row : morphs.weights) row.back() = 0.0;
  makeWeightsPositive(morphs);
  const std::vector<Vec3> still(3, Vec3(0.0));
  CHECK(farthest(sumOf(morphs, kBody, 3, &AddedMorph::position_deltas), still) <= 1e-15);
  // Nineteen morphs of up to 0.4, each off by 2^-24 of itself in deltas and in weights.
  const NodeMorphs written = inFloats(morphs);
  CHECK(farthest(sumOf(written, kBody, 3, &AddedMorph::position_deltas), still) <= 2e-7);
}

TEST_CASE("Weights that a fallback left small are not blown up") {
  NodeMorphs morphs;
  morphs.weights = {{0.0, -0.01, 0.02}};
  morphs.morphs = {morph(kBody, "a", {Vec3(1, 0, 0)})};
  morphs.row = {0};
  makeWeightsPositive(morphs);
  CHECK(morphs.weights[0] == std::vector<double>{0.01, 0.0, 0.03});
  CHECK(morphs.morphs[0].position_deltas[0] == Vec3(1, 0, 0));
}

TEST_CASE("With no capacity for a base, weights below 0 are clamped and counted") {
  std::vector<FittedMorph> fitted(1);
  fitted[0].weights = {0.5, -0.25, 1.0, -1.0, 0.0};
  CHECK(clampNegativeWeights(fitted) == 2);
  CHECK(fitted[0].weights == std::vector<double>{0.5, 0.0, 1.0, 0.0, 0.0});
}

TEST_CASE("Morphs stay floats whose weights would exceed 1 as integers, if weights are bounded") {
  const std::vector<AddedMorph> two = {morph(kBody, "near", {Vec3(0.5, -1.0, 0.0)}),
                                       morph(kBody, "far", {Vec3(0.5, -1.01, 0.0)})};
  std::vector<AddedMorph> morphs = two;
  CHECK(storeAsInt16(morphs, true) == 1);
  CHECK(morphs[0].as_int16);
  CHECK_FALSE(morphs[1].as_int16);
  morphs = two;
  CHECK(storeAsInt16(morphs, false) == 0);
  CHECK(morphs[1].as_int16);
}

namespace {

StageOutput bakedOf(const Scene& scene, TetBakeWeights weights,
                    std::optional<std::int64_t> max_morphs = {}) {
  TetBakeSettings settings;
  settings.weights = weights;
  settings.max_morphs = max_morphs;
  settings.tolerance_mm = 0.01;
  settings.max_tets = 4000;
  const std::vector<Motion> motions = {rotatingLimb(scene, Vec3(1, 0, 0), 120.0),
                                       rotatingLimb(scene, Vec3(0.6, 0.8, 0), -70.0)};
  auto output = runTetBake({scene, motions, 2}, settings);
  CHECK_OK(output);
  return std::move(*output);
}

double leastWeight(const StageOutput& output) {
  double least = HUGE_VAL;
  for (const StageResult& result : output.results) {
    for (const double weight : result.motion.weights) least = std::min(least, weight);
  }
  return least;
}

}  // namespace

TEST_CASE("A bake shows the same with weights from 0 to 1 as with weights of either sign") {
  const Scene scene = limbScene();
  const StageOutput positive = bakedOf(scene, TetBakeWeights::kPositive);
  const StageOutput either = bakedOf(scene, TetBakeWeights::kSigned);
  REQUIRE(leastWeight(either) < -0.1);
  CHECK(leastWeight(positive) == 0.0);
  REQUIRE(positive.additions.morphs.size() == either.additions.morphs.size() + 1);
  CHECK(positive.additions.morphs.back().name == "bake_base");
  const Scene a = withAdditions(scene, positive.additions);
  const Scene b = withAdditions(scene, either.additions);
  for (std::size_t clip : {0u, 1u}) {
    const Motion &ours = positive.results[clip].motion, &theirs = either.results[clip].motion;
    for (const double weight : ours.weights) CHECK(weight <= 1.0);
    for (std::size_t f = 0; f < kFrames; ++f) {
      CHECK(ours.weightsOf(f).back() == 1.0);
      CHECK(farthest(shownAt(a, ours, f), shownAt(b, theirs, f)) <= 1e-12);
    }
    for (const char* name : {"skin_error_rms_mm", "skin_error_max_mm"}) {
      CHECK(metricOf(positive.results[clip], name) == metricOf(either.results[clip], name));
    }
    CHECK(metricOf(positive.results[clip], "morphs") ==
          metricOf(either.results[clip], "morphs") + 1.0);
    CHECK(metricOf(positive.results[clip], "morph_bytes") >
          metricOf(either.results[clip], "morph_bytes"));
  }
  // Without weights, as in clips that were not baked, the mesh is that of the file.
  for (const double weight : a.skeleton.rest_weights) CHECK(weight == 0.0);
  CHECK(a.meshes[0].positions == scene.meshes[0].positions);
}

TEST_CASE("The base counts as one of the morphs that are allowed") {
  const Scene scene = limbScene();
  const StageOutput three = bakedOf(scene, TetBakeWeights::kPositive, 3);
  REQUIRE(three.additions.morphs.size() == 3);
  CHECK(three.additions.morphs.back().name == "bake_base");
  CHECK(metricOf(three.results[0], "morphs") == 3.0);
  CHECK(bakedOf(scene, TetBakeWeights::kSigned, 3).additions.morphs.back().name != "bake_base");
  const StageOutput one = bakedOf(scene, TetBakeWeights::kPositive, 1);
  REQUIRE(one.additions.morphs.size() == 1);
  CHECK(one.additions.morphs[0].name != "bake_base");
  CHECK(leastWeight(one) >= 0.0);
}
