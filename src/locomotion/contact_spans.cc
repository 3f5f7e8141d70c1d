// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/contact_spans.h"

#include <algorithm>
#include <cmath>

#include "core/to_size.h"
#include "locomotion/ground.h"
#include "locomotion/ground_motion.h"

namespace clipmill::locomotion {
namespace {

// A contact starts below this share of the limits at which it ends.
constexpr double kStartShare = 2.0 / 3.0;

// A planted point of a clip on the spot has a speed between these, as shares of that of the ground.
constexpr double kSlowestWithGround = -0.15, kFastestWithGround = 3.5;

constexpr double kLevelShare = 0.05;

// A point next to a contact that is slower than this share of the limit belongs to it.
constexpr double kEndSpeedShare = 0.25;

// Time of the other end of a cycle that is searched for contacts that its end cuts.
constexpr double kCycleReach_s = 0.25;

// `spans`, longer at both ends by what the window of contactVelocity() cuts off: samples at which
// the point has moved from the end of the contact at less than a quarter of the limit.
void extendEnds(double start_s, double step_s, std::span<const Vec3> positions_m,
                double speed_limit_mps, std::vector<TimeSpan>& spans) {
  const auto reach = static_cast<std::ptrdiff_t>(kSpeedReach_s / step_s);
  const double max_m = kEndSpeedShare * speed_limit_mps * kSpeedReach_s;
  const auto last = static_cast<std::ptrdiff_t>(positions_m.size()) - 1;
  const auto extended = [&](double end_s, std::ptrdiff_t direction) {
    const auto end = static_cast<std::ptrdiff_t>(std::llround((end_s - start_s) / step_s));
    const Vec3& planted_m = positions_m[toSize(end)];
    std::ptrdiff_t more = 0;
    for (; more < reach; ++more) {
      const std::ptrdiff_t next = end + direction * (more + 1);
      if (next < 0 || next > last) break;
      if (!(lengthOf(positions_m[toSize(next)] - planted_m) <= max_m)) break;
    }
    return start_s + static_cast<double>(end + direction * more) * step_s;
  };
  for (TimeSpan& span : spans) span = {extended(span.start_s, -1), extended(span.end_s, 1)};
}

// Velocity relative to the ground that a planted point may have: slow, or along the velocity of the
// ground.
bool isPlantedVelocity(const Vec3& velocity_mps, const ContactSettings& settings, double share) {
  const double limit_mps = share * settings.speed_mps;
  if (lengthOf(velocity_mps) <= limit_mps) return true;
  const Vec3& ground_mps = settings.ground_mps;
  const double square = glm::dot(ground_mps, ground_mps);
  if (!(square > 0.0)) return false;
  const double ratio = glm::dot(velocity_mps, ground_mps) / square;
  const Vec3 rest_mps = velocity_mps - ratio * ground_mps;
  return ratio + 1.0 >= kSlowestWithGround && ratio + 1.0 <= kFastestWithGround &&
         horizontalLength(rest_mps) <= limit_mps && std::abs(rest_mps.y) <= limit_mps;
}

}  // namespace

double levelOf(std::span<const Vec3> positions_m) {
  std::vector<double> heights;
  for (const Vec3& position : positions_m) {
    if (std::isfinite(position.y)) heights.push_back(position.y);
  }
  if (heights.empty()) return 0.0;
  const auto nth = static_cast<std::ptrdiff_t>(kLevelShare * static_cast<double>(heights.size()));
  std::nth_element(heights.begin(), heights.begin() + nth, heights.end());
  return heights[toSize(nth)];
}

std::vector<TimeSpan> unionOf(std::vector<TimeSpan> a, std::span<const TimeSpan> b, double gap_s) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end(),
            [](const TimeSpan& x, const TimeSpan& y) { return x.start_s < y.start_s; });
  std::vector<TimeSpan> joined;
  for (const TimeSpan& span : a) {
    if (!joined.empty() && span.start_s <= joined.back().end_s + gap_s) {
      joined.back().end_s = std::max(joined.back().end_s, span.end_s);
    } else {
      joined.push_back(span);
    }
  }
  return joined;
}

std::vector<TimeSpan> findContacts(double start_s, double step_s, std::span<const Vec3> positions_m,
                                   double level_m, const ContactSettings& settings) {
  if (positions_m.size() < 2 || !(step_s > 0.0)) return {};
  std::vector<TimeSpan> spans;
  bool is_planted = false;
  for (std::size_t i = 0; i < positions_m.size(); ++i) {
    const double share = is_planted ? 1.0 : kStartShare;
    // Written so that a position that is NaN is not planted.
    const bool is_planted_now =
        positions_m[i].y - level_m <= share * settings.height_m &&
        isPlantedVelocity(contactVelocity(positions_m, step_s, i), settings, share);
    const double time_s = start_s + static_cast<double>(i) * step_s;
    if (is_planted_now && !is_planted) spans.push_back({time_s, time_s});
    if (is_planted_now) spans.back().end_s = time_s;
    is_planted = is_planted_now;
  }
  extendEnds(start_s, step_s, positions_m, settings.speed_mps, spans);
  spans = unionOf(std::move(spans), {}, 0.5 * settings.shortest_s);
  const double end_s = start_s + static_cast<double>(positions_m.size() - 1) * step_s;
  std::erase_if(spans, [&](const TimeSpan& s) {
    const bool is_cut = s.start_s <= start_s || s.end_s >= end_s;
    return s.length() < (is_cut ? 0.5 : 1.0) * settings.shortest_s;
  });
  return spans;
}

std::vector<TimeSpan> findCycleContacts(double start_s, double step_s,
                                        const std::vector<Vec3>& positions_m, double level_m,
                                        const ContactSettings& settings) {
  const std::size_t period = positions_m.size() - 1;
  const std::size_t more = std::min(period, toSize(std::ceil(kCycleReach_s / step_s)));
  const Vec3 path = positions_m.back() - positions_m.front();
  std::vector<Vec3> longer;
  for (std::size_t i = 0; i < more; ++i) longer.push_back(positions_m[period - more + i] - path);
  longer.insert(longer.end(), positions_m.begin(), positions_m.end());
  for (std::size_t i = 1; i <= more; ++i) longer.push_back(positions_m[i] + path);
  const double end_s = start_s + static_cast<double>(period) * step_s;
  std::vector<TimeSpan> spans =
      findContacts(start_s - static_cast<double>(more) * step_s, step_s, longer, level_m, settings);
  for (TimeSpan& span : spans) {
    span.start_s = std::max(span.start_s, start_s);
    span.end_s = std::min(span.end_s, end_s);
  }
  std::erase_if(spans, [](const TimeSpan& s) { return !(s.length() > 0.0); });
  return spans;
}

std::vector<TimeSpan> outsideOf(std::span<const TimeSpan> spans, std::span<const TimeSpan> others) {
  std::vector<TimeSpan> parts;
  for (const TimeSpan& span : spans) {
    double from_s = span.start_s;
    for (const TimeSpan& other : others) {
      if (other.end_s < from_s || other.start_s > span.end_s) continue;
      if (other.start_s > from_s) parts.push_back({from_s, other.start_s});
      from_s = other.end_s;
    }
    if (from_s < span.end_s) parts.push_back({from_s, span.end_s});
  }
  return parts;
}

}  // namespace clipmill::locomotion
