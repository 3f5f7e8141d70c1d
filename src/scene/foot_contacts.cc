// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/foot_contacts.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"

namespace clipmill {
namespace {

// A contact begins below this share of the limits at which it ends.
constexpr double kBeginShare = 2.0 / 3.0;

// Speeds are those between two instants this long before and after: wide enough that the corners of
// keys at 24 a second do not count as motion.
constexpr double kSpeedReach_s = 1.0 / 48.0;

// A point of another foot may stand this much higher than the lowest (soles differ); what is higher
// than that has not stood at all.
constexpr double kUnevenness_m = 0.04;

constexpr double kLevelShare = 0.05;

// So much of the other end of a cycle is looked at for contacts that its end cuts.
constexpr double kCycleReach_s = 0.25;

// The ends of a cycle differ by no more than this, translations as a share of the bone.
constexpr double kSamePose_rad = 1e-3;

// How far the heel is behind the ankle, as a share of the way from there to the ball.
constexpr double kHeelShare = 0.4;

// Toes of a figure that stands on height 0 are no higher than this share of the ankle.
constexpr double kToesOverGround = 0.6;

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

Vec3 toNode(const Affine& world_from_node, const Vec3& place) {
  const Vec3 local = transformPoint(inverse(world_from_node), place);
  return isFinite(local) ? local : Vec3(0.0);
}

// Where the sole is in the rest pose: the ground of the file where the figure seems to stand on it,
// else the height of the toes.
double soleHeight(const Vec3& ankle, const Vec3& toes) {
  const bool stands_on_zero = toes.y >= 0.0 && toes.y <= kToesOverGround * ankle.y;
  return stands_on_zero ? 0.0 : std::min(ankle.y, toes.y);
}

FootMarks marksOf(const std::vector<Affine>& rest, BodySide side, int foot, int toes) {
  FootMarks marks{side, {foot, Vec3(0.0)}, {foot, Vec3(0.0)}};
  if (toes < 0) return marks;
  const Affine& world = rest[static_cast<std::size_t>(foot)];
  const Vec3 ankle = world.translation, ball = rest[static_cast<std::size_t>(toes)].translation;
  const Vec3 back(ankle.x - ball.x, 0.0, ankle.z - ball.z);
  const Vec3 heel = Vec3(ankle.x, soleHeight(ankle, ball), ankle.z) + kHeelShare * back;
  marks.heel.offset = toNode(world, heel);
  marks.ball = {toes, Vec3(0.0)};
  return marks;
}

// The hips and all above them may carry a figure to where its cycle ends.
bool mayTravel(const Skeleton& skeleton, int node, int hips) {
  return hips >= 0 && isAtOrBelow(skeleton, hips, node);
}

// Contacts of a point that goes on from the end of the clip at its begin: looked for on a path that
// is longer at both ends.
std::vector<TimeSpan> findCycleContacts(double begin_s, double step_s,
                                        const std::vector<Vec3>& places_m, double level_m,
                                        const ContactSettings& settings) {
  const std::size_t period = places_m.size() - 1;
  const std::size_t more =
      std::min(period, static_cast<std::size_t>(std::ceil(kCycleReach_s / step_s)));
  const Vec3 way = places_m.back() - places_m.front();
  std::vector<Vec3> longer;
  for (std::size_t i = 0; i < more; ++i) longer.push_back(places_m[period - more + i] - way);
  longer.insert(longer.end(), places_m.begin(), places_m.end());
  for (std::size_t i = 1; i <= more; ++i) longer.push_back(places_m[i] + way);
  const double end_s = begin_s + static_cast<double>(period) * step_s;
  std::vector<TimeSpan> spans =
      findContacts(begin_s - static_cast<double>(more) * step_s, step_s, longer, level_m, settings);
  for (TimeSpan& span : spans) {
    span.begin_s = std::max(span.begin_s, begin_s);
    span.end_s = std::min(span.end_s, end_s);
  }
  std::erase_if(spans, [](const TimeSpan& s) { return !(s.length() > 0.0); });
  return spans;
}

double speedAt(std::span<const Vec3> places_m, double step_s, std::size_t reach, std::size_t i) {
  const std::size_t from = i >= reach ? i - reach : 0;
  const std::size_t to = std::min(places_m.size() - 1, i + reach);
  if (to == from) return 0.0;
  return lengthOf(places_m[to] - places_m[from]) / (static_cast<double>(to - from) * step_s);
}

}  // namespace

std::vector<FootMarks> footMarks(const Scene& scene, const HumanoidMap& map) {
  std::vector<Affine> rest;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, rest);
  std::vector<FootMarks> marks;
  for (const BodySide side : kBodySides) {
    const bool is_left = side == BodySide::kLeft;
    const int foot = map[is_left ? HumanoidRole::kLeftFoot : HumanoidRole::kRightFoot];
    const int toes = map[is_left ? HumanoidRole::kLeftToes : HumanoidRole::kRightToes];
    if (foot >= 0) marks.push_back(marksOf(rest, side, foot, toes));
  }
  return marks;
}

double levelOf(std::span<const Vec3> places_m) {
  std::vector<double> heights;
  for (const Vec3& place : places_m) {
    if (std::isfinite(place.y)) heights.push_back(place.y);
  }
  if (heights.empty()) return 0.0;
  const auto nth = static_cast<std::ptrdiff_t>(kLevelShare * static_cast<double>(heights.size()));
  std::nth_element(heights.begin(), heights.begin() + nth, heights.end());
  return heights[static_cast<std::size_t>(nth)];
}

std::vector<TimeSpan> unionOf(std::vector<TimeSpan> a, std::span<const TimeSpan> b, double gap_s) {
  a.insert(a.end(), b.begin(), b.end());
  std::sort(a.begin(), a.end(),
            [](const TimeSpan& x, const TimeSpan& y) { return x.begin_s < y.begin_s; });
  std::vector<TimeSpan> joined;
  for (const TimeSpan& span : a) {
    if (!joined.empty() && span.begin_s <= joined.back().end_s + gap_s) {
      joined.back().end_s = std::max(joined.back().end_s, span.end_s);
    } else {
      joined.push_back(span);
    }
  }
  return joined;
}

std::vector<TimeSpan> findContacts(double begin_s, double step_s, std::span<const Vec3> places_m,
                                   double level_m, const ContactSettings& settings) {
  if (places_m.size() < 2 || !(step_s > 0.0)) return {};
  const auto reach = static_cast<std::size_t>(std::max(1.0, std::round(kSpeedReach_s / step_s)));
  std::vector<TimeSpan> spans;
  bool stands = false;
  for (std::size_t i = 0; i < places_m.size(); ++i) {
    const double share = stands ? 1.0 : kBeginShare;
    // Written so that a place that is no number does not stand.
    const bool stands_now = places_m[i].y - level_m <= share * settings.height_m &&
                            speedAt(places_m, step_s, reach, i) <= share * settings.speed_mps;
    const double time_s = begin_s + static_cast<double>(i) * step_s;
    if (stands_now && !stands) spans.push_back({time_s, time_s});
    if (stands_now) spans.back().end_s = time_s;
    stands = stands_now;
  }
  spans = unionOf(std::move(spans), {}, 0.5 * settings.shortest_s);
  const double end_s = begin_s + static_cast<double>(places_m.size() - 1) * step_s;
  std::erase_if(spans, [&](const TimeSpan& s) {
    const bool is_cut = s.begin_s <= begin_s || s.end_s >= end_s;
    return s.length() < (is_cut ? 0.5 : 1.0) * settings.shortest_s;
  });
  return spans;
}

bool endsAsItBegins(const Skeleton& skeleton, int hips, const Motion& motion) {
  const auto first = motion.localsOf(0), last = motion.localsOf(motion.grid.frame_count - 1);
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    const Quat a = normalizedOrIdentity(first[n].rotation);
    if (angleBetween(a, normalizedOrIdentity(last[n].rotation)) > kSamePose_rad) return false;
    if (mayTravel(skeleton, static_cast<int>(n), hips)) continue;
    const double moved = lengthOf(last[n].translation - first[n].translation);
    if (moved > kSamePose_rad * lengthOf(skeleton.nodes[n].rest.translation)) return false;
  }
  return true;
}

FeetTrace traceFeet(const Scene& scene, const HumanoidMap& map, const Motion& motion,
                    const ContactSettings& settings) {
  const std::vector<FootMarks> marks = footMarks(scene, map);
  std::vector<NodePoint> points;
  for (const FootMarks& foot : marks) points.insert(points.end(), {foot.heel, foot.ball});
  PointPaths paths = samplePoints(scene, motion, points);
  FeetTrace trace{paths.begin_s, paths.step_s, paths.sample_count, 0.0, {}};
  for (std::size_t f = 0; f < marks.size(); ++f) {
    FootTrace foot;
    foot.marks = marks[f];
    foot.heel_m = std::move(paths.places_m[2 * f]);
    foot.ball_m = std::move(paths.places_m[2 * f + 1]);
    foot.heel_level_m = levelOf(foot.heel_m);
    foot.ball_level_m = levelOf(foot.ball_m);
    const double lower = std::min(foot.heel_level_m, foot.ball_level_m);
    trace.ground_m = f == 0 ? lower : std::min(trace.ground_m, lower);
    trace.feet.push_back(std::move(foot));
  }
  const bool is_cycle =
      trace.sample_count > 1 && endsAsItBegins(scene.skeleton, map[HumanoidRole::kHips], motion);
  const auto contactsOf = [&](const std::vector<Vec3>& places_m, double level_m) {
    return is_cycle ? findCycleContacts(trace.begin_s, trace.step_s, places_m, level_m, settings)
                    : findContacts(trace.begin_s, trace.step_s, places_m, level_m, settings);
  };
  for (FootTrace& foot : trace.feet) {
    const double highest = trace.ground_m + kUnevenness_m;
    foot.heel_level_m = std::min(foot.heel_level_m, highest);
    foot.ball_level_m = std::min(foot.ball_level_m, highest);
    foot.heel_on = contactsOf(foot.heel_m, foot.heel_level_m);
    foot.ball_on = contactsOf(foot.ball_m, foot.ball_level_m);
  }
  return trace;
}

}  // namespace clipmill
