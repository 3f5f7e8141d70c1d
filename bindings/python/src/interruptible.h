// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

namespace clipmill::python {

/// Does `work` on another thread while this one, without the lock of the interpreter, waits for
/// signals: KeyboardInterrupt ends all work that is being done. Exceptions of `work` are thrown
/// here. Work that calls Python acquires the lock by itself.
void runInterruptible(const std::function<void()>& work);

/// Ends all work that is being done, as KeyboardInterrupt does.
void cancelAll();

}  // namespace clipmill::python
