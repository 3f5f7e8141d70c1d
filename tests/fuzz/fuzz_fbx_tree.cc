// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Any bytes as an FBX file: they are refused with one line, or they are put together anew with the
// same bytes, take their own values, and take edits that read back.
#include <cstdint>
#include <string>

#include "fuzz_checks.h"
#include "io/fbx/rewritten.h"
#include "io/fbx/write_parts.h"

namespace {

using namespace clipmill;
using fuzz::require;
using fuzz::requireOneLine;
using namespace clipmill::io::fbx;

constexpr io::Limits kLimits{std::uint64_t{1} << 20, std::uint64_t{16} << 20, 64};
// What was written may need a little more than what was read.
constexpr io::Limits kWideLimits{std::uint64_t{8} << 20, std::uint64_t{64} << 20, 80};

void readValues(const Tree& tree) {
  for (std::uint32_t index = 0; index < tree.records.size(); ++index) {
    const Element element(tree, index);
    if (const auto numbers = element.numbers()) {
      require(numbers->size() == element.numberCount(), "numberCount() is wrong");
    } else {
      requireOneLine(numbers.error());
    }
    (void)element.integers().ok();
    for (std::size_t i = 0; i < element.values().size(); ++i) {
      (void)element.integer(i);
      (void)element.number(i);
      (void)element.text(i);
      (void)element.bytes(i);
    }
  }
}

NewElement extra(std::uint32_t seed) {
  NewElement element{"Extra",
                     {std::string(seed % 23, 'x'), std::int64_t{seed}, 0.5, Word{'T'}},
                     {{"In", {std::vector<std::int32_t>(seed % 50, 3)}, {}, false}},
                     false};
  if (seed % 3 == 0) element.children.clear();
  return element;
}

std::size_t sizeOf(const NewElement& element) { return 1 + element.children.size(); }

// Edits by the bits of a number, and how many elements the file has with them.
std::size_t makeEdits(const Tree& tree, std::uint32_t state, TreeEdits& edits) {
  std::size_t count = tree.records.size();
  std::uint32_t index = 0;
  while (index < tree.records.size()) {
    state = state * 1664525u + 1013904223u;
    const NewElement element = extra(state >> 16);
    const std::uint32_t subtree_end = tree.records[index].subtree_end;
    switch (state >> 28) {
      case 0:
        edits.removed.insert(index);
        count -= subtree_end - index;
        index = subtree_end;
        continue;
      case 1:
        edits.replaced[index] = element;
        count = count - (subtree_end - index) + sizeOf(element);
        index = subtree_end;
        continue;
      case 2:
      case 3:
        edits.appended[index] = {element, element};
        count += 2 * sizeOf(element);
        break;
      case 4:
        edits.values[index] = element.values;
        break;
      default:
        break;
    }
    ++index;
  }
  edits.appended_roots.push_back(extra(state));
  return count + sizeOf(edits.appended_roots.back());
}

// The file must read again, but that its version or what shows it to be FBX may have gone with an
// edit.
std::shared_ptr<const Tree> readAgain(const Result<Bytes>& bytes) {
  require(bytes.ok(), "a change is refused");
  if (!looksLikeFbx(*bytes)) return nullptr;
  const auto tree = parseTree(*bytes, kWideLimits);
  if (tree) return *tree;
  require(tree.error().code == ErrorCode::kUnsupported,
          "a changed file is not read again:", describe(tree.error()));
  return nullptr;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  const auto parsed = parseTree(Bytes(bytes, bytes + size), kLimits);
  if (!parsed) {
    requireOneLine(parsed.error());
    return 0;
  }
  const Tree& tree = **parsed;
  readValues(tree);
  const auto anew =
      tree.encoding == Encoding::kBinary ? writeBinaryTree(tree, {}) : writeTextTree(tree, {});
  require(anew.ok() && *anew == tree.source, "the bytes differ without an edit");

  if (const auto same = readAgain(writeTree(tree, test::rewritten(tree)))) {
    const std::string difference = test::differenceOf(tree, *same);
    require(difference.empty(), "rewritten, it differs in", difference);
  }
  std::uint32_t seed = 1;
  for (std::size_t i = 0; i < size; ++i) seed = seed * 31 + data[i];
  TreeEdits edits;
  const std::size_t count = makeEdits(tree, seed, edits);
  if (const auto changed = readAgain(writeTree(tree, edits)))
    require(changed->records.size() == count, "edits change more than they should");
  return 0;
}
