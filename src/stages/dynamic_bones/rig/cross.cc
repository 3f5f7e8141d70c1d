// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig/cross.h"

#include <algorithm>
#include <cmath>

#include "stages/dynamic_bones/rig/branches.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Constraints between the branches of one chain.
class CrossBuilder {
 public:
  CrossBuilder(const Rig& rig, const RestBones& rest, const BranchRow& row,
               std::vector<CrossConstraint>& out)
      : rig_(rig), rest_(rest), row_(row), out_(out) {
    for (const auto& branch : row.branches) depth_ = std::max(depth_, branch.size());
  }

  void build(const ChainSettings& chain) {
    slack_compliance_ = chain.slack_compliance;
    slack_share_ = chain.slack_share;
    const std::size_t count = row_.branches.size();
    const std::size_t neighbors = row_.is_ring ? count : count - 1;
    for (std::size_t r = 0; r < depth_; ++r) {
      for (std::size_t i = 0; i < neighbors; ++i) add(i, r, i + 1, r, chain.cross_compliance);
    }
    for (std::size_t r = 0; r + 1 < depth_; ++r) {
      for (std::size_t i = 0; i < neighbors; ++i) {
        if (!has(i, r + 1) || !has(i + 1, r + 1)) continue;
        add(i, r, i + 1, r + 1, chain.shear_compliance);
        add(i, r + 1, i + 1, r, chain.shear_compliance);
      }
    }
    for (std::size_t r = 0; r < depth_; ++r) {
      for (std::size_t i = 0; i < secondPairs(); ++i) {
        if (has(i + 1, r)) add(i, r, i + 2, r, chain.bend_compliance);
      }
    }
  }

 private:
  // In a ring of three, every second branch is a neighbor; in a ring of four, both directions give
  // the same pair.
  std::size_t secondPairs() const {
    const std::size_t count = row_.branches.size();
    if (!row_.is_ring) return count - 2;
    return count == 3 ? 0 : count == 4 ? 2 : count;
  }

  const std::vector<std::size_t>& branch(std::size_t i) const {
    return row_.branches[i % row_.branches.size()];
  }
  bool has(std::size_t i, std::size_t r) const { return r < branch(i).size(); }

  void add(std::size_t i, std::size_t r, std::size_t j, std::size_t s, const Curve& compliance) {
    if (!has(i, r) || !has(j, s)) return;
    const auto [a, b] = std::minmax(branch(i)[r], branch(j)[s]);
    const Vec3 path = rest_.ends[b] - rest_.ends[a];
    const double rest_m = std::sqrt(glm::dot(path, path));
    if (!std::isfinite(rest_m)) return;
    const double depth = 0.5 * (rig_.bones[a].depth + rig_.bones[b].depth);
    const double stretched = compliance.at(depth);
    const double slack = std::max(stretched, slack_compliance_.at(depth));
    out_.push_back({a, b, rest_m, stretched, slack, slack_share_.at(depth)});
  }

  const Rig& rig_;
  const RestBones& rest_;
  const BranchRow& row_;
  std::vector<CrossConstraint>& out_;
  std::size_t depth_ = 0;
  Curve slack_compliance_, slack_share_;
};

}  // namespace

CrossConstraints colored(std::vector<CrossConstraint> constraints, std::size_t point_count) {
  std::vector<std::vector<bool>> taken;  // taken[color][point]
  std::vector<std::vector<CrossConstraint>> of_color;
  for (const CrossConstraint& constraint : constraints) {
    std::size_t color = 0;
    while (color < taken.size() && (taken[color][constraint.a] || taken[color][constraint.b])) {
      ++color;
    }
    if (color == taken.size()) {
      taken.emplace_back(point_count, false);
      of_color.emplace_back();
    }
    taken[color][constraint.a] = taken[color][constraint.b] = true;
    of_color[color].push_back(constraint);
  }
  CrossConstraints sorted;
  for (const auto& same : of_color) {
    sorted.all.insert(sorted.all.end(), same.begin(), same.end());
    sorted.color_starts.push_back(sorted.all.size());
  }
  return sorted;
}

CrossConstraints makeCrossConstraints(const Scene& scene, const Rig& rig,
                                      const DynamicBonesSettings& settings) {
  const RestBones rest = restBonesOf(scene, rig);
  std::vector<CrossConstraint> all;
  for (std::size_t c = 0; c < settings.chain.size(); ++c) {
    const ChainSettings& chain = settings.chain[c];
    if (chain.cross == CrossShape::kNone) continue;
    const BranchRow row = findBranches(scene, rig, rest, static_cast<int>(c), chain.cross);
    if (!row.branches.empty()) CrossBuilder(rig, rest, row, all).build(chain);
  }
  return colored(std::move(all), rig.bones.size());
}

void sweepCrossConstraints(const CrossConstraints& constraints,
                           std::span<const double> inverse_masses, double step_s,
                           std::span<double> multipliers, std::span<Vec3> ends) {
  const double per_square = 1.0 / (step_s * step_s);
  for (std::size_t i = 0; i < constraints.all.size(); ++i) {
    const CrossConstraint& constraint = constraints.all[i];
    const Vec3 path = ends[constraint.a] - ends[constraint.b];
    const double distance_m = std::sqrt(glm::dot(path, path));
    if (!(distance_m > 0.0 && std::isfinite(distance_m))) continue;
    const double softness = constraint.complianceAt(distance_m) * per_square;
    const double mass_a = inverse_masses[constraint.a], mass_b = inverse_masses[constraint.b];
    const double give = mass_a + mass_b + softness;
    if (!(give > 0.0)) continue;
    const double change =
        (constraint.targetAt(distance_m) - distance_m - softness * multipliers[i]) / give;
    multipliers[i] += change;
    const Vec3 pull = path * (change / distance_m);
    ends[constraint.a] += pull * mass_a;
    ends[constraint.b] -= pull * mass_b;
  }
}

void sweepCrossVelocities(const CrossConstraints& constraints,
                          std::span<const double> inverse_masses, double step_s,
                          std::span<const Vec3> ends, std::span<Vec3> velocities_mps) {
  const double per_square = 1.0 / (step_s * step_s);
  for (const CrossConstraint& constraint : constraints.all) {
    const Vec3 path = ends[constraint.a] - ends[constraint.b];
    const double distance_m = std::sqrt(glm::dot(path, path));
    if (!(distance_m > 0.0 && std::isfinite(distance_m))) continue;
    const double mass_a = inverse_masses[constraint.a], mass_b = inverse_masses[constraint.b];
    const double give = mass_a + mass_b + constraint.complianceAt(distance_m) * per_square;
    if (!(give > 0.0)) continue;
    const Vec3 axis = path / distance_m;
    const Vec3 apart = velocities_mps[constraint.a] - velocities_mps[constraint.b];
    const Vec3 impulse = axis * (glm::dot(apart, axis) / give);
    velocities_mps[constraint.a] -= impulse * mass_a;
    velocities_mps[constraint.b] += impulse * mass_b;
  }
}

}  // namespace clipmill::stages::dynamic_bones
