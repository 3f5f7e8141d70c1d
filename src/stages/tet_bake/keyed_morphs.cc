// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/keyed_morphs.h"

#include <optional>

#include "core/to_size.h"

namespace clipmill::stages::tet_bake {

Motion keyedMotion(const Skeleton& before, const Skeleton& after, const Motion& motion,
                   std::span<const AddedMorph> morphs, std::span<const std::size_t> numbers,
                   std::span<const std::vector<double>> rows, std::size_t start) {
  Motion result = withAdditions(before, after, motion);
  std::vector<int> next(before.size());  // joints that are added show no mesh
  for (std::size_t n = 0; n < next.size(); ++n) {
    next[n] = after.nodes[n].weights_start + before.nodes[n].weights_count;
  }
  for (std::size_t m = 0; m < morphs.size(); ++m) {
    const int node = morphs[m].node;
    const auto column = toSize(next[toSize(node)]++);
    const std::vector<double>& weights = rows[numbers[m]];
    for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
      result.frame(f).weights[column] = weights[start + f];
    }
    result.modified.set(node, TrackPath::kWeights);
  }
  return result;
}

void reportMorphs(const BakeRig& rig, std::size_t count, std::size_t bytes, StageResult& result) {
  if (!rig.twist.empty()) {
    const auto joints = static_cast<double>(rig.twist.fit.bones.size());
    result.metrics.push_back({"twist_joints", std::nullopt, joints});
  }
  result.metrics.push_back({"morphs", std::nullopt, static_cast<double>(count)});
  result.metrics.push_back({"morph_bytes", std::nullopt, static_cast<double>(bytes)});
}

void reportKeptFloat(std::size_t count, StageResult& result) {
  if (count == 0) return;
  result.warnings.add(
      "morph_kept_float",
      "a morph target is stored as floats, because it moves a vertex by more than 1 "
      "unit of its mesh and int16 would need weights above 1",
      "", count);
}

}  // namespace clipmill::stages::tet_bake
