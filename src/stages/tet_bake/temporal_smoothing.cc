// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/temporal_smoothing.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/parallel.h"
#include "core/portable_math.h"
#include "core/to_size.h"
#include "stages/tet_bake/morphs/bind_corrections.h"
#include "stages/tet_bake/morphs/pose_nearness.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr double kReachInSigmas = 3.0;
// A narrower Gaussian changes no frame.
constexpr double kMinSigma_frames = 0.1;
constexpr double kMaxSigma_frames = 1e4;
constexpr std::size_t kPointsPerBlock = 64;

// Of one point over a clip, by coordinate.
using PointRows = std::array<std::vector<double>, 3>;

PointRows rowsOf(const PointDisplacements& displacements, std::size_t point, std::size_t start,
                 std::size_t count) {
  PointRows rows;
  for (std::size_t c = 0; c < 3; ++c) {
    const auto row = displacements.row(point, c).subspan(start, count);
    rows[c].assign(row.begin(), row.end());
  }
  return rows;
}

Vec3 baseAt(std::span<const float> base, std::size_t count, std::size_t point, std::size_t frame) {
  const auto at = [&](std::size_t c) {
    return static_cast<double>(base[(3 * point + c) * count + frame]);
  };
  return Vec3(at(0), at(1), at(2));
}

// False if nothing is left.
bool subtractBase(std::span<const float> base, std::size_t point, PointRows& rows) {
  const std::size_t count = rows[0].size();
  bool has_any = false;
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t f = 0; f < count; ++f) {
      rows[c][f] -= static_cast<double>(base[(3 * point + c) * count + f]);
      has_any = has_any || rows[c][f] != 0.0;
    }
  }
  return has_any;
}

}  // namespace

std::vector<double> gaussianWeights(double sigma_frames) {
  if (!(sigma_frames >= kMinSigma_frames)) return {1.0};
  const double sigma = std::min(sigma_frames, kMaxSigma_frames);
  const auto reach = toSize(std::ceil(kReachInSigmas * sigma));
  std::vector<double> kernel;
  double sum = 0.0;
  for (std::size_t k = 0; k <= reach; ++k) {
    const double x = static_cast<double>(k) / sigma;
    kernel.push_back(portable::exp(-0.5 * x * x));
    sum += k == 0 ? kernel[k] : 2.0 * kernel[k];
  }
  for (double& weight : kernel) weight /= sum;
  return kernel;
}

void gaussianAverage(std::span<const double> kernel, std::span<double> numbers,
                     std::span<const double> nearness) {
  if (numbers.size() < 3 || kernel.size() < 2) return;
  const std::vector<double> was(numbers.begin(), numbers.end());
  const auto last = static_cast<std::ptrdiff_t>(was.size()) - 1;
  const auto at = [&](std::ptrdiff_t i) {
    const auto position = [&](std::ptrdiff_t k) { return was[toSize(k)]; };
    if (i < 0) return 2.0 * position(0) - position(-i);
    return i > last ? 2.0 * position(last) - position(2 * last - i) : position(i);
  };
  // At most the length of the clip: beyond its ends the extension repeats the clip.
  const std::ptrdiff_t taps = static_cast<std::ptrdiff_t>(kernel.size()) - 1;
  const std::ptrdiff_t reach = std::min(taps, last);
  for (std::ptrdiff_t f = 0; f <= last; ++f) {
    double sum = kernel[0] * at(f), weight = kernel[0];
    for (std::ptrdiff_t k = 1; k <= reach; ++k) {
      double share = kernel[toSize(k)];
      if (!nearness.empty()) share *= nearness[toSize(f * taps + k - 1)];
      sum += share * (at(f - k) + at(f + k));
      weight += 2.0 * share;
    }
    numbers[toSize(f)] = sum / weight;
  }
}

void gaussianSmooth(std::span<const double> kernel, std::span<double> numbers,
                    std::span<const double> nearness) {
  std::vector<double> rest(numbers.begin(), numbers.end());
  gaussianAverage(kernel, numbers, nearness);
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= numbers[i];
  gaussianAverage(kernel, rest, nearness);
  for (std::size_t i = 0; i < rest.size(); ++i) numbers[i] += rest[i];
}

void interpolateBetween(std::size_t step, std::span<double> numbers) {
  for (std::size_t first = 0; first + 1 < numbers.size(); first += step) {
    const std::size_t last = std::min(first + step, numbers.size() - 1);
    for (std::size_t i = first + 1; i < last; ++i) {
      const double share = static_cast<double>(i - first) / static_cast<double>(last - first);
      numbers[i] = numbers[first] + share * (numbers[last] - numbers[first]);
    }
  }
}

void smoothClip(const Scene& scene, const BakeRig& rig, const Motion& motion, double sigma_s,
                std::size_t start, int threads, Baked& baked, std::span<const float> base,
                std::size_t step) {
  const std::vector<double> kernel = gaussianWeights(sigma_s * motion.grid.fps);
  const std::size_t count = motion.grid.frame_count;
  if (kernel.size() < 2 || count < 3) return;
  std::vector<std::vector<Affine>> worlds(count);
  for (std::size_t f = 0; f < count; ++f) {
    worlds[f] = shownWorldsAt(scene, rig, motion, f, start + f);
  }
  const PoseAngles angles(rig.surface, rig.regions, worlds);
  const PoseNearness poses(rig.surface, rig.regions, angles, kernel.size() - 1);
  const auto smoothPoint = [&](std::size_t p, std::span<double> nearness) {
    const PointRows was = rowsOf(baked.before_skin, p, start, count);
    PointRows rows = was;
    if (!base.empty() && !subtractBase(base, p, rows)) return;
    poses.of(p, nearness);
    for (std::vector<double>& row : rows) {
      interpolateBetween(step, row);
      gaussianSmooth(kernel, row, nearness);
    }
    for (std::size_t f = 0; f < count; ++f) {
      Vec3 before(rows[0][f], rows[1][f], rows[2][f]);
      if (!base.empty()) before += baseAt(base, count, p, f);
      const Vec3 change = before - Vec3(was[0][f], was[1][f], was[2][f]);
      if (change == Vec3(0.0)) continue;
      const Vec3 moved = blendedLinear(rig.shown(), worlds[f], p) * change;
      baked.before_skin.set(p, start + f, before);
      baked.world.set(p, start + f, baked.world.at(p, start + f) + moved);
    }
  };
  parallelFor(rig.surface.pointCount(), kPointsPerBlock, threads,
              [&](std::size_t first, std::size_t last) {
                std::vector<double> nearness(count * poses.reach());
                for (std::size_t p = first; p < last; ++p) smoothPoint(p, nearness);
              });
}

}  // namespace clipmill::stages::tet_bake
