// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/surface/unscaled_pose.h"

#include <algorithm>
#include <cmath>

#include "core/to_size.h"
#include "scene/bind_pose.h"

namespace clipmill::stages::tet_bake {
namespace {

// Strains below this are rounding of the file.
constexpr double kNoStretch = 1e-4;
constexpr int kMaxPolarSteps = 60;
constexpr double kPolarDone = 1e-15;

double normSquareOf(const Mat3& m) {
  return glm::dot(m[0], m[0]) + glm::dot(m[1], m[1]) + glm::dot(m[2], m[2]);
}

bool isIdentity(const Mat3& stretch) {
  return normSquareOf(stretch - Mat3(1.0)) <= kNoStretch * kNoStretch;
}

}  // namespace

bool polarRotation(const Mat3& matrix, Mat3& rotation) {
  if (!isInvertible({matrix, Vec3(0.0)})) return false;
  Mat3 step = glm::determinant(matrix) < 0.0 ? -matrix : matrix;
  step *= 1.0 / std::sqrt(normSquareOf(step) / 3.0);
  for (int i = 0; i < kMaxPolarSteps; ++i) {
    const Mat3 inverse_transposed = glm::transpose(glm::inverse(step));
    // Scaled by the norms, the steps are few for flat matrices too.
    const double scale =
        std::sqrt(std::sqrt(normSquareOf(inverse_transposed) / normSquareOf(step)));
    const Mat3 next = (step * scale + inverse_transposed * (1.0 / scale)) * 0.5;
    const double change = normSquareOf(next - step);
    step = next;
    if (change <= kPolarDone * kPolarDone) break;
  }
  rotation = step;
  return true;
}

Mat3 UnscaledPose::stretchOf(std::span<const Influence> influences) const {
  if (!has_scale) return Mat3(1.0);
  Mat3 sum(0.0);
  for (const Influence& influence : influences) sum += stretch[influence.joint] * influence.weight;
  return sum;
}

ScaleRemover::ScaleRemover(const Skeleton& skeleton, const SkinSurface& surface)
    : above_(skeleton.size(), -1) {
  std::vector<char> moves_skin(skeleton.size(), 0), is_done(skeleton.size(), 0);
  for (const Influence& influence : surface.influences) {
    if (influence.joint < moves_skin.size()) moves_skin[influence.joint] = 1;
  }
  for (const Affine& world : surface.bind_world_from_node) {
    bind_positions_.push_back(world.translation);
  }
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    int parent = skeleton.nodes[n].parent;
    while (parent >= 0 && !moves_skin[toSize(parent)]) {
      parent = skeleton.nodes[toSize(parent)].parent;
    }
    above_[n] = parent;
  }
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    std::vector<std::size_t> chain;
    for (int m = static_cast<int>(n); moves_skin[n] && m >= 0 && !is_done[toSize(m)];) {
      is_done[toSize(m)] = 1;
      chain.push_back(toSize(m));
      m = above_[toSize(m)];
    }
    order_.insert(order_.end(), chain.rbegin(), chain.rend());
  }
}

UnscaledPose ScaleRemover::remove(std::span<const Affine> world_from_bind) const {
  UnscaledPose pose;
  pose.world_from_bind.assign(world_from_bind.begin(), world_from_bind.end());
  std::vector<Mat3> rotations(world_from_bind.size(), Mat3(1.0));
  std::vector<Mat3> stretches(world_from_bind.size(), Mat3(1.0));
  for (const std::size_t n : order_) {
    const Mat3& linear = world_from_bind[n].linear;
    if (!polarRotation(linear, rotations[n]) && above_[n] >= 0) {
      rotations[n] = rotations[toSize(above_[n])];
    }
    stretches[n] = linear * glm::transpose(rotations[n]);
    pose.has_scale = pose.has_scale || !isIdentity(stretches[n]);
  }
  if (!pose.has_scale) return pose;
  for (const std::size_t n : order_) {
    const Vec3& joint = bind_positions_[n];
    Vec3 position = transformPoint(world_from_bind[n], joint);
    if (above_[n] >= 0) {
      const auto a = toSize(above_[n]);
      const Affine& above = world_from_bind[a];
      Vec3 displacement = position - transformPoint(above, joint);
      if (isInvertible(above)) {
        displacement = rotations[a] * (glm::inverse(above.linear) * displacement);
      }
      position = transformPoint(pose.world_from_bind[a], joint) + displacement;
    }
    pose.world_from_bind[n] = {rotations[n], position - rotations[n] * joint};
  }
  pose.stretch = std::move(stretches);
  return pose;
}

}  // namespace clipmill::stages::tet_bake
