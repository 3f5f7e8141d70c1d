// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/character_map.h"

#include <algorithm>

#include "core/text.h"
#include "core/to_size.h"

namespace clipmill::stages::self_collision {
namespace {

constexpr const char* kRemedy = "assign roles with humanoid_map, for example \"leftUpperArm=NAME\"";

// Of the text in an error; `info` prints the whole map.
constexpr std::size_t kMaxMapLength = 320;

std::string rolesOf(const Skeleton& skeleton, const humanoid::HumanoidMap& map) {
  std::string text;
  for (std::size_t r = 0; r < humanoid::kHumanoidRoleCount; ++r) {
    if (map.nodes[r] < 0) continue;
    text += (text.empty() ? "" : ", ") +
            std::string(humanoid::humanoidRoleName(static_cast<humanoid::HumanoidRole>(r))) + "=" +
            skeleton.nodes[toSize(map.nodes[r])].name;
  }
  return text;
}

std::string doubtsOf(const humanoid::HumanoidMap& map) {
  std::string text;
  for (const std::string& doubt : map.doubts) text += (text.empty() ? "" : ", ") + doubt;
  return text;
}

}  // namespace

std::string characterNote(const humanoid::HumanoidMap& map) {
  const auto count =
      toSize(std::count_if(map.nodes.begin(), map.nodes.end(), [](int node) { return node >= 0; }));
  return std::string("humanoid ") +
         (map.origin == humanoid::HumanoidMap::Origin::kGiven ? "" : "by ") +
         humanoid::originName(map.origin) + ", " + counted(count, "role") + ", confidence " +
         fixedText(map.confidence, 2);
}

Result<humanoid::HumanoidMap> chooseCharacter(const Scene& scene,
                                              const SelfCollisionSettings& settings) {
  CLIPMILL_TRY(humanoid::HumanoidMap map,
               humanoid::humanoidFromPairs(scene, settings.humanoid_map));
  if (map.origin == humanoid::HumanoidMap::Origin::kNone) {
    return Error{ErrorCode::kUnsupported, "self-collision", "no humanoid was found", kRemedy};
  }
  if (map.confidence < settings.min_confidence) {
    const std::string doubts = map.doubts.empty() ? "" : "; uncertain: " + doubtsOf(map);
    return Error{ErrorCode::kUnsupported, "self-collision",
                 printable("min_confidence is " + numberText(settings.min_confidence) +
                               ", but the file has a " + characterNote(map) + ": " +
                               rolesOf(scene.skeleton, map) + doubts,
                           kMaxMapLength),
                 "assign roles with humanoid_map, or lower min_confidence"};
  }
  return map;
}

}  // namespace clipmill::stages::self_collision
