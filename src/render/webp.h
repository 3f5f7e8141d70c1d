// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/file.h"
#include "core/result.h"
#include "render/image.h"

namespace clipmill::render {

/// Writes an animated WebP frame by frame; the file plays in an endless loop. The same frames give
/// the same bytes with the same version of libwebp.
class WebpWriter {
 public:
  /// A writer of frames of this size [px], each side 1..16383. `quality` is that of lossy WebP,
  /// 0..100; from 80 on every frame is coded on its own. Errors: kUsage for values out of range;
  /// kInternal.
  static Result<WebpWriter> make(int width, int height, double quality);

  /// Adds a frame that is visible from `start_ms` on. Times increase from 0. Errors: kUsage for a
  /// frame of another size; kInternal.
  Status add(const Image& frame, int start_ms);

  /// The whole file; its last frame ends at `end_ms`. No frame can be added later. A single frame
  /// gives a still WebP. Error: kInternal.
  Result<Bytes> finish(int end_ms);

  WebpWriter(WebpWriter&&) noexcept;
  WebpWriter& operator=(WebpWriter&&) noexcept;
  ~WebpWriter();

 private:
  struct Encoder;
  explicit WebpWriter(std::unique_ptr<Encoder> encoder);
  std::unique_ptr<Encoder> encoder_;
};

}  // namespace clipmill::render
