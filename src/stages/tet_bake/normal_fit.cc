// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/normal_fit.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>

#include "core/parallel.h"
#include "scene/bind_pose.h"
#include "stages/tet_bake/bake_report.h"
#include "stages/tet_bake/morphs/bind_corrections.h"
#include "stages/tet_bake/tets/embedding.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr std::size_t kFramesAtOnce = 16;
constexpr std::size_t kNormalPointsPerBlock = 256;
// Of the largest diagonal element of the normal equations, added to all.
constexpr double kNormalRidge = 1e-4;

// The maps of the bones in one frame, and geometric normals of the surface.
struct FrameNormals {
  std::vector<Affine> worlds;
  std::vector<Vec3> plain;  // empty where only those with morphs are asked for
  std::vector<Vec3> morphed;
};

class NormalFrames {
 public:
  NormalFrames(const Scene& scene, const BakeRig& rig, std::span<const FittedMorph> fitted)
      : scene_(scene), rig_(rig), fitted_(fitted), rest_(rig.surface.pointCount()) {
    pointNormals(rig.surface.positions, rig.surface.triangles, rest_);
  }

  const std::vector<Vec3>& rest() const { return rest_; }

  FrameNormals morphedAt(const Motion& motion, std::size_t frame, std::size_t column) const {
    return normalsOf(skinAt(scene_, rig_, motion, frame, fitted_, column), motion, frame, column);
  }

  FrameNormals bothAt(const Motion& motion, std::size_t frame, std::size_t column) const {
    const MorphedSkin skin = skinAt(scene_, rig_, motion, frame, fitted_, column);
    FrameNormals normals = normalsOf(skin, motion, frame, column);
    normals.plain.resize(rest_.size());
    pointNormals(skin.plain, rig_.surface.triangles, normals.plain);
    return normals;
  }

 private:
  FrameNormals normalsOf(const MorphedSkin& skin, const Motion& motion, std::size_t frame,
                         std::size_t column) const {
    FrameNormals normals;
    normals.worlds = shownWorldsAt(scene_, rig_, motion, frame, column);
    normals.morphed.resize(rest_.size());
    pointNormals(skin.morphed, rig_.surface.triangles, normals.morphed);
    return normals;
  }

  const Scene& scene_;
  const BakeRig& rig_;
  std::span<const FittedMorph> fitted_;
  std::vector<Vec3> rest_;
};

// The change of the normal before skinning that shows the geometric normal; 0 where there is none.
Vec3 wantedChange(const Mat3& blend, const Vec3& geometric, const Vec3& rest) {
  if (geometric == Vec3(0.0) || rest == Vec3(0.0) || !isInvertible({blend, Vec3(0.0)})) {
    return Vec3(0.0);
  }
  const Vec3 before = glm::inverse(blend) * geometric;
  const double length = glm::length(before);
  return length > 0.0 && std::isfinite(length) ? before / length - rest : Vec3(0.0);
}

// Solves symmetric positive definite equations with three right sides (Cholesky).
class NormalEquations {
 public:
  NormalEquations(const std::vector<double>& gram, std::size_t row_count,
                  std::span<const std::uint32_t> rows)
      : size_(rows.size()), lower_(rows.size() * rows.size(), 0.0) {
    double largest = 0.0;
    for (const std::uint32_t r : rows) largest = std::max(largest, gram[r * row_count + r]);
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = gram[rows[i] * row_count + rows[j]];
        if (i == j) sum += kNormalRidge * largest;
        for (std::size_t k = 0; k < j; ++k) sum -= lower_[i * size_ + k] * lower_[j * size_ + k];
        if (i != j) {
          lower_[i * size_ + j] = sum / lower_[j * size_ + j];
        } else {
          lower_[i * size_ + i] = std::sqrt(std::max(sum, 1e-12 * largest + 1e-300));
        }
      }
    }
  }

  void solve(std::vector<Vec3>& right) const {
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t k = 0; k < i; ++k) right[i] -= right[k] * lower_[i * size_ + k];
      right[i] /= lower_[i * size_ + i];
    }
    for (std::size_t i = size_; i-- > 0;) {
      for (std::size_t k = i + 1; k < size_; ++k) right[i] -= right[k] * lower_[k * size_ + i];
      right[i] /= lower_[i * size_ + i];
    }
  }

 private:
  std::size_t size_;
  std::vector<double> lower_;
};

// Sums of products of the weights of each two morphs.
std::vector<double> gramOf(std::span<const FittedMorph> fitted) {
  std::vector<double> gram(fitted.size() * fitted.size(), 0.0);
  for (std::size_t m = 0; m < fitted.size(); ++m) {
    for (std::size_t n = 0; n <= m; ++n) {
      double sum = 0.0;
      for (std::size_t f = 0; f < fitted[m].weights.size(); ++f) {
        sum += fitted[m].weights[f] * fitted[n].weights[f];
      }
      gram[m * fitted.size() + n] = gram[n * fitted.size() + m] = sum;
    }
  }
  return gram;
}

// Where each point is in the morphs that move it.
std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> morphsOfPoints(
    std::span<const FittedMorph> fitted, std::size_t point_count) {
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> result(point_count);
  for (std::uint32_t m = 0; m < fitted.size(); ++m) {
    for (std::uint32_t i = 0; i < fitted[m].points.size(); ++i) {
      result[fitted[m].points[i]].emplace_back(m, i);
    }
  }
  return result;
}

// Replaces the right sides of the normal equations of each point by their solution.
void solvePoints(std::span<const FittedMorph> fitted, std::size_t point_count, int threads,
                 std::vector<MorphNormals>& sums) {
  const std::vector<double> gram = gramOf(fitted);
  const auto morphs_of = morphsOfPoints(fitted, point_count);
  parallelFor(point_count, kNormalPointsPerBlock, threads, [&](std::size_t from, std::size_t to) {
    std::map<std::vector<std::uint32_t>, NormalEquations> known;
    for (std::size_t p = from; p < to; ++p) {
      if (morphs_of[p].empty()) continue;
      std::vector<std::uint32_t> rows;
      std::vector<Vec3> right;
      for (const auto& [m, i] : morphs_of[p]) {
        rows.push_back(m);
        right.push_back(sums[m][i]);
      }
      const auto equations =
          known.try_emplace(rows, NormalEquations(gram, fitted.size(), rows)).first;
      equations->second.solve(right);
      for (std::size_t k = 0; k < right.size(); ++k) {
        const auto& [m, i] = morphs_of[p][k];
        sums[m][i] = isFinite(right[k]) ? right[k] : Vec3(0.0);
      }
    }
  });
}

double angleOf(const Vec3& shown, const Vec3& geometric) { return angleBetween(shown, geometric); }

}  // namespace

std::vector<MorphNormals> fitNormals(const Scene& scene, const BakeRig& rig,
                                     std::span<const Motion> motions, const Baked& baked,
                                     std::span<const FittedMorph> fitted, int threads) {
  std::vector<MorphNormals> sums;
  for (const FittedMorph& morph : fitted) sums.emplace_back(morph.points.size(), Vec3(0.0));
  if (fitted.empty()) return sums;
  const NormalFrames frames(scene, rig, fitted);
  const std::size_t point_count = rig.surface.pointCount();
  std::vector<std::vector<Vec3>> wanted(kFramesAtOnce, std::vector<Vec3>(point_count));
  for (std::size_t clip = 0; clip < motions.size(); ++clip) {
    const std::size_t count = motions[clip].grid.frame_count;
    for (std::size_t first = 0; first < count; first += kFramesAtOnce) {
      const std::size_t block = std::min(kFramesAtOnce, count - first);
      parallelFor(block, 1, threads, [&](std::size_t k, std::size_t) {
        const std::size_t column = baked.start[clip] + first + k;
        const FrameNormals normals = frames.morphedAt(motions[clip], first + k, column);
        for (std::size_t p = 0; p < point_count; ++p) {
          wanted[k][p] = wantedChange(blendedLinear(rig.shown(), normals.worlds, p),
                                      normals.morphed[p], frames.rest()[p]);
        }
      });
      parallelFor(fitted.size(), 1, threads, [&](std::size_t m, std::size_t) {
        for (std::size_t k = 0; k < block; ++k) {
          const double weight = fitted[m].weights[baked.start[clip] + first + k];
          if (weight == 0.0) continue;
          for (std::size_t i = 0; i < sums[m].size(); ++i) {
            sums[m][i] += wanted[k][fitted[m].points[i]] * weight;
          }
        }
      });
    }
  }
  solvePoints(fitted, point_count, threads, sums);
  return sums;
}

std::vector<NormalErrors> measureNormals(const Scene& scene, const BakeRig& rig,
                                         const Motion& motion, const Baked& baked,
                                         std::size_t index, std::span<const MorphRegion> regions,
                                         std::span<const FittedMorph> fitted,
                                         std::span<const MorphNormals> normals, int threads) {
  const NormalFrames frames(scene, rig, fitted);
  const std::vector<Vec3>& rest = frames.rest();
  std::vector<std::vector<NormalErrors>> by_frame(motion.grid.frame_count);
  parallelFor(by_frame.size(), 1, threads, [&](std::size_t f, std::size_t) {
    const std::size_t column = baked.start[index] + f;
    const FrameNormals at = frames.bothAt(motion, f, column);
    std::vector<Vec3> changes(rest.size(), Vec3(0.0));
    for (std::size_t m = 0; m < fitted.size(); ++m) {
      const double weight = fitted[m].weights[column];
      if (weight == 0.0) continue;
      for (std::size_t i = 0; i < fitted[m].points.size(); ++i) {
        changes[fitted[m].points[i]] += normals[m][i] * weight;
      }
    }
    std::vector<NormalErrors> points(rest.size());
    NormalErrors all;
    const std::vector<Affine> plain_worlds = worldsAt(scene, rig, motion, f);
    for (std::size_t p = 0; p < rest.size(); ++p) {
      if (rest[p] == Vec3(0.0) || !baked.moved[p]) continue;
      const Vec3 plain = blendedLinear(rig.surface, plain_worlds, p) * rest[p];
      const Vec3 shown = blendedLinear(rig.shown(), at.worlds, p) * (rest[p] + changes[p]);
      const double a = angleOf(plain, at.plain[p]), b = angleOf(shown, at.morphed[p]);
      points[p] = {a * a, b * b, 1.0};
      all.skinned += a * a;
      all.morphed += b * b;
      all.count += 1.0;
    }
    for (const MorphRegion& region : regions) {
      NormalErrors sum;
      for (std::size_t i = 0; i < region.points.size(); ++i) {
        const NormalErrors& point = points[region.points[i]];
        sum.skinned += region.shares[i] * point.skinned;
        sum.morphed += region.shares[i] * point.morphed;
        sum.count += region.shares[i] * point.count;
      }
      by_frame[f].push_back(sum);
    }
    by_frame[f].push_back(all);
  });
  std::vector<NormalErrors> sums(regions.size() + 1);
  for (const auto& frame : by_frame) {
    for (std::size_t r = 0; r < sums.size(); ++r) {
      sums[r].skinned += frame[r].skinned;
      sums[r].morphed += frame[r].morphed;
      sums[r].count += frame[r].count;
    }
  }
  return sums;
}

void reportNormals(const NormalErrors& errors, StageResult& result) {
  const auto rms_deg = [&](double sum) {
    return std::sqrt(sum / std::max(errors.count, 1.0)) / kDegree;
  };
  result.metrics.push_back(
      {"normal_error_rms_deg", rms_deg(errors.skinned), rms_deg(errors.morphed)});
}

}  // namespace clipmill::stages::tet_bake
