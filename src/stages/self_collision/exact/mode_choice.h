// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "stages/self_collision/exact/amount_search.h"
#include "stages/self_collision/exact/candidate_modes.h"
#include "stages/self_collision/exact/clip_context.h"
#include "stages/self_collision/exact/correction_layers.h"
#include "stages/self_collision/exact/least_norm_correction.h"
#include "stages/self_collision/exact/limb_groups.h"

namespace clipmill::stages::self_collision {

/// Chooses modes for a window of a clip by cost: squared joint rotations, squared shift of the
/// wrist, and deliberate contacts that a mode breaks, at a few samples of the window.
class ModeChooser {
 public:
  explicit ModeChooser(ClipContext& clip) : clip_(clip), amounts_(clip) {}

  /// The cheapest of candidateModes() for the penetrating samples of a window, by ascending cost,
  /// and those that cost less than one broken contact more. `with_shifts`: else only those that
  /// bend no elbow and no knee. Windows with a grip get the modes that keep it.
  std::vector<CorrectionMode> chooseStandard(const PairGroup& group,
                                             std::span<const std::size_t> samples,
                                             bool with_shifts = true);

  /// The same of leastNormCorrections(): slower, for windows that no standard mode resolves
  /// smoothly and for arms that move as one unit. None if no correction resolves the group.
  std::vector<CorrectionMode> chooseLeastNorm(const PairGroup& group,
                                              std::span<const std::size_t> samples);

 private:
  // The samples for which modes are chosen, and those at which they are compared, of which the
  // first is the one of largest depth.
  struct Keys {
    std::vector<std::size_t> linked, samples;
  };
  Keys keysOf(const PairGroup& group, std::span<const std::size_t> samples) const;
  std::vector<CorrectionMode> cheapest(const PairGroup& group,
                                       std::vector<CorrectionMode> candidates, const Keys& keys);
  double costOf(const PairGroup& group, const CorrectionMode& mode, std::size_t sample);
  void addChangeCost(const MovableLimb& limb, double& cost) const;
  std::size_t brokenContacts(const CorrectionMode& mode, std::size_t sample) const;
  std::optional<std::size_t> companionOf(const PairGroup& group, std::size_t sample) const;
  bool isGripped(const PairGroup& group, std::span<const std::size_t> window) const;
  bool isPinned(std::size_t limb, std::span<const std::size_t> window) const;
  PenetrationSite siteOf(const PairGroup& group, std::size_t sample,
                         std::span<const std::size_t> window) const;
  void addLimbTo(PenetrationSite& site, const PairGroup& group, std::size_t limb,
                 const Vec3& point_m, const Mat3& body_from_world, std::size_t sample,
                 std::span<const std::size_t> window) const;
  ConstrainedPose constrainedPose(const PairGroup& group, std::size_t sample);
  std::vector<CorrectionMode> leastNormModes(const PairGroup& group,
                                             std::span<const std::size_t> keys);

  ClipContext& clip_;
  AmountSearch amounts_;
};

}  // namespace clipmill::stages::self_collision
