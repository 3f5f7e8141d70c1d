// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_skate.h"

#include <algorithm>
#include <cmath>

#include "core/cancel.h"
#include "core/portable_math.h"
#include "locomotion/ground.h"

namespace clipmill::locomotion {
namespace {

constexpr double kSkateHeight_m = 0.025;
constexpr double kFramesPerSecond = 30.0;
constexpr double kCentimetresInMetre = 100.0;

// On the ground: this near to the level, and rising or falling no faster.
constexpr double kGroundHeight_m = 0.0125, kGroundRise_mps = 0.15;
constexpr double kShortestSpan_s = 0.1, kGap_s = 0.05;

// The ends of a span belong to it up to this speed: so many times that of its slow quarter, and
// some.
constexpr double kEndShare = 2.0, kEndSpeed_mps = 0.1;

// The samples of a path that a span holds: first and one behind the last.
struct SampleRange {
  std::size_t start = 0, end = 0;
};

SampleRange samplesOf(const TimeSpan& span, double start_s, double step_s, std::size_t count) {
  pollCancel();
  const auto timeOf = [&](std::size_t i) { return start_s + static_cast<double>(i) * step_s; };
  // By bisection: times rise.
  const auto firstWithout = [&](const auto& is_before) {
    std::size_t low = 0, high = count;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (is_before(timeOf(middle))) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  return {firstWithout([&](double time_s) { return time_s < span.start_s; }),
          firstWithout([&](double time_s) { return time_s <= span.end_s; })};
}

// Between the samples before and behind.
Vec3 velocityAt(std::span<const Vec3> positions_m, double step_s, std::size_t i) {
  const std::size_t from = i > 0 ? i - 1 : 0, to = std::min(positions_m.size() - 1, i + 1);
  if (to == from) return Vec3(0.0);
  return (positions_m[to] - positions_m[from]) / (static_cast<double>(to - from) * step_s);
}

// The span without ends in which the point is faster than it is in the span at large.
TimeSpan withoutFastEnds(const TimeSpan& span, double start_s, double step_s,
                         std::span<const Vec3> positions_m, double end_speed_mps) {
  SampleRange range = samplesOf(span, start_s, step_s, positions_m.size());
  std::vector<double> speeds;
  for (std::size_t i = range.start; i < range.end; ++i) {
    speeds.push_back(horizontalLength(velocityAt(positions_m, step_s, i)));
  }
  if (speeds.empty()) return span;
  std::vector<double> sorted = speeds;
  std::sort(sorted.begin(), sorted.end());
  const double most = kEndShare * sorted[sorted.size() / 4] + end_speed_mps;
  std::size_t first = 0, last = speeds.size() - 1;
  while (first < last && speeds[first] > most) ++first;
  while (last > first && speeds[last] > most) --last;
  return {start_s + static_cast<double>(range.start + first) * step_s,
          start_s + static_cast<double>(range.start + last) * step_s};
}

}  // namespace

void Skate::add(const Skate& other) {
  sum_m += other.sum_m;
  time_s += other.time_s;
}

std::optional<double> Skate::cmPerFrame() const {
  if (!(time_s > 0.0)) return std::nullopt;
  return sum_m / time_s * kCentimetresInMetre / kFramesPerSecond;
}

std::vector<TimeSpan> findGroundSpans(double start_s, double step_s,
                                      std::span<const Vec3> positions_m, double level_m,
                                      double leg_m) {
  const double scale = leg_m / kReferenceLeg_m;
  if (positions_m.size() < 2 || !(step_s > 0.0)) return {};
  std::vector<TimeSpan> spans;
  bool was_low = false;
  for (std::size_t i = 0; i < positions_m.size(); ++i) {
    const bool is_low = positions_m[i].y - level_m <= scale * kGroundHeight_m &&
                        std::abs(velocityAt(positions_m, step_s, i).y) <= scale * kGroundRise_mps;
    const double time_s = start_s + static_cast<double>(i) * step_s;
    if (is_low && !was_low) spans.push_back({time_s, time_s});
    if (is_low) spans.back().end_s = time_s;
    was_low = is_low;
  }
  spans = unionOf(std::move(spans), {}, kGap_s);
  for (TimeSpan& span : spans)
    span = withoutFastEnds(span, start_s, step_s, positions_m, scale * kEndSpeed_mps);
  std::erase_if(spans, [](const TimeSpan& s) { return s.length() < kShortestSpan_s; });
  return spans;
}

Skate skateIn(std::span<const TimeSpan> spans, double start_s, double step_s,
              std::span<const Vec3> positions_m, double level_m, double leg_m) {
  const double skate_height_m = kSkateHeight_m * leg_m / kReferenceLeg_m;
  Skate skate;
  for (const TimeSpan& span : spans) {
    const SampleRange range = samplesOf(span, start_s, step_s, positions_m.size());
    for (std::size_t i = range.start; i < range.end; ++i) {
      const double height = std::max(0.0, positions_m[i].y - level_m) / skate_height_m;
      const double weight = height < 1.0 ? 2.0 - portable::pow(2.0, height) : 0.0;
      skate.sum_m += weight * horizontalLength(velocityAt(positions_m, step_s, i)) * step_s;
      skate.time_s += step_s;
    }
  }
  return skate;
}

double driftIn(const TimeSpan& span, double start_s, double step_s,
               std::span<const Vec3> positions_m) {
  const SampleRange range = samplesOf(span, start_s, step_s, positions_m.size());
  if (range.start == range.end) return 0.0;
  Vec3 sum(0.0);
  for (std::size_t i = range.start; i < range.end; ++i) sum += positions_m[i];
  const Vec3 mean = sum / static_cast<double>(range.end - range.start);
  double farthest = 0.0;
  for (std::size_t i = range.start; i < range.end; ++i) {
    farthest = std::max(farthest, horizontalLength(positions_m[i] - mean));
  }
  return farthest;
}

}  // namespace clipmill::locomotion
