// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/read_images.h"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "core/file.h"

namespace clipmill::io::fbx {
namespace {

constexpr int kMostLayers = 8;  // of textures within textures

// MIME type from the first bytes of an image; empty if unknown.
std::string mimeTypeOf(std::span<const std::byte> bytes) {
  const auto startsWith = [&](std::initializer_list<int> magic) {
    return bytes.size() >= magic.size() &&
           std::equal(magic.begin(), magic.end(), bytes.begin(),
                      [](int m, std::byte b) { return m == std::to_integer<int>(b); });
  };
  if (startsWith({0x89, 'P', 'N', 'G'})) return "image/png";
  if (startsWith({0xff, 0xd8, 0xff})) return "image/jpeg";
  if (startsWith({0xab, 'K', 'T', 'X'})) return "image/ktx2";
  if (startsWith({'R', 'I', 'F', 'F'})) return "image/webp";
  if (startsWith({'D', 'D', 'S', ' '})) return "image/vnd-ms.dds";
  if (startsWith({'B', 'M'})) return "image/bmp";
  return {};
}

// Letters that are no part of base64 (line breaks among them) are passed over.
Bytes decodedBase64(std::string_view text) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  Bytes bytes;
  std::uint32_t bits = 0;
  int bit_count = 0;
  for (const char c : text) {
    const std::size_t digit = kLetters.find(c);
    if (digit == std::string_view::npos) continue;
    bits = (bits << 6 | static_cast<std::uint32_t>(digit)) & 0xffffff;
    bit_count += 6;
    if (bit_count < 8) continue;
    bit_count -= 8;
    bytes.push_back(static_cast<std::byte>(bits >> bit_count & 0xff));
  }
  return bytes;
}

// Binary files hold the bytes; text files hold base64 in any number of strings.
Bytes contentOf(const Element& video) {
  const auto content = video.child("Content");
  if (!content) return {};
  if (video.tree().encoding == Encoding::kBinary) {
    if (content->values().empty()) return {};
    const auto bytes = content->bytes(0);
    return Bytes(bytes.begin(), bytes.end());
  }
  std::string text;
  for (std::size_t i = 0; i < content->values().size(); ++i) {
    if (content->values()[i].type == ValueType::kString) text += content->text(i).value_or("");
  }
  return decodedBase64(text);
}

bool hasContent(const Element& video) {
  const auto content = video.child("Content");
  if (!content) return false;
  return std::ranges::any_of(content->values(), [](const Value& value) {
    return (value.type == ValueType::kRaw || value.type == ValueType::kString) && value.size > 0;
  });
}

std::string childText(const Element& element, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto child = element.child(name);
    if (!child) continue;
    std::string text = child->text(0).value_or("");
    if (!text.empty()) return text;
  }
  return {};
}

std::string pathOf(const Element& element) {
  std::string path = childText(element, {"RelativeFilename", "FileName", "Filename"});
  std::ranges::replace(path, '\\', '/');
  return path;
}

std::string lastPart(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace

struct ImageReader::Source {
  int video = -1;
  std::string name, path;
};

ImageReader::ImageReader(const Document& document, std::filesystem::path folder,
                         const io::Limits& limits, Scene& scene)
    : document_(document),
      folder_(std::move(folder)),
      max_file_bytes_(limits.max_file_bytes),
      bytes_left_(limits.max_decoded_bytes),
      scene_(scene) {
  for (int o = 0; o < static_cast<int>(document.objects.size()); ++o) {
    const Object& object = document.object(o);
    if (object.type != "Video" || !hasContent(object.element)) continue;
    video_of_path_.emplace(pathOf(object.element), o);
  }
}

ImageReader::Source ImageReader::sourceOf(int texture) const {
  for (int depth = 0; document_.object(texture).type == "LayeredTexture"; ++depth) {
    const auto layers = document_.childrenOf(texture, "Texture", "");
    if (layers.empty() || depth == kMostLayers) return {};
    texture = layers.front();
  }
  Source source;
  source.name = document_.object(texture).name;
  source.path = pathOf(document_.object(texture).element);
  const auto videos = document_.childrenOf(texture, "Video", "");
  if (!videos.empty()) {
    source.video = videos.front();
    const Object& video = document_.object(source.video);
    if (!video.name.empty()) source.name = video.name;
    const std::string path = pathOf(video.element);
    if (!path.empty()) source.path = path;
  }
  // An image that several Videos refer to is embedded in only one of them.
  if (source.video < 0 || !hasContent(document_.object(source.video).element)) {
    const auto same = video_of_path_.find(source.path);
    if (same != video_of_path_.end()) source.video = same->second;
  }
  return source;
}

Result<int> ImageReader::imageOf(int texture) {
  const Source source = sourceOf(texture);
  const std::string key =
      source.video >= 0 ? "#" + std::to_string(source.video) : "/" + source.path;
  if (source.video < 0 && source.path.empty()) return -1;
  const auto known = image_of_key_.find(key);
  if (known != image_of_key_.end()) return known->second;
  CLIPMILL_TRY(const int image, addImage(source));
  image_of_key_[key] = image;
  return image;
}

Result<int> ImageReader::addImage(const Source& source) {
  Image image;
  image.name = source.name;
  if (source.video >= 0) image.bytes = contentOf(document_.object(source.video).element);
  if (image.bytes.empty()) {
    image.path = source.path;
    if (auto found = find(source.path)) {
      image.bytes = std::move(*found);
    } else {
      scene_.warnings.add("image_not_found",
                          "an image file that the input refers to does not exist", source.path);
    }
  }
  CLIPMILL_CHECK(charge(image.bytes.size()));
  image.mime_type = mimeTypeOf(image.bytes);
  scene_.images.push_back(std::move(image));
  return static_cast<int>(scene_.images.size()) - 1;
}

// Absolute paths are those of the machine on which the file was made: only their name counts.
std::optional<Bytes> ImageReader::find(const std::string& path) const {
  if (folder_.empty() || path.empty()) return std::nullopt;
  std::vector<std::filesystem::path> candidates;
  const bool is_absolute = path.front() == '/' || path.find(':') != std::string::npos;
  if (!is_absolute) candidates.push_back(folder_ / path);
  candidates.push_back(folder_ / lastPart(path));
  for (const std::filesystem::path& candidate : candidates) {
    auto bytes = readFile(candidate, max_file_bytes_);
    if (bytes && !mimeTypeOf(*bytes).empty()) return std::move(*bytes);
  }
  return std::nullopt;
}

Status ImageReader::charge(std::size_t bytes) {
  if (bytes > bytes_left_) {
    return Error{ErrorCode::kLimit, "", "has images that need more memory than the limit allows",
                 "raise --max-decoded-mb"};
  }
  bytes_left_ -= bytes;
  return {};
}

}  // namespace clipmill::io::fbx
