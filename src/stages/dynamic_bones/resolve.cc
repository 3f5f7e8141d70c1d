// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/resolve.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "humanoid/humanoid.h"
#include "stages/dynamic_bones/chains/auto_setup.h"
#include "stages/dynamic_bones/chains/file_springs.h"
#include "stages/dynamic_bones/rig/collider_fit.h"
#include "stages/dynamic_bones/rig/rig_bones.h"
#include "stages/dynamic_bones/vrm/vrm_run.h"

namespace clipmill::stages::dynamic_bones {
namespace {

using Notes = std::vector<std::string>;

void append(Notes& notes, Notes more) {
  for (std::string& note : more) notes.push_back(std::move(note));
}

Result<Notes> fitToSkin(const Scene& scene, DynamicBonesSettings& settings) {
  CLIPMILL_TRY(const dynamic_bones::SwingingNodes found, dynamic_bones::findBones(scene, settings));
  auto fitted = dynamic_bones::fitColliders(scene, humanoid::findHumanoid(scene), found.swings);
  Notes notes = {counted(fitted.size(), "collider") + " fitted to the skin"};
  for (ColliderSettings& collider : fitted) settings.collider.push_back(std::move(collider));
  return notes;
}

}  // namespace

Result<ResolvedSettings> resolveDynamicBones(const Scene& scene, std::span<const Motion> motions,
                                             const DynamicBonesSettings& settings) {
  auto resolved = std::make_shared<DynamicBonesSettings>(settings);
  Notes notes;
  // These methods read the springs of the file themselves.
  if (dynamic_bones::isVrmMethod(settings.method)) return ResolvedSettings{resolved, notes};
  if (resolved->chain.empty()) {
    CLIPMILL_TRY(Notes springs, addFileSprings(scene, *resolved));
    append(notes, std::move(springs));
  }
  if (settings.find_chains) {
    resolved->found_notes = addFoundChains(scene, motions, *resolved);
    append(notes, resolved->found_notes);
    resolved->find_chains = false;
  }
  if (settings.colliders == ColliderSource::kAuto && !resolved->chain.empty()) {
    CLIPMILL_TRY(Notes fitted, fitToSkin(scene, *resolved));
    append(notes, std::move(fitted));
    resolved->colliders = ColliderSource::kGiven;
    resolved->measures_skin = true;
  }
  return ResolvedSettings{std::move(resolved), std::move(notes)};
}

}  // namespace clipmill::stages::dynamic_bones
