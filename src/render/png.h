// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/file.h"
#include "core/result.h"
#include "render/picture.h"

namespace clipmill::render {

/// `picture` as a PNG of 8 bits a channel, RGB where all of it is opaque, else RGBA; no time, no
/// text. The same picture gives the same bytes with the same versions of libpng and zlib; another
/// version may pack the same pixels otherwise. Errors: kInternal, kLimit.
Result<Bytes> encodePng(const Picture& picture);

/// The picture in a PNG of any kind, as 8-bit sRGB. Errors: kMalformed; kLimit for more than
/// `max_pixels`.
Result<Picture> decodePng(std::span<const std::byte> bytes, std::uint64_t max_pixels);

}  // namespace clipmill::render
