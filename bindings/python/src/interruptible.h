// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

#include "core/cancel.h"

namespace clipmill::python {

/// The request to end one call of runInterruptible(). Other calls at the same time go on, as long
/// as there are no more than 64 of them.
class CancelRequest {
 public:
  CancelRequest();
  ~CancelRequest();
  CancelRequest(const CancelRequest&) = delete;
  CancelRequest& operator=(const CancelRequest&) = delete;

  /// Ends the work that asks `question`, and the Python function that this work calls. Any thread
  /// that holds the lock of the interpreter may call it.
  void raise();
  /// For a CancelScope: whether raise() was called.
  CancelScope::Question question() const;

  /// While it lives, raise() raises KeyboardInterrupt in the Python code of this thread. Made and
  /// destroyed with the lock of the interpreter.
  class PythonCall {
   public:
    explicit PythonCall(CancelRequest& request);
    ~PythonCall();
    PythonCall(const PythonCall&) = delete;
    PythonCall& operator=(const PythonCall&) = delete;

   private:
    CancelRequest& request_;
  };

 private:
  std::size_t slot_;
  unsigned long python_thread_ = 0;  ///< That of a PythonCall; 0 = none. Guarded by the lock.
};

/// Does `work` on another thread while this one, without the lock of the interpreter, waits for
/// signals: KeyboardInterrupt and `request` end it. Exceptions of `work` are thrown here. Work that
/// calls Python acquires the lock by itself.
void runInterruptible(const std::function<void()>& work, CancelRequest& request);

/// The same without a request.
void runInterruptible(const std::function<void()>& work);

}  // namespace clipmill::python
