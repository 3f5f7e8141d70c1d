// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/character.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string>

#include "core/math.h"
#include "core/to_size.h"
#include "mesh/split_corners.h"

namespace clipmill::render {
namespace {

// -- Left and right in names

enum class Side { kNone, kLeft, kRight };

bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isCapital(char c) { return c >= 'A' && c <= 'Z'; }

Side sideOfToken(const std::string& token) {
  std::string small;
  for (char c : token) small += isCapital(c) ? static_cast<char>(c - 'A' + 'a') : c;
  if (small == "l" || small == "left") return Side::kLeft;
  if (small == "r" || small == "right") return Side::kRight;
  return Side::kNone;
}

// Tokens end at what is no letter and before a capital that follows a small letter or starts a new
// token: "LeftUpLeg", "J_Bip_L_Hand", "thigh.L". The first token that names a side counts.
Side sideOfName(const std::string& name) {
  constexpr std::size_t kLongest = 200;
  std::string token;
  const std::size_t length = std::min(name.size(), kLongest);
  for (std::size_t i = 0; i <= length; ++i) {
    const char c = i < length ? name[i] : ' ';
    const bool starts = isCapital(c) && !token.empty() && !isCapital(token.back());
    if (!isLetter(c) || starts) {
      const Side side = sideOfToken(token);
      if (side != Side::kNone) return side;
      token.clear();
    }
    if (isLetter(c)) token += c;
  }
  return Side::kNone;
}

// -- Bones

std::vector<bool> jointMask(const Scene& scene) {
  std::vector<bool> is_joint(scene.skeleton.size(), false);
  for (const Skin& skin : scene.skins) {
    for (int joint : skin.joints) is_joint[toSize(joint)] = true;
  }
  if (scene.skins.empty() && scene.meshes.empty()) is_joint.assign(is_joint.size(), true);
  return is_joint;
}

std::vector<bool> nodesWithVertices(const Scene& scene) {
  std::vector<bool> moves(scene.skeleton.size(), false);
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (mesh.skin < 0) continue;
    const Skin& skin = scene.skins[toSize(mesh.skin)];
    for (const Influence& influence : mesh.influences) {
      if (influence.weight > 0.0) moves[toSize(skin.joints[influence.joint])] = true;
    }
  }
  return moves;
}

// Corners of an octahedron about a bone from (0, 0, 0) to (0, 1, 0), widest near its root.
constexpr std::size_t kBoneCorners = 6;
constexpr std::uint32_t kBoneFaces[] = {0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 1,
                                        5, 2, 1, 5, 3, 2, 5, 4, 3, 5, 1, 4};

void appendBone(const Vec3& from, const Vec3& to, std::vector<Vec3>& corners) {
  constexpr double kWaist = 0.16, kHalfWidth = 0.07;
  const Vec3 along = to - from;
  const double length = lengthOf(along);
  const Vec3 other = std::abs(along.x) < 0.5 * length ? Vec3(1, 0, 0) : Vec3(0, 1, 0);
  Vec3 side = glm::cross(along, other);
  if (lengthOf(side) > 0.0) side *= kHalfWidth * length / lengthOf(side);
  Vec3 across = length > 0.0 ? glm::cross(along / length, side) : Vec3(0.0);
  const Vec3 waist = from + along * kWaist;
  for (const Vec3& corner :
       {from, waist + side, waist + across, waist - side, waist - across, to}) {
    corners.push_back(corner);
  }
}

}  // namespace

Character::Character(const Scene& scene, int clip, Warnings& warnings) : scene_(&scene) {
  if (clip >= 0) clip_ = &scene.clips[toSize(clip)];
  surfaces_ = surfacesOf(scene, warnings);
  for (const SkinnedMesh& mesh : scene.meshes) {
    for (SkinnedMesh& part : splitCorners(mesh)) meshes_.push_back(std::move(part));
  }
  findBones();
  findRoot();
}

void Character::findBones() {
  const std::vector<bool> is_joint = jointMask(*scene_), moves = nodesWithVertices(*scene_);
  const std::vector<Node>& nodes = scene_->skeleton.nodes;
  const bool bare = scene_->meshes.empty();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!is_joint[i]) continue;
    const int parent = nodes[i].parent;
    const bool has_parent = parent >= 0 && is_joint[toSize(parent)];
    if (!has_parent) continue;
    // A topmost joint without vertices is the root-motion joint: a bone from it would be a pole
    // from the ground to the hips.
    const int above = nodes[toSize(parent)].parent;
    const bool parent_is_topmost = above < 0 || !is_joint[toSize(above)];
    if (parent_is_topmost && !moves[toSize(parent)] && !bare) continue;
    bones_.emplace_back(parent, static_cast<int>(i));
  }
  std::vector<bool> has_bone(nodes.size(), bones_.empty());
  for (const auto& [parent, child] : bones_) {
    has_bone[toSize(parent)] = has_bone[toSize(child)] = true;
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (is_joint[i] && has_bone[i]) joints_.push_back(static_cast<int>(i));
  }
  if (!bare) return;
  for (std::size_t b = 0; b < bones_.size(); ++b) {
    for (std::uint32_t corner : kBoneFaces) {
      bone_triangles_.push_back(static_cast<std::uint32_t>(b * kBoneCorners) + corner);
    }
  }
}

void Character::findRoot() {
  if (!clip_ || clip_->animated.size() != scene_->skeleton.size()) return;
  const std::vector<Node>& nodes = scene_->skeleton.nodes;
  std::vector<std::size_t> carried(nodes.size(), 0);
  for (int joint : joints_) carried[toSize(joint)] = 1;
  if (joints_.empty()) {
    for (const SkinnedMesh& mesh : meshes_) carried[toSize(mesh.node)] = 1;
  }
  const std::size_t all = std::accumulate(carried.begin(), carried.end(), std::size_t{0});
  for (std::size_t i = nodes.size(); i-- > 0;) {
    if (nodes[i].parent >= 0) carried[toSize(nodes[i].parent)] += carried[i];
  }
  for (std::size_t i = 0; i < nodes.size() && root_ < 0; ++i) {
    const bool moves = clip_->animated.has(static_cast<int>(i), TrackPath::kTranslation);
    if (moves && 2 * carried[i] >= std::max<std::size_t>(all, 1)) {
      root_ = static_cast<int>(i);
    }
  }
}

void Character::appendBoneShapes(CharacterPose& character) const {
  PosedMesh mesh;
  mesh.triangles = bone_triangles_;
  mesh.positions.reserve(bones_.size() * kBoneCorners);
  for (const auto& [parent, child] : bones_) {
    appendBone(character.worlds[toSize(parent)].translation,
               character.worlds[toSize(child)].translation, mesh.positions);
  }
  if (!bones_.empty()) character.meshes.push_back(std::move(mesh));
}

CharacterPose Character::poseAt(double time_s, bool with_meshes) const {
  const Skeleton& skeleton = scene_->skeleton;
  CharacterPose character;
  character.pose = restPose(skeleton);
  if (clip_ && clip_->source) {
    const double at = std::min(clip_->start_s + time_s, clip_->end_s);
    clip_->source->cursor()->sample(at, character.pose.view());
  }
  computeWorlds(skeleton, character.pose.locals, scene_->metric_from_file, character.worlds);
  if (!with_meshes) return character;
  if (scene_->meshes.empty()) appendBoneShapes(character);
  for (const SkinnedMesh& mesh : meshes_) {
    if (mesh.triangles.empty()) continue;
    const Node& node = skeleton.nodes[toSize(mesh.node)];
    const Skin* skin = mesh.skin < 0 ? nullptr : &scene_->skins[toSize(mesh.skin)];
    const auto weights = std::span(character.pose.weights)
                             .subspan(toSize(node.weights_start), toSize(node.weights_count));
    PosedVertices posed;
    poseMesh(mesh, skin, character.worlds, weights, posed);
    PosedMesh drawn{std::move(posed.positions), std::move(posed.normals), mesh.triangles, &mesh};
    character.meshes.push_back(std::move(drawn));
  }
  return character;
}

Vec3 leftOf(const Skeleton& skeleton, std::span<const Affine> worlds) {
  Vec3 sums[2] = {Vec3(0.0), Vec3(0.0)};
  std::size_t counts[2] = {0, 0};
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    const Side side = sideOfName(skeleton.nodes[i].name);
    if (side == Side::kNone || !isFinite(worlds[i].translation)) continue;
    const std::size_t which = side == Side::kLeft ? 0 : 1;
    sums[which] += worlds[i].translation;
    ++counts[which];
  }
  // Sides that are not of a kind have no meaning.
  if (counts[0] == 0 || counts[0] != counts[1]) return Vec3(0.0);
  return (sums[0] - sums[1]) / static_cast<double>(counts[0]);
}

Vec3 facingFrom(const Vec3& left) {
  const Vec3 facing = glm::cross(Vec3(left.x, 0, left.z), Vec3(0, 1, 0));
  const double length = lengthOf(facing);
  // Mirrored pairs lie across, not above or below each other.
  if (!(length > 0.5 * lengthOf(left)) || !std::isfinite(length)) return Vec3(0, 0, 1);
  return facing / length;
}

void markChanges(const Pose& a, const Pose& b, double size, std::vector<bool>& changed) {
  constexpr double kPartOfSize = 1e-4, kAngle = 0.2 * kDegree;
  const std::size_t count = std::min(a.locals.size(), b.locals.size());
  changed.resize(std::max(changed.size(), count), false);
  for (std::size_t i = 0; i < count; ++i) {
    const Transform &s = a.locals[i], &t = b.locals[i];
    const bool moved = lengthOf(s.translation - t.translation) > kPartOfSize * size ||
                       lengthOf(s.scale - t.scale) > kPartOfSize;
    const bool rotated =
        angleBetween(normalizedOrIdentity(s.rotation), normalizedOrIdentity(t.rotation)) > kAngle;
    if (moved || rotated) changed[i] = true;
  }
}

bool haveSameNodes(const Skeleton& a, const Skeleton& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a.nodes[i].parent != b.nodes[i].parent || a.nodes[i].name != b.nodes[i].name) return false;
  }
  return true;
}

}  // namespace clipmill::render
