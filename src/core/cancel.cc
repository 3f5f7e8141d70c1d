// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/cancel.h"

namespace clipmill {
namespace {

thread_local CancelScope::Question question_of_thread = nullptr;

}  // namespace

CancelScope::CancelScope(Question is_cancelled) : outer_(question_of_thread) {
  question_of_thread = is_cancelled;
}

CancelScope::~CancelScope() { question_of_thread = outer_; }

CancelScope::Question CancelScope::current() { return question_of_thread; }

void pollCancel() {
  if (question_of_thread && question_of_thread()) throw Cancelled();
}

}  // namespace clipmill
