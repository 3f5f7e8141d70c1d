// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Put before every file for WebAssembly: Debian's emscripten has libc++ 13, which lacks a few
// functions of C++20 that the sources call.
#pragma once

#if defined(__cplusplus) && defined(__EMSCRIPTEN__)
#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <ranges>
#include <utility>

namespace std {

#ifndef __cpp_lib_bit_cast
template <class To, class From>
  requires(sizeof(To) == sizeof(From))
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}
#endif

#ifndef __cpp_lib_ranges
namespace ranges {

template <class Range, class Test>
constexpr bool all_of(Range&& range, Test test) {
  for (auto&& element : range) {
    if (!std::invoke(test, element)) return false;
  }
  return true;
}
template <class Range, class Test>
constexpr bool any_of(Range&& range, Test test) {
  return !ranges::all_of(range, [&](auto&& element) { return !std::invoke(test, element); });
}
template <class Range, class Test>
constexpr bool none_of(Range&& range, Test test) {
  return !ranges::any_of(range, std::ref(test));
}
template <class Range, class Test>
constexpr auto find_if(Range&& range, Test test) {
  return std::find_if(ranges::begin(range), ranges::end(range), std::ref(test));
}
template <class Range, class Test>
constexpr auto count_if(Range&& range, Test test) {
  return std::count_if(ranges::begin(range), ranges::end(range), std::ref(test));
}
template <class Range, class Other>
constexpr bool equal(Range&& range, Other&& other) {
  return std::equal(ranges::begin(range), ranges::end(range), ranges::begin(other),
                    ranges::end(other));
}
template <class Range, class Value>
constexpr void replace(Range&& range, const Value& old_value, const Value& new_value) {
  std::replace(ranges::begin(range), ranges::end(range), old_value, new_value);
}
template <class Range, class Test, class Value>
constexpr void replace_if(Range&& range, Test test, const Value& value) {
  std::replace_if(ranges::begin(range), ranges::end(range), std::ref(test), value);
}
template <class Range>
constexpr void reverse(Range&& range) {
  std::reverse(ranges::begin(range), ranges::end(range));
}
template <class Range, class Output>
constexpr void move(Range&& range, Output output) {
  std::move(ranges::begin(range), ranges::end(range), output);
}
template <class Range, class Projection>
void stable_sort(Range&& range, ranges::less, Projection projection) {
  std::stable_sort(ranges::begin(range), ranges::end(range), [&](const auto& a, const auto& b) {
    return std::invoke(projection, a) < std::invoke(projection, b);
  });
}

}  // namespace ranges
#endif

}  // namespace std
#endif
