// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Editing JSON as text, so that whatever is not changed stays as its author wrote it: order,
/// white space, number forms, unknown members. All functions take text that a JSON parser accepted.
namespace clipmill::io::gltf::json_text {

/// A range of the text, [start, end).
struct Span {
  std::size_t start = 0;
  std::size_t end = 0;
};

struct Member {
  std::string key;  ///< Unescaped.
  Span key_span;    ///< With its quotes.
  Span value;
};

/// The whole value in `text`, without the white space around it.
Span rootOf(std::string_view text);

/// Members of the object at `object`, in order.
std::vector<Member> membersOf(std::string_view text, Span object);

/// Elements of the array at `array`, in order.
std::vector<Span> elementsOf(std::string_view text, Span array);

/// The value of the last member called `key` (parsers let the last of several win), if there is
/// one.
std::optional<Span> findMember(std::span<const Member> members, std::string_view key);

/// Replacements in one text, applied together. They must not overlap.
class Edits {
 public:
  explicit Edits(std::string_view text) : text_(text) {}

  void replace(Span span, std::string replacement);

  /// Gives the object new values for some members: existing ones are replaced in place, new
  /// ones go to the end. nullopt removes a member. At most one call for an object.
  using Change = std::pair<std::string, std::optional<std::string>>;
  void changeObject(Span object, std::span<const Change> changes);

  /// Puts elements behind the last one, spaced as those already there. At most one call for an
  /// array.
  void appendElements(Span array, std::span<const std::string> elements);

  bool empty() const { return edits_.empty(); }
  std::string apply() const;

 private:
  struct Edit {
    Span span;
    std::string replacement;
  };

  std::string_view text_;
  std::vector<Edit> edits_;
};

/// "[a,b]" of the texts of its elements.
std::string arrayText(std::span<const std::string> elements);

}  // namespace clipmill::io::gltf::json_text
