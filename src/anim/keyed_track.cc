// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/keyed_track.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "anim/key_span.h"
#include "core/cancel.h"
#include "core/float_rounding.h"
#include "core/integer_rounding.h"

namespace clipmill {
namespace {

// Cosine of half of 150 degrees. Players that slerp in single precision lose the direction of the
// rotation as two keys approach a difference of 180 degrees.
constexpr double kSmallestCosine = 0.2588;
// The same of cubic keys, of 120 degrees: their components are mixed, which slows down as they
// part.
constexpr double kSmallestCubicCosine = 0.5;

// The longest of the lengths up to `longest` for which fits(length) holds, if it holds for all
// shorter ones, and for 1: doubles the length until it does not fit, then halves the gap between
// the longest length known to fit and the shortest known not to.
template <class Fits>
std::size_t longestFit(std::size_t longest, const Fits& fits) {
  pollCancel();
  std::size_t good = 1, bad = longest + 1;
  while (good < longest && bad > longest) {
    const std::size_t length = std::min(2 * good, longest);
    (fits(length) ? good : bad) = length;
  }
  while (bad - good > 1 && good < longest) {
    const std::size_t length = good + (bad - good) / 2;
    (fits(length) ? good : bad) = length;
  }
  return good;
}

// The slope of the quaternion where angles have these slopes: over a small step to either side.
Quat quaternionSlope(const EulerRotation& euler, const Vec3& angles_deg, const Vec3& slopes) {
  constexpr double kStep_deg = 1e-3;
  const double speed = lengthOf(slopes);
  if (!(speed > 0.0)) return Quat(0.0, 0.0, 0.0, 0.0);
  const Vec3 step_deg = slopes * (kStep_deg / speed);
  return (localRotation(euler, angles_deg + step_deg) -
          localRotation(euler, angles_deg - step_deg)) *
         (0.5 * speed / kStep_deg);
}

Vec3 vec3At(const double* v) { return Vec3(v[0], v[1], v[2]); }

void appendRotation(const Quat& q, std::vector<double>& values) {
  for (const double x : {q.x, q.y, q.z, q.w}) values.push_back(roundedToFloat(x));
}

}  // namespace

KeyedTrack::KeyedTrack(Track every_frame, const std::optional<EulerRotation>& euler,
                       const KeyForms& forms)
    : exact_(std::move(every_frame)) {
  assert(exact_.interpolation == Interpolation::kLinear);
  assert(exact_.values.size() == frameCount() * width());
  is_short_ = forms.is_short && !euler && path() == TrackPath::kRotation;
  may_be_cubic_ = forms.is_cubic && path() != TrackPath::kWeights;
  rounded_.reserve(exact_.values.size());
  for (const double value : exact_.values) rounded_.push_back(rounded(value));
  if (path() == TrackPath::kRotation) euler_ = euler;
  if (euler_) roundAngles(exact_.values);
  if (may_be_cubic_ && path() == TrackPath::kRotation && !euler_) alignRotations();
}

const double* KeyedTrack::numbersAt(std::size_t frame) const {
  if (euler_) return &angles_deg_[frame].x;
  return aligned_.empty() ? roundedAt(frame) : &aligned_[4 * frame];
}

double KeyedTrack::rounded(double number) const {
  return is_short_ ? roundedToShort(number) : roundedToFloat(number);
}

// Of a rotation at every frame.
void KeyedTrack::roundAngles(std::span<const double> rotations) {
  angles_deg_.clear();
  Vec3 angles(0.0);
  for (std::size_t frame = 0; frame < frameCount(); ++frame) {
    angles = anglesNear(*euler_, normalizedOrIdentity(quatAt(&rotations[4 * frame])), angles);
    angles_deg_.emplace_back(roundedToFloat(angles.x), roundedToFloat(angles.y),
                             roundedToFloat(angles.z));
  }
}

// Floats even where linear keys are short integers: slopes have no such form.
void KeyedTrack::alignRotations() {
  for (std::size_t frame = 0; frame < frameCount(); ++frame) {
    const double* exact = exactAt(frame);
    const bool is_opposite =
        frame > 0 && glm::dot(quatAt(exact), quatAt(&aligned_[4 * frame - 4])) < 0.0;
    for (int i = 0; i < 4; ++i)
      aligned_.push_back(roundedToFloat(is_opposite ? -exact[i] : exact[i]));
  }
}

bool KeyedTrack::holdAt(std::span<const double> value, std::span<const double> budgets) {
  assert(value.size() == width());
  const std::vector<double> rounded_before = rounded_;
  const std::vector<Vec3> angles_before = angles_deg_;
  for (std::size_t i = 0; i < rounded_.size(); ++i) rounded_[i] = rounded(value[i % width()]);
  if (euler_) roundAngles(rounded_);
  const KeySpan constant(*this, 0, 0);
  for (std::size_t frame = 0; frame < frameCount(); ++frame) {
    if (constant.errorAt(frame) <= budgets[frame / kFramesPerWindow]) continue;
    rounded_ = rounded_before;
    angles_deg_ = angles_before;
    return false;
  }
  return true;
}

bool KeyedTrack::linearFits(std::size_t from, std::size_t to,
                            std::span<const double> budgets) const {
  const std::size_t inner = to - from - 1;
  if (inner == 0) return true;
  if (path() == TrackPath::kRotation &&
      std::abs(glm::dot(quatAt(exactAt(from)), quatAt(exactAt(to)))) < kSmallestCosine) {
    return false;
  }
  const KeySpan span(*this, from, to);
  // From the middle on: that is where spans that do not fit usually show it first.
  for (std::size_t i = 0; i < inner; ++i) {
    const std::size_t frame = from + 1 + (i + inner / 2) % inner;
    if (!(span.errorAt(frame) <= budgets[frame / kFramesPerWindow])) return false;
  }
  return true;
}

bool KeyedTrack::cubicFits(std::size_t from, std::size_t to,
                           std::span<const double> budgets) const {
  if (path() == TrackPath::kRotation && !euler_ &&
      glm::dot(quatAt(numbersAt(from)), quatAt(numbersAt(to))) < kSmallestCubicCosine) {
    return false;
  }
  const KeySpan span(*this, from, to, Interpolation::kCubicSpline);
  const std::size_t count = to - from;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t frame = from + (i + count / 2) % count;
    const double budget = budgets[frame / kFramesPerWindow];
    if (frame > from && !(span.errorAt(frame) <= budget)) return false;
    if (!(span.errorAfter(frame) <= budget)) return false;
  }
  return true;
}

KeyFrames KeyedTrack::chooseKeys(std::span<const double> budgets) const {
  assert(budgets.size() == windowCount(frameCount()));
  KeyFrames keys{0};
  while (keys.back() + 1 < frameCount()) {
    const std::size_t from = keys.back();
    keys.push_back(from + longestFit(frameCount() - 1 - from, [&](std::size_t length) {
                     return linearFits(from, from + length, budgets);
                   }));
  }
  return keys;
}

std::optional<KeyFrames> KeyedTrack::chooseCubicKeys(std::span<const double> budgets,
                                                     std::size_t most) const {
  assert(mayBeCubic() && budgets.size() == windowCount(frameCount()));
  KeyFrames keys{0};
  while (keys.back() + 1 < frameCount()) {
    const std::size_t from = keys.back();
    const auto fits = [&](std::size_t length) { return cubicFits(from, from + length, budgets); };
    if (keys.size() >= most || !fits(1)) return std::nullopt;
    keys.push_back(from + longestFit(frameCount() - 1 - from, fits));
  }
  return keys;
}

Track KeyedTrack::withLinearKeys(const KeyFrames& keys) const {
  auto times = std::make_shared<std::vector<double>>();
  Track track{node(), path(), Interpolation::kLinear, exact_.width, nullptr, {}};
  times->reserve(keys.size());
  track.values.reserve(keys.size() * width());
  for (std::size_t frame : keys) {
    times->push_back(timeOf(frame));
    double sign = 1.0;
    if (path() == TrackPath::kRotation && !track.values.empty()) {
      const double* before = track.values.data() + track.values.size() - 4;
      if (glm::dot(quatAt(before), quatAt(roundedAt(frame))) < 0.0) sign = -1.0;
    }
    for (std::size_t i = 0; i < width(); ++i) track.values.push_back(sign * roundedAt(frame)[i]);
    if (euler_) track.angles_deg.push_back(angles_deg_[frame]);
  }
  track.times_s = std::move(times);
  return track;
}

// The outer slopes of the first and of the last key are their inner ones: nothing reads them.
Track KeyedTrack::withCubicKeys(const KeyFrames& keys) const {
  std::vector<KeySpan> spans;
  for (std::size_t k = 0; k + 1 < keys.size(); ++k) {
    spans.emplace_back(*this, keys[k], keys[k + 1], Interpolation::kCubicSpline);
  }
  auto times = std::make_shared<std::vector<double>>();
  Track track{node(), path(), Interpolation::kCubicSpline, exact_.width, nullptr, {}};
  times->reserve(keys.size());
  track.values.reserve(3 * keys.size() * width());
  Quat before = kIdentityRotation;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    times->push_back(timeOf(keys[k]));
    const double* value = numbersAt(keys[k]);
    const double* left = k > 0 ? spans[k - 1].slopesIn().data() : spans[0].slopesOut().data();
    const double* right = k < spans.size() ? spans[k].slopesOut().data() : left;
    if (!euler_) {
      for (const double* part : {left, value, right}) {
        track.values.insert(track.values.end(), part, part + width());
      }
      continue;
    }
    const Vec3 angles = vec3At(value), left_slopes = vec3At(left), right_slopes = vec3At(right);
    track.angles_deg.insert(track.angles_deg.end(), {left_slopes, angles, right_slopes});
    const Quat rotation = localRotation(*euler_, angles);
    const double sign = k > 0 && glm::dot(rotation, before) < 0.0 ? -1.0 : 1.0;
    before = rotation * sign;
    appendRotation(quaternionSlope(*euler_, angles, left_slopes) * sign, track.values);
    appendRotation(before, track.values);
    appendRotation(quaternionSlope(*euler_, angles, right_slopes) * sign, track.values);
  }
  track.times_s = std::move(times);
  return track;
}

Track KeyedTrack::withKeys(const TrackKeys& keys) const {
  return keys.interpolation == Interpolation::kCubicSpline ? withCubicKeys(keys.frames)
                                                           : withLinearKeys(keys.frames);
}

}  // namespace clipmill
