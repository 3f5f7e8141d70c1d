// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "anim/skeleton.h"
#include "core/math.h"
#include "mesh/outward_surface.h"
#include "scene/skin_surface.h"

namespace clipmill::measure {

/// Volume within a closed surface with outward triangles; where they face inward it is negative.
/// Parts that the surface winds about twice count twice.
double enclosedVolume(std::span<const Vec3> positions, std::span<const std::uint32_t> triangles);

/// Follows the volume about each bending joint of a posed surface.
class JointVolumes {
 public:
  /// Of no limbs.
  JointVolumes() = default;

  /// Takes the joints at which two bones share skin that is corrected. About such a joint counts
  /// the skin of the bones to both sides, facing outward, its open ends closed by fans.
  JointVolumes(const SkinSurface& surface, const Skeleton& skeleton);

  /// The same, with the triangles that orientOutward() makes of the surface's.
  JointVolumes(const SkinSurface& surface, const Skeleton& skeleton,
               std::span<const std::uint32_t> outward);

  /// Limbs that are no solids (open shells, parts that overlap): their volume is not measured.
  std::size_t unmeasuredCount() const { return unmeasured_; }
  std::size_t limbCount() const { return limbs_.size(); }
  /// The joint, index in Skeleton::nodes; limbs ascend by it.
  int nodeOf(std::size_t limb) const { return limbs_[limb].node; }
  double restVolume(std::size_t limb) const { return limbs_[limb].rest_m3; }
  /// Volume of the limb where the surface's points are at `positions`, over that at rest.
  double share(std::size_t limb, std::span<const Vec3> positions) const;

  /// The points of a limb's skin, three a triangle.
  std::span<const std::uint32_t> trianglesOf(std::size_t limb) const {
    return limbs_[limb].triangles;
  }

 private:
  struct Limb {
    int node = 0;
    std::vector<std::uint32_t> triangles;
    HoleCaps caps;
    double rest_m3 = 0.0;
  };

  void addLimb(const SkinSurface& surface, std::span<const std::uint32_t> triangles,
               std::uint32_t above, std::uint32_t node);

  std::vector<Limb> limbs_;
  std::size_t unmeasured_ = 0;
};

}  // namespace clipmill::measure
