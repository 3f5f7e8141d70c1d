// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/registry.h"

#include <vector>

#include "stages/dynamic_bones/dynamic_bones.h"

namespace clipmill {

std::span<const StageType> stageTypes() {
  static const std::vector<StageType> types = {
      makeStageType<DynamicBonesSettings>("dynamic-bones",
                                          "let hair, tails and skirts swing with the clip",
                                          dynamicBonesTable(), runDynamicBones),
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
