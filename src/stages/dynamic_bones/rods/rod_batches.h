// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/rods/rod_body.h"
#include "stages/dynamic_bones/springs/spring_bones.h"

/// Which rods are solved side by side.
namespace clipmill::stages::dynamic_bones {

/// One tree of every topmost joint of a chain, in batches of one shape and level of `layout`, the
/// longest unbranched chains first; all values are those of RodBatch::allocate().
RodSystem makeRodBatches(const Rig& rig, const SpringLayout& layout);

}  // namespace clipmill::stages::dynamic_bones
