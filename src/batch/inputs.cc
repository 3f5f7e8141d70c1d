// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "batch/inputs.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "batch/canonical_paths.h"
#include "core/file.h"
#include "core/file_names.h"
#include "core/text.h"
#include "core/utf8_path.h"
#include "io/io.h"

namespace clipmill::batch {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxListBytes = std::uint64_t{64} << 20;

bool isPattern(std::string_view text) {
  return text.find_first_of("*?[") != std::string_view::npos;
}

// Formats that are only read and have motion as a rule.
constexpr std::array<std::string_view, 11> kMotions = {
    ".bvh", ".npz", ".npy", ".csv", ".dae", ".x", ".smd", ".md5mesh", ".b3d", ".ms3d", ".lws"};

bool isClipFile(const fs::path& path, InputKind kind) {
  if (io::outputFormatOf(path) != io::OutputFormat::kNone) return true;
  const std::string extension = smallLetters(path.extension().string());
  return kind == InputKind::kClips &&
         std::find(kMotions.begin(), kMotions.end(), extension) != kMotions.end();
}

// What is in a folder, by name; nothing where it cannot be read.
std::vector<fs::directory_entry> entriesOf(const fs::path& folder) {
  std::vector<fs::directory_entry> entries;
  std::error_code fault;
  for (fs::directory_iterator at(folder, fault), end; !fault && at != end; at.increment(fault)) {
    entries.push_back(*at);
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

// An entry knows, where a path would be looked up.
bool isFolder(const fs::directory_entry& entry) {
  std::error_code fault;
  return entry.is_directory(fault);
}

bool isLink(const fs::directory_entry& entry) {
  std::error_code fault;
  return entry.is_symlink(fault);
}

class Finder {
 public:
  Finder(bool recursive, InputKind kind) : recursive_(recursive), kind_(kind) {}

  Status add(const std::string& argument) {
    const std::size_t before = count_;
    if (isPattern(argument)) {
      addPattern(argument);
    } else if (std::error_code fault; fs::is_directory(argument, fault)) {
      addFolder(argument, argument);
    } else if (fs::is_regular_file(argument, fault)) {
      addFile(argument, fs::path(argument).filename());
    } else {
      return Error{ErrorCode::kNotFound, argument, "no such file or folder", ""};
    }
    if (count_ > before) return {};
    return Error{ErrorCode::kNotFound, argument, "has no animation file",
                 recursive_ ? "" : "use --recursive to search subfolders"};
  }

  std::vector<BatchInput> take() {
    std::sort(found_.begin(), found_.end(), [](const BatchInput& a, const BatchInput& b) {
      return std::pair(a.relative, a.path) < std::pair(b.relative, b.path);
    });
    return std::move(found_);
  }

 private:
  void addFile(const fs::path& path, const fs::path& relative) {
    ++count_;
    if (!seen_.insert(locations_.of(path)).second) return;
    found_.push_back({withSlashes(path), withSlashes(relative)});
  }

  void addFolder(const fs::path& folder, const fs::path& base) {
    for (const fs::directory_entry& entry : entriesOf(folder)) {
      if (isFolder(entry)) {
        // A link may lead back to a folder above.
        if (recursive_ && !isLink(entry)) addFolder(entry, base);
      } else if (isClipFile(entry, kind_)) {
        addFile(entry, entry.path().lexically_relative(base));
      }
    }
  }

  void addPattern(const fs::path& pattern) {
    fs::path base;
    std::vector<std::string> parts;
    for (const fs::path& part : pattern) {
      if (parts.empty() && !isPattern(part.string())) {
        base /= part;
      } else {
        parts.push_back(part.string());
      }
    }
    pattern_base_ = base;
    addMatches(base.empty() ? fs::path(".") : base, base, parts, 0);
  }

  // `folder` is searched, `named` is its path as the user wrote it.
  void addMatches(const fs::path& folder, const fs::path& named,
                  const std::vector<std::string>& parts, std::size_t at) {
    const bool is_last = at + 1 == parts.size();
    const bool is_recursive = parts[at] == "**";
    if (is_recursive && !is_last) addMatches(folder, named, parts, at + 1);
    for (const fs::directory_entry& entry : entriesOf(folder)) {
      const fs::path name = entry.path().filename();
      const bool matches = is_recursive || matchesGlob(parts[at], name.string());
      if (!matches) continue;
      if (isFolder(entry)) {
        if (isLink(entry)) continue;
        if (is_recursive) addMatches(entry, named / name, parts, at);
        if (!is_recursive && !is_last) addMatches(entry, named / name, parts, at + 1);
      } else if (is_last && isClipFile(entry, kind_)) {
        addFile(named / name, pattern_base_.empty()
                                  ? named / name
                                  : (named / name).lexically_relative(pattern_base_));
      }
    }
  }

  bool recursive_;
  InputKind kind_;
  std::size_t count_ = 0;
  fs::path pattern_base_;  // the folders of a pattern that hold no wildcard
  Locations locations_;
  std::set<fs::path> seen_;
  std::vector<BatchInput> found_;
};

Result<std::vector<std::string>> linesOf(const std::string& list) {
  CLIPMILL_TRY(const Bytes bytes, readFile(list, kMaxListBytes));
  std::vector<std::string> lines;
  std::string_view text = asText(bytes);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with('@')) {
      return Error{ErrorCode::kUsage, list, "a list cannot name another list", ""};
    }
    if (!line.empty()) lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

}  // namespace

Result<std::vector<BatchInput>> findInputs(std::span<const std::string> arguments, bool recursive,
                                           InputKind kind) {
  Finder finder(recursive, kind);
  for (const std::string& argument : arguments) {
    if (!argument.starts_with('@')) {
      CLIPMILL_CHECK(finder.add(argument));
      continue;
    }
    CLIPMILL_TRY(const std::vector<std::string> lines, linesOf(argument.substr(1)));
    for (const std::string& line : lines) CLIPMILL_CHECK(finder.add(line));
  }
  return finder.take();
}

}  // namespace clipmill::batch
