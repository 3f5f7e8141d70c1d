// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Element trees of all FBX files under a folder: CLIPMILL_CORPUS, or the one argument.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "io/fbx/rewritten.h"
#include "io/fbx/write_parts.h"

namespace {

using namespace clipmill;
using namespace clipmill::io::fbx;

namespace fs = std::filesystem;

constexpr io::Limits kLimits{};

std::vector<fs::path> fbxFiles(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".fbx") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

// What an edit leaves is read again; then `undo` of it must give the bytes of the first file.
std::string faultOfMoving(const Tree& tree) {
  TreeEdits edits;
  edits.appended[0].push_back({"Extra", {std::string("seven b")}, {}, false});
  const auto longer = writeTree(tree, edits);
  if (!longer) return describe(longer.error());
  const auto moved = parseTree(*longer, kLimits);
  if (!moved) return "not read again: " + describe(moved.error());
  TreeEdits undo;
  undo.removed.insert(Element(**moved, 0).child("Extra")->index());
  const auto bytes = writeTree(**moved, undo);
  return bytes && *bytes == tree.source ? "" : "an edit that is undone leaves a trace";
}

std::string faultOfRewriting(const Tree& tree) {
  const auto bytes = writeTree(tree, test::rewritten(tree));
  if (!bytes) return describe(bytes.error());
  const auto again = parseTree(*bytes, kLimits);
  if (!again) return "not read again: " + describe(again.error());
  const std::string difference = test::differenceOf(tree, **again);
  return difference.empty() ? "" : "rewritten, it differs in " + difference;
}

// Empty where all is well, or where the file may be refused and is.
std::string faultOf(const fs::path& path, bool may_be_refused) {
  auto bytes = readFile(path, kLimits.max_file_bytes);
  if (!bytes) return describe(bytes.error());
  const auto parsed = parseTree(std::move(*bytes), kLimits);
  if (!parsed) return may_be_refused ? "" : describe(parsed.error());
  const Tree& tree = **parsed;
  const auto anew =
      tree.encoding == Encoding::kBinary ? writeBinaryTree(tree, {}) : writeTextTree(tree, {});
  if (!anew || *anew != tree.source) return "put together anew, its bytes differ";
  if (const std::string fault = faultOfRewriting(tree); !fault.empty()) return fault;
  return faultOfMoving(tree);
}

}  // namespace

int main(int argc, char** argv) {
  const char* named = std::getenv("CLIPMILL_CORPUS");
  const fs::path corpus = named ? named : argc > 1 ? argv[1] : "";
  if (!fs::is_regular_file(corpus / "INDEX.tsv")) {
    std::puts("skipped: no corpus (set CLIPMILL_CORPUS to a folder of test files)");
    return 77;
  }
  const auto sound = fbxFiles(corpus / "fbx"), malformed = fbxFiles(corpus / "malformed");
  int faults = 0;
  const auto check = [&](const std::vector<fs::path>& files, bool may_be_refused) {
    for (const fs::path& path : files) {
      const std::string fault = faultOf(path, may_be_refused);
      if (fault.empty()) continue;
      std::printf("%s: %s\n", path.filename().c_str(), fault.c_str());
      ++faults;
    }
  };
  check(sound, false);
  check(malformed, true);
  std::printf("%zu files and %zu malformed ones, %d faults\n", sound.size(), malformed.size(),
              faults);
  return faults > 0 || sound.empty() ? 1 : 0;
}
