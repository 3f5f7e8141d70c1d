// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/joints/bones_fit_steps.h"

#include <array>

#include "checks.h"
#include "core/portable_math.h"
#include "stages/tet_bake/joints/bones_fit_rigid.h"
#include "stages/tet_bake/joints/bones_fit_weights.h"

TEST_SUITE_BEGIN("tet_bake.bones_fit_steps");

namespace {

using namespace clipmill;
using namespace clipmill::stages::tet_bake;

// Corners of a box of three different lengths, one of them moved so that nothing is symmetric.
std::vector<Vec3> unevenBox() {
  std::vector<Vec3> points;
  for (int i = 0; i < 8; ++i) {
    points.push_back({0.1 * (i & 1), 0.2 * ((i >> 1) & 1), 0.3 * ((i >> 2) & 1)});
  }
  points.back() += Vec3(0.05, -0.02, 0.01);
  return points;
}

double offBy(const Affine& a, const Affine& b) {
  double worst = test::distance(a.translation, b.translation);
  for (int c = 0; c < 3; ++c) worst = std::max(worst, test::distance(a.linear[c], b.linear[c]));
  return worst;
}

// Two helpers of one owner of weight 1 that push along x and along y by 1.
WeightsProblem alongTwoAxes(double x, double y) { return {{1, 0, 0, 1}, {x, y}, {0, 0}, {1.0}}; }

// Numbers in [0, 1) without pattern.
class Scrambled {
 public:
  double next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_ = 7;
};

// Five helpers of two owners, with effects over six numbers.
WeightsProblem scrambledProblem(Scrambled& numbers) {
  std::array<std::array<double, 6>, 5> effects{};
  std::array<double, 6> wanted{};
  for (auto& effect : effects) {
    for (double& x : effect) x = numbers.next() - 0.5;
  }
  for (double& x : wanted) x = 0.6 * (numbers.next() - 0.5);
  WeightsProblem problem{{}, {}, {0, 1, 0, 1, 0}, {0.7, 0.3}};
  const auto product = [](const auto& a, const auto& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
  };
  for (const auto& a : effects) {
    for (const auto& b : effects) problem.gram.push_back(product(a, b));
    problem.right.push_back(product(a, wanted));
  }
  return problem;
}

}  // namespace

TEST_CASE("A rigid fit gives back the motion that points have made, whatever their weights") {
  const Affine motion{glm::mat3_cast(rotationAbout(glm::normalize(Vec3(1, 2, -1)), 2.0)),
                      Vec3(0.3, -0.2, 5.0)};
  RigidFit fit;
  double weight = 0.1;
  for (const Vec3& point : unevenBox()) {
    fit.add(point, weight, transformPoint(motion, point) * weight, 2.0 - weight);
    weight += 0.1;
  }
  CHECK(offBy(fit.solve(), motion) <= 1e-7);
}

TEST_CASE("A rigid fit never mirrors, and nothing to fit is no motion") {
  RigidFit fit;
  for (const Vec3& point : unevenBox()) fit.add(point, 1.0, Vec3(-point.x, point.y, point.z), 1.0);
  CHECK(glm::determinant(fit.solve().linear) == test::nearTo(1.0, 1e-12));
  CHECK(offBy(RigidFit().solve(), {}) == 0.0);
}

TEST_CASE("One point alone is moved without rotation") {
  RigidFit fit;
  fit.add(Vec3(1, 2, 3), 0.5, Vec3(2, 2, 2) * 0.5, 1.0);
  CHECK(offBy(fit.solve(), {Mat3(1.0), Vec3(1, 0, -1)}) <= 1e-12);
}

TEST_CASE("Weights are the nearest ones that are not negative and take no more than there is") {
  const std::vector<double> none = {0.0, 0.0};
  const auto weightsOf = [&](double x, double y) {
    return solveWeights(alongTwoAxes(x, y), 4, none);
  };
  const auto inside = weightsOf(0.25, 0.5);
  CHECK(inside[0] == test::nearTo(0.25, 1e-6));
  CHECK(inside[1] == test::nearTo(0.5, 1e-6));
  // (0.6, 0.8) is nearest to x + y = 1 at (0.4, 0.6).
  const auto beyond = weightsOf(0.6, 0.8);
  CHECK(beyond[0] == test::nearTo(0.4, 1e-6));
  CHECK(beyond[1] == test::nearTo(0.6, 1e-6));
  const auto behind = weightsOf(-0.5, 0.3);
  CHECK(behind[0] == 0.0);
  CHECK(behind[1] == test::nearTo(0.3, 1e-6));
}

TEST_CASE("No weights on a fine grid are better than those of a solve") {
  Scrambled numbers;
  constexpr int kSteps = 10;
  for (int round = 0; round < 20; ++round) {
    const WeightsProblem problem = scrambledProblem(numbers);
    const auto solved = solveWeights(problem, 7, std::vector<double>(5, 0.0));
    CHECK(solved[0] + solved[2] + solved[4] <= 0.7 + 1e-9);
    CHECK(solved[1] + solved[3] <= 0.3 + 1e-9);
    double least = HUGE_VAL;
    for (int i = 0; i < kSteps * kSteps * kSteps * kSteps * kSteps; ++i) {
      std::array<double, 5> weights{};
      int rest = i;
      for (std::size_t k = 0; k < 5; ++k, rest /= kSteps) {
        weights[k] = (k % 2 == 0 ? 0.7 : 0.3) * (rest % kSteps) / (kSteps - 1);
      }
      if (weights[0] + weights[2] + weights[4] > 0.7 + 1e-12) continue;
      if (weights[1] + weights[3] > 0.3 + 1e-12) continue;
      least = std::min(least, energyOf(problem, weights));
    }
    // The least weight that is kept costs as much.
    CHECK(energyOf(problem, solved) <= least + 1e-3);
  }
}

TEST_CASE("No more than four influences are left, and the energy is never above what it was") {
  Scrambled numbers;
  for (int round = 0; round < 50; ++round) {
    const WeightsProblem problem = scrambledProblem(numbers);
    const std::vector<double> before = {0.35 * numbers.next(), 0.3, 0.35, 0.0, 0.0};
    const auto solved = solveWeights(problem, 4, before);
    double first = 0.7, second = 0.3;
    int count = 0;
    for (std::size_t k = 0; k < 5; ++k) {
      CHECK(solved[k] >= 0.0);
      (k % 2 == 0 ? first : second) -= solved[k];
      if (solved[k] > 0.0) ++count;
    }
    CHECK(first >= -1e-9);
    CHECK(second >= -1e-9);
    if (first > 1e-9) ++count;
    if (second > 1e-9) ++count;
    CHECK(count <= 4);
    CHECK(energyOf(problem, solved) <= energyOf(problem, before));
  }
}

TEST_CASE("Of more than two owners none is left that bytes would round to nothing") {
  const auto weightsOf = [](const std::vector<Influence>& owners) {
    std::vector<double> weights;
    for (const Influence& owner : owners) weights.push_back(owner.weight);
    return weights;
  };
  const std::vector<Influence> crowded = {{0, 1e-4}, {1, 0.9775}, {2, 0.0222}, {3, 2e-4}};
  CHECK(ownersOf(crowded).size() == 4);
  const std::vector<Influence> roomy = reducedOwnersOf(crowded);
  REQUIRE(roomy.size() == 2);
  CHECK(roomy[0].joint == 1);
  CHECK(roomy[0].weight == doctest::Approx(0.9775 / 0.9997));
  CHECK(roomy[1].weight == doctest::Approx(0.0222 / 0.9997));
  CHECK(weightsOf(reducedOwnersOf(std::vector<Influence>{{0, 0.9999}, {1, 1e-4}})) ==
        std::vector<double>{0.9999, 1e-4});
  CHECK(reducedOwnersOf(std::vector<Influence>{{0, 0.5}, {1, 0.25}, {2, 0.25}}).size() == 3);
}

TEST_CASE("A point that its owner alone leaves nearer to where it is wanted is held back") {
  // One helper, which goes along x by 1, twice, then by 0.6.
  constexpr std::size_t kSteps = 3;
  const std::array<double, kSteps> shifts = {1.0, 1.0, 0.6};
  // Wanted along x: with the helper; the opposite direction; nearer to none; near it but for the
  // last.
  const std::vector<std::array<double, kSteps>> wanted = {
      {1.0, 0.9, 0.5}, {-1.0, -1.0, -0.6}, {0.4, 0.4, 0.2}, {1.0, 1.0, -0.5}};
  SkinSurface surface;
  surface.bind_world_from_node = {{}};
  PointDisplacements world(wanted.size(), kSteps);
  std::vector<BonesPoint> points;
  for (std::size_t p = 0; p < wanted.size(); ++p) {
    surface.positions.emplace_back(0.0, static_cast<double>(p), 0.0);
    surface.influence_start.push_back(p);
    surface.influences.push_back({0, 1.0});
    surface.share.push_back(1.0);
    for (std::size_t f = 0; f < kSteps; ++f) world.set(p, f, Vec3(wanted[p][f], 0, 0));
    points.push_back({static_cast<std::uint32_t>(p), 1.0, {{0, 1.0}}, {0}, {1.0}});
  }
  surface.influence_start.push_back(wanted.size());
  HelperBone helper;
  BonesFrames frames;
  for (std::size_t f = 0; f < kSteps; ++f) {
    helper.moved.push_back({Mat3(1.0), Vec3(shifts[f], 0, 0)});
    frames.columns.push_back(f);
    frames.worlds.push_back({{}});
  }
  const BonesTarget target{surface, world, {}};
  std::vector<BonesPoint> lax = points;
  CHECK(holdBack(target, frames, {&helper, 1}, 0.05, 2, points) ==
        std::vector<std::size_t>{1, 2, 3});
  CHECK(points[0].weights[0] == 1.0);
  for (std::size_t p = 1; p < points.size(); ++p) CHECK(points[p].weights[0] == 0.0);
  // The last is off by 1.1 at worst with the helper, by 1 without.
  CHECK(holdBack(target, frames, {&helper, 1}, 0.2, 1, lax) == std::vector<std::size_t>{1, 2});
}
