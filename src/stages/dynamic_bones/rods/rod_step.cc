// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rods/rod_step.h"

#include <algorithm>
#include <cmath>

#include "core/to_size.h"
#include "stages/dynamic_bones/rig/rig_pose.h"

namespace clipmill::stages::dynamic_bones {
namespace {

constexpr double kSpectralRadius = 0.7;  // at infinite frequency: 0 = most, 1 = no damping
constexpr int kMaxRodIterations = 24;
constexpr double kMaxRotation_rad = 0.5;  // in one iteration
constexpr double kConverged_rad =
    1e-3;  // the next iteration would change less than a hundredth of it
constexpr double kNearHalfRotation = 1e-12;  // squared cosine of half the angle
constexpr double kMinGiveShare = 1e-14;      // of a joint's Hessian

// The shortest arc between unit vectors as a quaternion of unit length.
Quat arcBetween(const Vec3& from, const Vec3& to) {
  const double square = std::max(0.5 + 0.5 * glm::dot(from, to), kNearHalfRotation);
  const double w = std::sqrt(square);
  const Vec3 v = glm::cross(from, to) * (0.5 / w);
  const double scale = 1.0 / std::sqrt(square + glm::dot(v, v));
  return Quat(w * scale, v.x * scale, v.y * scale, v.z * scale);
}

// 4 tan(angle / 4) times the axis.
Vec3 strainOf(const Quat& arc) {
  const double sign = arc.w < 0.0 ? -1.0 : 1.0;
  return Vec3(arc.x, arc.y, arc.z) * (4.0 * sign / (1.0 + sign * arc.w));
}

Vec3 unitOr(const Vec3& v, const Vec3& fallback) {
  const double square = glm::dot(v, v);
  if (!(square > 0.0 && std::isfinite(square))) return fallback;
  return v * (1.0 / std::sqrt(square));
}

const Vec3& headOf(const RodSystem& system, const RodTree& tree, const RodJoint& joint) {
  return joint.parent_bone < 0 ? tree.next_head.position_m
                               : system.bones[toSize(joint.parent_bone)].next.position_m;
}

void takeParentAxes(RodSystem& system, RodJoint& joint, const Quat& world_from_parent) {
  if (joint.parent_joint < 0) {
    joint.world_from_parent = world_from_parent;
  } else {
    const Quat& above = system.joints[toSize(joint.parent_joint)].world_from_joint;
    joint.world_from_parent = joint.is_straight ? above : above * joint.between;
  }
}

// Orientation and strain of a joint by the directions of its bones.
void orient(RodSystem& system, RodJoint& joint) {
  if (joint.isFork()) {
    // The state is the rotation itself.
    const Quat drawn = joint.world_from_parent * joint.drawn;
    const Quat bend = glm::conjugate(joint.world_from_parent) *
                      (joint.world_from_joint * glm::conjugate(drawn)) * joint.world_from_parent;
    joint.next_strain = strainOf(bend);
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      system.bones[b].direction = joint.world_from_joint * system.bones[b].in_joint;
    }
    return;
  }
  const RodBone& bone = system.bones[joint.bones_start];
  const Vec3 direction = glm::conjugate(joint.world_from_parent) * bone.direction;
  const Quat arc = arcBetween(bone.aim, direction);
  joint.next_strain =
      strainOf(bone.is_aimed_as_carried ? arc : arcBetween(bone.carried, direction));
  joint.world_from_joint = joint.world_from_parent * (arc * joint.rolled);
}

// The joint's rotation that comes nearest to the given directions of its bones.
void aimFork(RodSystem& system, RodJoint& joint) {
  const Quat base = joint.world_from_parent * joint.rolled;
  MeanRotation mean;
  for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
    mean.add(arcBetween(base * system.bones[b].in_joint, system.bones[b].direction));
  }
  joint.world_from_joint = normalizedOrIdentity(mean.value() * base);
}

void extrapolate(const RodTime& time, const RodPoint& from, Vec3& predicted_m) {
  predicted_m =
      from.position_m +
      time.step_s * (from.velocity_mps + (0.5 - time.beta) * time.step_s * from.algorithmic_mps2);
}

// Velocity and accelerations that belong to the new position.
void differentiate(const RodTime& time, const RodPoint& from, const Vec3& predicted_m,
                   RodPoint& to) {
  to.algorithmic_mps2 =
      (to.position_m - predicted_m) * (1.0 / (time.beta * time.step_s * time.step_s));
  to.velocity_mps = from.velocity_mps + time.step_s * ((1.0 - time.gamma) * from.algorithmic_mps2 +
                                                       time.gamma * to.algorithmic_mps2);
  to.acceleration_mps2 =
      ((1.0 - time.alpha_m) * to.algorithmic_mps2 + time.alpha_m * from.algorithmic_mps2 -
       time.alpha_f * from.acceleration_mps2) *
      (1.0 / (1.0 - time.alpha_f));
}

Vec3 deficitOf(const RodBone& bone, const RodPoint& point) {
  return point.acceleration_mps2 + bone.air_drag_per_s * point.velocity_mps - bone.gravity_mps2 -
         bone.wind_mps2;
}

void moveHead(RodSystem& system, RodTree& tree, const RodTime& time, const Vec3& head_m) {
  if (tree.is_new) {
    tree.head.velocity_mps = (head_m - tree.head.position_m) / time.step_s;
    tree.head.algorithmic_mps2 = tree.head.acceleration_mps2 = Vec3(0.0);
    tree.is_new = false;
  }
  Vec3 predicted_m;
  extrapolate(time, tree.head, predicted_m);
  tree.next_head.position_m = head_m;
  differentiate(time, tree.head, predicted_m, tree.next_head);
  const RodJoint& root = system.joints[tree.joints.front()];
  tree.head_deficit_mps2 = deficitOf(system.bones[root.bones_start], tree.next_head);
}

// Where the last velocities and accelerations would put all bones.
void predict(RodSystem& system, RodTree& tree, const RodTime& time, const Quat& world_from_parent) {
  for (std::size_t j : tree.joints) {
    RodJoint& joint = system.joints[j];
    const Vec3 head = headOf(system, tree, joint);
    takeParentAxes(system, joint, world_from_parent);
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      RodBone& bone = system.bones[b];
      extrapolate(time, bone.end, bone.predicted_m);
      const Vec3 ahead =
          bone.predicted_m + time.beta * time.step_s * time.step_s * bone.end.algorithmic_mps2;
      bone.direction = unitOr(ahead - head, bone.direction);
      bone.next.position_m = head + bone.length_m * bone.direction;
    }
    if (joint.isFork()) aimFork(system, joint);
    orient(system, joint);
  }
}

// Positions, accelerations and moments under the current directions.
void evaluate(RodSystem& system, RodTree& tree, const RodTime& time,
              const Quat& world_from_parent) {
  const double per_step = 1.0 / time.step_s;
  for (std::size_t j : tree.joints) {
    RodJoint& joint = system.joints[j];
    takeParentAxes(system, joint, world_from_parent);
    orient(system, joint);
    const Vec3 rate =
        (1.5 * joint.next_strain - 2.0 * joint.strain + 0.5 * joint.strain_before) * per_step;
    const Vec3 moment =
        joint.stiffness * (joint.next_strain + joint.damping_s * rate) - joint.rest_moment;
    joint.moment = joint.world_from_parent * moment;
    const Vec3 head = headOf(system, tree, joint);
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      RodBone& bone = system.bones[b];
      bone.next.position_m = head + bone.length_m * bone.direction;
      differentiate(time, bone.end, bone.predicted_m, bone.next);
      bone.deficit_mps2 = deficitOf(bone, bone.next);
      bone.hanging = RodResponse();
    }
  }
}

// The matrix of cross(v, x), x.
Mat3 crossMatrix(const Vec3& v) {
  return Mat3(Vec3(0, v.z, -v.y), Vec3(-v.z, 0, v.x), Vec3(v.y, -v.x, 0));
}

// crossMatrix(v) * m
Mat3 crossColumns(const Vec3& v, const Mat3& m) {
  return Mat3(glm::cross(v, m[0]), glm::cross(v, m[1]), glm::cross(v, m[2]));
}

// Adds a bone, with what hangs on its end, to the response of its joint's head.
void addBone(const RodBone& bone, const Vec3& head_deficit, const RodTime& time,
             RodResponse& response) {
  const RodResponse& hanging = bone.hanging;
  const Vec3 r = bone.length_m * bone.direction;
  const Mat3 x = crossMatrix(r);
  const double inertia =
      bone.mass * (time.acceleration_per_m + bone.air_drag_per_s * time.velocity_per_m);
  // The matrix a is symmetric.
  const Mat3 ax = -glm::transpose(crossColumns(r, hanging.a)), xb = crossColumns(r, hanging.b);
  response.a += hanging.a + Mat3(inertia);
  response.b += hanging.b - ax - (0.5 * inertia) * x;
  const double third = inertia * (1.0 / 3.0);
  response.c += hanging.c - crossColumns(r, ax) + xb + glm::transpose(xb) +
                Mat3(third * bone.length_m * bone.length_m) - third * glm::outerProduct(r, r);
  const double sixth = bone.mass * (1.0 / 6.0);
  const Vec3 at_head = sixth * (2.0 * head_deficit + bone.deficit_mps2);
  const Vec3 at_end = sixth * (head_deficit + 2.0 * bone.deficit_mps2) + hanging.push;
  // Tension holds the bone straight; compression would make the matrix indefinite.
  const double tension = -glm::dot(at_end, bone.direction);
  if (tension > 0.0) {
    response.c += Mat3(tension * bone.length_m) -
                  (tension * bone.length_m) * glm::outerProduct(bone.direction, bone.direction);
  }
  response.push += at_head + at_end;
  response.torque += hanging.torque + glm::cross(r, at_end);
}

// Two unit vectors normal to a unit vector (Duff et al. 2017).
void normalsOf(const Vec3& n, Vec3& first, Vec3& second) {
  const double sign = n.z < 0.0 ? -1.0 : 1.0;
  const double a = -1.0 / (sign + n.z), b = n.x * n.y * a;
  first = Vec3(1.0 + sign * n.x * n.x * a, sign * b, -sign * n.x);
  second = Vec3(b, sign + n.y * n.y * a, -n.y);
}

// Eliminates the swing of a joint with one bone: what is left is the response of its head, and of
// the joint above, which its roll follows.
bool eliminateSwing(RodJoint& joint, const Vec3& direction, double stiffness,
                    RodResponse& response) {
  normalsOf(direction, joint.axis_1, joint.axis_2);
  joint.spin_1 = response.c * joint.axis_1;
  joint.spin_2 = response.c * joint.axis_2;
  joint.pull_1 = response.b * joint.axis_1;
  joint.pull_2 = response.b * joint.axis_2;
  const double m11 = glm::dot(joint.axis_1, joint.spin_1) + stiffness;
  const double m12 = glm::dot(joint.axis_1, joint.spin_2);
  const double m22 = glm::dot(joint.axis_2, joint.spin_2) + stiffness;
  const double determinant = m11 * m22 - m12 * m12;
  if (!(determinant > kMinGiveShare * m11 * m22)) return false;
  const double inverse = 1.0 / determinant;
  joint.give_11 = m22 * inverse;
  joint.give_12 = -m12 * inverse;
  joint.give_22 = m11 * inverse;
  const Vec3 load = response.torque + joint.moment;
  joint.load_1 = glm::dot(joint.axis_1, load);
  joint.load_2 = glm::dot(joint.axis_2, load);
  if (joint.parent_joint < 0) return true;
  const Vec3 p1 = joint.pull_1 * joint.give_11 + joint.pull_2 * joint.give_12;
  const Vec3 p2 = joint.pull_1 * joint.give_12 + joint.pull_2 * joint.give_22;
  const Vec3 t1 = joint.spin_1 * joint.give_11 + joint.spin_2 * joint.give_12;
  const Vec3 t2 = joint.spin_1 * joint.give_12 + joint.spin_2 * joint.give_22;
  for (int k = 0; k < 3; ++k) {
    response.a[k] -= p1 * joint.pull_1[k] + p2 * joint.pull_2[k];
    response.b[k] -= p1 * joint.spin_1[k] + p2 * joint.spin_2[k];
    response.c[k] -= t1 * joint.spin_1[k] + t2 * joint.spin_2[k];
  }
  response.push -= p1 * joint.load_1 + p2 * joint.load_2;
  response.torque -= t1 * joint.load_1 + t2 * joint.load_2;
  return true;
}

// The same for a joint that rotates about all axes.
bool eliminateFork(RodJoint& joint, double stiffness, RodResponse& response) {
  const Mat3 hessian = response.c + Mat3(stiffness);
  const double determinant = glm::determinant(hessian);
  const double scale = hessian[0][0] + hessian[1][1] + hessian[2][2];
  if (!(determinant > kMinGiveShare * scale * scale * scale)) return false;
  joint.give = glm::inverse(hessian);
  joint.pull = response.b;
  joint.spin = response.c;
  joint.load = response.torque + joint.moment;
  const Mat3 p = joint.pull * joint.give, t = joint.spin * joint.give;
  response.a -= p * glm::transpose(joint.pull);
  response.b -= p * joint.spin;
  response.c -= t * joint.spin;
  response.push -= p * joint.load;
  response.torque -= t * joint.load;
  return true;
}

bool eliminate(RodSystem& system, const RodTree& tree, const RodTime& time) {
  for (auto at = tree.joints.rbegin(); at != tree.joints.rend(); ++at) {
    RodJoint& joint = system.joints[*at];
    const Vec3& head_deficit = joint.parent_bone < 0
                                   ? tree.head_deficit_mps2
                                   : system.bones[toSize(joint.parent_bone)].deficit_mps2;
    RodResponse response;
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      addBone(system.bones[b], head_deficit, time, response);
    }
    const double stiffness = joint.stiffness * (1.0 + 1.5 * joint.damping_s / time.step_s);
    const bool is_solved =
        joint.isFork()
            ? eliminateFork(joint, stiffness, response)
            : eliminateSwing(joint, system.bones[joint.bones_start].direction, stiffness, response);
    if (!is_solved) return false;
    if (joint.parent_bone < 0) continue;
    RodResponse& above = system.bones[toSize(joint.parent_bone)].hanging;
    above.a += response.a;
    above.b += response.b;
    above.c += response.c;
    above.push += response.push;
    above.torque += response.torque;
  }
  return true;
}

// Rotations from the root to the tips; returns the largest one.
double substitute(RodSystem& system, const RodTree& tree) {
  double max_square = 0.0;
  for (std::size_t j : tree.joints) {
    RodJoint& joint = system.joints[j];
    Vec3 above(0.0), displacement(0.0);
    if (joint.parent_bone >= 0) {
      above = system.joints[toSize(joint.parent_joint)].rotation;
      displacement = system.bones[toSize(joint.parent_bone)].displacement;
    }
    if (joint.isFork()) {
      const Vec3 load = joint.load + displacement * joint.pull + above * joint.spin;
      joint.rotation = above - joint.give * load;
    } else {
      const double load_1 =
          joint.load_1 + glm::dot(joint.pull_1, displacement) + glm::dot(joint.spin_1, above);
      const double load_2 =
          joint.load_2 + glm::dot(joint.pull_2, displacement) + glm::dot(joint.spin_2, above);
      joint.rotation = above - joint.axis_1 * (joint.give_11 * load_1 + joint.give_12 * load_2) -
                       joint.axis_2 * (joint.give_12 * load_1 + joint.give_22 * load_2);
    }
    max_square = std::max(max_square, glm::dot(joint.rotation, joint.rotation));
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      RodBone& bone = system.bones[b];
      bone.displacement = displacement + glm::cross(joint.rotation, bone.length_m * bone.direction);
    }
  }
  return std::sqrt(max_square);
}

void rotateBones(RodSystem& system, const RodTree& tree, double share) {
  for (std::size_t j : tree.joints) {
    RodJoint& joint = system.joints[j];
    const Vec3 w = joint.rotation * share;
    if (joint.isFork()) {
      const Quat small(1.0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z);
      joint.world_from_joint = normalizedOrIdentity(small * joint.world_from_joint);
      continue;
    }
    Vec3& direction = system.bones[joint.bones_start].direction;
    const Vec3 rotated = direction + glm::cross(w, direction + 0.5 * glm::cross(w, direction));
    direction = unitOr(rotated, direction);
  }
}

// Goes on from an unsolved step at the speed at which the ends moved.
void dropAccelerations(RodSystem& system, const RodTree& tree, const RodTime& time) {
  for (std::size_t j : tree.joints) {
    const RodJoint& joint = system.joints[j];
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      RodBone& bone = system.bones[b];
      bone.next.velocity_mps = (bone.next.position_m - bone.end.position_m) / time.step_s;
      bone.next.algorithmic_mps2 = bone.next.acceleration_mps2 = Vec3(0.0);
    }
  }
}

}  // namespace

RodTime makeRodTime(double step_s) {
  // Chung and Hulbert 1993: second order, the least damping of low frequencies for that radius.
  RodTime time;
  time.step_s = step_s;
  time.alpha_m = (2.0 * kSpectralRadius - 1.0) / (kSpectralRadius + 1.0);
  time.alpha_f = kSpectralRadius / (kSpectralRadius + 1.0);
  time.gamma = 0.5 + time.alpha_f - time.alpha_m;
  time.beta = 0.25 * (time.gamma + 0.5) * (time.gamma + 0.5);
  time.velocity_per_m = time.gamma / (time.beta * step_s);
  time.acceleration_per_m =
      (1.0 - time.alpha_m) / ((1.0 - time.alpha_f) * time.beta * step_s * step_s);
  return time;
}

bool solveRodStep(RodSystem& system, RodTree& tree, const RodTime& time, const Vec3& head_m,
                  const Quat& world_from_parent) {
  moveHead(system, tree, time, head_m);
  predict(system, tree, time, world_from_parent);
  bool has_converged = false;
  for (int i = 0; i < kMaxRodIterations && !has_converged; ++i) {
    evaluate(system, tree, time, world_from_parent);
    if (!eliminate(system, tree, time)) break;
    const double rotation_rad = substitute(system, tree);
    if (!std::isfinite(rotation_rad)) break;
    rotateBones(system, tree,
                std::min(1.0, kMaxRotation_rad / std::max(rotation_rad, kConverged_rad)));
    has_converged = rotation_rad < kConverged_rad;
  }
  evaluate(system, tree, time, world_from_parent);
  if (!has_converged) dropAccelerations(system, tree, time);
  return has_converged;
}

void orientRods(RodSystem& system, RodTree& tree, const Vec3& head_m,
                const Quat& world_from_parent) {
  tree.next_head.position_m = head_m;
  for (std::size_t j : tree.joints) {
    RodJoint& joint = system.joints[j];
    const Vec3 head = headOf(system, tree, joint);
    takeParentAxes(system, joint, world_from_parent);
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      RodBone& bone = system.bones[b];
      bone.direction = unitOr(bone.next.position_m - head, bone.direction);
    }
    if (joint.isFork()) aimFork(system, joint);
    orient(system, joint);
  }
}

void poseRods(RodSystem& system, RodTree& tree, const Vec3& head_m, const Quat& world_from_parent) {
  tree.next_head.position_m = head_m;
  for (std::size_t j : tree.joints) {
    RodJoint& joint = system.joints[j];
    const Vec3 head = headOf(system, tree, joint);
    takeParentAxes(system, joint, world_from_parent);
    const Quat drawn = joint.world_from_parent * joint.drawn;
    if (joint.isFork()) joint.world_from_joint = drawn;
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      RodBone& bone = system.bones[b];
      bone.direction = joint.world_from_parent * bone.carried;
      bone.next.position_m = head + bone.length_m * bone.direction;
    }
    orient(system, joint);
  }
}

}  // namespace clipmill::stages::dynamic_bones
