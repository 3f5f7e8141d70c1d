// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Any bytes as an FBX file: they are refused with one line, or they load, pose, and take new keys
// that read back.
#include <cstdint>
#include <string>

#include "anim/clip.h"
#include "anim/pose.h"
#include "core/to_size.h"
#include "fuzz_checks.h"
#include "fuzz_scene.h"
#include "io/fbx/patch.h"
#include "io/fbx/read.h"

namespace {

using namespace clipmill;
using fuzz::require;
using fuzz::requireOneLine;
using namespace clipmill::io::fbx;

constexpr io::Limits kLimits{std::uint64_t{1} << 20, std::uint64_t{16} << 20, 64};
// What was written may need a little more than what was read.
constexpr io::Limits kWideLimits{std::uint64_t{8} << 20, std::uint64_t{64} << 20, 80};

struct Loaded {
  std::shared_ptr<const Document> document;
  ReadScene read;
};

Result<Loaded> load(Bytes bytes, const io::Limits& limits) {
  Loaded loaded;
  CLIPMILL_TRY(auto tree, parseTree(std::move(bytes), limits));
  CLIPMILL_TRY(loaded.document, readDocument(std::move(tree)));
  CLIPMILL_TRY(loaded.read, readScene(*loaded.document, true, limits));
  return loaded;
}

// New keys for the last node of the last clip, and a new span for the first.
void patchAndReadAgain(const Loaded& loaded) {
  const Scene& scene = loaded.read.scene;
  const auto unmodified = patchDocument(*loaded.document, loaded.read, scene, {});
  require(unmodified.ok() && *unmodified == loaded.document->tree->source,
          "no edit changed the file");
  if (scene.clips.empty() || scene.skeleton.nodes.empty()) return;
  const int node = static_cast<int>(scene.skeleton.size()) - 1;
  const auto times = std::make_shared<const std::vector<double>>(std::vector<double>{0.0, 0.5});
  std::vector<Track> tracks = {
      {node, TrackPath::kTranslation, Interpolation::kLinear, 3, times, {1, 2, 3, 4, 5, 6}},
      {node, TrackPath::kRotation, Interpolation::kLinear, 4, times, {0, 0, 0, 1, 0, 0.6, 0, 0.8}},
      {node, TrackPath::kScale, Interpolation::kStep, 3, times, {1, 1, 1, 2, 2, 2}}};
  const int weights = scene.skeleton.nodes[toSize(node)].weights_count;
  if (weights > 0) {
    tracks.push_back({node, TrackPath::kWeights, Interpolation::kLinear, weights, times,
                      std::vector<double>(2 * toSize(weights), 0.0)});
  }
  const int last = static_cast<int>(scene.clips.size()) - 1;
  std::vector<io::ClipEdit> edits = {{last, tracks, std::nullopt}};
  if (last > 0) edits.push_back({0, {}, std::pair(0.25, 2.0)});
  auto patched = patchDocument(*loaded.document, loaded.read, scene, edits);
  if (!patched) {
    requireOneLine(patched.error());
    return;
  }
  const auto again = load(std::move(*patched), kWideLimits);
  require(again.ok(), "what was written does not load:", again.ok() ? "" : describe(again.error()));
  const Scene& result = again->read.scene;
  require(result.skeleton.size() == scene.skeleton.size(), "an edit changed the nodes");
  require(result.clips.size() == scene.clips.size(), "an edit changed the clips");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* start = reinterpret_cast<const std::byte*>(data);
  const auto loaded = load(Bytes(start, start + size), kLimits);
  if (!loaded) {
    requireOneLine(loaded.error());
    return 0;
  }
  fuzz::sampleClips(loaded->read.scene);
  patchAndReadAgain(*loaded);
  return 0;
}
