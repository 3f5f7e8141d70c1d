// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/math.h"

/// The state of a spring simulation as a structure of arrays: element i of every array belongs to
/// the same bone, a "lane". Bones of one level (none hangs on another) are neighbours, so that
/// vector registers process many of them at once.
namespace clipmill::stages::dynamic_bones {

/// Doubles in the widest vector register. Levels start at multiples of it and are filled up with
/// lanes that nobody reads.
inline constexpr std::size_t kLaneBlock = 8;
/// Doubles in an Affine: the columns of its linear part, then the translation.
inline constexpr std::size_t kAffineDoubles = 12;
static_assert(sizeof(Affine) == kAffineDoubles * sizeof(double));

using Column = std::vector<double>;

struct Vec3Lanes {
  Column x, y, z;

  void assign(std::size_t count, const Vec3& v) {
    x.assign(count, v.x);
    y.assign(count, v.y);
    z.assign(count, v.z);
  }
  Vec3 at(std::size_t i) const { return Vec3(x[i], y[i], z[i]); }
  void set(std::size_t i, const Vec3& v) {
    x[i] = v.x;
    y[i] = v.y;
    z[i] = v.z;
  }
};

struct Mat3Lanes {
  std::array<Column, 9> m;  ///< Column by column.

  void assign(std::size_t count, const Mat3& matrix) {
    for (std::size_t k = 0; k < 9; ++k) m[k].assign(count, element(matrix, k));
  }
  void set(std::size_t i, const Mat3& matrix) {
    for (std::size_t k = 0; k < 9; ++k) m[k][i] = element(matrix, k);
  }
  Mat3 at(std::size_t i) const {
    return Mat3(Vec3(m[0][i], m[1][i], m[2][i]), Vec3(m[3][i], m[4][i], m[5][i]),
                Vec3(m[6][i], m[7][i], m[8][i]));
  }

 private:
  static double element(const Mat3& matrix, std::size_t k) {
    return matrix[static_cast<int>(k / 3)][static_cast<int>(k % 3)];
  }
};

struct QuatLanes {
  Column w, x, y, z;

  void assign(std::size_t count, const Quat& q) {
    w.assign(count, q.w);
    x.assign(count, q.x);
    y.assign(count, q.y);
    z.assign(count, q.z);
  }
  Quat at(std::size_t i) const { return Quat(w[i], x[i], y[i], z[i]); }
  void set(std::size_t i, const Quat& q) {
    w[i] = q.w;
    x[i] = q.x;
    y[i] = q.y;
    z[i] = q.z;
  }
};

struct SpringLanes {
  /// Lanes of bones at rest: unit bones along +Y at the origin of world `idle_world`.
  SpringLanes(std::size_t lane_count, std::size_t idle_world);

  std::size_t count = 0;

  // Offsets into an array of Affine, in doubles.
  std::vector<std::int64_t> parent_world;  ///< metric_from_parent of the bone's joint.
  std::vector<std::int64_t> own_world;     ///< Where metric_from_joint goes.
  std::vector<std::int64_t> base_world;    ///< metric_from_node of what carries the chain.

  // Constants of a step; see SpringStep.
  Column kept, pulled, force_s2, first_force_s2, target_share, first_s, pose_drag_per_s;
  Column gravity_mps2;
  Column hangs;              ///< 1 where the rest pose bears the bone's weight, else 0.
  Column shortest, longest;  ///< Length allowed, in lengths of the clip.
  Column reach_m;            ///< Largest radius of the bone.
  Column least_radius_m;     ///< Its smallest.

  // What the clip's pose gives; vectors in the axes of the joint's parent.
  Vec3Lanes joint_translation;
  Vec3Lanes carried;        ///< The bone in the pose that it is drawn to.
  Vec3Lanes aim;            ///< The bone before it swings: as the joint's roll asks for.
  Vec3Lanes aim_direction;  ///< The same, of unit length; zero for a bone of no length.
  QuatLanes drawn;          ///< The joint's rotation in the pose that its bones are drawn to.
  Mat3Lanes rotated;        ///< The joint's rotation before it swings, times its scale.
  Vec3Lanes up;             ///< +Y of the rest pose, carried along.
  Vec3Lanes in_base;        ///< Where the pose has the bone's end, in the axes of base_world.

  // State at the last grid time, metric world space.
  Vec3Lanes head;
  Vec3Lanes bone;           ///< End minus head.
  Vec3Lanes target;         ///< Where the carried pose put the end.
  Vec3Lanes target_move;    ///< How far that moved in the last step.
  Vec3Lanes offset;         ///< End minus target.
  Vec3Lanes offset_before;  ///< A step earlier.
  Vec3Lanes posed;          ///< Where the clip's own pose has the end.
  Vec3Lanes posed_before;   ///< A step earlier.
  Vec3Lanes pose_velocity;  ///< How that moves, m/s.
  Vec3Lanes acceleration;   ///< By gravity and wind, m/s^2.
  QuatLanes swing;          ///< Rotation of the joint relative to its rotation in the pose.

  // The step at work.
  Mat3Lanes linear;  ///< Linear part of metric_from_parent.
  Vec3Lanes next_head, next_target, next_posed;
  Vec3Lanes point;  ///< The bone's end.
  Column length_m;
  Vec3Lanes contact_shift;  ///< Taken from the path of the end by contacts.
  QuatLanes last_swing;

  Vec3 endBefore(std::size_t i) const { return target.at(i) + offset.at(i); }
};

}  // namespace clipmill::stages::dynamic_bones
