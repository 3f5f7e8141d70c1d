// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "stages/self_collision/exact/clip_context.h"
#include "stages/self_collision/exact/limb_groups.h"
#include "stages/stage.h"

namespace clipmill::stages::self_collision {

/// Both hands that hold one thing in the source character have their transform relative to each
/// other from the layers of the goals: later corrections keep that, in place of the one of the
/// clip.
class GoalGrips {
 public:
  explicit GoalGrips(ClipContext& clip) : clip_(clip), unchanged_(clip.source.hands) {}

  /// Of the layers that the stack has now. Without any of a goal, hands are those of the clip.
  void hold();

 private:
  ClipContext& clip_;
  std::vector<RelativeHands> unchanged_;
};

/// What the method does with a clip whose stack has the layers of one candidate.
struct GoalSteps {
  std::function<void()> start;                ///< Before each candidate.
  std::function<void(StageResult&)> resolve;  ///< Resolves penetration, and keeps all limits.
  std::function<std::size_t()> penetrating;   ///< The number of penetrating samples that are left.
};

/// Resolves the clip from each of goalCandidates(), and from the clip as it is, and keeps the
/// result that leaves least penetration; of equal ones, that of the least goalCostOf(). If that is
/// the clip as it is, the warning is contact_goals_dropped. `start_depths`: those from which the
/// kept result started.
void resolveFromGoals(ClipContext& clip, std::span<const PairGroup> groups, const GoalSteps& steps,
                      DepthTable& start_depths, StageResult& report);

/// The mean distance of points from their goals in the result, metres; 0 without goals.
double goalErrorOf(const ClipContext& clip);

/// Of the vertices of both arms at all samples of the result, those that penetrate at any depth.
double shareOfVerticesWithin(const ClipContext& clip);

/// What results that penetrate equally are compared by: the mean distance of points from their
/// goals relative to that in the clip, 50 times the share of vertices within the body, and 1,000
/// times what that share is above 0.3 %.
double goalCostOf(const ClipContext& clip);

/// The metrics contact_error_mm, contact_error_percent and max_contact_error_mm of clips with
/// contacts of the source character.
void reportGoals(const ClipContext& clip, StageResult& report);

}  // namespace clipmill::stages::self_collision
