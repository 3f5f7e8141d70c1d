// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/gait_cycle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/math.h"
#include "core/to_size.h"
#include "locomotion/foot_contacts.h"
#include "locomotion/ground.h"
#include "locomotion/ground_track.h"
#include "scene/point_paths.h"

namespace clipmill::stages::stretch {
namespace {

constexpr double kSamplesPerSecond = 60.0;
constexpr double kShortest_s = 0.4, kLongest_s = 2.5;
constexpr double kMaxMismatch = 0.12;
// Of poses alone. Where the end of a cycle is its start, as in clips made to loop, velocities may
// differ there as they do where a foot lands.
constexpr double kClosedMismatch = 0.01;
constexpr double kLeastTravel = 0.25;    // in legs
constexpr double kSlowestShare = 0.3;    // of the mean speed
constexpr double kVelocityTime_s = 0.1;  // weight of velocities against positions
constexpr double kMismatchPerSecond = 0.02;

// Poses of a clip relative to the hips on the ground and to their heading.
struct GaitSamples {
  double start_s = 0.0, step_s = 0.0, leg_m = 1.0;
  std::vector<std::vector<Vec3>> poses_m, velocities_mps;  // [sample][point]
  std::vector<Vec3> hips_m;                                // [sample], along the ground
  std::vector<double> path_m, slowest_mps;                 // [sample], over 0.1 s
  std::vector<std::vector<bool>> planted;                  // [foot][sample]

  std::size_t count() const { return hips_m.size(); }
  double timeOf(std::size_t i) const { return start_s + static_cast<double>(i) * step_s; }
};

std::vector<NodePoint> pointsOf(const humanoid::HumanoidMap& map) {
  using Role = humanoid::HumanoidRole;
  std::vector<NodePoint> points;
  for (const Role role :
       {Role::kHips, Role::kLeftFoot, Role::kRightFoot, Role::kLeftLowerLeg, Role::kRightLowerLeg,
        Role::kLeftToes, Role::kRightToes, Role::kLeftHand, Role::kRightHand, Role::kHead}) {
    if (map[role] >= 0) points.push_back({map[role], Vec3(0.0)});
  }
  return points;
}

Vec3 velocityAt(const std::vector<std::vector<Vec3>>& poses_m, std::size_t i, std::size_t point,
                double step_s) {
  const std::size_t from = i > 0 ? i - 1 : 0, to = std::min(poses_m.size() - 1, i + 1);
  return (poses_m[to][point] - poses_m[from][point]) / (static_cast<double>(to - from) * step_s);
}

void addSpeeds(GaitSamples& samples) {
  const auto reach = toSize(std::round(0.5 * kVelocityTime_s / samples.step_s));
  const std::size_t last = samples.count() - 1;
  samples.path_m.assign(samples.count(), 0.0);
  for (std::size_t i = 0; i <= last; ++i) {
    const std::size_t from = i > reach ? i - reach : 0, to = std::min(last, i + reach);
    const Vec3 moved = samples.hips_m[to] - samples.hips_m[from];
    samples.slowest_mps.push_back(lengthOf(moved) /
                                  (static_cast<double>(to - from) * samples.step_s));
    if (i > 0) {
      samples.path_m[i] =
          samples.path_m[i - 1] + lengthOf(samples.hips_m[i] - samples.hips_m[i - 1]);
    }
  }
}

void addContacts(const locomotion::FeetTrace& feet, GaitSamples& samples) {
  for (const locomotion::FootTrace& foot : feet.feet) {
    const auto spans = locomotion::unionOf(foot.heel_on, foot.ball_on, 0.0);
    std::vector<bool>& planted = samples.planted.emplace_back();
    for (std::size_t i = 0; i < samples.count(); ++i) {
      planted.push_back(std::any_of(spans.begin(), spans.end(), [&](const auto& span) {
        return span.holds(samples.timeOf(i));
      }));
    }
  }
}

GaitSamples sampleGait(const Scene& scene, const humanoid::HumanoidMap& map, const Motion& motion,
                       const locomotion::FeetTrace& feet) {
  const std::vector<NodePoint> points = pointsOf(map);
  const PointPaths paths = samplePoints(scene, motion, points, kSamplesPerSecond);
  const locomotion::GroundTrack ground(scene, motion, points.front().node,
                                       locomotion::GroundHeading::kOfCharacter);
  GaitSamples samples{paths.start_s, paths.step_s, feet.leg_m, {}, {}, {}, {}, {}, {}};
  for (std::size_t i = 0; i < paths.sample_count; ++i) {
    const Vec3& hips_m = paths.positions_m[0][i];
    samples.hips_m.emplace_back(hips_m.x, 0.0, hips_m.z);
    const Quat back = rotationAbout(Vec3(0, 1, 0), -ground.at(paths.timeOf(i)).heading_rad);
    std::vector<Vec3>& pose_m = samples.poses_m.emplace_back();
    for (const auto& path_m : paths.positions_m) {
      pose_m.push_back(back * (path_m[i] - samples.hips_m.back()));
    }
  }
  for (std::size_t i = 0; i < samples.count(); ++i) {
    std::vector<Vec3>& velocities = samples.velocities_mps.emplace_back();
    for (std::size_t p = 0; p < points.size(); ++p) {
      velocities.push_back(velocityAt(samples.poses_m, i, p, samples.step_s));
    }
  }
  addSpeeds(samples);
  addContacts(feet, samples);
  return samples;
}

struct Mismatch {
  double of_poses = 0.0, in_all = 0.0;
  bool isSmall() const { return in_all <= kMaxMismatch || of_poses <= kClosedMismatch; }
};

Mismatch mismatchOf(const GaitSamples& samples, std::size_t a, std::size_t b) {
  double apart = 0.0, faster_by = 0.0;
  const std::size_t points = samples.poses_m[a].size();
  for (std::size_t p = 0; p < points; ++p) {
    const Vec3 moved = samples.poses_m[b][p] - samples.poses_m[a][p];
    const Vec3 faster =
        kVelocityTime_s * (samples.velocities_mps[b][p] - samples.velocities_mps[a][p]);
    apart += glm::dot(moved, moved);
    faster_by += glm::dot(faster, faster);
  }
  const auto inLegs = [&](double sum) {
    return std::sqrt(sum / static_cast<double>(points)) / samples.leg_m;
  };
  return {inLegs(apart), inLegs(apart + faster_by)};
}

// Whether both feet make a step between two samples while the hips go on moving.
bool walks(const GaitSamples& samples, std::size_t a, std::size_t b) {
  const auto at = [](const auto& list, std::size_t i) {
    return list.begin() + static_cast<std::ptrdiff_t>(i);
  };
  const double length_s = static_cast<double>(b - a) * samples.step_s;
  const double travel_m = lengthOf(samples.hips_m[b] - samples.hips_m[a]);
  if (travel_m < kLeastTravel * samples.leg_m) return false;
  const double slowest_mps =
      *std::min_element(at(samples.slowest_mps, a), at(samples.slowest_mps, b) + 1);
  if (slowest_mps < kSlowestShare * (samples.path_m[b] - samples.path_m[a]) / length_s)
    return false;
  return std::all_of(samples.planted.begin(), samples.planted.end(), [&](const auto& planted) {
    const auto down = std::count(at(planted, a), at(planted, b), true);
    return down > 0 && toSize(down) < b - a;
  });
}

std::optional<GaitCycle> bestCycle(const GaitSamples& samples) {
  const auto shortest = toSize(std::ceil(kShortest_s / samples.step_s));
  const auto longest = toSize(std::floor(kLongest_s / samples.step_s));
  double best = std::numeric_limits<double>::infinity();
  std::optional<GaitCycle> found;
  for (std::size_t a = 0; a + shortest < samples.count(); ++a) {
    const std::size_t last = std::min(samples.count() - 1, a + longest);
    for (std::size_t b = a + shortest; b <= last; ++b) {
      const Mismatch mismatch = mismatchOf(samples, a, b);
      const double score =
          mismatch.in_all + kMismatchPerSecond * static_cast<double>(b - a) * samples.step_s;
      if (!mismatch.isSmall() || !(score < best) || !walks(samples, a, b)) continue;
      best = score;
      found = GaitCycle{samples.timeOf(a), samples.timeOf(b), mismatch.in_all};
    }
  }
  return found;
}

Error noCycle(const char* reason) {
  return Error{ErrorCode::kRecipe, "add_steps", reason, "leave out add_steps"};
}

}  // namespace

Result<GaitCycle> findGaitCycle(const Scene& scene, const humanoid::HumanoidMap& map,
                                const Motion& motion) {
  const locomotion::FeetTrace feet = locomotion::traceFeet(scene, map, motion);
  if (feet.feet.size() < 2 || map[humanoid::HumanoidRole::kHips] < 0) {
    return noCycle("needs a humanoid with hips and two feet, and none was found");
  }
  if (!feet.hasContacts()) return noCycle("found no contact of a foot with the ground");
  const GaitSamples samples = sampleGait(scene, map, motion, feet);
  if (samples.count() < 2) return noCycle("found no cycle of steps in a clip of one frame");
  if (const std::optional<GaitCycle> cycle = bestCycle(samples)) return *cycle;
  return noCycle(
      "found no cycle of steps that travels: no pose returns after 0.4 to 2.5 s while the "
      "character goes on moving");
}

}  // namespace clipmill::stages::stretch
