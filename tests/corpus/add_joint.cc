// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// The smallest stage that adds a joint, for tests of what is written:
//   add_joint IN OUT [--clip N]
// The joint that holds most of the first skinned mesh gets a child "Extra", which takes over half
// of its part in each vertex, and swings and wanders over the clip. Prints as JSON the names of
// joint and mesh, and where the vertices of the mesh should be, in metres, at a few times.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>

#include "anim/motion.h"
#include "core/portable_math.h"
#include "core/to_size.h"
#include "io/io.h"
#include "mesh/skinning.h"

namespace {

using namespace clipmill;

constexpr double kSwing_deg = 25.0;
constexpr std::size_t kMostInfluences = 4;

[[noreturn]] void quit(const std::string& reason) {
  std::fprintf(stderr, "add_joint: %s\n", reason.c_str());
  std::exit(3);
}

// Metres in a unit of the file.
double unitOf(const Scene& scene) {
  const Vec3& x = scene.metric_from_file.linear[0];
  return std::sqrt(glm::dot(x, x));
}

const SkinnedMesh& firstSkinned(const Scene& scene) {
  const auto found = std::ranges::find_if(scene.meshes, [](const SkinnedMesh& mesh) {
    return mesh.skin >= 0 && !mesh.triangles.empty();
  });
  if (found == scene.meshes.end()) quit("no skinned mesh");
  return *found;
}

// The index in the skin of the joint with the largest sum of weights.
std::size_t heaviestJoint(const Scene& scene, int node, const Skin& skin) {
  std::vector<double> sums(skin.joints.size(), 0.0);
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (mesh.node != node) continue;
    for (const Influence& influence : mesh.influences) sums[influence.joint] += influence.weight;
  }
  return toSize(std::ranges::max_element(sums) - sums.begin());
}

// The strongest influences of one vertex by node, half of `giver`'s part with `taker`.
std::vector<NodeInfluence> shared(const SkinnedMesh& mesh, const Skin& skin, std::size_t vertex,
                                  int giver, int taker) {
  std::map<int, double> weight_of_node;
  for (std::size_t i = mesh.influence_start[vertex]; i < mesh.influence_start[vertex + 1]; ++i) {
    weight_of_node[skin.joints[mesh.influences[i].joint]] += mesh.influences[i].weight;
  }
  if (const auto given = weight_of_node.find(giver); given != weight_of_node.end()) {
    given->second *= 0.5;
    weight_of_node[taker] = given->second;
  }
  std::vector<NodeInfluence> influences;
  for (const auto& [node, weight] : weight_of_node) influences.push_back({node, weight});
  std::ranges::stable_sort(influences, std::greater(), &NodeInfluence::weight);
  if (influences.size() > kMostInfluences) influences.resize(kMostInfluences);
  double sum = 0.0;
  for (const NodeInfluence& influence : influences) sum += influence.weight;
  for (NodeInfluence& influence : influences) influence.weight /= sum;
  return influences;
}

Additions extraJoint(const Scene& scene) {
  const SkinnedMesh& first = firstSkinned(scene);
  const Skin& skin = scene.skins[toSize(first.skin)];
  const std::size_t heaviest = heaviestJoint(scene, first.node, skin);
  const int parent = skin.joints[heaviest], extra = static_cast<int>(scene.skeleton.size());
  const Transform rest{Vec3(0.05 / unitOf(scene), 0, 0), rotationAbout(Vec3(0, 0, 1), 0.3),
                       Vec3(1.0)};
  Additions additions;
  additions.joints = {{"Extra", parent, rest}};
  AddedWeights weights;
  weights.node = first.node;
  weights.influence_start = {0};
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (mesh.node != first.node) continue;
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
      const auto influences = shared(mesh, skin, v, parent, extra);
      weights.influences.insert(weights.influences.end(), influences.begin(), influences.end());
      weights.influence_start.push_back(weights.influences.size());
    }
  }
  weights.joints = {extra};
  weights.joint_from_bind = {inverse(toAffine(rest)) * skin.joint_from_bind[heaviest]};
  additions.weights = {std::move(weights)};
  return additions;
}

void swing(const Scene& scene, Motion& motion, int joint) {
  const double step = 0.1 / unitOf(scene);
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    const double phase = 2.0 * kPi * static_cast<double>(f) /
                         static_cast<double>(std::max<std::size_t>(1, motion.grid.frame_count - 1));
    Transform& local = motion.frame(f).locals[toSize(joint)];
    local.rotation =
        local.rotation * rotationAbout(Vec3(0, 1, 0), kSwing_deg * kDegree * portable::sin(phase));
    local.translation += Vec3(0, step * (1.0 - portable::cos(phase)), 0);
  }
  motion.modified.set(joint, TrackPath::kRotation);
  motion.modified.set(joint, TrackPath::kTranslation);
}

// For files without one: a second in which nothing moves yet.
void addStillClip(Scene& scene) {
  scene.clips.push_back({"Swing", 0.0, 1.0, 30.0, TrackMask(scene.skeleton.size()),
                         keyframeSource(scene.skeleton, {})});
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

// The vertices of all primitives of the node at one frame, as a JSON array of numbers.
void printVertices(const Scene& scene, const Motion& motion, std::size_t frame, int node) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, motion.localsOf(frame), scene.metric_from_file, worlds);
  const Node& n = scene.skeleton.nodes[toSize(node)];
  const auto morphs =
      motion.weightsOf(frame).subspan(toSize(n.weights_start), toSize(n.weights_count));
  const char* separator = "";
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (mesh.node != node) continue;
    PosedVertices posed;
    poseMesh(mesh, &scene.skins[toSize(mesh.skin)], worlds, morphs, posed);
    for (const Vec3& p : posed.positions) {
      std::printf("%s%.9g,%.9g,%.9g", separator, p.x, p.y, p.z);
      separator = ",";
    }
  }
}

void printExpected(const Scene& scene, const Motion& motion, int node, int joint) {
  std::printf("{\"mesh\":%s,\"joint\":%s,\"fps\":%.17g,\"frames\":%zu",
              quoted(pathOf(scene.skeleton, node)).c_str(),
              quoted(pathOf(scene.skeleton, joint)).c_str(), motion.grid.fps,
              motion.grid.frame_count);
  const std::size_t last = motion.grid.frame_count - 1;
  std::printf(",\"start\":%.17g,\"poses\":[", motion.grid.start_s);
  const char* separator = "";
  for (const std::size_t frame : std::set<std::size_t>{0, last / 4, last / 2, last}) {
    std::printf("%s{\"time\":%.17g,\"positions\":[", separator, motion.grid.timeOf(frame));
    printVertices(scene, motion, frame, node);
    std::printf("]}");
    separator = ",";
  }
  std::printf("]}\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) quit("usage: add_joint IN OUT [--clip N]");
  const int index = argc > 4 && std::strcmp(argv[3], "--clip") == 0 ? std::atoi(argv[4]) : 0;
  auto asset = io::load(argv[1], {true, {}});
  if (!asset) quit(describe(asset.error()));
  Scene& scene = asset->scene;
  if (scene.clips.empty()) addStillClip(scene);
  if (index < 0 || index >= static_cast<int>(scene.clips.size())) quit("no such clip");
  const Additions additions = extraJoint(scene);
  if (const auto fits = checkAdditions(scene, additions); !fits) quit(describe(fits.error()));
  const Scene wide = withAdditions(scene, additions);
  const Clip& clip = wide.clips[toSize(index)];
  Motion motion =
      sampleClip(wide.skeleton, clip, index, makeGrid(clip.start_s, clip.end_s, clip.fps));
  const int joint = static_cast<int>(scene.skeleton.size());
  swing(wide, motion, joint);
  const io::ClipEdit tracks{index, tracksOf(wide.skeleton, motion)};
  const auto saved = io::save(*asset, std::span(&tracks, 1), argv[2], {}, additions);
  if (!saved) quit(describe(saved.error()));
  printExpected(wide, motion, additions.weights.front().node, joint);
  return 0;
}
