// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "anim/motion.h"

namespace clipmill::stages {

/// The motions of the selected clips, as the stage before left them. A stage reads them, and takes
/// those that it changes. A motion that was taken cannot be read or taken again: this throws
/// std::logic_error. Different motions may be read and taken by different threads at a time.
class StageMotions {
 public:
  StageMotions() = default;

  /// Motions that stay as they are: take() copies.
  template <class Range>
  requires(!std::same_as<std::remove_cvref_t<Range>, StageMotions> &&
           std::convertible_to<Range, std::span<const Motion>>)
      StageMotions(Range&& motions)  // NOLINT: a list of motions is one
      : motions_(std::forward<Range>(motions)) {}

  /// Motions that nobody needs after the stage: take() moves.
  static StageMotions toTake(std::span<Motion> motions) {
    StageMotions stage_motions(motions);
    stage_motions.to_take_ = motions;
    stage_motions.state_ = std::make_shared<State>(motions.size());
    return stage_motions;
  }

  std::size_t size() const { return motions_.size(); }
  bool empty() const { return motions_.empty(); }

  const Motion& operator[](std::size_t i) const {
    if (state_ && state_->is_taken[i]) throw std::logic_error(takenText(i));
    return motions_[i];
  }

  /// All of them at once. From then on take() copies, because the caller may still read them all.
  operator std::span<const Motion>() const {  // NOLINT
    if (state_) {
      state_->is_lent = true;
      for (std::size_t i = 0; i < size(); ++i) (*this)[i];
    }
    return motions_;
  }

  /// The motion of clip `i` for a stage to change: moved where that is allowed, else a copy.
  Motion take(std::size_t i) const {
    if (!state_ || state_->is_lent) return copyOf((*this)[i]);
    if (state_->is_taken[i].exchange(true)) throw std::logic_error(takenText(i));
    return std::move(to_take_[i]);
  }

  /// Reads in the order of the clips.
  class Iterator {
   public:
    Iterator(const StageMotions* motions, std::size_t at) : motions_(motions), at_(at) {}
    const Motion& operator*() const { return (*motions_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator==(const Iterator&) const = default;

   private:
    const StageMotions* motions_;
    std::size_t at_;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, size()}; }

 private:
  struct State {
    explicit State(std::size_t count) : is_taken(count) {}
    std::vector<std::atomic<bool>> is_taken;
    std::atomic<bool> is_lent{false};
  };

  static std::string takenText(std::size_t i) {
    return "a stage uses the motion of clip " + std::to_string(i) + " after it took it";
  }

  std::span<const Motion> motions_;
  std::span<Motion> to_take_;
  std::shared_ptr<State> state_;
};

}  // namespace clipmill::stages
