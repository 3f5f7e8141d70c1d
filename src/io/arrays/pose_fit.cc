// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/arrays/pose_fit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill::io::arrays {
namespace {

constexpr double kMaxTwist_radps = 15.0;
constexpr int kAveragingRounds = 12;

using Matrix4 = std::array<std::array<double, 4>, 4>;

// Makes element (p, q) of the symmetric matrix zero; `vectors` collects the rotations.
void annihilate(std::size_t p, std::size_t q, Matrix4& m, Matrix4& vectors) {
  if (m[p][q] == 0.0) return;
  const double theta = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
  const double t = (theta >= 0.0 ? 1.0 : -1.0) / (std::abs(theta) + std::sqrt(theta * theta + 1.0));
  const double c = 1.0 / std::sqrt(t * t + 1.0), s = t * c;
  for (std::size_t k = 0; k < 4; ++k) {
    const double kp = m[k][p], kq = m[k][q];
    m[k][p] = c * kp - s * kq;
    m[k][q] = s * kp + c * kq;
  }
  for (std::size_t k = 0; k < 4; ++k) {
    const double pk = m[p][k], qk = m[q][k];
    m[p][k] = c * pk - s * qk;
    m[q][k] = s * pk + c * qk;
    const double vp = vectors[k][p], vq = vectors[k][q];
    vectors[k][p] = c * vp - s * vq;
    vectors[k][q] = s * vp + c * vq;
  }
}

Quat largestEigenvector(Matrix4 m) {
  constexpr int kSweeps = 16;
  Matrix4 vectors{};
  for (std::size_t k = 0; k < 4; ++k) vectors[k][k] = 1.0;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t p = 0; p < 4; ++p) {
      for (std::size_t q = p + 1; q < 4; ++q) annihilate(p, q, m, vectors);
    }
  }
  std::size_t best = 0;
  for (std::size_t k = 1; k < 4; ++k) {
    if (m[k][k] > m[best][best]) best = k;
  }
  return normalizedOrIdentity(
      Quat(vectors[0][best], vectors[1][best], vectors[2][best], vectors[3][best]));
}

class Fitter {
 public:
  Fitter(const BodyModel& model, std::span<const Vec3> points, double fps)
      : model_(model),
        points_(points),
        joints_(model.joints.size()),
        frames_(points.size() / joints_),
        max_twist_rad_(kMaxTwist_radps / fps) {
    fit_of_.resize(joints_, nullptr);
    hinge_of_.resize(joints_, nullptr);
    only_child_.resize(joints_, -1);
    for (const JointFit& fit : model.fits) fit_of_[toSize(fit.joint)] = &fit;
    for (const HingeLimb& hinge : model.hinges) hinge_of_[toSize(hinge.joint)] = &hinge;
    for (std::size_t j = joints_; j-- > 1;)
      only_child_[toSize(model.joints[j].parent)] = static_cast<int>(j);
  }

  FittedMotion fit() {
    measureBones();
    for (const JointFit& fit : model_.fits) {
      if (fit.is_rigid) averageChildren(fit);
    }
    result_.locals.reserve(points_.size());
    std::vector<Quat> worlds(joints_, kIdentityRotation), before(joints_, kIdentityRotation);
    for (std::size_t f = 0; f < frames_; ++f) poseFrame(f, worlds, before);
    result_.mean_error = frames_ ? result_.mean_error / static_cast<double>(points_.size()) : 0.0;
    return std::move(result_);
  }

 private:
  const Vec3& pointAt(std::size_t frame, std::size_t joint) const {
    return points_[frame * joints_ + joint];
  }

  void measureBones() {
    result_.offsets = restOffsets(model_);
    result_.offsets[0] = Vec3(0.0);
    std::vector<double> lengths(frames_);
    for (std::size_t j = 1; j < joints_; ++j) {
      const std::size_t parent = toSize(model_.joints[j].parent);
      for (std::size_t f = 0; f < frames_; ++f)
        lengths[f] = lengthOf(pointAt(f, j) - pointAt(f, parent));
      std::sort(lengths.begin(), lengths.end());
      const double median = 0.5 * (lengths[frames_ / 2] + lengths[(frames_ - 1) / 2]);
      const double neutral = lengthOf(result_.offsets[j]);
      result_.offsets[j] *= neutral > 0.0 ? median / neutral : 0.0;
    }
  }

  // Generalised Procrustes analysis: where the children are in the space of their parent.
  void averageChildren(const JointFit& fit) {
    const std::size_t count = fit.points.size(), joint = toSize(fit.joint);
    const std::vector<double> weights(count, 1.0);
    std::vector<Vec3> neutral, mean, to(count);
    for (const JointFit::Point& point : fit.points)
      neutral.push_back(result_.offsets[toSize(point.joint)]);
    mean = neutral;
    for (int round = 0; round < kAveragingRounds; ++round) {
      std::vector<Vec3> sum(count, Vec3(0.0));
      for (std::size_t f = 0; f < frames_; ++f) {
        for (std::size_t k = 0; k < count; ++k)
          to[k] = pointAt(f, toSize(fit.points[k].joint)) - pointAt(f, joint);
        const Quat rotation = glm::conjugate(bestRotation(mean, to, weights));
        for (std::size_t k = 0; k < count; ++k) sum[k] += rotation * to[k];
      }
      for (std::size_t k = 0; k < count; ++k) mean[k] = withLength(sum[k], lengthOf(neutral[k]));
    }
    const Quat upright = bestRotation(mean, neutral, weights);
    for (std::size_t k = 0; k < count; ++k) {
      result_.offsets[toSize(fit.points[k].joint)] =
          withLength(upright * mean[k], lengthOf(neutral[k]));
    }
  }

  static Vec3 withLength(const Vec3& v, double length) {
    const double now = lengthOf(v);
    return now > 0.0 ? v * (length / now) : v;
  }

  // At rest, from a joint to one below it.
  Vec3 restBetween(std::size_t joint, int below) const {
    Vec3 sum(0.0);
    for (int at = below; at != static_cast<int>(joint); at = model_.joints[toSize(at)].parent)
      sum += result_.offsets[toSize(at)];
    return sum;
  }

  Quat fitted(const JointFit& fit, std::size_t frame, const Vec3& origin) const {
    std::vector<Vec3> from, to;
    std::vector<double> weights;
    for (const JointFit::Point& point : fit.points) {
      from.push_back(restBetween(toSize(fit.joint), point.joint));
      to.push_back(pointAt(frame, toSize(point.joint)) - origin);
      weights.push_back(point.weight);
    }
    return bestRotation(from, to, weights);
  }

  // About the bone, from where `rotation` has the axis of the knee or elbow to where it bends.
  double hingeTwist(const HingeLimb& hinge, std::size_t frame, const Quat& rotation,
                    const Vec3& bone) const {
    constexpr double kStraight = 0.15, kBent = 0.5, kHalfTrust = 1.8;
    const int mid = only_child_[toSize(hinge.joint)];
    const int end = mid < 0 ? -1 : only_child_[toSize(mid)];
    if (end < 0) return 0.0;
    const Vec3 next = pointAt(frame, toSize(end)) - pointAt(frame, toSize(mid));
    const Vec3 normal = glm::cross(bone, next);
    const double bend = lengthOf(normal) / std::max(lengthOf(bone) * lengthOf(next), 1e-300);
    const double x = std::clamp((bend - kStraight) / (kBent - kStraight), 0.0, 1.0);
    if (x == 0.0) return 0.0;
    const Vec3 axis = rotation * hinge.axis;
    const Vec3 along = bone * (1.0 / lengthOf(bone));
    const double angle = portable::atan2(glm::dot(along, glm::cross(axis, normal)),
                                         glm::dot(axis - along * glm::dot(along, axis), normal));
    // A joint that bends backwards is not rotated to the other side.
    const double y = std::clamp((kPi - std::abs(angle)) / (kPi - kHalfTrust), 0.0, 1.0);
    return angle * x * x * (3.0 - 2.0 * x) * y * y * (3.0 - 2.0 * y);
  }

  Quat aimed(std::size_t joint, std::size_t frame, const Quat& parent, const Vec3& origin,
             const Quat& before) const {
    const int child = only_child_[joint];
    const Vec3 rest = result_.offsets[toSize(child)];
    const Vec3 bone = pointAt(frame, toSize(child)) - origin;
    if (!(lengthOf(rest) > 0.0) || !(lengthOf(bone) > 0.0)) return parent;
    Quat rotation = rotationBetween(parent * rest, bone) * parent;
    const Vec3 along = bone * (1.0 / lengthOf(bone));
    if (const HingeLimb* hinge = hinge_of_[joint])
      rotation = rotationAbout(along, hingeTwist(*hinge, frame, rotation, bone)) * rotation;
    if (frame == 0) return normalizedOrIdentity(rotation);
    // The same bone without any rotation about itself since the frame before.
    const Quat carried = rotationBetween(before * rest, bone) * before;
    const Quat twist = swingTwist(rotation * glm::conjugate(carried), along).twist;
    const double sine = twist.x * along.x + twist.y * along.y + twist.z * along.z;
    const double angle = 2.0 * portable::atan2(twist.w < 0.0 ? -sine : sine, std::abs(twist.w));
    if (std::abs(angle) <= max_twist_rad_) return normalizedOrIdentity(rotation);
    return normalizedOrIdentity(
        rotationAbout(along, std::clamp(angle, -max_twist_rad_, max_twist_rad_)) * carried);
  }

  void poseFrame(std::size_t frame, std::vector<Quat>& worlds, std::vector<Quat>& before) {
    std::vector<Vec3> positions(joints_);
    for (std::size_t j = 0; j < joints_; ++j) {
      const int parent = model_.joints[j].parent;
      Quat above = kIdentityRotation;
      positions[j] = pointAt(frame, j);
      if (parent >= 0) {
        above = worlds[toSize(parent)];
        positions[j] = positions[toSize(parent)] + above * result_.offsets[j];
      }
      const double error = lengthOf(positions[j] - pointAt(frame, j));
      result_.max_error = std::max(result_.max_error, error);
      result_.mean_error += error;
      Quat world = above;
      if (fit_of_[j]) {
        world = fitted(*fit_of_[j], frame, positions[j]);
      } else if (only_child_[j] >= 0) {
        world = aimed(j, frame, above, positions[j], worlds[j]);
      }
      worlds[j] = world;
      Quat local = normalizedOrIdentity(glm::conjugate(above) * world);
      if (glm::dot(local, before[j]) < 0.0) local = -local;
      before[j] = local;
      result_.locals.push_back(local);
    }
    result_.roots.push_back(pointAt(frame, 0));
  }

  const BodyModel& model_;
  std::span<const Vec3> points_;
  std::size_t joints_, frames_;
  double max_twist_rad_;
  std::vector<const JointFit*> fit_of_;
  std::vector<const HingeLimb*> hinge_of_;
  std::vector<int> only_child_;  // the first child
  FittedMotion result_;
};

}  // namespace

Quat bestRotation(std::span<const Vec3> from, std::span<const Vec3> to,
                  std::span<const double> weights) {
  Mat3 s(0.0);  // s[i][j] = sum w from_i to_j
  for (std::size_t k = 0; k < from.size(); ++k) {
    for (int i = 0; i < 3; ++i) s[i] += to[k] * (weights[k] * from[k][i]);
  }
  const double xx = s[0][0], xy = s[0][1], xz = s[0][2], yx = s[1][0], yy = s[1][1], yz = s[1][2],
               zx = s[2][0], zy = s[2][1], zz = s[2][2];
  return largestEigenvector({{{xx + yy + zz, yz - zy, zx - xz, xy - yx},
                              {yz - zy, xx - yy - zz, xy + yx, zx + xz},
                              {zx - xz, xy + yx, -xx + yy - zz, yz + zy},
                              {xy - yx, zx + xz, yz + zy, -xx - yy + zz}}});
}

FittedMotion fitMotion(const BodyModel& model, std::span<const Vec3> points, double fps) {
  return Fitter(model, points, fps).fit();
}

}  // namespace clipmill::io::arrays
