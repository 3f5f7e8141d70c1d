// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/path_warp.h"

#include <cmath>
#include <functional>

#include "checks.h"
#include "locomotion/path_measures.h"

using namespace clipmill;
using namespace clipmill::locomotion;
using namespace clipmill::stages::stretch;
using test::distance;

TEST_SUITE_BEGIN("stretch.path_warp");

namespace {

using Points = std::vector<Vec3>;

Points pointsOf(std::size_t count, const std::function<Vec3(double)>& at) {
  Points points;
  for (std::size_t i = 0; i < count; ++i) {
    points.push_back(at(static_cast<double>(i) / static_cast<double>(count - 1)));
  }
  return points;
}

// The proportional warp alone, as the stage composes it.
Points proportional(const Points& points, const Vec3& target, double similarity = 0.0) {
  const Vec3 start = points.front(), end = points.back();
  const PathWarp warp(start, end, target,
                      similarityBetween(end - start, target - start, similarity));
  const Shares shares = arcShares(points);
  Points warped;
  for (std::size_t i = 0; i < points.size(); ++i) warped.push_back(warp.at(points[i], shares[i]));
  return warped;
}

Points uniform(const Points& points, const Vec3& target) {
  Points warped = points;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(points.size() - 1);
    warped[i] += (target - points.back()) * share;
  }
  return warped;
}

double worst(const Points& a, const Points& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, distance(a[i], b[i]));
  return largest;
}

double amplification(const Points& before, const Points& after) {
  return compareSteps(before, after, 0.0).amplification;
}

// A curve in space with a rest in the middle.
Points curve() {
  Points points =
      pointsOf(20, [](double t) { return Vec3(std::sin(2.0 * t), 0.4 * t * (1.0 - t), 1.5 * t); });
  for (int i = 0; i < 5; ++i) points.insert(points.begin() + 10, points[10]);
  return points;
}

// 3 m ahead with 10 of 60 steps of rest.
Points leap() {
  return pointsOf(61, [](double t) {
    const double path = t < 0.4 ? t / 0.4 * 0.5 : t < 0.56 ? 0.5 : 0.5 + (t - 0.56) / 0.44 * 0.5;
    return Vec3(0, 0, 3.0 * path);
  });
}

// 1 m ahead and back to 0.05 m.
Points lunge() {
  return pointsOf(61, [](double t) {
    const double out = 0.5 * (1.0 - std::cos(2.0 * kPi * t));
    return Vec3(0, 0, t < 0.5 ? out : 0.05 + 0.95 * out);
  });
}

Points semicircle() {
  return pointsOf(61,
                  [](double t) { return Vec3(1.0 - std::cos(kPi * t), 0.0, std::sin(kPi * t)); });
}

const Vec3 kTarget(1.2, 0.3, -2.0);

}  // namespace

TEST_CASE("The reference method matches numbers computed by hand, in space and on the ground") {
  const Points path = {
      {0, 0, 0}, {0.3, 0.1, 0.4}, {0.3, 0.1, 0.4}, {0.9, 0.5, 0.4}, {1.1, 0.2, 1.0}};
  // By numpy, from docs/methods.md, stretch.
  const Points in_space = {{0, 0, 0},
                           {0.537653472458637, 0.179217824152879, -0.12811882768586},
                           {0.537653472458637, 0.179217824152879, -0.12811882768586},
                           {1.473746236354702, 0.691248745451567, -0.874991636343783},
                           {2.0, 0.5, -1.0}};
  CHECK(worst(warpReference(path, {2.0, 0.5, -1.0}, 3), in_space) < 1e-14);
  const Points on_ground = {{0, 0, 0},
                            {0.559746926647958, 0.1, -0.177215392551017},
                            {0.559746926647958, 0.1, -0.177215392551017},
                            {1.471443238625507, 0.5, -0.869873863612238},
                            {2.0, 0.2, -1.0}};
  CHECK(worst(warpReference(path, {2.0, 7.0, -1.0}, 2), on_ground) < 1e-14);
}

TEST_CASE("A warped path ends exactly at its target and keeps its start") {
  for (const Vec3& target : {kTarget, Vec3(0), Vec3(100, 0, 3)}) {
    const Points path = curve(), reference = warpReference(path, target, 3);
    CHECK(reference.front() == path.front());
    CHECK(reference.back() == target);
    const Points warped = proportional(path, target);
    CHECK(warped.front() == path.front());
    CHECK(distance(warped.back(), target) < 1e-13);
    CHECK(distance(proportional(path, target, 1.0).back(), target) < 1e-13);
  }
}

TEST_CASE("Added distances sum to the missing distance, in proportion to every step") {
  const Points path = curve();
  const Vec3 missing = kTarget - path.back();
  const Points reference = warpReference(path, kTarget, 3), ground = proportional(path, kTarget);
  Vec3 sum(0.0);
  double ratio = -1.0, ground_ratio = -1.0;
  for (std::size_t i = 1; i < path.size(); ++i) {
    const Vec3 step = path[i] - path[i - 1];
    const Vec3 added = reference[i] - reference[i - 1] - step;
    const Vec3 ground_added = ground[i] - ground[i - 1] - step;
    sum += added;
    if (glm::length(step) == 0.0) continue;
    const double is = glm::length(added) / glm::length(step);
    const double is_ground = glm::length(ground_added) / horizontalLength(step);
    if (ratio < 0.0) ratio = is, ground_ratio = is_ground;
    CHECK(std::abs(is - ratio) < 1e-9 * ratio);
    CHECK(std::abs(is_ground - ground_ratio) < 1e-9 * ground_ratio);
  }
  CHECK(distance(sum, missing) < 1e-9);
}

TEST_CASE("Nothing is added where the clip does not move, bit for bit") {
  const Points path = curve();
  for (const Points& warped : {warpReference(path, kTarget, 3), proportional(path, kTarget)}) {
    std::size_t rests = 0;
    for (std::size_t i = 1; i < path.size(); ++i) {
      if (path[i] != path[i - 1]) continue;
      CHECK(warped[i] == warped[i - 1]);
      ++rests;
    }
    CHECK(rests == 5);
  }
}

TEST_CASE("A target at the end of the path does not change it, bit for bit") {
  const Points path = curve();
  CHECK(warpReference(path, path.back(), 3) == path);
  CHECK(proportional(path, path.back()) == path);
  CHECK(proportional(path, path.back(), 1.0) == path);
}

TEST_CASE("An axis without a missing distance does not change, bit for bit") {
  const Points path = curve();
  const Vec3 target(3.0, path.back().y, path.back().z);
  for (const Points& warped : {warpReference(path, target, 3), proportional(path, target)}) {
    for (std::size_t i = 0; i < path.size(); ++i) {
      CHECK(warped[i].y == path[i].y);
      CHECK(warped[i].z == path[i].z);
    }
  }
}

TEST_CASE("A warp commutes with translation, rotation and scale of path and target") {
  const Points path = curve();
  const double angle = 0.7, scale = 100.0;
  const Vec3 shift(3, -2, 8);
  const auto position = [&](const Vec3& p) { return rotated(p, angle) * scale + shift; };
  Points positioned;
  for (const Vec3& p : path) positioned.push_back(position(p));
  const auto check = [&](const Points& is, const Points& of) {
    Points expected;
    for (const Vec3& p : of) expected.push_back(position(p));
    CHECK(worst(is, expected) < 1e-9 * scale);
  };
  check(proportional(positioned, position(kTarget)), proportional(path, kTarget));
  check(proportional(positioned, position(kTarget), 1.0), proportional(path, kTarget, 1.0));
  check(warpReference(positioned, position(kTarget), 3), warpReference(path, kTarget, 3));
}

TEST_CASE("Warping there and back restores a straight path, but not a curved one") {
  const Points straight = leap();
  const Points back = proportional(proportional(straight, {0, 0, 5}), straight.back());
  CHECK(worst(back, straight) < 1e-12);
  const Points curved = curve();
  CHECK(worst(proportional(proportional(curved, kTarget), curved.back()), curved) > 1e-3);
}

TEST_CASE("Points inserted in a path do not change the warp of the others") {
  const Points path = curve();
  Points dense;
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    dense.push_back(path[i]);
    for (double part : {0.2, 0.5}) dense.push_back(path[i] + (path[i + 1] - path[i]) * part);
  }
  dense.push_back(path.back());
  const Points warped = proportional(dense, kTarget), reference = warpReference(dense, kTarget, 3);
  const Points expected = proportional(path, kTarget),
               expected_ref = warpReference(path, kTarget, 3);
  for (std::size_t i = 0; i < path.size(); ++i) {
    CHECK(distance(warped[3 * i], expected[i]) < 1e-12);
    CHECK(distance(reference[3 * i], expected_ref[i]) < 1e-12);
  }
}

TEST_CASE("A straight path is scaled, and its speed curve keeps its shape") {
  const Points path = leap(), warped = proportional(path, {0, 0, 5});
  for (std::size_t i = 0; i < path.size(); ++i) {
    CHECK(std::abs(warped[i].z - path[i].z * 5.0 / 3.0) < 1e-12);
  }
}

TEST_CASE("A leap from 3 m to 5 m keeps its hold, but slides with uniform shares") {
  const Points path = leap(), warped = proportional(path, {0, 0, 5});
  CHECK(compareSteps(path, warped, 1e-9).still_motion_m == 0.0);
  CHECK(std::abs(amplification(path, warped) - 5.0 / 3.0) < 1e-9);
  CHECK(compareSteps(path, uniform(path, {0, 0, 5}), 1e-9).still_motion_m ==
        doctest::Approx(2.0 / 60.0));
}

TEST_CASE("A leap to a target behind its start has reversed steps") {
  const Points path = leap(), warped = proportional(path, {0, 0, -1});
  CHECK(reversedSteps(path, path) == 0);
  std::size_t moving = 0;
  for (std::size_t i = 1; i < path.size(); ++i) moving += path[i] != path[i - 1];
  CHECK(reversedSteps(path, warped) == moving);
  // Rotated by 180 degrees, the character walks ahead.
  CHECK(reversedSteps(path, warped, std::vector<double>(path.size(), kPi)) == 0);
}

TEST_CASE("A landing that is 1 m higher by shares of the length in space has its apex at 1.73 m") {
  const Points path = pointsOf(61, [](double t) { return Vec3(0, 4.8 * t * (1.0 - t), 3.0 * t); });
  double apex = 0.0;
  for (const Vec3& p : warpReference(path, {0, 1, 3}, 3)) apex = std::max(apex, p.y);
  CHECK(apex == test::nearTo(1.72987788, 1e-8));  // by numpy
}

TEST_CASE("A lunge and its return are amplified by 1.28, where a similarity takes 12") {
  const Points path = lunge();
  CHECK(std::abs(amplification(path, proportional(path, {0, 0, 0.6})) - (1.0 + 0.55 / 1.95)) <
        1e-9);
  CHECK(amplification(path, uniform(path, {0, 0, 0.6})) > 3.5);
  CHECK(std::abs(amplification(path, proportional(path, {0, 0, 0.6}, 1.0)) - 12.0) < 1e-9);
  CHECK(chosenSimilarity(path) == 0.0);
}

TEST_CASE("A half circle is amplified less by a similarity, which is chosen") {
  const Points path = semicircle();
  const Vec3 target(2, 0, 1);
  CHECK(chosenSimilarity(path) == 1.0);
  CHECK(std::abs(amplification(path, proportional(path, target, 1.0)) - std::sqrt(5.0) / 2.0) <
        1e-9);
  const double by_shares = amplification(path, proportional(path, target));
  CHECK(by_shares > 1.3);
  CHECK(by_shares < 1.33);
  CHECK(chosenSimilarity(leap()) == 0.0);
}

TEST_CASE("A path of no length does not change, and its shares are 0 up to the end") {
  const Points path(5, Vec3(1, 2, 3));
  CHECK(warpReference(path, kTarget, 3) == path);
  CHECK(arcShares(path) == Shares{0, 0, 0, 0, 1});
}

TEST_CASE("Minimum jerk shares start and end without velocity and acceleration") {
  std::vector<double> times_s;
  for (int i = 0; i <= 1000; ++i) times_s.push_back(5.0 + i * 0.002);
  const Shares shares = minimumJerkShares(times_s);
  CHECK(shares.front() == 0.0);
  CHECK(shares.back() == 1.0);
  CHECK(shares[500] == doctest::Approx(0.5));
  CHECK(shares[1] < 1.1e-8);  // 10 s^3
  CHECK(1.0 - shares[999] < 1.1e-8);
}

TEST_CASE("Ease weights keep the ends exact and start the change without a step") {
  std::vector<double> times_s;
  Points path;
  for (int i = 0; i <= 600; ++i) {
    times_s.push_back(i / 600.0);
    path.emplace_back(0, 0, times_s.back());
  }
  const auto weights = easeWeights(times_s, 0.2, 0.2);
  const Shares shares = arcShares(path, weights);
  CHECK(shares.front() == 0.0);
  CHECK(shares.back() == 1.0);
  const double middle = (shares[301] - shares[300]) * 600.0;
  CHECK(middle == doctest::Approx(1.0 / 0.8));  // the ramps take half of their time away
  CHECK(shares[1] * 600.0 < 1e-3 * middle);
  CHECK((1.0 - shares[599]) * 600.0 < 1e-3 * middle);
}

TEST_CASE("Positive rotations are to the left seen from above, and headings measure them") {
  CHECK(distance(rotated(Vec3(0, 5, 1), kPi / 2), Vec3(1, 5, 0)) < 1e-15);
  CHECK(headingOf(Vec3(1, 0, 0)) == doctest::Approx(kPi / 2));
  CHECK(wrappedAngle(3 * kPi) == doctest::Approx(kPi));
  CHECK(wrappedAngle(-0.1) == -0.1);
  const GroundSimilarity s = similarityBetween({0, 9, 1}, {2, -4, 0}, 1.0);
  CHECK(distance(s.apply({0, 3, 1}), Vec3(2, 0, 0)) < 1e-15);
}

TEST_SUITE_END();
