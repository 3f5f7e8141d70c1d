// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "core/to_size.h"
#include "core/units.h"
#include "pipeline/spring_fit.h"

namespace clipmill::pipeline {
namespace {

using Json = nlohmann::ordered_json;
using stages::dynamic_bones::ChainFit;
using stages::dynamic_bones::kTipRatio;
using stages::dynamic_bones::parametersOf;
using stages::dynamic_bones::SpringTarget;
using stages::dynamic_bones::TipError;

constexpr double kCentimetresInMetre = 100.0;

// CenterFrom of SpringBoneSimulator3D.
constexpr int kGodotCenterWorld = 0, kGodotCenterBone = 2;

struct TargetNames {
  const char* key;    // of the command line
  const char* rules;  // what is simulated
};

TargetNames namesOf(SpringTarget target) {
  switch (target) {
    case SpringTarget::kKawaii:
      return {"kawaii", "KawaiiPhysics 1.21, 60 steps per second"};
    case SpringTarget::kGodot:
      return {"godot", "SpringBoneSimulator3D of Godot 4.4, 60 frames per second"};
    case SpringTarget::kUnity:
      return {"unity", "DynamicBone 1.3, update rate 60"};
    case SpringTarget::kVrm1:
      break;
  }
  return {"vrm1", "VRMC_springBone 1.0, 60 frames per second"};
}

// The values of one row, for the writers of targets.
class RowWriter {
 public:
  RowWriter(const FittedSprings& fitted, const FittedRow& row)
      : fitted_(fitted), row_(row), fit_(row.fit) {}

  double value(std::size_t parameter) const { return fit_.fit.values[parameter]; }
  double stiffness(std::size_t bone) const {
    return stages::dynamic_bones::stiffnessAt(fitted_.target, value(0), value(1),
                                              fit_.depths[bone]);
  }
  double radius_m(std::size_t bone) const { return row_.settings.radius_m.at(fit_.depths[bone]); }
  double tipRadius_m() const { return radius_m(fit_.depths.size() - 1); }
  bool hasVirtualTip() const { return fit_.row.end_node < 0; }
  std::string nameOf(int node) const { return fitted_.skeleton.nodes[toSize(node)].name; }
  int sourceOf(int node) const { return fitted_.skeleton.nodes[toSize(node)].source_id; }

  Json vrm1() const {
    Json joints = Json::array();
    const std::size_t count = fit_.row.joints.size();
    for (std::size_t i = 0; i < count; ++i) {
      Json joint = {{"node", sourceOf(fit_.row.joints[i])}};
      const bool is_last = hasVirtualTip() && i + 1 == count;
      if (!is_last) {
        joint["hitRadius"] = radius_m(i);
        joint["stiffness"] = stiffness(i);
        joint["gravityPower"] = value(3);
        joint["gravityDir"] = {0.0, -1.0, 0.0};
        joint["dragForce"] = value(2);
      }
      joints.push_back(std::move(joint));
    }
    if (!hasVirtualTip()) joints.push_back({{"node", sourceOf(fit_.row.end_node)}});
    Json spring = {{"name", nameOf(fit_.row.joints.front())}, {"joints", std::move(joints)}};
    if (fit_.fit.uses_center) spring["center"] = sourceOf(fit_.row.center);
    return spring;
  }

  Json godot() const {
    const int last = hasVirtualTip() ? fit_.row.joints.back() : fit_.row.end_node;
    Json joints = Json::array();
    for (std::size_t i = 0; i < fit_.row.joints.size(); ++i) {
      joints.push_back({{"bone_name", nameOf(fit_.row.joints[i])},
                        {"radius", radius_m(i)},
                        {"stiffness", stiffness(i)},
                        {"drag", value(2)},
                        {"gravity", value(3)},
                        {"gravity_direction", {0.0, -1.0, 0.0}}});
    }
    Json setting = {{"root_bone_name", nameOf(fit_.row.joints.front())},
                    {"end_bone_name", nameOf(last)},
                    {"extend_end_bone", hasVirtualTip()}};
    if (hasVirtualTip()) setting["end_bone"] = {{"length", fit_.lengths_m.back()}};
    setting["center_from"] = fit_.fit.uses_center ? kGodotCenterBone : kGodotCenterWorld;
    if (fit_.fit.uses_center) setting["center_bone_name"] = nameOf(fit_.row.center);
    setting["individual_config"] = true;
    setting["joints"] = std::move(joints);
    return setting;
  }

  // Unreal is in centimetres, z up.
  Json kawaii() const {
    const double tip_m = hasVirtualTip() ? fit_.lengths_m.back() : 0.0;
    return {{"RootBone", {{"BoneName", nameOf(fit_.row.joints.front())}}},
            {"SimulationSpace", fit_.fit.uses_center ? "BaseBoneSpace" : "ComponentSpace"},
            {"SimulationBaseBone", {{"BoneName", centerName()}}},
            {"DummyBoneLength", tip_m * kCentimetresInMetre},
            {"TargetFramerate", 60},
            {"PhysicsSettings",
             {{"Damping", value(2)},
              {"Stiffness", value(0)},
              {"WorldDampingLocation", 1.0 - row_.settings.inertia_translation},
              {"WorldDampingRotation", 1.0 - row_.settings.inertia_rotation},
              {"Radius", tipRadius_m() * kCentimetresInMetre},
              {"LimitAngle", 0.0}}},
            {"StiffnessCurveData", {{"EditorCurveData", {{"Keys", curveKeys("Time", "Value")}}}}},
            {"Gravity", {{"X", 0.0}, {"Y", 0.0}, {"Z", -value(3) * kCentimetresInMetre}}},
            {"bUseWorldSpaceGravity", true},
            {"bUseLegacyGravity", false}};
  }

  Json unity() const {
    return {{"m_Root", nameOf(fit_.row.joints.front())},
            {"m_UpdateRate", 60},
            {"m_Damping", value(2)},
            {"m_Elasticity", value(0)},
            {"m_ElasticityDistrib", {{"m_Curve", curveKeys("time", "value")}}},
            {"m_Stiffness", value(5)},
            {"m_Inert", value(4)},
            {"m_Radius", tipRadius_m()},
            {"m_EndLength", hasVirtualTip() ? row_.settings.tip_length : 0.0},
            {"m_Gravity", {{"x", 0.0}, {"y", -value(3)}, {"z", 0.0}}}};
  }

  // The joint whose motion the springs do not feel.
  std::string centerName() const {
    return fit_.fit.uses_center ? nameOf(fit_.row.center) : std::string();
  }

  Json parameters() const {
    Json values = Json::object();
    const auto names = parametersOf(fitted_.target);
    for (std::size_t p = 0; p < names.size(); ++p) values[names[p].name] = value(p);
    return values;
  }

 private:
  // Of the stiffness, over depth.
  Json curveKeys(const char* time, const char* value_name) const {
    return Json::array({{{time, 0.0}, {value_name, 1.0}}, {{time, 1.0}, {value_name, value(1)}}});
  }

  const FittedSprings& fitted_;
  const FittedRow& row_;
  const ChainFit& fit_;
};

Json tipErrorJson(const TipError& error) {
  return {{"rms_mm", error.rms_m * kMillimetresInMetre},
          {"max_mm", error.max_m * kMillimetresInMetre},
          {"rms_percent", error.rmsPercent()},
          {"max_percent", error.maxPercent()},
          {"swing_rms_mm", error.swing_rms_m * kMillimetresInMetre},
          {"swing_max_mm", error.swing_max_m * kMillimetresInMetre}};
}

double lengthOfRow_m(const ChainFit& fit) {
  double length_m = 0.0;
  for (double bone_m : fit.lengths_m) length_m += bone_m;
  return length_m;
}

Json rowJson(const FittedSprings& fitted, const FittedRow& row) {
  const RowWriter writer(fitted, row);
  Json joints = Json::array();
  for (int joint : row.fit.row.joints) joints.push_back(writer.nameOf(joint));
  Json json = {{"chain", row.settings.root}, {"joints", std::move(joints)}};
  const int end = row.fit.row.end_node;
  json["end"] = end < 0 ? Json(nullptr) : Json(writer.nameOf(end));
  if (!row.fit.not_fitted.empty()) {
    json["not_fitted"] = row.fit.not_fitted;
    return json;
  }
  json["length_m"] = lengthOfRow_m(row.fit);
  json["parameters"] = writer.parameters();
  if (row.fit.fit.uses_center) json["center"] = writer.centerName();
  json["tip_error"] = tipErrorJson(row.fit.fit.error);
  if (fitted.target == SpringTarget::kKawaii) json["AnimNode_KawaiiPhysics"] = writer.kawaii();
  if (fitted.target == SpringTarget::kGodot) json["SpringBoneSimulator3D"] = writer.godot();
  if (fitted.target == SpringTarget::kUnity) json["DynamicBone"] = writer.unity();
  return json;
}

// The extension for the file itself: its nodes are those of glTF.
Json vrmExtension(const FittedSprings& fitted) {
  Json springs = Json::array();
  for (const FittedRow& row : fitted.rows) {
    if (row.fit.not_fitted.empty()) springs.push_back(RowWriter(fitted, row).vrm1());
  }
  return {{"specVersion", "1.0"}, {"springs", std::move(springs)}};
}

std::string rowText(const FittedSprings& fitted, const FittedRow& row) {
  const ChainFit& fit = row.fit;
  const RowWriter writer(fitted, row);
  const int last = fit.row.end_node < 0 ? fit.row.joints.back() : fit.row.end_node;
  std::string text = printable(writer.nameOf(fit.row.joints.front())) + " .. " +
                     printable(writer.nameOf(last)) + ", " + counted(fit.row.bones.size(), "bone");
  if (!fit.not_fitted.empty()) return text + ": not fitted: " + fit.not_fitted + "\n";
  text += ", " + fixedText(lengthOfRow_m(fit), 3) + " m\n  ";
  const auto names = parametersOf(fitted.target);
  for (std::size_t p = 0; p < names.size(); ++p) {
    text += std::string(p > 0 ? ", " : "") + names[p].name + " " + fixedText(writer.value(p), 4);
  }
  if (fit.fit.uses_center) text += ", center " + printable(writer.centerName());
  const TipError& error = fit.fit.error;
  text += "\n  tip error: rms " + fixedText(error.rms_m * kMillimetresInMetre, 1) + " mm (" +
          fixedText(error.rmsPercent(), 1) + " % of the swing), largest " +
          fixedText(error.max_m * kMillimetresInMetre, 1) + " mm (" +
          fixedText(error.maxPercent(), 1) + " %)\n";
  return text;
}

}  // namespace

std::string fittedSpringsText(const FittedSprings& fitted) {
  std::string text = std::string("springs for ") + namesOf(fitted.target).rules + "\ncompared in: ";
  for (std::size_t i = 0; i < fitted.probes.size(); ++i) {
    text += std::string(i > 0 ? ", " : "") + printable(fitted.probes[i].name) + " (" +
            fixedText(fitted.probes[i].duration_s, 2) + " s)";
  }
  text += "\n";
  for (const FittedRow& row : fitted.rows) text += rowText(fitted, row);
  return text;
}

std::string fittedSpringsJson(const FittedSprings& fitted) {
  Json root = {{"schema", 1},
               {"file", fitted.file},
               {"target", namesOf(fitted.target).key},
               {"rules", namesOf(fitted.target).rules},
               {"probes", Json::array()},
               {"notes", fitted.notes},
               {"chains", Json::array()}};
  for (const ProbeUsed& probe : fitted.probes) {
    root["probes"].push_back({{"clip", probe.name}, {"duration_s", probe.duration_s}});
  }
  for (const FittedRow& row : fitted.rows) root["chains"].push_back(rowJson(fitted, row));
  if (fitted.target == SpringTarget::kVrm1 && fitted.has_gltf_nodes) {
    root["extensions"] = {{"VRMC_springBone", vrmExtension(fitted)}};
  }
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace clipmill::pipeline
