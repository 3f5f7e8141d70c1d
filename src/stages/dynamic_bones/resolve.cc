// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/resolve.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/text.h"
#include "scene/humanoid.h"
#include "stages/dynamic_bones/auto_setup.h"
#include "stages/dynamic_bones/collider_fit.h"
#include "stages/dynamic_bones/file_springs.h"
#include "stages/dynamic_bones/rig_bones.h"

namespace clipmill {
namespace {

using Notes = std::vector<std::string>;

void append(Notes& notes, Notes more) {
  for (std::string& note : more) notes.push_back(std::move(note));
}

// What the file's own engine would do is asked for by name, so it must be what the file has.
Status checkSprings(const SpringSetup& springs, DynamicBonesMethod method) {
  using Kind = SpringSetup::Kind;
  if (method != DynamicBonesMethod::kVrm1 && method != DynamicBonesMethod::kVrm0) return {};
  const bool wants_1 = method == DynamicBonesMethod::kVrm1;
  if (springs.kind == (wants_1 ? Kind::kVrm1 : Kind::kVrm0)) return {};
  const std::string wanted = wants_1 ? "1.0" : "0.x";
  return Error{ErrorCode::kUnsupported, "method", "the file has no springs of VRM " + wanted,
               springs.kind == Kind::kNone ? "use method = \"spring\""
               : wants_1                   ? "its springs are of VRM 0.x: use method = \"vrm0\""
                                           : "its springs are of VRM 1.0: use method = \"vrm1\""};
}

Result<Notes> fitToSkin(const Scene& scene, DynamicBonesSettings& settings) {
  CLIPMILL_TRY(const bones::SwingingNodes found, bones::findBones(scene, settings));
  auto fitted = bones::fitColliders(scene, findHumanoid(scene), found.swings);
  Notes notes = {counted(fitted.size(), "collider") + " fitted to the skin"};
  for (ColliderSettings& collider : fitted) settings.collider.push_back(std::move(collider));
  return notes;
}

}  // namespace

Result<ResolvedSettings> resolveDynamicBones(const Scene& scene, std::span<const Motion> motions,
                                             const DynamicBonesSettings& settings) {
  CLIPMILL_CHECK(checkSprings(scene.springs, settings.method));
  auto resolved = std::make_shared<DynamicBonesSettings>(settings);
  Notes notes;
  if (resolved->chain.empty()) {
    CLIPMILL_TRY(Notes springs, addFileSprings(scene, *resolved));
    append(notes, std::move(springs));
  }
  if (settings.find_chains) {
    append(notes, addFoundChains(scene, motions, *resolved));
    resolved->find_chains = false;
  }
  if (settings.colliders == ColliderSource::kAuto && !resolved->chain.empty()) {
    CLIPMILL_TRY(Notes fitted, fitToSkin(scene, *resolved));
    append(notes, std::move(fitted));
    resolved->colliders = ColliderSource::kGiven;
  }
  return ResolvedSettings{std::move(resolved), std::move(notes)};
}

}  // namespace clipmill
