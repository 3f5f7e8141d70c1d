// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "measure/limb_volumes.h"

#include <cmath>
#include <utility>

#include "core/to_size.h"
#include "core/units.h"
#include "measure/helper_influences.h"
#include "mesh/skinning.h"
#include "scene/thin_sheets.h"

namespace clipmill::measure {
namespace {

// Volumes that differ by less are the same: of a pose that is held the first frame is reported.
constexpr double kSamePercent = 1e-6;
// Of the volume of the whole skin: a finger has less, a hand more.
constexpr double kMinPart = 1.0 / 500.0;

}  // namespace

LimbVolumeMeter::LimbVolumeMeter(const Scene& scene, SkinSurface surface)
    : scene_(&scene), surface_(std::move(surface)), volumes_(surface_, scene.skeleton) {
  const double whole_m3 = std::abs(enclosedVolume(surface_.positions, surface_.triangles));
  for (std::size_t limb = 0; limb < volumes_.limbCount(); ++limb) {
    if (std::abs(volumes_.restVolume(limb)) >= kMinPart * whole_m3) limbs_.push_back(limb);
  }
}

std::optional<LimbVolumeMeter> LimbVolumeMeter::make(const Scene& scene) {
  Warnings warnings;
  Result<SkinSurface> surface = makeSkinSurface(scene, warnings);
  if (!surface) return std::nullopt;
  partThinSheets(*surface);
  // The limbs of a file that was baked are those that it had.
  mergeHelperInfluences(scene.skeleton, *surface);
  LimbVolumeMeter meter(scene, std::move(*surface));
  if (meter.limbs_.empty()) return std::nullopt;
  return meter;
}

// Vertices that share a point have one position, unless morphs part them: the last one counts.
void LimbVolumeMeter::pose(const Motion& motion, std::size_t frame,
                           std::vector<Vec3>& positions) const {
  std::vector<Affine> worlds;
  computeWorlds(scene_->skeleton, motion.localsOf(frame), scene_->metric_from_file, worlds);
  positions = surface_.positions;
  PosedVertices posed;
  for (const SurfacePart& part : surface_.parts) {
    const SkinnedMesh& mesh = scene_->meshes[part.mesh];
    const Node& node = scene_->skeleton.nodes[toSize(mesh.node)];
    const auto weights =
        motion.weightsOf(frame).subspan(toSize(node.weights_start), toSize(node.weights_count));
    const Skin* skin = mesh.skin < 0 ? nullptr : &scene_->skins[toSize(mesh.skin)];
    poseMesh(mesh, skin, worlds, weights, posed);
    for (std::size_t v = 0; v < part.point_of_vertex.size(); ++v) {
      const std::uint32_t point = part.point_of_vertex[v];
      if (point != kNoPoint) positions[point] = posed.positions[v];
    }
  }
}

std::vector<LimbVolume> LimbVolumeMeter::measure(const Motion& motion) const {
  std::vector<LimbVolume> results;
  for (const std::size_t limb : limbs_) {
    const auto node = toSize(volumes_.nodeOf(limb));
    results.push_back({scene_->skeleton.nodes[node].name});
  }
  std::vector<Vec3> positions;
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    pose(motion, frame, positions);
    for (std::size_t i = 0; i < limbs_.size(); ++i) {
      const double percent = kPercent * volumes_.share(limbs_[i], positions);
      LimbVolume& result = results[i];
      if (frame == 0 || percent < result.min_percent - kSamePercent) {
        result.min_percent = percent;
        result.min_at_s = motion.grid.timeOf(frame);
      }
      if (frame == 0 || percent > result.max_percent) result.max_percent = percent;
    }
  }
  return results;
}

}  // namespace clipmill::measure
