// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "penetration/self_penetration.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "core/to_size.h"
#include "humanoid/joint_layout.h"
#include "mesh/outward_surface.h"
#include "mesh/point_tree.h"
#include "penetration/body_skin.h"
#include "penetration/limb_depth.h"
#include "penetration/part_surface.h"

namespace clipmill::penetration {
namespace {

// Thighs are always in contact near the crotch, and upper arms near the armpit: what is nearer to
// the root of the limb than this share of the length to the next joint does not count.
constexpr double kCrotchShare = 0.4, kArmpitShare = 0.4;

// A pair as it is planned, before it is known what the character has.
struct PlannedPair {
  PartPair pair;
  double root_share = 0.0;  // of the length from root to next: see kCrotchShare
  humanoid::HumanoidRole root = humanoid::HumanoidRole::kCount;
  humanoid::HumanoidRole next = humanoid::HumanoidRole::kCount;
};

struct Side {
  std::string name;
  humanoid::BodyPart upper_arm, forearm, thigh, shin;
  humanoid::HumanoidRole shoulder, elbow, hip, knee;
};

const std::array<Side, 2>& sides() {
  static const std::array<Side, 2> both = {
      Side{"left", humanoid::BodyPart::kLeftUpperArm, humanoid::BodyPart::kLeftForearm,
           humanoid::BodyPart::kLeftThigh, humanoid::BodyPart::kLeftShin,
           humanoid::HumanoidRole::kLeftUpperArm, humanoid::HumanoidRole::kLeftLowerArm,
           humanoid::HumanoidRole::kLeftUpperLeg, humanoid::HumanoidRole::kLeftLowerLeg},
      Side{"right", humanoid::BodyPart::kRightUpperArm, humanoid::BodyPart::kRightForearm,
           humanoid::BodyPart::kRightThigh, humanoid::BodyPart::kRightShin,
           humanoid::HumanoidRole::kRightUpperArm, humanoid::HumanoidRole::kRightLowerArm,
           humanoid::HumanoidRole::kRightUpperLeg, humanoid::HumanoidRole::kRightLowerLeg}};
  return both;
}

std::vector<PlannedPair> plannedPairs(bool upper_arms) {
  std::vector<PlannedPair> planned;
  for (std::size_t s = 0; s < 2; ++s) {
    const Side &own = sides()[s], &other = sides()[1 - s];
    const std::string arm = own.name + " arm - ";
    planned.push_back({{arm + "trunk",
                        own.forearm,
                        {humanoid::BodyPart::kTrunk, humanoid::BodyPart::kLeftThigh,
                         humanoid::BodyPart::kRightThigh}}});
    planned.push_back({{arm + "head", own.forearm, {humanoid::BodyPart::kHead}}});
    planned.push_back({{arm + other.name + " arm", own.forearm, {other.upper_arm, other.forearm}}});
  }
  for (std::size_t s = 0; s < 2; ++s) {
    const Side &own = sides()[s], &other = sides()[1 - s];
    planned.push_back(
        {{own.name + " shin - " + other.name + " leg", own.shin, {other.thigh, other.shin}}});
    planned.push_back({{own.name + " thigh - " + other.name + " thigh", own.thigh, {other.thigh}},
                       kCrotchShare,
                       own.hip,
                       own.knee});
  }
  for (const Side& own : sides()) {
    if (!upper_arms) break;
    const std::string arm = own.name + " upper arm - ";
    const auto add = [&](const std::string& other, humanoid::BodyPart part) {
      planned.push_back(
          {{arm + other, own.upper_arm, {part}}, kArmpitShare, own.shoulder, own.elbow});
    };
    add("trunk", humanoid::BodyPart::kTrunk);
    add("head", humanoid::BodyPart::kHead);
  }
  return planned;
}

Error unsupported(const std::string& message, const std::string& remedy) {
  return {ErrorCode::kUnsupported, "", message, remedy};
}

// Of all vertices that belong to a part.
double heightOf(const BodySkin& skin, std::span<const Vec3> rest_m, const Vec3& up) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  const std::size_t end = skin.verticesOf(humanoid::BodyPart::kCount).start;
  for (std::size_t v = 0; v < end; ++v) {
    low = std::min(low, glm::dot(rest_m[v], up));
    high = std::max(high, glm::dot(rest_m[v], up));
  }
  return std::max(0.0, high - low);
}

}  // namespace

struct SelfPenetration::Model {
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

  static Result<Model> make(const Scene& scene, const humanoid::HumanoidMap& map, bool upper_arms);
  void addPair(const PlannedPair& planned, const OutwardSurface& skin_surface,
               const humanoid::HumanoidMap& map, std::span<const Affine> rest_worlds);
  std::size_t surfaceOf(const OutwardSurface& skin_surface,
                        std::span<const humanoid::BodyPart> parts);
};

struct SelfPenetration::Pose {
  // Counts up with every change of the pose.
  using Time = std::uint64_t;

  struct Limb {
    PointTree tree;
    std::vector<Vec3> positions_m;
    Time time = 0;
  };
  struct Surface {
    PartSurface::Posed posed;
    Time time = 0;
  };

  BodySkin::Pose skin;
  Time now = 0;
  std::array<Time, humanoid::kBodyPartCount> time_of_part{};
  // Fitted to the pose when they are asked for.
  mutable std::vector<Limb> limbs;
  mutable std::vector<Surface> surfaces;

  const PointTree& limbOf(const Model& model, std::size_t pair) const {
    Limb& limb = limbs[pair];
    const Time time = time_of_part[toSize(model.pairs[pair].limb)];
    if (limb.time == time) return limb.tree;
    limb.time = time;
    const std::vector<std::uint32_t>& vertices = model.limbs[pair].vertices;
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      limb.positions_m[i] = skin.positions_m[vertices[i]];
    }
    limb.tree.refit(limb.positions_m);
    return limb.tree;
  }

  PartSurface::Posed& surfaceOf(const Model& model, std::size_t pair) const {
    const std::size_t index = model.limbs[pair].surface;
    Surface& surface = surfaces[index];
    Time time = 0;
    for (const humanoid::BodyPart part : model.surfaces[index].parts()) {
      time = std::max(time, time_of_part[toSize(part)]);
    }
    if (surface.time != time) surface.posed.move(skin.positions_m);
    surface.time = time;
    return surface.posed;
  }
};

std::size_t SelfPenetration::Model::surfaceOf(const OutwardSurface& skin_surface,
                                              std::span<const humanoid::BodyPart> parts) {
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    const auto known = surfaces[i].parts();
    if (std::equal(known.begin(), known.end(), parts.begin(), parts.end())) return i;
  }
  surfaces.emplace_back(skin, rest.positions_m, skin_surface, parts);
  return surfaces.size() - 1;
}

void SelfPenetration::Model::addPair(const PlannedPair& planned, const OutwardSurface& skin_surface,
                                     const humanoid::HumanoidMap& map,
                                     std::span<const Affine> rest_worlds) {
  const BodySkin::Range range = skin.verticesOf(planned.pair.limb);
  if (range.count() == 0) return;
  const std::size_t surface = surfaceOf(skin_surface, planned.pair.others);
  if (surfaces[surface].empty()) return;
  const auto positionOf = [&](humanoid::HumanoidRole role) {
    return rest_worlds[toSize(map[role])].translation;
  };
  const bool has_root = planned.root != humanoid::HumanoidRole::kCount;
  if (has_root && (map[planned.root] < 0 || map[planned.next] < 0)) return;
  const Vec3 root = has_root ? positionOf(planned.root) : Vec3(0.0);
  const Vec3 offset = has_root ? positionOf(planned.next) - root : Vec3(0.0);
  PartSurface::Posed posed(surfaces[surface]);
  Limb limb{surface, {}};
  for (std::size_t v = range.start; v < range.end; ++v) {
    const Vec3& position = rest.positions_m[v];
    const double along = glm::dot(position - root, offset);
    if (along < planned.root_share * glm::dot(offset, offset)) continue;
    if (posed.closed().windingNumber(position) > kInsideWinding) continue;
    limb.vertices.push_back(static_cast<std::uint32_t>(v));
  }
  if (limb.vertices.empty()) return;
  pairs.push_back(planned.pair);
  limbs.push_back(std::move(limb));
}

Result<SelfPenetration::Model> SelfPenetration::Model::make(const Scene& scene,
                                                            const humanoid::HumanoidMap& map,
                                                            bool upper_arms) {
  Model model;
  CLIPMILL_TRY(model.skin, BodySkin::make(scene, map));
  if (model.skin.vertexCount() == 0) {
    return unsupported("no mesh is skinned to the character",
                       "give the file that holds the skinned character");
  }
  if (model.skin.verticesOf(humanoid::BodyPart::kTrunk).count() == 0) {
    return unsupported("the joints of the trunk move no vertices",
                       "name the joints of hips and spine by a map");
  }
  const std::vector<Affine> metric_worlds = humanoid::boundWorlds(scene);
  model.rest = boundPose(scene, model.skin);
  const auto axes = humanoid::bodyAxes(map, metric_worlds);
  model.height_m = heightOf(model.skin, model.rest.positions_m, axes ? axes->up : Vec3(0, 1, 0));

  const OutwardSurface surface = orientOutward(model.rest.positions_m, model.skin.triangles());
  for (const PlannedPair& planned : plannedPairs(upper_arms)) {
    model.addPair(planned, surface, map, metric_worlds);
  }
  if (model.pairs.empty() || !(model.height_m > 0.0)) {
    return unsupported("the character has no limb that could run into a part of it",
                       "name the joints of its arms and legs by a map");
  }
  return model;
}

SelfPenetration::SelfPenetration(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

Result<SelfPenetration> SelfPenetration::make(const Scene& scene, const humanoid::HumanoidMap& map,
                                              bool upper_arms) {
  CLIPMILL_TRY(Model model, Model::make(scene, map, upper_arms));
  return SelfPenetration(std::make_shared<const Model>(std::move(model)));
}

std::span<const PartPair> SelfPenetration::pairs() const { return model_->pairs; }

double SelfPenetration::height_m() const { return model_->height_m; }

std::shared_ptr<SelfPenetration::Pose> SelfPenetration::makePose() const {
  auto pose = std::make_shared<Pose>();
  pose->skin = model_->rest;
  for (const Model::Limb& limb : model_->limbs) {
    Pose::Limb posed;
    for (const std::uint32_t v : limb.vertices) {
      posed.positions_m.push_back(model_->rest.positions_m[v]);
    }
    posed.tree = PointTree(posed.positions_m);
    pose->limbs.push_back(std::move(posed));
  }
  for (const PartSurface& surface : model_->surfaces) {
    pose->surfaces.push_back({PartSurface::Posed(surface)});
  }
  return pose;
}

void SelfPenetration::pose(std::span<const Affine> world_from_node,
                           std::span<const double> morph_weights, Pose& pose) const {
  const BodySkin::PartMarks is_posed = model_->skin.pose(world_from_node, morph_weights, pose.skin);
  ++pose.now;
  for (std::size_t part = 0; part < pose.time_of_part.size(); ++part) {
    if (is_posed[part]) pose.time_of_part[part] = pose.now;
  }
}

void SelfPenetration::posePart(humanoid::BodyPart part, std::span<const Affine> world_from_node,
                               Pose& pose) const {
  model_->skin.posePart(part, world_from_node, pose.skin);
  pose.time_of_part[toSize(part)] = ++pose.now;
}

PairDepth SelfPenetration::measure(std::size_t pair, const Pose& pose) const {
  return depthOf(pose.limbOf(*model_, pair), pose.surfaceOf(*model_, pair));
}

std::vector<PenetratingPoint> SelfPenetration::penetratingPoints(std::size_t pair,
                                                                 const Pose& pose) const {
  return penetration::penetratingPoints(pose.limbOf(*model_, pair), pose.surfaceOf(*model_, pair));
}

PairClearance SelfPenetration::clearance(std::size_t pair, const Pose& pose, double reach_m) const {
  const PairDepth depth = measure(pair, pose);
  if (depth.penetrating_count > 0) {
    return {-depth.depth_m, true, depth.position_m, depth.position_m + depth.exit_m};
  }
  return clearanceOf(pose.limbOf(*model_, pair), pose.surfaceOf(*model_, pair), reach_m);
}

}  // namespace clipmill::penetration
