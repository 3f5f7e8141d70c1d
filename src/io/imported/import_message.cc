// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/imported/import_message.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/to_size.h"

namespace clipmill::io::imported {
namespace {

constexpr std::string_view kMark = "clipmill scene";
constexpr std::uint32_t kVersion = 2;  // raised with every change of what follows

enum class MessageKind : std::uint8_t { kScene, kError };

// Written and read as they lie in memory: both programs are of one build.
template <class T>
constexpr bool kIsPlain =
    std::is_same_v<T, double> || std::is_same_v<T, int> || std::is_same_v<T, std::uint32_t> ||
    std::is_same_v<T, std::uint64_t> || std::is_same_v<T, std::size_t> ||
    std::is_same_v<T, std::byte> || std::is_same_v<T, Vec2> || std::is_same_v<T, Vec3> ||
    std::is_same_v<T, Vec4> || std::is_same_v<T, Quat> || std::is_same_v<T, Affine>;
static_assert(sizeof(Vec3) == 3 * sizeof(double) && sizeof(Affine) == 12 * sizeof(double));

class Writer {
 public:
  template <class... Parts>
  void operator()(const Parts&... parts) {
    (put(parts), ...);
  }
  Bytes take() { return std::move(bytes_); }

 private:
  void putRaw(const void* from, std::size_t size) {
    if (size == 0) return;
    const auto* start = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), start, start + size);
  }
  void putCount(std::uint64_t count) { putRaw(&count, sizeof count); }

  template <class T>
  void put(const T& value) {
    if constexpr (kIsPlain<T>) {
      putRaw(&value, sizeof value);
    } else if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>) {
      const auto byte = static_cast<std::uint8_t>(value);
      putRaw(&byte, 1);
    } else {
      fields(*this, const_cast<T&>(value));
    }
  }
  void put(const std::string& text) {
    putCount(text.size());
    putRaw(text.data(), text.size());
  }
  template <class T>
  void put(const std::vector<T>& values) {
    putCount(values.size());
    if constexpr (kIsPlain<T>) {
      putRaw(values.data(), values.size() * sizeof(T));
    } else {
      for (const T& value : values) put(value);
    }
  }

  Bytes bytes_;
};

// After an error every read gives nothing; ok() is checked at the end, and where sizes depend on
// it.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}

  template <class... Parts>
  void operator()(Parts&... parts) {
    (get(parts), ...);
  }
  bool ok() const { return ok_; }
  bool atEnd() const { return left_.empty(); }
  void fail() { ok_ = false; }

 private:
  void getRaw(void* to, std::size_t size) {
    if (size > left_.size()) ok_ = false;
    if (!ok_ || size == 0) return;
    std::memcpy(to, left_.data(), size);
    left_ = left_.subspan(size);
  }
  // A count of elements of at min_bytes so many bytes each.
  std::size_t getCount(std::size_t min_bytes) {
    std::uint64_t count = 0;
    getRaw(&count, sizeof count);
    if (count > left_.size() / min_bytes) ok_ = false;
    return ok_ ? toSize(count) : 0;
  }

  template <class T>
  void get(T& value) {
    if constexpr (kIsPlain<T>) {
      getRaw(&value, sizeof value);
    } else if constexpr (std::is_enum_v<T> || std::is_same_v<T, bool>) {
      std::uint8_t byte = 0;
      getRaw(&byte, 1);
      if (byte > maxOf(value)) ok_ = false;
      if (ok_) value = static_cast<T>(byte);
    } else {
      fields(*this, value);
    }
  }
  void get(std::string& text) {
    text.resize(getCount(1));
    getRaw(text.data(), text.size());
  }
  template <class T>
  void get(std::vector<T>& values) {
    if constexpr (kIsPlain<T>) {
      values.resize(getCount(sizeof(T)));
      getRaw(values.data(), values.size() * sizeof(T));
    } else {
      // One by one: memory grows with the received data, not with the declared count.
      const std::size_t count = getCount(1);
      for (std::size_t i = 0; i < count && ok_; ++i) get(values.emplace_back());
    }
  }

  static constexpr std::uint8_t maxOf(bool) { return 1; }
  static constexpr std::uint8_t maxOf(MessageKind) { return 1; }
  static constexpr std::uint8_t maxOf(AlphaMode) { return 2; }
  static constexpr std::uint8_t maxOf(Interpolation) { return 2; }
  static constexpr std::uint8_t maxOf(TrackPath) { return 8; }
  static constexpr std::uint8_t maxOf(ErrorCode) {
    return static_cast<std::uint8_t>(ErrorCode::kInternal);
  }

  std::span<const std::byte> left_;
  bool ok_ = true;
};

// -- Fields of each type, in this order, of writer and reader

template <class Archive>
void fields(Archive& archive, Transform& t) {
  archive(t.translation, t.rotation, t.scale);
}

template <class Archive>
void fields(Archive& archive, Node& n) {
  archive(n.name, n.parent, n.source_id, n.rest, n.weights_start, n.weights_count);
}

template <class Archive>
void fields(Archive& archive, Skin& s) {
  archive(s.name, s.joints, s.joint_from_bind);
}

template <class Archive>
void fields(Archive& archive, Influence& i) {
  archive(i.joint, i.weight);
}

template <class Archive>
void fields(Archive& archive, MorphTarget& m) {
  archive(m.name, m.position_deltas, m.normal_deltas);
}

template <class Archive>
void fields(Archive& archive, SkinnedMesh& m) {
  archive(m.name, m.node, m.primitive, m.skin, m.material, m.positions, m.normals, m.tangents,
          m.uvs, m.colors, m.more_uvs, m.more_colors, m.triangles, m.corners.normals, m.corners.uvs,
          m.corners.colors, m.triangle_materials, m.influence_start, m.influences, m.morphs);
}

template <class Archive>
void fields(Archive& archive, Material& m) {
  archive(m.name, m.base_color, m.metallic, m.roughness, m.emissive, m.normal_scale, m.alpha_mode,
          m.alpha_cutoff, m.double_sided, m.unlit, m.base_color_image, m.metallic_roughness_image,
          m.normal_image, m.occlusion_image, m.emissive_image);
}

template <class Archive>
void fields(Archive& archive, Image& i) {
  archive(i.name, i.mime_type, i.bytes, i.path);
}

template <class Archive>
void fields(Archive& archive, Warning& w) {
  archive(w.code, w.text, w.count, w.first);
}

template <class Archive>
void fields(Archive& archive, Error& e) {
  archive(e.code, e.location, e.message, e.remedy);
}

// Tracks without their times, which they share, and the number of these.
struct MessageTrack {
  Track track;
  std::uint32_t timeline = 0;
};

template <class Archive>
void fields(Archive& archive, MessageTrack& w) {
  Track& t = w.track;
  archive(t.node, t.path, t.interpolation, t.width, t.values, w.timeline);
}

struct MessageClip {
  ImportedClip clip;  // without tracks
  std::vector<std::vector<double>> timelines;
  std::vector<MessageTrack> tracks;
};

template <class Archive>
void fields(Archive& archive, MessageClip& w) {
  archive(w.clip.keys.name, w.clip.start_s, w.clip.end_s, w.clip.fps, w.timelines, w.tracks);
}

template <class Archive>
void header(Archive& archive, MessageKind& kind) {
  std::string mark(kMark);
  std::uint32_t version = kVersion;
  archive(mark, version, kind);
  if constexpr (std::is_same_v<Archive, Reader>) {
    if (mark != kMark || version != kVersion) archive.fail();
  }
}

template <class Archive>
void body(Archive& archive, ImportedScene& imported, std::vector<Warning>& warnings,
          std::vector<MessageClip>& clips) {
  Scene& s = imported.scene;
  archive(imported.format, s.skeleton.nodes, s.skeleton.rest_weights, s.skins, s.meshes,
          s.materials, s.images, s.metric_from_file, imported.files, warnings, clips);
}

// -- Clips

MessageClip toMessage(const ImportedClip& clip) {
  MessageClip message;
  message.clip = {{clip.keys.name, {}}, clip.start_s, clip.end_s, clip.fps};
  std::vector<const void*> known;
  for (const Track& track : clip.keys.tracks) {
    // Nearly always the last one, or one for each: looking back a little finds what is shared.
    std::size_t timeline = known.size();
    for (std::size_t i = known.size(); i-- > 0 && known.size() - i <= 8;) {
      if (known[i] == track.times_s.get()) timeline = i;
    }
    if (timeline == known.size()) {
      known.push_back(track.times_s.get());
      message.timelines.push_back(*track.times_s);
    }
    message.tracks.push_back({track, static_cast<std::uint32_t>(timeline)});
  }
  return message;
}

bool fromMessage(MessageClip message, ImportedClip& clip) {
  std::vector<KeyTimes> timelines;
  for (std::vector<double>& times : message.timelines) {
    timelines.push_back(std::make_shared<const std::vector<double>>(std::move(times)));
  }
  clip = std::move(message.clip);
  for (MessageTrack& entry : message.tracks) {
    const auto path = static_cast<unsigned>(entry.track.path);
    const bool is_path = path == 1 || path == 2 || path == 4 || path == 8;
    if (entry.timeline >= timelines.size() || !is_path) return false;
    entry.track.times_s = timelines[entry.timeline];
    clip.keys.tracks.push_back(std::move(entry.track));
  }
  return true;
}

Error invalidMessage() {
  return {ErrorCode::kMalformed, "", "could not be read (clipmill-import sent an invalid response)",
          "open it in the program that made it and save it as glTF"};
}

}  // namespace

Bytes writeImportMessage(const ImportedScene& imported) {
  Writer writer;
  MessageKind kind = MessageKind::kScene;
  header(writer, kind);
  std::vector<Warning> warnings = imported.scene.warnings.all();
  std::vector<MessageClip> clips;
  for (const ImportedClip& clip : imported.clips) clips.push_back(toMessage(clip));
  body(writer, const_cast<ImportedScene&>(imported), warnings, clips);
  return writer.take();
}

Bytes writeImportMessage(const Error& error) {
  Writer writer;
  MessageKind kind = MessageKind::kError;
  header(writer, kind);
  writer(error);
  return writer.take();
}

Result<ImportMessage> readImportMessage(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  MessageKind kind = MessageKind::kScene;
  header(reader, kind);
  if (!reader.ok()) return invalidMessage();
  ImportMessage message;
  if (kind == MessageKind::kError) {
    reader(message.error.emplace());
    if (!reader.ok() || !reader.atEnd()) return invalidMessage();
    return message;
  }
  std::vector<Warning> warnings;
  std::vector<MessageClip> clips;
  body(reader, message.imported, warnings, clips);
  if (!reader.ok() || !reader.atEnd()) return invalidMessage();
  for (const Warning& warning : warnings) {
    message.imported.scene.warnings.add(warning.code, warning.text, warning.first, warning.count);
  }
  for (MessageClip& clip : clips) {
    if (!fromMessage(std::move(clip), message.imported.clips.emplace_back()))
      return invalidMessage();
  }
  CLIPMILL_CHECK(checkImported(message.imported));
  return message;
}

}  // namespace clipmill::io::imported
