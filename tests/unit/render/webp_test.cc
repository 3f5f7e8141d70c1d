// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/webp.h"

#include <cstdlib>

#include "checks.h"
#include "render/decoded_webp.h"

TEST_SUITE_BEGIN("render.webp");

using namespace clipmill;
using namespace clipmill::render;
using clipmill::render::Image;
using namespace clipmill::test;

namespace {

Image plain(int width, int height, int red, int green, int blue) {
  Image image{width, height, {}};
  for (int i = 0; i < width * height; ++i) {
    for (int value : {red, green, blue, 255}) {
      image.rgba.push_back(static_cast<std::uint8_t>(value));
    }
  }
  return image;
}

WebpWriter writer(int width, int height) {
  auto made = WebpWriter::make(width, height, 75.0);
  CHECK_OK(made);
  return std::move(made).value();
}

}  // namespace

TEST_CASE("WebpWriter: frames have the size, the times and nearly the colours that were added") {
  const int colors[3][3] = {{220, 40, 30}, {30, 190, 60}, {40, 60, 210}};
  WebpWriter made = writer(48, 32);
  const int starts_ms[] = {0, 33, 67};
  for (std::size_t i = 0; i < 3; ++i) {
    const Image frame = plain(48, 32, colors[i][0], colors[i][1], colors[i][2]);
    CHECK_OK(made.add(frame, starts_ms[i]));
  }
  const auto bytes = made.finish(100);
  CHECK_OK(bytes);
  const DecodedWebp decoded = decodeWebp(*bytes);
  CHECK(decoded.width == 48);
  CHECK(decoded.height == 32);
  CHECK(decoded.loops == 0);
  REQUIRE(decoded.frames.size() == 3);
  CHECK(decoded.ends_ms == std::vector<int>{33, 67, 100});
  for (std::size_t i = 0; i < 3; ++i) {
    int largest = 0;
    for (std::size_t p = 0; p < decoded.frames[i].size(); ++p) {
      const int wanted = p % 4 == 3 ? 255 : colors[i][p % 4];
      largest = std::max(largest, std::abs(decoded.frames[i][p] - wanted));
    }
    CHECK(largest <= 8);
  }
}

TEST_CASE("WebpWriter: a frame that equals the one before it only lasts longer") {
  WebpWriter made = writer(16, 16);
  CHECK_OK(made.add(plain(16, 16, 200, 0, 0), 0));
  CHECK_OK(made.add(plain(16, 16, 200, 0, 0), 40));
  CHECK_OK(made.add(plain(16, 16, 0, 0, 200), 80));
  const auto bytes = made.finish(120);
  CHECK_OK(bytes);
  CHECK(decodeWebp(*bytes).ends_ms == std::vector<int>{80, 120});
}

TEST_CASE("WebpWriter: sizes, qualities and frames out of range are refused") {
  for (const auto& [width, height, quality] :
       {std::tuple{0, 10, 75.0}, std::tuple{10, 0, 75.0}, std::tuple{16384, 10, 75.0},
        std::tuple{10, 16384, 75.0}, std::tuple{10, 10, -1.0}, std::tuple{10, 10, 101.0}}) {
    CHECK(WebpWriter::make(width, height, quality).error().code == ErrorCode::kUsage);
  }
  WebpWriter made = writer(16, 16);
  CHECK(made.add(plain(16, 8, 0, 0, 0), 0).error().code == ErrorCode::kUsage);
  CHECK_OK(made.add(plain(16, 16, 0, 0, 0), 10));
  CHECK(made.add(plain(16, 16, 90, 0, 0), 5).error().code == ErrorCode::kInternal);  // back in time
}
