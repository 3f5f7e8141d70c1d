// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/skin_trial.h"

#include <algorithm>

#include "anim/pose.h"
#include "core/to_size.h"

namespace clipmill::stages::self_collision {

SkinTrial::SkinTrial(const Scene& scene, const penetration::SelfPenetration& skin,
                     const LimbPoser& poser)
    : scene_(scene),
      skin_(skin),
      poser_(poser),
      pose_(skin.makePose()),
      changes_(poser.limbCount()) {}

void SkinTrial::setPose(const PoseSpans& base, std::span<const LimbChange> changes) {
  base_ = base;
  computeWorlds(scene_.skeleton, base.locals, scene_.metric_from_file, base_worlds_);
  std::fill(changes_.begin(), changes_.end(), kNoChange);
  std::copy(changes.begin(), changes.end(), changes_.begin());
  computeChanged();
  skin_.pose(file_worlds_, base.weights, *pose_);
}

void SkinTrial::setChanges(std::span<const std::size_t> limbs,
                           std::span<const LimbChange> changes) {
  for (std::size_t i = 0; i < limbs.size(); ++i) changes_[limbs[i]] = changes[i];
  computeChanged();
  for (const std::size_t limb : limbs) {
    for (const humanoid::BodyPart part : poser_.limb(limb).parts)
      skin_.posePart(part, file_worlds_, *pose_);
  }
}

Vec3 SkinTrial::positionOf(int node) const {
  return transformPoint(scene_.metric_from_file, file_worlds_[toSize(node)].translation);
}

std::vector<Transform> SkinTrial::localsWith(std::span<const LimbChange> changes) const {
  std::vector<Transform> locals(base_.locals.begin(), base_.locals.end());
  for (std::size_t limb = 0; limb < changes.size(); ++limb) {
    poser_.apply(limb, changes[limb], base_worlds_, locals);
  }
  return locals;
}

std::vector<Affine> SkinTrial::worldsWith(std::span<const LimbChange> changes) const {
  std::vector<Affine> worlds;
  computeWorlds(scene_.skeleton, localsWith(changes), scene_.metric_from_file, worlds);
  return worlds;
}

void SkinTrial::computeChanged() {
  locals_ = localsWith(changes_);
  computeWorlds(scene_.skeleton, locals_, Affine(), file_worlds_);
}

}  // namespace clipmill::stages::self_collision
