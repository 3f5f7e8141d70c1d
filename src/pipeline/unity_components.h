// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/unity_text.h"

/// What the readers of Unity's components share.
namespace clipmill::unity {

/// What a MonoBehaviour is, told by the names of its fields.
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

/// Occasions for a note, counted by its text, in order of first occurrence.
class Notes {
 public:
  void count(const std::string& text);
  /// "2x text", one a text.
  std::vector<std::string> lines() const;

 private:
  std::vector<std::pair<std::string, std::size_t>> all_;
};

/// A vector along the axes of a node as importers of FBX and glTF make them: x turned round.
inline Vec3 mirrored(const Vec3& v) { return {-v.x, v.y, v.z}; }

inline std::vector<double> listOf(const Vec3& v) { return {v.x, v.y, v.z}; }
inline double largest(const Vec3& v) { return std::max({v.x, v.y, v.z}); }

}  // namespace clipmill::unity
