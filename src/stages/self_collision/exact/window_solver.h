// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "stages/self_collision/exact/amount_search.h"
#include "stages/self_collision/exact/clip_context.h"
#include "stages/self_collision/exact/mode_choice.h"

namespace clipmill::stages::self_collision {

/// No limit of a count.
inline constexpr std::size_t kAnyCount = std::numeric_limits<std::size_t>::max();

/// Resolves the penetration of one group in one window by one layer.
class WindowSolver {
 public:
  explicit WindowSolver(ClipContext& clip) : clip_(clip), amounts_(clip), modes_(clip) {}

  /// Resolves `group`, to which layers refer as `group_index`, at its penetrating samples: raises a
  /// layer that is active there, else adds one with the best standard mode or, where those exceed
  /// the jerk limit, with a mode that shifts nothing or one computed for the window. A layer that
  /// exceeds the jerk limit is not added. What keeps a window penetrating is noted in the obstacles
  /// of the clip. Does nothing for no samples.
  void resolve(const PairGroup& group, std::size_t group_index,
               std::span<const std::size_t> samples);

  /// Raises the required amounts of a layer of the stack at the samples until the group is free
  /// there. Returns at how many samples it is not; there the amount is the one with the largest
  /// margin. `was_measured`: the samples were measured as penetrating with the layer as it is, so
  /// that all of them need more. `limited`: gets the samples at which a limit of the pose keeps the
  /// group penetrating. `max_unresolved`: with more samples than this that stay penetrating,
  /// the search ends early.
  std::size_t raiseRequired(const PairGroup& group, std::size_t layer,
                            std::span<const std::size_t> samples, bool was_measured,
                            std::vector<std::size_t>* limited = nullptr,
                            std::size_t max_unresolved = kAnyCount);

 private:
  // A mode over a window and its result.
  struct Attempt {
    std::optional<CorrectionLayer> layer;  // none where nothing was tried
    std::vector<std::size_t> limited;      // samples that limits of the pose keep penetrating
    std::size_t unresolved_count = 0;      // samples
    double relative_jerk = 0.0;            // of CorrectionStack::fitEnvelope()

    bool isSmooth() const { return relative_jerk <= 1.0; }
    bool isResolved() const { return layer && unresolved_count == 0; }
    bool isBetterThan(const Attempt& other) const;
  };

  std::size_t raiseAt(const PairGroup& group, CorrectionLayer& layer,
                      std::span<const std::size_t> samples, bool was_measured, double max_amount,
                      std::vector<std::size_t>* limited, std::size_t max_unresolved);
  bool raiseActiveLayer(const PairGroup& group, std::size_t group_index,
                        std::span<const std::size_t> samples);
  void noteObstacles(const PairGroup& group, const Attempt& best,
                     std::span<const std::size_t> samples);
  Attempt bestOf(std::vector<CorrectionMode> modes, const PairGroup& group, std::size_t group_index,
                 std::span<const std::size_t> samples);

  ClipContext& clip_;
  AmountSearch amounts_;
  ModeChooser modes_;
};

}  // namespace clipmill::stages::self_collision
