// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/unity/components.h"

#include <initializer_list>

namespace clipmill::stages::dynamic_bones::unity {
namespace {

bool hasAll(const Value& fields, std::initializer_list<const char*> names) {
  return std::all_of(names.begin(), names.end(), [&](const char* n) { return fields.has(n); });
}

}  // namespace

Kind kindOf(const Value& fields) {
  if (hasAll(fields, {"m_Damping", "m_Elasticity", "m_Inert"})) return Kind::kDynamicBone;
  if (hasAll(fields, {"m_Direction", "m_Center", "m_Bound"})) return Kind::kDynamicCollider;
  if (hasAll(fields, {"pull", "immobile", "limitType"})) return Kind::kPhysBone;
  if (hasAll(fields, {"shapeType", "insideBounds", "height"})) return Kind::kPhysCollider;
  if (hasAll(fields, {"m_stiffnessForce", "RootBones"})) return Kind::kVrmSpring;
  if (hasAll(fields, {"m_stiffnessForce", "m_jointRadius"})) return Kind::kVrm1Joint;
  if (fields.has("Colliders") && !fields["Colliders"].items.empty() &&
      hasAll(fields["Colliders"].items[0], {"Offset", "Radius"})) {
    return Kind::kVrmColliders;
  }
  return Kind::kNone;
}

void Notes::count(const std::string& text) {
  for (auto& [known, count] : all_) {
    if (known != text) continue;
    ++count;
    return;
  }
  all_.emplace_back(text, 1);
}

std::vector<std::string> Notes::lines() const {
  std::vector<std::string> lines;
  for (const auto& [text, count] : all_) lines.push_back(std::to_string(count) + "x " + text);
  return lines;
}

}  // namespace clipmill::stages::dynamic_bones::unity
