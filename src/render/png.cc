// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/png.h"

#include <algorithm>

#include <png.h>

namespace clipmill::render {
namespace {

// libpng's own account of a picture; what it holds is freed whatever happens.
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

bool isOpaque(const Picture& picture) {
  for (std::size_t i = 3; i < picture.rgba.size(); i += 4) {
    if (picture.rgba[i] != 255) return false;
  }
  return true;
}

std::vector<std::uint8_t> withoutAlpha(const Picture& picture) {
  std::vector<std::uint8_t> rgb;
  rgb.reserve(picture.rgba.size() / 4 * 3);
  for (std::size_t i = 0; i + 3 < picture.rgba.size(); i += 4) {
    rgb.insert(rgb.end(), {picture.rgba[i], picture.rgba[i + 1], picture.rgba[i + 2]});
  }
  return rgb;
}

}  // namespace

Result<Bytes> encodePng(const Picture& picture) {
  const bool opaque = isOpaque(picture);
  const std::vector<std::uint8_t> pixels = opaque ? withoutAlpha(picture) : picture.rgba;
  Control control;
  control.image.width = static_cast<png_uint_32>(picture.width);
  control.image.height = static_cast<png_uint_32>(picture.height);
  control.image.format = opaque ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
  // Room for the worst case, so that one pass is enough.
  Bytes bytes(2 * pixels.size() + 65536);
  png_alloc_size_t size = bytes.size();
  if (!png_image_write_to_memory(&control.image, bytes.data(), &size, 0, pixels.data(), 0,
                                 nullptr)) {
    return control.error(ErrorCode::kInternal, "a picture could not be packed");
  }
  bytes.resize(size);
  return bytes;
}

Result<Picture> decodePng(std::span<const std::byte> bytes, std::uint64_t max_pixels) {
  Control control;
  if (!png_image_begin_read_from_memory(&control.image, bytes.data(), bytes.size())) {
    return control.error(ErrorCode::kMalformed, "not a PNG that can be read");
  }
  const std::uint64_t pixels = std::uint64_t{control.image.width} * control.image.height;
  if (pixels > max_pixels) {
    return Error{ErrorCode::kLimit, "", "a picture has more pixels than the limit allows", ""};
  }
  control.image.format = PNG_FORMAT_RGBA;
  Picture picture{static_cast<int>(control.image.width), static_cast<int>(control.image.height),
                  std::vector<std::uint8_t>(4 * static_cast<std::size_t>(pixels))};
  if (!png_image_finish_read(&control.image, nullptr, picture.rgba.data(), 0, nullptr)) {
    return control.error(ErrorCode::kMalformed, "not a PNG that can be read");
  }
  return picture;
}

}  // namespace clipmill::render
