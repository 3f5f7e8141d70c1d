// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/blend/pose_mix.h"

#include <cmath>
#include <cstddef>
#include <vector>

#include "core/to_size.h"

namespace clipmill::stages::blend {
namespace {

// Index of the only value with weight; -1 where there are several.
int onlyOf(std::span<const double> weights) {
  int only = -1;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0.0) continue;
    if (only >= 0) return -1;
    only = static_cast<int>(i);
  }
  return only;
}

// The unit vector that the sum of w q q^T stretches most: it knows no sign and no order. Squaring a
// matrix again and again leaves nothing but that direction.
Quat principalAxis(std::span<const Quat> rotations, std::span<const double> weights) {
  constexpr int kSquarings = 24;
  Mat4 sum(0.0);
  for (std::size_t i = 0; i < rotations.size(); ++i) {
    const Vec4 q(rotations[i].x, rotations[i].y, rotations[i].z, rotations[i].w);
    sum += glm::outerProduct(q, q) * weights[i];
  }
  for (int k = 0; k < kSquarings; ++k) {
    const double trace = sum[0][0] + sum[1][1] + sum[2][2] + sum[3][3];
    sum = sum * (1.0 / trace);
    sum = sum * sum;
  }
  int largest = 0;
  for (int i = 1; i < 4; ++i) {
    if (sum[i][i] > sum[largest][largest]) largest = i;
  }
  const Vec4& axis = sum[largest];
  return normalizedOrIdentity(Quat(axis.w, axis.x, axis.y, axis.z));
}

Quat meanOfMany(std::span<const Quat> rotations, std::span<const double> weights) {
  constexpr int kMaxSteps = 32;
  constexpr double kNoRotation_rad = 1e-14;
  Quat mean = principalAxis(rotations, weights);
  for (int k = 0; k < kMaxSteps; ++k) {
    Vec3 left_rad(0.0);
    for (std::size_t i = 0; i < rotations.size(); ++i) {
      left_rad += rotationVector(mean, rotations[i]) * weights[i];
    }
    mean = normalizedOrIdentity(rotatedBy(left_rad) * mean);
    if (glm::dot(left_rad, left_rad) < kNoRotation_rad * kNoRotation_rad) break;
  }
  return mean;
}

double ratio(double value, double reference) { return reference == 0.0 ? 1.0 : value / reference; }

}  // namespace

Quat meanRotation(std::span<const Quat> rotations, std::span<const double> weights) {
  if (const int only = onlyOf(weights); only >= 0) return rotations[toSize(only)];
  std::size_t count = 0, first = 0, second = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] == 0.0) continue;
    first = count == 0 ? i : first;
    second = i;
    ++count;
  }
  if (count == 0) return kIdentityRotation;
  if (count == 2) return slerp(rotations[first], rotations[second], weights[second]);
  return meanOfMany(rotations, weights);
}

Transform meanTransform(std::span<const Transform> locals, std::span<const double> weights) {
  if (const int only = onlyOf(weights); only >= 0) return locals[toSize(only)];
  constexpr std::size_t kUsual = 8;
  Quat few[kUsual];
  std::vector<Quat> many(locals.size() > kUsual ? locals.size() : 0);
  const std::span<Quat> rotations =
      many.empty() ? std::span<Quat>(few, locals.size()) : std::span<Quat>(many);
  Transform mean{Vec3(0.0), kIdentityRotation, Vec3(0.0)};
  for (std::size_t i = 0; i < locals.size(); ++i) {
    mean.translation += locals[i].translation * weights[i];
    mean.scale += locals[i].scale * weights[i];
    rotations[i] = normalizedOrIdentity(locals[i].rotation);
  }
  mean.rotation = meanRotation(rotations, weights);
  return mean;
}

Transform differenceFrom(const Transform& reference, const Transform& local) {
  return {local.translation - reference.translation,
          glm::conjugate(normalizedOrIdentity(reference.rotation)) *
              normalizedOrIdentity(local.rotation),
          Vec3(ratio(local.scale.x, reference.scale.x), ratio(local.scale.y, reference.scale.y),
               ratio(local.scale.z, reference.scale.z))};
}

Transform withDifference(const Transform& base, const Transform& difference, double weight) {
  const Quat rotation = slerp(kIdentityRotation, difference.rotation, weight);
  return {base.translation + difference.translation * weight,
          normalizedOrIdentity(normalizedOrIdentity(base.rotation) * rotation),
          base.scale * (Vec3(1.0) + (difference.scale - Vec3(1.0)) * weight)};
}

}  // namespace clipmill::stages::blend
