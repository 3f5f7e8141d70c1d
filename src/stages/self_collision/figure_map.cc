// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/figure_map.h"

#include <algorithm>

#include "core/text.h"

namespace clipmill::collision {
namespace {

constexpr const char* kHowToGive = "give roles with map, such as \"leftUpperArm=NAME\"";

// Of what an error shows; `info` shows it whole.
constexpr std::size_t kLongestMap = 320;

std::string rolesOf(const Skeleton& skeleton, const HumanoidMap& map) {
  std::string text;
  for (std::size_t r = 0; r < kHumanoidRoleCount; ++r) {
    if (map.nodes[r] < 0) continue;
    text += (text.empty() ? "" : ", ") +
            std::string(humanoidRoleName(static_cast<HumanoidRole>(r))) + "=" +
            skeleton.nodes[static_cast<std::size_t>(map.nodes[r])].name;
  }
  return text;
}

std::string doubtsOf(const HumanoidMap& map) {
  std::string text;
  for (const std::string& doubt : map.doubts) text += (text.empty() ? "" : ", ") + doubt;
  return text;
}

}  // namespace

std::string figureNote(const HumanoidMap& map) {
  const auto count = static_cast<std::size_t>(
      std::count_if(map.nodes.begin(), map.nodes.end(), [](int node) { return node >= 0; }));
  return std::string("human figure ") + (map.origin == HumanoidMap::Origin::kGiven ? "" : "by ") +
         originName(map.origin) + ", " + counted(count, "role") + ", confidence " +
         fixedText(map.confidence, 2);
}

Result<HumanoidMap> chooseFigure(const Scene& scene, const SelfCollisionSettings& settings) {
  CLIPMILL_TRY(HumanoidMap map, humanoidFromPairs(scene, settings.map));
  if (map.origin == HumanoidMap::Origin::kNone) {
    return Error{ErrorCode::kUnsupported, "self-collision", "no human figure was found",
                 kHowToGive};
  }
  if (map.confidence < settings.min_confidence) {
    const std::string doubts = map.doubts.empty() ? "" : "; in doubt: " + doubtsOf(map);
    return Error{
        ErrorCode::kUnsupported, "self-collision",
        printable("min_confidence is " + numberText(settings.min_confidence) + ", and this " +
                      figureNote(map) + ": " + rolesOf(scene.skeleton, map) + doubts,
                  kLongestMap),
        "give roles with map, or lower min_confidence"};
  }
  return map;
}

}  // namespace clipmill::collision
