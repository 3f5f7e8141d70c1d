// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/clip_baker.h"

#include <algorithm>
#include <cmath>

#include "core/to_size.h"
#include "core/units.h"
#include "stages/tet_bake/binding/tet_binding.h"
#include "stages/tet_bake/kept_clip.h"
#include "stages/tet_bake/morphs/bind_corrections.h"
#include "stages/tet_bake/morphs/pose_nearness.h"
#include "stages/tet_bake/shape_jumps.h"
#include "stages/tet_bake/solve/lower_energy.h"
#include "stages/tet_bake/temporal_smoothing.h"

namespace clipmill::stages::tet_bake {
namespace {

// Limit of the swing of dynamic tissue, as a share of the character's size.
constexpr double kMaxSwing = 0.03;

}  // namespace

SolveSettings solveSettings(const TetBakeSettings& settings, int threads) {
  SolveSettings solve;
  solve.method = settings.method;
  solve.material = materialOfVolume(settings.volume_preservation);
  solve.threads = threads;
  if (settings.max_sweeps) {
    const int sweeps = static_cast<int>(*settings.max_sweeps);
    solve.descent.max_sweeps = solve.reference.iterations = solve.xpbd.iterations = sweeps;
  }
  solve.reference.edge_stiffness = settings.edge_stiffness;
  solve.reference.volume_stiffness = settings.volume_stiffness;
  solve.reference.energy_stiffness = settings.energy_stiffness;
  // With a compliance a, a step removes 1 / (1 + a) of an error between unit masses.
  const auto compliance = [](double stiffness) {
    return stiffness > 0.0 ? 1.0 / stiffness - 1.0 : -1.0;
  };
  solve.xpbd.edge_compliance = compliance(settings.edge_stiffness);
  solve.xpbd.volume_compliance = compliance(settings.volume_stiffness);
  return solve;
}

double sizeOf(const SkinSurface& surface) {
  Vec3 low = surface.positions.front(), high = low;
  for (const Vec3& position : surface.positions) {
    low = glm::min(low, position);
    high = glm::max(high, position);
  }
  const Vec3 extent = high - low;
  return std::max({extent.x, extent.y, extent.z});
}

SkinTools::SkinTools(const BakeRig& rig)
    : max_swing_m(kMaxSwing * sizeOf(rig.surface)),
      map(rig.lattice.mesh, rig.lattice.embeddings, rig.surface.positions),
      smoother(rig.surface),
      volumes(rig.lattice.mesh) {}

ClipBaker::ClipBaker(const Scene& scene, const BakeRig& rig, const SkinTools& tools,
                     const Motion& motion, const TetBakeSettings& settings, std::size_t start,
                     Baked& baked)
    : scene_(scene),
      rig_(rig),
      tools_(tools),
      motion_(motion),
      settings_(settings),
      start_(start),
      baked_(baked) {}

void ClipBaker::carry(std::size_t frame, std::span<Vec3> start, std::span<Vec3> target,
                      std::span<Quat> rotations) const {
  skinTetsByDualQuaternions(rig_.lattice.mesh, unscaledAt(frame).world_from_bind, start, rotations);
  std::copy(start.begin(), start.end(), target.begin());
}

std::vector<std::size_t> ClipBaker::jumps(double edge_m) const {
  std::vector<std::vector<Affine>> worlds;
  for (std::size_t f = 0; f < frameCount(); ++f) worlds.push_back(shownAt(f));
  const PoseAngles angles(rig_.surface, rig_.regions, worlds);
  std::vector<std::size_t> found = findShapeJumps(rig_, angles, baked_.before_skin, start_, edge_m);
  for (std::size_t& column : found) column -= start_;
  return found;
}

void ClipBaker::keepCorners(std::size_t frame, std::vector<float> solved) {
  baked_.corners[start_ + frame] = shownCorners(frame, std::move(solved));
}

void ClipBaker::shift(std::size_t frame, const UnscaledPose& pose, std::span<const Vec3> paths) {
  const SkinSurface& surface = rig_.shown();
  const std::size_t column = start_ + frame;
  const std::vector<Affine> worlds = shownAt(frame);
  std::vector<Vec3> plain(surface.pointCount()), skinned(plain);
  skinSurface(surface, worlds, skinned);
  skinSurface(rig_.surface, worlds, plain);
  for (std::size_t p = 0; p < paths.size(); ++p) {
    if (paths[p] == Vec3(0.0)) continue;
    const Vec3 path =
        pose.has_scale ? pose.stretchOf(rig_.surface.influencesOf(p)) * paths[p] : paths[p];
    const Vec3 world = baked_.world.at(p, column) + path;
    bool was_clamped = false;
    const Vec3 before =
        beforeSkinning(blendedLinear(surface, worlds, p), world + plain[p] - skinned[p],
                       rig_.max_displacement_m[p], &was_clamped);
    baked_.before_skin.set(p, column, before);
    baked_.world.set(p, column, world);
  }
}

void ClipBaker::smooth(int threads) {
  smoothClip(scene_, rig_, motion_, settings_.smoothing_ms * kSecondsInMillisecond, start_, threads,
             baked_);
}

void ClipBaker::smoothChange(const KeptClip& base, double width, std::size_t step, int threads) {
  smoothClip(scene_, rig_, motion_, width * settings_.smoothing_ms * kSecondsInMillisecond, start_,
             threads, baked_, base.before_skin, step);
}

SoftTissueClip ClipBaker::softTissueClip() {
  is_dynamic_ = true;
  const auto source = [this](std::size_t frame, std::span<Vec3> start, std::span<Vec3> target) {
    carry(frame, start, target);
  };
  const auto sink = [this](std::size_t frame, std::span<const Vec3> solved,
                           const FrameStats& stats) {
    keep(frame, solved, stats);
    if (!settings_.keep_tets) return;
    keepCorners(frame, solvedFrame(solved, stats).positions);
  };
  return {frameCount(), 1.0 / motion_.grid.fps, source, sink, std::nullopt};
}

std::vector<Affine> ClipBaker::shownAt(std::size_t frame) const {
  return shownWorldsAt(scene_, rig_, motion_, frame, start_ + frame);
}

UnscaledPose ClipBaker::unscaledAt(std::size_t frame) const {
  return shownUnscaledAt(rig_, worldsAt(scene_, rig_, motion_, frame), start_ + frame);
}

std::vector<float> ClipBaker::shownCorners(std::size_t frame, std::vector<float> solved) const {
  const UnscaledPose pose = unscaledAt(frame);
  if (!pose.has_scale) return solved;
  const TetMesh& mesh = rig_.lattice.mesh;
  std::vector<Vec3> unscaled(mesh.vertexCount()), scaled(mesh.vertexCount());
  skinTets(mesh, pose.world_from_bind, unscaled);
  skinTets(mesh, shownAt(frame), scaled);
  for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
    const Vec3 position(solved[3 * v], solved[3 * v + 1], solved[3 * v + 2]);
    const auto influences = std::span(mesh.influences)
                                .subspan(mesh.influence_start[v],
                                         mesh.influence_start[v + 1] - mesh.influence_start[v]);
    const Vec3 shown = scaled[v] + pose.stretchOf(influences) * (position - unscaled[v]);
    for (int k = 0; k < 3; ++k) solved[3 * v + toSize(k)] = static_cast<float>(shown[k]);
  }
  return solved;
}

void ClipBaker::measureSwing(std::span<const Vec3> displacements, std::size_t column,
                             BakedFrame& frame) const {
  double sum = 0.0, most = 0.0, count = 0.0;
  for (std::size_t p = 0; p < displacements.size(); ++p) {
    if (!(rig_.surface.share[p] > 0.0)) continue;
    const Vec3 path = displacements[p] - baked_.world.at(p, column);
    sum += glm::dot(path, path);
    most = std::max(most, glm::dot(path, path));
    count += 1.0;
  }
  frame.swing_rms_m = std::sqrt(sum / std::max(count, 1.0));
  frame.swing_max_m = std::sqrt(most);
}

// Displacements are relative to plain skinning; the stored ones are the quasistatic equilibrium.
void ClipBaker::boundSwing(std::span<const Vec3> plain, std::span<const Vec3> skinned,
                           std::size_t column, std::span<Vec3> displacements) const {
  for (std::size_t p = 0; p < displacements.size(); ++p) {
    if (!(rig_.surface.share[p] > 0.0)) continue;
    const Vec3 rest = baked_.world.at(p, column) - (skinned[p] - plain[p]);
    displacements[p] = rest + boundedSwing(displacements[p] - rest, tools_.max_swing_m);
  }
}

// Skin of bones that are too thin for the cells follows them by dual quaternion skinning.
void ClipBaker::carryThinParts(std::span<const Affine> world_from_bind,
                               std::span<Vec3> positions) const {
  const std::vector<double>& shares = rig_.lattice.cell_shares;
  if (shares.empty()) return;
  std::vector<Vec3> carried(positions.size());
  skinSurfaceByDualQuaternions(rig_.shown(), world_from_bind, carried);
  for (std::size_t p = 0; p < positions.size(); ++p) {
    if (shares[p] < 1.0) positions[p] = shares[p] * positions[p] + (1.0 - shares[p]) * carried[p];
  }
}

// `positions` are those of the unscaled pose; become displacements from `skinned` in the pose.
void ClipBaker::toDisplacements(std::size_t frame, std::span<const Vec3> skinned,
                                std::span<Vec3> positions) const {
  const SkinSurface& surface = rig_.shown();
  const UnscaledPose pose = unscaledAt(frame);
  carryThinParts(pose.world_from_bind, positions);
  std::vector<Vec3> unscaled(skinned.begin(), skinned.end());
  if (pose.has_scale) skinSurface(surface, pose.world_from_bind, unscaled);
  for (std::size_t p = 0; p < positions.size(); ++p) {
    positions[p] = (positions[p] - unscaled[p]) * surface.share[p];
    if (pose.has_scale) positions[p] = pose.stretchOf(surface.influencesOf(p)) * positions[p];
  }
}

// What a mask leaves out is shown as plain skinning shows it, without twist joints.
void ClipBaker::applyMasks(std::span<const Vec3> plain, std::span<const Vec3> skinned,
                           std::span<Vec3> displacements) const {
  for (std::size_t p = 0; p < rig_.shown_shares.size(); ++p) {
    const double share = rig_.shown_shares[p];
    displacements[p] = share * displacements[p] + (1.0 - share) * (plain[p] - skinned[p]);
  }
}

void ClipBaker::keep(std::size_t frame, std::span<const Vec3> solved, const FrameStats& stats) {
  const SkinSurface& surface = rig_.shown();
  const std::size_t column = start_ + frame;
  const std::vector<Affine> worlds = shownAt(frame);
  std::vector<Vec3> plain(surface.pointCount()), skinned(plain), positions(plain);
  skinSurface(surface, worlds, skinned);
  if (rig_.twist.empty()) {
    plain = skinned;
  } else {
    skinSurface(rig_.surface, worlds, plain);
  }
  tools_.map.apply(solved, positions);
  toDisplacements(frame, skinned, positions);
  tools_.smoother.smooth(static_cast<int>(settings_.smoothing_passes), positions);
  applyMasks(plain, skinned, positions);
  if (is_dynamic_) boundSwing(plain, skinned, column, positions);
  BakedFrame& baked = baked_.frames[column];
  baked.clamped_count = 0;
  for (std::size_t p = 0; p < positions.size(); ++p) {
    bool was_clamped = false;
    const Vec3 before = beforeSkinning(blendedLinear(surface, worlds, p), positions[p],
                                       rig_.max_displacement_m[p], &was_clamped);
    baked.clamped_count += was_clamped ? 1 : 0;
    baked_.before_skin.set(p, column, before);
    positions[p] += skinned[p] - plain[p];
  }
  if (is_dynamic_) measureSwing(positions, column, baked);
  for (std::size_t p = 0; p < positions.size(); ++p) baked_.world.set(p, column, positions[p]);
  baked.solved = stats;
  baked.skinned = plainVolumes(frame);
}

// Of the tetrahedra with linear blend skinning, without scales: twist joints follow their owners.
VolumeStats ClipBaker::plainVolumes(std::size_t frame) const {
  std::vector<Affine> worlds =
      rig_.scales.remove(worldsAt(scene_, rig_, motion_, frame)).world_from_bind;
  for (const HelperBone& bone : rig_.twist.fit.bones) worlds.push_back(worlds[bone.owner]);
  std::vector<Vec3> corners(rig_.lattice.mesh.vertexCount());
  skinTets(rig_.lattice.mesh, worlds, corners);
  return tools_.volumes.at(corners);
}

}  // namespace clipmill::stages::tet_bake
