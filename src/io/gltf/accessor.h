// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/limits.h"
#include "core/result.h"
#include "io/gltf/document.h"

namespace clipmill::io::gltf {

/// An accessor's elements as doubles: normalised integers scaled to [-1, 1] or [0, 1], others as
/// they are. `values` holds count x width numbers, matrices column by column.
struct Accessor {
  std::size_t count = 0;
  int width = 1;
  int component_type = 0;  ///< 5120 (byte) .. 5126 (float)
  bool normalized = false;
  std::vector<double> values;
};

inline constexpr int kFloatComponent = 5126;

/// Decodes accessors of one document: stride, sparse, normalised, and views compressed with
/// EXT_meshopt_compression. Every number that comes out is finite.
class AccessorReader {
 public:
  AccessorReader(const Document& document, const io::Limits& limits);

  /// How many accessors the document has.
  std::size_t count() const;
  /// Counts memory that a few bytes of the file decode to against the limit that all decoded arrays
  /// share. Error: kLimit.
  Status charge(double bytes);
  /// Errors: kMalformed, kUnsupported (compression this build does not know), kLimit.
  Result<Accessor> read(int accessor);
  /// The same, and an error unless the accessor has that width.
  Result<Accessor> read(int accessor, int width);
  /// The bytes of a bufferView that exists, decompressed where it is compressed; they live as long
  /// as the reader. Errors as above.
  Result<std::span<const std::byte>> viewBytes(int view);

  /// How many bytes of its bufferView an accessor that has one spans, from its first element to
  /// the end of its last. Errors: kMalformed.
  Result<std::size_t> bytesInView(int accessor) const;

 private:
  struct Layout {
    std::size_t count = 0;
    int width = 1;
    int component_type = 0;
    std::size_t component_bytes = 4;
    std::size_t rows = 1, columns = 1;  // a matrix starts each column on 4 bytes
    bool normalized = false;

    std::size_t columnBytes() const {
      const std::size_t bytes = rows * component_bytes;
      return columns > 1 ? (bytes + 3) / 4 * 4 : bytes;
    }
    std::size_t elementBytes() const {
      return columnBytes() * (columns - 1) + rows * component_bytes;
    }
  };

  Result<Layout> layoutOf(int accessor) const;
  Status readSparse(const Layout& layout, int accessor, std::vector<double>& values);
  Status readView(int view, std::size_t offset, std::size_t count, const Layout& layout,
                  const std::string& location, std::vector<double>& values);
  Result<std::span<const std::byte>> decompress(int view, const nlohmann::json& compression);

  const Document& document_;
  const io::Limits& limits_;
  double decoded_bytes_ = 0.0;
  std::map<int, Bytes> decompressed_;  // by view
};

}  // namespace clipmill::io::gltf
