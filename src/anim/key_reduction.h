// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "anim/error_metric.h"
#include "anim/motion.h"
#include "anim/skeleton.h"

namespace clipmill {

/// Raised whenever the same motion and settings give other keys.
inline constexpr int kKeyReductionVersion = 3;

/// Tolerances of key reduction. Distances are in file units: callers convert from millimetres.
struct KeyReductionSettings {
  double tolerance = 0.0;          ///< Largest distance by which any tip may be off, at any time.
  double weight_tolerance = 1e-4;  ///< Largest error of a morph weight.
  std::span<const double>
      shell_distances;  ///< One a node, see scene/shell_distance.h; empty means 0 for all.
  /// One a node, in place of weight_tolerance; empty for none.
  std::span<const double> weight_tolerances = {};
  /// Points with a tolerance of their own while they are held, at the times at which tips are
  /// measured.
  std::span<const HeldPoint> held = {};
  /// Rotation keys of nodes without Node::euler are what normalised 16-bit integers can be, not
  /// floats, where the tolerance allows that and the keys take fewer bytes then.
  bool short_rotations = false;
  /// Translations, rotations and scales are cubic where that takes fewer keys (nodes that have
  /// Node::euler) or fewer bytes of glTF (others).
  bool cubic_keys = false;
};

/// Errors are counted in so many equal parts of the tolerance.
inline constexpr std::size_t kErrorBins = 10;

/// The result of key reduction.
struct ReducedKeys {
  std::vector<Track> tracks;  ///< One for each modified track.
  std::size_t keys_before = 0;
  std::size_t keys_after = 0;
  double worst_error = 0.0;  ///< Largest tip error, measured at all frames and at quarters between.
  double worst_held_error = 0.0;  ///< Largest error of a held point, likewise.
  /// How many tips at how many frames have an error in which part of the tolerance.
  std::vector<std::size_t> error_histogram;
};

/// Leaves out keys of the modified tracks of `motion` as long as no tip of the hierarchy moves by
/// more than the tolerance from where the motion has it. Tips are the origins of all modified nodes
/// and their descendants, and every point within shell_distances of these origins (node space).
///
/// Distances are in world space and measured on all tracks reduced together, at every frame and at
/// the quarters between frames, against what MotionCursor returns. Key values are rounded to float
/// (or to short integers) before they are measured, so that writing them to a file adds nothing.
/// The bound is never broken by leaving out keys: where nothing may be left out, all keys stay, and
/// worst_error then reports what the rounding costs (it exceeds a tolerance that floats cannot
/// express, such as 0).
///
/// At the frames the bound holds for players that slerp and for those that mix the components of
/// two rotation keys: of quaternions, as Blender does, or of angles where Node::euler states that
/// the file keeps angles.
///
/// Tracks are linear (slerp for rotations, consecutive keys in one hemisphere and less than 150
/// degrees apart where the frames are), keyed at times of the motion's grid. The first and the last
/// key stay; of a constant track the first one alone, unless all tracks are constant: then the
/// first track keeps both, so that the clip keeps its length.
///
/// Cubic tracks are measured as all players mix them: quaternions component by component, then
/// normalised (less than 120 degrees apart), or angles where Node::euler is set. Their slopes are
/// those nearest to the motion between two keys, and differ to either side of a key.
ReducedKeys reduceKeys(const Skeleton& skeleton, const Motion& motion,
                       const KeyReductionSettings& settings);

}  // namespace clipmill
