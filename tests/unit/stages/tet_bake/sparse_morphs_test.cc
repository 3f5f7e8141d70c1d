// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morphs/sparse_morphs.h"

#include <algorithm>
#include <cmath>

#include "checks.h"
#include "core/portable_math.h"
#include "core/to_size.h"
#include "stages/tet_bake/make_region.h"

TEST_SUITE_BEGIN("tet_bake.sparse_morphs");

namespace {

using namespace clipmill;
using namespace clipmill::stages::tet_bake;

constexpr std::size_t kPoints = 40;
constexpr std::size_t kFrames = 24;

MorphRegion wholeOf(std::uint32_t point_count) {
  MorphRegion region = test::regionOf(0, point_count);
  region.node = -1;
  return region;
}

// The first half of the points moves by a sine over the frames, the other by a cosine, up to 10 mm
// and the less the farther from the middle of each half. Their singular values are equal, so that
// the leading vectors are any mixture of the two.
PointDisplacements twoLimbs() {
  PointDisplacements displacements(kPoints, kFrames);
  for (std::size_t p = 0; p < kPoints; ++p) {
    const double along = (static_cast<double>(p % (kPoints / 2)) + 0.5) / (kPoints / 2);
    const double size_m = 0.01 * 4.0 * along * (1.0 - along);
    for (std::size_t f = 0; f < kFrames; ++f) {
      const auto wave = portable::sinCos(2.0 * kPi * static_cast<double>(f) / kFrames);
      displacements.set(p, f, {0.0, size_m * (p < kPoints / 2 ? wave.sine : wave.cosine), 0.0});
    }
  }
  return displacements;
}

double leftOf(const PointDisplacements& displacements, std::span<const FittedMorph> morphs) {
  double left = 0.0;
  for (std::size_t f = 0; f < displacements.frameCount(); ++f) {
    std::vector<Vec3> sum(displacements.pointCount(), Vec3(0.0));
    addMorphs(morphs, f, sum);
    for (std::size_t p = 0; p < sum.size(); ++p) {
      const Vec3 rest = sum[p] - displacements.at(p, f);
      left += glm::dot(rest, rest);
    }
  }
  return left;
}

std::size_t sizeOf(std::span<const FittedMorph> morphs) {
  std::size_t size = 0;
  for (const FittedMorph& morph : morphs) size += morph.points.size();
  return size;
}

}  // namespace

TEST_CASE("Two limbs that move by themselves get a morph each") {
  const PointDisplacements displacements = twoLimbs();
  const SparseMorphs sparse =
      sparseMorphs(displacements, wholeOf(kPoints), {2, 1e-5, 2 * kPoints, 1});
  REQUIRE(sparse.morphs.size() == 2);
  CHECK(sizeOf(sparse.morphs) == kPoints);
  for (const FittedMorph& morph : sparse.morphs) {
    CHECK(morph.node == -1);
    CHECK(morph.points.back() - morph.points.front() < kPoints / 2);
    const auto [least, most] = std::minmax_element(morph.weights.begin(), morph.weights.end());
    CHECK(std::max(-*least, *most) == test::nearTo(1.0, 1e-12));
  }
  CHECK(leftOf(displacements, sparse.morphs) <= 1e-12);
}

TEST_CASE(
    "What is left is what the morphs do not give, and no displacement is longer than before") {
  const PointDisplacements displacements = twoLimbs();
  for (const double rms_m : {1e-5, 1e-3, 3e-3, 6e-3}) {
    const SparseMorphs sparse =
        sparseMorphs(displacements, wholeOf(kPoints), {2, rms_m, 2 * kPoints, 1});
    CHECK(std::abs(sparse.left_m2 - leftOf(displacements, sparse.morphs)) <= 1e-12);
    // Root mean squares of the whole: what is left out of each point is less than 1.5 times that.
    const auto samples = static_cast<double>(kPoints * kFrames);
    CHECK(std::sqrt(sparse.left_m2 / samples) <= 1.5 * rms_m);
  }
}

TEST_CASE("No more points are taken than are allowed") {
  const PointDisplacements displacements = twoLimbs();
  for (const std::size_t most : {std::size_t{0}, std::size_t{7}, kPoints / 2, kPoints}) {
    const SparseMorphs sparse = sparseMorphs(displacements, wholeOf(kPoints), {2, 1e-5, most, 1});
    CHECK(sizeOf(sparse.morphs) <= most);
    if (most >= kPoints / 2) CHECK(sizeOf(sparse.morphs) > 0);
  }
}

TEST_CASE("A surface that does not move gets no morphs") {
  const SparseMorphs sparse =
      sparseMorphs(PointDisplacements(kPoints, kFrames), wholeOf(kPoints), {2, 1e-5, kPoints, 1});
  CHECK(sparse.morphs.empty());
  CHECK(sparse.left_m2 == 0.0);
}

TEST_CASE("Sparse morphs have the same bits for any number of threads") {
  constexpr std::size_t kMany = 600;  // several blocks
  PointDisplacements displacements(kMany, kFrames);
  for (std::size_t p = 0; p < kMany; ++p) {
    for (std::size_t f = 0; f < kFrames; ++f) {
      const double t = 0.3 * static_cast<double>(f), s = 0.01 * static_cast<double>(p);
      displacements.set(p, f,
                        {0.01 * portable::sinCos(t + s).sine,
                         0.01 * portable::sinCos(3.0 * t - 2.0 * s).cosine, 0.0});
    }
  }
  const auto one = sparseMorphs(displacements, wholeOf(kMany), {4, 1e-3, 4 * kMany, 1});
  const auto two = sparseMorphs(displacements, wholeOf(kMany), {4, 1e-3, 4 * kMany, 2});
  REQUIRE(one.morphs.size() == two.morphs.size());
  for (std::size_t m = 0; m < one.morphs.size(); ++m) {
    CHECK(one.morphs[m].points == two.morphs[m].points);
    CHECK(one.morphs[m].deltas == two.morphs[m].deltas);
    CHECK(one.morphs[m].weights == two.morphs[m].weights);
  }
}

TEST_CASE("no other weights bring what is left of the morphs nearer to the displacements") {
  const PointDisplacements displacements = twoLimbs();
  SparseSettings settings;
  settings.most = 2;
  settings.rms_m = 2e-3;
  settings.max_points = kPoints;
  std::vector<FittedMorph> morphs = sparseMorphs(displacements, wholeOf(kPoints), settings).morphs;
  REQUIRE(morphs.size() == 2);
  REQUIRE(sizeOf(morphs) < kPoints);
  const double left = leftOf(displacements, morphs);
  for (FittedMorph& morph : morphs) {
    for (double& weight : morph.weights) {
      for (const double change : {-1e-3, 1e-3}) {
        weight += change;
        CHECK(leftOf(displacements, morphs) > left);
        weight -= change;
      }
    }
  }
}
