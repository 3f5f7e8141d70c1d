// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/registry.h"

#include <vector>

#include "stages/dynamic_bones/dynamic_bones.h"
#include "stages/stretch/stretch.h"

namespace clipmill {
namespace {

StageType stretchType() {
  StageType type = makeStageType<StretchSettings>(
      "stretch", "make a clip end at another distance or place, in its own rhythm", stretchTable(),
      runStretch);
  type.variants = [](const void* settings) {
    return stretchVariants(*static_cast<const StretchSettings*>(settings));
  };
  return type;
}

}  // namespace

std::span<const StageType> stageTypes() {
  static const std::vector<StageType> types = {
      makeStageType<DynamicBonesSettings>("dynamic-bones",
                                          "let hair, tails and skirts swing with the clip",
                                          dynamicBonesTable(), runDynamicBones),
      stretchType(),
  };
  return types;
}

const StageType* findStageType(std::string_view name) {
  for (const StageType& type : stageTypes()) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

}  // namespace clipmill
