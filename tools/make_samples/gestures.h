// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "make_samples/poser.h"

namespace clipmill::samples {

/// Both arms swing from the sides to the middle and back; on a fat body they pass through the
/// belly.
KeyframeClip armsThroughBellyClip(const Rig& rig);
/// Both hands come to rest where a lean body has its hips.
KeyframeClip handsOnHipsClip(const Rig& rig);
/// The left leg swings across the right one and back.
KeyframeClip legsCrossingClip(const Rig& rig);
/// The left elbow bends from 0 to 150 degrees.
KeyframeClip elbowBendClip(const Rig& rig);
/// The left forearm rotates about its own axis from 0 to 180 degrees.
KeyframeClip forearmTwistClip(const Rig& rig);

}  // namespace clipmill::samples
