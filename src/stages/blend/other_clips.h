// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "core/result.h"
#include "core/warnings.h"
#include "stages/blend/plan.h"
#include "stages/blend/root_blend.h"
#include "stages/blend/settings.h"
#include "stages/stage.h"

namespace clipmill::stages::blend {

/// Another clip as motion of the character of the scene, at its own frames.
struct OtherClip {
  Motion motion;  ///< As sampled, or of another file with all animated tracks marked as modified.
  std::string name;  ///< For people: "Run", or "Run of run.glb".
  std::string note;  ///< How the nodes of another file were matched; empty for the same file.
  Warnings warnings;
  int scene_clip = -1;  ///< Index in Scene::clips; -1 for a clip of another file.
};

/// The clips that `with` names: of a file (one of StageInput::files), retargeted by transferClip(),
/// or of the scene, after the stages before. Errors, with the location in the settings: those of
/// findOneClip(), matchNodes() and transferClip(); kRecipe for no name where there is a choice;
/// kNotFound for a file without clips; kLimit.
Result<std::vector<OtherClip>> findOtherClips(const StageInput& input,
                                              std::span<const BlendClip> with);

/// The files that `with` names, each once.
std::vector<std::string> filesOf(std::span<const BlendClip> with);

/// True for a motion of the scene that is one of `others`, where there are others to work on: a
/// clip is blended with itself only where it was chosen alone.
bool isOtherClipOnly(const StageInput& input, std::span<const OtherClip> others,
                     const Motion& motion);

/// The clip and the others at the frames of a plan. `motion` and `others` must outlive them.
std::vector<Part> playParts(const Scene& scene, const BlendPlan& plan, const Motion& motion,
                            std::span<const OtherClip> others);

}  // namespace clipmill::stages::blend
