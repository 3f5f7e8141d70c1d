// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Penetration depths of the limbs of a character, as JSON:
//   limb_depths FILE [CLIP..]
// CLIP is the name of a clip; without, all are measured, at their own frames. The result:
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
#include "core/to_size.h"
#include "humanoid/humanoid.h"
#include "io/io.h"
#include "penetration/self_penetration.h"

namespace {

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::penetration;
using Json = nlohmann::ordered_json;

[[noreturn]] void quit(const std::string& reason) {
  std::fprintf(stderr, "limb_depths: %s\n", reason.c_str());
  std::exit(3);
}

Json clipJson(const Scene& scene, int index, const SelfPenetration& character,
              SelfPenetration::Pose& pose) {
  const Clip& clip = scene.clips[toSize(index)];
  const Motion motion =
      sampleClip(scene.skeleton, clip, index, makeGrid(clip.start_s, clip.end_s, clip.fps));
  Json times = Json::array();
  Json depths(character.pairs().size(), Json::array()), insides = depths;
  std::vector<Affine> worlds;
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    times.push_back(motion.grid.timeOf(f));
    computeWorlds(scene.skeleton, motion.localsOf(f), Affine{}, worlds);
    character.pose(worlds, motion.weightsOf(f), pose);
    for (std::size_t p = 0; p < character.pairs().size(); ++p) {
      const PairDepth depth = character.measure(p, pose);
      depths[p].push_back(depth.depth_m);
      insides[p].push_back(depth.penetrating_count);
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
  const auto character = SelfPenetration::make(scene, findHumanoid(scene));
  if (!character.ok()) quit(describe(character.error()));
  const auto pose = character->makePose();

  const std::vector<std::string> wanted(argv + 2, argv + argc);
  Json result = {{"height_m", character->height_m()}, {"pairs", Json::array()}};
  for (std::size_t p = 0; p < character->pairs().size(); ++p) {
    result["pairs"].push_back({{"pair", character->pairs()[p].name},
                               {"vertices", character->measure(p, *pose).vertex_count}});
  }
  result["clips"] = Json::array();
  for (std::size_t c = 0; c < scene.clips.size(); ++c) {
    const bool is_wanted = wanted.empty() || std::find(wanted.begin(), wanted.end(),
                                                       scene.clips[c].name) != wanted.end();
    if (is_wanted)
      result["clips"].push_back(clipJson(scene, static_cast<int>(c), *character, *pose));
  }
  std::printf("%s\n", result.dump().c_str());
  return 0;
}
