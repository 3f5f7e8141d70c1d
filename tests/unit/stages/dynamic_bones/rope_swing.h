// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checks.h"
#include "core/portable_math.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/springs/rope.h"

/// Ropes and forests for the tests of their solver.
namespace clipmill::test {

/// A forest of bones under gravity: Verlet's step, then the lengths.
struct RopeSwing {
  std::vector<int> parents;
  std::vector<double> inverse_masses, lengths_m;
  std::vector<Vec3> heads, ends, before;  // heads of roots; ends now and a step earlier
  Vec3 gravity_mps2{0.0, -9.81, 0.0};
  double step_s = 1.0 / 960.0;
  double kept = 1.0;  // share of the velocity that a step keeps

  std::size_t size() const { return parents.size(); }
  const Vec3& headOf(std::size_t i) const {
    return parents[i] < 0 ? heads[i] : ends[toSize(parents[i])];
  }
  std::vector<Vec3> bones() const {
    std::vector<Vec3> all;
    for (std::size_t i = 0; i < size(); ++i) all.push_back(ends[i] - headOf(i));
    return all;
  }

  void add(int parent, const Vec3& end, double inverse_mass = 1.0) {
    parents.push_back(parent);
    inverse_masses.push_back(inverse_mass);
    heads.push_back(Vec3(0.0));
    ends.push_back(end);
    const Vec3 bone = end - headOf(size() - 1);
    lengths_m.push_back(std::sqrt(glm::dot(bone, bone)));
  }

  /// The state a step earlier of a swing that is at rest now.
  void startAtRest() {
    before = ends;
    for (std::size_t i = 0; i < size(); ++i) {
      if (inverse_masses[i] > 0.0) before[i] += gravity_mps2 * (0.5 * step_s * step_s);
    }
    stages::dynamic_bones::RopeSolver solver(parents, inverse_masses);
    CHECK(solver.solve(heads, bones(), lengths_m, before) >= 0);
  }

  /// The largest number of Newton steps taken.
  int run(int steps) {
    stages::dynamic_bones::RopeSolver solver(parents, inverse_masses);
    int most = 0;
    for (int i = 0; i < steps; ++i) most = std::max(most, step(solver));
    return most;
  }

  int step(stages::dynamic_bones::RopeSolver& solver) {
    const std::vector<Vec3> old_bones = bones();
    std::vector<Vec3> next = ends;
    for (std::size_t i = 0; i < size(); ++i) {
      if (inverse_masses[i] <= 0.0) continue;
      next[i] += (ends[i] - before[i]) * kept + gravity_mps2 * (step_s * step_s);
    }
    const int taken = solver.solve(heads, old_bones, lengths_m, next);
    CHECK(taken >= 0);
    before = ends;
    ends = next;
    return taken;
  }

  /// Largest error of a length, relative.
  double lengthError() const {
    double worst = 0.0;
    for (std::size_t i = 0; i < size(); ++i) {
      if (lengths_m[i] < 0.0) continue;
      const Vec3 bone = ends[i] - headOf(i);
      const double error = std::abs(std::sqrt(glm::dot(bone, bone)) - lengths_m[i]);
      worst = std::max(worst, lengths_m[i] > 0.0 ? error / lengths_m[i] : error);
    }
    return worst;
  }
};

/// Bones one below the other from the origin, each rotated by its angle from -Y towards +X.
inline RopeSwing hangingRope(const std::vector<double>& angles_rad, double length_m) {
  RopeSwing rope;
  Vec3 end(0.0);
  for (std::size_t i = 0; i < angles_rad.size(); ++i) {
    const auto [sine, cosine] = portable::sinCos(angles_rad[i]);
    end += Vec3(sine, -cosine, 0.0) * length_m;
    rope.add(static_cast<int>(i) - 1, end);
  }
  return rope;
}

/// Numbers in [-1, 1) that are the same everywhere (Knuth's linear congruential generator).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed) {}
  double roll() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 11) * 0x1p-52 - 1.0;
  }
  Vec3 vector() {
    const double x = roll(), y = roll();
    return {x, y, roll()};
  }
  std::size_t below(std::size_t count) {
    return toSize(0.5 * (roll() + 1.0) * static_cast<double>(count));
  }

 private:
  std::uint64_t state_;
};

/// A tree of bones of random length (10 to 30 cm), direction and mass (e^-1 to e).
inline RopeSwing randomTree(Dice& dice, std::size_t count) {
  RopeSwing tree;
  for (std::size_t i = 0; i < count; ++i) {
    const int parent = i == 0 ? -1 : static_cast<int>(dice.below(i));
    const Vec3 head = parent < 0 ? Vec3(0.0) : tree.ends[toSize(parent)];
    const Vec3 path = dice.vector() + Vec3(0.0, 0.0, 1e-3);
    const Vec3 bone = path * ((0.2 + 0.1 * dice.roll()) / std::sqrt(glm::dot(path, path)));
    tree.add(parent, head + bone, portable::exp(dice.roll()));
  }
  return tree;
}

}  // namespace clipmill::test
