// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "stages/self_collision/exact/clip_context.h"
#include "stages/self_collision/exact/correction_layers.h"
#include "stages/self_collision/exact/limb_groups.h"

namespace clipmill::stages::self_collision {

/// Result of an attempt to restore a contact.
enum class RestoreOutcome { kRestored, kNoCandidate, kTooMuchJerk, kPenetrates };

/// Why a contact stays open, one clause.
const char* textOf(RestoreOutcome outcome);

/// Restores deliberate contacts of the clip that depenetration opened: hands that hold one weapon,
/// folded hands. Wrists are shifted towards each other or towards the body, and away from the trunk
/// as far as that requires.
class ContactRestorer {
 public:
  explicit ContactRestorer(ClipContext& clip) : clip_(clip) {}

  /// The samples at which a deliberate contact of the group is open in the corrected clip.
  std::vector<bool> openContacts(const PairGroup& group);

  /// Layers that restore the open contacts at most of the samples, with no pair above its allowed
  /// depth and no other contact opened: by descending number of restored samples, then by ascending
  /// change. Their envelopes are not computed yet. None if nothing restores any, or for no samples.
  std::vector<CorrectionLayer> candidateLayers(const PairGroup& group,
                                               std::span<const std::size_t> samples);

 private:
  // The number of samples that a mode restores, and the change that it needs.
  struct Score {
    std::size_t restored = 0;
    double cost = 0.0;

    bool isBetterThan(const Score& other) const {
      return restored != other.restored ? restored > other.restored : cost < other.cost;
    }
  };
  double gap_m(const PairGroup& group, std::size_t sample, double reach_m) const;
  std::size_t widestGap(const PairGroup& group, std::span<const std::size_t> samples,
                        double& max_gap_m);
  double margin_m(const PairGroup& group, const CorrectionMode& mode, std::size_t sample) const;
  double maxDepth_m(std::size_t sample, std::size_t pair) const;
  std::vector<CorrectionMode> shiftModes(const PairGroup& group, std::size_t sample) const;
  std::vector<Vec3> closingDirections(const PairGroup& group, std::size_t sample) const;
  std::vector<CorrectionMode> leastNormModes(const PairGroup& group, std::size_t sample);
  std::vector<CorrectionMode> bestModes(const PairGroup& group, std::vector<CorrectionMode> modes,
                                        std::span<const std::size_t> samples, std::size_t widest,
                                        double guess);
  Score scoreOf(const PairGroup& group, const CorrectionMode& mode,
                std::span<const std::size_t> samples, double guess);
  double limbLength_m(std::size_t limb) const;
  double amountAt(const PairGroup& group, const CorrectionMode& mode, std::size_t sample,
                  double guess);

  ClipContext& clip_;
};

}  // namespace clipmill::stages::self_collision
