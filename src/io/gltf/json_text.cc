// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/json_text.h"

#include <algorithm>
#include <cassert>

#include <nlohmann/json.hpp>

#include "core/text.h"

namespace clipmill::io::gltf::json_text {
namespace {

constexpr std::size_t kMaxIndent = 200;

std::size_t skipSpace(std::string_view text, std::size_t at) {
  while (at < text.size() &&
         (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r')) {
    ++at;
  }
  return at;
}

// `at` is at the opening quote; returns behind the closing one.
std::size_t skipString(std::string_view text, std::size_t at) {
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at + 1, text.size());
}

// Returns behind the value that starts at `at`.
std::size_t skipValue(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '"') {
      at = skipString(text, at);
      if (depth == 0) return at;
    } else if (c == '{' || c == '[') {
      ++depth;
      ++at;
    } else if (c == '}' || c == ']') {
      if (depth == 0) return at;  // the end of what encloses a bare number or word
      ++at;
      if (--depth == 0) return at;
    } else if (depth == 0 && (c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
      return at;
    } else {
      ++at;
    }
  }
  return at;
}

std::string unescaped(std::string_view quoted_text) {
  if (quoted_text.find('\\') == std::string_view::npos) {
    return std::string(quoted_text.substr(1, quoted_text.size() - 2));
  }
  return nlohmann::json::parse(quoted_text).get<std::string>();
}

// Behind the comma or at the closing bracket that follows a value.
std::size_t skipComma(std::string_view text, std::size_t at) {
  at = skipSpace(text, at);
  if (at < text.size() && text[at] == ',') at = skipSpace(text, at + 1);
  return at;
}

}  // namespace

Span rootOf(std::string_view text) {
  const std::size_t start = skipSpace(text, text.starts_with("\xEF\xBB\xBF") ? 3 : 0);
  return {start, skipValue(text, start)};
}

std::vector<Member> membersOf(std::string_view text, Span object) {
  assert(text[object.start] == '{');
  std::vector<Member> members;
  std::size_t at = skipSpace(text, object.start + 1);
  while (at < object.end && text[at] == '"') {
    Member member;
    member.key_span = {at, skipString(text, at)};
    member.key = unescaped(text.substr(at, member.key_span.end - at));
    at = skipSpace(text, member.key_span.end);
    at = skipSpace(text, at + 1);  // the colon
    member.value = {at, skipValue(text, at)};
    at = skipComma(text, member.value.end);
    members.push_back(std::move(member));
  }
  return members;
}

std::vector<Span> elementsOf(std::string_view text, Span array) {
  assert(text[array.start] == '[');
  std::vector<Span> elements;
  std::size_t at = skipSpace(text, array.start + 1);
  while (at < array.end && text[at] != ']') {
    elements.push_back({at, skipValue(text, at)});
    at = skipComma(text, elements.back().end);
  }
  return elements;
}

std::optional<Span> findMember(std::span<const Member> members, std::string_view key) {
  for (std::size_t i = members.size(); i-- > 0;) {
    if (members[i].key == key) return members[i].value;
  }
  return std::nullopt;
}

void Edits::replace(Span span, std::string replacement) {
  edits_.push_back({span, std::move(replacement)});
}

void Edits::changeObject(Span object, std::span<const Change> changes) {
  const std::vector<Member> members = membersOf(text_, object);
  std::vector<bool> removed(members.size(), false);
  std::string added;
  for (const auto& [key, value] : changes) {
    bool found = false;
    for (std::size_t i = members.size(); i-- > 0 && !(found && value);) {
      if (members[i].key != key) continue;
      found = true;
      if (value) {
        replace(members[i].value, *value);
      } else {
        removed[i] = true;
      }
    }
    if (!found && value) added += "," + jsonString(key) + ":" + *value;
  }
  // A removed member takes the comma on the side of its neighbour with it.
  std::size_t first_of_tail = members.size();  // from here on all are removed
  while (first_of_tail > 0 && removed[first_of_tail - 1]) --first_of_tail;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!removed[i]) {
      ++kept;
      continue;
    }
    const bool takes_comma_before = i >= first_of_tail && kept > 0;
    const std::size_t start =
        takes_comma_before ? members[i - 1].value.end : members[i].key_span.start;
    const std::size_t end = i + 1 < members.size() && !takes_comma_before
                                ? members[i + 1].key_span.start
                                : members[i].value.end;
    replace({start, end}, "");
  }
  if (added.empty()) return;
  const std::size_t at = members.empty() ? object.start + 1 : members.back().value.end;
  replace({at, at}, kept == 0 ? added.substr(1) : added);
}

void Edits::appendElements(Span array, std::span<const std::string> elements) {
  if (elements.empty()) return;
  const std::vector<Span> present = elementsOf(text_, array);
  std::string space;
  if (!present.empty()) {
    const std::size_t before =
        present.size() > 1 ? text_.find(',', present[present.size() - 2].end) + 1 : array.start + 1;
    // Repeated for every element: no more than an indentation.
    const std::size_t length = present.back().start - before;
    if (length <= kMaxIndent) space = text_.substr(before, length);
  }
  std::string added;
  std::size_t length = 0;
  for (const std::string& element : elements) length += 1 + space.size() + element.size();
  added.reserve(length);
  for (const std::string& element : elements) {
    if (!added.empty() || !present.empty()) added += ",";
    added += space + element;
  }
  const std::size_t at = present.empty() ? array.start + 1 : present.back().end;
  replace({at, at}, std::move(added));
}

std::string Edits::apply() const {
  std::vector<const Edit*> ordered;
  for (const Edit& edit : edits_) ordered.push_back(&edit);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Edit* a, const Edit* b) { return a->span.start < b->span.start; });
  std::string result;
  std::size_t length = text_.size();
  for (const Edit& edit : edits_) length += edit.replacement.size();
  result.reserve(length);
  std::size_t done = 0;
  for (const Edit* edit : ordered) {
    assert(edit->span.start >= done);
    result.append(text_.substr(done, edit->span.start - done));
    result.append(edit->replacement);
    done = edit->span.end;
  }
  result.append(text_.substr(done));
  return result;
}

std::string arrayText(std::span<const std::string> elements) {
  std::string text;
  for (const std::string& element : elements) text += (text.empty() ? "" : ",") + element;
  return "[" + text + "]";
}

}  // namespace clipmill::io::gltf::json_text
