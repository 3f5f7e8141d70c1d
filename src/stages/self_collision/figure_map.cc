// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/figure_map.h"

#include "core/text.h"

namespace clipmill::collision {
namespace {

constexpr const char* kHowToGive = "give roles with map, such as \"leftUpperArm=NAME\"";

std::string doubtsOf(const HumanoidMap& map) {
  std::string text;
  for (const std::string& doubt : map.doubts) text += (text.empty() ? "" : ", ") + doubt;
  return text;
}

}  // namespace

std::string describeFigure(const Skeleton& skeleton, const HumanoidMap& map) {
  std::string text = std::string("human figure ") +
                     (map.origin == HumanoidMap::Origin::kGiven ? "" : "by ") +
                     originName(map.origin) + ", confidence " + fixedText(map.confidence, 2);
  const char* separator = ": ";
  for (std::size_t r = 0; r < kHumanoidRoleCount; ++r) {
    if (map.nodes[r] < 0) continue;
    text += separator + std::string(humanoidRoleName(static_cast<HumanoidRole>(r))) + " = " +
            skeleton.nodes[static_cast<std::size_t>(map.nodes[r])].name;
    separator = ", ";
  }
  return text;
}

Result<HumanoidMap> chooseFigure(const Scene& scene, const SelfCollisionSettings& settings) {
  CLIPMILL_TRY(HumanoidMap map, humanoidFromPairs(scene, settings.map));
  if (map.origin == HumanoidMap::Origin::kNone) {
    return Error{ErrorCode::kUnsupported, "self-collision", "no human figure was found",
                 kHowToGive};
  }
  if (map.confidence < settings.min_confidence) {
    std::string found = "below min_confidence " + numberText(settings.min_confidence) + " is the " +
                        describeFigure(scene.skeleton, map);
    if (!map.doubts.empty()) found += "; in doubt: " + doubtsOf(map);
    return Error{ErrorCode::kUnsupported, "self-collision", found,
                 std::string(kHowToGive) + ", or lower min_confidence"};
  }
  return map;
}

}  // namespace clipmill::collision
