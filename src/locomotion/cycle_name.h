// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace clipmill::locomotion {

/// What the name of a clip states about it.
enum class CycleName {
  kNone,     ///< Nothing.
  kCycle,    ///< A cycle: "Walk", "run_loop", "Armature|Idle".
  kOneShot,  ///< A motion that is played once: "Jump", "idle_to_walk", "Death_A".
};

/// By whole tokens of the name, the strongest first: "loop" and "cycle" make a cycle; "start",
/// "stop", "to" and the like make a transition; "idle" makes a cycle; actions ("jump", "attack")
/// are played once, also in a gait ("run_attack"); gaits ("walk", "swim") make a cycle.
CycleName cycleNameOf(std::string_view clip_name);

}  // namespace clipmill::locomotion
