// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "humanoid/humanoid.h"
#include "penetration/body_skin.h"
#include "scene/scene.h"

namespace clipmill::retarget {

/// A vertex of a skin, and its share of a point.
struct VertexShare {
  std::uint32_t vertex = 0;
  double weight = 0.0;
};

/// A point that moves with a skin: the weighted mean of vertices, whose weights sum to 1. A point
/// on the skin has three; a mean of points has those of all of them.
using SkinPoint = std::vector<VertexShare>;

/// Where the point is in a pose of the skin.
Vec3 positionOf(const SkinPoint& point, std::span<const Vec3> positions_m);

/// Adds `weight` times a point to `sum`, vertex by vertex.
void addPoint(const SkinPoint& point, double weight, SkinPoint& sum);

/// Adds the weights of equal vertices; vertices ascend.
void mergeVertices(SkinPoint& point);

/// A skin at bind, with a cylindrical coordinate system for each body part: along the bone of the
/// part, and about it from the direction in which the body faces.
class SkinRegions {
 public:
  /// `skin` is that of `scene` and `map`.
  SkinRegions(const Scene& scene, const humanoid::HumanoidMap& map,
              std::shared_ptr<const penetration::BodySkin> skin);

  /// A location in a part: 0..1 from joint to joint, -1..0 and 1..2 beyond them to the ends of its
  /// skin, and the direction away from the bone (forward, sideways; a unit vector).
  struct Location {
    double along = 0.0;
    std::array<double, 2> direction{1.0, 0.0};
  };
  /// None for a part without a bone, or a vertex of no part.
  std::optional<Location> locationOf(std::uint32_t vertex) const;
  /// The outermost point of the part's skin there; where its skin has no such point, the vertex
  /// nearest to it along and about the bone. None for a part without a bone or skin.
  std::optional<SkinPoint> pointAt(humanoid::BodyPart part, const Location& location) const;

  const penetration::BodySkin& skin() const { return *skin_; }
  /// Of all vertices, at bind.
  std::span<const Vec3> bound_m() const { return bound_m_; }

 private:
  // The bone of a part at bind.
  struct Bone {
    Vec3 origin{0.0}, axis{0.0}, forward{0.0}, side{0.0};  // the last three are unit vectors
    double length_m = 0.0;
    double low_m = 0.0, high_m = 0.0;  // ends of the skin along the axis
    double radius_m = 0.0;             // mean distance of the skin
    std::vector<std::array<std::uint32_t, 3>> triangles;
  };

  void addBone(humanoid::BodyPart part, const Vec3& origin, const Vec3& end, const Vec3& forward);
  double distanceAlong_m(const Bone& bone, double along) const;
  std::optional<SkinPoint> outermostHit(const Bone& bone, const Location& location) const;
  std::optional<SkinPoint> nearestVertex(humanoid::BodyPart part, const Bone& bone,
                                         const Location& location) const;

  std::shared_ptr<const penetration::BodySkin> skin_;
  std::vector<Vec3> bound_m_;
  std::array<std::optional<Bone>, humanoid::kBodyPartCount> bones_;
};

/// For points of the skin of one character the corresponding points of another: at the same
/// location in the same body part at bind.
class SkinMap {
 public:
  /// Both must outlive it.
  SkinMap(const SkinRegions& source, const SkinRegions& target)
      : source_(source), target_(target), points_(source.skin().vertexCount()) {}

  /// None where the target has no such part.
  const std::optional<SkinPoint>& pointOf(std::uint32_t source_vertex);
  /// Of a point of the source; none if one of its vertices has none.
  std::optional<SkinPoint> pointOf(const SkinPoint& source_point);

 private:
  struct Entry {
    bool is_known = false;
    std::optional<SkinPoint> point;
  };

  const SkinRegions& source_;
  const SkinRegions& target_;
  std::vector<Entry> points_;
};

}  // namespace clipmill::retarget
