// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/joint_arrays.h"

#include <algorithm>
#include <cmath>

#include "core/file_names.h"
#include "core/to_size.h"
#include "io/arrays/array_file.h"
#include "pipeline/clip_choice.h"
#include "pipeline/output_names.h"
#include "retarget/rest_alignment.h"

namespace clipmill::pipeline {
namespace {

using io::arrays::Array;

// Joints of the arrays: their nodes, and for each its parent among them.
struct Joints {
  std::vector<int> nodes, parents;
};

Joints findJoints(const Scene& scene, const TrackMask& animated) {
  const Skeleton& skeleton = scene.skeleton;
  std::vector<bool> is_joint(skeleton.size(), scene.skins.empty());
  std::vector<bool> has_joint_below(skeleton.size(), false),
      has_joint_above(skeleton.size(), false);
  for (const Skin& skin : scene.skins) {
    for (const int joint : skin.joints) is_joint[toSize(joint)] = true;
  }
  const auto parentOf = [&](std::size_t n) { return skeleton.nodes[n].parent; };
  for (std::size_t n = skeleton.size(); n-- > 0;) {
    if ((is_joint[n] || has_joint_below[n]) && parentOf(n) >= 0) {
      has_joint_below[toSize(parentOf(n))] = true;
    }
  }
  Joints joints;
  std::vector<int> joint_of(skeleton.size(), -1);
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    const int above = parentOf(n) < 0 ? -1 : joint_of[toSize(parentOf(n))];
    const bool is_moved = animated.size() > n && animated.any(static_cast<int>(n));
    joint_of[n] = above;
    if (!is_joint[n] && !(has_joint_below[n] && (above >= 0 || is_moved))) continue;
    joint_of[n] = static_cast<int>(joints.nodes.size());
    joints.nodes.push_back(static_cast<int>(n));
    joints.parents.push_back(above);
  }
  return joints;
}

// Rotations and positions of joints in the world, without scales.
struct JointPoses {
  std::vector<Vec3> positions;
  std::vector<Quat> rotations;
  bool is_scaled = false;
};

JointPoses posesOf(const Scene& scene, const Joints& joints, std::span<const Transform> locals) {
  constexpr double kUnscaled = 1e-4;
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, locals, scene.metric_from_file, worlds);
  const double unit = lengthOf(scene.metric_from_file.linear[0]);
  JointPoses poses;
  for (const int node : joints.nodes) {
    const Transform world = decompose(worlds[toSize(node)]);
    poses.positions.push_back(world.translation);
    poses.rotations.push_back(world.rotation);
    const Vec3 scale = world.scale / (unit > 0.0 ? unit : 1.0);
    poses.is_scaled = poses.is_scaled || !(lengthOf(scale - Vec3(1.0)) < kUnscaled);
  }
  return poses;
}

void append(const Vec3& v, std::vector<double>& numbers) {
  numbers.insert(numbers.end(), {v.x, v.y, v.z});
}

void append(const Quat& q, std::vector<double>& numbers) {
  numbers.insert(numbers.end(), {q.w, q.x, q.y, q.z});
}

// Local transforms of joints, frame by frame, in columns.
struct Columns {
  std::vector<double> positions, translations, rotations, rotations_6d, root;

  // `before` are the rotations of the frame before, for the sign of quaternions.
  void add(const JointPoses& poses, const Joints& joints, std::vector<Quat>& before) {
    for (std::size_t j = 0; j < joints.nodes.size(); ++j) {
      Quat rotation = poses.rotations[j];
      Vec3 translation = poses.positions[j];
      if (joints.parents[j] >= 0) {
        const std::size_t parent = toSize(joints.parents[j]);
        const Quat from_world = glm::conjugate(poses.rotations[parent]);
        rotation = from_world * rotation;
        translation = from_world * (translation - poses.positions[parent]);
      }
      rotation = normalizedOrIdentity(rotation);
      if (glm::dot(rotation, before[j]) < 0.0) rotation = -rotation;
      before[j] = rotation;
      const Mat3 matrix = glm::mat3_cast(rotation);
      append(poses.positions[j], positions);
      append(translation, translations);
      append(rotation, rotations);
      append(matrix[0], rotations_6d);
      append(matrix[1], rotations_6d);
    }
    if (!poses.positions.empty()) append(poses.positions[0], root);
  }
};

Status checkName(const std::filesystem::path& output) {
  if (smallLetters(output.extension().string()) == ".npz") return {};
  return Error{ErrorCode::kUsage, output.string(), "has an extension that cannot be written",
               "use .npz"};
}

}  // namespace

NamedArrays jointArrays(const Scene& scene, const Motion& motion, Warnings& warnings) {
  const TrackMask& animated = scene.clips[toSize(motion.clip_index)].animated;
  const Joints joints = findJoints(scene, animated);
  const std::size_t frames = motion.grid.frame_count, count = joints.nodes.size();
  std::vector<Quat> before(count, kIdentityRotation);
  Columns rest, columns;
  JointPoses poses = posesOf(scene, joints, retarget::bindLocals(scene));
  bool is_scaled = poses.is_scaled;
  rest.add(poses, joints, before);
  std::fill(before.begin(), before.end(), kIdentityRotation);
  for (std::size_t f = 0; f < frames; ++f) {
    poses = posesOf(scene, joints, motion.localsOf(f));
    is_scaled = is_scaled || poses.is_scaled;
    columns.add(poses, joints, before);
  }
  if (is_scaled) {
    warnings.add("scaled_joints", "scales of joints are in the translations; arrays have no scales",
                 motion.clip_name);
  }
  std::vector<std::string> names;
  for (const int node : joints.nodes) names.push_back(scene.skeleton.nodes[toSize(node)].name);
  const std::string order = "wxyz";
  const double fps = motion.grid.fps;
  return {{"positions", io::arrays::floatArray({frames, count, 3}, columns.positions)},
          {"rotations", io::arrays::floatArray({frames, count, 4}, columns.rotations)},
          {"rotations_6d", io::arrays::floatArray({frames, count, 6}, columns.rotations_6d)},
          {"translations", io::arrays::floatArray({frames, count, 3}, columns.translations)},
          {"root_translation",
           io::arrays::floatArray({frames, count ? std::size_t{3} : 0}, columns.root)},
          {"rest_translations", io::arrays::floatArray({count, 3}, rest.translations)},
          {"rest_rotations", io::arrays::floatArray({count, 4}, rest.rotations)},
          {"names", io::arrays::textArray({count}, names)},
          {"parents", io::arrays::integerArray({count}, joints.parents)},
          {"fps", io::arrays::doubleArray({}, std::span(&fps, 1))},
          {"clip", io::arrays::textArray({}, std::span(&motion.clip_name, 1))},
          {"quaternion_order", io::arrays::textArray({}, std::span(&order, 1))}};
}

Status exportJoints(const std::filesystem::path& input, const std::filesystem::path& output,
                    const ExportOptions& options, ExportReport& report) {
  CLIPMILL_CHECK(checkName(output));
  CLIPMILL_TRY(const io::Asset asset, io::load(input, {false, options.limits, options.arrays}));
  const auto chosen = selectClips(asset.scene, options.clips);
  if (!chosen) return within(input.string(), chosen.error());
  if (chosen->empty()) {
    return Error{ErrorCode::kNotFound, input.string(), "has no clips", "use a file with animation"};
  }
  std::vector<std::filesystem::path> names = {output};
  if (chosen->size() > 1 || isOutputPattern(output)) {
    names = distinctOutputNamesOf(output, clipLabels(asset.scene, *chosen));
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto motions = sampleClips(asset.scene, {(*chosen)[i]}, options.fps, 1, options.limits);
    if (!motions) return within(input.string(), motions.error());
    CLIPMILL_TRY(const Bytes npz,
                 io::arrays::writeNpz(jointArrays(asset.scene, motions->front(), report.warnings)));
    CLIPMILL_CHECK(writeFileAtomically(names[i], npz));
    report.written.push_back(names[i]);
  }
  return {};
}

}  // namespace clipmill::pipeline
