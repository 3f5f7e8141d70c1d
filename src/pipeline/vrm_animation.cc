// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/vrm_animation.h"

#include "io/conversion.h"
#include "io/new_file.h"
#include "retarget/vrm_animation.h"

namespace clipmill::pipeline {

bool isNewVrmAnimation(const io::Asset& asset, const std::filesystem::path& output) {
  return io::isVrmAnimationPath(output) && !asset.scene.face.is_animation;
}

Result<Warnings> saveVrmAnimation(const io::Asset& asset, std::span<const io::ClipEdit> edits,
                                  const Additions& additions, std::span<const int> clips,
                                  const std::filesystem::path& output,
                                  const io::ConversionKeys& keys) {
  const Scene edited = io::editedScene(asset.scene, edits, additions);
  CLIPMILL_TRY(retarget::VrmAnimation animation,
               retarget::vrmAnimationOf(edited, clips, keys.fps, asset.limits));
  const io::Asset made = io::newAsset(std::move(animation.scene), asset.limits);
  CLIPMILL_TRY(const Warnings written, io::save(made, {}, output, keys));
  animation.warnings.merge(written);
  return std::move(animation.warnings);
}

}  // namespace clipmill::pipeline
