// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/registry.h"

#include <string>
#include <vector>

#include "stages/blend/blend.h"
#include "stages/blend/concat.h"
#include "stages/blend/other_clips.h"
#include "stages/dynamic_bones/dynamic_bones.h"
#include "stages/dynamic_bones/resolve.h"
#include "stages/edit/loop.h"
#include "stages/edit/mirror.h"
#include "stages/edit/rename.h"
#include "stages/edit/root.h"
#include "stages/edit/trim.h"
#include "stages/self_collision/self_collision.h"
#include "stages/stretch/stretch.h"
#include "stages/tet_bake/drive/given_tets.h"
#include "stages/tet_bake/tet_bake.h"

namespace clipmill {
namespace {

StageType dynamicBonesType() {
  StageType type = makeStageType<DynamicBonesSettings>(
      "dynamic-bones", "let hair, tails and skirts swing with the clip", dynamicBonesTable(),
      runDynamicBones);
  type.algorithm_version = 2;
  const auto settingsOf = [](const void* settings) -> const DynamicBonesSettings& {
    return *static_cast<const DynamicBonesSettings*>(settings);
  };
  type.needs_meshes = [settingsOf](const void* settings) {
    return settingsOf(settings).find_chains ||
           settingsOf(settings).colliders == ColliderSource::kAuto;
  };
  type.files_of = [settingsOf](const void* settings) {
    const std::string& prior = settingsOf(settings).continue_from;
    return prior.empty() ? std::vector<std::string>() : std::vector<std::string>{prior};
  };
  type.resolve = [settingsOf](const Scene& scene, std::span<const Motion> motions,
                              const void* settings) {
    return resolveDynamicBones(scene, motions, settingsOf(settings));
  };
  return type;
}

StageType stretchType() {
  StageType type = makeStageType<StretchSettings>(
      "stretch", "make a clip end at another distance or place, in its own rhythm", stretchTable(),
      runStretch);
  type.variants = [](const void* settings) {
    return stretchVariants(*static_cast<const StretchSettings*>(settings));
  };
  return type;
}

StageType selfCollisionType() {
  StageType type = makeStageType<SelfCollisionSettings>(
      "self-collision", "bring arms and legs out of the body and of each other",
      selfCollisionTable(), runSelfCollision);
  type.algorithm_version = 3;
  type.needs_meshes = [](const void*) { return true; };
  type.resolve = [](const Scene& scene, std::span<const Motion>, const void* settings) {
    return resolveSelfCollision(scene, *static_cast<const SelfCollisionSettings*>(settings));
  };
  return type;
}

StageType tetBakeType() {
  StageType type = makeStageType<TetBakeSettings>(
      "tet-bake", "let elbows and knees keep their volume, as morph targets with keys",
      tetBakeTable(), runTetBake);
  type.algorithm_version = 3;
  type.needs_meshes = [](const void*) { return true; };
  type.raw_files_of = [](const void* settings) {
    return tet_bake::tetFilesOf(static_cast<const TetBakeSettings*>(settings)->tets);
  };
  return type;
}

StageType blendType() {
  StageType type = makeStageType<BlendSettings>(
      "blend", "let a clip go over into others, mix them, or add them", blendTable(), runBlend);
  type.files_of = [](const void* settings) {
    return blend::filesOf(static_cast<const BlendSettings*>(settings)->with);
  };
  return type;
}

StageType concatType() {
  StageType type = makeStageType<ConcatSettings>("concat", "let other clips follow a clip",
                                                 concatTable(), runConcat);
  type.files_of = [](const void* settings) {
    return blend::filesOf(static_cast<const ConcatSettings*>(settings)->with);
  };
  return type;
}

StageType loopType() {
  StageType type =
      makeStageType<LoopSettings>("loop", "make a clip end as it begins", loopTable(), runLoop);
  type.algorithm_version = 2;
  return type;
}

}  // namespace

std::span<const StageType> stageTypes() {
  static const std::vector<StageType> types = {
      dynamicBonesType(),
      stretchType(),
      selfCollisionType(),
      tetBakeType(),
      blendType(),
      concatType(),
      makeStageType<TrimSettings>("trim", "keep a part of a clip", trimTable(), runTrim),
      makeStageType<RetimeSettings>("retime", "make a clip faster, slower, or go backwards",
                                    retimeTable(), runRetime),
      makeStageType<MirrorSettings>("mirror", "exchange the two sides of a figure", mirrorTable(),
                                    runMirror),
      loopType(),
      makeStageType<RootSettings>("root", "hand the way of hips to a root, or take it away",
                                  rootTable(), runRoot),
      makeStageType<RenameSettings>("rename", "give a clip another name", renameTable(), runRename),
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
