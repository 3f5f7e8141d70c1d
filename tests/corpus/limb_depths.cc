// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// How deep the limbs of a figure are in the rest of it, as JSON:
//   limb_depths FILE [CLIP..]
// CLIP is the name of a clip; without, all are measured, at their own frames. The answer:
//   {"height_m", "pairs": [{"pair", "vertices"}], "clips": [{"clip", "times": [..],
//    "depth_m": [pair][frame], "inside": [pair][frame]}]}
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "anim/motion.h"
#include "anim/pose.h"
#include "io/io.h"
#include "scene/humanoid.h"
#include "scene/self_penetration.h"

namespace {

using namespace clipmill;
using Json = nlohmann::ordered_json;

[[noreturn]] void quit(const std::string& reason) {
  std::fprintf(stderr, "limb_depths: %s\n", reason.c_str());
  std::exit(3);
}

Json clipJson(const Scene& scene, int index, const SelfPenetration& figure,
              SelfPenetration::Pose& pose) {
  const Clip& clip = scene.clips[static_cast<std::size_t>(index)];
  const Motion motion =
      sampleClip(scene.skeleton, clip, index, makeGrid(clip.begin_s, clip.end_s, clip.fps));
  Json times = Json::array();
  Json depths(figure.pairs().size(), Json::array()), insides = depths;
  std::vector<Affine> worlds;
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    times.push_back(motion.grid.timeOf(f));
    computeWorlds(scene.skeleton, motion.localsOf(f), Affine{}, worlds);
    figure.pose(worlds, motion.weightsOf(f), pose);
    for (std::size_t p = 0; p < figure.pairs().size(); ++p) {
      const PairDepth depth = figure.measure(p, pose);
      depths[p].push_back(depth.depth_m);
      insides[p].push_back(depth.inside_count);
    }
  }
  return {{"clip", clip.name}, {"times", times}, {"depth_m", depths}, {"inside", insides}};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) quit("needs a file");
  io::LoadOptions options;
  options.with_meshes = true;
  const auto asset = io::load(argv[1], options);
  if (!asset.ok()) quit(describe(asset.error()));
  const Scene& scene = asset->scene;
  const auto figure = SelfPenetration::make(scene, findHumanoid(scene));
  if (!figure.ok()) quit(describe(figure.error()));
  const auto pose = figure->makePose();

  const std::vector<std::string> wanted(argv + 2, argv + argc);
  Json answer = {{"height_m", figure->height_m()}, {"pairs", Json::array()}};
  for (std::size_t p = 0; p < figure->pairs().size(); ++p) {
    answer["pairs"].push_back(
        {{"pair", figure->pairs()[p].name}, {"vertices", figure->measure(p, *pose).vertex_count}});
  }
  answer["clips"] = Json::array();
  for (std::size_t c = 0; c < scene.clips.size(); ++c) {
    const bool is_wanted = wanted.empty() || std::find(wanted.begin(), wanted.end(),
                                                       scene.clips[c].name) != wanted.end();
    if (is_wanted) answer["clips"].push_back(clipJson(scene, static_cast<int>(c), *figure, *pose));
  }
  std::printf("%s\n", answer.dump().c_str());
  return 0;
}
