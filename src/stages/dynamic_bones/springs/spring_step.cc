// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/spring_step.h"

#include <cmath>

#include "core/portable_math.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// (1 - exp(-x)) / x for x >= 0, without loss near 0.
double decayRatio(double x) {
  // The series is exact to the last bit below this, and the quotient loses 3 digits above.
  if (x < 1e-3) return 1.0 - x * (0.5 - x * (1.0 / 6.0 - x * (1.0 / 24.0 - x / 120.0)));
  return (1.0 - portable::exp(-x)) / x;
}

// (1 - (1 - exp(-x)) / x) / x for x >= 0: 1/2 at 0.
double startRatio(double x) {
  if (x < 1e-3) return 0.5 - x * (1.0 / 6.0 - x * (1.0 / 24.0 - x * (1.0 / 120.0 - x / 720.0)));
  return (1.0 - decayRatio(x)) / x;
}

// Displacement by a unit of constant acceleration for a decay `rate` and an angular frequency, in
// units of step^2: |(1 - exp(-z)) / z|^2 where the roots are complex, z = rate/2 + i angle, and the
// product of both roots' ratios where they are real.
double forceRatio(double damping, double pull) {
  const double half = 0.5 * damping;
  const double split = half * half - pull * pull;
  if (split < 0.0) {
    const double angle = std::sqrt(-split);
    const double sine = portable::sin(0.5 * angle);
    const double decayed = half * decayRatio(half);  // 1 - exp(-half)
    return (decayed * decayed + 4.0 * (1.0 - decayed) * sine * sine) / (pull * pull);
  }
  const double fast = half + std::sqrt(split);
  const double slow = fast > 0.0 ? pull * pull / fast : 0.0;
  return decayRatio(fast) * decayRatio(slow);
}

}  // namespace

SpringStep makeSpringStep(double frequency_hz, double damping_ratio, double air_drag_per_s,
                          double step_s) {
  const double pull = 2.0 * kPi * frequency_hz * step_s;  // w h
  const double damping = 2.0 * damping_ratio * pull + air_drag_per_s * step_s;
  const double force = forceRatio(damping, pull);
  SpringStep step;
  step.kept = portable::exp(-damping);
  step.pulled = force * pull * pull;
  step.force_s2 = force * step_s * step_s;
  step.target_share = force / decayRatio(damping);
  step.first_force_s2 = step.target_share * startRatio(damping) * step_s * step_s;
  step.first_s = step_s * decayRatio(damping);
  step.pose_drag_per_s = 4.0 * kPi * damping_ratio * frequency_hz;
  return step;
}

Vec3 springStep(const SpringStep& step, const Vec3& offset, const Vec3& offset_before,
                const Vec3& target_move, const Vec3& target_move_before, const Vec3& pose_velocity,
                const Vec3& acceleration) {
  return offset + (offset - offset_before) * step.kept - offset * step.pulled +
         (acceleration + pose_velocity * step.pose_drag_per_s) * step.force_s2 -
         (target_move - target_move_before * step.kept) * step.target_share;
}

Vec3 firstSpringStep(const SpringStep& step, const Vec3& target_move, const Vec3& pose_velocity,
                     const Vec3& acceleration) {
  return (acceleration + pose_velocity * step.pose_drag_per_s) * step.first_force_s2 -
         (target_move - pose_velocity * step.first_s) * step.target_share;
}

Vec3 projectOnLength(const Vec3& head_m, const Vec3& point, const Vec3& old_bone, double length_m) {
  const Vec3 path = point - head_m;
  const double old_length = std::sqrt(glm::dot(old_bone, old_bone));
  if (old_length > 0.0) {
    const Vec3 normal = old_bone / old_length;
    const double along = glm::dot(path, normal);
    const double root_square = along * along - (glm::dot(path, path) - length_m * length_m);
    if (along > 0.0 && root_square >= 0.0)
      return head_m + path - normal * (along - std::sqrt(root_square));
  }
  const double length = std::sqrt(glm::dot(path, path));
  if (length > 0.0) return head_m + path * (length_m / length);
  return head_m + (old_length > 0.0 ? old_bone * (length_m / old_length) : Vec3(0, length_m, 0));
}

double smoothingOver(double share, double step_s) {
  return 1.0 - portable::pow(1.0 - share, 60.0 * step_s);
}

}  // namespace clipmill::stages::dynamic_bones
