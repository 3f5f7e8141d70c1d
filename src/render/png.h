// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/file.h"
#include "core/result.h"
#include "render/image.h"

namespace clipmill::render {

/// `image` as a PNG of 8 bits a channel, RGB where all of it is opaque, else RGBA; no time, no
/// text. The same image gives the same bytes with the same versions of libpng and zlib; another
/// version may pack the same pixels otherwise. Errors: kInternal, kLimit.
Result<Bytes> encodePng(const Image& image);

/// The image in a PNG of any kind, as 8-bit sRGB. Errors: kMalformed; kLimit for more than
/// `max_pixels`.
Result<Image> decodePng(std::span<const std::byte> bytes, std::uint64_t max_pixels);

}  // namespace clipmill::render
