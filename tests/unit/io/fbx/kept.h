// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string_view>

#include "checks.h"
#include "io/fbx/document.h"

/// Whether a patched file still has everything of the one it was made of.
namespace clipmill::test {

/// Names of elements that may have more children than before, and of those that may differ.
struct MayChange {
  std::set<std::string_view> grow = {"Objects", "Connections", "Definitions"};
  std::set<std::string_view> differ = {"Count"};
};

inline std::string_view valueBytes(const io::fbx::Element& element) {
  const io::fbx::Tree::Record& record = element.tree().records[element.index()];
  const auto* source = reinterpret_cast<const char*>(element.tree().source.data());
  return {source + record.values_start, record.values_end - record.values_start};
}

/// Everything of `a` is in `b`, byte for byte and in its order, but for what may change.
inline void checkKept(const io::fbx::Element& a, const io::fbx::Element& b, const MayChange& may) {
  CHECK(a.name() == b.name());
  if (may.differ.contains(a.name())) return;
  CHECK(valueBytes(a) == valueBytes(b));
  auto in_b = b.children().begin();
  for (const io::fbx::Element child : a.children()) {
    REQUIRE(in_b != b.children().end());
    checkKept(child, *in_b, may);
    ++in_b;
  }
  if (!may.grow.contains(a.name())) CHECK_FALSE(in_b != b.children().end());
}

inline void checkKept(const io::fbx::Document& a, const io::fbx::Document& b,
                      const MayChange& may = {}) {
  auto in_b = b.tree->roots().begin();
  for (const io::fbx::Element root : a.tree->roots()) {
    checkKept(root, *in_b, may);
    ++in_b;
  }
  CHECK_FALSE(in_b != b.tree->roots().end());
}

}  // namespace clipmill::test
