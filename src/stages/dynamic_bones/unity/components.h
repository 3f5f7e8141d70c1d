// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "stages/dynamic_bones/unity/text.h"

/// Shared by the readers of Unity's components.
namespace clipmill::stages::dynamic_bones::unity {

/// The component of a MonoBehaviour, identified by the names of its fields.
enum class Kind {
  kNone,
  kDynamicBone,
  kDynamicCollider,
  kPhysBone,
  kPhysCollider,
  kVrmSpring,
  kVrmColliders,
  kVrm1Joint,
};

Kind kindOf(const Value& fields);

/// Notes with counts, in the order of their first occurrence.
class Notes {
 public:
  void count(const std::string& text);
  /// "2x text", one line per text.
  std::vector<std::string> lines() const;

 private:
  std::vector<std::pair<std::string, std::size_t>> all_;
};

/// A vector along the axes of a node as importers of FBX and glTF make them: x is negated.
inline Vec3 mirrored(const Vec3& v) { return {-v.x, v.y, v.z}; }

inline std::vector<double> listOf(const Vec3& v) { return {v.x, v.y, v.z}; }
inline double largest(const Vec3& v) { return std::max({v.x, v.y, v.z}); }

}  // namespace clipmill::stages::dynamic_bones::unity
