// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "anim/clip.h"

namespace clipmill::test {

/// Writes the pose at a time.
using PoseAt = std::function<void(double time_s, PoseView pose)>;

/// A clip by a formula.
class FormulaSource : public PoseSource {
 public:
  explicit FormulaSource(PoseAt pose_at) : pose_at_(std::move(pose_at)) {}
  std::unique_ptr<PoseCursor> cursor() const override {
    class Cursor : public PoseCursor {
     public:
      explicit Cursor(PoseAt pose_at) : pose_at_(std::move(pose_at)) {}
      void sample(double time_s, PoseView pose) override { pose_at_(time_s, pose); }

     private:
      PoseAt pose_at_;
    };
    return std::make_unique<Cursor>(pose_at_);
  }

 private:
  PoseAt pose_at_;
};

}  // namespace clipmill::test
