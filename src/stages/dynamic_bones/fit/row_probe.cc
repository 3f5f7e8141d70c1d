// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/fit/row_probe.h"

namespace clipmill::stages::dynamic_bones {

std::vector<double> depthsOfBones(const RowProbe& probe) {
  double total_m = 0.0;
  for (const Vec3& vector_m : probe.vectors_m) total_m += lengthOf(vector_m);
  std::vector<double> depths;
  double above_m = 0.0;
  for (const Vec3& vector_m : probe.vectors_m) {
    above_m += lengthOf(vector_m);
    depths.push_back(total_m > 0.0 ? above_m / total_m : 1.0);
  }
  return depths;
}

void posedEnds(const RowProbe& probe, std::size_t step, bool at_rest, std::vector<Vec3>& ends_m) {
  const std::size_t count = probe.boneCount();
  ends_m.resize(count);
  Quat rotation = probe.attachments[step];
  Vec3 head_m = probe.heads_m[step];
  for (std::size_t i = 0; i < count; ++i) {
    rotation = rotation * (at_rest ? probe.rest_rotations[i] : probe.rotations[step * count + i]);
    head_m += rotation * probe.vectors_m[i];
    ends_m[i] = head_m;
  }
}

}  // namespace clipmill::stages::dynamic_bones
