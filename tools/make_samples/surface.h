// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "core/math.h"
#include "mesh/skinned_mesh.h"

namespace clipmill::samples {

/// Colours of the samples; also the order of materials in the files.
enum class Cloth { kSkin, kShirt, kTrousers, kShoes, kHair, kEyes, kSkirt, kTail, kWhip };
inline constexpr int kClothCount = 9;

/// Nodes and how much each moves a vertex.
using Weights = std::vector<std::pair<int, double>>;

/// A cross-section that a surface passes through; between them it runs smoothly.
struct Station {
  double s = 0.0;  ///< Where it is along the tube; ascending.
  Vec3 center{0};
  double side_m = 0.0;   ///< Half width along the tube's x.
  double front_m = 0.0;  ///< Extent along the tube's +z.
  double back_m = 0.0;   ///< Extent along the tube's -z.
};

/// A closed surface around a row of cross-sections, or around a ring of them.
struct Tube {
  std::vector<Station> rings;
  Vec3 x{1, 0, 0}, z{0, 0, 1};  ///< Axes of all cross-sections; z cross x points along ascending s.
  int sides = 16;
  double roundness = 1.0;  ///< 1 is an ellipse, towards 0 a rectangle.
  bool is_loop =
      false;  ///< The last ring joins the first; without it both ends are closed by caps.
  double start_cap_m = 0.0, end_cap_m = 0.0;  ///< From the outermost rings to the poles.
  std::function<Weights(double s, const Vec3& position)> weights;
  std::function<Cloth(double s)> cloth;
};

/// Rings through `stations` by cubic interpolation: `count` in between, evenly spaced in s, and
/// elliptic caps of three rings each inside the first `start_cap` and the last `end_cap` of s.
std::vector<Station> ringsThrough(const std::vector<Station>& stations, int count, double start_cap,
                                  double end_cap);

/// Weights of a chain of joints whose bones start at `starts` (that of the first is not used) and
/// blend over `half_widths` to either side.
Weights chainWeights(const std::vector<int>& nodes, const std::vector<double>& starts,
                     const std::vector<double>& half_widths, double s);

/// Surfaces sorted by colour; each colour becomes one primitive.
class SurfaceSet {
 public:
  void add(const Tube& tube);
  /// An ellipsoid that follows one node.
  void addEllipsoid(const Vec3& center, const Vec3& radii_m, int sides, Cloth cloth, int node);
  /// The surfaces that are not empty, skinned by skin 0 whose joints are the nodes 0.. in order.
  std::vector<SkinnedMesh> meshes(int mesh_node) const;

 private:
  SkinnedMesh surfaces_[kClothCount];
};

}  // namespace clipmill::samples
