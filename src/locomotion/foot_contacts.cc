// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_contacts.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "core/math.h"
#include "core/to_size.h"
#include "locomotion/drawn_up_legs.h"
#include "locomotion/ground.h"
#include "locomotion/ground_motion.h"
#include "locomotion/pose_cycle.h"
#include "locomotion/root_joint.h"
#include "locomotion/trace_ground.h"

namespace clipmill::locomotion {
namespace {

// A contact starts below this share of the limits at which it ends.
constexpr double kStartShare = 2.0 / 3.0;

// A planted point of a clip on the spot has a speed between these, as shares of that of the ground.
constexpr double kSlowestWithGround = -0.15, kFastestWithGround = 3.5;

// Feet keep to the velocity of the ground if points that do so are planted for this share of the
// time of all points that move along with it.
constexpr double kKeepsToGround = 0.75;

// A clip on the spot whose feet are down for less than this share of it is in the air.
constexpr double kLeastGroundShare = 0.2;

// A foot that is never planted while the other one walks on moving ground may be so much faster.
constexpr double kHastyShare = 2.0;

// A character that moves less than this, in leg lengths, is on the spot.
constexpr double kOnTheSpot = 0.5;

constexpr double kLevelShare = 0.05;

// A point next to a contact that is slower than this share of the limit belongs to it.
constexpr double kEndSpeedShare = 0.25;

// Time of the other end of a cycle that is searched for contacts that its end cuts.
constexpr double kCycleReach_s = 0.25;

// How far the heel is behind the ankle, as a share of the distance from there to the ball.
constexpr double kHeelShare = 0.4;

// Toes of a character whose ground is height 0 are no higher than this share of the ankle.
constexpr double kToesOverGround = 0.6;

Vec3 toNode(const Affine& world_from_node, const Vec3& position) {
  const Vec3 local = transformPoint(inverse(world_from_node), position);
  return isFinite(local) ? local : Vec3(0.0);
}

// Where the sole is in the rest pose: height 0 where the rest pose seems to be on it, else the
// height of the toes.
double soleHeight(const Vec3& ankle, const Vec3& toes) {
  const bool is_on_zero = toes.y >= 0.0 && toes.y <= kToesOverGround * ankle.y;
  return is_on_zero ? 0.0 : std::min(ankle.y, toes.y);
}

FootMarks marksOf(const std::vector<Affine>& rest, BodySide side, int foot, int toes) {
  FootMarks marks{side, {foot, Vec3(0.0)}, {foot, Vec3(0.0)}};
  if (toes < 0) return marks;
  const Affine& world = rest[toSize(foot)];
  const Vec3 ankle = world.translation, ball = rest[toSize(toes)].translation;
  const Vec3 back(ankle.x - ball.x, 0.0, ankle.z - ball.z);
  const Vec3 heel = Vec3(ankle.x, soleHeight(ankle, ball), ankle.z) + kHeelShare * back;
  marks.heel.offset = toNode(world, heel);
  marks.ball = {toes, Vec3(0.0)};
  return marks;
}

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

// Contacts of a point in a cycle: searched on a path that is extended at both ends.
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

std::vector<FootPath> pathsOf(const FeetTrace& trace) {
  std::vector<FootPath> paths;
  for (const FootTrace& foot : trace.feet) {
    paths.push_back({foot.heel_on_ground_m, foot.heel_level_m, foot.marks.side});
    paths.push_back({foot.ball_on_ground_m, foot.ball_level_m, foot.marks.side});
  }
  return paths;
}

// Finds how the ground moves and slopes, then the levels and limits on it.
void findGround(const Vec3& travel_m, const ContactLimits& limits, FeetTrace& trace) {
  findLevels(trace);
  trace.treadmill_mps = treadmillOf(pathsOf(trace), trace.step_s, trace.leg_m, travel_m);
  if (trace.treadmill_mps == Vec3(0.0)) {
    trace.slope = slopeOf(pathsOf(trace), trace.step_s, trace.leg_m);
  }
  findLevels(trace);
  const double length_s = trace.step_s * static_cast<double>(trace.sample_count - 1);
  const double travel_mps = length_s > 0.0 ? horizontalLength(travel_m) / length_s : 0.0;
  trace.contact = fitContacts(pathsOf(trace), trace.step_s, trace.leg_m,
                              std::max(travel_mps, lengthOf(trace.treadmill_mps)),
                              limits.may_skate && trace.treadmill_mps == Vec3(0.0));
  trace.contact.ground_mps = trace.treadmill_mps;
  trace.contact.height_m = limits.height_m.value_or(trace.contact.height_m);
  trace.contact.speed_mps = limits.speed_mps.value_or(trace.contact.speed_mps);
}

std::vector<TimeSpan> contactsOf(bool is_cycle, const ContactSettings& settings,
                                 const std::vector<Vec3>& path_m, double level_m,
                                 const FeetTrace& trace) {
  return is_cycle ? findCycleContacts(trace.start_s, trace.step_s, path_m, level_m, settings)
                  : findContacts(trace.start_s, trace.step_s, path_m, level_m, settings);
}

// Contacts of all points, and the time that they last in all.
double findContactsWith(bool is_cycle, const ContactSettings& settings, FeetTrace& trace) {
  double sum_s = 0.0;
  for (FootTrace& foot : trace.feet) {
    foot.heel_on = contactsOf(is_cycle, settings, foot.heel_on_ground_m, foot.heel_level_m, trace);
    foot.ball_on = contactsOf(is_cycle, settings, foot.ball_on_ground_m, foot.ball_level_m, trace);
    for (const TimeSpan& span : foot.heel_on) sum_s += span.length();
    for (const TimeSpan& span : foot.ball_on) sum_s += span.length();
  }
  return sum_s;
}

// Feet that keep to the velocity of moving ground are planted as on ground that rests. Points that
// move along with it at another speed count too where that gives much longer contacts.
void findAllContacts(bool is_cycle, FeetTrace& trace) {
  const double max_s = findContactsWith(is_cycle, trace.contact, trace);
  if (trace.treadmill_mps == Vec3(0.0)) return;
  ContactSettings strict = trace.contact;
  strict.ground_mps = Vec3(0.0);
  if (findContactsWith(is_cycle, strict, trace) >= kKeepsToGround * max_s) {
    trace.contact = strict;
  } else {
    findContactsWith(is_cycle, trace.contact, trace);
  }
}

// The ground was found wrong by the velocity that planted points have relative to it.
void refineTreadmill(bool is_cycle, FeetTrace& trace) {
  if (trace.treadmill_mps == Vec3(0.0)) return;
  trace.treadmill_mps += plantedVelocity(trace);
  findLevels(trace);
  findAllContacts(is_cycle, trace);
}

// Whoever walks or runs on moving ground steps on both feet. A foot without a contact is searched
// again with a higher limit of speed.
void findHastyContacts(bool is_cycle, FeetTrace& trace) {
  if (trace.treadmill_mps == Vec3(0.0) || !trace.hasContacts()) return;
  ContactSettings hasty = trace.contact;
  hasty.speed_mps *= kHastyShare;
  for (FootTrace& foot : trace.feet) {
    if (!foot.heel_on.empty() || !foot.ball_on.empty()) continue;
    foot.heel_on = contactsOf(is_cycle, hasty, foot.heel_on_ground_m, foot.heel_level_m, trace);
    foot.ball_on = contactsOf(is_cycle, hasty, foot.ball_on_ground_m, foot.ball_level_m, trace);
  }
}

void dropContacts(FeetTrace& trace) {
  for (FootTrace& foot : trace.feet) {
    foot.heel_on.clear();
    foot.ball_on.clear();
  }
}

// Feet of a clip on the spot that are hardly ever down, or drawn up, hang in the air.
void dropHangingContacts(const Scene& scene, int hips, double travel_m, FeetTrace& trace) {
  const bool is_on_spot = travel_m < kOnTheSpot * trace.leg_m && trace.treadmill_mps == Vec3(0.0);
  if (!is_on_spot) return;
  if (areLegsDrawnUp(scene, hips, trace)) return dropContacts(trace);
  std::vector<TimeSpan> all;
  for (const FootTrace& foot : trace.feet) {
    all = unionOf(std::move(all), foot.heel_on, 0.0);
    all = unionOf(std::move(all), foot.ball_on, 0.0);
  }
  double down_s = 0.0;
  for (const TimeSpan& span : all) down_s += span.length();
  const double length_s = trace.step_s * static_cast<double>(trace.sample_count - 1);
  if (down_s < kLeastGroundShare * length_s) dropContacts(trace);
}

}  // namespace

bool FeetTrace::hasContacts() const {
  return std::any_of(feet.begin(), feet.end(), [](const FootTrace& foot) {
    return !foot.heel_on.empty() || !foot.ball_on.empty();
  });
}

double legLength(const Scene& scene, const humanoid::HumanoidMap& map) {
  using Role = humanoid::HumanoidRole;
  std::vector<Affine> rest;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, rest);
  double sum_m = 0.0, legs = 0.0;
  for (const auto& [upper, lower, foot] :
       {std::array{Role::kLeftUpperLeg, Role::kLeftLowerLeg, Role::kLeftFoot},
        std::array{Role::kRightUpperLeg, Role::kRightLowerLeg, Role::kRightFoot}}) {
    if (map[upper] < 0 || map[lower] < 0 || map[foot] < 0) continue;
    const Vec3 knee = rest[toSize(map[lower])].translation;
    sum_m += lengthOf(rest[toSize(map[upper])].translation - knee) +
             lengthOf(rest[toSize(map[foot])].translation - knee);
    legs += 1.0;
  }
  constexpr double kLegShare = 0.5;
  return sum_m > 0.0 ? sum_m / legs : kLegShare * characterHeight(scene);
}

std::vector<FootMarks> footMarks(const Scene& scene, const humanoid::HumanoidMap& map) {
  std::vector<Affine> rest;
  computeWorlds(scene.skeleton, restPose(scene.skeleton).locals, scene.metric_from_file, rest);
  std::vector<FootMarks> marks;
  for (const BodySide side : kBodySides) {
    const bool is_left = side == BodySide::kLeft;
    const int foot =
        map[is_left ? humanoid::HumanoidRole::kLeftFoot : humanoid::HumanoidRole::kRightFoot];
    const int toes =
        map[is_left ? humanoid::HumanoidRole::kLeftToes : humanoid::HumanoidRole::kRightToes];
    if (foot >= 0) marks.push_back(marksOf(rest, side, foot, toes));
  }
  return marks;
}

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

FeetTrace traceFeet(const Scene& scene, const humanoid::HumanoidMap& map, const Motion& motion,
                    const ContactLimits& limits) {
  const std::vector<FootMarks> marks = footMarks(scene, map);
  const int hips = map[humanoid::HumanoidRole::kHips];
  std::vector<NodePoint> points;
  for (const FootMarks& foot : marks) points.insert(points.end(), {foot.heel, foot.ball});
  if (hips >= 0) points.push_back({hips, Vec3(0.0)});
  PointPaths paths = samplePoints(scene, motion, points);
  FeetTrace trace;
  trace.start_s = paths.start_s;
  trace.step_s = paths.step_s;
  trace.sample_count = paths.sample_count;
  trace.leg_m = legLength(scene, map);
  for (std::size_t f = 0; f < marks.size(); ++f) {
    FootTrace foot;
    foot.marks = marks[f];
    foot.heel_m = std::move(paths.positions_m[2 * f]);
    foot.ball_m = std::move(paths.positions_m[2 * f + 1]);
    trace.feet.push_back(std::move(foot));
  }
  if (trace.feet.empty()) return trace;
  const std::vector<Vec3>& body_m = hips >= 0 ? paths.positions_m.back() : trace.feet[0].heel_m;
  const Vec3 travel = body_m.back() - body_m.front();
  const Vec3 travel_m(travel.x, 0.0, travel.z);
  if (hips >= 0) trace.body_m = body_m;
  findGround(travel_m, limits, trace);
  const bool is_cycle = trace.sample_count > 1 && isCycle(scene.skeleton, hips, motion);
  findAllContacts(is_cycle, trace);
  refineTreadmill(is_cycle, trace);
  findHastyContacts(is_cycle, trace);
  dropHangingContacts(scene, hips, horizontalLength(travel_m), trace);
  return trace;
}

void takeContacts(const FeetTrace& clip, FeetTrace& trace) {
  for (FootTrace& foot : trace.feet) {
    for (const FootTrace& other : clip.feet) {
      if (other.marks.side != foot.marks.side) continue;
      foot.heel_on = other.heel_on;
      foot.ball_on = other.ball_on;
    }
  }
  const bool moves = clip.treadmill_mps != Vec3(0.0);
  if (moves == (trace.treadmill_mps != Vec3(0.0))) return;
  if (moves) trace.slope = Vec3(0.0);
  trace.treadmill_mps = Vec3(0.0);
  findLevels(trace);
  if (!moves) return;
  trace.treadmill_mps = plantedVelocity(trace);
  findLevels(trace);
}

}  // namespace clipmill::locomotion
