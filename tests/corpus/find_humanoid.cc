// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// What is found in a file, as JSON, for tests that take its names away:
//   find_humanoid FILE [--undeclared] [--numbered] [--with-meshes]
// --undeclared drops the roles that the file declares, --numbered calls its nodes 1, 2, .. before
// the search, --with-meshes reads meshes, and with them the skins of FBX files. The result has the
// names of the file:
//   {"origin", "doubts": [..], "roles": {role: name}, "chains": [{"class", "by_name", "cross",
//    "joints": [names]}], "notes": [..]}
#include <cstdio>
#include <cstdlib>
#include <string>

#include <nlohmann/json.hpp>

#include "core/to_size.h"
#include "humanoid/humanoid.h"
#include "io/io.h"
#include "stages/dynamic_bones/chains/auto_setup.h"
#include "stages/dynamic_bones/chains/chain.h"

namespace {

using namespace clipmill;
using namespace clipmill::humanoid;
using namespace clipmill::stages::dynamic_bones;
using Json = nlohmann::ordered_json;

[[noreturn]] void quit(const std::string& reason) {
  std::fprintf(stderr, "find_humanoid: %s\n", reason.c_str());
  std::exit(3);
}

Json rolesJson(const Skeleton& named, const HumanoidMap& map) {
  Json roles = Json::object();
  for (std::size_t i = 0; i < kHumanoidRoleCount; ++i) {
    if (map.nodes[i] < 0) continue;
    roles[humanoidRoleName(static_cast<HumanoidRole>(i))] = named.nodes[toSize(map.nodes[i])].name;
  }
  return roles;
}

// The nodes that the stage makes of the settings.
Json chainJson(const Scene& scene, const Skeleton& named,
               const stages::dynamic_bones::FoundChain& chain) {
  Json joints = Json::array();
  const auto nodes = stages::dynamic_bones::findChains(scene.skeleton, {chain.settings});
  if (!nodes.ok()) quit(describe(nodes.error()));
  for (std::size_t i = 0; i < nodes->size(); ++i) {
    if ((*nodes)[i].chain >= 0) joints.push_back(named.nodes[i].name);
  }
  return {{"class", stages::dynamic_bones::chainClassName(chain.chain_class)},
          {"by_name", chain.by_name},
          {"cross", chain.settings.cross != CrossShape::kNone},
          {"joints", joints}};
}

std::vector<Motion> motionsOf(const Scene& scene) {
  std::vector<Motion> motions;
  for (std::size_t i = 0; i < scene.clips.size(); ++i) {
    const Clip& clip = scene.clips[i];
    const TimeGrid grid = makeGrid(clip.start_s, clip.end_s, clip.fps);
    motions.push_back(sampleClip(scene.skeleton, clip, static_cast<int>(i), grid));
  }
  return motions;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) quit("usage: find_humanoid FILE [--undeclared] [--numbered] [--with-meshes]");
  io::LoadOptions load;
  for (int i = 2; i < argc; ++i) load.with_meshes |= std::string(argv[i]) == "--with-meshes";
  auto asset = io::load(argv[1], load);
  if (!asset.ok()) quit(describe(asset.error()));
  Scene& scene = asset->scene;
  const Skeleton named = scene.skeleton;
  for (int i = 2; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--undeclared") scene.humanoid.clear();
    if (option != "--numbered") continue;
    for (std::size_t k = 0; k < named.size(); ++k) {
      scene.skeleton.nodes[k].name = std::to_string(k + 1);
    }
  }
  const HumanoidMap map = findHumanoid(scene);
  const auto motions = motionsOf(scene);
  const stages::dynamic_bones::AutoSetup setup =
      stages::dynamic_bones::findChainsToSwing(scene, map, motions);
  Json chains = Json::array();
  for (const auto& chain : setup.chains) chains.push_back(chainJson(scene, named, chain));
  const Json result = {{"origin", originName(map.origin)},
                       {"confidence", map.confidence},
                       {"doubts", map.doubts},
                       {"roles", rolesJson(named, map)},
                       {"chains", chains},
                       {"notes", setup.notes}};
  std::puts(result.dump(1, ' ', false, Json::error_handler_t::replace).c_str());
}
