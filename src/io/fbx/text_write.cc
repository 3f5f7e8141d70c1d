// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// A text file is changed by cutting pieces out of it and setting others in; the rest is not looked
// at.
#include <algorithm>
#include <string>
#include <vector>

#include "core/text.h"
#include "io/fbx/text_elements.h"
#include "io/fbx/write_parts.h"

namespace clipmill::io::fbx {
namespace {

// [start, end) of the source becomes `text`.
struct Splice {
  std::size_t start = 0, end = 0;
  std::uint32_t index = 0;  // Of the element it is about.
  std::string text;

  // At one offset: insertions before removals, and those of a child before those of its parent.
  bool operator<(const Splice& other) const {
    if (start != other.start) return start < other.start;
    if ((start == end) != (other.start == other.end)) return start == end;
    return index > other.index;
  }
};

class TextTreeWriter {
 public:
  TextTreeWriter(const Tree& tree, const TreeEdits& edits)
      : tree_(tree), edits_(edits), text_(asText(tree.source)), style_(styleOf(tree)) {
    if (const auto connections = tree.root("Connections")) {
      connections_start_ = connections->index();
      connections_end_ = tree.records[connections_start_].subtree_end;
    }
  }

  Bytes writeAll() {
    std::uint32_t index = 0;
    while (index < tree_.records.size()) {
      const Tree::Record& record = tree_.records[index];
      if (const auto other = edits_.replaced.find(index); other != edits_.replaced.end()) {
        replace(index, other->second);
      } else if (edits_.removed.contains(index)) {
        remove(index);
      } else {
        change(index);
      }
      index = isLeftOut(edits_, index) ? record.subtree_end : index + 1;
    }
    appendRoots();
    return spliced();
  }

 private:
  std::size_t lineStart(std::size_t position) const {
    if (position == 0) return 0;
    const std::size_t line_end = text_.rfind('\n', position - 1);
    return line_end == std::string_view::npos ? 0 : line_end + 1;
  }
  // Behind the line end; the end of the file where there is none.
  std::size_t lineEnd(std::size_t position) const {
    const std::size_t line_end = text_.find('\n', position);
    return line_end == std::string_view::npos ? text_.size() : line_end + 1;
  }
  std::string_view between(std::size_t start, std::size_t end) const {
    return text_.substr(start, end - start);
  }
  bool isBlank(std::size_t start, std::size_t end) const {
    return trimmed(between(start, end)).empty();
  }
  std::string indentAt(std::size_t position) const {
    const std::size_t start = lineStart(position);
    std::size_t end = start;
    while (end < position && (text_[end] == ' ' || text_[end] == '\t')) ++end;
    return std::string(between(start, end));
  }

  void replace(std::uint32_t index, const NewElement& element) {
    const Tree::Record& record = tree_.records[index];
    const std::string indent = indentAt(record.start);
    std::string text = elementText(element, indent, style_);
    // The first indentation and the last line end are already present.
    text.erase(0, indent.size());
    text.erase(text.size() - style_.line_end.size());
    splices_.push_back({record.start, record.end, index, text + gapBefore(record.end)});
  }

  // What keeps a new last value apart from a name right behind it.
  std::string gapBefore(std::size_t position) const {
    return tokenAt(text_, position).empty() ? "" : " ";
  }

  // Whole lines, where they have no other text.
  void remove(std::uint32_t index) {
    const Tree::Record& record = tree_.records[index];
    std::size_t start = lineStart(record.start);
    const std::size_t end = lineEnd(record.end);
    const std::string_view rest = trimmed(between(record.end, end));
    if (!isBlank(start, record.start) || !(rest.empty() || rest.starts_with(';'))) {
      splices_.push_back({record.start, record.end, index, ""});
      return;
    }
    if (index > connections_start_ && index < connections_end_) start = commentStart(index, start);
    splices_.push_back({start, end, index, ""});
  }

  // Where the comment in the line before `line` starts, with the empty line before it; or `line`.
  std::size_t commentStart(std::uint32_t index, std::size_t line) const {
    // The line before must not be the end of a string of several lines.
    const Tree::Record& before = tree_.records[index - 1];
    const std::size_t bound = before.subtree_end > index ? before.values_end : before.end;
    const std::size_t comment = line > 0 ? lineStart(line - 1) : line;
    if (comment < bound || !trimmed(between(comment, line)).starts_with(';')) return line;
    const std::size_t empty = lineStart(comment - 1);
    return empty >= bound && isBlank(empty, comment) ? empty : comment;
  }

  // New values and new children.
  void change(std::uint32_t index) {
    const Tree::Record& record = tree_.records[index];
    const std::string indent = indentAt(record.start);
    if (const auto values = edits_.values.find(index); values != edits_.values.end()) {
      splices_.push_back(
          {record.values_start, record.values_end, index,
           valuesText(values->second, indent, style_) + gapBefore(record.values_end)});
    }
    const auto more = edits_.appended.find(index);
    if (more == edits_.appended.end() || more->second.empty()) return;
    std::string children_indent = indent + style_.indent;
    if (index + 1 < record.subtree_end) {
      const std::size_t child = tree_.records[index + 1].start;
      if (isBlank(lineStart(child), child)) children_indent = indentAt(child);
    }
    std::string text;
    for (const NewElement& element : more->second)
      text += elementText(element, children_indent, style_);
    if (!record.has_block) {
      text = " {" + style_.line_end + text + indent + "}";
      splices_.push_back({record.end, record.end, index, std::move(text)});
      return;
    }
    const std::size_t brace = record.end - 1;
    const std::size_t line = lineStart(brace);
    // In the brace's own line, or else the brace gets one.
    if (isBlank(line, brace)) {
      splices_.push_back({line, line, index, std::move(text)});
    } else {
      splices_.push_back({brace, brace, index, style_.line_end + text + indent});
    }
  }

  void appendRoots() {
    if (edits_.appended_roots.empty()) return;
    const std::size_t at = lineEnd(tree_.records.empty() ? 0 : lastRootEnd());
    std::string text = at > 0 && text_[at - 1] != '\n' ? style_.line_end : "";
    for (const NewElement& root : edits_.appended_roots) text += elementText(root, "", style_);
    splices_.push_back({at, at, 0, std::move(text)});
  }

  std::size_t lastRootEnd() const {
    std::size_t end = 0;
    for (const Element root : tree_.roots()) end = tree_.records[root.index()].end;
    return end;
  }

  Bytes spliced() {
    std::stable_sort(splices_.begin(), splices_.end());
    Bytes result;
    result.reserve(text_.size());
    std::size_t position = 0;
    const auto append = [&](std::string_view text) {
      const auto bytes = asBytes(text);
      result.insert(result.end(), bytes.begin(), bytes.end());
    };
    for (const Splice& splice : splices_) {
      append(between(position, splice.start));
      append(splice.text);
      position = splice.end;
    }
    append(text_.substr(position));
    return result;
  }

  const Tree& tree_;
  const TreeEdits& edits_;
  std::string_view text_;
  TextStyle style_;
  std::uint32_t connections_start_ = 0, connections_end_ = 0;
  std::vector<Splice> splices_;
};

}  // namespace

Result<Bytes> writeTextTree(const Tree& tree, const TreeEdits& edits) {
  return TextTreeWriter(tree, edits).writeAll();
}

}  // namespace clipmill::io::fbx
