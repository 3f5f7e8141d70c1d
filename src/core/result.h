// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace clipmill {

/// The kind of an Error. The command line maps each to one exit code.
enum class ErrorCode {
  kUsage,        ///< The command line has an unknown or inconsistent argument.
  kRecipe,       ///< A recipe or a setting is wrong.
  kNotFound,     ///< A named file, clip or node does not exist.
  kUnreadable,   ///< The file could not be opened or read.
  kMalformed,    ///< The file breaks the rules of its format.
  kUnsupported,  ///< The file is valid, but asks for what this program does not do.
  kLimit,        ///< The file asks for more memory, nodes or frames than a limit allows.
  kWrite,        ///< The output could not be written.
  kInterrupted,  ///< A signal asked the program to stop; the run can be repeated safely.
  kInternal,     ///< A fault of the program itself.
};

/// An error as a value: what failed, where, and what the user can do about it.
struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string
      location;  ///< File and element, e.g. "fox.glb: animations[1].samplers[4]". May be empty.
  std::string message;  ///< One clause, no full stop.
  std::string remedy;   ///< One clause in the imperative; empty where there is no remedy.
};

/// "location: message; remedy", the one sentence that is shown to people: one line of moderate
/// length, whatever names and paths have come into it.
std::string describe(const Error& error);

/// The same error with `outer` set before its location, as when a file name becomes known.
Error within(const std::string& outer, Error error);

/// Either a value or the Error that prevented it.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}      // NOLINT: converts on purpose
  Result(Error error) : state_(std::move(error)) {}  // NOLINT: converts on purpose

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  const T& value() const& {
    assert(ok());
    return std::get<0>(state_);
  }
  T& value() & {
    assert(ok());
    return std::get<0>(state_);
  }
  T&& value() && {
    assert(ok());
    return std::get<0>(std::move(state_));
  }
  const Error& error() const {
    assert(!ok());
    return std::get<1>(state_);
  }

  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

 private:
  std::variant<T, Error> state_;
};

/// Success, or the Error that prevented it.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: converts on purpose

  bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  const Error& error() const {
    assert(error_);
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace clipmill

#define CLIPMILL_JOIN_(a, b) a##b
#define CLIPMILL_JOIN(a, b) CLIPMILL_JOIN_(a, b)

/// CLIPMILL_TRY(auto x, f()): x = the value of f(), or return f()'s error from this function.
#define CLIPMILL_TRY(declaration, expression)              \
  auto CLIPMILL_JOIN(result_at_, __LINE__) = (expression); \
  if (!CLIPMILL_JOIN(result_at_, __LINE__).ok())           \
    return CLIPMILL_JOIN(result_at_, __LINE__).error();    \
  declaration = std::move(CLIPMILL_JOIN(result_at_, __LINE__)).value()

/// CLIPMILL_CHECK(f()): go on if f() succeeded, or return its error from this function.
#define CLIPMILL_CHECK(expression)                             \
  if (auto CLIPMILL_JOIN(status_at_, __LINE__) = (expression); \
      !CLIPMILL_JOIN(status_at_, __LINE__).ok())               \
  return CLIPMILL_JOIN(status_at_, __LINE__).error()
