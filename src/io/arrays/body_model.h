// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anim/skeleton.h"
#include "core/math.h"
#include "scene/scene.h"

/// Skeletons that arrays are about: the order of their joints is that of the datasets; the rest
/// poses are a neutral T pose of this program, made of body proportions.
namespace clipmill::io::arrays {

struct BodyJoint {
  std::string name;
  int parent = -1;   ///< Index of a joint before it.
  Vec3 rest_m{0.0};  ///< In the T pose: y up, facing +z, feet on the ground.
  std::string role;  ///< As in VRM 1.0; may be empty.
  int column = -1;   ///< Of arrays of positions; with `other_column` the point between both.
  int other_column = -1;
};

/// A joint whose rotation follows from several points.
struct JointFit {
  struct Point {
    int joint = 0;
    double weight = 1.0;
  };
  int joint = 0;
  std::vector<Point> points;
  bool is_rigid = true;  ///< The points are its children, and one body with it.
};

/// A joint whose child bends about one axis.
struct HingeLimb {
  int joint = 0;  ///< Hip or shoulder.
  Vec3 axis{0.0};
};

struct BodyModel {
  std::string name;         ///< "humanml3d22"
  std::size_t columns = 0;  ///< Joints of an array of positions.
  std::vector<BodyJoint> joints;
  std::vector<JointFit> fits;
  std::vector<HingeLimb> hinges;

  /// Index of a joint; -1 where there is none of that name.
  int find(std::string_view joint) const;
};

/// Names of the models: humanml3d22, smpl24, smplh52, smplx55, h36m17, coco17.
std::span<const std::string_view> bodyModelNames();

/// The model of that name, or none.
std::optional<BodyModel> bodyModel(std::string_view name);

/// The SMPL model whose poses have so many joints (22, 24, 52, 55), or none.
std::optional<BodyModel> smplModel(std::size_t joints);

/// The skeleton at rest and the roles of its joints, with `offsets_m` from parent to child in place
/// of those of the T pose; in a space with metres and another up axis: `file_from_metric` is a
/// rotation times a unit.
void addBody(const BodyModel& model, std::span<const Vec3> offsets_m,
             const Affine& file_from_metric, Scene& scene);

/// rest_m of each joint relative to its parent; of roots rest_m itself.
std::vector<Vec3> restOffsets(const BodyModel& model);

/// The rotation that makes an axis the y axis: "x", "-x", "y", "-y", "z", "-z"; none for others.
std::optional<Mat3> uprightFrom(std::string_view up_axis);

/// The name of the axis of files that is nearest to a direction.
std::string_view axisNearest(const Vec3& direction);

}  // namespace clipmill::io::arrays
