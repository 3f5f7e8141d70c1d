// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>

#include "locomotion/foot_contacts.h"
#include "locomotion/foot_lock_move.h"
#include "locomotion/foot_lock_plan.h"

namespace clipmill::locomotion {

/// Sets EndFrames::moved_m of legs: how far the feet of `clip` have moved on their ground at the
/// source times of `tasks`, scaled to legs of `leg_m`. Of heel and ball it counts the one that
/// moves less, since a foot that rolls over one rests. Likewise EndFrames::along_m, without their
/// rise and fall. And EndFrames::low, by the height of the lower one.
void keepPaceOf(const FeetTrace& clip, double leg_m, std::span<LimbTask> tasks);

/// Sets EndFrames::pace_m and pace_weights of legs: where the ankles of `feet`, a trace of the
/// source of `tasks` at the times of `clip`, would be if that point of a sole which moves least in
/// the clip moved there as in the clip, scaled by the lengths of legs. `rotation` leads from the
/// world of the clip to that of `feet`. In metres.
void findPaceOf(const FeetTrace& clip, const Quat& rotation, const FeetTrace& feet,
                std::span<LimbTask> tasks);

/// True where the foot of the clip is slower than `slow_mps` into a frame, planted or not; false
/// without EndFrames::moved_m.
bool isSlow(const EndFrames& ends, double slow_mps, std::size_t frame);

/// Between contacts a foot that its leg misses by more than `lift_m`, with hips dropped by
/// `drop_m` (one a frame), is planned nearer to its carried path: a straight leg would lift it.
void keepInReach(double lift_m, std::span<const double> drop_m, std::span<LimbTask> tasks);

}  // namespace clipmill::locomotion
