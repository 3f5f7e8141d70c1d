// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "stages/dynamic_bones/springs/spring_lanes.h"

/// The inner loops of the spring simulation, on as many lanes at once as the processor has. They
/// use only operations that IEEE 754 rounds in one way, lane by lane, so that every processor gives
/// the same bits.
namespace clipmill::bones {

/// How the ends of bones move in aimLanes.
enum class AimMode {
  kFirst,   ///< The first step, from the clip's own pose and velocity.
  kFree,    ///< A step of the spring.
  kPlaced,  ///< `point` stays where it is, besides its length.
};

/// For lanes [begin, end): places heads and targets under `worlds`, moves `point` as `mode` asks,
/// and where `keep_length` is set projects it onto the lengths allowed. Returns how many points
/// were not finite and were put on their targets.
std::size_t aimLanes(SpringLanes& lanes, const double* worlds, std::size_t begin, std::size_t end,
                     AimMode mode, bool keep_length);

/// Sets `swing` to the turn that points each bone at `point`: the shortest arc from `aim`. Returns
/// true where one is so near to a half turn that its axis has to be chosen; that lane's swing.w is
/// 0 then.
bool turnLanes(SpringLanes& lanes, std::size_t begin, std::size_t end);

/// Writes metric_from_joint of every lane into `worlds`.
void carryLanes(SpringLanes& lanes, double* worlds, std::size_t begin, std::size_t end);

/// Makes the step's result the new state: the end is where the hierarchy puts it. Acceleration is
/// that by gravity.
void commitLanes(SpringLanes& lanes, std::size_t begin, std::size_t end);

/// Sets `next_posed` of all lanes: in_base under `worlds`.
void poseLanes(SpringLanes& lanes, const double* worlds);
/// The same, and `pose_velocity`: `share_per_s` times the way from `posed_before` to there.
void movePoseLanes(SpringLanes& lanes, const double* worlds, double share_per_s);

/// For tests: what the processor can run, by name, and a way to let all calls from now on run the
/// one of that index; -1 for the best again.
std::vector<std::string> vectorTargets();
void useVectorTarget(int index);

}  // namespace clipmill::bones
