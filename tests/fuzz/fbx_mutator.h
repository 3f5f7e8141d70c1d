// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "io/fbx/rewritten.h"
#include "io/fbx/tree_write.h"

/// Changes an FBX file so that it stays a valid tree: odd values in place of plain ones,
/// arrays that are cut, extended or reordered, elements that are removed, doubled, renamed or moved
/// elsewhere, connections between other objects. Changes of bytes seldom get past the tree's
/// reader.
namespace clipmill::fuzz {

class FbxMutator {
 public:
  explicit FbxMutator(unsigned seed) : random_(seed) {}

  /// The changed file; the same bytes where they are no tree, or where a change cannot be written.
  Bytes mutated(const Bytes& bytes) {
    constexpr io::Limits kLimits{std::uint64_t{1} << 20, std::uint64_t{16} << 20, 64};
    const auto tree = io::fbx::parseTree(bytes, kLimits);
    if (!tree || (*tree)->records.empty()) return bytes;
    io::fbx::TreeEdits edits;
    const std::size_t count = 1 + below(3);
    for (std::size_t i = 0; i < count; ++i) addEdit(**tree, edits);
    auto written = io::fbx::writeTree(**tree, edits);
    return written ? std::move(*written) : bytes;
  }

 private:
  using Values = std::vector<io::fbx::NewValue>;

  std::size_t below(std::size_t count) { return random_() % count; }
  std::uint32_t anyOf(const io::fbx::Tree& tree) {
    return static_cast<std::uint32_t>(below(tree.records.size()));
  }

  double oddNumber() {
    constexpr double kOdd[] = {0.0,
                               -0.0,
                               1.0,
                               -1.0,
                               0.5,
                               2.0,
                               180.0,
                               -90.0,
                               360.0,
                               1e-30,
                               1e30,
                               -1e300,
                               1e-310,
                               1e15,
                               -1e9,
                               7.0,
                               4294967295.0,
                               std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity()};
    return kOdd[below(std::size(kOdd))];
  }

  std::int64_t oddInteger() {
    constexpr std::int64_t kOdd[] = {0,
                                     1,
                                     -1,
                                     2,
                                     3,
                                     6,
                                     7,
                                     100,
                                     255,
                                     256,
                                     -2147483648,
                                     2147483647,
                                     46186158000,
                                     std::numeric_limits<std::int64_t>::max(),
                                     std::numeric_limits<std::int64_t>::min()};
    return kOdd[below(std::size(kOdd))];
  }

  template <class T>
  void changeArray(std::vector<T>& numbers) {
    const std::size_t kind = below(6);
    if (kind == 0) numbers.resize(numbers.size() / 2);
    if (kind == 1) numbers.insert(numbers.end(), numbers.begin(), numbers.end());
    if (kind == 2) numbers.push_back(static_cast<T>(below(9)));
    if (numbers.empty()) return;
    if (kind == 3) std::swap(numbers[below(numbers.size())], numbers[below(numbers.size())]);
    if (kind < 4) return;
    T& number = numbers[below(numbers.size())];
    if constexpr (std::is_integral_v<T>) {
      number = static_cast<T>(oddInteger());
    } else {
      number = static_cast<T>(oddNumber());
    }
  }

  void changeValue(io::fbx::NewValue& value) {
    std::visit(
        [&](auto& v) {
          using T = std::decay_t<decltype(v)>;
          if constexpr (std::is_same_v<T, bool>) {
            v = !v;
          } else if constexpr (std::is_integral_v<T>) {
            v = static_cast<T>(below(2) == 0 ? static_cast<std::uint64_t>(oddInteger())
                                             : static_cast<std::uint64_t>(v) + 1);
          } else if constexpr (std::is_floating_point_v<T>) {
            v = static_cast<T>(below(2) == 0 ? oddNumber() : v * 1.5 + 0.1);
          } else if constexpr (std::is_same_v<T, std::string>) {
            v = below(2) == 0 ? std::string() : v + "x";
          } else if constexpr (std::is_same_v<T, io::fbx::RawData>) {
            v.bytes.resize(v.bytes.size() / 2);
          } else if constexpr (std::is_same_v<T, io::fbx::Word>) {
            v.letter = v.letter == 'T' ? 'Y' : 'T';
          } else {
            changeArray(v);
          }
        },
        value);
  }

  Values valuesOf(const io::fbx::Element& element) {
    Values values;
    for (std::size_t i = 0; i < element.values().size(); ++i) {
      if (auto value = test::newValueOf(element, i)) values.push_back(std::move(*value));
    }
    return values;
  }

  // With all within; small subtrees only.
  io::fbx::NewElement copyOf(const io::fbx::Element& element, int depth = 0) {
    const auto& record = element.tree().records[element.index()];
    io::fbx::NewElement copy{std::string(element.name()), valuesOf(element), {}, record.has_block};
    constexpr int kDepth = 4;
    if (depth == kDepth || record.subtree_end - element.index() > 200) return copy;
    for (const io::fbx::Element child : element.children()) {
      copy.children.push_back(copyOf(child, depth + 1));
    }
    return copy;
  }

  void addEdit(const io::fbx::Tree& tree, io::fbx::TreeEdits& edits) {
    const std::uint32_t at = anyOf(tree);
    const io::fbx::Element element(tree, at);
    const io::fbx::Element other(tree, anyOf(tree));
    // An element has one kind of change only.
    if (edits.removed.contains(at) || edits.values.contains(at) || edits.replaced.contains(at) ||
        edits.appended.contains(at)) {
      return;
    }
    const std::size_t kind = below(10);
    if (kind == 0) {
      edits.removed.insert(at);
    } else if (kind == 1) {
      edits.appended[at] = {copyOf(other)};
    } else if (kind == 2) {
      edits.replaced.emplace(at, copyOf(other));
    } else if (kind == 3) {
      io::fbx::NewElement renamed = copyOf(element);
      renamed.name = std::string(other.name());
      edits.replaced.emplace(at, std::move(renamed));
    } else if (kind == 4 && element.name() == other.name()) {
      edits.values[at] = valuesOf(other);
    } else {
      Values values = valuesOf(element);
      if (values.empty() || values.size() != element.values().size()) return;
      changeValue(values[below(values.size())]);
      edits.values[at] = std::move(values);
    }
  }

  std::minstd_rand random_;
};

}  // namespace clipmill::fuzz
