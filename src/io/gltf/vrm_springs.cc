// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/vrm_springs.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/to_size.h"

namespace clipmill::io::gltf {
namespace {

Error springFault(const std::string& location, std::string message) {
  return {ErrorCode::kMalformed, location, std::move(message), ""};
}

}  // namespace

SpringCollector::SpringCollector(const std::vector<int>& node_of_source, AccessorReader& accessors,
                                 Scene& scene)
    : node_of_source_(node_of_source),
      accessors_(accessors),
      scene_(scene),
      taken_(scene.skeleton.size(), false) {
  // Nodes are in depth-first order, so that all below a node follow it without a gap.
  const auto& all = scene.skeleton.nodes;
  subtree_end_.resize(all.size());
  for (std::size_t i = all.size(); i-- > 0;) {
    subtree_end_[i] = std::max(subtree_end_[i], static_cast<int>(i) + 1);
    if (all[i].parent < 0) continue;
    int& end = subtree_end_[toSize(all[i].parent)];
    end = std::max(end, subtree_end_[i]);
  }
}

int SpringCollector::node(Fields& fields, const char* key) {
  const int source = fields.requiredIndex(key, node_of_source_.size());
  return source < 0 ? -1 : node_of_source_[toSize(source)];
}

int SpringCollector::optionalNode(Fields& fields, const char* key) {
  const auto count = static_cast<std::int64_t>(node_of_source_.size());
  const std::int64_t source = fields.integer(key, -1, -1, count - 1);
  return source < 0 ? -1 : node_of_source_[toSize(source)];
}

std::vector<int> SpringCollector::nodes(Fields& fields, const char* key) {
  std::vector<int> found = fields.indices(key, node_of_source_.size());
  for (int& node : found) node = node_of_source_[toSize(node)];
  return found;
}

std::vector<int> SpringCollector::groups(Fields& fields, const char* key) {
  std::vector<int> found = fields.indices(key, setup().groups.size());
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

double SpringCollector::bounded(double value, double min, double max, const std::string& location) {
  if (value >= min && value <= max) return value;
  scene_.warnings.add("spring_value_out_of_bounds", "a spring value is out of range and is clamped",
                      location);
  return std::clamp(value, min, max);
}

bool SpringCollector::isBelow(int node, int above) const {
  return node > above && node < subtree_end_[toSize(above)];
}

Status SpringCollector::checkJoints(const SpringChain& chain, const std::string& location) const {
  for (std::size_t i = 0; i < chain.joints.size(); ++i) {
    const int node = chain.joints[i].node;
    const std::string joint = "joint " + std::to_string(i);
    if (isTaken(node)) return springFault(location, joint + " is a joint of another spring");
    if (i > 0 && !isBelow(node, chain.joints[i - 1].node)) {
      return springFault(location, joint + " is not below the joint before it");
    }
  }
  if (chain.joints.size() > 1 || chain.tail_length_m > 0.0) return {};
  return springFault(location, "has no bone: it needs two joints");
}

Status SpringCollector::addChain(SpringChain chain, const std::string& location) {
  if (const Status fault = checkJoints(chain, location); !fault) {
    leaveOut("spring", fault);
    return {};
  }
  CLIPMILL_CHECK(accessors_.charge(static_cast<double>(
      sizeof(SpringChain) + chain.name.size() + chain.joints.size() * sizeof(SpringJoint) +
      chain.collider_groups.size() * sizeof(int))));
  for (const SpringJoint& joint : chain.joints) taken_[toSize(joint.node)] = true;
  setup().chains.push_back(std::move(chain));
  return {};
}

void SpringCollector::leaveOut(const char* what, const Status& fault) {
  if (fault) return;
  scene_.warnings.add(std::string(what) + "_left_out",
                      std::string("a ") + what + " of the file is invalid and is ignored",
                      describe(fault.error()));
}

}  // namespace clipmill::io::gltf
