// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/node_match.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/math.h"
#include "core/text.h"
#include "core/to_size.h"
#include "humanoid/fingers.h"
#include "retarget/skeleton_identity.h"
#include "scene/face_shapes.h"

namespace clipmill::retarget {
namespace {

// Below that a map is a guess, and a clip put on it would be a mess.
constexpr double kMinConfidence = 0.5;
// Hips, and what is left of a character of which whole limbs are missing.
constexpr std::size_t kFewestRoles = 8;

// What floats in files make of a rest pose that is the same.
constexpr double kSameRest = 1e-6;

constexpr std::array kTrunk = {humanoid::HumanoidRole::kSpine, humanoid::HumanoidRole::kChest,
                               humanoid::HumanoidRole::kUpperChest};

bool isTrunk(humanoid::HumanoidRole role) {
  return std::find(kTrunk.begin(), kTrunk.end(), role) != kTrunk.end();
}

bool movesInSpace(const TrackMask& animated, int node) {
  return animated.has(node, TrackPath::kTranslation) || animated.has(node, TrackPath::kRotation) ||
         animated.has(node, TrackPath::kScale);
}

// Nodes by name; -1 for a name that several share.
std::map<std::string, int> nodesByName(const Skeleton& skeleton) {
  std::map<std::string, int> nodes;
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    const auto [found, is_new] = nodes.emplace(skeleton.nodes[n].name, static_cast<int>(n));
    if (!is_new) found->second = -1;
  }
  return nodes;
}

// Nodes whose names repeat by their paths; -1 for a path that several share.
std::map<std::string, int> repeatedByPath(const Skeleton& skeleton,
                                          const std::map<std::string, int>& by_name) {
  std::map<std::string, int> nodes;
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    if (by_name.at(skeleton.nodes[n].name) >= 0) continue;
    const int node = static_cast<int>(n);
    const auto [found, is_new] = nodes.emplace(pathOf(skeleton, node), node);
    if (!is_new) found->second = -1;
  }
  return nodes;
}

// The nodes of a scene that can be identified by their names, or where these repeat by their paths.
class NamedNodes {
 public:
  explicit NamedNodes(const Skeleton& skeleton)
      : skeleton_(skeleton),
        by_name_(nodesByName(skeleton)),
        by_path_(repeatedByPath(skeleton, by_name_)) {}

  // The node with the name of `node` of `other`, if both can be identified; else -1.
  int namesakeOf(const NamedNodes& other, int node) const {
    const std::string& name = other.skeleton_.nodes[toSize(node)].name;
    const auto found = by_name_.find(name);
    if (found == by_name_.end()) return -1;
    const bool repeats_there = other.by_name_.at(name) < 0, repeats_here = found->second < 0;
    if (!repeats_there && !repeats_here) return found->second;
    if (!repeats_there || !repeats_here) return -1;
    const std::string path = pathOf(other.skeleton_, node);
    const auto same_path = by_path_.find(path);
    return other.by_path_.at(path) < 0 || same_path == by_path_.end() ? -1 : same_path->second;
  }

 private:
  const Skeleton& skeleton_;
  std::map<std::string, int> by_name_, by_path_;
};

struct Namesakes {
  std::vector<NodePair> pairs;
  std::size_t moving = 0;  // nodes of the source that move in space
  std::size_t paired = 0;  // those of them that have a namesake
};

Namesakes findNamesakes(const Scene& source, const TrackMask& animated, const Scene& target) {
  const NamedNodes source_nodes(source.skeleton), target_nodes(target.skeleton);
  Namesakes found;
  for (std::size_t n = 0; n < source.skeleton.size(); ++n) {
    const int node = static_cast<int>(n);
    if (!animated.any(node)) continue;
    const bool moves = movesInSpace(animated, node);
    if (moves) ++found.moving;
    const int namesake = target_nodes.namesakeOf(source_nodes, node);
    if (namesake < 0) continue;
    if (moves) ++found.paired;
    found.pairs.push_back({node, namesake});
  }
  return found;
}

bool isNear(const Vec3& a, const Vec3& b) {
  return lengthOf(a - b) <= kSameRest * std::max(1.0, lengthOf(a));
}

bool isSameNode(const Node& a, const Node& b) {
  const double cosine = std::fabs(
      glm::dot(normalizedOrIdentity(a.rest.rotation), normalizedOrIdentity(b.rest.rotation)));
  return a.name == b.name && a.inherit == b.inherit &&
         isNear(a.rest.translation, b.rest.translation) && isNear(a.rest.scale, b.rest.scale) &&
         1.0 - cosine <= kSameRest * kSameRest;
}

bool isSameSpace(const Affine& a, const Affine& b) {
  if (!isNear(a.translation, b.translation)) return false;
  for (int c = 0; c < 3; ++c) {
    const double scale = std::max(lengthOf(a.linear[c]), lengthOf(b.linear[c]));
    if (lengthOf(a.linear[c] - b.linear[c]) > kSameRest * scale) return false;
  }
  return true;
}

// True where locals of the source mean the same in the target.
bool isSameRig(const Scene& source, const Scene& target, std::span<const NodePair> pairs) {
  if (!isSameSpace(source.metric_from_file, target.metric_from_file)) return false;
  return std::all_of(pairs.begin(), pairs.end(), [&](const NodePair& pair) {
    int s = pair.source, t = pair.target;
    while (s >= 0 && t >= 0) {
      const Node& a = source.skeleton.nodes[toSize(s)];
      const Node& b = target.skeleton.nodes[toSize(t)];
      if (!isSameNode(a, b)) return false;
      s = a.parent;
      t = b.parent;
    }
    return s < 0 && t < 0;
  });
}

// The same where the source's rest pose may be any pose.
bool isSameWithoutBind(const Scene& source, const TrackMask& animated, const Scene& target,
                       std::span<const NodePair> pairs) {
  if (!isSameSpace(source.metric_from_file, target.metric_from_file)) return false;
  std::vector<int> nodes;
  for (const NodePair& pair : pairs) nodes.push_back(pair.source);
  return !hasBindPose(source, nodes) && isSameSkeleton(source, animated, target, pairs);
}

std::vector<int> trunkOf(const humanoid::HumanoidMap& map) {
  std::vector<int> joints;
  for (const humanoid::HumanoidRole role : kTrunk) {
    if (map[role] >= 0) joints.push_back(map[role]);
  }
  return joints;
}

// The last joint follows the last one, which carries shoulders and neck; those between are spread
// evenly.
void pairTrunks(const humanoid::HumanoidMap& source, const humanoid::HumanoidMap& target,
                std::vector<NodePair>& pairs) {
  const std::vector<int> from = trunkOf(source), to = trunkOf(target);
  if (from.empty()) return;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const std::size_t after = to.size() - 1 - i;  // joints above this one
    const std::size_t back = to.size() > 1 ? after * (from.size() - 1) / (to.size() - 1) : 0;
    pairs.push_back({from[from.size() - 1 - back], to[i]});
  }
}

bool isKnownRole(const std::string& name) {
  for (std::size_t r = 0; r < humanoid::kHumanoidRoleCount; ++r) {
    if (name == humanoid::humanoidRoleName(static_cast<humanoid::HumanoidRole>(r))) return true;
  }
  return false;
}

// Joint by joint from the palm, where both characters have the finger.
void pairFingers(const Scene& source, const humanoid::HumanoidMap& source_map, const Scene& target,
                 const humanoid::HumanoidMap& target_map, std::vector<NodePair>& pairs) {
  const humanoid::Fingers from = humanoid::findFingers(source, source_map),
                          to = humanoid::findFingers(target, target_map);
  for (std::size_t side = 0; side < to.size(); ++side) {
    for (std::size_t finger = 0; finger < humanoid::kFingerCount; ++finger) {
      for (std::size_t joint = 0; joint < humanoid::kFingerJoints; ++joint) {
        const int s = from[side][finger][joint], t = to[side][finger][joint];
        if (s >= 0 && t >= 0) pairs.push_back({s, t});
      }
    }
  }
}

// Eyes, the jaw and the like, which only files declare; or all roles.
void pairDeclared(const Scene& source, const Scene& target, bool also_known,
                  std::vector<NodePair>& pairs) {
  for (const DeclaredRole& to : target.humanoid) {
    if (!also_known && isKnownRole(to.role)) continue;
    for (const DeclaredRole& from : source.humanoid) {
      if (from.role == to.role) pairs.push_back({from.node, to.node});
    }
  }
}

std::vector<NodePair> pairRoles(const Scene& source, const humanoid::HumanoidMap& source_map,
                                const Scene& target, const humanoid::HumanoidMap& target_map) {
  std::vector<NodePair> pairs;
  if (source.t_pose_front && target.t_pose_front) {
    pairDeclared(source, target, true, pairs);
    return pairs;
  }
  for (std::size_t r = 0; r < humanoid::kHumanoidRoleCount; ++r) {
    const auto role = static_cast<humanoid::HumanoidRole>(r);
    if (isTrunk(role) || source_map[role] < 0 || target_map[role] < 0) continue;
    pairs.push_back({source_map[role], target_map[role]});
  }
  pairTrunks(source_map, target_map, pairs);
  pairFingers(source, source_map, target, target_map, pairs);
  pairDeclared(source, target, false, pairs);
  return pairs;
}

// Those of nodes that have no match yet.
void addNamesakes(std::span<const NodePair> namesakes, std::vector<NodePair>& pairs) {
  const std::vector<NodePair> before = pairs;
  for (const NodePair& added : namesakes) {
    const bool is_free = std::none_of(before.begin(), before.end(), [&](const NodePair& pair) {
      return pair.source == added.source || pair.target == added.target;
    });
    if (is_free) pairs.push_back(added);
  }
}

// Parents first, and every target once: the first pair counts.
std::vector<NodePair> sorted(std::vector<NodePair> pairs) {
  const auto target_less = [](const NodePair& a, const NodePair& b) { return a.target < b.target; };
  std::stable_sort(pairs.begin(), pairs.end(), target_less);
  const auto same = [](const NodePair& a, const NodePair& b) { return a.target == b.target; };
  pairs.erase(std::unique(pairs.begin(), pairs.end(), same), pairs.end());
  return pairs;
}

std::string describeMap(const humanoid::HumanoidMap& map) {
  const auto roles =
      toSize(std::count_if(map.nodes.begin(), map.nodes.end(), [](int node) { return node >= 0; }));
  if (map.origin == humanoid::HumanoidMap::Origin::kNone || roles == 0) return "no human character";
  std::string text = "a human character with " + counted(roles, "role") + ", confidence " +
                     fixedText(map.confidence, 2);
  if (!map.doubts.empty()) text += " (" + map.doubts.front() + ")";
  return text;
}

bool isSure(const humanoid::HumanoidMap& map) {
  return map.origin != humanoid::HumanoidMap::Origin::kNone && map.confidence >= kMinConfidence &&
         map[humanoid::HumanoidRole::kHips] >= 0;
}

// What is found without given pairs.
Result<NodeMatch> foundMatch(const Scene& source, const TrackMask& animated,
                             const humanoid::HumanoidMap& source_map, const Scene& target,
                             const humanoid::HumanoidMap& target_map) {
  if (isFaceAlone(source)) {  // there are no joints to match
    return NodeMatch{NodeMatch::Origin::kNames, {}, source_map, target_map};
  }
  const Namesakes namesakes = findNamesakes(source, animated, target);
  const bool have_namesakes = 2 * namesakes.paired > namesakes.moving;
  if (have_namesakes && isSameRig(source, target, namesakes.pairs)) {
    return NodeMatch{NodeMatch::Origin::kSameRig, sorted(namesakes.pairs), source_map, target_map};
  }
  if (have_namesakes && isSameWithoutBind(source, animated, target, namesakes.pairs)) {
    return NodeMatch{NodeMatch::Origin::kSameSkeleton, sorted(namesakes.pairs), source_map,
                     target_map};
  }
  std::vector<NodePair> pairs = sorted(pairRoles(source, source_map, target, target_map));
  if (pairs.size() >= kFewestRoles && isSure(source_map) && isSure(target_map)) {
    if (have_namesakes) addNamesakes(namesakes.pairs, pairs);
    return NodeMatch{NodeMatch::Origin::kRoles, sorted(std::move(pairs)), source_map, target_map};
  }
  if (have_namesakes) {
    return NodeMatch{NodeMatch::Origin::kNames, sorted(namesakes.pairs), source_map, target_map};
  }
  return Error{ErrorCode::kUnsupported, "",
               "matches no character of this file: " + std::to_string(namesakes.paired) + " of " +
                   counted(namesakes.moving, "moving node") +
                   " have a namesake; the clip's file has " + describeMap(source_map) +
                   ", the other " + describeMap(target_map),
               "give a clip of the same skeleton, or two characters whose bones have common names"};
}

}  // namespace

Result<NodeMatch> matchNodes(const Scene& source, const TrackMask& animated,
                             const humanoid::HumanoidMap& source_map, const Scene& target,
                             const humanoid::HumanoidMap& target_map,
                             std::span<const NodePair> given) {
  Result<NodeMatch> found = foundMatch(source, animated, source_map, target, target_map);
  if (given.empty()) return found;
  NodeMatch match;
  if (found.ok()) {
    match = std::move(*found);
    // Two nodes of one skeleton that do not belong together are no copies of each other.
    if (match.origin == NodeMatch::Origin::kSameRig ||
        match.origin == NodeMatch::Origin::kSameSkeleton) {
      match.origin = NodeMatch::Origin::kNames;
    }
  } else {
    match.source_map = source_map;
    match.target_map = target_map;
  }
  std::vector<NodePair> pairs(given.begin(), given.end());
  pairs.insert(pairs.end(), match.pairs.begin(), match.pairs.end());
  match.pairs = sorted(std::move(pairs));
  return match;
}

Result<std::vector<NodePair>> parsePairs(const Scene& source, const Scene& target,
                                         std::span<const std::string> texts) {
  const std::string location = "clip_from_map";
  std::vector<NodePair> pairs;
  for (const std::string& text : texts) {
    const auto sides = splitText(text, '=');
    if (sides.size() != 2) {
      return Error{ErrorCode::kRecipe, location, "'" + text + "' is no pair of nodes",
                   "write source=target: a node of the clip's file and a node of the character"};
    }
    NodePair pair;
    auto theirs = findOneNode(source.skeleton, std::string(trimmed(sides[0])), location);
    if (!theirs) return within("of the clip's file", theirs.error());
    CLIPMILL_TRY(pair.target,
                 findOneNode(target.skeleton, std::string(trimmed(sides[1])), location));
    pair.source = *theirs;
    for (const NodePair& known : pairs) {
      if (known.target != pair.target) continue;
      return Error{ErrorCode::kRecipe, location,
                   "'" + std::string(trimmed(sides[1])) + "' is in two pairs", "leave one out"};
    }
    pairs.push_back(pair);
  }
  return pairs;
}

Result<NodeMatch> matchNodes(const Scene& source, const TrackMask& animated, const Scene& target) {
  return matchNodes(source, animated, humanoid::findHumanoid(source), target,
                    humanoid::findHumanoid(target));
}

}  // namespace clipmill::retarget
