// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rods/rod_stiffness.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {
namespace {

constexpr double kStandardGravity_mps2 = 9.81;
constexpr int kMaxModeSteps = 400;
constexpr double kModeTolerance = 1e-13;  // of the eigenvalue, from step to step

// Root of a function that grows through 0 between `low` and `high`: regula falsi with the Illinois
// modification (Dowell and Jarratt 1971).
template <class Function>
double growingRoot(const Function& function, double low, double high, double tolerance) {
  constexpr int kMaxSteps = 100;
  double at_low = function(low), at_high = function(high);
  for (int i = 0; i < kMaxSteps && high - low > tolerance; ++i) {
    double middle = low + (high - low) * (at_low / (at_low - at_high));
    if (!(middle > low && middle < high)) middle = 0.5 * (low + high);
    const double value = function(middle);
    if (std::abs(value) < tolerance) return middle;
    if (value > 0.0) {
      high = middle;
      at_high = value;
      at_low *= 0.5;
    } else {
      low = middle;
      at_low = value;
      at_high *= 0.5;
    }
  }
  return 0.5 * (low + high);
}

// Angles of all joints' bones under `moments` on the joints, flexural rigidity 1.
std::vector<double> anglesUnder(const RodShape& shape, std::span<const double> moments) {
  std::vector<double> angles(shape.joints.size());
  for (std::size_t j = 0; j < shape.joints.size(); ++j) {
    const RodShape::Joint& joint = shape.joints[j];
    const double above =
        joint.parent_bone < 0 ? 0.0 : angles[toSize(shape.bones[toSize(joint.parent_bone)].joint)];
    angles[j] = above + moments[j] / joint.bend;
  }
  return angles;
}

// Displacements across a hanging rod, and the forces by which they accelerate the mass.
class ModeIteration {
 public:
  ModeIteration(const RodShape& shape, double rigidity, double gravity_mps2)
      : shape_(shape),
        rigidity_(rigidity),
        ends_(shape.bones.size()),
        shears_(shape.bones.size()),
        weights_(shape.joints.size(), 0.0),
        angles_(shape.joints.size()) {
    std::vector<double> carried(ends_.size(), 0.0);
    for (std::size_t j = shape.joints.size(); j-- > 0;) {
      const RodShape::Joint& joint = shape.joints[j];
      for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
        const RodShape::Bone& bone = shape.bones[b];
        weights_[j] += gravity_mps2 * bone.length_m * (carried[b] + 0.5 * bone.mass);
        if (joint.parent_bone >= 0) carried[toSize(joint.parent_bone)] += carried[b] + bone.mass;
      }
    }
    for (std::size_t b = 0; b < ends_.size(); ++b) {
      ends_[b] = headIn(ends_, b) + shape.bones[b].length_m;
    }
  }

  // One step of inverse iteration; returns the square of the frequency.
  double step() {
    takeAngles(momentsOfInertia());
    const std::vector<double> before = ends_;
    for (std::size_t b = 0; b < ends_.size(); ++b) {
      const double angle = angles_[toSize(shape_.bones[b].joint)];
      ends_[b] = headIn(ends_, b) + shape_.bones[b].length_m * angle;
    }
    const double old_square = productWith(before), product = productWith(ends_);
    double max_end = 0.0;
    for (double end : ends_) max_end = std::max(max_end, std::abs(end));
    if (!(product > 0.0 && max_end > 0.0)) return 0.0;
    for (double& end : ends_) end /= max_end;
    for (double& angle : angles_) angle /= max_end;
    return old_square / product;
  }

  double mass() {
    momentsOfInertia();
    return productWith(ends_);
  }
  // Sum over the joints of stiffness and square of the bend.
  double bendSquare() const {
    double sum = 0.0;
    for (std::size_t j = 0; j < angles_.size(); ++j) {
      const double bend = angles_[j] - angleAbove(j);
      sum += rigidity_ * shape_.joints[j].bend * bend * bend;
    }
    return sum;
  }

 private:
  double headIn(const std::vector<double>& ends, std::size_t b) const {
    const int parent = shape_.joints[toSize(shape_.bones[b].joint)].parent_bone;
    return parent < 0 ? 0.0 : ends[toSize(parent)];
  }
  int jointAbove(std::size_t j) const {
    const int parent = shape_.joints[j].parent_bone;
    return parent < 0 ? -1 : shape_.bones[toSize(parent)].joint;
  }
  double angleAbove(std::size_t j) const {
    const int above = jointAbove(j);
    return above < 0 ? 0.0 : angles_[toSize(above)];
  }
  double productWith(const std::vector<double>& ends) const {
    double sum = 0.0;
    for (std::size_t b = 0; b < ends.size(); ++b) {
      sum += own_[b] * ends[b] + own_heads_[b] * headIn(ends, b);
    }
    return sum;
  }

  // The moment of the inertia of each joint's own bones. Rods of uniform mass: m/6 (2 a + b) at the
  // end with the displacement a.
  std::vector<double> momentsOfInertia() {
    const std::size_t count = shape_.bones.size();
    own_.assign(count, 0.0);
    own_heads_.assign(count, 0.0);
    for (std::size_t b = 0; b < count; ++b) {
      const double sixth = shape_.bones[b].mass / 6.0, head = headIn(ends_, b);
      own_[b] = sixth * (2.0 * ends_[b] + head);
      own_heads_[b] = sixth * (2.0 * head + ends_[b]);
      shears_[b] = own_[b];
    }
    std::vector<double> moments(shape_.joints.size(), 0.0);
    for (std::size_t j = shape_.joints.size(); j-- > 0;) {
      const RodShape::Joint& joint = shape_.joints[j];
      double shear = 0.0;
      for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
        moments[j] += shape_.bones[b].length_m * shears_[b];
        shear += shears_[b] + own_heads_[b];
      }
      if (joint.parent_bone >= 0) shears_[toSize(joint.parent_bone)] += shear;
    }
    return moments;
  }

  // The angles under these moments: every joint is a spring to the one above, and its weight one to
  // the vertical. Elimination from the tips to the root.
  void takeAngles(std::vector<double> loads) {
    std::vector<double> stiffness = weights_;
    for (std::size_t j = loads.size(); j-- > 0;) {
      const int above = jointAbove(j);
      if (above < 0) continue;
      const double spring = rigidity_ * shape_.joints[j].bend;
      const double share = spring / (spring + stiffness[j]);
      stiffness[toSize(above)] += share * stiffness[j];
      loads[toSize(above)] += share * loads[j];
    }
    for (std::size_t j = 0; j < loads.size(); ++j) {
      const double spring = rigidity_ * shape_.joints[j].bend;
      angles_[j] = (loads[j] + spring * angleAbove(j)) / (stiffness[j] + spring);
    }
  }

  const RodShape& shape_;
  const double rigidity_;
  std::vector<double> ends_, shears_, own_, own_heads_;
  std::vector<double> weights_, angles_;  // one a joint
};

double iterate(ModeIteration& iteration) {
  double square = 0.0;
  for (int i = 0; i < kMaxModeSteps; ++i) {
    const double before = square;
    square = iteration.step();
    if (std::abs(square - before) <= kModeTolerance * square) break;
  }
  return std::sqrt(std::max(square, 0.0));
}

// A heavy chain, bone by bone from root to tip.
struct HeavyChain {
  std::vector<double> lengths_m, bends, weights;
};

// Shoots from the tip, whose bone is at `tip_rad`, to the root: the angle of the clamp. Ends where
// a bone would have to point straight up.
double clampAngle(const HeavyChain& chain, double rigidity, double tip_rad,
                  double* droop_rad = nullptr) {
  double angle = tip_rad, moment = 0.0, beyond = 0.0, forward = 0.0, down = 0.0;
  for (std::size_t i = chain.lengths_m.size(); i-- > 0;) {
    const auto [sine, cosine] = portable::sinCos(angle);
    moment += cosine * chain.lengths_m[i] * (beyond + 0.5 * chain.weights[i]);
    beyond += chain.weights[i];
    forward += chain.lengths_m[i] * cosine;
    down += chain.lengths_m[i] * sine;
    angle -= 2.0 * portable::atan(0.5 * moment / (rigidity * chain.bends[i]));
    if (angle < -0.5 * kPi && i > 0) break;
  }
  if (droop_rad) *droop_rad = portable::atan2(down, forward);
  return angle;
}

double droopOf_rad(const HeavyChain& chain, double rigidity) {
  constexpr double kTolerance_rad = 1e-12;
  const auto clamp = [&](double tip_rad) { return clampAngle(chain, rigidity, tip_rad); };
  const double tip_rad = growingRoot(clamp, 0.0, 0.5 * kPi, kTolerance_rad);
  double droop_rad = 0.0;
  clampAngle(chain, rigidity, tip_rad, &droop_rad);
  return droop_rad;
}

}  // namespace

double bendingMoment(double angle_rad) { return 2.0 * portable::tan(0.5 * angle_rad); }

double firstMode_radps(const RodShape& shape) {
  ModeIteration iteration(shape, 1.0, 0.0);
  return iterate(iteration);
}

HangingMode hangingMode(const RodShape& shape, double rigidity, double gravity_mps2) {
  if (!(rigidity > 0.0)) return {};
  ModeIteration iteration(shape, rigidity, gravity_mps2);
  const double angular_radps = iterate(iteration), bends = iteration.bendSquare();
  if (!(angular_radps > 0.0 && bends > 0.0)) return {};
  return {angular_radps, 2.0 * angular_radps * iteration.mass() / bends};
}

double rigidityForDroop(const RodShape& shape, std::span<const std::size_t> path,
                        double droop_rad) {
  constexpr double kLogTolerance = 1e-10, kFarLog = 40.0;
  HeavyChain chain;
  double length_m = 0.0, weight = 0.0;
  for (std::size_t b : path) {
    const RodShape::Bone& bone = shape.bones[b];
    chain.lengths_m.push_back(bone.length_m);
    chain.bends.push_back(shape.joints[toSize(bone.joint)].bend);
    chain.weights.push_back(bone.mass * kStandardGravity_mps2);
    length_m += bone.length_m;
    weight += chain.weights.back();
  }
  const double unit = weight * length_m * length_m;
  if (!(unit > 0.0)) return 0.0;
  // The softer the chain, the lower it hangs; the small-angle solution is w L^3 / 8 EI.
  const auto excess = [&](double softness_log) {
    return droopOf_rad(chain, unit * portable::exp(-softness_log)) - droop_rad;
  };
  const double guess = portable::log(8.0 * portable::tan(droop_rad));
  double low = guess - 1.0, high = guess + 1.0;
  while (excess(low) > 0.0 && low > -kFarLog) low -= 2.0;
  while (excess(high) < 0.0 && high < kFarLog) high += 2.0;
  return unit * portable::exp(-growingRoot(excess, low, high, kLogTolerance));
}

double leastStableRigidity(const RodShape& shape, std::span<const double> rises,
                           double gravity_mps2) {
  const std::size_t count = shape.bones.size();
  std::vector<double> carried(count, 0.0), tops(count, 0.0);
  for (std::size_t j = shape.joints.size(); j-- > 0;) {
    const RodShape::Joint& joint = shape.joints[j];
    for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
      const RodShape::Bone& bone = shape.bones[b];
      tops[b] =
          gravity_mps2 * bone.length_m * std::max(rises[b], 0.0) * (carried[b] + 0.5 * bone.mass);
      if (joint.parent_bone >= 0) carried[toSize(joint.parent_bone)] += carried[b] + bone.mass;
    }
  }
  std::vector<double> angles(shape.joints.size(), 1.0);
  double rigidity = 0.0;
  for (int i = 0; i < kMaxModeSteps; ++i) {
    std::vector<double> moments(shape.joints.size(), 0.0);
    double square = 0.0;
    for (std::size_t j = shape.joints.size(); j-- > 0;) {
      const RodShape::Joint& joint = shape.joints[j];
      for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
        moments[j] += tops[b] * angles[j];
        square += tops[b] * angles[j] * angles[j];
      }
      if (joint.parent_bone >= 0) {
        moments[toSize(shape.bones[toSize(joint.parent_bone)].joint)] += moments[j];
      }
    }
    if (!(square > 0.0)) return 0.0;
    const std::vector<double> next = anglesUnder(shape, moments);
    double product = 0.0, max_angle = 0.0;
    for (std::size_t j = 0; j < shape.joints.size(); ++j) {
      const RodShape::Joint& joint = shape.joints[j];
      for (std::size_t b = joint.bones_start; b < joint.bones_end; ++b) {
        product += tops[b] * angles[j] * next[j];
      }
      max_angle = std::max(max_angle, std::abs(next[j]));
    }
    const double before = rigidity;
    rigidity = product / square;
    for (std::size_t j = 0; j < next.size(); ++j) angles[j] = next[j] / max_angle;
    if (std::abs(rigidity - before) <= kModeTolerance * rigidity) break;
  }
  return rigidity;
}

}  // namespace clipmill::stages::dynamic_bones
