// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string_view>

#include "core/file.h"
#include "core/result.h"
#include "io/gltf/byte_blocks.h"
#include "io/gltf/document.h"

namespace clipmill::io::gltf {

/// The next multiple of 4, where chunks of a GLB and accessors may start.
constexpr std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

/// A GLB of the given chunks, each padded to 4 bytes (JSON with spaces, others with zeros). `bin`
/// is left out where it is null, and continues with `bin_end`. Error: kLimit above 4 GiB, the
/// largest size in the format.
Result<Bytes> assembleGlb(std::string_view json_text, const Bytes* bin,
                          std::span<const ExtraChunk> extra_chunks, ByteBlocks bin_end = {});

}  // namespace clipmill::io::gltf
