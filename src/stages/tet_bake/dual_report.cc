// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/dual_report.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "core/units.h"
#include "measure/joint_volumes.h"
#include "stages/tet_bake/binding/tet_binding.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr std::size_t kDualFramesPerBlock = 4;

// Shares of the limbs' volumes, one per limb.
struct FrameDual {
  double square_sum_m2 = 0.0;
  std::vector<double> shares;
};

// Of the limbs that plain skinning changes.
void addSeries(std::span<const LimbSeries> limbs, const std::vector<FrameDual>& frames,
               StageResult& result) {
  for (std::size_t limb = 0; limb < limbs.size(); ++limb) {
    const std::vector<double>& plain = limbs[limb].skinned;
    const bool is_reported = std::any_of(plain.begin(), plain.end(), [](double share) {
      return std::abs(share - 1.0) >= kReportedVolumeChange;
    });
    if (!is_reported) continue;
    Series series{"dual_quaternion_limb_volume_percent", limbs[limb].joint, {}, {}};
    for (const FrameDual& frame : frames) series.after.push_back(kPercent * frame.shares[limb]);
    result.series.push_back(std::move(series));
  }
}

}  // namespace

void reportDualQuaternions(const Scene& scene, const BakeRig& rig, const Motion& motion,
                           const Baked& baked, std::size_t index, std::span<const LimbSeries> limbs,
                           int threads, StageResult& result) {
  const std::vector<char>& moved = baked.moved;
  const auto moved_count = static_cast<double>(std::count(moved.begin(), moved.end(), 1));
  const measure::JointVolumes& volumes = rig.limbs;
  std::vector<FrameDual> frames(motion.grid.frame_count);
  const auto measure = [&](std::size_t f) {
    const std::vector<Affine> worlds = worldsAt(scene, rig, motion, f);
    std::vector<Vec3> plain(rig.surface.pointCount()), dual(plain);
    skinSurface(rig.surface, worlds, plain);
    skinSurfaceByDualQuaternions(rig.surface, worlds, dual);
    for (std::size_t p = 0; p < moved.size(); ++p) {
      if (!moved[p]) continue;
      const Vec3 path = dual[p] - plain[p] - baked.world.at(p, baked.start[index] + f);
      frames[f].square_sum_m2 += glm::dot(path, path);
    }
    for (std::size_t limb = 0; limb < volumes.limbCount(); ++limb) {
      frames[f].shares.push_back(volumes.share(limb, dual));
    }
  };
  parallelFor(frames.size(), kDualFramesPerBlock, threads, [&](std::size_t start, std::size_t end) {
    for (std::size_t f = start; f < end; ++f) measure(f);
  });
  double square_sum_m2 = 0.0, min_share = 1.0;
  for (const FrameDual& frame : frames) {
    square_sum_m2 += frame.square_sum_m2;
    for (const double share : frame.shares) min_share = std::min(min_share, share);
  }
  const double samples = std::max(1.0, moved_count * static_cast<double>(frames.size()));
  result.metrics.push_back({"dual_quaternion_error_rms_mm", std::nullopt,
                            kMillimetresInMetre * std::sqrt(square_sum_m2 / samples)});
  if (volumes.limbCount() == 0) return;
  result.metrics.push_back(
      {"dual_quaternion_min_limb_volume_percent", std::nullopt, kPercent * min_share});
  addSeries(limbs, frames, result);
}

}  // namespace clipmill::stages::tet_bake
