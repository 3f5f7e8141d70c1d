// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/keyed_track.h"
#include "anim/motion.h"
#include "anim/skeleton.h"

namespace clipmill {

/// A point that may be off by less than others for some frames, such as a planted foot.
struct HeldPoint {
  std::size_t node = 0;
  Vec3 offset{0.0};  ///< In the node's own space.
  std::size_t first_frame = 0, last_frame = 0;
  double tolerance = 0.0;  ///< File units, above 0.
};

/// How far the tips of the hierarchy are off, in file units.
struct TipErrors {
  /// Nodes x windows (keyed_track.h): the worst tip of a node and of its descendants in a window.
  /// The error of a held point counts times the tolerance of tips over its own.
  std::vector<double> below;
  double worst = 0.0;       ///< Of those.
  double worst_tip = 0.0;   ///< Without held points.
  double worst_held = 0.0;  ///< Of held points, as it is.
};

/// The larger of two measurements of the same motion, one by one.
TipErrors worseOf(TipErrors a, const TipErrors& b);

/// Measures what choosing keys does to the tips: the origins of modified nodes and of their
/// descendants, and every point within shell_distances of these (node space).
class ErrorMetric {
 public:
  /// All that is given must outlive the meter. `shell_distances` has one length a node, or is
  /// empty. `tolerance` is that of tips, by which errors of `held` points are weighted.
  ErrorMetric(const Skeleton& skeleton, const Motion& motion,
              std::span<const double> shell_distances, double tolerance = 0.0,
              std::span<const HeldPoint> held = {});

  /// Worst errors of the tracks with these keys against `motion`, at the times that lie at
  /// `fractions` of each interval between frames (0 is the frame itself), and at the last frame.
  TipErrors measure(std::span<const KeyedTrack> tracks, std::span<const TrackKeys> keys,
                    std::span<const double> fractions) const;

  /// How many tips are off by how much, over all moving nodes and frames: numbers in `bins` equal
  /// parts of 0..`most`; larger errors are in the last one.
  std::vector<std::size_t> histogram(std::span<const KeyedTrack> tracks,
                                     std::span<const TrackKeys> keys, double most,
                                     std::size_t bins) const;

 private:
  // The motion at ascending times, of the nodes that are looked at.
  MotionCursor motionCursor() const;

  struct Worlds {
    std::vector<Affine> exact, changed;  // world_from_node
  };

  // Calls visit(frame, is_between, worlds) at the frames and at `fractions` of the intervals
  // between them.
  template <class Visit>
  void visitPoses(std::span<const KeyedTrack> tracks, std::span<const TrackKeys> keys,
                  std::span<const double> fractions, const Visit& visit) const;
  void addHeldErrors(std::size_t frame, bool is_between, const Worlds& worlds,
                     TipErrors& errors) const;
  void computeBoth(std::span<const Transform> exact, std::span<const Transform> changed,
                   Worlds& worlds) const;
  double errorOf(std::size_t node, const Affine& exact, const Affine& changed) const;

  const Skeleton& skeleton_;
  const Motion& motion_;
  std::span<const double> shell_distances_;
  double tolerance_;
  std::span<const HeldPoint> held_;
  std::vector<std::size_t> moving_;  // modified nodes and all below them, ascending
  std::vector<std::size_t> above_;   // their ancestors that do not move
  bool inherits_all_;                // else world transforms need the general formula
};

}  // namespace clipmill
