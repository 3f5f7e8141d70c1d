// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace clipmill {

/// True where `text` matches `pattern`: * matches any run of characters, ? for one, [abc] and
/// [a-z] for one of a set. Case counts.
bool matchesGlob(std::string_view pattern, std::string_view text);

/// The candidate with the smallest edit distance to `word`, if it is within a typing error: two
/// letters or a third of them, and not all.
std::optional<std::string> nearestWord(std::string_view word,
                                       std::span<const std::string> candidates);

/// Shortest decimal text that reads back as the same double; "inf", "-inf", "nan" otherwise.
std::string numberText(double value);
/// Shortest decimal text that reads back as the same float.
std::string numberText(float value);

/// The value with that many digits behind the point, for people.
std::string fixedText(double value, int digits);

/// The number that all of `text` spells, in the C locale's form.
std::optional<double> parseNumber(std::string_view text);

/// The parts between separators; an empty text has one empty part.
/// They refer to `text`, which must outlive them.
std::vector<std::string_view> splitText(std::string_view text, char separator);
/// Not of a temporary: its parts would refer to a text that is gone.
template <class Text>
requires std::same_as<std::remove_const_t<Text>, std::string> std::vector<std::string_view>
splitText(Text&& text, char separator)
= delete;
std::string_view trimmed(std::string_view text);

/// `text` fit for one line of a terminal: control characters become '?', and of a text longer than
/// `max_bytes` the middle is left out. Names and paths come from files that are not trusted.
std::string printable(std::string_view text, std::size_t max_bytes = 400);

/// `text` as a JSON string, with its quotes; bytes that are no UTF-8 become U+FFFD.
std::string jsonString(std::string_view text);

/// "1 key", "2 keys".
std::string counted(std::size_t count, std::string_view singular);

}  // namespace clipmill
