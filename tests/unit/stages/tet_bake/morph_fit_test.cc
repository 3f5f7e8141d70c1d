// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/morphs/morph_fit.h"

#include <utility>

#include "checks.h"
#include "core/portable_math.h"
#include "core/to_size.h"
#include "stages/tet_bake/make_limb.h"
#include "stages/tet_bake/make_region.h"
#include "stages/tet_bake/morphs/bind_corrections.h"

TEST_SUITE_BEGIN("tet_bake.morph_fit");

namespace {

using namespace clipmill;
using namespace clipmill::stages::tet_bake;

constexpr std::size_t kPoints = 40;
constexpr std::size_t kFrames = 25;

// Two shapes that move by themselves: a swelling of 20 mm, and a shear of 5 mm.
PointDisplacements twoShapes() {
  PointDisplacements displacements(kPoints, kFrames);
  for (std::size_t p = 0; p < kPoints; ++p) {
    const double along = static_cast<double>(p) / kPoints;
    for (std::size_t f = 0; f < kFrames; ++f) {
      const double t = static_cast<double>(f) / (kFrames - 1);
      const Vec3 swelling = Vec3(0.02 * along * (1.0 - along) * 4.0, 0, 0) * t;
      const Vec3 shear = Vec3(0, 0.005 * along, 0.0) * portable::sinCos(kPi * t).sine;
      displacements.set(p, f, swelling + shear);
    }
  }
  return displacements;
}

double worstOf(const PointDisplacements& displacements, std::span<const FittedMorph> morphs) {
  double worst = 0.0;
  for (std::size_t f = 0; f < displacements.frameCount(); ++f) {
    std::vector<Vec3> sum(displacements.pointCount(), Vec3(0.0));
    addMorphs(morphs, f, sum);
    for (std::size_t p = 0; p < sum.size(); ++p) {
      worst = std::max(worst, test::distance(sum[p], displacements.at(p, f)));
    }
  }
  return worst;
}

std::vector<FittedMorph> fitOf(const PointDisplacements& displacements, MorphFitSettings settings) {
  const std::vector<MorphRegion> regions = {test::regionOf(0, kPoints / 2),
                                            test::regionOf(kPoints / 2, kPoints)};
  return fitMorphs(displacements, regions, test::regionOf(0, kPoints), settings).morphs;
}

}  // namespace

TEST_CASE("Two shapes take two morphs in each region, and these give them back") {
  MorphFitSettings settings;
  settings.rms_m = settings.p99_m = 1e-7;
  const PointDisplacements displacements = twoShapes();
  const auto morphs = fitOf(displacements, settings);
  REQUIRE(morphs.size() == 4);
  CHECK(worstOf(displacements, morphs) <= 2e-8);
  for (const FittedMorph& morph : morphs) {
    double most = 0.0;
    for (const double weight : morph.weights) most = std::max(most, std::abs(weight));
    CHECK(most == test::nearTo(1.0, 1e-12));
  }
}

TEST_CASE("The tolerance decides how many: none where nothing moves by as much") {
  MorphFitSettings settings;
  const PointDisplacements displacements = twoShapes();
  settings.rms_m = settings.p99_m = 0.1;
  CHECK(fitOf(displacements, settings).empty());
  // The shear is at most 5 mm, so one morph leaves at most that.
  settings.rms_m = settings.p99_m = 0.0051;
  const auto morphs = fitOf(displacements, settings);
  CHECK(morphs.size() == 2);
  CHECK(worstOf(displacements, morphs) <= 0.0051);
}

TEST_CASE("One leading vector leaves the second singular value") {
  // Two points that move along different axes, 3 and 1 at one frame each: the rank is two, and the
  // best single morph leaves the smaller.
  PointDisplacements displacements(2, 2);
  displacements.set(0, 0, Vec3(3, 0, 0));
  displacements.set(1, 1, Vec3(0, 1, 0));
  MorphFitSettings settings;
  settings.rms_m = settings.p99_m = 0.0;
  settings.max_per_region = 1;
  const std::vector<MorphRegion> regions = {test::regionOf(0, 2)};
  const auto morphs = fitMorphs(displacements, regions, regions[0], settings).morphs;
  REQUIRE(morphs.size() == 1);
  CHECK(test::distance(morphs[0].deltas[0] * morphs[0].weights[0], Vec3(3, 0, 0)) <= 1e-12);
  CHECK(test::distance(morphs[0].deltas[1], Vec3(0)) <= 1e-12);
  CHECK(std::abs(morphs[0].weights[1]) <= 1e-12);
}

TEST_CASE("Where few are allowed, regions are replaced by the whole surface if that leaves less") {
  MorphFitSettings settings;
  settings.rms_m = settings.p99_m = 1e-7;
  settings.most = 2;
  const PointDisplacements displacements = twoShapes();
  // Two shapes over both regions: two morphs of the whole surface are exact.
  const auto morphs = fitOf(displacements, settings);
  REQUIRE(morphs.size() == 2);
  CHECK(morphs[0].points.size() == kPoints - 1);  // the first does not move
  CHECK(worstOf(displacements, morphs) <= 2e-8);
}

TEST_CASE("Many frames or points are fitted by iteration as well as few by all vectors") {
  // Fewer coordinates than frames: few, many; and fewer frames, but many.
  for (const auto& [points, frames] : {std::pair{40, 900}, {160, 900}, {160, 450}}) {
    const auto point_count = toSize(points);
    const auto frame_count = toSize(frames);
    PointDisplacements displacements(point_count, frame_count);
    for (std::size_t p = 0; p < point_count; ++p) {
      for (std::size_t f = 0; f < frame_count; ++f) {
        const double t = 0.013 * static_cast<double>(f), s = 0.1 * static_cast<double>(p);
        const double first = 0.01 * portable::sinCos(t + s).sine;
        displacements.set(p, f, {first, 0.004 * portable::sinCos(3.0 * t - s).cosine, 0.0});
      }
    }
    MorphFitSettings settings;
    settings.rms_m = settings.p99_m = 1e-7;
    const std::vector<MorphRegion> regions = {
        test::regionOf(0, static_cast<std::uint32_t>(point_count))};
    const auto morphs = fitMorphs(displacements, regions, regions[0], settings).morphs;
    // Each wave is a sine and a cosine.
    CHECK(morphs.size() == 4);
    CHECK(worstOf(displacements, morphs) <= 5e-8);
  }
}

TEST_CASE("Many frames leave a region the same morphs as its frames one by one") {
  // The same frames, once and thirteen times over: more than there are coordinates.
  const PointDisplacements once = twoShapes();
  PointDisplacements often(kPoints, 13 * kFrames);
  for (std::size_t p = 0; p < kPoints; ++p) {
    for (std::size_t f = 0; f < 13 * kFrames; ++f) often.set(p, f, once.at(p, f % kFrames));
  }
  MorphFitSettings settings;
  settings.rms_m = settings.p99_m = 1e-7;
  const auto expected = fitOf(once, settings), morphs = fitOf(often, settings);
  REQUIRE(morphs.size() == expected.size());
  for (std::size_t m = 0; m < morphs.size(); ++m) {
    for (std::size_t i = 0; i < morphs[m].points.size(); ++i) {
      CHECK(test::distance(morphs[m].deltas[i], expected[m].deltas[i]) <= 1e-9);
    }
    for (std::size_t f = 0; f < morphs[m].weights.size(); ++f) {
      CHECK(std::abs(morphs[m].weights[f] - expected[m].weights[f % kFrames]) <= 1e-6);
    }
  }
}

TEST_CASE("The fit has the same bits for any number of threads") {
  MorphFitSettings settings;
  settings.rms_m = settings.p99_m = 1e-7;
  const PointDisplacements displacements = twoShapes();
  const auto one = fitOf(displacements, settings);
  settings.threads = 2;
  const auto two = fitOf(displacements, settings);
  REQUIRE(one.size() == two.size());
  for (std::size_t m = 0; m < one.size(); ++m) {
    CHECK(one[m].weights == two[m].weights);
    CHECK(one[m].deltas == two[m].deltas);
  }
}

TEST_CASE("Regions of a limb share all its points, and shares sum to 1") {
  Scene scene = test::limbScene();
  const SkinSurface surface = test::surfaceOf(scene);
  const auto regions = findRegions(surface, scene.skeleton);
  REQUIRE(regions.size() == 1);
  CHECK(regions[0].node == 1);
  CHECK(regions[0].points.size() == surface.pointCount());
  for (const double share : regions[0].shares) CHECK(share == doctest::Approx(1.0));
}

TEST_CASE("What is put before skinning comes out of it, and stays bounded where nothing would") {
  const Quat rotation = rotationAbout(Vec3(0, 0.6, 0.8), 1.1);
  const Vec3 world(0.01, -0.02, 0.03);
  const Mat3 scaled = glm::mat3_cast(rotation) * 2.0;
  CHECK(test::distance(scaled * beforeSkinning(scaled, world, 1.0), world) <= 1e-15);
  // Two bones 180 degrees apart, half and half: all that is across the axis becomes zero.
  const Mat3 half = (Mat3(1.0) + glm::mat3_cast(rotationAbout(Vec3(0, 0, 1), kPi))) * 0.5;
  const Vec3 before = beforeSkinning(half, world, 1e9);
  CHECK(isFinite(before));
  CHECK(test::distance(before * Vec3(1, 1, 0), Vec3(0)) <= 1e-12);
  bool was_clamped = false;
  const Vec3 cut = beforeSkinning(Mat3(0.1), world, 0.05, &was_clamped);
  CHECK(was_clamped);
  CHECK(std::sqrt(glm::dot(cut, cut)) == doctest::Approx(0.05));
  CHECK(beforeSkinning(Mat3(0.0), world, 1.0) == Vec3(0.0));
}
