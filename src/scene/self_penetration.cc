// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/self_penetration.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "mesh/outward_surface.h"
#include "mesh/point_tree.h"
#include "scene/body_skin.h"
#include "scene/humanoid_figure.h"
#include "scene/limb_depth.h"
#include "scene/part_surface.h"

namespace clipmill {
namespace {

// Thighs touch near the crotch whatever one does: what is nearer to the hip than this share of the
// way to the knee does not count.
constexpr double kCrotchShare = 0.4;

constexpr double kInsideWinding = 0.5;

// A pair as it is planned, before it is known what the figure has.
struct PlannedPair {
  PartPair pair;
  HumanoidRole hip = HumanoidRole::kCount;  // both set: see kCrotchShare
  HumanoidRole knee = HumanoidRole::kCount;
};

struct Side {
  std::string name;
  BodyPart upper_arm, forearm, thigh, shin;
  HumanoidRole hip, knee;
};

const std::array<Side, 2>& sides() {
  static const std::array<Side, 2> both = {
      Side{"left", BodyPart::kLeftUpperArm, BodyPart::kLeftForearm, BodyPart::kLeftThigh,
           BodyPart::kLeftShin, HumanoidRole::kLeftUpperLeg, HumanoidRole::kLeftLowerLeg},
      Side{"right", BodyPart::kRightUpperArm, BodyPart::kRightForearm, BodyPart::kRightThigh,
           BodyPart::kRightShin, HumanoidRole::kRightUpperLeg, HumanoidRole::kRightLowerLeg}};
  return both;
}

std::vector<PlannedPair> plannedPairs() {
  std::vector<PlannedPair> planned;
  for (std::size_t s = 0; s < 2; ++s) {
    const Side &own = sides()[s], &other = sides()[1 - s];
    const std::string arm = own.name + " arm - ";
    planned.push_back({{arm + "trunk",
                        own.forearm,
                        {BodyPart::kTrunk, BodyPart::kLeftThigh, BodyPart::kRightThigh}}});
    planned.push_back({{arm + "head", own.forearm, {BodyPart::kHead}}});
    planned.push_back({{arm + other.name + " arm", own.forearm, {other.upper_arm, other.forearm}}});
  }
  for (std::size_t s = 0; s < 2; ++s) {
    const Side &own = sides()[s], &other = sides()[1 - s];
    planned.push_back(
        {{own.name + " shin - " + other.name + " leg", own.shin, {other.thigh, other.shin}}});
    planned.push_back({{own.name + " thigh - " + other.name + " thigh", own.thigh, {other.thigh}},
                       own.hip,
                       own.knee});
  }
  return planned;
}

Error unsupported(const std::string& message, const std::string& remedy) {
  return {ErrorCode::kUnsupported, "", message, remedy};
}

// Of all vertices that belong to a part.
double heightOf(const BodySkin& skin, std::span<const Vec3> rest_m, const Vec3& up) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  const std::size_t end = skin.verticesOf(BodyPart::kCount).begin;
  for (std::size_t v = 0; v < end; ++v) {
    low = std::min(low, glm::dot(rest_m[v], up));
    high = std::max(high, glm::dot(rest_m[v], up));
  }
  return std::max(0.0, high - low);
}

}  // namespace

struct SelfPenetration::Figure {
  struct Limb {
    std::size_t surface;                  // in `surfaces`
    std::vector<std::uint32_t> vertices;  // of the skin
  };

  BodySkin skin;
  std::vector<PartPair> pairs;
  std::vector<Limb> limbs;  // one a pair
  std::vector<PartSurface> surfaces;
  BodySkin::Pose rest;
  double height_m = 0.0;

  static Result<Figure> make(const Scene& scene, const HumanoidMap& map);
  void addPair(const PlannedPair& planned, const OutwardSurface& skin_surface,
               const HumanoidMap& map, std::span<const Affine> rest_worlds);
  std::size_t surfaceOf(const OutwardSurface& skin_surface, std::span<const BodyPart> parts);
};

struct SelfPenetration::Pose {
  // Counts up with every change of the pose.
  using Time = std::uint64_t;

  struct Limb {
    PointTree tree;
    std::vector<Vec3> places_m;
    Time time = 0;
  };
  struct Surface {
    PartSurface::Posed posed;
    Time time = 0;
  };

  BodySkin::Pose skin;
  Time now = 0;
  std::array<Time, kBodyPartCount> time_of_part{};
  // Fitted to the pose when they are asked for.
  mutable std::vector<Limb> limbs;
  mutable std::vector<Surface> surfaces;

  const PointTree& limbOf(const Figure& figure, std::size_t pair) const {
    Limb& limb = limbs[pair];
    const Time time = time_of_part[static_cast<std::size_t>(figure.pairs[pair].limb)];
    if (limb.time == time) return limb.tree;
    limb.time = time;
    const std::vector<std::uint32_t>& vertices = figure.limbs[pair].vertices;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      limb.places_m[i] = skin.positions_m[vertices[i]];
    }
    limb.tree.refit(limb.places_m);
    return limb.tree;
  }

  PartSurface::Posed& surfaceOf(const Figure& figure, std::size_t pair) const {
    const std::size_t index = figure.limbs[pair].surface;
    Surface& surface = surfaces[index];
    Time time = 0;
    for (const BodyPart part : figure.surfaces[index].parts()) {
      time = std::max(time, time_of_part[static_cast<std::size_t>(part)]);
    }
    if (surface.time != time) surface.posed.move(skin.positions_m);
    surface.time = time;
    return surface.posed;
  }
};

std::size_t SelfPenetration::Figure::surfaceOf(const OutwardSurface& skin_surface,
                                               std::span<const BodyPart> parts) {
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    const auto known = surfaces[i].parts();
    if (std::equal(known.begin(), known.end(), parts.begin(), parts.end())) return i;
  }
  surfaces.emplace_back(skin, rest.positions_m, skin_surface, parts);
  return surfaces.size() - 1;
}

void SelfPenetration::Figure::addPair(const PlannedPair& planned,
                                      const OutwardSurface& skin_surface, const HumanoidMap& map,
                                      std::span<const Affine> rest_worlds) {
  const BodySkin::Range range = skin.verticesOf(planned.pair.limb);
  if (range.count() == 0) return;
  const std::size_t surface = surfaceOf(skin_surface, planned.pair.others);
  if (surfaces[surface].empty()) return;
  const auto placeOf = [&](HumanoidRole role) {
    return rest_worlds[static_cast<std::size_t>(map[role])].translation;
  };
  const bool has_crotch = planned.hip != HumanoidRole::kCount;
  if (has_crotch && (map[planned.hip] < 0 || map[planned.knee] < 0)) return;
  const Vec3 hip = has_crotch ? placeOf(planned.hip) : Vec3(0.0);
  const Vec3 way = has_crotch ? placeOf(planned.knee) - hip : Vec3(0.0);
  PartSurface::Posed posed(surfaces[surface]);
  Limb limb{surface, {}};
  for (std::size_t v = range.begin; v < range.end; ++v) {
    const Vec3& place = rest.positions_m[v];
    if (glm::dot(place - hip, way) < kCrotchShare * glm::dot(way, way)) continue;
    if (posed.closed().windingNumber(place) > kInsideWinding) continue;
    limb.vertices.push_back(static_cast<std::uint32_t>(v));
  }
  if (limb.vertices.empty()) return;
  pairs.push_back(planned.pair);
  limbs.push_back(std::move(limb));
}

Result<SelfPenetration::Figure> SelfPenetration::Figure::make(const Scene& scene,
                                                              const HumanoidMap& map) {
  Figure figure;
  CLIPMILL_TRY(figure.skin, BodySkin::make(scene, map));
  if (figure.skin.vertexCount() == 0) {
    return unsupported("no mesh is skinned to the figure",
                       "give the file that holds the skinned character");
  }
  if (figure.skin.verticesOf(BodyPart::kTrunk).count() == 0) {
    return unsupported("the joints of the trunk move no vertices",
                       "name the joints of hips and spine by a map");
  }
  const std::vector<Affine> metric_worlds = humanoid::boundWorlds(scene);
  std::vector<Affine> worlds;
  const Affine file_from_metric = inverse(scene.metric_from_file);
  for (const Affine& world : metric_worlds) worlds.push_back(file_from_metric * world);
  figure.skin.pose(worlds, scene.skeleton.rest_weights, figure.rest);
  const auto axes = bodyAxes(map, metric_worlds);
  figure.height_m = heightOf(figure.skin, figure.rest.positions_m, axes ? axes->up : Vec3(0, 1, 0));

  const OutwardSurface surface = orientOutward(figure.rest.positions_m, figure.skin.triangles());
  for (const PlannedPair& planned : plannedPairs()) {
    figure.addPair(planned, surface, map, metric_worlds);
  }
  if (figure.pairs.empty() || !(figure.height_m > 0.0)) {
    return unsupported("the figure has no limb that could run into a part of it",
                       "name the joints of its arms and legs by a map");
  }
  return figure;
}

SelfPenetration::SelfPenetration(std::shared_ptr<const Figure> figure)
    : figure_(std::move(figure)) {}

Result<SelfPenetration> SelfPenetration::make(const Scene& scene, const HumanoidMap& map) {
  CLIPMILL_TRY(Figure figure, Figure::make(scene, map));
  return SelfPenetration(std::make_shared<const Figure>(std::move(figure)));
}

std::span<const PartPair> SelfPenetration::pairs() const { return figure_->pairs; }

double SelfPenetration::height_m() const { return figure_->height_m; }

std::shared_ptr<SelfPenetration::Pose> SelfPenetration::makePose() const {
  auto pose = std::make_shared<Pose>();
  pose->skin = figure_->rest;
  for (const Figure::Limb& limb : figure_->limbs) {
    Pose::Limb posed;
    for (const std::uint32_t v : limb.vertices) {
      posed.places_m.push_back(figure_->rest.positions_m[v]);
    }
    posed.tree = PointTree(posed.places_m);
    pose->limbs.push_back(std::move(posed));
  }
  for (const PartSurface& surface : figure_->surfaces) {
    pose->surfaces.push_back({PartSurface::Posed(surface)});
  }
  return pose;
}

void SelfPenetration::pose(std::span<const Affine> world_from_node,
                           std::span<const double> morph_weights, Pose& pose) const {
  figure_->skin.pose(world_from_node, morph_weights, pose.skin);
  pose.time_of_part.fill(++pose.now);
}

void SelfPenetration::posePart(BodyPart part, std::span<const Affine> world_from_node,
                               Pose& pose) const {
  figure_->skin.posePart(part, world_from_node, pose.skin);
  pose.time_of_part[static_cast<std::size_t>(part)] = ++pose.now;
}

PairDepth SelfPenetration::measure(std::size_t pair, const Pose& pose) const {
  return depthOf(pose.limbOf(*figure_, pair), pose.surfaceOf(*figure_, pair));
}

PairClearance SelfPenetration::clearance(std::size_t pair, const Pose& pose, double reach_m) const {
  const PairDepth depth = measure(pair, pose);
  if (depth.inside_count > 0) {
    return {-depth.depth_m, true, depth.deepest_m, depth.deepest_m + depth.way_out_m};
  }
  return clearanceOf(pose.limbOf(*figure_, pair), pose.surfaceOf(*figure_, pair), reach_m);
}

}  // namespace clipmill
