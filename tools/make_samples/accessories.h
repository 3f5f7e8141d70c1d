// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "make_samples/body.h"
#include "make_samples/surface.h"

namespace clipmill::samples {

/// Joints that a dynamic-bones stage can move: six hair strands of four (HairBack1_1 ..,
/// HairLeft_1, HairRight_1), a skirt ring of eight chains of three (Skirt1_1 ..), a tail of six
/// (Tail1 ..) and a whip of ten in the right hand (Whip1 ..).
void addAccessoryJoints(Rig& rig);

/// The surfaces of those joints.
void addAccessorySurfaces(const Rig& rig, SurfaceSet& surfaces);

}  // namespace clipmill::samples
