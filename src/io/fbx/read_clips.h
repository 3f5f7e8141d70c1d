// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "anim/clip.h"
#include "core/warnings.h"
#include "io/fbx/animation.h"
#include "io/fbx/document.h"
#include "io/fbx/read_nodes.h"

namespace clipmill::io::fbx {

/// A stack (or take) of the file.
struct StackAnimation {
  std::string name;
  int object = -1;  ///< Index in Document::objects; -1 for takes.
  double start_s = 0.0, end_s = 0.0;
  bool has_span = false;  ///< The file stores start and end; else they are those of the keys.
  Animation animation;
};

/// What readAnimations needs to know of the file besides its connections.
struct AnimationContext {
  const Document& document;
  const Nodes& nodes;
  const std::vector<ShapeChannel>& channels;
  Warnings& warnings;
};

/// AnimationStacks of FBX 7, in file order. Error: kMalformed for damaged curves.
Result<std::vector<StackAnimation>> readStacks(const AnimationContext& context);

/// Takes of FBX 5 and 6, in file order. Error: kMalformed for damaged curves.
Result<std::vector<StackAnimation>> readTakes(const AnimationContext& context);

/// Animations as clips of a scene; `node_of_weight` is the node of each morph weight.
std::vector<Clip> makeClips(std::vector<StackAnimation> stacks, double file_fps,
                            std::span<const int> node_of_weight);

}  // namespace clipmill::io::fbx
