// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/rope.h"

#include <limits>

#include "core/to_size.h"
#include "stages/dynamic_bones/rope_swing.h"

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.rope");

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Solves the matrix times x = right by elimination with row exchange.
std::vector<double> solveDense(std::vector<std::vector<double>> matrix, std::vector<double> right) {
  const std::size_t n = right.size();
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t pivot = i;
    for (std::size_t r = i; r < n; ++r) {
      if (std::abs(matrix[r][i]) > std::abs(matrix[pivot][i])) pivot = r;
    }
    std::swap(matrix[i], matrix[pivot]);
    std::swap(right[i], right[pivot]);
    for (std::size_t r = i + 1; r < n; ++r) {
      const double factor = matrix[r][i] / matrix[i][i];
      for (std::size_t c = i; c < n; ++c) matrix[r][c] -= factor * matrix[i][c];
      right[r] -= factor * right[i];
    }
  }
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t c = i + 1; c < n; ++c) right[i] -= matrix[i][c] * right[c];
    right[i] /= matrix[i][i];
  }
  return right;
}

// The same problem with all multipliers in one full matrix: x = x* + W J_old^T m, lengths by
// Newton.
std::vector<Vec3> solvedDensely(const RopeSwing& tree, const std::vector<Vec3>& start) {
  const std::size_t n = tree.size();
  const std::vector<Vec3> old_bones = tree.bones();
  // Displacement of point p by a unit of multiplier m.
  const auto pulled = [&](std::size_t p, std::size_t m) {
    if (p == m) return old_bones[m] * tree.inverse_masses[p];
    const bool is_head = tree.parents[m] == static_cast<int>(p);
    return is_head ? old_bones[m] * -tree.inverse_masses[p] : Vec3(0.0);
  };
  std::vector<Vec3> ends = start;
  for (int round = 0; round < 12; ++round) {
    std::vector<std::vector<double>> matrix(n, std::vector<double>(n));
    std::vector<double> right(n);
    for (std::size_t i = 0; i < n; ++i) {
      const int parent = tree.parents[i];
      const Vec3 head = parent < 0 ? tree.heads[i] : ends[toSize(parent)];
      const Vec3 bone = ends[i] - head;
      right[i] = 0.5 * (tree.lengths_m[i] * tree.lengths_m[i] - glm::dot(bone, bone));
      for (std::size_t m = 0; m < n; ++m) {
        Vec3 path = pulled(i, m);
        if (parent >= 0) path -= pulled(toSize(parent), m);
        matrix[i][m] = glm::dot(bone, path);
      }
    }
    const std::vector<double> multipliers = solveDense(matrix, right);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t m = 0; m < n; ++m) ends[i] += pulled(i, m) * multipliers[m];
    }
  }
  return ends;
}

// Solves for `ends`, from the bones that `tree` has, and puts the result into it.
int solveFrom(RopeSwing& tree, const std::vector<Vec3>& start) {
  RopeSolver solver(tree.parents, tree.inverse_masses);
  const std::vector<Vec3> old_bones = tree.bones();
  tree.ends = start;
  return solver.solve(tree.heads, old_bones, tree.lengths_m, tree.ends);
}

}  // namespace

TEST_CASE("one bone ends where its old direction meets its sphere") {
  RopeSwing rope;
  rope.add(-1, Vec3(0, -2, 0));
  // x = 0.3 along the free step; y from 0.3^2 + y^2 = 4, whatever the free height was.
  CHECK(solveFrom(rope, {Vec3(0.3, -2.4, 0)}) > 0);
  CHECK(distance(rope.ends[0], Vec3(0.3, -std::sqrt(4.0 - 0.09), 0)) < 1e-15);
}

TEST_CASE("two bones share their correction by mass") {
  RopeSwing rope;
  rope.add(-1, Vec3(0, -1, 0), 0.5);
  rope.add(0, Vec3(0, -2, 0), 2.0);
  // A straight pull: the second bone is 0.1 too long, the first as it should be, its head fixed.
  CHECK(solveFrom(rope, {Vec3(0, -1, 0), Vec3(0, -2.1, 0)}) > 0);
  CHECK(distance(rope.ends[0], Vec3(0, -1, 0)) < 1e-15);
  CHECK(distance(rope.ends[1], Vec3(0, -2, 0)) < 1e-15);

  RopeSwing loose = rope;
  loose.lengths_m[0] = -1.0;
  CHECK(solveFrom(loose, {Vec3(0, -1, 0), Vec3(0, -2.1, 0)}) > 0);
  CHECK(distance(loose.ends[0], Vec3(0, -1.02, 0)) < 1e-15);  // 0.1 in the ratio 0.5 : 2
  CHECK(distance(loose.ends[1], Vec3(0, -2.02, 0)) < 1e-15);
}

TEST_CASE("points do not move when all lengths are met") {
  Dice dice(5);
  RopeSwing tree = randomTree(dice, 50);
  const std::vector<Vec3> start = tree.ends;
  CHECK(solveFrom(tree, start) == 0);
  CHECK(tree.ends == start);
}

TEST_CASE("a tree with forks has the solution of the full matrix") {
  Dice dice(11);
  for (std::size_t count : {3u, 6u, 12u, 24u}) {
    RopeSwing tree = randomTree(dice, count);
    std::vector<Vec3> start = tree.ends;
    for (std::size_t i = 0; i < count; ++i) {
      start[i] += dice.vector() * (0.02 * tree.lengths_m[i]);
    }
    const std::vector<Vec3> expected = solvedDensely(tree, start);
    CHECK(solveFrom(tree, start) > 0);
    for (std::size_t i = 0; i < count; ++i) CHECK(distance(tree.ends[i], expected[i]) < 1e-12);
  }
}

TEST_CASE("random trees of up to 200 bones keep their lengths to 1e-12") {
  Dice dice(23);
  int most = 0;
  for (std::size_t count = 1; count <= 200; count += 7) {
    RopeSwing tree = randomTree(dice, count);
    std::vector<Vec3> start = tree.ends;
    for (std::size_t i = 0; i < count; ++i) {
      start[i] += dice.vector() * (0.02 * tree.lengths_m[i]);
    }
    const int taken = solveFrom(tree, start);
    CHECK(taken > 0);
    most = std::max(most, taken);
    CHECK(tree.lengthError() < 1e-12);
  }
  CHECK(most <= 6);
}

TEST_CASE("very large steps are solved too, with any masses") {
  Dice dice(29);
  for (int round = 0; round < 200; ++round) {
    RopeSwing tree = randomTree(dice, 1 + dice.below(60));
    std::vector<Vec3> start = tree.ends;
    for (Vec3& end : start) end += dice.vector() * 0.1;  // half a bone, at both ends
    CHECK(solveFrom(tree, start) > 0);
    CHECK(tree.lengthError() < 1e-12);
  }
}

TEST_CASE("forks pull only along their old bones and keep the momentum of all points") {
  Dice dice(31);
  RopeSwing tree;
  tree.add(-1, Vec3(0, 1, 0));
  tree.lengths_m[0] = -1.0;  // free in space
  tree.add(0, Vec3(0, 0.5, 0), 0.7);
  tree.add(1, Vec3(0.3, 0.2, 0), 3.0);
  tree.add(1, Vec3(-0.3, 0.2, 0.1), 0.4);
  const std::vector<Vec3> old_ends = tree.ends;
  std::vector<Vec3> start = tree.ends;
  for (Vec3& end : start) end += dice.vector() * 0.02;
  CHECK(solveFrom(tree, start) > 0);
  CHECK(tree.lengthError() < 1e-12);
  Vec3 momentum(0.0), rotation(0.0);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const Vec3 push = (tree.ends[i] - start[i]) / tree.inverse_masses[i];
    momentum += push;
    rotation += glm::cross(old_ends[i], push);
  }
  CHECK(distance(momentum, Vec3(0.0)) < 1e-15);
  CHECK(distance(rotation, Vec3(0.0)) < 1e-15);
}

TEST_CASE("a bone of length 0 is one point with the masses of both") {
  RopeSwing plain = hangingRope({0.3, 0.5, 0.2, 0.9}, 0.1);
  RopeSwing welded;
  for (int i = 0; i < 3; ++i) {
    const bool is_split = i == 1;
    welded.add(i - 1, plain.ends[toSize(i)], is_split ? 2.0 : 1.0);
    if (!is_split) continue;
    welded.add(1, plain.ends[1], 2.0);  // the other half of the mass, as the parent of bone 2
  }
  welded.parents[3] = 2;
  welded.add(3, plain.ends[3]);
  REQUIRE(welded.lengths_m[2] == 0.0);
  plain.startAtRest();
  welded.startAtRest();
  plain.run(500);
  welded.run(500);
  CHECK(welded.ends[2] == welded.ends[1]);
  for (auto [a, b] : {std::pair{0u, 0u}, {1u, 1u}, {2u, 3u}, {3u, 4u}}) {
    CHECK(distance(plain.ends[a], welded.ends[b]) < 1e-11);
  }
}

TEST_CASE("a root of length 0 follows its head") {
  RopeSwing rope;
  rope.add(-1, Vec3(0.0));
  rope.add(0, Vec3(0, -1, 0));
  rope.heads[0] = Vec3(0.05, 0, 0);
  RopeSolver solver(rope.parents, rope.inverse_masses);
  const std::vector<Vec3> old_bones = {Vec3(0.0), Vec3(0, -1, 0)};
  CHECK(solver.solve(rope.heads, old_bones, rope.lengths_m, rope.ends) > 0);
  CHECK(rope.ends[0] == rope.heads[0]);
  CHECK(rope.lengthError() < 1e-15);
  CHECK(rope.ends[1].x == 0.0);  // pulled straight up or down only
}

TEST_CASE("a bone that rotated by more than 90 degrees gets its length along its new direction") {
  RopeSwing rope = hangingRope({0.0, 0.0, 0.0}, 1.0);
  const std::vector<Vec3> start = {Vec3(0.2, -0.9, 0), Vec3(0.1, 0.3, 0.2), Vec3(0.2, 1.1, 0)};
  CHECK(solveFrom(rope, start) > 0);
  CHECK(rope.lengthError() < 1e-12);
  CHECK(rope.ends[1].y > rope.ends[0].y);
  CHECK(rope.ends[2].y > rope.ends[1].y);
}

TEST_CASE("coincident points use the old direction") {
  RopeSwing rope = hangingRope({0.0, 0.0}, 1.0);
  CHECK(solveFrom(rope, {Vec3(0.0), Vec3(0.0)}) > 0);
  CHECK(distance(rope.ends[0], Vec3(0, -1, 0)) < 1e-14);
  CHECK(distance(rope.ends[1], Vec3(0, -2, 0)) < 1e-14);
}

TEST_CASE("a tree that cannot be solved is restored from its root and does not affect others") {
  Dice dice(47);
  const RopeSwing good = randomTree(dice, 20);
  std::vector<Vec3> start = good.ends;
  for (Vec3& end : start) end += dice.vector() * 0.003;
  RopeSwing alone = good;
  CHECK(solveFrom(alone, start) > 0);

  // The same tree with another one of two bones, index by index in between.
  RopeSwing both;
  std::vector<Vec3> both_start;
  std::vector<std::size_t> position(good.size());
  for (std::size_t i = 0; i < good.size(); ++i) {
    if (i == 3 || i == 9) {
      both.add(i == 3 ? -1 : static_cast<int>(position[2]) + 1, Vec3(5, i == 3 ? -1 : -2, 0));
      both_start.push_back(Vec3(5, kNan, 0));
    }
    position[i] = both.size();
    const int parent = good.parents[i];
    both.add(parent < 0 ? -1 : static_cast<int>(position[toSize(parent)]), good.ends[i],
             good.inverse_masses[i]);
    both_start.push_back(start[i]);
  }
  CHECK(solveFrom(both, both_start) < 0);
  for (std::size_t i = 0; i < good.size(); ++i) CHECK(both.ends[position[i]] == alone.ends[i]);
  for (const Vec3& end : both.ends) CHECK(isFinite(end));
  CHECK(both.lengthError() < 1e-12);
}

TEST_CASE("input that is not finite gives finite results") {
  for (std::size_t i = 0; i < 3; ++i) {
    for (double bad : {kNan, std::numeric_limits<double>::infinity()}) {
      RopeSwing rope = hangingRope({0.1, 0.2, 0.3}, 0.5);
      std::vector<Vec3> start = rope.ends;
      start[i].x = bad;
      CHECK(solveFrom(rope, start) < 0);
      CHECK(rope.lengthError() < 1e-15);

      RopeSwing lengths = hangingRope({0.1, 0.2, 0.3}, 0.5);
      lengths.lengths_m[i] = bad;
      CHECK(solveFrom(lengths, lengths.ends) < 0);
      for (const Vec3& end : lengths.ends) CHECK(isFinite(end));

      RopeSwing old = hangingRope({0.1, 0.2, 0.3}, 0.5);
      RopeSolver solver(old.parents, old.inverse_masses);
      std::vector<Vec3> old_bones = old.bones();
      old_bones[i].z = bad;
      old.ends[2] += Vec3(0.01, 0.01, 0);
      old.ends[i] += Vec3(0.01, 0.01, 0);
      solver.solve(old.heads, old_bones, old.lengths_m, old.ends);
      CHECK(old.lengthError() < 1e-12);
    }
  }
}

TEST_CASE("two pins that are farther apart than the rope cannot be solved") {
  RopeSwing rope = hangingRope({0.0, 0.0}, 1.0);
  rope.inverse_masses[1] = 0.0;
  const std::vector<Vec3> start = {Vec3(0, -1, 0), Vec3(0, -3, 0)};
  CHECK(solveFrom(rope, start) < 0);
  CHECK(rope.lengthError() < 1e-15);
}

TEST_CASE("a solver without bones does nothing") {
  RopeSolver solver({}, {});
  CHECK(solver.solve({}, {}, {}, {}) == 0);
}

TEST_SUITE_END();
