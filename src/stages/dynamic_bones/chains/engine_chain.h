// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "anim/skeleton.h"
#include "stages/dynamic_bones/chains/stepwise_spring.h"
#include "stages/dynamic_bones/settings.h"

/// Shared by the importers of other programs' springs: converts values per bone into the curves of
/// a chain.
namespace clipmill::stages::dynamic_bones {

/// One bone of an engine's chain.
struct EngineBone {
  double length_m = 0.0;
  StepwiseSpring spring;
  double push_m = 0.0;  ///< Along the up axis, in every step: gravity.
  double radius_m = 0.0;
};

/// The length of a bone [m]; 0 where it is not finite, or longer than on any character.
double usableLength(double length_m);

/// Depth of the far end of each bone: 0 at the root of the chain, 1 at its tip, by length. All 0
/// where no bone has a length.
std::vector<double> depthsOf(const std::vector<EngineBone>& bones);

/// The curve of a chain's setting through (depth, value), clamped to the bounds of that setting; of
/// points at equal depth the first counts. Constant where all values are equal.
Curve chainCurve(const char* setting, const std::vector<double>& depths,
                 const std::vector<double>& values);

/// True where all values are finite and within the bounds of their settings.
bool isWithinBounds(const ColliderSettings& collider);

/// Sets frequency_hz, damping_ratio, air_drag_per_s, gravity_mps2 and radius_m from bones in a row,
/// root first. The frequency is that of the chain as a whole: a bone that is one n-th of it swings
/// n times as fast. Chains of many bones get more damping than in their engine, to match the
/// numerical damping of its coarse steps. Bones without length do not count.
void setMotion(const std::vector<EngineBone>& bones, ChainSettings& chain);

/// References to the nodes of one skeleton that match one node only.
class NodeReferences {
 public:
  explicit NodeReferences(const Skeleton& skeleton);

  /// The name, or the path, or "#<source id>" where neither is unique or where it contains glob
  /// characters.
  std::string plain(int node) const;
  /// The same for settings that take a glob; glob characters are escaped.
  std::string glob(int node) const;

 private:
  bool hasOwnName(int node) const;
  bool hasOwnPath(int node) const;
  std::string byId(int node) const;

  const Skeleton& skeleton_;
  std::vector<bool> own_name_, own_path_;  // one per node
};

/// `text` as a glob that matches nothing else.
std::string escapedGlob(const std::string& text);

}  // namespace clipmill::stages::dynamic_bones
