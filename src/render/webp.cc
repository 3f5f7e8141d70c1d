// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/webp.h"

#include <string>

#include <webp/encode.h>
#include <webp/mux.h>

namespace clipmill::render {
namespace {

// Frames between two key frames. A key frame holds the whole canvas; the others hold the rectangle
// that changes.
constexpr int kMinKeyInterval = 17, kMaxKeyInterval = 30;

// From this quality on all frames are key frames: between them, libwebp keeps pixels of earlier
// frames where the difference is small, which leaves faint marks.
constexpr double kKeyFramesOnly = 80.0;

struct ImportedFrame {
  WebPPicture pixels;
  ~ImportedFrame() { WebPPictureFree(&pixels); }
};

}  // namespace

struct WebpWriter::Encoder {
  WebPConfig config{};
  WebPAnimEncoder* animation = nullptr;
  int width = 0, height = 0;

  Encoder() = default;
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;
  ~Encoder() { WebPAnimEncoderDelete(animation); }

  Error error(const std::string& what) const {
    const char* reason = animation ? WebPAnimEncoderGetError(animation) : "out of memory";
    return {ErrorCode::kInternal, "", what + ": " + reason, ""};
  }
};

WebpWriter::WebpWriter(std::unique_ptr<Encoder> encoder) : encoder_(std::move(encoder)) {}
WebpWriter::WebpWriter(WebpWriter&&) noexcept = default;
WebpWriter& WebpWriter::operator=(WebpWriter&&) noexcept = default;
WebpWriter::~WebpWriter() = default;

Result<WebpWriter> WebpWriter::make(int width, int height, double quality) {
  if (width < 1 || height < 1 || width > WEBP_MAX_DIMENSION || height > WEBP_MAX_DIMENSION ||
      !(quality >= 0.0 && quality <= 100.0)) {
    return Error{ErrorCode::kUsage, "",
                 "a WebP has sides of 1 to 16383 pixels and a quality of 0 to 100",
                 "choose a smaller size"};
  }
  auto encoder = std::make_unique<Encoder>();
  encoder->width = width;
  encoder->height = height;
  WebPAnimEncoderOptions options;
  // Of the presets, the one that makes the smallest files of what movies show.
  if (!WebPConfigPreset(&encoder->config, WEBP_PRESET_PICTURE, static_cast<float>(quality)) ||
      !WebPAnimEncoderOptionsInit(&options)) {
    return encoder->error("libwebp has another version than its headers");
  }
  options.anim_params.loop_count = 0;
  options.kmin = kMinKeyInterval;
  options.kmax = quality >= kKeyFramesOnly ? 1 : kMaxKeyInterval;
  encoder->animation = WebPAnimEncoderNew(width, height, &options);
  if (!encoder->animation) return encoder->error("a WebP animation could not be started");
  return WebpWriter(std::move(encoder));
}

Status WebpWriter::add(const Image& frame, int start_ms) {
  if (frame.width != encoder_->width || frame.height != encoder_->height) {
    return Error{ErrorCode::kUsage, "", "a frame has another size than the animation", ""};
  }
  ImportedFrame imported;
  if (!WebPPictureInit(&imported.pixels)) return encoder_->error("a frame could not be packed");
  imported.pixels.use_argb = 1;
  imported.pixels.width = frame.width;
  imported.pixels.height = frame.height;
  if (!WebPPictureImportRGBA(&imported.pixels, frame.rgba.data(), 4 * frame.width) ||
      !WebPAnimEncoderAdd(encoder_->animation, &imported.pixels, start_ms, &encoder_->config)) {
    return encoder_->error("a frame could not be packed");
  }
  return {};
}

Result<Bytes> WebpWriter::finish(int end_ms) {
  WebPData data;
  WebPDataInit(&data);
  const bool assembled = WebPAnimEncoderAdd(encoder_->animation, nullptr, end_ms, nullptr) &&
                         WebPAnimEncoderAssemble(encoder_->animation, &data);
  if (!assembled) return encoder_->error("a WebP animation could not be assembled");
  const auto* first = reinterpret_cast<const std::byte*>(data.bytes);
  Bytes bytes(first, first + data.size);
  WebPDataClear(&data);
  return bytes;
}

}  // namespace clipmill::render
