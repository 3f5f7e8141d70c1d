// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/scene_document.h"

#include <algorithm>
#include <array>
#include <utility>

#include "io/bvh/read.h"
#include "io/conversion.h"
#include "io/gltf/write.h"
#include "io/gltf_document.h"
#include "io/import/import_child.h"
#include "io/import/imported.h"
#include "scene/plain_scene.h"

namespace clipmill::io {
namespace {

// Formats without a mark at their beginning, and those that have one.
constexpr std::array<std::string_view, 22> kExtensions = {
    ".dae", ".x",   ".md5mesh", ".smd", ".b3d", ".ms3d", ".ase", ".lws", ".lwo", ".3ds", ".md2",
    ".md3", ".mdl", ".ac",      ".cob", ".irr", ".ogex", ".obj", ".ply", ".stl", ".iqm", ".mesh"};

std::string lowerCase(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// A file of which only the Scene is known: nothing can be left as it was, so what is written is a
// new file.
class SceneDocument : public Document {
 public:
  SceneDocument(ImportedScene imported, Limits limits)
      : imported_(std::move(imported)), limits_(limits) {}

  std::string formatName() const override { return imported_.format; }

  std::vector<std::filesystem::path> referencedFiles() const override {
    return {imported_.files.begin(), imported_.files.end()};
  }

  OutputFormat nativeFormat() const override { return OutputFormat::kGltf; }
  bool isReadOnly() const override { return true; }

  Result<Output> render(const Scene& scene, std::span<const ClipTracks> edits,
                        const std::filesystem::path& output_path, const ConversionKeys& keys,
                        const Additions& additions) const override {
    if (outputFormatOf(output_path) != OutputFormat::kGltf) {
      return convertScene(scene, edits, keys, {}, output_path, limits_, additions);
    }
    // Their keys are linear, which glTF has too: they go over as they are.
    std::vector<KeyframeClip> clips;
    for (const ImportedClip& clip : imported_.clips) clips.push_back(clip.keys);
    for (std::size_t c = clips.size(); c < scene.clips.size(); ++c) {
      clips.push_back({scene.clips[c].name, {}});
    }
    for (const ClipTracks& edit : edits) {
      std::vector<Track>& tracks = clips[static_cast<std::size_t>(edit.clip)].tracks;
      for (const Track& track : edit.tracks) replaceTrack(track, tracks);
      if (edit.name) clips[static_cast<std::size_t>(edit.clip)].name = *edit.name;
    }
    const Scene whole = withAdditions(imported_.scene, additions);
    for (KeyframeClip& clip : clips) {
      for (Track& track : clip.tracks) widenWeights(whole.skeleton, track);
      clip.tracks = plainTracks(whole, clip.tracks);
    }
    CLIPMILL_TRY(Bytes glb, writeGlb(plainScene(whole), clips));
    return glbIn(std::move(glb), output_path, limits_);
  }

 private:
  // Keys from before the new morphs hold nothing of them.
  static void widenWeights(const Skeleton& skeleton, Track& track) {
    const int width = skeleton.nodes[static_cast<std::size_t>(track.node)].weights_count;
    if (track.path != TrackPath::kWeights || track.width == width) return;
    const auto narrow = static_cast<std::size_t>(track.width),
               wide = static_cast<std::size_t>(width);
    std::vector<double> values(track.values.size() / narrow * wide, 0.0);
    for (std::size_t row = 0; row < track.values.size() / narrow; ++row) {
      std::copy_n(track.values.begin() + static_cast<std::ptrdiff_t>(row * narrow), narrow,
                  values.begin() + static_cast<std::ptrdiff_t>(row * wide));
    }
    track.values = std::move(values);
    track.width = width;
  }

  static void replaceTrack(const Track& track, std::vector<Track>& tracks) {
    const auto same = std::find_if(tracks.begin(), tracks.end(), [&](const Track& t) {
      return t.node == track.node && t.path == track.path;
    });
    if (same == tracks.end()) {
      tracks.push_back(track);
    } else {
      *same = track;
    }
  }

  ImportedScene imported_;
  Limits limits_;
};

void fillAsset(ImportedScene imported, const LoadOptions& options, Asset& asset) {
  asset.scene = imported.scene;
  addClips(imported.clips, asset.scene);
  if (!options.with_meshes) {
    asset.scene.meshes.clear();
    asset.scene.materials.clear();
    asset.scene.images.clear();
  }
  asset.document = std::make_shared<SceneDocument>(std::move(imported), options.limits);
}

}  // namespace

Status loadBvh(Bytes bytes, const LoadOptions& options, Asset& asset) {
  CLIPMILL_TRY(ImportedScene imported,
               bvh::readBvh(asText(bytes), asset.path.stem().string(), options.limits));
  CLIPMILL_CHECK(checkImported(imported));
  fillAsset(std::move(imported), options, asset);
  return {};
}

std::span<const std::string_view> importableExtensions() { return kExtensions; }

bool looksImportable(std::span<const std::byte> bytes, const std::filesystem::path& path) {
  constexpr std::size_t kHead = 4096;
  const std::string_view head = asText(bytes.first(std::min(bytes.size(), kHead)));
  if (head.empty()) return false;
  if (head.starts_with("xof ") || head.starts_with("MD5Version")) return true;
  if (head.find("<COLLADA") != std::string_view::npos) return true;
  const std::string extension = lowerCase(path.extension().string());
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

Status loadImported(Bytes, const LoadOptions& options, Asset& asset) {
  CLIPMILL_TRY(ImportedScene imported, importInChild(asset.path, options.limits));
  fillAsset(std::move(imported), options, asset);
  return {};
}

}  // namespace clipmill::io
