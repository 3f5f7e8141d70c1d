// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/skin/first_joints.h"

#include <algorithm>
#include <cstddef>
#include <span>

#include "anim/pose.h"
#include "core/portable_math.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/skin/chain_skin.h"
#include "stages/dynamic_bones/skin/mesh_joints.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// A joint moves by at most this share of the size of the body.
constexpr double kMaxShift = 0.05;
// So often the vertex of a joint that misses most is moved out. Each may lead into another part.
constexpr int kSweeps = 8;
constexpr double kReached_m = 1e-6;
// So long before a frame a joint starts to move, and so long after it it is back.
constexpr double kEase_s = 0.1;

// A vertex that moves with a joint, by its weight.
struct HeldVertex {
  const ChainSkin::FreeVertex* free = nullptr;
  double weight = 0.0;
};

struct FirstJoint {
  int node = 0, chain = 0;
  std::vector<HeldVertex> vertices;
};

// One a node: the index of the first joint that moves it, or -1. The joints are appended.
std::vector<int> findFirstJoints(const Rig& rig, const Skeleton& skeleton,
                                 std::vector<FirstJoint>& joints) {
  std::vector<int> joint_of(skeleton.size(), -1);
  for (const Bone& bone : rig.bones) {
    const int node = rig.slots[toSize(rig.joints[toSize(bone.joint)].slot)].node;
    if (bone.parent >= 0 || joint_of[toSize(node)] >= 0) continue;
    joint_of[toSize(node)] = static_cast<int>(joints.size());
    joints.push_back({node, bone.chain, {}});
  }
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    const int parent = skeleton.nodes[i].parent;
    if (joint_of[i] < 0 && parent >= 0) joint_of[i] = joint_of[toSize(parent)];
  }
  return joint_of;
}

// The first joints of a rig with the vertices that chains cannot rotate out of the body. A vertex
// belongs to the joint that moves most of it.
std::vector<FirstJoint> firstJointsOf(const Rig& rig, const Scene& scene) {
  std::vector<FirstJoint> joints;
  const std::vector<int> joint_of = findFirstJoints(rig, scene.skeleton, joints);
  std::size_t first = 0, next = 0;
  const std::vector<ChainSkin::FreeVertex>& vertices = rig.skin->free_vertices;
  std::vector<double> weights(joints.size());
  for (const SkinnedMesh& strip : rig.skin->strips) {
    const std::size_t end = first + strip.vertexCount();
    for (; next < vertices.size() && vertices[next].vertex < end; ++next) {
      if (vertices[next].is_movable) continue;
      std::fill(weights.begin(), weights.end(), 0.0);
      MeshJoints{scene, strip}.each(vertices[next].vertex - first, [&](int node, double weight) {
        const int joint = joint_of[toSize(node)];
        if (joint >= 0) weights[toSize(joint)] += weight;
      });
      const auto largest = std::max_element(weights.begin(), weights.end());
      if (largest == weights.end() || !(*largest > 0.0)) continue;
      joints[toSize(largest - weights.begin())].vertices.push_back({&vertices[next], *largest});
    }
    first = end;
  }
  std::erase_if(joints, [](const FirstJoint& joint) { return joint.vertices.empty(); });
  return joints;
}

// The body of one frame, and the part of the skin that chains move, as the clip has them.
struct PosedSkin {
  std::vector<Affine> worlds;
  std::vector<Vec3> body_m, strips_m;
  std::vector<ClosedSurface::Posed> surfaces;

  explicit PosedSkin(const ChainSkin& skin)
      : surfaces(skin.surfaces.begin(), skin.surfaces.end()) {}

  void take(const ChainSkin& skin, const Scene& scene, std::span<const Transform> locals) {
    computeWorlds(scene.skeleton, locals, scene.metric_from_file, worlds);
    poseSkin(scene, skin.body, worlds, body_m);
    poseSkin(scene, skin.strips, worlds, strips_m);
    for (ClosedSurface::Posed& surface : surfaces) surface.move(body_m);
  }
  const Affine& aboveOf(int node, const Scene& scene) const {
    const int parent = scene.skeleton.nodes[toSize(node)].parent;
    return parent < 0 ? scene.metric_from_file : worlds[toSize(parent)];
  }
};

// How far a joint has to move so that its vertices leave the body.
Vec3 shiftOf(const FirstJoint& joint, double size_m, PosedSkin& posed) {
  const double max_m = kMaxShift * size_m;
  Vec3 shift_m(0.0);
  for (int i = 0; i < kSweeps; ++i) {
    double max_missing_m = kReached_m;
    Vec3 step_m(0.0);
    for (const HeldVertex& held : joint.vertices) {
      const Vec3 at_m = posed.strips_m[held.free->vertex] + held.weight * shift_m;
      const SkinDistance found = skinDistance(posed.surfaces[held.free->surface], at_m, size_m);
      const double missing_m = (held.free->distance_m - found.distance_m) / held.weight;
      if (missing_m <= max_missing_m) continue;
      max_missing_m = missing_m;
      step_m = found.away * missing_m;
    }
    if (step_m == Vec3(0.0)) break;
    shift_m += step_m;
  }
  const double length_m = glm::length(shift_m);
  return length_m > max_m ? shift_m * (max_m / length_m) : shift_m;
}

// By frame, how far a joint has to move, in the axes of its parent.
using Shifts = std::vector<Vec3>;

struct JointShifts {
  std::vector<Shifts> of_joint;
  double max_m = 0.0;
};

JointShifts shiftsOf(const std::vector<FirstJoint>& joints, const Rig& rig, const Scene& scene,
                     const Motion& motion) {
  JointShifts shifts{{joints.size(), Shifts(motion.grid.frame_count, Vec3(0.0))}, 0.0};
  PosedSkin posed(*rig.skin);
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    posed.take(*rig.skin, scene, motion.localsOf(frame));
    for (std::size_t j = 0; j < joints.size(); ++j) {
      const Vec3 shift_m = shiftOf(joints[j], rig.skin->size_m, posed);
      if (shift_m == Vec3(0.0)) continue;
      const Vec3 shift = glm::inverse(posed.aboveOf(joints[j].node, scene).linear) * shift_m;
      if (!isFinite(shift)) continue;  // the parent's axes are flat
      shifts.of_joint[j][frame] = shift;
      shifts.max_m = std::max(shifts.max_m, glm::length(shift_m));
    }
  }
  return shifts;
}

// A joint leaves for a shift ahead of it, and comes back after it: of the shifts of near frames,
// less with distance in time, each frame gets the largest.
Shifts eased(const Shifts& shifts, double fps, std::optional<std::size_t> period) {
  const auto count = static_cast<std::ptrdiff_t>(shifts.size());
  const auto reach = static_cast<std::ptrdiff_t>(kEase_s * fps);
  Shifts eased(shifts);
  for (std::ptrdiff_t from = 0; from < count; ++from) {
    const Vec3& shift = shifts[toSize(from)];
    if (shift == Vec3(0.0)) continue;
    for (std::ptrdiff_t offset = -reach; offset <= reach; ++offset) {
      const double share = static_cast<double>(offset) / static_cast<double>(reach + 1);
      const Vec3 part = shift * (0.5 + 0.5 * portable::cos(kPi * share));
      std::ptrdiff_t to = from + offset;
      if (period)
        to = (to + static_cast<std::ptrdiff_t>(*period)) % static_cast<std::ptrdiff_t>(*period);
      if (to < 0 || to >= count) continue;
      Vec3& largest = eased[toSize(to)];
      if (glm::dot(part, part) > glm::dot(largest, largest)) largest = part;
    }
  }
  if (period && *period + 1 == shifts.size()) eased.back() = eased.front();
  return eased;
}

}  // namespace

MovedJoints moveFirstJoints(const Rig& rig, const DynamicBonesSettings& settings,
                            const Scene& scene, std::optional<std::size_t> period, Motion& motion) {
  const std::vector<FirstJoint> joints = firstJointsOf(rig, scene);
  MovedJoints moved;
  if (joints.empty() || motion.grid.frame_count < 2) return moved;
  const JointShifts shifts = shiftsOf(joints, rig, scene, motion);
  moved.max_shift_m = shifts.max_m;
  const double last = static_cast<double>(motion.grid.frame_count - 1);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Shifts path = eased(shifts.of_joint[j], motion.grid.fps, period);
    const ChainSettings& chain = settings.chain[toSize(joints[j].chain)];
    bool is_moved = false;
    for (std::size_t frame = 0; frame < path.size(); ++frame) {
      const double weight =
          chain.weight.at(0.0) * chain.weight_over_clip.at(static_cast<double>(frame) / last);
      if (path[frame] == Vec3(0.0) || weight == 0.0) continue;
      motion.frame(frame).locals[toSize(joints[j].node)].translation += weight * path[frame];
      is_moved = true;
    }
    if (is_moved) moved.nodes.push_back(joints[j].node);
  }
  return moved;
}

}  // namespace clipmill::stages::dynamic_bones
