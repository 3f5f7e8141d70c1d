// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rods/rod_body.h"

#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {

void RodPointLanes::assign(std::size_t count) {
  for (Vec3Lanes* part : {&position_m, &velocity_mps, &algorithmic_mps2, &acceleration_mps2}) {
    part->assign(count, Vec3(0.0));
  }
}

void RodPointLanes::setStill(std::size_t i, const Vec3& position, const Vec3& velocity) {
  position_m.set(i, position);
  velocity_mps.set(i, velocity);
  algorithmic_mps2.set(i, Vec3(0.0));
  acceleration_mps2.set(i, Vec3(0.0));
}

void SymmetricLanes::assign(std::size_t count) {
  for (Column* part : {&xx, &yy, &zz, &xy, &xz, &yz}) part->assign(count, 0.0);
}

void RodResponseLanes::assign(std::size_t count) {
  a.assign(count);
  b.assign(count, Mat3(0.0));
  c.assign(count);
  push.assign(count, Vec3(0.0));
  torque.assign(count, Vec3(0.0));
}

void RodHoldLanes::assign(std::size_t count) {
  source.assign(count, kNone);
  normal.assign(count, Vec3(0.0));
  for (Column* column : {&share, &offset_m, &speed_mps, &friction}) column->assign(count, 0.0);
}

void RodBatch::allocate() {
  const std::size_t joint_values = joints.size() * kLaneBlock,
                    bone_values = bone_count * kLaneBlock;
  const Vec3 zero(0.0), up(0, 1, 0);
  rig_bones.assign(bone_values, -1);
  joints_at_end.assign(bone_count, 0);
  for (const Joint& joint : joints) {
    if (joint.parent_bone >= 0) ++joints_at_end[toSize(joint.parent_bone)];
  }
  stiffness.assign(joint_values, 1.0);
  for (Column* column : {&exists, &damping_s, &give_11, &give_12, &give_22, &load_1, &load_2}) {
    column->assign(joint_values, 0.0);
  }
  for (Vec3Lanes* lanes : {&rest_moment, &strain, &strain_before, &next_strain, &moment, &bend,
                           &rotation, &axis_1, &axis_2, &pull_1, &pull_2, &spin_1, &spin_2}) {
    lanes->assign(joint_values, zero);
  }
  for (QuatLanes* lanes : {&rolled, &drawn, &between, &world_from_parent, &world_from_joint}) {
    lanes->assign(joint_values, kIdentityRotation);
  }
  if (has_forks) {
    pull.assign(joint_values, Mat3(0.0));
    spin.assign(joint_values);
    give.assign(joint_values);
    load.assign(joint_values, zero);
  }
  for (Column* column : {&length_m, &mass, &air_drag_per_s, &gravity_mps2, &head_drag_per_s}) {
    column->assign(bone_values, 0.0);
  }
  for (Vec3Lanes* lanes : {&wind_mps2, &predicted_m, &deficit_mps2, &displacement}) {
    lanes->assign(bone_values, zero);
  }
  for (Vec3Lanes* lanes : {&carried, &aim, &in_joint, &direction}) lanes->assign(bone_values, up);
  end.assign(bone_values);
  next.assign(bone_values);
  hanging.assign(bone_values);
  for (RodHoldLanes& hold : holds) hold.assign(bone_values);
  head.assign(kLaneBlock);
  next_head.assign(kLaneBlock);
  head_deficit_mps2.assign(kLaneBlock, zero);
  bind_up.assign(kLaneBlock, up);
  rest_share.assign(kLaneBlock, 1.0);
  for (Column* column : {&tree_mass, &passing_share, &is_unsolved}) {
    column->assign(kLaneBlock, 0.0);
  }
  world_from_base.assign(kLaneBlock, kIdentityRotation);
}

}  // namespace clipmill::stages::dynamic_bones
