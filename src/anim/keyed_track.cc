// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/keyed_track.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

#include "core/cancel.h"
#include "core/float_rounding.h"
#include "core/integer_rounding.h"

namespace clipmill {
namespace {

// Cosine of half of 150 degrees. Players that slerp in single precision lose the direction of the
// rotation as two keys approach a difference of 180 degrees.
constexpr double kSmallestCosine = 0.2588;

Vec3 vectorOf(const double* v) { return Vec3(v[0], v[1], v[2]); }

Arc arcBetween(const double* from, const double* to) {
  return Arc(normalizedOrIdentity(quatAt(from)), normalizedOrIdentity(quatAt(to)));
}

// 2 sin(a/2) of the rotation angle a between two unit quaternions: from the chord c = 2 sin(a/4) of
// the nearer signs, which keeps its digits where a is small.
double facingBetween(const Quat& a, const Quat& b) {
  const Quat difference = glm::dot(a, b) < 0.0 ? a + b : a - b;
  const double chord2 = glm::dot(difference, difference);
  return 2.0 * std::sqrt(chord2 * std::max(0.0, 1.0 - 0.25 * chord2));
}

}  // namespace

KeyedTrack::KeyedTrack(Track every_frame, const std::optional<EulerRotation>& euler, bool to_short)
    : exact_(std::move(every_frame)) {
  assert(exact_.interpolation == Interpolation::kLinear);
  assert(exact_.values.size() == frameCount() * width());
  is_short_ = to_short && !euler && path() == TrackPath::kRotation;
  rounded_.reserve(exact_.values.size());
  for (const double value : exact_.values) rounded_.push_back(rounded(value));
  if (path() == TrackPath::kRotation) euler_ = euler;
  if (euler_) roundAngles(exact_.values);
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

bool KeyedTrack::spanFits(std::size_t from, std::size_t to, std::span<const double> budgets) const {
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

// Doubles the length of the span until it does not fit, then halves the gap between the longest
// length known to fit and the shortest known not to.
std::size_t KeyedTrack::farthestKey(std::size_t from, std::span<const double> budgets) const {
  pollCancel();
  const std::size_t longest = frameCount() - 1 - from;
  std::size_t fits = 1, fails = longest + 1;
  while (fits < longest && fails > longest) {
    const std::size_t length = std::min(2 * fits, longest);
    (spanFits(from, from + length, budgets) ? fits : fails) = length;
  }
  while (fails - fits > 1 && fits < longest) {
    const std::size_t length = fits + (fails - fits) / 2;
    (spanFits(from, from + length, budgets) ? fits : fails) = length;
  }
  return from + fits;
}

KeyFrames KeyedTrack::chooseKeys(std::span<const double> budgets) const {
  assert(budgets.size() == windowCount(frameCount()));
  KeyFrames keys{0};
  while (keys.back() + 1 < frameCount()) keys.push_back(farthestKey(keys.back(), budgets));
  return keys;
}

Track KeyedTrack::withKeys(const KeyFrames& keys) const {
  auto times = std::make_shared<std::vector<double>>();
  Track track{node(), path(), Interpolation::kLinear, exact_.width, nullptr, {}};
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

KeySpan::KeySpan(const KeyedTrack& track, std::size_t from, std::size_t to)
    : track_(&track),
      from_(from),
      to_(to),
      start_s_(track.timeOf(from)),
      length_s_(track.timeOf(to) - start_s_) {
  if (track.path() == TrackPath::kRotation) {
    arc_ = arcBetween(track.roundedAt(from), track.roundedAt(to));
  }
}

double KeySpan::fractionAt(double time_s) const {
  return length_s_ > 0.0 ? (time_s - start_s_) / length_s_ : 0.0;
}

Quat KeySpan::rotationAt(double fraction, RotationMix mix) const {
  if (mix == RotationMix::kArc) return arc_.at(fraction);
  if (track_->euler_) {
    const Vec3 &from = track_->angles_deg_[from_], &to = track_->angles_deg_[to_];
    return localRotation(*track_->euler_, from + (to - from) * fraction);
  }
  const Quat a = quatAt(track_->roundedAt(from_)), b = quatAt(track_->roundedAt(to_));
  return normalizedOrIdentity(a + ((glm::dot(a, b) < 0.0 ? -b : b) - a) * fraction);
}

Vec3 KeySpan::vectorAt(double fraction) const {
  const Vec3 a = vectorOf(track_->roundedAt(from_)), b = vectorOf(track_->roundedAt(to_));
  return a + (b - a) * fraction;
}

double KeySpan::weightErrorAt(std::size_t frame, double fraction) const {
  const double *a = track_->roundedAt(from_), *b = track_->roundedAt(to_);
  const double* exact = track_->exactAt(frame);
  double worst = 0.0;
  for (std::size_t i = 0; i < track_->width(); ++i) {
    worst = std::max(worst, std::abs(a[i] + (b[i] - a[i]) * fraction - exact[i]));
  }
  return worst;
}

double KeySpan::errorAt(std::size_t frame) const {
  const double fraction = fractionAt(track_->timeOf(frame));
  switch (track_->path()) {
    case TrackPath::kRotation: {
      const Quat exact = quatAt(track_->exactAt(frame));
      return std::max(facingBetween(rotationAt(fraction, RotationMix::kArc), exact),
                      facingBetween(rotationAt(fraction, RotationMix::kComponents), exact));
    }
    case TrackPath::kWeights:
      return weightErrorAt(frame, fraction);
    case TrackPath::kTranslation:
    case TrackPath::kScale:
      break;
  }
  const Vec3 difference = vectorAt(fraction) - vectorOf(track_->exactAt(frame));
  return std::sqrt(glm::dot(difference, difference));
}

}  // namespace clipmill
