// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "stages/self_collision/exact/clip_context.h"
#include "stages/self_collision/exact/contact_restorer.h"
#include "stages/self_collision/exact/goal_choice.h"
#include "stages/self_collision/exact/group_rounds.h"
#include "stages/self_collision/exact/layer_limits.h"
#include "stages/self_collision/exact/limb_groups.h"
#include "stages/stage.h"

namespace clipmill::stages::self_collision {

/// The steps of the method on one clip.
class ClipResolver {
 public:
  /// `clip` must outlive it.
  explicit ClipResolver(ClipContext& clip)
      : clip_(clip),
        groups_(groupPairs(clip.skin.pairs(), clip.poser)),
        grips_(clip),
        rounds_(clip, groups_),
        limits_(clip, groups_, [this] { grips_.hold(); }),
        start_depths_(clip.source.depths),
        outcomes_(groups_.size(), RestoreOutcome::kNoCandidate) {}
  ClipResolver(const ClipResolver&) = delete;
  ClipResolver& operator=(const ClipResolver&) = delete;

  /// Resolves penetration, and restores contacts that open by it.
  void resolve();
  /// The number of samples at which a limb penetrates by more than the tolerance of the clip's
  /// measures, apart from upper arms.
  std::size_t penetratingCount() const;
  /// The resolved clip with metrics, series and warnings. Once.
  StageResult report();

 private:
  void resolveAll(StageResult& report);
  void resolveWithGoals(StageResult& report);
  void improveGrips(StageResult& report);
  void startWithTrajectory(double margin);
  std::size_t contactCount();
  void resolveUpperArms();
  void tryToFree(std::size_t group, const std::vector<std::size_t>& window);
  RestoreOutcome tryLayer(CorrectionLayer layer);
  RestoreOutcome restoreContacts(std::size_t group, std::span<const std::size_t> samples);
  void restoreContacts(std::size_t group);
  std::vector<std::string> reasonsForOpenContacts() const;

  ClipContext& clip_;
  StageResult report_;
  std::vector<PairGroup> groups_;
  GoalGrips grips_;
  GroupRounds rounds_;
  LayerLimits limits_;
  DepthTable start_depths_;               // of the source, or with the layers of its goals
  std::vector<RestoreOutcome> outcomes_;  // of the last contact of each group
};

}  // namespace clipmill::stages::self_collision
