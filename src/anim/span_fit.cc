// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/span_fit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "anim/hermite.h"
#include "core/cancel.h"
#include "core/float_rounding.h"

namespace clipmill {
namespace {

// Spans that hold fewer points of the grid are probed at these fractions too; near the ends because
// a span that was found by bisection is likely to reach just over a bend.
constexpr std::size_t kFewPoints = 8;
constexpr double kPositions[] = {0.03, 0.15, 0.35, 0.5, 0.65, 0.85, 0.97};
// What probes may be off, in tolerances: what is left is for the instants between them.
constexpr double kProbed = 0.9;
// A span is judged by so many probes spread over it first: most that fail, fail there.
constexpr std::size_t kFirstProbes = 8;
// So many probes are enough to find tangents.
constexpr std::size_t kTangentProbes = 32;
// Keys of rotations stay closer than 150 degrees, cubic ones than 120.
constexpr double kLinearCosine = 0.25881904510252074;  // cos(150/2)
constexpr double kCubicCosine = 0.5;                   // cos(120/2)
// Keys between two points of the grid are found to this part of their distance.
constexpr int kHalvings = 12;
// A span that no key can serve is left alone below this part of a frame.
constexpr double kMinSpan = 1.0 / 64.0;

void roundAll(std::vector<double>& values) {
  for (double& x : values) x = roundedToFloat(x);
}

double dotOf(const double* a, const double* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

void normalize(double* q) {
  const double square = dotOf(q, q);
  if (!(square > 0.0)) return;
  const double factor = 1.0 / std::sqrt(square);
  for (int i = 0; i < 4; ++i) q[i] *= factor;
}

Quat quatOf(const double* v) { return normalizedOrIdentity(Quat(v[3], v[0], v[1], v[2])); }

}  // namespace

std::size_t SpanFitter::firstPointAfter(double time_s) const {
  std::size_t low = 0, high = grid_.pointCount();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (grid_.timeOf(middle) > time_s) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

FitKey SpanFitter::keyAtPoint(std::size_t point) const {
  const double time_s = grid_.timeOf(point);
  if (time_s >= piece_.end_s) {
    FitKey key{piece_.end_s, piece_.last, {}, {}};
    roundAll(key.value);
    return key;
  }
  FitKey key{time_s, {sampleAt(point), sampleAt(point) + value_.width}, {}, {}};
  roundAll(key.value);
  return key;
}

// At a time between points: asks the clip.
FitKey SpanFitter::keyAtTime(double time_s, const FitKey& from) {
  FitKey key{roundedToFloat(time_s), std::vector<double>(value_.width), {}, {}};
  const double asked_s = std::clamp(key.time_s, piece_.source_start_s, piece_.source_end_s);
  value_.read(poses_.at(asked_s), key.value.data());
  if (value_.path == TrackPath::kRotation && dotOf(key.value.data(), from.value.data()) < 0.0) {
    for (double& x : key.value) x = -x;
  }
  roundAll(key.value);
  return key;
}

bool SpanFitter::isConstant() const {
  constexpr double kStill = 0.5;
  if (!(measure_(piece_.first.data(), piece_.last.data()) <= kStill)) return false;
  for (std::size_t point = firstPointAfter(piece_.start_s);
       point < grid_.pointCount() && grid_.timeOf(point) < piece_.end_s; ++point) {
    if (!(measure_(piece_.first.data(), sampleAt(point)) <= kStill)) return false;
  }
  return true;
}

// The probes of a span: the points of the grid inside it, in an order that meets all parts
// of it early, and where these are few exact values too.
void SpanFitter::gatherProbes(const FitKey& from, const FitKey& to) {
  probes_.clear();
  const double length_s = to.time_s - from.time_s;
  const std::size_t start = firstPointAfter(from.time_s);
  std::size_t end = start;
  if (start < grid_.pointCount()) {
    end = firstPointAfter(to.time_s);
    while (end > start && grid_.timeOf(end - 1) >= to.time_s) --end;
  }
  const std::size_t count = end - start;
  if (count < kFewPoints) {
    exact_.resize(std::size(kPositions) * value_.width);
    for (std::size_t i = 0; i < std::size(kPositions); ++i) {
      const double time_s = from.time_s + kPositions[i] * length_s;
      double* v = &exact_[i * value_.width];
      value_.read(poses_.at(std::clamp(time_s, piece_.source_start_s, piece_.source_end_s)), v);
      if (value_.path == TrackPath::kRotation && dotOf(v, from.value.data()) < 0.0) {
        std::transform(v, v + 4, v, [](double x) { return -x; });
      }
      probes_.push_back({kPositions[i], v, false});
    }
  }
  const auto add = [&](std::size_t point) {
    probes_.push_back({(grid_.timeOf(point) - from.time_s) / length_s, sampleAt(point),
                       point % grid_.pointsPerFrame() == 0});
  };
  const std::size_t stride = count / kFirstProbes;
  if (stride > 1) {
    for (std::size_t k = 0; k < kFirstProbes; ++k) add(start + stride / 2 + k * stride);
  }
  for (std::size_t point = start; point < end; ++point) add(point);
}

bool SpanFitter::linearFits(const FitKey& from, const FitKey& to) const {
  std::vector<double> v(value_.width);
  const auto mix = [&](double f) {
    for (std::size_t i = 0; i < v.size(); ++i) {
      v[i] = from.value[i] + (to.value[i] - from.value[i]) * f;
    }
  };
  if (value_.path != TrackPath::kRotation) {
    return std::ranges::all_of(probes_, [&](const Probe& probe) {
      mix(probe.fraction);
      return measure_(v.data(), probe.value) <= kProbed;
    });
  }
  const Arc arc(quatOf(from.value.data()), quatOf(to.value.data()));
  return std::ranges::all_of(probes_, [&](const Probe& probe) {
    if (probe.is_frame) {
      mix(probe.fraction);
      normalize(v.data());
      if (!(measure_(v.data(), probe.value) <= kProbed)) return false;
    }
    const Quat q = arc.at(probe.fraction);
    const double on_arc[] = {q.x, q.y, q.z, q.w};
    return measure_(on_arc, probe.value) <= kProbed;
  });
}

// The tangents that come nearest to the probes (least squares, each component by itself), then a
// look at all of them.
bool SpanFitter::cubicFits(FitKey& from, FitKey& to) {
  const std::size_t width = value_.width;
  const double length_s = to.time_s - from.time_s;
  SlopeFit slopes(from.value, to.value, length_s);
  const std::size_t stride = std::max<std::size_t>(1, probes_.size() / kTangentProbes);
  for (std::size_t p = 0; p < probes_.size(); p += stride) {
    slopes.add(probes_[p].fraction, probes_[p].value);
  }
  from.out.assign(width, 0.0);
  to.in.assign(width, 0.0);
  if (slopes.isDetermined()) {
    for (std::size_t i = 0; i < width; ++i) {
      from.out[i] = slopes.outOf(i);
      to.in[i] = slopes.inOf(i);
    }
  }
  std::vector<double> v(width);
  return std::ranges::all_of(probes_, [&](const Probe& probe) {
    const Hermite basis(probe.fraction);
    for (std::size_t i = 0; i < width; ++i) {
      v[i] = basis.from * from.value[i] + basis.to * to.value[i] +
             length_s * (basis.out * from.out[i] + basis.in * to.in[i]);
    }
    if (value_.path == TrackPath::kRotation) normalize(v.data());
    return measure_(v.data(), probe.value) <= kProbed;
  });
}

// True where the span keeps to the tolerance. Sets the tangents of its ends.
bool SpanFitter::fits(FitKey& from, FitKey& to) {
  const bool is_cubic = interpolation_ == Interpolation::kCubicSpline;
  if (value_.path == TrackPath::kRotation) {
    const double cosine = dotOf(from.value.data(), to.value.data());
    if (!(cosine > (is_cubic ? kCubicCosine : kLinearCosine))) return false;
  }
  gatherProbes(from, to);
  return is_cubic ? cubicFits(from, to) : linearFits(from, to);
}

// The farthest frame (or the end of the piece) that can be reached: doubles the reach while that
// works, then closes in on it.
FitKey SpanFitter::farthestOnFrames(FitKey& from, bool& found) {
  const std::size_t per_frame = grid_.pointsPerFrame();
  const std::size_t last = grid_.pointCount() - 1;
  const std::size_t base = firstPointAfter(from.time_s);
  // Frames and the very end of the clip; a piece may end before either.
  const auto position = [&](std::size_t reach) {
    const std::size_t frame = (base + per_frame - 1) / per_frame + reach - 1;
    return std::min(frame * per_frame, last);
  };
  FitKey best;
  std::size_t good = 0, bad = 0;
  pollCancel();
  for (std::size_t reach = 1; bad == 0; reach *= 2) {
    FitKey to = keyAtPoint(position(reach));
    if (!fits(from, to)) {
      bad = reach;
      break;
    }
    good = reach;
    const bool is_end = to.time_s >= piece_.end_s;
    best = std::move(to);
    if (is_end) {
      found = true;
      return best;
    }
  }
  while (bad - good > 1 && good > 0) {
    const std::size_t reach = good + (bad - good) / 2;
    FitKey to = keyAtPoint(position(reach));
    if (fits(from, to)) {
      good = reach;
      best = std::move(to);
    } else {
      bad = reach;
    }
  }
  found = good > 0;
  return best;
}

// The next frame is too far: the farthest point of the grid before it.
FitKey SpanFitter::farthestBetween(FitKey& from) {
  const std::size_t per_frame = grid_.pointsPerFrame();
  const std::size_t first = firstPointAfter(from.time_s);
  const std::size_t frame =
      std::min((first + per_frame - 1) / per_frame * per_frame, grid_.pointCount() - 1);
  std::size_t good = first, bad = frame;  // the frames before `good` fit, `bad` does not
  while (bad > first && grid_.timeOf(bad - 1) >= piece_.end_s) --bad;
  FitKey best;
  while (good < bad) {
    const std::size_t middle = good + (bad - good) / 2;
    FitKey to = keyAtPoint(middle);
    if (fits(from, to)) {
      best = std::move(to);
      good = middle + 1;
    } else {
      bad = middle;
    }
  }
  if (!best.value.empty()) {
    was_inside_ = false;
    return best;
  }
  return farthestInside(from, std::min(grid_.timeOf(first), piece_.end_s));
}

// The next point is too far: any time before it.
FitKey SpanFitter::farthestInside(FitKey& from, double end_s) {
  const double least_s = kMinSpan / grid_.fps();
  double good_s = from.time_s, bad_s = end_s;
  FitKey best;
  for (int i = 0; i < kHalvings; ++i) {
    FitKey to = keyAtTime(0.5 * (good_s + bad_s), from);
    if (!(to.time_s > good_s && to.time_s < bad_s)) break;
    if (fits(from, to)) {
      good_s = to.time_s;
      best = std::move(to);
    } else {
      bad_s = to.time_s;
    }
  }
  // Two short spans in a row lead to nothing but more of them.
  const bool is_short = good_s - from.time_s < least_s;
  if (!best.value.empty() && !(is_short && was_inside_)) {
    was_inside_ = is_short;
    return best;
  }
  was_inside_ = false;
  FitKey to = keyAtTime(from.time_s + least_s, from);
  if (!(to.time_s > from.time_s && to.time_s < end_s)) {
    to = end_s >= piece_.end_s ? keyAtPoint(grid_.pointCount() - 1)
                               : keyAtPoint(firstPointAfter(from.time_s));
  }
  fits(from, to);
  return to;
}

std::vector<FitKey> SpanFitter::fit(Interpolation interpolation, std::size_t most) {
  interpolation_ = interpolation;
  was_inside_ = false;
  std::vector<FitKey> keys = {{piece_.start_s, piece_.first, {}, {}}};
  roundAll(keys[0].value);
  while (keys.back().time_s < piece_.end_s && keys.size() <= most) {
    FitKey& from = keys.back();
    bool found = false;
    FitKey to = farthestOnFrames(from, found);
    if (found) {
      was_inside_ = false;
    } else {
      to = farthestBetween(from);
    }
    // The last try may have been another: its tangents are not those of the span that was chosen.
    if (interpolation == Interpolation::kCubicSpline) fits(from, to);
    keys.push_back(std::move(to));
  }
  if (interpolation != Interpolation::kCubicSpline) return keys;
  for (FitKey& key : keys) {
    key.in.resize(value_.width, 0.0);
    key.out.resize(value_.width, 0.0);
  }
  return keys;
}

}  // namespace clipmill
