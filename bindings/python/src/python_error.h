// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <exception>
#include <string>
#include <utility>

#include "core/result.h"

namespace clipmill::python {

/// An Error on its path to Python, where it is a clipmill.Error.
class PythonError : public std::exception {
 public:
  explicit PythonError(Error error) : error_(std::move(error)), text_(describe(error_)) {}
  const char* what() const noexcept override { return text_.c_str(); }
  const Error& error() const { return error_; }

 private:
  Error error_;
  std::string text_;
};

/// The value of a result; throws PythonError where there is none.
template <class T>
T valueOrThrow(Result<T> result) {
  if (!result) throw PythonError(result.error());
  return std::move(result).value();
}
inline void checkOrThrow(const Status& status) {
  if (!status) throw PythonError(status.error());
}

}  // namespace clipmill::python
