// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/temporal_smoothing.h"

#include "checks.h"
#include "core/portable_math.h"
#include "stages/tet_bake/make_limb.h"
#include "stages/tet_bake/morphs/bind_corrections.h"
#include "stages/tet_bake/morphs/pose_nearness.h"

TEST_SUITE_BEGIN("tet_bake.temporal_smoothing");

using namespace clipmill;
using namespace clipmill::stages::tet_bake;

namespace {

double largestBend(const std::vector<double>& numbers) {
  double largest = 0.0;
  for (std::size_t i = 1; i + 1 < numbers.size(); ++i) {
    largest = std::max(largest, std::abs(numbers[i + 1] - 2.0 * numbers[i] + numbers[i - 1]));
  }
  return largest;
}

}  // namespace

TEST_CASE("Gaussian weights sum to one and have the deviation that is asked for") {
  for (const double deviation : {0.5, 1.0, 4.0}) {
    const std::vector<double> kernel = gaussianWeights(deviation);
    double sum = kernel[0], square = 0.0;
    for (std::size_t k = 1; k < kernel.size(); ++k) {
      sum += 2.0 * kernel[k];
      square += 2.0 * kernel[k] * static_cast<double>(k * k);
    }
    CHECK(sum == doctest::Approx(1.0));
    // Whole frames sample half a frame of deviation coarsely.
    CHECK(std::sqrt(square) == test::nearTo(deviation, deviation < 1.0 ? 0.08 : 0.01));
  }
  CHECK(gaussianWeights(0.0) == std::vector<double>{1.0});
  CHECK(gaussianWeights(std::nan("")) == std::vector<double>{1.0});
}

TEST_CASE("what is linear in time stays, and so do both ends") {
  const std::vector<double> kernel = gaussianWeights(1.5);
  std::vector<double> line, curve;
  for (int f = 0; f < 9; ++f) {
    line.push_back(3.0 - 0.25 * f);
    curve.push_back(0.1 * f * f);
  }
  const std::vector<double> line_was = line, curve_was = curve;
  gaussianAverage(kernel, line);
  gaussianAverage(kernel, curve);
  for (std::size_t f = 0; f < line.size(); ++f) CHECK(line[f] == doctest::Approx(line_was[f]));
  CHECK(curve.front() == doctest::Approx(curve_was.front()));
  CHECK(curve.back() == doctest::Approx(curve_was.back()));
}

TEST_CASE("Between multiples of a step, and the last number, numbers become linear") {
  std::vector<double> numbers = {0.0, 9.0, 9.0, 3.0, 9.0, 9.0, -3.0, 9.0, 1.0};
  interpolateBetween(3, numbers);
  CHECK(numbers == std::vector<double>{0.0, 1.0, 2.0, 3.0, 1.0, -1.0, -3.0, -1.0, 1.0});
  const std::vector<double> were = numbers;
  interpolateBetween(1, numbers);
  CHECK(numbers == were);
}

TEST_CASE("a jump becomes a ramp: with a sigma of one frame it bends by a quarter of it") {
  std::vector<double> jump(21, 0.0);
  std::fill(jump.begin() + 10, jump.end(), 1.0);
  CHECK(largestBend(jump) == 1.0);
  const std::vector<double> kernel = gaussianWeights(1.0);
  gaussianAverage(kernel, jump);
  // The steps of the averaged jump are the weights; its bends are their differences.
  CHECK(largestBend(jump) == doctest::Approx(kernel[1] - kernel[2]));
  CHECK(largestBend(jump) < 0.25);
  CHECK(jump.back() == 1.0);
}

TEST_CASE("an average cuts what bends, a smoothed row keeps it, and both its ends") {
  const std::vector<double> kernel = gaussianWeights(1.0);
  std::vector<double> curve;
  for (int f = 0; f < 21; ++f) curve.push_back(0.1 * (f - 10) * (f - 10));
  std::vector<double> averaged = curve, smoothed = curve;
  gaussianAverage(kernel, averaged);
  gaussianSmooth(kernel, smoothed);
  double square = 0.0;
  for (std::size_t k = 1; k < kernel.size(); ++k) {
    square += 2.0 * kernel[k] * static_cast<double>(k * k);
  }
  CHECK(averaged[10] == doctest::Approx(curve[10] + 0.1 * square));
  // As far from the ends as two kernels reach.
  for (std::size_t f = 6; f < 15; ++f) CHECK(smoothed[f] == doctest::Approx(curve[f]));
  CHECK(smoothed.front() == doctest::Approx(curve.front()));
  CHECK(smoothed.back() == doctest::Approx(curve.back()));
}

TEST_CASE("a jump becomes a ramp of a third as much bend when it is smoothed") {
  std::vector<double> jump(21, 0.0);
  std::fill(jump.begin() + 10, jump.end(), 1.0);
  gaussianSmooth(gaussianWeights(1.0), jump);
  CHECK(largestBend(jump) < 0.35);
  CHECK(jump.back() == doctest::Approx(1.0));
}

TEST_CASE("clips shorter than the kernel are averaged all the same, those of two frames stay") {
  const std::vector<double> kernel = gaussianWeights(5.0);
  std::vector<double> three = {0.0, 3.0, 0.0}, two = {1.0, -1.0}, none;
  gaussianAverage(kernel, three);
  CHECK(three[0] == doctest::Approx(0.0));
  CHECK(three[1] < 3.0);
  CHECK(three[2] == doctest::Approx(0.0));
  gaussianAverage(kernel, two);
  CHECK(two == std::vector<double>{1.0, -1.0});
  gaussianAverage(kernel, none);
}

TEST_CASE("what is linear in time stays however near frames are, and so do both ends") {
  const std::vector<double> kernel = gaussianWeights(1.0);
  std::vector<double> line, jump(9, 0.0), nearness;
  for (std::size_t f = 0; f < 9; ++f) {
    line.push_back(3.0 - 0.25 * static_cast<double>(f));
    for (std::size_t k = 1; k < kernel.size(); ++k) nearness.push_back(f % 3 == k - 1 ? 0.1 : 0.7);
  }
  jump[0] = 5.0;
  jump[4] = 1.0;
  const std::vector<double> was = line;
  gaussianAverage(kernel, line, nearness);
  for (std::size_t f = 0; f < line.size(); ++f) CHECK(line[f] == doctest::Approx(was[f]));
  gaussianAverage(kernel, jump, nearness);
  CHECK(jump[0] == doctest::Approx(5.0));
  // The fifth number counts its neighbours by 0.7, 0.1 and 0.7 of the kernel.
  const double sum = kernel[0] + 2.0 * (0.7 * kernel[1] + 0.1 * kernel[2] + 0.7 * kernel[3]);
  CHECK(jump[4] == doctest::Approx(kernel[0] / sum));
}

TEST_CASE("poses are near by the angle between bones, not by where the character is") {
  const Scene scene = test::limbScene();
  const SkinSurface surface = test::surfaceOf(scene);
  const std::vector<MorphRegion> regions = findRegions(surface, scene.skeleton);
  const double angles_deg[] = {0.0, 0.0, 15.0, 15.0, 15.0, 60.0, 120.0};
  std::vector<std::vector<Affine>> worlds;
  for (const double angle_deg : angles_deg) {
    const Quat rotation = rotationAbout(Vec3(1, 0, 0), angle_deg * kDegree);
    worlds.push_back(worldsFromBind(surface.bind_world_from_node, test::limbPose(scene, rotation)));
    // The whole character tumbles besides.
    const Mat3 whole = glm::mat3_cast(
        rotationAbout(Vec3(0, 1, 0), 40.0 * kDegree * static_cast<double>(worlds.size())));
    for (Affine& world : worlds.back()) world = Affine{whole, Vec3(1, 2, 3)} * world;
  }
  const PoseNearness poses(surface, regions, PoseAngles(surface, regions, worlds), 2);
  std::size_t joint_point = 0;
  while (surface.influencesOf(joint_point).size() < 2) ++joint_point;
  std::vector<double> nearness(worlds.size() * 2);
  poses.of(joint_point, nearness);
  const double deviation = portable::exp(-0.5);
  // Frame 3 has like poses to both sides; two frames on the joint has rotated by three deviations.
  CHECK(nearness[3 * 2] == doctest::Approx(1.0));
  CHECK(nearness[3 * 2 + 1] == doctest::Approx(portable::exp(-4.5)));
  CHECK(nearness[2 * 2] == doctest::Approx(deviation));
  CHECK(nearness[1 * 2] == doctest::Approx(deviation));
  CHECK(nearness[5 * 2] == test::nearTo(portable::exp(-8.0), 1e-6));
}

TEST_CASE("a fold that opens and closes fast keeps its depth, one that jumps at rest does not") {
  const Scene scene = test::limbScene();
  BakeRig rig;
  rig.surface = test::surfaceOf(scene);
  rig.regions = findRegions(rig.surface, scene.skeleton);
  const std::size_t points = rig.surface.pointCount();
  const MorphRegion& region = rig.regions.front();
  const std::uint32_t point = region.points[region.points.size() / 2];
  for (const bool is_fast : {true, false}) {
    Motion motion;
    motion.grid = makeGrid(0.0, 8.0 / 30.0, 30.0);
    motion.node_count = scene.skeleton.size();
    const std::size_t frames = motion.grid.frame_count, peak = 4;
    for (std::size_t f = 0; f < frames; ++f) {
      std::vector<Transform> locals = restPose(scene.skeleton).locals;
      const double from_peak =
          f > peak ? static_cast<double>(f - peak) : static_cast<double>(peak - f);
      const double angle_deg = is_fast ? 120.0 - 30.0 * from_peak : 120.0;
      locals[1].rotation = rotationAbout(Vec3(1, 0, 0), angle_deg * kDegree);
      motion.locals.insert(motion.locals.end(), locals.begin(), locals.end());
    }
    Baked baked{PointDisplacements(points, frames),
                PointDisplacements(points, frames),
                {},
                {0, frames},
                {},
                {}};
    baked.before_skin.set(point, peak, Vec3(0.0, 0.01, 0.0));
    smoothClip(scene, rig, motion, 1.0 / 30.0, 0, 1, baked);
    // How frames k apart count for each other: bones rotate by two deviations from frame to frame.
    std::vector<double> counts = gaussianWeights(1.0);
    double sum = counts[0];
    for (std::size_t k = 1; k < counts.size(); ++k) {
      const double x = is_fast ? 2.0 * static_cast<double>(k) : 0.0;
      counts[k] *= portable::exp(-0.5 * x * x);
      sum += 2.0 * counts[k];
    }
    // What is left once, and of that again: 2 K - K^2 on the diagonal.
    double squares = counts[0] * counts[0];
    for (std::size_t k = 1; k < counts.size(); ++k) squares += 2.0 * counts[k] * counts[k];
    const double left = 2.0 * counts[0] / sum - squares / (sum * sum);
    CHECK(baked.before_skin.at(point, peak).y / 0.01 == test::nearTo(left, 1e-6));
    CHECK((is_fast ? left > 0.9 : left < 0.6));
  }
}

TEST_CASE("With a base only what differs from it is averaged") {
  const Scene scene = test::limbScene();
  BakeRig rig;
  rig.surface = test::surfaceOf(scene);
  Motion motion;
  motion.grid = makeGrid(0.0, 6.0 / 30.0, 30.0);
  motion.node_count = scene.skeleton.size();
  const std::size_t frames = motion.grid.frame_count, points = rig.surface.pointCount(), jump = 3;
  for (std::size_t f = 0; f < frames; ++f) {
    const Pose pose = restPose(scene.skeleton);
    motion.locals.insert(motion.locals.end(), pose.locals.begin(), pose.locals.end());
  }
  Baked baked{PointDisplacements(points, frames),
              PointDisplacements(points, frames),
              {},
              {0, frames},
              {},
              {}};
  // The base jumps in all points; the change is in one of them.
  const Vec3 base_path(0.0, 0.02, 0.0), change(0.01, 0.0, 0.0);
  for (std::size_t p = 0; p < points; ++p) baked.before_skin.set(p, jump, base_path);
  const std::vector<float> base = baked.before_skin.frames(0, frames);
  const std::size_t changed = points / 2;
  baked.before_skin.set(changed, jump, base_path + change);
  smoothClip(scene, rig, motion, 1.0 / 30.0, 0, 1, baked, base);
  const std::vector<double> kernel = gaussianWeights(1.0);
  const double squares =
      kernel[0] * kernel[0] + 2.0 * (kernel[1] * kernel[1] + kernel[2] * kernel[2]);
  for (std::size_t p = 0; p < points; ++p) {
    const Vec3 at = baked.before_skin.at(p, jump);
    CHECK(at.y == doctest::Approx(0.02));
    const double left = p == changed ? 0.01 * (2.0 * kernel[0] - squares) : 0.0;
    CHECK(at.x == test::nearTo(left, 1e-8));
    CHECK(baked.before_skin.at(p, jump + 1).y == 0.0);
  }
}

TEST_CASE("the solved surface goes where its averaged displacements are carried") {
  const Scene scene = test::limbScene();
  BakeRig rig;
  rig.surface = test::surfaceOf(scene);
  Motion motion;
  motion.grid = makeGrid(0.0, 6.0 / 30.0, 30.0);
  motion.node_count = scene.skeleton.size();
  const std::size_t frames = motion.grid.frame_count, points = rig.surface.pointCount();
  for (std::size_t f = 0; f < frames; ++f) {
    std::vector<Transform> locals = restPose(scene.skeleton).locals;
    locals[1].rotation = rotationAbout(Vec3(1, 0, 0), 0.2 * static_cast<double>(f));
    motion.locals.insert(motion.locals.end(), locals.begin(), locals.end());
  }
  // Two frames of another clip come first; in the fourth frame every point jumps.
  const std::size_t start = 2, jump = start + 3;
  Baked baked{PointDisplacements(points, start + frames),
              PointDisplacements(points, start + frames),
              {},
              {0, start, start + frames},
              {},
              {}};
  const std::vector<Affine> at_jump = worldsAt(scene, rig, motion, 3);
  for (std::size_t p = 0; p < points; ++p) {
    const Vec3 before(0.01, 0.0, 0.02);
    baked.before_skin.set(p, jump, before);
    baked.world.set(p, jump, blendedLinear(rig.surface, at_jump, p) * before);
    baked.before_skin.set(p, 1, before);
  }
  smoothClip(scene, rig, motion, 1.0 / 30.0, start, 2, baked);
  const std::vector<double> kernel = gaussianWeights(1.0);
  for (std::size_t p = 0; p < points; ++p) {
    // Averages of averages count too; those beyond the ends cancel.
    const double squares =
        kernel[0] * kernel[0] + 2.0 * (kernel[1] * kernel[1] + kernel[2] * kernel[2]);
    const double beside = 2.0 * kernel[1] * (kernel[0] + kernel[2]);
    CHECK(baked.before_skin.at(p, jump).x == doctest::Approx(0.01 * (2.0 * kernel[0] - squares)));
    CHECK(baked.before_skin.at(p, jump + 1).z ==
          doctest::Approx(0.02 * (2.0 * kernel[1] - beside)));
    CHECK(baked.before_skin.at(p, 1).x == doctest::Approx(0.01));
    for (std::size_t f = 0; f < frames; ++f) {
      const std::vector<Affine> worlds = worldsAt(scene, rig, motion, f);
      const Vec3 carried =
          blendedLinear(rig.surface, worlds, p) * baked.before_skin.at(p, start + f);
      if (glm::length(baked.world.at(p, start + f) - carried) > 1e-8) FAIL("point " << p);
    }
  }
}
