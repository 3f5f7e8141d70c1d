// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/steady.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/parallel.h"
#include "core/portable_math.h"
#include "stages/tet_bake/morphs/bind_corrections.h"
#include "stages/tet_bake/morphs/pose_nearness.h"

namespace clipmill::tet_bake {
namespace {

constexpr double kReachInDeviations = 3.0;
// A bell that is narrower than this, in frames, leaves every frame alone.
constexpr double kLeastDeviation = 0.1;
constexpr double kMostDeviation = 1e4;
constexpr std::size_t kPointsPerBlock = 64;

// Of one point over a clip, by coordinate.
using PointRows = std::array<std::vector<double>, 3>;

PointRows rowsOf(const PointDisplacements& displacements, std::size_t point, std::size_t begin,
                 std::size_t count) {
  PointRows rows;
  for (std::size_t c = 0; c < 3; ++c) {
    const auto row = displacements.row(point, c).subspan(begin, count);
    rows[c].assign(row.begin(), row.end());
  }
  return rows;
}

}  // namespace

std::vector<double> bellWeights(double deviation_frames) {
  if (!(deviation_frames >= kLeastDeviation)) return {1.0};
  const double deviation = std::min(deviation_frames, kMostDeviation);
  const auto reach = static_cast<std::size_t>(std::ceil(kReachInDeviations * deviation));
  std::vector<double> bell;
  double sum = 0.0;
  for (std::size_t k = 0; k <= reach; ++k) {
    const double x = static_cast<double>(k) / deviation;
    bell.push_back(portable::exp(-0.5 * x * x));
    sum += k == 0 ? bell[k] : 2.0 * bell[k];
  }
  for (double& weight : bell) weight /= sum;
  return bell;
}

void averageByBell(std::span<const double> bell, std::span<double> numbers,
                   std::span<const double> nearness) {
  if (numbers.size() < 3 || bell.size() < 2) return;
  const std::vector<double> was(numbers.begin(), numbers.end());
  const auto last = static_cast<std::ptrdiff_t>(was.size()) - 1;
  const auto at = [&](std::ptrdiff_t i) {
    const auto place = [&](std::ptrdiff_t k) { return was[static_cast<std::size_t>(k)]; };
    if (i < 0) return 2.0 * place(0) - place(-i);
    return i > last ? 2.0 * place(last) - place(2 * last - i) : place(i);
  };
  // No farther than the clip is long, for what goes on beyond its ends is the clip once more.
  const std::ptrdiff_t taps = static_cast<std::ptrdiff_t>(bell.size()) - 1;
  const std::ptrdiff_t reach = std::min(taps, last);
  for (std::ptrdiff_t f = 0; f <= last; ++f) {
    double sum = bell[0] * at(f), weight = bell[0];
    for (std::ptrdiff_t k = 1; k <= reach; ++k) {
      double share = bell[static_cast<std::size_t>(k)];
      if (!nearness.empty()) share *= nearness[static_cast<std::size_t>(f * taps + k - 1)];
      sum += share * (at(f - k) + at(f + k));
      weight += 2.0 * share;
    }
    numbers[static_cast<std::size_t>(f)] = sum / weight;
  }
}

void steadyByBell(std::span<const double> bell, std::span<double> numbers,
                  std::span<const double> nearness) {
  std::vector<double> rest(numbers.begin(), numbers.end());
  averageByBell(bell, numbers, nearness);
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= numbers[i];
  averageByBell(bell, rest, nearness);
  for (std::size_t i = 0; i < rest.size(); ++i) numbers[i] += rest[i];
}

void steadyClip(const Scene& scene, const BakeRig& rig, const Motion& motion, double deviation_s,
                std::size_t begin, int threads, Baked& baked) {
  const std::vector<double> bell = bellWeights(deviation_s * motion.grid.fps);
  const std::size_t count = motion.grid.frame_count;
  if (bell.size() < 2 || count < 3) return;
  std::vector<std::vector<Affine>> worlds(count);
  for (std::size_t f = 0; f < count; ++f) {
    worlds[f] = shownWorldsAt(scene, rig, motion, f, begin + f);
  }
  const PoseAngles angles(rig.surface, rig.regions, worlds);
  const PoseNearness poses(rig.surface, rig.regions, angles, bell.size() - 1);
  const auto steadyPoint = [&](std::size_t p, std::span<double> nearness) {
    const PointRows was = rowsOf(baked.before_skin, p, begin, count);
    PointRows rows = was;
    poses.of(p, nearness);
    for (std::vector<double>& row : rows) steadyByBell(bell, row, nearness);
    for (std::size_t f = 0; f < count; ++f) {
      const Vec3 before(rows[0][f], rows[1][f], rows[2][f]);
      const Vec3 change = before - Vec3(was[0][f], was[1][f], was[2][f]);
      if (change == Vec3(0.0)) continue;
      const Vec3 moved = blendedLinear(rig.shown(), worlds[f], p) * change;
      baked.before_skin.set(p, begin + f, before);
      baked.world.set(p, begin + f, baked.world.at(p, begin + f) + moved);
    }
  };
  parallelFor(rig.surface.pointCount(), kPointsPerBlock, threads,
              [&](std::size_t first, std::size_t last) {
                std::vector<double> nearness(count * poses.reach());
                for (std::size_t p = first; p < last; ++p) steadyPoint(p, nearness);
              });
}

}  // namespace clipmill::tet_bake
