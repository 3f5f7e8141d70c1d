// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/root_joint.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "core/math.h"
#include "core/to_size.h"
#include "locomotion/ground.h"
#include "scene/partial_pose.h"

namespace clipmill::locomotion {
namespace {

// Minimum share of the joints below a node, and of the farthest travel.
constexpr double kHalf = 0.5;

bool isAbove(const Skeleton& skeleton, int above, int node) {
  while (node > above) node = skeleton.nodes[toSize(node)].parent;
  return node == above;
}

bool changes(const Motion& motion, int node) {
  const std::size_t i = toSize(node);
  for (std::size_t frame = 1; frame < motion.grid.frame_count; ++frame) {
    if (!(motion.localsOf(frame)[i] == motion.localsOf(0)[i])) return true;
  }
  return false;
}

// How many of `nodes` are at or below each node.
std::vector<std::size_t> countBelow(const Skeleton& skeleton, const std::vector<int>& nodes) {
  std::vector<std::size_t> counts(skeleton.size(), 0);
  for (int node : nodes) ++counts[toSize(node)];
  for (std::size_t i = skeleton.size(); i-- > 0;) {
    const int parent = skeleton.nodes[i].parent;
    if (parent >= 0) counts[toSize(parent)] += counts[i];
  }
  return counts;
}

// Joints of every skin, each once; all animated nodes where there is no skin.
std::vector<std::vector<int>> charactersOf(const Scene& scene, const Motion* motion) {
  std::vector<std::vector<int>> characters;
  for (const Skin& skin : scene.skins) {
    std::vector<int> joints = skin.joints;
    std::sort(joints.begin(), joints.end());
    joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
    if (!joints.empty()) characters.push_back(std::move(joints));
  }
  if (!characters.empty()) return characters;
  std::vector<int> all;
  for (int i = 0; i < static_cast<int>(scene.skeleton.size()); ++i) {
    if (!motion || changes(*motion, i)) all.push_back(i);
  }
  if (!all.empty()) characters.push_back(std::move(all));
  return characters;
}

const std::vector<int>* largestOf(const std::vector<std::vector<int>>& characters) {
  const auto largest =
      std::max_element(characters.begin(), characters.end(),
                       [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return largest == characters.end() ? nullptr : &*largest;
}

// How far a node's own translation moves it along the ground, relative to its parent.
struct OwnTrajectory {
  int node = 0;
  double reach_m = 0.0;  // from where it starts to its farthest point
};

OwnTrajectory ownPath(const Scene& scene, const Motion& motion, int node) {
  PartialPose worlds(scene, motion, std::span(&node, 1));
  OwnTrajectory path{node, 0.0};
  const std::size_t i = toSize(node);
  Vec3 gone_m(0.0);
  for (std::size_t frame = 1; frame < motion.grid.frame_count; ++frame) {
    worlds.seekFrame(frame);
    const Vec3 step =
        motion.localsOf(frame)[i].translation - motion.localsOf(frame - 1)[i].translation;
    gone_m += transformVector(worlds.parentOf(0), step);
    path.reach_m = std::max(path.reach_m, horizontalLength(gone_m));
  }
  return path;
}

bool translationChanges(const Motion& motion, int node) {
  const std::size_t i = toSize(node);
  for (std::size_t frame = 1; frame < motion.grid.frame_count; ++frame) {
    if (motion.localsOf(frame)[i].translation != motion.localsOf(0)[i].translation) return true;
  }
  return false;
}

// Animated nodes with half of a character at or below them, parents first.
std::vector<OwnTrajectory> candidatesOf(const Scene& scene, const Motion& motion) {
  std::vector<bool> bears(scene.skeleton.size(), false);
  for (const std::vector<int>& character : charactersOf(scene, &motion)) {
    const std::vector<std::size_t> below = countBelow(scene.skeleton, character);
    for (std::size_t i = 0; i < below.size(); ++i) {
      if (static_cast<double>(below[i]) >= kHalf * static_cast<double>(character.size())) {
        bears[i] = true;
      }
    }
  }
  std::vector<OwnTrajectory> paths;
  for (int node = 0; node < static_cast<int>(bears.size()); ++node) {
    if (!bears[toSize(node)] || !translationChanges(motion, node)) continue;
    paths.push_back(ownPath(scene, motion, node));
  }
  return paths;
}

// Rotation of a node in the axes of its parent that is a rotation about the vertical in the world.
struct LocalRotation {
  Quat rotation = kIdentityRotation;
  bool is_rotation = true;  // false where uneven scales above make it a shear
};

// The axes of a node's rotation; without scale where the node does not inherit it.
Mat3 axesAbove(const Node& node, const Affine& parent) {
  if (node.inherit == InheritScale::kAll) return parent.linear;
  const Mat3& m = parent.linear;
  return Mat3(m[0] / lengthOf(m[0]), m[1] / lengthOf(m[1]), m[2] / lengthOf(m[2]));
}

LocalRotation localRotation(const Mat3& axes, double rotation_rad) {
  constexpr double kShear = 1e-6;
  const Mat3 rotation = glm::mat3_cast(rotationAbout(Vec3(0, 1, 0), rotation_rad));
  double shear = 0.0;
  const Transform local = decompose({glm::inverse(axes) * rotation * axes, Vec3(0.0)}, &shear);
  const Vec3 excess = local.scale - Vec3(1.0);
  const double uneven = std::max({std::abs(excess.x), std::abs(excess.y), std::abs(excess.z)});
  return {local.rotation, shear < kShear && uneven < kShear};
}

}  // namespace

double characterHeight(const Scene& scene) {
  constexpr double kLeast_m = 1e-3;
  std::vector<Affine> worlds;
  const Pose rest = restPose(scene.skeleton);
  computeWorlds(scene.skeleton, rest.locals, scene.metric_from_file, worlds);
  double low = 0.0, high = 0.0;
  bool first = true;
  for (const std::vector<int>& character : charactersOf(scene, nullptr)) {
    for (int joint : character) {
      const double y = worlds[toSize(joint)].translation.y;
      if (!std::isfinite(y)) continue;
      low = first ? y : std::min(low, y);
      high = first ? y : std::max(high, y);
      first = false;
    }
  }
  return high - low > kLeast_m ? high - low : 1.0;
}

int findMovingJoint(const Scene& scene, const Motion& motion, double still_m) {
  const std::vector<OwnTrajectory> paths = candidatesOf(scene, motion);
  double farthest_m = 0.0;
  for (const OwnTrajectory& path : paths) farthest_m = std::max(farthest_m, path.reach_m);
  if (!(farthest_m > still_m)) return -1;
  const auto topmost = std::find_if(paths.begin(), paths.end(), [&](const OwnTrajectory& path) {
    return path.reach_m >= kHalf * farthest_m;
  });
  return topmost->node;
}

int nodeAboveCharacter(const Scene& scene) {
  const std::vector<std::vector<int>> characters = charactersOf(scene, nullptr);
  const std::vector<int>* character = largestOf(characters);
  if (!character) return -1;
  if (scene.skins.empty()) return character->front();
  const std::vector<std::size_t> below = countBelow(scene.skeleton, *character);
  int lowest = character->front();
  for (int node = 0; node < static_cast<int>(below.size()); ++node) {
    if (below[toSize(node)] == character->size()) lowest = node;
  }
  return lowest;
}

Result<int> findRootMotionJoint(const Scene& scene, const Motion& motion, const std::string& root,
                                double still_m) {
  if (!root.empty()) return findOneNode(scene.skeleton, root, "root_joint");
  int node = findMovingJoint(scene, motion, still_m);
  if (node < 0) node = nodeAboveCharacter(scene);
  if (node < 0) return Error{ErrorCode::kRecipe, "root_joint", "the file has no node to move", ""};
  return node;
}

int bodyNode(const Scene& scene, int from) {
  constexpr double kNearlyAll = 0.9;
  const std::vector<std::vector<int>> characters = charactersOf(scene, nullptr);
  const std::vector<int>* character = largestOf(characters);
  if (!character) return from;
  const std::vector<std::size_t> below = countBelow(scene.skeleton, *character);
  const auto countOf = [&](int node) { return static_cast<double>(below[toSize(node)]); };
  const std::vector<std::vector<int>> children = childrenOf(scene.skeleton);
  for (int node = from;;) {
    int next = -1;
    for (int child : children[toSize(node)]) {
      if (countOf(child) >= kNearlyAll * countOf(node) && countOf(child) > 1.0) next = child;
    }
    if (next < 0) return node;
    node = next;
  }
}

Result<std::vector<int>> findFollowers(const Scene& scene, int moved,
                                       const std::vector<std::string>& patterns) {
  std::vector<int> followers;
  for (const std::string& pattern : patterns) {
    const std::vector<int> matches = findNodes(scene.skeleton, pattern);
    if (matches.empty()) return noSuchNode(scene.skeleton, pattern, "follow");
    followers.insert(followers.end(), matches.begin(), matches.end());
  }
  std::sort(followers.begin(), followers.end());
  std::vector<int> topmost;
  for (int node : followers) {
    const bool is_carried = isAbove(scene.skeleton, moved, node) ||
                            std::any_of(topmost.begin(), topmost.end(), [&](int above) {
                              return isAbove(scene.skeleton, above, node);
                            });
    if (is_carried) continue;
    if (isAbove(scene.skeleton, node, moved)) {
      return Error{ErrorCode::kRecipe, "follow",
                   "'" + scene.skeleton.nodes[toSize(node)].name + "' is above the node that moves",
                   "name it as root_joint instead"};
    }
    topmost.push_back(node);
  }
  return topmost;
}

std::vector<int> findDetachedJoints(const Scene& scene, const humanoid::HumanoidMap& map, int moved,
                                    std::span<const int> followers) {
  const int hips = map[humanoid::HumanoidRole::kHips];
  if (hips < 0 || !isAtOrBelow(scene.skeleton, hips, moved)) return {};
  std::vector<int> joints(map.nodes.begin(), map.nodes.end());
  std::sort(joints.begin(), joints.end());
  std::vector<int> detached;
  const auto carries = [&](int above, int node) {
    return isAtOrBelow(scene.skeleton, node, above);
  };
  for (const int node : joints) {
    if (node < 0 || carries(moved, node) || carries(node, moved)) continue;
    const auto isCarriedBy = [&](int above) { return carries(above, node); };
    if (std::any_of(followers.begin(), followers.end(), isCarriedBy)) continue;
    if (std::any_of(detached.begin(), detached.end(), isCarriedBy)) continue;
    detached.push_back(node);
  }
  return detached;
}

std::vector<std::string> findLeftBehind(const Scene& scene, const Motion& motion,
                                        std::span<const int> moved) {
  constexpr double kNear_heights = 2.0;
  const double near_m = kNear_heights * characterHeight(scene);
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, motion.localsOf(0), scene.metric_from_file, worlds);
  const Vec3 at_m = worlds[toSize(moved.front())].translation;
  std::vector<int> found;
  std::vector<std::string> names;
  for (int node = 0; node < static_cast<int>(scene.skeleton.size()); ++node) {
    const auto isHeld = [&](int above) { return isAbove(scene.skeleton, above, node); };
    if (std::any_of(moved.begin(), moved.end(), isHeld) ||
        std::any_of(found.begin(), found.end(), isHeld) ||
        isAbove(scene.skeleton, node, moved.front()) || !translationChanges(motion, node) ||
        lengthOf(worlds[toSize(node)].translation - at_m) > near_m) {
      continue;
    }
    found.push_back(node);
    names.push_back(scene.skeleton.nodes[toSize(node)].name);
  }
  return names;
}

void writeMoves(const Scene& scene, std::span<const int> nodes, std::span<const RootMove> moves,
                Motion& motion, Warnings& warnings) {
  PartialPose worlds(scene, motion, nodes);  // of a frame, before it is written
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    const RootMove& move = moves[frame];
    if (move.from_m == move.to_m && move.rotation_rad == 0.0) continue;
    worlds.seekFrame(frame);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const Affine& parent = worlds.parentOf(n);
      const Vec3 at_m = worlds.worldOf(n).translation;
      const Vec3 shift_m = move.to_m - move.from_m +
                           rotated(at_m - move.from_m, move.rotation_rad) - (at_m - move.from_m);
      const Vec3 shift = glm::inverse(parent.linear) * shift_m;
      const auto node = toSize(nodes[n]);
      const std::string& name = scene.skeleton.nodes[node].name;
      if (!isFinite(shift)) {
        warnings.add("parent_without_inverse",
                     "a node cannot be moved, because a node above it has scale 0", name);
        continue;
      }
      Transform& local = motion.locals[frame * motion.node_count + node];
      local.translation += shift;
      if (shift != Vec3(0.0)) motion.modified.set(nodes[n], TrackPath::kTranslation);
      if (move.rotation_rad == 0.0) continue;
      const LocalRotation rotation =
          localRotation(axesAbove(scene.skeleton.nodes[node], parent), move.rotation_rad);
      if (!rotation.is_rotation) {
        warnings.add(
            "rotation_under_nonuniform_scale",
            "a node is rotated under a non-uniform scale, and the shear that results is dropped",
            name);
      }
      local.rotation = normalizedOrIdentity(rotation.rotation * local.rotation);
      motion.modified.set(nodes[n], TrackPath::kRotation);
    }
  }
}

}  // namespace clipmill::locomotion
