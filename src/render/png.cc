// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/png.h"

#include <algorithm>

#include <png.h>

#include "core/to_size.h"

namespace clipmill::render {
namespace {

// libpng's own state of an image; its memory is released whatever happens.
struct Control {
  png_image image{};
  Control() { image.version = PNG_IMAGE_VERSION; }
  ~Control() { png_image_free(&image); }
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  bool failed() const { return PNG_IMAGE_FAILED(image); }
  Error error(ErrorCode code, const std::string& what) const {
    return {code, "", what + ": " + std::string(image.message), ""};
  }
};

bool isOpaque(const Image& image) {
  for (std::size_t i = 3; i < image.rgba.size(); i += 4) {
    if (image.rgba[i] != 255) return false;
  }
  return true;
}

std::vector<std::uint8_t> withoutAlpha(const Image& image) {
  std::vector<std::uint8_t> rgb;
  rgb.reserve(image.rgba.size() / 4 * 3);
  for (std::size_t i = 0; i + 3 < image.rgba.size(); i += 4) {
    rgb.insert(rgb.end(), {image.rgba[i], image.rgba[i + 1], image.rgba[i + 2]});
  }
  return rgb;
}

}  // namespace

Result<Bytes> encodePng(const Image& image) {
  const bool opaque = isOpaque(image);
  const std::vector<std::uint8_t> pixels = opaque ? withoutAlpha(image) : image.rgba;
  Control control;
  control.image.width = static_cast<png_uint_32>(image.width);
  control.image.height = static_cast<png_uint_32>(image.height);
  control.image.format = opaque ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
  // Memory for the worst case, so that one pass is enough.
  Bytes bytes(2 * pixels.size() + 65536);
  png_alloc_size_t size = bytes.size();
  if (!png_image_write_to_memory(&control.image, bytes.data(), &size, 0, pixels.data(), 0,
                                 nullptr)) {
    return control.error(ErrorCode::kInternal, "an image cannot be compressed");
  }
  bytes.resize(size);
  return bytes;
}

Result<Image> decodePng(std::span<const std::byte> bytes, std::uint64_t max_pixels) {
  Control control;
  if (!png_image_begin_read_from_memory(&control.image, bytes.data(), bytes.size())) {
    return control.error(ErrorCode::kMalformed, "not a PNG that can be read");
  }
  const std::uint64_t pixels = std::uint64_t{control.image.width} * control.image.height;
  if (pixels > max_pixels) {
    return Error{ErrorCode::kLimit, "", "an image has more pixels than the limit allows", ""};
  }
  control.image.format = PNG_FORMAT_RGBA;
  Image image{static_cast<int>(control.image.width), static_cast<int>(control.image.height),
              std::vector<std::uint8_t>(4 * toSize(pixels))};
  if (!png_image_finish_read(&control.image, nullptr, image.rgba.data(), 0, nullptr)) {
    return control.error(ErrorCode::kMalformed, "not a PNG that can be read");
  }
  return image;
}

}  // namespace clipmill::render
