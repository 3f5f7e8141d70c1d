// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/result.h"
#include "stages/dynamic_bones/rig/rig.h"
#include "stages/dynamic_bones/settings.h"
#include "stages/stage.h"

namespace clipmill::stages::dynamic_bones {

/// Chains that are simulated with one time step.
struct RigPart {
  std::shared_ptr<const DynamicBonesSettings> settings;
  std::shared_ptr<const Rig> rig;
  double step_s = 0.0;
};

/// The chains that are simulated in one clip.
struct ClipRig {
  std::shared_ptr<const DynamicBonesSettings> settings;
  std::shared_ptr<const Rig> rig;  ///< Null where the clip animates all chains.
  /// The same chains by their time steps (gridSteps_s()): they do not act on each other. Empty for
  /// methods without such steps, and where the clip animates all chains.
  std::vector<RigPart> parts;
  std::vector<std::string> notes;  ///< For users: which chains are left out, and why.
};

/// One per motion of `input`; clips with the same chains share them. A chain with `skip_animated`
/// is left out of clips in which one of its joints moves. Errors: those of makeRig().
Result<std::vector<ClipRig>> makeClipRigs(const StageInput& input,
                                          const DynamicBonesSettings& settings);

}  // namespace clipmill::stages::dynamic_bones
