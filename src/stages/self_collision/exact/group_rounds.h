// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "stages/self_collision/exact/clip_context.h"
#include "stages/self_collision/exact/correction_layers.h"
#include "stages/self_collision/exact/limb_groups.h"

namespace clipmill::stages::self_collision {

/// Resolves the windows in which the groups of a clip penetrate, in rounds. Keeps in mind what was
/// tried without a change, so that no round repeats it.
class GroupRounds {
 public:
  /// Both must outlive it.
  GroupRounds(ClipContext& clip, const std::vector<PairGroup>& groups)
      : clip_(clip), groups_(groups), tried_grips_(groups.size()), attempts_(groups.size()) {}

  /// The samples at which a group penetrates by more than the tolerance. Arms also move as one unit
  /// shortly before and after their contact, while their changes ease.
  std::vector<bool> penetratingSamples(std::size_t group) const;
  /// Does nothing where the same attempt changed nothing before.
  void resolveWindow(std::size_t group, const std::vector<std::size_t>& samples);
  /// Arms that are in contact with each other. Before the single arms, so that each of them needs
  /// little besides.
  void resolveArmsAsUnit();
  /// Each limb on its own, apart from upper arms.
  void resolveLimbs();
  /// Forgets what was tried.
  void restart();

 private:
  bool resolveGroup(std::size_t group, int round);

  ClipContext& clip_;
  const std::vector<PairGroup>& groups_;
  // Windows with a grip that were tried for each group.
  std::vector<std::vector<std::vector<std::size_t>>> tried_grips_;
  // Of each group, attempts that changed nothing.
  struct Attempt {
    std::vector<std::size_t> samples;
    std::vector<CorrectionLayer> layers;

    bool operator==(const Attempt&) const = default;
  };
  std::vector<std::vector<Attempt>> attempts_;
};

}  // namespace clipmill::stages::self_collision
