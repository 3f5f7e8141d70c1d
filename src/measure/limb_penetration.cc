// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "measure/limb_penetration.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "anim/pose.h"
#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill::measure {
namespace {

constexpr double kJerkStep_s = 1.0 / 30.0;
constexpr double kMaxJerkSteps = 1e6;

// Frames and the instants midway.
std::vector<double> instantsOf(const TimeGrid& grid) {
  std::vector<double> times;
  for (std::size_t f = 0; f < grid.frame_count; ++f) {
    if (f > 0) times.push_back(0.5 * (grid.timeOf(f - 1) + grid.timeOf(f)));
    times.push_back(grid.timeOf(f));
  }
  return times;
}

// Adds up what is seen at one instant after another.
class DepthSeries {
 public:
  explicit DepthSeries(double height_m) : height_m_(height_m) {}

  void add(double time_s, double penetrating_share, double depth_m) {
    const double percent = 100.0 * depth_m / height_m_;
    const bool penetrates = percent > kPenetrationTolerance_percent;
    if (penetrates && !penetrated_) penetrates_since_s_ = time_s;
    if (penetrates) {
      sums_.max_penetration_duration_s =
          std::max(sums_.max_penetration_duration_s, time_s - penetrates_since_s_);
      sums_.penetrating_frames_percent += 100.0;
    }
    penetrated_ = penetrates;
    sums_.penetrating_vertices_percent += 100.0 * penetrating_share;
    if (percent > sums_.max_penetration_percent) {
      sums_.max_penetration_percent = percent;
      sums_.max_penetration_at_s = time_s;
    }
    count_ += 1.0;
  }

  DepthMeasures measures() const {
    DepthMeasures measures = sums_;
    measures.penetrating_vertices_percent /= std::max(1.0, count_);
    measures.penetrating_frames_percent /= std::max(1.0, count_);
    return measures;
  }

 private:
  double height_m_;
  DepthMeasures sums_;
  double count_ = 0.0;
  bool penetrated_ = false;
  double penetrates_since_s_ = 0.0;
};

double shareOf(std::size_t inside, std::size_t all) {
  return all > 0 ? static_cast<double>(inside) / static_cast<double>(all) : 0.0;
}

// Of all pairs at one instant.
struct Together {
  std::array<std::size_t, humanoid::kBodyPartCount> inside{}, vertices{};
  double depth_m = 0.0;

  void add(const penetration::PartPair& pair, const penetration::PairDepth& depth) {
    const auto limb = toSize(pair.limb);
    inside[limb] += depth.penetrating_count;
    vertices[limb] = std::max(vertices[limb], depth.vertex_count);
    depth_m = std::max(depth_m, depth.depth_m);
  }
  double penetratingShare() const {
    std::size_t penetrating_sum = 0, vertex_sum = 0;
    for (std::size_t limb = 0; limb < humanoid::kBodyPartCount; ++limb) {
      penetrating_sum += std::min(inside[limb], vertices[limb]);
      vertex_sum += vertices[limb];
    }
    return shareOf(penetrating_sum, vertex_sum);
  }
};

// The rotation vector of a unit quaternion, radians.
Vec3 rotationVector(Quat q) {
  if (q.w < 0.0) q = -q;
  const Vec3 v(q.x, q.y, q.z);
  const double sine = std::sqrt(glm::dot(v, v));
  return sine > 0.0 ? v * (2.0 * portable::atan2(sine, q.w) / sine) : Vec3(0.0);
}

// The lowest trunk joint above the arms.
int chestOf(const humanoid::HumanoidMap& map) {
  using enum humanoid::HumanoidRole;
  for (const humanoid::HumanoidRole role : {kUpperChest, kChest, kSpine, kHips}) {
    if (map[role] >= 0) return map[role];
  }
  return -1;
}

// Sum over the steps of the square of the second difference of angular velocity.
double squareJerkSum(const std::vector<Quat>& rotations, double step_s) {
  std::vector<Vec3> velocities;
  for (std::size_t i = 1; i < rotations.size(); ++i) {
    velocities.push_back(rotationVector(rotations[i] * glm::conjugate(rotations[i - 1])) / step_s);
  }
  double sum = 0.0;
  for (std::size_t i = 2; i < velocities.size(); ++i) {
    const Vec3 jerk =
        (velocities[i] - 2.0 * velocities[i - 1] + velocities[i - 2]) / (step_s * step_s);
    sum += glm::dot(jerk, jerk);
  }
  return sum;
}

}  // namespace

LimbPenetration measureLimbPenetration(const Scene& scene, const Motion& motion,
                                       const penetration::SelfPenetration& character) {
  const auto pairs = character.pairs();
  std::vector<DepthSeries> series(pairs.size(), DepthSeries(character.height_m()));
  DepthSeries all(character.height_m());
  MotionCursor cursor(scene.skeleton, motion);
  const auto posed = character.makePose();
  std::vector<Affine> worlds;
  for (const double time_s : instantsOf(motion.grid)) {
    const Pose& pose = cursor.at(time_s);
    computeWorlds(scene.skeleton, pose.locals, Affine{}, worlds);
    character.pose(worlds, pose.weights, *posed);
    Together together;
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const penetration::PairDepth depth = character.measure(p, *posed);
      series[p].add(time_s, shareOf(depth.penetrating_count, depth.vertex_count), depth.depth_m);
      together.add(pairs[p], depth);
    }
    all.add(time_s, together.penetratingShare(), together.depth_m);
  }
  LimbPenetration measures;
  measures.all = all.measures();
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    measures.pairs.push_back({pairs[p].name, series[p].measures()});
  }
  return measures;
}

std::optional<double> measureArmJerk(const Scene& scene, const humanoid::HumanoidMap& map,
                                     const Motion& motion) {
  const int chest = chestOf(map);
  std::vector<int> arms;
  for (const humanoid::HumanoidRole role :
       {humanoid::HumanoidRole::kLeftUpperArm, humanoid::HumanoidRole::kRightUpperArm}) {
    if (map[role] >= 0) arms.push_back(map[role]);
  }
  const double length_s = motion.grid.end_s - motion.grid.start_s;
  const double steps = std::min(std::round(length_s / kJerkStep_s), kMaxJerkSteps);
  if (chest < 0 || arms.empty() || !(steps >= 3.0)) return std::nullopt;
  const double step_s = length_s / steps;
  MotionCursor cursor(scene.skeleton, motion);
  std::vector<std::vector<Quat>> rotations(arms.size());
  std::vector<Affine> worlds;
  for (double i = 0.0; i <= steps; i += 1.0) {
    computeWorlds(scene.skeleton, cursor.at(motion.grid.start_s + i * step_s).locals,
                  scene.metric_from_file, worlds);
    const Quat from_chest = glm::conjugate(rotationOf(worlds[toSize(chest)]));
    for (std::size_t a = 0; a < arms.size(); ++a) {
      rotations[a].push_back(from_chest * rotationOf(worlds[toSize(arms[a])]));
    }
  }
  double sum = 0.0;
  for (const auto& arm : rotations) sum += squareJerkSum(arm, step_s);
  return std::sqrt(sum / (static_cast<double>(arms.size()) * (steps - 2.0)));
}

}  // namespace clipmill::measure
