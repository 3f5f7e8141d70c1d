// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/root_track.h"

#include <algorithm>
#include <cmath>

#include "anim/pose.h"
#include "scene/few_worlds.h"
#include "scene/ground.h"

namespace clipmill {
namespace {

// Of what a node has to bear, or to be responsible for, to count.
constexpr double kHalf = 0.5;

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

bool isAbove(const Skeleton& skeleton, int above, int node) {
  while (node > above) node = skeleton.nodes[static_cast<std::size_t>(node)].parent;
  return node == above;
}

bool changes(const Motion& motion, int node) {
  const std::size_t i = static_cast<std::size_t>(node);
  for (std::size_t frame = 1; frame < motion.grid.frame_count; ++frame) {
    if (!(motion.localsOf(frame)[i] == motion.localsOf(0)[i])) return true;
  }
  return false;
}

// How many of `nodes` are at or below each node.
std::vector<std::size_t> countBelow(const Skeleton& skeleton, const std::vector<int>& nodes) {
  std::vector<std::size_t> counts(skeleton.size(), 0);
  for (int node : nodes) ++counts[static_cast<std::size_t>(node)];
  for (std::size_t i = skeleton.size(); i-- > 0;) {
    const int parent = skeleton.nodes[i].parent;
    if (parent >= 0) counts[static_cast<std::size_t>(parent)] += counts[i];
  }
  return counts;
}

// Joints of every skin, each once; what moves at all where there is no skin.
std::vector<std::vector<int>> figuresOf(const Scene& scene, const Motion* motion) {
  std::vector<std::vector<int>> figures;
  for (const Skin& skin : scene.skins) {
    std::vector<int> joints = skin.joints;
    std::sort(joints.begin(), joints.end());
    joints.erase(std::unique(joints.begin(), joints.end()), joints.end());
    if (!joints.empty()) figures.push_back(std::move(joints));
  }
  if (!figures.empty()) return figures;
  std::vector<int> all;
  for (int i = 0; i < static_cast<int>(scene.skeleton.size()); ++i) {
    if (!motion || changes(*motion, i)) all.push_back(i);
  }
  if (!all.empty()) figures.push_back(std::move(all));
  return figures;
}

const std::vector<int>* largestOf(const std::vector<std::vector<int>>& figures) {
  const auto largest =
      std::max_element(figures.begin(), figures.end(),
                       [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return largest == figures.end() ? nullptr : &*largest;
}

// How far a node's own translation takes it along the ground, as its parent stands.
struct OwnWay {
  int node = 0;
  double reach_m = 0.0;  // from where it begins to its farthest point
};

OwnWay ownWay(const Scene& scene, const Motion& motion, int node) {
  FewWorlds worlds(scene, motion, std::span(&node, 1));
  OwnWay way{node, 0.0};
  const std::size_t i = static_cast<std::size_t>(node);
  Vec3 gone_m(0.0);
  for (std::size_t frame = 1; frame < motion.grid.frame_count; ++frame) {
    worlds.seekFrame(frame);
    const Vec3 step =
        motion.localsOf(frame)[i].translation - motion.localsOf(frame - 1)[i].translation;
    gone_m += transformVector(worlds.parentOf(0), step);
    way.reach_m = std::max(way.reach_m, horizontalLength(gone_m));
  }
  return way;
}

bool translationChanges(const Motion& motion, int node) {
  const std::size_t i = static_cast<std::size_t>(node);
  for (std::size_t frame = 1; frame < motion.grid.frame_count; ++frame) {
    if (motion.localsOf(frame)[i].translation != motion.localsOf(0)[i].translation) return true;
  }
  return false;
}

// Nodes that bear half of a figure and move, ascending: those above come first.
std::vector<OwnWay> candidatesOf(const Scene& scene, const Motion& motion) {
  std::vector<bool> bears(scene.skeleton.size(), false);
  for (const std::vector<int>& figure : figuresOf(scene, &motion)) {
    const std::vector<std::size_t> below = countBelow(scene.skeleton, figure);
    for (std::size_t i = 0; i < below.size(); ++i) {
      if (static_cast<double>(below[i]) >= kHalf * static_cast<double>(figure.size())) {
        bears[i] = true;
      }
    }
  }
  std::vector<OwnWay> ways;
  for (int node = 0; node < static_cast<int>(bears.size()); ++node) {
    if (!bears[static_cast<std::size_t>(node)] || !translationChanges(motion, node)) continue;
    ways.push_back(ownWay(scene, motion, node));
  }
  return ways;
}

// The turn of a node in the axes of its parent that is a turn about the vertical in the world.
struct LocalTurn {
  Quat rotation = kIdentityRotation;
  bool is_rotation = true;  // false where uneven scales above make it a shear
};

// The axes that a node's rotation stands in: where it skips scales, those without any.
Mat3 axesAbove(const Node& node, const Affine& parent) {
  if (node.inherit == InheritScale::kAll) return parent.linear;
  const Mat3& m = parent.linear;
  return Mat3(m[0] / lengthOf(m[0]), m[1] / lengthOf(m[1]), m[2] / lengthOf(m[2]));
}

LocalTurn localTurn(const Mat3& axes, double turn_rad) {
  constexpr double kShear = 1e-6;
  const Mat3 turn = glm::mat3_cast(rotationAbout(Vec3(0, 1, 0), turn_rad));
  double shear = 0.0;
  const Transform local = decompose({glm::inverse(axes) * turn * axes, Vec3(0.0)}, &shear);
  const Vec3 excess = local.scale - Vec3(1.0);
  const double uneven = std::max({std::abs(excess.x), std::abs(excess.y), std::abs(excess.z)});
  return {local.rotation, shear < kShear && uneven < kShear};
}

}  // namespace

double figureHeight(const Scene& scene) {
  constexpr double kLeast_m = 1e-3;
  std::vector<Affine> worlds;
  const Pose rest = restPose(scene.skeleton);
  computeWorlds(scene.skeleton, rest.locals, scene.metric_from_file, worlds);
  double low = 0.0, high = 0.0;
  bool first = true;
  for (const std::vector<int>& figure : figuresOf(scene, nullptr)) {
    for (int joint : figure) {
      const double y = worlds[static_cast<std::size_t>(joint)].translation.y;
      if (!std::isfinite(y)) continue;
      low = first ? y : std::min(low, y);
      high = first ? y : std::max(high, y);
      first = false;
    }
  }
  return high - low > kLeast_m ? high - low : 1.0;
}

int findMovingNode(const Scene& scene, const Motion& motion, double still_m) {
  const std::vector<OwnWay> ways = candidatesOf(scene, motion);
  double farthest_m = 0.0;
  for (const OwnWay& way : ways) farthest_m = std::max(farthest_m, way.reach_m);
  if (!(farthest_m > still_m)) return -1;
  const auto topmost = std::find_if(ways.begin(), ways.end(), [&](const OwnWay& way) {
    return way.reach_m >= kHalf * farthest_m;
  });
  return topmost->node;
}

int nodeAboveFigure(const Scene& scene) {
  const std::vector<std::vector<int>> figures = figuresOf(scene, nullptr);
  const std::vector<int>* figure = largestOf(figures);
  if (!figure) return -1;
  if (scene.skins.empty()) return figure->front();
  const std::vector<std::size_t> below = countBelow(scene.skeleton, *figure);
  int lowest = figure->front();
  for (int node = 0; node < static_cast<int>(below.size()); ++node) {
    if (below[static_cast<std::size_t>(node)] == figure->size()) lowest = node;
  }
  return lowest;
}

Result<int> findCarrier(const Scene& scene, const Motion& motion, const std::string& root,
                        double still_m) {
  if (!root.empty()) return findOneNode(scene.skeleton, root, "root");
  int node = findMovingNode(scene, motion, still_m);
  if (node < 0) node = nodeAboveFigure(scene);
  if (node < 0) return Error{ErrorCode::kRecipe, "root", "the file has no node to move", ""};
  return node;
}

int bodyNode(const Scene& scene, int from) {
  constexpr double kNearlyAll = 0.9;
  const std::vector<std::vector<int>> figures = figuresOf(scene, nullptr);
  const std::vector<int>* figure = largestOf(figures);
  if (!figure) return from;
  const std::vector<std::size_t> below = countBelow(scene.skeleton, *figure);
  const auto countOf = [&](int node) {
    return static_cast<double>(below[static_cast<std::size_t>(node)]);
  };
  const std::vector<std::vector<int>> children = childrenOf(scene.skeleton);
  for (int node = from;;) {
    int next = -1;
    for (int child : children[static_cast<std::size_t>(node)]) {
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
                   "'" + scene.skeleton.nodes[static_cast<std::size_t>(node)].name +
                       "' is above the node that moves",
                   "name it as root instead"};
    }
    topmost.push_back(node);
  }
  return topmost;
}

std::vector<std::string> findLeftBehind(const Scene& scene, const Motion& motion,
                                        std::span<const int> moved) {
  constexpr double kNear_heights = 2.0;
  const double near_m = kNear_heights * figureHeight(scene);
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, motion.localsOf(0), scene.metric_from_file, worlds);
  const Vec3 at_m = worlds[static_cast<std::size_t>(moved.front())].translation;
  std::vector<int> found;
  std::vector<std::string> names;
  for (int node = 0; node < static_cast<int>(scene.skeleton.size()); ++node) {
    const auto isHeld = [&](int above) { return isAbove(scene.skeleton, above, node); };
    if (std::any_of(moved.begin(), moved.end(), isHeld) ||
        std::any_of(found.begin(), found.end(), isHeld) ||
        isAbove(scene.skeleton, node, moved.front()) || !translationChanges(motion, node) ||
        lengthOf(worlds[static_cast<std::size_t>(node)].translation - at_m) > near_m) {
      continue;
    }
    found.push_back(node);
    names.push_back(scene.skeleton.nodes[static_cast<std::size_t>(node)].name);
  }
  return names;
}

void writeMoves(const Scene& scene, std::span<const int> nodes, std::span<const RootMove> moves,
                Motion& motion, Warnings& warnings) {
  FewWorlds worlds(scene, motion, nodes);  // of a frame, before it is written
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    const RootMove& move = moves[frame];
    if (move.from_m == move.to_m && move.turn_rad == 0.0) continue;
    worlds.seekFrame(frame);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const Affine& parent = worlds.parentOf(n);
      const Vec3 at_m = worlds.worldOf(n).translation;
      const Vec3 shift_m = move.to_m - move.from_m + turned(at_m - move.from_m, move.turn_rad) -
                           (at_m - move.from_m);
      const Vec3 shift = glm::inverse(parent.linear) * shift_m;
      const auto node = static_cast<std::size_t>(nodes[n]);
      const std::string& name = scene.skeleton.nodes[node].name;
      if (!isFinite(shift)) {
        warnings.add("parent_without_inverse",
                     "a node cannot be moved, because what is above it is scaled to nothing", name);
        continue;
      }
      Transform& local = motion.locals[frame * motion.node_count + node];
      local.translation += shift;
      if (shift != Vec3(0.0)) motion.touched.set(nodes[n], TrackPath::kTranslation);
      if (move.turn_rad == 0.0) continue;
      const LocalTurn turn =
          localTurn(axesAbove(scene.skeleton.nodes[node], parent), move.turn_rad);
      if (!turn.is_rotation) {
        warnings.add("turn_under_uneven_scale",
                     "a node is turned under a scale that is not uniform, and is not sheared as "
                     "that would ask for",
                     name);
      }
      local.rotation = normalizedOrIdentity(turn.rotation * local.rotation);
      motion.touched.set(nodes[n], TrackPath::kRotation);
    }
  }
}

}  // namespace clipmill
