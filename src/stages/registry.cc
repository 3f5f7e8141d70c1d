// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/registry.h"

#include <vector>

#include "stages/blend/blend.h"
#include "stages/blend/concat.h"
#include "stages/dynamic_bones/dynamic_bones.h"
#include "stages/edit/loop.h"
#include "stages/edit/mirror.h"
#include "stages/edit/rename.h"
#include "stages/edit/root.h"
#include "stages/edit/trim.h"
#include "stages/self_collision/self_collision.h"
#include "stages/stretch/stretch.h"
#include "stages/tet_bake/tet_bake.h"

namespace clipmill::stages {

std::span<const StageType> stageTypes() {
  static const std::vector<StageType> types = {
      dynamic_bones::dynamicBonesType(),
      stretch::stretchType(),
      self_collision::selfCollisionType(),
      tet_bake::tetBakeType(),
      blend::blendType(),
      blend::concatType(),
      edit::trimType(),
      edit::retimeType(),
      edit::mirrorType(),
      edit::loopType(),
      edit::rootType(),
      edit::renameType(),
  };
  return types;
}

const StageType* findStageType(std::string_view name) {
  for (const StageType& type : stageTypes()) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

}  // namespace clipmill::stages
