// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

namespace clipmill {

/// Thrown by pollCancel(). It is no std::exception: only who opened the scope catches it.
struct Cancelled {};

/// While it lives, pollCancel() on this thread, and on all threads that help loops which this
/// thread starts by parallelFor(), asks `is_cancelled`. Scopes may be nested; the inner one counts.
class CancelScope {
 public:
  using Question = bool (*)();
  explicit CancelScope(Question is_cancelled);
  ~CancelScope();
  CancelScope(const CancelScope&) = delete;
  CancelScope& operator=(const CancelScope&) = delete;

  /// The question of the innermost scope of this thread, or null.
  static Question current();

 private:
  Question outer_;
};

/// Throws Cancelled where the scope of this thread reports it; does nothing without a scope. Long
/// loops call it once for each frame or so; parallelFor() calls it before each block, and so do
/// computeWorlds(), MotionCursor and the others that work pose by pose. Stages need no token for
/// it.
void pollCancel();

}  // namespace clipmill
