// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stages/dynamic_bones/springs/spring_lanes.h"

/// The inner loops of the spring simulation, on as many lanes at once as the processor has. They
/// use only operations with a unique rounding by IEEE 754, lane by lane, so that every processor
/// gives the same bits.
namespace clipmill::stages::dynamic_bones {

/// How the ends of bones move in aimLanes.
enum class AimMode {
  kFirst,       ///< The first step, from the clip's own pose and velocity.
  kFree,        ///< A step of the spring.
  kGivenPoint,  ///< `point` stays where it is, besides its length.
};

/// For lanes [start, end): computes heads and targets under `worlds`, moves `point` as `mode`
/// specifies, and projects it onto the allowed lengths if `keep_length` is set. Returns how many
/// points were not finite and were put on their targets.
std::size_t aimLanes(SpringLanes& lanes, const double* worlds, std::size_t start, std::size_t end,
                     AimMode mode, bool keep_length);

/// Sets `swing` to the rotation that points each bone at `point`: the shortest arc from `aim`.
/// Returns true if one is so near to 180 degrees that its axis has to be chosen; swing.w of that
/// lane is then 0.
bool rotateLanes(SpringLanes& lanes, std::size_t start, std::size_t end);

/// Writes metric_from_joint of every lane into `worlds`.
void carryLanes(SpringLanes& lanes, double* worlds, std::size_t start, std::size_t end);

/// Makes the step's result the new state: the end is where the hierarchy puts it. Acceleration is
/// that by gravity.
void commitLanes(SpringLanes& lanes, std::size_t start, std::size_t end);

/// Sets `next_posed` of all lanes: in_base under `worlds`.
void poseLanes(SpringLanes& lanes, const double* worlds);
/// The same, and `pose_velocity`: `share_per_s` times the displacement from `posed_before`.
void movePoseLanes(SpringLanes& lanes, const double* worlds, double share_per_s);

/// For tests: the names of the instruction sets that the processor supports, and a function that
/// selects one of them by index for all further calls; -1 selects the best.
std::vector<std::string> vectorTargets();
void useVectorTarget(int index);

}  // namespace clipmill::stages::dynamic_bones
