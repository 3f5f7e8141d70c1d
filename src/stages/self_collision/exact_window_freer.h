// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "stages/self_collision/exact_layers.h"
#include "stages/self_collision/exact_pairs.h"
#include "stages/self_collision/exact_solver.h"

namespace clipmill::collision {

/// Frees groups of pairs window by window: chooses the mode, and adds its layer to the stack.
class WindowFreer {
 public:
  /// `solver` works on `stack`. Both must outlive it.
  WindowFreer(WindowSolver& solver, LayerStack& stack) : solver_(solver), stack_(stack) {}

  /// Frees `group`, which is the one that layers call `group_index`, at the samples at which it is
  /// too deep: by more of a layer that is there already, by one of the common modes, or, where
  /// those get a limb too rough, by one that was made for the window. Arms as one are left as they
  /// are where no smooth layer frees them.
  void free(const PairGroup& group, std::size_t group_index,
            const std::vector<std::size_t>& samples);

 private:
  // One mode over a window, and what came of it.
  struct Tried {
    std::optional<Layer> layer;  // none where nothing was tried
    std::size_t stuck = 0;       // samples that are not free with it
    double roughness = 0.0;      // as of LayerStack::shape()

    bool isSmooth() const { return roughness <= 1.0; }
    bool isGood() const { return layer && stuck == 0 && isSmooth(); }
    bool isBetterThan(const Tried& other) const;
  };

  bool raiseLayer(const PairGroup& group, std::size_t group_index,
                  const std::vector<std::size_t>& samples);
  Tried bestOf(std::vector<Mode> modes, const PairGroup& group, std::size_t group_index,
               const std::vector<std::size_t>& samples);

  WindowSolver& solver_;
  LayerStack& stack_;
};

}  // namespace clipmill::collision
