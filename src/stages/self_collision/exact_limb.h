// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/math.h"
#include "scene/body_parts.h"
#include "scene/foot_contacts.h"
#include "scene/humanoid.h"
#include "scene/scene.h"
#include "stages/self_collision/body_frame.h"

namespace clipmill::collision {

/// The joints of an arm or a leg that may be turned.
struct MovableLimb {
  std::string name;  ///< "left arm"
  bool is_leg = false;
  BodySide side = BodySide::kLeft;
  int collar = -1;  ///< Of arms that have one.
  int upper = -1;
  int lower = -1;
  int end = -1;                     ///< Hand or foot.
  std::array<BodyPart, 2> parts{};  ///< Upper and lower; what moves when the limb does.

  std::vector<int> joints() const;  ///< Those of collar, upper, lower and end that there are.
};

/// Arms and legs of which the map names upper, lower and end, each below the one before.
std::vector<MovableLimb> movableLimbs(const Skeleton& skeleton, const HumanoidMap& map);

/// A change of a limb's pose: numbers that may be added and scaled. Vectors are along the body's
/// lateral, up and forward axes as chest (arms) or hips (legs) carry them; turns are rotation
/// vectors, in radians. Applied in this order.
struct LimbChange {
  Vec3 collar_turn{0.0};  ///< Of the collar bone, with all below it.
  Vec3 turn{0.0};         ///< Of the stiff limb about shoulder or hip.
  Vec3 shift{0.0};        ///< Of wrist or ankle by two-bone IK, in lengths of the stretched limb.
  double swivel = 0.0;    ///< Of elbow or knee about the line from shoulder to wrist.
  Vec3 end_turn{0.0};     ///< Of the hand alone.

  LimbChange& operator+=(const LimbChange& other);
  LimbChange operator*(double amount) const;
  bool operator==(const LimbChange&) const = default;
};

inline const LimbChange kNoChange{};

/// Puts changes into poses of one figure.
class LimbPoser {
 public:
  /// `scene` must outlive it.
  LimbPoser(const Scene& scene, const HumanoidMap& map, std::span<const MovableLimb> limbs);

  const MovableLimb& limb(std::size_t i) const { return limbs_[i]; }
  std::size_t limbCount() const { return limbs_.size(); }

  /// The axes that carry the changes of a limb, as columns lateral, up, forward; none where they
  /// are flattened. `metric_worlds`: world_from_node.
  std::optional<Mat3> axesOf(std::size_t limb, std::span<const Affine> metric_worlds) const;

  /// The node that carries these axes: chest or hips.
  int carrierOf(std::size_t limb) const { return carriers_[limbs_[limb].is_leg ? 1 : 0]; }

  /// Writes the changed rotations of the limb's joints into `locals`, which holds the unchanged
  /// ones, as do `metric_worlds`. The hand keeps its direction in the world against swivel and
  /// shift and goes along with turns; the foot keeps it always. No change writes nothing.
  void apply(std::size_t limb, const LimbChange& change, std::span<const Affine> metric_worlds,
             std::span<Transform> locals) const;

 private:
  std::vector<CarriedAxes> carried_;  // of the chest and of the hips
  std::array<int, 2> carriers_{-1, -1};
  const Scene& scene_;
  std::vector<MovableLimb> limbs_;  // none where there is no body to carry their axes
};

/// The rotation of a rotation vector, radians.
Quat rotationOfVector(const Vec3& turn_rad);

/// The rotation vector, at most half a turn, of a rotation.
Vec3 vectorOfRotation(const Quat& rotation);

}  // namespace clipmill::collision
