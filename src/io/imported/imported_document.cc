// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/imported/imported_document.h"

#include <algorithm>
#include <utility>

#include "core/to_size.h"
#include "io/gltf/gltf_document.h"
#include "io/gltf/write.h"
#include "scene/plain_scene.h"

namespace clipmill::io::imported {
namespace {

// A file of a format that is only read. What is written is a new glTF file.
class ImportedDocument : public Document {
 public:
  ImportedDocument(ImportedScene imported, Limits limits)
      : imported_(std::move(imported)), limits_(limits) {}

  std::string formatName() const override { return imported_.format; }

  std::vector<std::filesystem::path> referencedFiles() const override {
    return {imported_.files.begin(), imported_.files.end()};
  }

  OutputFormat nativeFormat() const override { return OutputFormat::kGltf; }
  bool isReadOnly() const override { return true; }

  Result<Output> render(const Scene& scene, std::span<const ClipEdit> edits,
                        const std::filesystem::path& output_path, const Additions& additions,
                        bool) const override {
    // Their keys are linear, as glTF keys can be: they are written unchanged.
    std::vector<KeyframeClip> clips;
    for (const ImportedClip& clip : imported_.clips) clips.push_back(clip.keys);
    for (std::size_t c = clips.size(); c < scene.clips.size(); ++c) {
      clips.push_back({scene.clips[c].name, {}});
    }
    for (const ClipEdit& edit : edits) {
      std::vector<Track>& tracks = clips[toSize(edit.clip)].tracks;
      for (const Track& track : edit.tracks) replaceTrack(track, tracks);
      if (edit.name) clips[toSize(edit.clip)].name = *edit.name;
    }
    const Scene whole = withAdditions(imported_.scene, additions);
    for (KeyframeClip& clip : clips) {
      for (Track& track : clip.tracks) widenWeights(whole.skeleton, track);
      clip.tracks = plainTracks(whole, clip.tracks);
    }
    CLIPMILL_TRY(Bytes glb, gltf::writeGlb(plainScene(whole), clips));
    return gltf::glbOutput(std::move(glb), output_path, limits_);
  }

 private:
  // Keys of the file have no values for added morphs.
  static void widenWeights(const Skeleton& skeleton, Track& track) {
    const int width = skeleton.nodes[toSize(track.node)].weights_count;
    if (track.path != TrackPath::kWeights || track.width == width) return;
    const auto narrow = toSize(track.width), wide = toSize(width);
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

}  // namespace

void fillAsset(ImportedScene imported, const LoadOptions& options, Asset& asset) {
  asset.scene = imported.scene;
  addClips(imported.clips, asset.scene);
  if (!options.with_meshes) {
    asset.scene.meshes.clear();
    asset.scene.materials.clear();
    asset.scene.images.clear();
  }
  asset.document = std::make_shared<ImportedDocument>(std::move(imported), options.limits);
}

}  // namespace clipmill::io::imported
