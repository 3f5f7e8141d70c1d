// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

/// BVH texts for tests.
namespace clipmill::test {

/// A root that moves and rotates, a joint with another order of axes, an end site; two frames of
/// 0.5 s.
inline std::string tinyBvh() {
  return "HIERARCHY\n"
         "ROOT Hips\n{\n"
         "  OFFSET 0 0 0\n"
         "  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
         "  JOINT Arm\n  {\n"
         "    OFFSET 1 0.5 0\n"
         "    CHANNELS 3 Yrotation Xrotation Zrotation\n"
         "    End Site\n    {\n      OFFSET 0 2 0\n    }\n"
         "  }\n}\n"
         "MOTION\nFrames: 2\nFrame Time: 0.5\n"
         "0 1 0 0 0 0 0 0 0\n"
         "3 1 0 90 0 0 0 90 0\n";
}

}  // namespace clipmill::test
