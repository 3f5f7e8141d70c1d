// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "core/portable_math.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/rig/branches.h"
#include "stages/dynamic_bones/rig/cross.h"
#include "stages/dynamic_bones/springs/rope.h"
#include "stages/dynamic_bones/springs/wind.h"

namespace clipmill::stages::dynamic_bones {
namespace {

constexpr int kChains = 100;
constexpr double kStep_s = 1.0 / 240.0;

// 100 chains that swing freely, `range(0)` bones each; one item is one bone in one step.
void ropeSolves(benchmark::State& state) {
  const int bone_count = static_cast<int>(state.range(0));
  std::vector<int> parents;
  std::vector<Vec3> heads, ends;
  for (int chain = 0; chain < kChains; ++chain) {
    const Vec3 head(0.1 * chain, 0.0, 0.0);
    const double angle = 0.3 + 0.005 * chain;
    for (int i = 0; i < bone_count; ++i) {
      parents.push_back(i == 0 ? -1 : static_cast<int>(parents.size()) - 1);
      heads.push_back(head);
      ends.push_back(head +
                     Vec3(portable::sin(angle), -portable::cos(angle), 0.0) * 0.05 * (i + 1.0));
    }
  }
  const std::vector<double> masses(parents.size(), 1.0), lengths_m(parents.size(), 0.05);
  RopeSolver solver(parents, masses);
  std::vector<Vec3> before = ends, next = ends, bones(ends.size());
  const Vec3 fall(0.0, -9.81 * kStep_s * kStep_s, 0.0);
  double newton_steps = 0.0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const Vec3& head = parents[i] < 0 ? heads[i] : ends[toSize(parents[i])];
      bones[i] = ends[i] - head;
      next[i] = ends[i] * 2.0 - before[i] + fall;
    }
    const int taken = solver.solve(heads, bones, lengths_m, next);
    if (taken < 0) return state.SkipWithError("lengths were not solved");
    newton_steps += taken;
    std::swap(before, ends);
    std::swap(ends, next);
    benchmark::DoNotOptimize(ends.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(parents.size()));
  state.counters["newton"] = newton_steps / static_cast<double>(state.iterations());
}

Scene makeSkirt(int strands, int bones) {
  Scene scene;
  const auto add = [&](std::string name, int parent, const Vec3& translation) {
    Node node;
    node.name = std::move(name);
    node.parent = parent;
    node.rest.translation = translation;
    scene.skeleton.nodes.push_back(node);
    return static_cast<int>(scene.skeleton.size()) - 1;
  };
  const int hips = add("hips", -1, Vec3(0, 1, 0));
  for (int i = 0; i < strands; ++i) {
    const double angle = 2.0 * kPi * i / strands;
    const Vec3 out(portable::sin(angle), 0.0, portable::cos(angle));
    int parent = hips;
    for (int joint = 0; joint <= bones; ++joint) {
      const Vec3 step = joint == 0 ? out * 0.15 : out * 0.02 + Vec3(0, -0.1, 0);
      parent = add("skirt" + std::to_string(i) + "_" + std::to_string(joint), parent, step);
    }
  }
  return scene;
}

// A skirt of 24 strands of 8 bones, sweep after sweep; one item is one constraint.
void crossSweeps(benchmark::State& state) {
  const Scene scene = makeSkirt(24, 8);
  stages::dynamic_bones::DynamicBonesSettings settings;
  stages::dynamic_bones::ChainSettings chain;
  chain.root = "skirt*";
  chain.cross = stages::dynamic_bones::CrossShape::kAuto;
  chain.tip_length = 0.0;
  settings.chain.push_back(chain);
  const auto rig = makeRig(scene, settings);
  if (!rig) return state.SkipWithError(describe(rig.error()).c_str());
  const CrossConstraints constraints = makeCrossConstraints(scene, *rig, settings);
  const std::vector<Vec3> rest = restBonesOf(scene, *rig).ends;
  const std::vector<double> masses(rest.size(), 1.0);
  std::vector<Vec3> ends = rest;
  for (std::size_t i = 0; i < ends.size(); ++i) ends[i].x += i % 3 ? 0.01 : -0.01;
  std::vector<double> multipliers(constraints.all.size(), 0.0);
  for (auto _ : state) {
    sweepCrossConstraints(constraints, masses, kStep_s, multipliers, ends);
    benchmark::DoNotOptimize(ends.data());
  }
  const auto count = static_cast<std::int64_t>(constraints.all.size());
  state.SetItemsProcessed(state.iterations() * count);
  state.counters["constraints"] = static_cast<double>(count);
  state.counters["colors"] = static_cast<double>(constraints.color_starts.size() - 1);
}

// A wind with all features, at 1000 positions of one time; one item is one position.
void windPositions(benchmark::State& state) {
  stages::dynamic_bones::DynamicBonesSettings settings;
  settings.wind_mps2 = {3.0, 0.5, -1.0};
  settings.wind_ripple = 0.5;
  Wind wind = windOf(settings);
  wind.loop_s = static_cast<double>(state.range(0));
  constexpr int kPositions = 1000;
  double time_s = 0.0;
  for (auto _ : state) {
    const WindAt now = wind.at(time_s += kStep_s);
    Vec3 sum(0.0);
    for (int i = 0; i < kPositions; ++i)
      sum += now.at(Vec3(0.01 * i, 1.0 + 0.003 * i, 0.2), 0.001 * i);
    benchmark::DoNotOptimize(sum);
  }
  state.SetItemsProcessed(state.iterations() * kPositions);
}

BENCHMARK(ropeSolves)->ArgName("bones")->Arg(1)->Arg(10)->Arg(50);
BENCHMARK(crossSweeps);
BENCHMARK(windPositions)->ArgName("loop_s")->Arg(0)->Arg(4);

}  // namespace
}  // namespace clipmill::stages::dynamic_bones
