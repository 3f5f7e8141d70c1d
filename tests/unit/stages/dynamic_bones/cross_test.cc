// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rig/cross.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "checks.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/dice.h"
#include "stages/dynamic_bones/rig/branches.h"
#include "stages/dynamic_bones/swing_scene.h"

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones;
using namespace clipmill::test;

TEST_SUITE_BEGIN("dynamic_bones.cross");

namespace {

// Compliances that identify the kinds.
constexpr double kStructural = 1e-3, kShear = 2e-3, kBend = 3e-3;

DynamicBonesSettings crossSettings(CrossShape shape, const std::string& root = "strand*") {
  DynamicBonesSettings settings = settingsFor(root, DynamicBonesMethod::kSpring);
  ChainSettings& chain = settings.chain[0];
  chain.cross = shape;
  chain.cross_compliance = kStructural;
  chain.shear_compliance = kShear;
  chain.bend_compliance = kBend;
  return settings;
}

// "strand<i>_0" at an angle about the vertical through `chain_parent`, with `bones` below it; they
// hang down and flare out.
void addStrand(Scene& scene, int chain_parent, int i, double angle_deg, int bones) {
  const Vec3 out(portable::sin(angle_deg * kDegree), 0.0, portable::cos(angle_deg * kDegree));
  int parent = chain_parent;
  for (int joint = 0; joint <= bones; ++joint) {
    const Vec3 step = joint == 0 ? out * 0.15 : out * 0.02 + Vec3(0, -0.1, 0);
    parent =
        addNode(scene, "strand" + std::to_string(i) + "_" + std::to_string(joint), parent, step);
  }
}

struct Garment {
  Scene scene;
  int hips = -1;

  Garment() {
    hips = addNode(scene, "hips", addNode(scene, "root", -1, Vec3(0)), Vec3(0.3, 1, 0.2));
  }
  static Garment strands(const std::vector<std::pair<int, double>>& angles_deg, int bones) {
    Garment garment;
    for (auto [i, angle] : angles_deg) addStrand(garment.scene, garment.hips, i, angle, bones);
    return garment;
  }
  // `count` strands at equal angles from `from_deg` on.
  static Garment even(int count, double from_deg, double apart_deg, int bones) {
    std::vector<std::pair<int, double>> angles_deg;
    for (int i = 0; i < count; ++i) angles_deg.push_back({i, from_deg + apart_deg * i});
    return strands(angles_deg, bones);
  }
};

struct Woven {
  Rig rig;
  CrossConstraints constraints;
  std::vector<std::string> ends;  // names of the bones' end nodes

  Woven(const Scene& scene, const DynamicBonesSettings& settings) {
    auto found = makeRig(scene, settings);
    CHECK_OK(found);
    rig = *found;
    constraints = makeCrossConstraints(scene, rig, settings);
    for (const Bone& bone : rig.bones) {
      ends.push_back(bone.tail_node < 0 ? "tip"
                                        : scene.skeleton.nodes[toSize(bone.tail_node)].name);
    }
  }

  std::size_t count(double compliance) const {
    return toSize(
        std::count_if(constraints.all.begin(), constraints.all.end(),
                      [&](const CrossConstraint& c) { return c.compliance == compliance; }));
  }
  // Names of both ends, sorted, with the kind.
  std::set<std::tuple<std::string, std::string, double>> pairs() const {
    std::set<std::tuple<std::string, std::string, double>> all;
    for (const CrossConstraint& c : constraints.all) {
      const auto [a, b] = std::minmax(ends[c.a], ends[c.b]);
      all.insert({a, b, c.compliance});
    }
    return all;
  }
  bool has(const std::string& a, const std::string& b, double compliance) const {
    return pairs().count({std::min(a, b), std::max(a, b), compliance}) > 0;
  }
};

// Two points a and b, `apart_m` from each other, that want to be 1 m apart.
struct Pair {
  CrossConstraints constraints = colored({{0, 1, 1.0, 0.0}}, 2);
  std::vector<double> inverse_masses = {0.5, 2.0};
  std::vector<Vec3> ends;
  std::vector<double> multipliers = {0.0};

  explicit Pair(double apart_m, double compliance = 0.0)
      : ends{Vec3(1, 2, 3), Vec3(1, 2, 3) + Vec3(2, -1, 2) * (apart_m / 3.0)} {
    constraints.all[0].compliance = compliance;
  }
  void sweep(double step_s) {
    sweepCrossConstraints(constraints, inverse_masses, step_s, multipliers, ends);
  }
  double apart() const { return std::sqrt(glm::dot(ends[0] - ends[1], ends[0] - ends[1])); }
};

}  // namespace

TEST_CASE("a skirt of eight strands of four bones closes to a ring") {
  const Garment skirt = Garment::even(8, 10.0, 45.0, 4);
  const Woven woven(skirt.scene, crossSettings(CrossShape::kAuto));
  REQUIRE(woven.rig.bones.size() == 32);
  CHECK(woven.count(kStructural) == 32);  // 8 a row
  CHECK(woven.count(kShear) == 48);       // two in each of 8 x 3 fields
  CHECK(woven.count(kBend) == 32);
  CHECK(woven.constraints.all.size() == 112);
  CHECK(woven.pairs().size() == 112);
  CHECK(woven.has("strand7_1", "strand0_1", kStructural));
  CHECK(woven.has("strand7_2", "strand0_3", kShear));
  CHECK(woven.has("strand7_4", "strand1_4", kBend));
  CHECK_FALSE(woven.has("strand0_1", "strand2_1", kStructural));
}

TEST_CASE("a cape of five strands of four bones stays open") {
  const Garment cape = Garment::even(5, 120.0, 30.0, 4);
  const Woven woven(cape.scene, crossSettings(CrossShape::kAuto));
  REQUIRE(woven.rig.bones.size() == 20);
  CHECK(woven.count(kStructural) == 16);
  CHECK(woven.count(kShear) == 24);
  CHECK(woven.count(kBend) == 12);
  CHECK_FALSE(woven.has("strand4_1", "strand0_1", kStructural));
  CHECK(woven.has("strand3_4", "strand4_4", kStructural));
}

TEST_CASE("the widest gap of 100 degrees decides, unless the settings do") {
  const Garment three = Garment::even(4, 0.0, 87.0, 2);  // the last gap: 99
  const Garment open = Garment::even(4, 0.0, 86.0, 2);   // the last gap: 102
  const std::string first = "strand0_1", last = "strand3_1";
  const auto closes = [&](const Garment& garment, CrossShape shape) {
    return Woven(garment.scene, crossSettings(shape)).has(first, last, kStructural);
  };
  CHECK(closes(three, CrossShape::kAuto));
  CHECK_FALSE(closes(open, CrossShape::kAuto));
  CHECK_FALSE(closes(three, CrossShape::kSheet));
  CHECK(closes(open, CrossShape::kRing));
  CHECK(Woven(open.scene, crossSettings(CrossShape::kNone)).constraints.empty());
}

TEST_CASE("small rings have no pair twice") {
  for (auto [count, bend] : {std::pair{3, 0u}, {4, 2u}, {5, 5u}}) {
    const Garment garment = Garment::even(count, 0.0, 360.0 / count, 1);
    const Woven woven(garment.scene, crossSettings(CrossShape::kRing));
    CHECK(woven.count(kStructural) == toSize(count));
    CHECK(woven.count(kBend) == bend);
    CHECK(woven.pairs().size() == woven.constraints.all.size());
  }
  const Garment two = Garment::even(2, 0.0, 180.0, 3);
  CHECK(Woven(two.scene, crossSettings(CrossShape::kRing)).constraints.all.size() == 3 + 4);
  const Garment one = Garment::even(1, 0.0, 0.0, 3);
  CHECK(Woven(one.scene, crossSettings(CrossShape::kRing)).constraints.empty());
}

TEST_CASE("where a strand is shorter the weave ends") {
  Garment garment;
  addStrand(garment.scene, garment.hips, 0, -30.0, 4);
  addStrand(garment.scene, garment.hips, 1, 0.0, 2);
  addStrand(garment.scene, garment.hips, 2, 30.0, 4);
  const Woven woven(garment.scene, crossSettings(CrossShape::kAuto));
  CHECK(woven.count(kStructural) == 4);  // two rows of two
  CHECK(woven.count(kShear) == 4);       // two fields
  CHECK(woven.count(kBend) == 2);        // none across the hole
}

TEST_CASE("the order of nodes in the file makes no difference") {
  const std::vector<std::pair<int, double>> even = {{0, 5},   {1, 50},  {2, 95},  {3, 140},
                                                    {4, 185}, {5, 230}, {6, 275}, {7, 320}};
  const std::vector<std::pair<int, double>> mixed = {even[6], even[1], even[4], even[7],
                                                     even[0], even[3], even[2], even[5]};
  const Garment a = Garment::strands(even, 3), b = Garment::strands(mixed, 3);
  const auto settings = crossSettings(CrossShape::kAuto);
  CHECK(Woven(a.scene, settings).pairs() == Woven(b.scene, settings).pairs());

  const std::vector<std::pair<int, double>> cape(even.begin(), even.begin() + 4);
  const std::vector<std::pair<int, double>> mixed_cape = {even[2], even[0], even[3], even[1]};
  CHECK(Woven(Garment::strands(cape, 3).scene, settings).pairs() ==
        Woven(Garment::strands(mixed_cape, 3).scene, settings).pairs());
}

TEST_CASE("strands of a skirt may hang on both legs") {
  Garment garment;
  const int left = addNode(garment.scene, "left_leg", garment.hips, Vec3(0.08, -0.05, 0));
  const int right = addNode(garment.scene, "right_leg", garment.hips, Vec3(-0.08, -0.05, 0));
  for (int i = 0; i < 6; ++i) {
    addStrand(garment.scene, i < 3 ? left : right, i, 30.0 + 60.0 * i, 2);
  }
  const Woven woven(garment.scene, crossSettings(CrossShape::kAuto));
  CHECK(woven.count(kStructural) == 12);
  for (int i = 0; i < 6; ++i) {
    const std::string a = "strand" + std::to_string(i) + "_1";
    CHECK(woven.has(a, "strand" + std::to_string((i + 1) % 6) + "_1", kStructural));
  }
}

TEST_CASE("a fan that spreads from one joint is ordered across its plane") {
  Scene scene;
  const int wrist = addNode(scene, "wrist", addNode(scene, "arm", -1, Vec3(0)), Vec3(1, 1, 0));
  for (double angle_deg : {10.0, -30.0, 30.0, -10.0}) {
    const Vec3 along(portable::cos(angle_deg * kDegree), portable::sin(angle_deg * kDegree), 0.0);
    const std::string name = "finger" + std::to_string(static_cast<int>(angle_deg));
    const int first = addNode(scene, name, wrist, along * 0.1);
    addNode(scene, name + "_end", first, along * 0.1);
  }
  const Woven woven(scene, crossSettings(CrossShape::kAuto, "wrist"));
  CHECK(woven.rig.bones.size() == 8);
  CHECK(woven.count(kStructural) == 6);
  for (auto [a, b] : {std::pair{-30, -10}, {-10, 10}, {10, 30}}) {
    CHECK(woven.has("finger" + std::to_string(a), "finger" + std::to_string(b), kStructural));
  }
}

TEST_CASE("strands along a line through their common parent are ordered along it") {
  Garment garment;
  for (int i : {2, 0, 3, 1}) {
    const std::string name = "strand" + std::to_string(i);
    const int first = addNode(garment.scene, name, garment.hips, Vec3(0.1 * i - 0.15, 0, 0));
    addNode(garment.scene, name + "_1", first, Vec3(0, -0.2, 0));
  }
  const Woven woven(garment.scene, crossSettings(CrossShape::kAuto));
  CHECK(woven.count(kStructural) == 3);
  for (int i = 0; i < 3; ++i) {
    CHECK(woven.has("strand" + std::to_string(i) + "_1", "strand" + std::to_string(i + 1) + "_1",
                    kStructural));
  }
}

TEST_CASE("a branch continues along its longest path, and virtual tips count") {
  Garment garment = Garment::even(3, -20.0, 20.0, 2);
  const int fork = findNodes(garment.scene.skeleton, "strand1_1").front();
  addNode(garment.scene, "twig", fork, Vec3(0, -0.02, 0));
  DynamicBonesSettings settings = crossSettings(CrossShape::kAuto);
  const Woven woven(garment.scene, settings);
  CHECK(woven.has("strand0_2", "strand1_2", kStructural));
  CHECK_FALSE(woven.has("strand0_2", "twig", kStructural));
  settings.chain[0].tip_length = 1.0;
  CHECK(Woven(garment.scene, settings).count(kStructural) == 6);  // a row of tips
}

TEST_CASE("rest lengths are those of the rest pose in metres, compliances those at the depth") {
  Garment garment = Garment::even(2, 0.0, 90.0, 2);
  garment.scene.metric_from_file.linear = Mat3(0.01);  // a file in centimetres
  DynamicBonesSettings settings = crossSettings(CrossShape::kAuto);
  settings.chain[0].cross_compliance = Curve({{0.0, 0.0}, {1.0, 1.0}});
  const Woven woven(garment.scene, settings);
  REQUIRE(woven.constraints.all.size() == 4);
  // Radii 0.17 and 0.19 at a right angle; depths 1/2 and 1.
  CHECK(woven.constraints.all[0].rest_m == doctest::Approx(0.0017 * std::sqrt(2.0)));
  CHECK(woven.constraints.all[1].rest_m == doctest::Approx(0.0019 * std::sqrt(2.0)));
  CHECK(woven.constraints.all[0].compliance == doctest::Approx(0.5));
  CHECK(woven.constraints.all[1].compliance == doctest::Approx(1.0));
}

TEST_CASE("no point occurs twice in a colour, and every constraint has one colour") {
  const Garment skirt = Garment::even(9, 0.0, 40.0, 5);
  const Woven woven(skirt.scene, crossSettings(CrossShape::kAuto));
  const auto& starts = woven.constraints.color_starts;
  REQUIRE(starts.front() == 0);
  REQUIRE(starts.back() == woven.constraints.all.size());
  CHECK(starts.size() - 1 <= 2 * 8 - 1);  // greedy: below twice the most constraints of a point
  for (std::size_t c = 0; c + 1 < starts.size(); ++c) {
    CHECK(starts[c] < starts[c + 1]);
    std::set<std::size_t> points;
    for (std::size_t i = starts[c]; i < starts[c + 1]; ++i) {
      CHECK(points.insert(woven.constraints.all[i].a).second);
      CHECK(points.insert(woven.constraints.all[i].b).second);
    }
  }
}

TEST_CASE("a stiff pair gets its distance in one sweep, shared by mass") {
  Pair pair(1.6);
  const std::vector<Vec3> start = pair.ends;
  pair.sweep(0.01);
  CHECK(pair.apart() == nearTo(1.0, 1e-14));
  // 0.6 m in the ratio 0.5 : 2
  CHECK(distance(pair.ends[0], start[0] + Vec3(2, -1, 2) * (0.12 / 3.0)) < 1e-15);
  CHECK(distance(pair.ends[1], start[1] - Vec3(2, -1, 2) * (0.48 / 3.0)) < 1e-15);
}

TEST_CASE("a soft pair keeps the share of its stretch that its compliance gives") {
  const double step_s = 0.01, compliance = 3e-4;
  const double softness = compliance / (step_s * step_s);
  Pair pair(1.6, compliance);
  for (int sweep = 0; sweep < 3; ++sweep) {
    pair.sweep(step_s);
    // Further sweeps of one step change nothing.
    const double left_m = 0.6 * softness / (2.5 + softness);
    CHECK(pair.apart() == nearTo(1.0 + left_m, 1e-13));
    // The multiplier is the spring's force -(distance - rest) / compliance times h^2.
    CHECK(pair.multipliers[0] == nearTo(-left_m / softness, 1e-12));
  }
}

TEST_CASE("a pair that is nearer than at rest yields by its slack compliance") {
  const double step_s = 0.01, slack = 2e-4;
  const double softness = slack / (step_s * step_s);
  for (double apart_m : {0.4, 1.6}) {
    Pair pair(apart_m);
    pair.constraints.all[0].slack_compliance = slack;
    pair.sweep(step_s);
    const double share = apart_m < 1.0 ? softness / (2.5 + softness) : 0.0;
    CHECK(pair.apart() == nearTo(1.0 + (apart_m - 1.0) * share, 1e-13));
    // Velocities alike: 1 m/s towards each other keeps that share.
    std::vector<Vec3> velocities = {Vec3(0.0), (pair.ends[0] - pair.ends[1]) / pair.apart()};
    const double side_m = apart_m < 1.0 ? -0.1 : 0.1;
    pair.ends[1] = pair.ends[0] - velocities[1] * (1.0 + side_m);
    const Vec3 axis = velocities[1];
    sweepCrossVelocities(pair.constraints, pair.inverse_masses, step_s, pair.ends, velocities);
    CHECK(std::abs(glm::dot(velocities[1] - velocities[0], axis) - share) < 1e-12);
  }
}

TEST_CASE(
    "the force of a pair grows by its slack compliance up to its slack share, then by its own") {
  const double step_s = 0.01, slack = 2e-2, own = 3e-4, share = 0.5;
  for (const double apart_m : {0.7, 1.2, 1.4999999, 1.5000001, 1.8}) {
    Pair pair(apart_m);
    pair.inverse_masses = {1e-9, 1e-9};  // so heavy that they stay
    pair.constraints.all[0].compliance = own;
    pair.constraints.all[0].slack_compliance = slack;
    pair.constraints.all[0].slack_share = share;
    pair.sweep(step_s);
    const double force_n =
        (std::min(apart_m, 1.0 + share) - 1.0) / slack + std::max(0.0, apart_m - 1.0 - share) / own;
    CHECK(pair.multipliers[0] == nearTo(-force_n * step_s * step_s, 1e-9));
  }
}

TEST_CASE("points without a direction stay") {
  Pair pair(0.0);
  pair.sweep(0.01);
  CHECK(pair.apart() == 0.0);
  CHECK(pair.multipliers[0] == 0.0);
  pair.ends[1].x = std::numeric_limits<double>::quiet_NaN();
  pair.sweep(0.01);
  CHECK(pair.ends[0] == Vec3(1, 2, 3));
  Pair heavy(1.6);
  heavy.inverse_masses = {0.0, 0.0};
  heavy.sweep(0.01);
  CHECK(heavy.apart() == doctest::Approx(1.6));
}

TEST_CASE("stiff sweeps bring a crumpled skirt back to its distances and keep its momentum") {
  const Garment skirt = Garment::even(8, 0.0, 45.0, 4);
  DynamicBonesSettings settings = crossSettings(CrossShape::kAuto);
  ChainSettings& chain = settings.chain[0];
  chain.cross_compliance = chain.slack_compliance = 0.0;
  // With all kinds the skirt is a rigid shell, on which single sweeps converge slowly.
  for (double others : {1e3, 0.0}) {
    chain.shear_compliance = chain.bend_compliance = others;
    const Woven woven(skirt.scene, settings);
    std::vector<Vec3> ends = restBonesOf(skirt.scene, woven.rig).ends;
    Dice dice(3);
    std::vector<double> inverse_masses;
    for (Vec3& end : ends) {
      end += dice.vector() * 0.01;
      inverse_masses.push_back(1.5 + dice.roll());
    }
    const auto worst_m = [&] {
      double worst = 0.0;
      for (const CrossConstraint& c : woven.constraints.all) {
        const Vec3 path = ends[c.a] - ends[c.b];
        if (c.compliance > 0.0) continue;
        worst = std::max(worst, std::abs(std::sqrt(glm::dot(path, path)) - c.rest_m));
      }
      return worst;
    };
    const auto momentum = [&] {
      Vec3 sum(0.0);
      for (std::size_t i = 0; i < ends.size(); ++i) sum += ends[i] / inverse_masses[i];
      return sum;
    };
    const Vec3 before = momentum();
    const double crumpled_m = worst_m();
    CHECK(crumpled_m > 5e-3);
    std::vector<double> multipliers(woven.constraints.all.size(), 0.0);
    for (int i = 0; i < 2000; ++i) {
      sweepCrossConstraints(woven.constraints, inverse_masses, 1.0 / 240.0, multipliers, ends);
    }
    CHECK(worst_m() < (others > 0.0 ? 1e-9 : 0.01 * crumpled_m));
    CHECK(distance(momentum(), before) < 1e-12);
  }
}

TEST_CASE("a skirt flies up in a fall and hangs down again") {
  const Garment skirt = Garment::even(12, 0.0, 30.0, 5);
  DynamicBonesSettings settings = settingsFor("strand*_0", DynamicBonesMethod::kRod);
  settings.loop = LoopPolicy::kOff;
  ChainSettings& chain = settings.chain[0];
  chain.preset = ChainPreset::kSkirt;
  chain.cross = CrossShape::kAuto;
  // The hips fall by 0.8 m in 0.25 s and stop.
  const Motion clip = motionOf(skirt.scene, 3.0, 30.0, [&](double t, PoseView pose) {
    const double s = std::clamp((t - 0.2) / 0.25, 0.0, 1.0);
    pose.locals[toSize(skirt.hips)].translation.y = 1.0 - 0.8 * s * s * (3.0 - 2.0 * s);
    pose.locals[toSize(skirt.hips)].translation.x += 0.1 * s;
  });
  const stages::StageResult result = bake(skirt.scene, clip, settings);
  for (int i = 0; i < 12; ++i) {
    const auto path = pathOfNode(skirt.scene, result.motion, skirt.hips + 6 * (i + 1));
    const auto rest = pathOfNode(skirt.scene, clip, skirt.hips + 6 * (i + 1));
    double highest_m = -1.0;
    for (std::size_t f = 0; f < path.size(); ++f) {
      highest_m = std::max(highest_m, path[f].y - rest[f].y);
    }
    CAPTURE(i);
    CHECK(highest_m > 0.25);  // half of its length: a sheet that cannot fold stays down
    CHECK(std::abs(path.back().y - rest.back().y) < 0.02);
  }
}

TEST_SUITE_END();
