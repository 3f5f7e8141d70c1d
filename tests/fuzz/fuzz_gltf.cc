// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Any bytes as a glTF file: they are refused with one line, or they load, pose, and take new keys
// that read back.
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "anim/clip.h"
#include "anim/pose.h"
#include "core/to_size.h"
#include "fuzz_checks.h"
#include "fuzz_scene.h"
#include "io/gltf/conversion_loss.h"
#include "io/gltf/convert.h"
#include "io/gltf/glb.h"
#include "io/gltf/patch.h"
#include "io/gltf/read.h"
#include "io/gltf/write.h"
#include "json_mutator.h"
#include "stages/dynamic_bones/chains/file_springs.h"

namespace {

using namespace clipmill;
using namespace clipmill::io::gltf;
using namespace clipmill::stages::dynamic_bones;
using fuzz::require;
using fuzz::requireOneLine;

constexpr const char* kNoFolder = "no-such-folder";  // so that no URI leads to a file
constexpr io::Limits kLimits{std::uint64_t{1} << 20, std::uint64_t{8} << 20, 64};
// What was written may decode to a little more than what was read.
constexpr io::Limits kWideLimits{std::uint64_t{4} << 20, std::uint64_t{16} << 20, 80};

Result<Scene> readAgain(Bytes bytes) {
  CLIPMILL_TRY(const auto document,
               io::gltf::parseDocument(std::move(bytes), kNoFolder, kWideLimits));
  return io::gltf::readScene(*document, true, kWideLimits);
}

void patchAndReadAgain(const io::gltf::Document& document, const Scene& scene) {
  const auto unmodified = io::gltf::patchDocument(document, scene.skeleton, {});
  require(unmodified.ok() && *unmodified == document.original, "no edit changed the file");
  if (scene.clips.empty() || scene.skeleton.nodes.empty()) return;
  const int node = static_cast<int>(scene.skeleton.size()) - 1;
  const Track track{node,
                    TrackPath::kTranslation,
                    Interpolation::kLinear,
                    3,
                    std::make_shared<std::vector<double>>(std::vector<double>{0.0, 1.0}),
                    {1, 2, 3, 4, 5, 6}};
  const std::vector<io::ClipEdit> edits = {{0, {track}}};
  auto patched = io::gltf::patchDocument(document, scene.skeleton, edits);
  if (!patched) return requireOneLine(patched.error());
  const auto again = readAgain(std::move(*patched));
  require(again.ok(), "what was written does not load:", again ? "" : describe(again.error()));
  require(again->clips.size() == scene.clips.size(), "a clip came or went");
  Pose pose = restPose(again->skeleton);
  again->clips[0].source->cursor()->sample(1.0, pose.view());
  const Vec3 t = pose.locals[toSize(node)].translation;
  require(t == Vec3(4, 5, 6), "the keys that were written are not those that are read");
}

void convertAndReadAgain(const io::gltf::Document& document) {
  const bool is_text = document.container == io::gltf::Container::kText;
  if (is_text) {
    auto glb = io::gltf::toGlb(document, kLimits.max_file_bytes);
    if (!glb) return requireOneLine(glb.error());
    const auto again = readAgain(std::move(*glb));
    require(again.ok(), "the GLB does not load:", again ? "" : describe(again.error()));
    return;
  }
  auto text = io::gltf::toText(document, "clip.bin");
  if (!text) return requireOneLine(text.error());
  require(io::gltf::looksLikeGltf(text->text), "the text is no glTF");
}

// The Scene as a file of its own. It may hold less, and needs a little more memory in some cases.
void writeAndReadAgain(const io::gltf::Document& document, const Scene& scene) {
  const Warnings losses = io::gltf::conversionLossOf(document);
  for (const Warning& warning : losses.all()) require(warning.count > 0, "a loss was counted 0x");
  auto written = writeGlb(scene, {});
  if (!written) return requireOneLine(written.error());
  const auto again = readAgain(std::move(*written));
  if (!again && again.error().code == ErrorCode::kLimit) return;
  require(again.ok(), "the written Scene does not load:", again ? "" : describe(again.error()));
  require(again->materials.size() == scene.materials.size(), "a material came or went");
  for (const Warning& warning : again->warnings.all()) {
    // Of an image that cannot be read only its path is written.
    const bool is_image = warning.code == "image_not_found";
    const bool is_known = scene.warnings.count(is_image ? "image_not_read" : warning.code) > 0 ||
                          scene.warnings.count(warning.code) > 0;
    require(is_known, "what was written is read with a new warning:", warning.code);
  }
}

void requireInBounds(const char* list, const void* item) {
  for (const SettingField& field : dynamicBonesTable().list(list)->item->fields) {
    const auto value = field.get(item);
    if (!value) continue;
    const auto checked = checkedValue(field, *value, field.name);
    require(checked.ok(), "a setting is out of bounds:", checked ? "" : field.name);
  }
}

// Springs of the file name nodes that are there, and make settings within their bounds.
void readSprings(const Scene& scene) {
  const auto isNode = [&](int node) { return node >= 0 && toSize(node) < scene.skeleton.size(); };
  std::vector<bool> taken(scene.skeleton.size(), false);
  for (const SpringChain& chain : scene.springs.chains) {
    require(chain.center == -1 || isNode(chain.center), "a centre is no node");
    for (const SpringJoint& joint : chain.joints) {
      require(isNode(joint.node), "a joint is no node");
      require(!taken[toSize(joint.node)], "a node is a joint twice");
      taken[toSize(joint.node)] = true;
    }
  }
  DynamicBonesSettings settings;
  const auto notes = addFileSprings(scene, settings);
  if (!notes) return requireOneLine(notes.error());
  for (const ChainSettings& chain : settings.chain) requireInBounds("chain", &chain);
  for (const ColliderSettings& collider : settings.collider) requireInBounds("collider", &collider);
}

void putWord(std::uint8_t* at, std::size_t word) {
  for (int i = 0; i < 4; ++i) at[i] = static_cast<std::uint8_t>(word >> (8 * i));
}

// Where the JSON of a file is: within a GLB, up to the BIN chunk or the end. Whole otherwise.
std::pair<std::size_t, std::size_t> jsonRange(std::string_view file) {
  constexpr std::size_t kText = 20;
  if (file.size() < kText + 12 || !file.starts_with("glTF")) return {0, file.size()};
  const std::size_t bin = file.find(std::string_view("BIN\0", 4), kText);
  if (bin == std::string_view::npos || bin < kText + 4) return {kText, file.size()};
  return {kText, bin - 4};
}

// Makes the lengths of a GLB fit its bytes: the JSON chunk ends where the BIN chunk starts, and
// that ends with the file. Without this nearly every change of size would be refused at the first
// length.
void repairLengths(std::uint8_t* data, std::size_t size) {
  const auto [start, end] = jsonRange({reinterpret_cast<char*>(data), size});
  if (start == 0) return;
  putWord(data + 8, size);
  putWord(data + 12, end - start);
  if (end < size) putWord(data + end, size - end - 8);
}

// The size after a change of the JSON alone; 0 where the result is larger than `max_size`.
std::size_t mutateJson(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned seed) {
  const std::string file(reinterpret_cast<char*>(data), size);
  const auto [start, end] = jsonRange(file);
  std::string json = fuzz::JsonMutator(seed).mutated(file.substr(start, end - start));
  if (start > 0) json.resize(padded(json.size()), ' ');
  const std::string changed = file.substr(0, start) + json + file.substr(end);
  if (changed.size() > max_size) return 0;
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  // Half of the changes are those of bytes, an eighth of these keeps the lengths as they fall.
  std::size_t new_size = seed % 2 == 0 ? mutateJson(data, size, max_size, seed / 2) : 0;
  if (new_size == 0) new_size = LLVMFuzzerMutate(data, size, max_size);
  if (seed % 16 != 1) repairLengths(data, new_size);
  return new_size;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  const auto document = io::gltf::parseDocument(Bytes(bytes, bytes + size), kNoFolder, kLimits);
  if (!document) {
    requireOneLine(document.error());
    return 0;
  }
  const auto scene = io::gltf::readScene(**document, true, kLimits);
  if (!scene) {
    requireOneLine(scene.error());
    return 0;
  }
  fuzz::poseMeshes(*scene, restPose(scene->skeleton));
  readSprings(*scene);
  fuzz::sampleClips(*scene);
  patchAndReadAgain(**document, *scene);
  convertAndReadAgain(**document);
  writeAndReadAgain(**document, *scene);
  return 0;
}
