// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/png.h"

#include <csetjmp>

#include <png.h>

#include "checks.h"

TEST_SUITE_BEGIN("render.png");

using namespace clipmill;
using namespace clipmill::render;

namespace {

render::Image makeImage(bool opaque) {
  render::Image image{37, 11, {}};
  for (int i = 0; i < 37 * 11; ++i) {
    const auto value = static_cast<std::uint32_t>(i) * 2654435761u;
    for (int shift : {0, 8, 16}) {
      image.rgba.push_back(static_cast<std::uint8_t>(value >> shift));
    }
    image.rgba.push_back(opaque ? 255 : static_cast<std::uint8_t>(value >> 24));
  }
  return image;
}

// Read by libpng's other interface, which shows what is in the file as it is.
struct Found {
  int width = 0, height = 0, depth = 0, color = 0;
  bool has_time = false, has_text = false;
  std::vector<std::uint8_t> bytes;
};

Found readPlainly(const Bytes& bytes) {
  Found found;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  struct Source {
    const std::byte* at;
  } source{bytes.data()};
  png_set_read_fn(png, &source, [](png_structp p, png_bytep to, png_size_t size) {
    auto* from = static_cast<Source*>(png_get_io_ptr(p));
    std::copy_n(reinterpret_cast<const png_byte*>(from->at), size, to);
    from->at += size;
  });
  png_read_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  found.width = static_cast<int>(png_get_image_width(png, info));
  found.height = static_cast<int>(png_get_image_height(png, info));
  found.depth = png_get_bit_depth(png, info);
  found.color = png_get_color_type(png, info);
  found.has_time = png_get_valid(png, info, PNG_INFO_tIME);
  found.has_text = png_get_text(png, info, nullptr, nullptr) > 0;
  png_bytepp rows = png_get_rows(png, info);
  for (int y = 0; y < found.height; ++y) {
    found.bytes.insert(found.bytes.end(), rows[y], rows[y] + png_get_rowbytes(png, info));
  }
  png_destroy_read_struct(&png, &info, nullptr);
  return found;
}

}  // namespace

TEST_CASE("an image is in its PNG as libpng reads it, without time and text") {
  for (bool opaque : {true, false}) {
    const render::Image image = makeImage(opaque);
    const auto png = encodePng(image);
    CHECK_OK(png);
    const Found found = readPlainly(*png);
    CHECK(found.width == image.width);
    CHECK(found.height == image.height);
    CHECK(found.depth == 8);
    CHECK(found.color == (opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGBA));
    CHECK_FALSE(found.has_time);
    CHECK_FALSE(found.has_text);
    const std::size_t channels = opaque ? 3 : 4;
    REQUIRE(found.bytes.size() == image.rgba.size() / 4 * channels);
    bool same = true;
    for (std::size_t i = 0; i < found.bytes.size(); ++i) {
      same = same && found.bytes[i] == image.rgba[i / channels * 4 + i % channels];
    }
    CHECK(same);
    CHECK(*encodePng(image) == *png);
    const auto back = decodePng(*png, 10000);
    CHECK_OK(back);
    CHECK(hashHex(*back) == hashHex(image));
  }
}

TEST_CASE("a broken, a cut and a too large PNG are errors") {
  const Bytes png = encodePng(makeImage(false)).value();
  CHECK(decodePng(png, 37 * 11).ok());
  CHECK(decodePng(png, 37 * 11 - 1).error().code == ErrorCode::kLimit);
  for (std::size_t size = 0; size < png.size() - 12; size += 7) {
    const auto cut = decodePng(std::span(png).first(size), 10000);
    CHECK_FALSE(cut.ok());
  }
  CHECK(decodePng(asBytes("no image at all"), 10000).error().code == ErrorCode::kMalformed);
  CHECK_FALSE(decodePng({}, 10000).ok());
}

TEST_CASE("every byte of an image represents an amount of light and comes back from it") {
  for (int value = 0; value < 256; ++value) {
    const auto byte = static_cast<std::uint8_t>(value);
    CHECK(srgbFromLinear(linearFromSrgb(byte)) == byte);
  }
  CHECK(linearFromSrgb(0) == 0.0);
  CHECK(linearFromSrgb(255) == 1.0);
  CHECK(linearFromSrgb(188) == test::nearTo(0.5029, 1e-3));  // IEC 61966-2-1
  CHECK(srgbFromLinear(-1.0) == 0);
  CHECK(srgbFromLinear(7.0) == 255);
}
