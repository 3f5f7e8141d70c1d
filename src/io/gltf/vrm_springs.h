// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/to_size.h"
#include "io/gltf/accessor.h"
#include "io/gltf/json_fields.h"
#include "scene/scene.h"

/// What the readers of the two generations of VRM springs have in common.
namespace clipmill::io::gltf {

/// Takes over the springs of a file one by one: every node is in one of them at most, and what is
/// faulty is left out and counted.
class SpringCollector {
 public:
  SpringCollector(const std::vector<int>& node_of_source, AccessorReader& accessors, Scene& scene);

  SpringSetup& setup() { return scene_.springs; }
  const Skeleton& skeleton() const { return scene_.skeleton; }

  /// Skeleton index of the node that a required member names; -1 with a fault of `fields`.
  int node(Fields& fields, const char* key);
  /// The same for a member that may be absent or -1: -1 for none.
  int optionalNode(Fields& fields, const char* key);
  /// Skeleton indices of the nodes that an array names.
  std::vector<int> nodes(Fields& fields, const char* key);
  /// Indices of groups in the setup, ascending, each once.
  std::vector<int> groups(Fields& fields, const char* key);
  /// `value` within its bounds; counted where it was not.
  double bounded(double value, double min, double max, const std::string& location);

  bool isBelow(int node, int above) const;
  bool isTaken(int node) const { return taken_[toSize(node)]; }

  /// Takes the chain over, or leaves it out where its joints are no line downwards, or are in
  /// another one. Error: kLimit.
  Status addChain(SpringChain chain, const std::string& location);
  /// Counts what is left out; does nothing where `fault` is none.
  void leaveOut(const char* what, const Status& fault);

 private:
  Status checkJoints(const SpringChain& chain, const std::string& location) const;

  const std::vector<int>& node_of_source_;
  AccessorReader& accessors_;
  Scene& scene_;
  std::vector<int> subtree_end_;  // of each node: nodes [node, end) are at or below it
  std::vector<bool> taken_;       // nodes that are joints of a chain
};

/// `extensions.VRMC_springBone`, with VRMC_springBone_extended_collider and the draft
/// VRMC_springBone_limit. Absent members have the values of the schema.
Status readVrm1Springs(const Json& extension, SpringCollector& springs);

/// `extensions.VRM.secondaryAnimation` of VRM 0.x. A root includes all nodes below it: the first
/// child goes on with the chain, each other child starts one, so that every node is a joint once
/// and points to its first child, or to a virtual tip 0.07 m on. Offsets of colliders are
/// left-handed in the file, and their z is negated here.
Status readVrm0Springs(const Json& secondary_animation, SpringCollector& springs);

}  // namespace clipmill::io::gltf
