// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "make_samples/body.h"
#include "make_samples/surface.h"

namespace clipmill::samples {

/// A closed tube around `stations` with rounded ends of the given lengths.
Tube roundTube(const std::vector<Station>& stations, int ring_count, double start_cap,
               double end_cap);

/// Torso, head, arms and legs: closed parts that overlap where they meet.
void addBody(const Rig& rig, const BodyShape& shape, SurfaceSet& surfaces);

}  // namespace clipmill::samples
