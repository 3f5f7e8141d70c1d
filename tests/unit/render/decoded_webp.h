// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <doctest/doctest.h>
#include <webp/demux.h>

namespace clipmill::test {

/// An animated WebP as libwebp's own decoder shows it.
struct DecodedWebp {
  int width = 0, height = 0, loops = -1;
  std::vector<int> ends_ms;                       ///< End of each frame.
  std::vector<std::vector<std::uint8_t>> frames;  ///< The whole canvas, RGBA, rows from the top.
};

/// Decodes a file; the test fails where it is no animated WebP.
inline DecodedWebp decodeWebp(std::span<const std::byte> bytes) {
  const WebPData data{reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
  WebPAnimDecoder* decoder = WebPAnimDecoderNew(&data, nullptr);
  REQUIRE(decoder != nullptr);
  WebPAnimInfo info;
  REQUIRE(WebPAnimDecoderGetInfo(decoder, &info) != 0);
  DecodedWebp decoded;
  decoded.width = static_cast<int>(info.canvas_width);
  decoded.height = static_cast<int>(info.canvas_height);
  decoded.loops = static_cast<int>(info.loop_count);
  const std::size_t size = std::size_t{4} * info.canvas_width * info.canvas_height;
  while (WebPAnimDecoderHasMoreFrames(decoder)) {
    std::uint8_t* pixels = nullptr;
    int end_ms = 0;
    REQUIRE(WebPAnimDecoderGetNext(decoder, &pixels, &end_ms) != 0);
    decoded.ends_ms.push_back(end_ms);
    decoded.frames.emplace_back(pixels, pixels + size);
  }
  WebPAnimDecoderDelete(decoder);
  CHECK(decoded.frames.size() == info.frame_count);
  return decoded;
}

}  // namespace clipmill::test
