// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/spring_lanes.h"

namespace clipmill::stages::dynamic_bones {

SpringLanes::SpringLanes(std::size_t lane_count, std::size_t idle_world) : count(lane_count) {
  const auto idle = static_cast<std::int64_t>(idle_world * kAffineDoubles);
  for (auto* positions : {&parent_world, &own_world, &base_world}) positions->assign(count, idle);
  for (Column* column : {&pulled, &first_force_s2, &first_s, &pose_drag_per_s, &gravity_mps2,
                         &hangs, &reach_m, &least_radius_m}) {
    column->assign(count, 0.0);
  }
  for (Column* column : {&kept, &force_s2, &target_share, &shortest, &longest, &length_m}) {
    column->assign(count, 1.0);
  }
  for (Vec3Lanes* zero : {&joint_translation, &target_move, &offset, &offset_before, &pose_velocity,
                          &acceleration, &head, &next_head, &contact_shift}) {
    zero->assign(count, Vec3(0.0));
  }
  for (Vec3Lanes* unit : {&carried, &aim, &aim_direction, &up, &in_base, &bone, &target, &posed,
                          &posed_before, &next_target, &next_posed, &point}) {
    unit->assign(count, Vec3(0, 1, 0));
  }
  rotated.assign(count, Mat3(1.0));
  linear.assign(count, Mat3(1.0));
  drawn.assign(count, kIdentityRotation);
  swing.assign(count, kIdentityRotation);
  last_swing.assign(count, kIdentityRotation);
}

}  // namespace clipmill::stages::dynamic_bones
