// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "checks.h"
#include "humanoid/make_character.h"
#include "retarget/clip_transfer.h"

namespace clipmill::test {

/// A motion of one character on another one, by the match of their joints.
inline Motion transferredTo(const Character& target, const Character& source,
                            const Motion& motion) {
  const auto match = retarget::matchNodes(source.scene, source.scene.clips[0].animated, source.map,
                                          target.scene, target.map);
  CHECK_OK(match);
  auto result = retarget::transferClip(source.scene, motion, target.scene, *match);
  CHECK_OK(result);
  return result->motion;
}

}  // namespace clipmill::test
