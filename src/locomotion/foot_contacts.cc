// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/foot_contacts.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

// Feet keep to the velocity of the ground if points that do so are planted for this share of the
// time of all points that move along with it.
constexpr double kKeepsToGround = 0.75;

// A clip on the spot whose feet are down for less than this share of it is in the air.
constexpr double kLeastGroundShare = 0.2;

// A foot that is never planted while the other one walks on moving ground may be so much faster.
constexpr double kHastyShare = 2.0;

// A character that moves less than this, in leg lengths, is on the spot.
constexpr double kOnTheSpot = 0.5;

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

std::vector<FootPath> pathsOf(const FeetTrace& trace) {
  std::vector<FootPath> paths;
  for (const FootTrace& foot : trace.feet) {
    paths.push_back({foot.heel_on_ground_m, foot.heel_level_m, foot.marks.side});
    paths.push_back({foot.ball_on_ground_m, foot.ball_level_m, foot.marks.side});
  }
  return paths;
}

// The range of the heights of a path over ground of that slope.
double rangeOver_m(std::span<const Vec3> path_m, const Vec3& slope) {
  double low_m = std::numeric_limits<double>::infinity(), high_m = -low_m;
  for (const Vec3& position_m : path_m) {
    const double height_m = position_m.y - slope.x * position_m.x - slope.z * position_m.z;
    if (!std::isfinite(height_m)) continue;
    low_m = std::min(low_m, height_m);
    high_m = std::max(high_m, height_m);
  }
  return high_m > low_m ? high_m - low_m : 0.0;
}

// A body on sloping ground keeps its height over it better than over a level. One that lies down
// has feet at rest at two heights too, but does not.
bool bodyFollows(const Vec3& slope, const FeetTrace& trace) {
  return rangeOver_m(trace.body_m, slope) <= rangeOver_m(trace.body_m, Vec3(0.0));
}

// Finds how the ground moves and slopes, then the levels and limits on it.
void findGround(const Vec3& travel_m, const ContactLimits& limits, FeetTrace& trace) {
  findLevels(trace);
  trace.treadmill_mps = treadmillOf(pathsOf(trace), trace.step_s, trace.leg_m, travel_m);
  if (trace.treadmill_mps == Vec3(0.0)) {
    const Vec3 slope = slopeOf(pathsOf(trace), trace.step_s, trace.leg_m);
    if (bodyFollows(slope, trace)) trace.slope = slope;
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

// The share of its speed at which the ground under `trace` moves no faster than that under `clip`,
// in lengths of a leg.
double shareOfSpeed(const FeetTrace& clip, const FeetTrace& trace) {
  const double speed_mps = lengthOf(trace.treadmill_mps);
  const double max_mps = lengthOf(clip.treadmill_mps) * (trace.leg_m / clip.leg_m);
  return speed_mps > max_mps ? max_mps / speed_mps : 1.0;
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

// The path of an ankle over the ground, at the height of the sole over its level.
std::vector<Vec3> anklePath(const FootTrace& foot) {
  std::vector<Vec3> path_m = foot.ankle_on_ground_m;
  for (std::size_t i = 0; i < path_m.size(); ++i) {
    path_m[i].y = std::min(foot.heel_on_ground_m[i].y - foot.heel_level_m,
                           foot.ball_on_ground_m[i].y - foot.ball_level_m);
  }
  return path_m;
}

// Feet that rotate about their ankles, whose heels and balls slide.
void findAnkleContacts(bool is_cycle, FeetTrace& trace) {
  for (FootTrace& foot : trace.feet) {
    if (foot.ankle_m.empty()) continue;
    const std::vector<TimeSpan> all =
        contactsOf(is_cycle, trace.contact, anklePath(foot), 0.0, trace);
    foot.ankle_on = outsideOf(all, unionOf(foot.heel_on, foot.ball_on, 0.0));
    std::erase_if(foot.ankle_on, [&](const TimeSpan& span) {
      return span.length() < 0.5 * trace.contact.shortest_s;
    });
  }
}

void dropContacts(FeetTrace& trace) {
  for (FootTrace& foot : trace.feet) {
    foot.ankle_on.clear();
    foot.heel_on.clear();
    foot.ball_on.clear();
  }
}

// Feet of a clip on the spot that are drawn up, or hardly ever down and not on the ground of the
// rest pose, hang in the air. Who sits down in a chair or lies down on a couch was on that ground
// before.
void dropHangingContacts(const Scene& scene, int hips, double travel_m, FeetTrace& trace) {
  const bool is_on_spot = travel_m < kOnTheSpot * trace.leg_m && trace.treadmill_mps == Vec3(0.0);
  if (!is_on_spot) return;
  if (areLegsDrawnUp(scene, hips, trace)) return dropContacts(trace);
  if (areFeetOnRestGround(scene, trace)) return;
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

FeetTrace traceFeet(const Scene& scene, const humanoid::HumanoidMap& map, const Motion& motion,
                    const ContactLimits& limits) {
  const std::vector<FootMarks> marks = footMarks(scene, map);
  const int hips = map[humanoid::HumanoidRole::kHips];
  std::vector<NodePoint> points;
  for (const FootMarks& foot : marks) {
    points.insert(points.end(), {foot.heel, foot.ball, {foot.heel.node, Vec3(0.0)}});
  }
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
    foot.heel_m = std::move(paths.positions_m[3 * f]);
    foot.ball_m = std::move(paths.positions_m[3 * f + 1]);
    if (foot.marks.heel.node != foot.marks.ball.node)
      foot.ankle_m = std::move(paths.positions_m[3 * f + 2]);
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
  findAnkleContacts(is_cycle, trace);
  dropHangingContacts(scene, hips, horizontalLength(travel_m), trace);
  return trace;
}

void takeContacts(const FeetTrace& clip, FeetTrace& trace) {
  for (FootTrace& foot : trace.feet) {
    for (const FootTrace& other : clip.feet) {
      if (other.marks.side != foot.marks.side) continue;
      foot.heel_on = other.heel_on;
      foot.ball_on = other.ball_on;
      if (!foot.ankle_m.empty()) foot.ankle_on = other.ankle_on;
    }
  }
  const bool moves = clip.treadmill_mps != Vec3(0.0);
  if (moves != (trace.treadmill_mps != Vec3(0.0))) {
    if (moves) trace.slope = Vec3(0.0);
    trace.treadmill_mps = Vec3(0.0);
    findLevels(trace);
    if (moves) trace.treadmill_mps = plantedVelocity(trace);
  }
  if (!moves) return;
  trace.treadmill_mps *= shareOfSpeed(clip, trace);
  findLevels(trace);
}

}  // namespace clipmill::locomotion
