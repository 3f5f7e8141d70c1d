// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/info.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "core/to_size.h"
#include "humanoid/humanoid.h"
#include "stages/dynamic_bones/chains/auto_setup.h"

namespace clipmill::pipeline {
namespace {

using Json = nlohmann::ordered_json;

std::size_t animatedNodes(const Clip& clip) {
  std::size_t count = 0;
  for (int i = 0; i < static_cast<int>(clip.animated.size()); ++i) count += clip.animated.any(i);
  return count;
}

// Indentation of a chain of nodes goes no further: a text for people, and files may be hostile.
constexpr int kMaxIndentation = 60;

// The tree of nodes with indentation, each node below its own parent: the order of nodes in a file
// has parents before children, but may have other nodes between them, as FBX files do.
void addTree(const Skeleton& skeleton, std::string& text) {
  struct Open {
    int node, depth;
  };
  const std::vector<std::vector<int>> children = childrenOf(skeleton);
  std::vector<Open> open;
  for (std::size_t i = skeleton.size(); i-- > 0;) {
    if (skeleton.nodes[i].parent < 0) open.push_back({static_cast<int>(i), 0});
  }
  while (!open.empty()) {
    const auto [node, depth] = open.back();
    open.pop_back();
    text += "  " + std::string(toSize(std::min(depth, kMaxIndentation)) * 2, ' ') +
            printable(skeleton.nodes[toSize(node)].name) + "\n";
    const std::vector<int>& below = children[toSize(node)];
    for (auto child = below.rbegin(); child != below.rend(); ++child) {
      open.push_back({*child, depth + 1});
    }
  }
}

void addClipLines(const Scene& scene, std::string& text) {
  text += counted(scene.clips.size(), "clip") + "\n";
  for (std::size_t i = 0; i < scene.clips.size(); ++i) {
    const Clip& clip = scene.clips[i];
    text += "  " + std::to_string(i) + "  " +
            (clip.name.empty() ? "(unnamed)" : printable(clip.name)) + "  " +
            fixedText(clip.start_s, 3) + " to " + fixedText(clip.end_s, 3) + " s at " +
            numberText(clip.fps) + " fps, " + counted(animatedNodes(clip), "animated node") + "\n";
  }
}

void addMeshes(const Scene& scene, std::string& text) {
  std::size_t vertices = 0, triangles = 0;
  for (const SkinnedMesh& mesh : scene.meshes) {
    vertices += mesh.vertexCount();
    triangles += mesh.triangles.size() / 3;
  }
  text += counted(scene.meshes.size(), "mesh part") + ", " + std::to_string(vertices) +
          " vertices, " + counted(triangles, "triangle") + "\n";
  text += counted(scene.materials.size(), "material") + ", " +
          counted(scene.images.size(), "image") + "\n";
  text += counted(scene.skins.size(), "skin");
  for (const Skin& skin : scene.skins) text += ", " + counted(skin.joints.size(), "joint");
  text += "\n";
}

// No lines where there is no humanoid.
void addHumanoid(const Scene& scene, std::string& text) {
  const humanoid::HumanoidMap map = humanoid::findHumanoid(scene);
  if (map.origin == humanoid::HumanoidMap::Origin::kNone) return;
  text += std::string("humanoid, found by ") + humanoid::originName(map.origin) + ", confidence " +
          fixedText(map.confidence, 2) + "\n";
  for (std::size_t i = 0; i < humanoid::kHumanoidRoleCount; ++i) {
    if (map.nodes[i] < 0) continue;
    text += std::string("  ") + humanoid::humanoidRoleName(static_cast<humanoid::HumanoidRole>(i)) +
            "  " + printable(scene.skeleton.nodes[toSize(map.nodes[i])].name) + "\n";
  }
  for (const std::string& doubt : map.doubts) text += "  uncertain: " + doubt + "\n";
}

// Roles by the ids of their nodes.
Json humanoidJson(const Scene& scene) {
  const humanoid::HumanoidMap map = humanoid::findHumanoid(scene);
  Json roles = Json::object();
  for (std::size_t i = 0; i < humanoid::kHumanoidRoleCount; ++i) {
    if (map.nodes[i] < 0) continue;
    roles[humanoid::humanoidRoleName(static_cast<humanoid::HumanoidRole>(i))] =
        scene.skeleton.nodes[toSize(map.nodes[i])].source_id;
  }
  Json declared = Json::array();
  for (const DeclaredRole& given : scene.humanoid) {
    const Node& node = scene.skeleton.nodes[toSize(given.node)];
    declared.push_back({{"role", given.role}, {"node", node.source_id}});
  }
  return {{"origin", humanoid::originName(map.origin)},
          {"confidence", map.confidence},
          {"roles", roles},
          {"doubts", map.doubts},
          {"declared", declared}};
}

struct SpringCounts {
  std::string kind;  // empty for none
  std::size_t joints = 0;
};

SpringCounts countSprings(const SpringSetup& springs) {
  SpringCounts counts;
  if (springs.kind == SpringSetup::Kind::kVrm1) counts.kind = "VRM 1.0";
  if (springs.kind == SpringSetup::Kind::kVrm0) counts.kind = "VRM 0.x";
  for (const SpringChain& chain : springs.chains) counts.joints += chain.joints.size();
  return counts;
}

void addSprings(const Scene& scene, std::string& text) {
  const SpringCounts counts = countSprings(scene.springs);
  if (!counts.kind.empty()) {
    text += counted(scene.springs.chains.size(), "spring") + " of " + counts.kind + ", " +
            counted(counts.joints, "joint") + ", " +
            counted(scene.springs.colliders.size(), "collider") + "\n";
  }
}

// What `dynamic-bones --auto` would simulate where no clip animates it.
stages::dynamic_bones::AutoSetup findSwinging(const Scene& scene) {
  return stages::dynamic_bones::findChainsToSwing(scene, humanoid::findHumanoid(scene), {});
}

void addSwinging(const Scene& scene, std::string& text) {
  const auto found = findSwinging(scene);
  if (found.notes.empty()) return;
  text += "chains that could swing (dynamic-bones --auto)\n";
  for (const std::string& note : found.notes) text += "  " + note + "\n";
}

// Roots and joints are patterns, as in recipes.
Json swingingJson(const Scene& scene) {
  Json chains = Json::array();
  for (const auto& chain : findSwinging(scene).chains) {
    chains.push_back({{"class", stages::dynamic_bones::chainClassName(chain.chain_class)},
                      {"root", chain.settings.root},
                      {"joints", chain.settings.joints},
                      {"chain_count", chain.chain_count},
                      {"joint_count", chain.joint_count},
                      {"by", chain.by_name ? "name" : "layout"}});
  }
  return chains;
}

}  // namespace

std::string infoText(const io::Asset& asset) {
  const Scene& scene = asset.scene;
  std::string text = printable(asset.path.string()) + ": " + asset.document->formatName() + ", " +
                     std::to_string(asset.file_bytes) + " bytes\n";
  if (const std::size_t unused = asset.document->unreferencedBytes(); unused > 0) {
    text +=
        std::to_string(unused) + " bytes that nothing refers to (convert --compact removes them)\n";
  }
  addClipLines(scene, text);
  addMeshes(scene, text);
  addSprings(scene, text);
  text += counted(scene.skeleton.size(), "node") + "\n";
  addTree(scene.skeleton, text);
  addHumanoid(scene, text);
  addSwinging(scene, text);
  for (const Warning& warning : scene.warnings.all()) {
    text += "warning: " + warning.text + " (" + std::to_string(warning.count) + "x, first at " +
            printable(warning.first) + ")\n";
  }
  return text;
}

std::string infoJson(const io::Asset& asset) {
  const Scene& scene = asset.scene;
  Json root = {{"file", asset.path.string()},
               {"format", asset.document->formatName()},
               {"bytes", asset.file_bytes},
               {"unreferenced_bytes", asset.document->unreferencedBytes()},
               {"hash", asset.content_hash}};
  root["nodes"] = Json::array();
  for (const Node& node : scene.skeleton.nodes) {
    const int parent = node.parent;
    root["nodes"].push_back(
        {{"id", node.source_id},
         {"name", node.name},
         {"parent", parent < 0 ? -1 : scene.skeleton.nodes[toSize(parent)].source_id}});
  }
  root["humanoid"] = humanoidJson(scene);
  root["clips"] = Json::array();
  for (const Clip& clip : scene.clips) {
    root["clips"].push_back({{"name", clip.name},
                             {"start_s", clip.start_s},
                             {"end_s", clip.end_s},
                             {"fps", clip.fps},
                             {"animated_nodes", animatedNodes(clip)}});
  }
  root["skins"] = Json::array();
  for (const Skin& skin : scene.skins) {
    root["skins"].push_back({{"name", skin.name}, {"joints", skin.joints.size()}});
  }
  root["meshes"] = Json::array();
  for (const SkinnedMesh& mesh : scene.meshes) {
    root["meshes"].push_back({{"name", mesh.name},
                              {"primitive", mesh.primitive},
                              {"vertices", mesh.vertexCount()},
                              {"triangles", mesh.triangles.size() / 3},
                              {"skin", mesh.skin},
                              {"morph_targets", mesh.morphs.size()}});
  }
  root["materials"] = Json::array();
  for (const Material& material : scene.materials) root["materials"].push_back(material.name);
  root["images"] = Json::array();
  for (const Image& image : scene.images) {
    root["images"].push_back({{"name", image.name},
                              {"type", image.mime_type},
                              {"path", image.path},
                              {"bytes", image.bytes.size()}});
  }
  const SpringCounts springs = countSprings(scene.springs);
  root["springs"] = {{"kind", springs.kind},
                     {"chains", scene.springs.chains.size()},
                     {"joints", springs.joints},
                     {"colliders", scene.springs.colliders.size()},
                     {"groups", scene.springs.groups.size()}};
  root["swinging_chains"] = swingingJson(scene);
  root["warnings"] = Json::array();
  for (const Warning& warning : scene.warnings.all()) {
    root["warnings"].push_back({{"code", warning.code},
                                {"text", warning.text},
                                {"count", warning.count},
                                {"first", warning.first}});
  }
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace clipmill::pipeline
