// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/file.h"
#include "core/math.h"
#include "core/result.h"
#include "io/gltf/append_data.h"

namespace clipmill::io::gltf {

/// What TargetData collected.
struct TargetBytes {
  Bytes bytes;  ///< A whole multiple of four.
  std::vector<NewView> views;
  std::vector<std::string> accessors;
  bool has_integers = false;
};

/// Collects displacements of morph targets, as accessors: sparse where that is smaller.
class TargetData {
 public:
  /// New views and accessors are counted from these.
  TargetData(std::size_t first_view, std::size_t first_accessor)
      : next_view_(first_view), next_accessor_(first_accessor) {}

  /// One accessor of `deltas`; bounds as positions need them. Integers in parts of `scale` where it
  /// is above 0 and takes them all. Error: kUnsupported beyond 32-bit floats.
  Result<std::size_t> add(std::span<const Vec3> deltas, bool with_bounds, double scale);

  /// One accessor for all primitives of so many vertices; what no view holds is zero.
  std::size_t addZeros(std::size_t count, bool with_bounds);

  /// Each kind lies in a view of its own: those of vertices have a stride, the others must not.
  TargetBytes finish();

  // The vertices of one accessor that move, ascending: three numbers each, with the bits that
  // represent them.
  struct Components {
    bool is_integer = false;
    std::vector<std::uint32_t> vertices;
    std::vector<float> values;
    std::vector<std::uint32_t> bits;

    std::size_t bytes() const;
  };

 private:
  struct View {
    std::optional<std::size_t> index;  // in the document, from when something lies in it
    Bytes bytes;                       // a whole multiple of four
  };

  // The members for the offset in the view of the next data.
  std::string locationIn(View& view);
  std::string dense(const Components& components, std::size_t count);
  std::string sparse(const Components& components, std::size_t index_bytes);
  // The members for the indices of these vertices, which one accessor after another may have.
  std::string indicesOf(const std::vector<std::uint32_t>& vertices, std::size_t index_bytes);
  std::size_t addAccessor(std::size_t count, bool is_integer, const std::string& members);

  std::size_t next_view_, next_accessor_;
  View dense_, dense_integers_, sparse_;
  std::vector<std::string> accessors_;
  std::map<std::pair<std::size_t, bool>, std::size_t> zeros_;
  struct Indices {
    std::vector<std::uint32_t> vertices;
    std::size_t bytes = 0;  // of each
    std::string members;
  };
  Indices indices_;  // that were written last
  bool has_integers_ = false;
};

}  // namespace clipmill::io::gltf
