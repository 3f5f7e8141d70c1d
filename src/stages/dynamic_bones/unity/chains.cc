// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/unity/chains.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/math.h"
#include "core/portable_math.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/unity/curve.h"

namespace clipmill::stages::dynamic_bones::unity {
namespace {

using dynamic_bones::EngineBone;

constexpr double kUnityRate_hz = 60.0;    // step rate, where a component sets no other
constexpr double kVrmTail_m = 0.07;       // the virtual tip of VRM 0.x
constexpr double kMaxTipLength = 1000.0;  // in lengths of the bone before it, as the settings allow
constexpr double kSidewaysOffset = 1e-3;  // of gravity, relative to its part along up

double share(double value) { return std::clamp(value, 0.0, 1.0); }
// A number and the curve that scales it over depth: m_Damping and m_DampingDistrib.
class ScaledNumber {
 public:
  ScaledNumber(const Value& fields, const char* name, const char* curve, double fallback = 0.0)
      : value_(fields[name].number(fallback)), curve_(fields[curve]) {}
  double at(double depth) const { return value_ * curve_.at(depth); }

 private:
  double value_;
  AnimationCurve curve_;
};

// Gravity is the sag angle of a level bone as a share of 90 degrees: its end sags by L tan(angle),
// and a push of 1 m per step makes it sag by (1 - e)/e.
double pushOfRatio(double ratio, const EngineBone& bone) {
  constexpr double kNearlyDown = 0.95;
  const double e = bone.spring.relaxation;
  if (e <= 0.0 || e >= 1.0) return 0.0;
  const double angle = std::clamp(ratio, -kNearlyDown, kNearlyDown) * 0.5 * kPi;
  return -bone.length_m * portable::tan(angle) * e / (1.0 - e);
}

void setOverDepth(const char* setting, const std::vector<double>& depths,
                  const ScaledNumber& number, Curve& curve) {
  std::vector<double> values;
  for (double depth : depths) values.push_back(number.at(depth));
  curve = dynamic_bones::chainCurve(setting, depths, values);
}

}  // namespace

// The longest path down from the root, without skipped nodes, root first.
std::vector<int> ChainMaker::longestBranch(int root, const std::set<int>& skipped) const {
  const auto& nodes = hierarchy_.skeleton().nodes;
  std::map<int, double> below_m;  // of nodes at or below the root
  std::map<int, int> next;
  std::vector<int> order = {root};
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (int child : hierarchy_.childrenOf(order[i])) {
      if (!skipped.contains(child)) order.push_back(child);
    }
  }
  for (std::size_t i = order.size(); i-- > 1;) {
    const int node = order[i], above = nodes[toSize(node)].parent;
    const double length_m = below_m[node] + hierarchy_.lengthOf(node);
    if (!next.contains(above) || length_m >= below_m[above]) {
      below_m[above] = length_m;
      next[above] = node;
    }
  }
  std::vector<int> branch = {root};
  while (next.contains(branch.back())) branch.push_back(next[branch.back()]);
  return branch;
}

// Bones along the longest branch, with a virtual tip of `tip_m` behind the last node.
std::vector<EngineBone> ChainMaker::bonesOf(const std::vector<int>& branch, double tip_m,
                                            ChainSettings& chain) {
  std::vector<EngineBone> bones;
  for (std::size_t i = 1; i < branch.size(); ++i) {
    bones.push_back({hierarchy_.lengthOf(branch[i]), {}, 0.0, 0.0});
  }
  const double before_m = hierarchy_.lengthOf(branch.back());
  tip_m = dynamic_bones::usableLength(tip_m);
  const double ratio = before_m > 0.0 ? tip_m / before_m : 0.0;
  chain.tip_length = ratio <= kMaxTipLength ? ratio : 0.0;
  if (chain.tip_length > 0.0) bones.push_back({tip_m, {}, 0.0, 0.0});
  if (std::any_of(branch.begin(), branch.end(),
                  [&](int node) { return hierarchy_.childrenOf(node).size() > 1; })) {
    notes_.count("chain with branches: values of the longest branch are used");
  }
  return bones;
}

// Component of gravity along the up axis, in the unit of `gravity`.
double ChainMaker::upPart(const Vec3& gravity) {
  const double sideways = std::max(std::abs(gravity.x), std::abs(gravity.z));
  if (sideways > kSidewaysOffset * std::abs(gravity.y)) {
    notes_.count("sideways gravity: only the component along the up axis is used");
  }
  return gravity.y;
}

// The push of DynamicBone depends on the frame rate, and is cancelled along the rest pose.
void ChainMaker::setDynamicBone(const Value& fields, const std::vector<int>& branch,
                                ChainSettings& chain) {
  const int root = branch.front();
  const double end_ratio = fields["m_EndLength"].number();
  const double end_m = end_ratio > 0.0 ? end_ratio * hierarchy_.lengthOf(branch.back())
                                       : lengthOf(fields["m_EndOffset"].vector());
  std::vector<EngineBone> bones = bonesOf(branch, end_m, chain);
  const std::vector<double> depths = dynamic_bones::depthsOf(bones);
  const ScaledNumber damping(fields, "m_Damping", "m_DampingDistrib");
  const ScaledNumber elasticity(fields, "m_Elasticity", "m_ElasticityDistrib");
  const ScaledNumber stiffness(fields, "m_Stiffness", "m_StiffnessDistrib");
  const ScaledNumber radius(fields, "m_Radius", "m_RadiusDistrib");
  const ScaledNumber friction(fields, "m_Friction", "m_FrictionDistrib");
  const double rate = fields["m_UpdateRate"].number(kUnityRate_hz);
  const double push_m = upPart(fields["m_Gravity"].vector()) * largest(hierarchy_.scaleOf(root));
  std::vector<double> cones_deg, frictions;
  for (std::size_t i = 0; i < bones.size(); ++i) {
    const double depth = depths[i];
    bones[i].spring = {share(damping.at(depth)), share(elasticity.at(depth)),
                       rate >= 1.0 ? rate : kUnityRate_hz};
    bones[i].push_m = push_m;
    bones[i].radius_m = radius.at(depth) * largest(hierarchy_.scaleOf(root));
    // Its end stays within 2 (1 - s) L of its rest position: a chord.
    cones_deg.push_back(2.0 * portable::asin(1.0 - share(stiffness.at(depth))) / kDegree);
    frictions.push_back(friction.at(depth));
  }
  dynamic_bones::setMotion(bones, chain);
  chain.rest_includes_gravity = true;
  chain.friction = dynamic_bones::chainCurve("friction", depths, frictions);
  chain.limit_deg = dynamic_bones::chainCurve("limit_deg", depths, cones_deg);
  const bool is_limited = std::any_of(cones_deg.begin(), cones_deg.end(),
                                      [](double angle_deg) { return angle_deg < 179.0; });
  chain.limit = is_limited ? LimitShape::kCone : LimitShape::kNone;
  chain.inertia_translation = 1.0 - share(fields["m_Inert"].number());
  chain.weight = dynamic_bones::chainCurve("weight", {1.0}, {fields["m_BlendWeight"].number(1.0)});
  if (lengthOf(fields["m_Force"].vector()) > 0.0) notes_.count("m_Force: left out");
  if (fields["m_FreezeAxis"].number() != 0.0) notes_.count("m_FreezeAxis: left out");
}

// The effect of pull and momentum is not published: they are used as shares per step.
void ChainMaker::setPhysBone(const Value& fields, const std::vector<int>& branch,
                             ChainSettings& chain) {
  const int root = branch.front();
  const Vec3 end = fields["endpointPosition"].vector() * hierarchy_.scaleOf(branch.back());
  std::vector<EngineBone> bones = bonesOf(branch, lengthOf(end), chain);
  const std::vector<double> depths = dynamic_bones::depthsOf(bones);
  const ScaledNumber pull(fields, "pull", "pullCurve");
  const ScaledNumber momentum(fields, "spring", "springCurve");
  const ScaledNumber stiffness(fields, "stiffness", "stiffnessCurve");
  const ScaledNumber gravity(fields, "gravity", "gravityCurve");
  const ScaledNumber radius(fields, "radius", "radiusCurve");
  const bool is_advanced = fields["integrationType"].number() == 1.0;
  for (std::size_t i = 0; i < bones.size(); ++i) {
    const double depth = depths[i];
    const double held = is_advanced ? share(stiffness.at(depth)) : 0.0;
    const double relaxation = 1.0 - (1.0 - share(pull.at(depth))) * (1.0 - held);
    bones[i].spring = {1.0 - share(momentum.at(depth)), relaxation, kUnityRate_hz};
    bones[i].push_m = pushOfRatio(gravity.at(depth), bones[i]);
    bones[i].radius_m = radius.at(depth) * largest(hierarchy_.scaleOf(root));
  }
  dynamic_bones::setMotion(bones, chain);
  chain.rest_includes_gravity = fields["gravityFalloff"].number() >= 0.5;
  setImmobile(fields, root, chain);
  setPhysLimit(fields, depths, chain);
  const ScaledNumber stretch(fields, "maxStretch", "maxStretchCurve");
  const ScaledNumber squish(fields, "maxSquish", "maxSquishCurve");
  setOverDepth("max_stretch", depths, stretch, chain.max_stretch);
  setOverDepth("max_squish", depths, squish, chain.max_squish);
  const bool is_fork = hierarchy_.childrenOf(root).size() > 1;
  chain.keep_root = is_fork && fields["multiChildType"].number() == 0.0;
  notes_.count(
      "PhysBone: pull, spring and gravity have no published formulas; the conversion is "
      "approximate");
}

void ChainMaker::setImmobile(const Value& fields, int root, ChainSettings& chain) {
  const double felt = 1.0 - share(fields["immobile"].number());
  chain.inertia_translation = felt;
  const bool is_world = fields["immobileType"].number() == 1.0;
  if (!is_world) chain.inertia_rotation = felt;
  if (!is_world || felt == 1.0) return;
  // The chain does not react to the character's travel, which is on the hips in a clip.
  const auto& nodes = hierarchy_.skeleton().nodes;
  for (int i = nodes[toSize(root)].parent; i >= 0; i = nodes[toSize(i)].parent) {
    const std::string& name = nodes[toSize(i)].name;
    if (name.find("ips") != std::string::npos) chain.inertia_node = hierarchy_.globOf(i);
  }
  notes_.count(chain.inertia_node
                   ? "immobile in the world: applied to the translation of '" +
                         *chain.inertia_node + "'"
                   : "immobile in the world: applied to the attachment joint of the chain");
}

void ChainMaker::setPhysLimit(const Value& fields, const std::vector<double>& depths,
                              ChainSettings& chain) {
  const int type = static_cast<int>(std::clamp(fields["limitType"].number(), 0.0, 3.0));
  constexpr LimitShape kShapes[] = {LimitShape::kNone, LimitShape::kCone, LimitShape::kHinge,
                                    LimitShape::kSpherical};
  chain.limit = kShapes[type];
  if (type == 0) return;
  const ScaledNumber pitch(fields, "maxAngleX", "maxAngleXCurve", 45.0);
  const ScaledNumber yaw(fields, "maxAngleZ", "maxAngleZCurve", 45.0);
  setOverDepth("limit_deg", depths, pitch, chain.limit_deg);
  setOverDepth("limit_yaw_deg", depths, yaw, chain.limit_yaw_deg);
  const Vec3 rotation = fields["limitRotation"].vector();
  chain.limit_rotation_deg = {rotation.x, -rotation.y, -rotation.z};
  if (type != 1 || lengthOf(rotation) > 0.0) {
    notes_.count("limit of a PhysBone with axes: the axes are approximate");
  }
}

// As in file_springs.h.
void ChainMaker::setVrmSpring(const Value& fields, const std::vector<int>& branch,
                              ChainSettings& chain) {
  const int root = branch.front();
  std::vector<EngineBone> bones = bonesOf(branch, kVrmTail_m, chain);
  const double pull_m = std::max(fields["m_stiffnessForce"].number(1.0), 0.0) / kUnityRate_hz;
  const double up = upPart(fields["m_gravityDir"].vector(Vec3(0, -1, 0)));
  for (EngineBone& bone : bones) {
    bone.spring.drag = share(fields["m_dragForce"].number(0.4));
    bone.spring.relaxation = pull_m > 0.0 ? pull_m / (bone.length_m + pull_m) : 0.0;
    bone.push_m = fields["m_gravityPower"].number() * up / kUnityRate_hz;
    bone.radius_m = fields["m_hitRadius"].number(0.02) * largest(hierarchy_.scaleOf(root));
  }
  dynamic_bones::setMotion(bones, chain);
  chain.rest_includes_gravity = false;
  const int center = hierarchy_.nodeOf(fields["m_center"].fileId());
  if (center < 0) return;
  chain.inertia_node = hierarchy_.globOf(center);
  chain.inertia_translation = chain.inertia_rotation = 0.0;
}

ChainSettings ChainMaker::make(Kind kind, const Value& fields, int root,
                               const std::set<int>& skipped) {
  ChainSettings chain;
  chain.root = hierarchy_.globOf(root);
  for (int node : skipped) {
    const std::string glob = hierarchy_.globOf(node);
    if (!glob.empty()) chain.skip.push_back(glob);
  }
  const std::vector<int> branch = longestBranch(root, skipped);
  if (kind == Kind::kDynamicBone) setDynamicBone(fields, branch, chain);
  if (kind == Kind::kPhysBone) setPhysBone(fields, branch, chain);
  if (kind == Kind::kVrmSpring) setVrmSpring(fields, branch, chain);
  return chain;
}

}  // namespace clipmill::stages::dynamic_bones::unity
