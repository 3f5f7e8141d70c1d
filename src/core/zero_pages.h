// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>
#include <type_traits>

namespace clipmill {

/// For std::vector: numbers that start as zeros without being written. The system makes the pages
/// of a large array when they are first written, and so by the threads that fill it, not by the one
/// that asks for it.
template <class T>
struct ZeroPages {
  static_assert(std::is_arithmetic_v<T>, "zero bytes are the value 0 of numbers only");
  using value_type = T;

  ZeroPages() = default;
  template <class U>
  ZeroPages(const ZeroPages<U>&) {}

  T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T))
      throw std::bad_array_new_length();
    void* memory = std::calloc(count, sizeof(T));
    if (memory == nullptr && count > 0) throw std::bad_alloc();
    return static_cast<T*>(memory);
  }
  void deallocate(T* numbers, std::size_t) { std::free(numbers); }

  /// Memory is zero as it comes.
  void construct(T*) {}
  template <class... Values>
  void construct(T* location, Values&&... values) {
    ::new (static_cast<void*>(location)) T(static_cast<Values&&>(values)...);
  }

  friend bool operator==(const ZeroPages&, const ZeroPages&) { return true; }
};

}  // namespace clipmill
