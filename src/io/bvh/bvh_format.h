// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/document.h"

namespace clipmill::io::bvh {

/// BVH motion capture files. What is written is a new file in metres.
FormatType bvhFormat();

}  // namespace clipmill::io::bvh
