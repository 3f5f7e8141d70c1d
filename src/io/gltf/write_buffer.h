// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/file.h"
#include "core/result.h"

/// The binary half of a glTF file that is being written.
namespace clipmill::io::gltf::glb_writer {

/// The numbers by which glTF 2.0 (3.6.2.2) names component types.
enum class Component : int { kU8 = 5121, kU16 = 5123, kU32 = 5125, kF32 = 5126 };

/// Of one number.
int bytesOf(Component component);

/// What a buffer view is for (glTF 2.0, 5.11.5); kData is neither vertices nor indices.
enum class ViewTarget : int { kData = 0, kVertices = 34962, kIndices = 34963 };

struct BufferView {
  std::size_t offset = 0;
  std::size_t length = 0;
  ViewTarget target = ViewTarget::kData;
};

struct Accessor {
  int view = 0;            ///< -1: all elements are 0 (glTF 2.0, 3.6.2.1).
  std::size_t offset = 0;  ///< In bytes, from the start of the view.
  Component component = Component::kF32;
  int width = 1;  ///< Numbers an element: 1, 2, 3, 4, or 16 for a 4x4 matrix.
  std::size_t count = 0;
  std::vector<double> min,
      max;  ///< One a component, as stored; empty where they are not asked for.
  /// Of a sparse accessor (glTF 2.0, 3.6.2.3): elements that are not 0, in `view` from `offset` on
  /// as indices and from `values_offset` on as values. 0 for one that has all elements.
  std::size_t sparse_count = 0, values_offset = 0;
  Component indices = Component::kU16;
};

enum class Bounds { kNone, kMinMax };

/// Collects numbers into one little-endian buffer with views and accessors. Every view and every
/// accessor starts on a multiple of four bytes.
class BufferBuilder {
 public:
  /// Accessors added from now on lie in a new view. Returns its index.
  int startView(ViewTarget target);

  /// Adds `values` as 32-bit floats, `width` of them an element. Returns the accessor's index.
  int addFloats(std::span<const double> values, int width, Bounds bounds);
  /// The same in a view of its own (ViewTarget::kVertices), or as a sparse accessor where that is
  /// smaller: only elements that are not 0 are stored, and no view where all are 0. Starts views.
  int addFewFloats(std::span<const double> values, int width, Bounds bounds);
  /// Adds `values`, each of which fits `component`. Returns the accessor's index.
  int addIntegers(std::span<const std::uint32_t> values, int width, Component component);
  /// Adds the bytes as a view of their own, as for images. Returns the view's index.
  int addBytes(std::span<const std::byte> bytes);

  /// False once a value was no number or too large for 32 bits.
  bool allFinite() const { return all_finite_; }
  const std::vector<BufferView>& views() const { return views_; }
  const std::vector<Accessor>& accessors() const { return accessors_; }
  const Bytes& bytes() const { return bytes_; }

 private:
  int addZeros(std::size_t count, int width, Bounds bounds);
  Accessor& startAccessor(Component component, int width, std::size_t count);
  int endAccessor();
  void append(std::uint32_t bits, int byte_count);
  void pad();

  Bytes bytes_;
  std::vector<BufferView> views_;
  std::vector<Accessor> accessors_;
  bool all_finite_ = true;
};

}  // namespace clipmill::io::gltf::glb_writer
