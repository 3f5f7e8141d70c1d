// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/key_span.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "anim/hermite.h"
#include "core/float_rounding.h"

namespace clipmill {
namespace {

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

double middleTime(const KeyedTrack& track, std::size_t frame) {
  return 0.5 * (track.timeOf(frame) + track.timeOf(frame + 1));
}

}  // namespace

KeySpan::KeySpan(const KeyedTrack& track, std::size_t from, std::size_t to,
                 Interpolation interpolation)
    : track_(&track),
      from_(from),
      to_(to),
      interpolation_(interpolation),
      start_s_(track.timeOf(from)),
      length_s_(track.timeOf(to) - start_s_) {
  if (isCubic()) {
    fitSlopes();
  } else if (track.path() == TrackPath::kRotation) {
    arc_ = arcBetween(track.roundedAt(from), track.roundedAt(to));
  }
}

// Values halfway between frames count like those of frames: they determine the slopes of spans that
// hold one frame, and keep longer ones from swinging.
void KeySpan::fitSlopes() {
  const std::size_t count = track_->numberCount();
  const double *from = track_->numbersAt(from_), *to = track_->numbersAt(to_);
  SlopeFit fit({from, count}, {to, count}, length_s_);
  for (std::size_t frame = from_; frame < to_; ++frame) {
    const double *here = track_->numbersAt(frame), *next = track_->numbersAt(frame + 1);
    if (frame > from_) fit.add(fractionAt(track_->timeOf(frame)), here);
    std::array<double, 4> middle{};
    for (std::size_t i = 0; i < count; ++i) middle[i] = 0.5 * (here[i] + next[i]);
    fit.add(fractionAt(middleTime(*track_, frame)), middle.data());
  }
  const bool is_determined = to_ - from_ > 1 && fit.isDetermined();
  for (std::size_t i = 0; i < count; ++i) {
    const double secant = roundedToFloat((to[i] - from[i]) / length_s_);
    out_[i] = is_determined ? fit.outOf(i) : secant;
    in_[i] = is_determined ? fit.inOf(i) : secant;
  }
}

std::array<double, 4> KeySpan::cubicAt(double fraction) const {
  const Hermite basis(fraction);
  const double *from = track_->numbersAt(from_), *to = track_->numbersAt(to_);
  std::array<double, 4> numbers{};
  for (std::size_t i = 0; i < track_->numberCount(); ++i) {
    numbers[i] = basis.from * from[i] + basis.to * to[i] +
                 length_s_ * (basis.out * out_[i] + basis.in * in_[i]);
  }
  return numbers;
}

double KeySpan::fractionAt(double time_s) const {
  return length_s_ > 0.0 ? (time_s - start_s_) / length_s_ : 0.0;
}

Quat KeySpan::rotationAt(double fraction, RotationMix mix) const {
  if (isCubic()) {
    const std::array<double, 4> numbers = cubicAt(fraction);
    return track_->euler_ ? localRotation(*track_->euler_, vectorOf(numbers.data()))
                          : normalizedOrIdentity(quatAt(numbers.data()));
  }
  if (mix == RotationMix::kArc) return arc_.at(fraction);
  if (track_->euler_) {
    const Vec3 &from = track_->angles_deg_[from_], &to = track_->angles_deg_[to_];
    return localRotation(*track_->euler_, from + (to - from) * fraction);
  }
  const Quat a = quatAt(track_->roundedAt(from_)), b = quatAt(track_->roundedAt(to_));
  return normalizedOrIdentity(a + ((glm::dot(a, b) < 0.0 ? -b : b) - a) * fraction);
}

Vec3 KeySpan::vectorAt(double fraction) const {
  if (isCubic()) return vectorOf(cubicAt(fraction).data());
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
      const double on_arc = facingBetween(rotationAt(fraction, RotationMix::kArc), exact);
      if (isCubic()) return on_arc;
      return std::max(on_arc, facingBetween(rotationAt(fraction, RotationMix::kComponents), exact));
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

double KeySpan::errorAfter(std::size_t frame) const {
  assert(isCubic());
  const double fraction = fractionAt(middleTime(*track_, frame));
  const double *here = track_->exactAt(frame), *next = track_->exactAt(frame + 1);
  if (track_->path() == TrackPath::kRotation) {
    const Quat a = quatAt(here), b = quatAt(next);
    const Quat middle = normalizedOrIdentity(glm::dot(a, b) < 0.0 ? a - b : a + b);
    return facingBetween(rotationAt(fraction, RotationMix::kArc), middle);
  }
  return lengthOf(vectorAt(fraction) - 0.5 * (vectorOf(here) + vectorOf(next)));
}

}  // namespace clipmill
