// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <vector>

#include <benchmark/benchmark.h>

#include "anim/motion.h"
#include "anim/pose.h"
#include "fat_scene.h"
#include "humanoid/humanoid.h"
#include "make_samples/gestures.h"
#include "make_samples/samples.h"
#include "mesh/triangle_bvh.h"
#include "penetration/self_penetration.h"

namespace clipmill {
namespace {

constexpr std::size_t kLeastTriangles = 10000;

// The fat character of the samples, of 10,000 triangles, whose arms go through its belly.
struct Character {
  Scene scene;
  std::vector<std::vector<Affine>> frames;  // world_from_node

  Character() {
    const samples::Rig rig = samples::makeRig(samples::Accessories::kNone);
    scene = makeFatScene(kLeastTriangles);
    const KeyframeClip keys = samples::armsThroughBellyClip(rig);
    Clip clip;
    clip.end_s = keys.tracks.front().times_s->back();
    clip.source = keyframeSource(scene.skeleton, keys.tracks);
    const Motion motion = sampleClip(scene.skeleton, clip, 0, makeGrid(0.0, clip.end_s, 30.0));
    for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
      frames.emplace_back();
      computeWorlds(scene.skeleton, motion.localsOf(f), Affine{}, frames.back());
    }
  }
};

const Character& character() {
  static const Character one;
  return one;
}

// A surface of all triangles of the character at rest, and points within half a metre of its box.
struct Questions {
  std::vector<Vec3> positions;
  std::vector<std::uint32_t> triangles;
  std::vector<Vec3> points;

  Questions() {
    for (const SkinnedMesh& mesh : character().scene.meshes) {
      const auto offset = static_cast<std::uint32_t>(positions.size());
      positions.insert(positions.end(), mesh.positions.begin(), mesh.positions.end());
      for (const std::uint32_t index : mesh.triangles) triangles.push_back(offset + index);
    }
    const Box box = TriangleBvh(positions, triangles).box();
    // Multiples of irrational numbers fill the box evenly.
    const Vec3 steps(0.8191725133961645, 0.6710436067037893, 0.5497004779019703);
    for (int i = 1; i <= 4096; ++i) {
      points.push_back(box.low - 0.5 + (box.high - box.low + 1.0) * glm::fract(steps * (1.0 * i)));
    }
  }
};

template <class Ask>
void askTree(benchmark::State& state, Ask&& ask) {
  const Questions questions;
  const TriangleBvh tree(questions.positions, questions.triangles);
  std::size_t next = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(ask(tree, questions.points[next]));
    next = (next + 1) % questions.points.size();
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["triangles"] = static_cast<double>(tree.triangleCount());
}

void nearestPoint(benchmark::State& state) {
  askTree(state, [](const TriangleBvh& tree, const Vec3& p) { return tree.nearest(p).distance; });
}
BENCHMARK(nearestPoint);

void windingNumber(benchmark::State& state) {
  askTree(state, [](const TriangleBvh& tree, const Vec3& p) { return tree.windingNumber(p); });
}
BENCHMARK(windingNumber);

// Items are triangles.
void refitTree(benchmark::State& state) {
  const Questions questions;
  TriangleBvh tree(questions.positions, questions.triangles);
  for (auto _ : state) tree.refit(questions.positions);
  state.SetItemsProcessed(state.iterations() *
                          static_cast<std::int64_t>(questions.triangles.size() / 3));
}
BENCHMARK(refitTree);

// Items are poses: the whole skin, then all pairs, or with `part_only` the left forearm against
// trunk and thighs, as a search asks it.
void penetration(benchmark::State& state) {
  const bool part_only = state.range(0) != 0;
  const auto skin = penetration::SelfPenetration::make(character().scene,
                                                       humanoid::findHumanoid(character().scene));
  if (!skin) return state.SkipWithError(describe(skin.error()).c_str());
  const auto pose = skin->makePose();
  std::size_t frame = 0, penetrating = 0;
  for (auto _ : state) {
    const std::vector<Affine>& worlds = character().frames[frame];
    if (part_only) {
      skin->posePart(humanoid::BodyPart::kLeftForearm, worlds, *pose);
      penetrating += skin->measure(0, *pose).depth_m > 0.0;
    } else {
      skin->pose(worlds, {}, *pose);
      for (std::size_t pair = 0; pair < skin->pairs().size(); ++pair) {
        penetrating += skin->measure(pair, *pose).depth_m > 0.0;
      }
    }
    frame = (frame + 1) % character().frames.size();
  }
  benchmark::DoNotOptimize(penetrating);
  state.SetItemsProcessed(state.iterations());
  state.counters["triangles"] = static_cast<double>(triangleCount(character().scene));
  state.counters["limb_vertices"] = static_cast<double>(skin->measure(0, *pose).vertex_count);
}
BENCHMARK(penetration)->ArgName("part_only")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace clipmill
