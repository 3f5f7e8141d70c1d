// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/rotation_keys.h"

#include <cmath>

#include "anim/clip.h"
#include "anim/euler.h"
#include "core/portable_math.h"

namespace clipmill::io::fbx {
namespace {

constexpr EulerOrder kOrder = EulerOrder::kXyz;
constexpr int kMostHalvings = 12;
// Where in an interval the angles are held against the track.
constexpr double kProbes[] = {0.25, 0.5, 0.75};
// Steps in parts of an interval by which the angular velocity at its ends is measured.
constexpr double kVelocityStep = 1e-3;

// Degrees a second of each angle for an angular velocity (radians a second, in the space of the
// parent). With rotation = Z * Y * X that velocity is  z' e_z + y' Z e_y + x' Z Y e_x.
Vec3 angleRates(const Vec3& angles_deg, const Vec3& velocity) {
  constexpr double kLeastCosine = 1e-6;
  const double cy = portable::cos(angles_deg.y * kDegree);
  const double sy = portable::sin(angles_deg.y * kDegree);
  const double cz = portable::cos(angles_deg.z * kDegree);
  const double sz = portable::sin(angles_deg.z * kDegree);
  const double guarded = std::fabs(cy) < kLeastCosine ? std::copysign(kLeastCosine, cy) : cy;
  const double x = (velocity.x * cz + velocity.y * sz) / guarded;
  return Vec3(x, velocity.y * cz - velocity.x * sz, velocity.z + x * sy) / kDegree;
}

struct AngleKey {
  double time_s = 0.0;
  Vec3 angles{0.0};
  Vec3 left_slopes{0.0}, right_slopes{0.0};
};

Vec3 hermite(const AngleKey& from, const AngleKey& to, double u) {
  const double dt = to.time_s - from.time_s, v = 1.0 - u;
  return from.angles * (v * v * (1.0 + 2.0 * u)) + to.angles * (u * u * (3.0 - 2.0 * u)) +
         (from.right_slopes * (u * v * v) - to.left_slopes * (u * u * v)) * dt;
}

class RotationFitter {
 public:
  explicit RotationFitter(const Track& track) : track_(track), pose_{{Transform{}}, {}} {
    Skeleton one;
    one.nodes.emplace_back();
    Track copy = track;
    copy.node = 0;
    cursor_ = keyframeSource(one, {std::move(copy)})->cursor();
  }

  // Linear keys, or none where they do not do.
  std::vector<AngleKey> linear(const Vec3& start_deg) {
    std::vector<AngleKey> keys = {firstKey(start_deg)};
    for (std::size_t k = 1; k < track_.times_s->size(); ++k) {
      AngleKey to = keyAt((*track_.times_s)[k], keys.back().angles);
      setSecant(keys.back(), to);
      if (errorOf(keys.back(), to) > kRotationTolerance_rad) return {};
      keys.push_back(to);
    }
    return keys;
  }

  std::vector<AngleKey> stepped(const Vec3& start_deg) {
    std::vector<AngleKey> keys = {firstKey(start_deg)};
    for (std::size_t k = 1; k < track_.times_s->size(); ++k) {
      keys.push_back(keyAt((*track_.times_s)[k], keys.back().angles));
    }
    return keys;
  }

  std::vector<AngleKey> cubic(const Vec3& start_deg) {
    std::vector<AngleKey> keys = {firstKey(start_deg)};
    for (std::size_t k = 1; k < track_.times_s->size(); ++k) {
      addInterval((*track_.times_s)[k], kMostHalvings, keys);
    }
    keys.front().left_slopes = keys.front().right_slopes;
    keys.back().right_slopes = keys.back().left_slopes;
    return keys;
  }

 private:
  Quat at(double time_s) {
    cursor_->sample(time_s, pose_.view());
    return normalizedOrIdentity(pose_.locals[0].rotation);
  }

  AngleKey keyAt(double time_s, const Vec3& previous_deg) {
    return {time_s, toEulerNear(at(time_s), kOrder, previous_deg), Vec3(0.0), Vec3(0.0)};
  }
  AngleKey firstKey(const Vec3& start_deg) { return keyAt(track_.times_s->front(), start_deg); }

  static void setSecant(AngleKey& from, AngleKey& to) {
    from.right_slopes = to.left_slopes = (to.angles - from.angles) / (to.time_s - from.time_s);
  }

  // Angular velocity at `time_s`, looking into the interval: `step_s` is negative at its end. Of
  // second order: tracks rotate at constant speed or as cubics.
  Vec3 velocity(double time_s, double step_s) {
    const Quat here = at(time_s);
    const double near_s = time_s + step_s, far_s = time_s + 2.0 * step_s;
    const Vec3 near = rotationVector(here, at(near_s)) / (near_s - time_s);
    const Vec3 far = rotationVector(here, at(far_s)) / (far_s - time_s);
    return 2.0 * near - far;
  }

  void setSlopes(AngleKey& from, AngleKey& to) {
    const double step_s = kVelocityStep * (to.time_s - from.time_s);
    from.right_slopes = angleRates(from.angles, velocity(from.time_s, step_s));
    to.left_slopes = angleRates(to.angles, velocity(to.time_s, -step_s));
  }

  double errorOf(const AngleKey& from, const AngleKey& to) {
    double worst = 0.0;
    for (const double u : kProbes) {
      const Quat wanted = at(from.time_s + u * (to.time_s - from.time_s));
      const Vec3 off = rotationVector(wanted, fromEuler(hermite(from, to, u), kOrder));
      worst = std::max(worst, std::sqrt(glm::dot(off, off)));
    }
    return worst;
  }

  // Leads from the last key to `end_s`.
  void addInterval(double end_s, int halvings, std::vector<AngleKey>& keys) {
    AngleKey& from = keys.back();
    AngleKey to = keyAt(end_s, from.angles);
    setSlopes(from, to);
    if (!(errorOf(from, to) <= kRotationTolerance_rad)) {
      if (halvings > 0) {
        const double middle_s = 0.5 * (from.time_s + end_s);
        addInterval(middle_s, halvings - 1, keys);
        addInterval(end_s, halvings - 1, keys);
        return;
      }
      setSecant(from, to);
    }
    keys.push_back(to);
  }

  const Track& track_;
  Pose pose_;
  std::unique_ptr<PoseCursor> cursor_;
};

std::array<NewCurve, 3> curvesOf(const std::vector<AngleKey>& keys, Interpolation interpolation) {
  std::vector<double> times;
  for (const AngleKey& key : keys) times.push_back(key.time_s);
  const auto shared = std::make_shared<const std::vector<double>>(std::move(times));
  std::array<NewCurve, 3> curves;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    NewCurve& curve = curves[axis];
    const int a = static_cast<int>(axis);
    curve.interpolation = interpolation;
    curve.times_s = shared;
    for (const AngleKey& key : keys) {
      curve.values.push_back(key.angles[a]);
      if (interpolation != Interpolation::kCubicSpline) continue;
      curve.left_slopes.push_back(key.left_slopes[a]);
      curve.right_slopes.push_back(key.right_slopes[a]);
    }
  }
  return curves;
}

std::vector<AngleKey> givenKeys(const Track& track) {
  std::vector<AngleKey> keys;
  for (std::size_t k = 0; k < track.angles_deg.size(); ++k) {
    keys.push_back({(*track.times_s)[k], track.angles_deg[k], Vec3(0.0), Vec3(0.0)});
  }
  return keys;
}

}  // namespace

std::array<NewCurve, 3> rotationCurves(const Track& track, const Vec3& start_deg) {
  const bool is_step = track.interpolation == Interpolation::kStep;
  if (track.interpolation != Interpolation::kCubicSpline &&
      track.angles_deg.size() == track.times_s->size()) {
    return curvesOf(givenKeys(track), track.interpolation);
  }
  RotationFitter fitter(track);
  if (is_step) return curvesOf(fitter.stepped(start_deg), Interpolation::kStep);
  const std::vector<AngleKey> linear = fitter.linear(start_deg);
  if (!linear.empty()) return curvesOf(linear, Interpolation::kLinear);
  return curvesOf(fitter.cubic(start_deg), Interpolation::kCubicSpline);
}

}  // namespace clipmill::io::fbx
