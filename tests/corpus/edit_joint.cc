// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// The smallest stage there can be, for tests of what is written back:
//   edit_joint IN OUT [--joint PATH] [--clip N] [--path rotation|translation|scale] [--amount X]
// Each frame of the clip the joint is rotated by X degrees about its own x axis, or moved by X
// along the x axis of its parent, or scaled by X. Prints what was edited as JSON.
//   edit_joint IN.fbx OUT.fbx --add-morph NAME [--clip N]
// The first mesh gets a morph target that moves all its vertices along y by a tenth of its height;
// over the clip its weight goes from 0 to 1.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>

#include "anim/motion.h"
#include "core/file.h"
#include "core/to_size.h"
#include "io/fbx/patch.h"
#include "io/io.h"

namespace {

using namespace clipmill;

struct Options {
  std::string input, output, joint, morph;
  int clip = 0;
  TrackPath path = TrackPath::kRotation;
  double amount = 20.0;
};

[[noreturn]] void quit(const std::string& reason) {
  std::fprintf(stderr, "edit_joint: %s\n", reason.c_str());
  std::exit(3);
}

Options parse(int argc, char** argv) {
  if (argc < 3) quit("usage: edit_joint IN OUT [--joint PATH] [--clip N] [--path P] [--amount X]");
  Options options;
  options.input = argv[1];
  options.output = argv[2];
  for (int i = 3; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--joint") options.joint = value;
    if (name == "--add-morph") options.morph = value;
    if (name == "--clip") options.clip = std::atoi(value.c_str());
    if (name == "--amount")
      std::from_chars(value.data(), value.data() + value.size(), options.amount);
    if (name == "--path" && value == "translation") options.path = TrackPath::kTranslation;
    if (name == "--path" && value == "scale") options.path = TrackPath::kScale;
  }
  return options;
}

// The middle one of the joints that are likeliest to be worth an edit.
int defaultJoint(const Scene& scene, const Clip& clip) {
  const auto children = childrenOf(scene.skeleton);
  for (const auto& [wants_keys, wants_children] :
       {std::pair(true, true), std::pair(false, true), std::pair(true, false),
        std::pair(false, false)}) {
    std::vector<int> fitting;
    for (int n = 0; n < static_cast<int>(scene.skeleton.size()); ++n) {
      if (wants_keys && !clip.animated.any(n)) continue;
      if (wants_children && children[toSize(n)].empty()) continue;
      fitting.push_back(n);
    }
    if (!fitting.empty()) return fitting[fitting.size() / 2];
  }
  quit("no node");
}

int jointOf(const Scene& scene, const Clip& clip, const std::string& path) {
  if (path.empty()) return defaultJoint(scene, clip);
  for (int n = 0; n < static_cast<int>(scene.skeleton.size()); ++n) {
    if (pathOf(scene.skeleton, n) == path) return n;
  }
  quit("no joint " + path);
}

void edit(Motion& motion, int joint, const Options& options) {
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    Transform& local = motion.frame(f).locals[toSize(joint)];
    switch (options.path) {
      case TrackPath::kTranslation:
        local.translation.x += options.amount;
        break;
      case TrackPath::kScale:
        local.scale *= options.amount;
        break;
      default:
        local.rotation =
            local.rotation * rotationAbout(Vec3(1.0, 0.0, 0.0), options.amount * kDegree);
    }
  }
  motion.modified.set(joint, options.path);
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

AddedMorph lift(const SkinnedMesh& mesh, const std::string& name) {
  double low = mesh.positions.front().y, high = low;
  for (const Vec3& position : mesh.positions) {
    low = std::min(low, position.y);
    high = std::max(high, position.y);
  }
  return {mesh.node, name, std::vector<Vec3>(mesh.vertexCount(), Vec3(0, 0.1 * (high - low), 0))};
}

// The node's own weights as they are, and behind them the new one.
Track weightsOf(const Scene& scene, const Motion& motion, int node) {
  const Node& n = scene.skeleton.nodes[toSize(node)];
  std::vector<double> times, values;
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    const auto own = motion.weightsOf(f).subspan(toSize(n.weights_start), toSize(n.weights_count));
    times.push_back(motion.grid.timeOf(f));
    values.insert(values.end(), own.begin(), own.end());
    const double last = static_cast<double>(motion.grid.frame_count - 1);
    values.push_back(last > 0.0 ? static_cast<double>(f) / last : 1.0);
  }
  return {node,
          TrackPath::kWeights,
          Interpolation::kLinear,
          n.weights_count + 1,
          std::make_shared<const std::vector<double>>(std::move(times)),
          std::move(values)};
}

template <class T>
T valueOr(Result<T> result) {
  if (!result) quit(describe(result.error()));
  return std::move(*result);
}

// Additions do not go through io yet.
int addMorph(const Options& options) {
  auto tree = valueOr(io::fbx::parseTree(valueOr(readFile(options.input, UINT64_MAX)), {}));
  const auto document = valueOr(io::fbx::readDocument(std::move(tree)));
  const io::fbx::ReadScene read = valueOr(io::fbx::readScene(*document, true, {}));
  const Scene& scene = read.scene;
  if (scene.meshes.empty() || options.clip >= static_cast<int>(scene.clips.size())) {
    quit("no mesh, or no such clip");
  }
  const AddedMorph morph = lift(scene.meshes.front(), options.morph);
  const Clip& clip = scene.clips[toSize(options.clip)];
  const Motion motion =
      sampleClip(scene.skeleton, clip, options.clip, makeGrid(clip.start_s, clip.end_s, clip.fps));
  const Track track = weightsOf(scene, motion, morph.node);
  const io::ClipEdit edit{options.clip, {track}, std::nullopt};
  const Bytes bytes = valueOr(
      io::fbx::patchDocument(*document, read, scene, std::span(&edit, 1), std::span(&morph, 1)));
  if (const auto saved = writeFileAtomically(options.output, bytes); !saved) {
    quit(describe(saved.error()));
  }
  std::printf("{\"node\":%s,\"frames\":%zu,\"fps\":%.17g,\"lift\":%.17g}\n",
              quoted(pathOf(scene.skeleton, morph.node)).c_str(), motion.grid.frame_count,
              motion.grid.fps, morph.position_deltas.front().y);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse(argc, argv);
  if (!options.morph.empty()) return addMorph(options);
  const auto asset = io::load(options.input, {});
  if (!asset) quit(describe(asset.error()));
  const Scene& scene = asset->scene;
  if (options.clip < 0 || options.clip >= static_cast<int>(scene.clips.size()))
    quit("no such clip");
  const Clip& clip = scene.clips[toSize(options.clip)];
  const int joint = jointOf(scene, clip, options.joint);
  Motion motion =
      sampleClip(scene.skeleton, clip, options.clip, makeGrid(clip.start_s, clip.end_s, clip.fps));
  edit(motion, joint, options);
  const io::ClipEdit tracks{options.clip, tracksOf(scene.skeleton, motion)};
  const auto saved = io::save(*asset, std::span(&tracks, 1), options.output);
  if (!saved) quit(describe(saved.error()));
  std::printf(
      "{\"joint\":%s,\"clips\":%zu,\"frames\":%zu,\"fps\":%.17g,\"start\":%.17g,\"end\":%.17g}\n",
      quoted(pathOf(scene.skeleton, joint)).c_str(), scene.clips.size(), motion.grid.frame_count,
      motion.grid.fps, motion.grid.start_s, motion.grid.end_s);
  return 0;
}
