// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/read_nodes.h"

#include "core/to_size.h"
#include "io/fbx/read_custom.h"

namespace clipmill::io::fbx {
namespace {

constexpr std::int64_t kSphericOrder = 6;

// The six orders of three axes. "Spheric XYZ" is read as other programs read it: its angles are
// about x, then y, then z.
EulerOrder orderOf(const Properties& properties, const std::string& name, Warnings& warnings) {
  const std::int64_t order = properties.integer("RotationOrder").value_or(0);
  if (order == kSphericOrder) {
    warnings.add("spheric_rotation",
                 "a joint has the spheric rotation order; its angles are read as x, then y, then z",
                 name);
  }
  return order >= 0 && order < kSphericOrder ? static_cast<EulerOrder>(order) : EulerOrder::kXyz;
}

InheritScale inheritOf(const Properties& properties) {
  switch (properties.integer("InheritType").value_or(1)) {
    case 0:
      return InheritScale::kComponentwise;
    case 2:
      return InheritScale::kSkipParent;
    default:
      return InheritScale::kAll;
  }
}

TransformChain chainOf(const Properties& properties, const std::string& name, Warnings& warnings) {
  TransformChain chain;
  const auto read = [&](const char* property, Vec3& value) {
    const Vec3 stored = properties.vector(property).value_or(value);
    if (isFinite(stored)) {
      value = stored;
    } else {
      warnings.add("transform_not_finite",
                   "a joint has a transform property that is not a finite number; the property's "
                   "default is used",
                   name);
    }
  };
  read("Lcl Translation", chain.translation);
  read("Lcl Rotation", chain.rotation_deg);
  read("Lcl Scaling", chain.scaling);
  read("RotationOffset", chain.rotation_offset);
  read("RotationPivot", chain.rotation_pivot);
  read("ScalingOffset", chain.scaling_offset);
  read("ScalingPivot", chain.scaling_pivot);
  read("PreRotation", chain.pre_rotation_deg);
  read("PostRotation", chain.post_rotation_deg);
  chain.rotation_active = properties.integer("RotationActive").value_or(1) != 0 &&
                          properties.integer("RotationSpaceForLimitOnly").value_or(0) == 0;
  chain.order = orderOf(properties, name, warnings);
  return chain;
}

// Models in an order in which parents come first; file order where that allows it.
Result<std::vector<int>> parentsFirst(const Document& document, const std::vector<int>& models,
                                      const std::vector<int>& parent_of_object) {
  enum class State : std::uint8_t { kNew, kOpen, kDone };
  std::vector<State> states(document.objects.size(), State::kNew);
  std::vector<int> ordered, path;
  for (const int model : models) {
    for (int o = model; o >= 0 && states[toSize(o)] != State::kDone;
         o = parent_of_object[toSize(o)]) {
      State& state = states[toSize(o)];
      if (state == State::kOpen) {
        return Error{ErrorCode::kMalformed, document.object(o).name,
                     "is its own ancestor in the hierarchy", ""};
      }
      state = State::kOpen;
      path.push_back(o);
    }
    for (; !path.empty(); path.pop_back()) {
      states[toSize(path.back())] = State::kDone;
      ordered.push_back(path.back());
    }
  }
  return ordered;
}

}  // namespace

Result<Nodes> readNodes(const Document& document, Warnings& warnings) {
  Nodes nodes;
  const std::size_t object_count = document.objects.size();
  std::vector<int> models, source_of_object(object_count, -1), parents(object_count, -1);
  for (int o = 0; o < static_cast<int>(object_count); ++o) {
    if (document.object(o).type != "Model") continue;
    source_of_object[toSize(o)] = static_cast<int>(models.size());
    parents[toSize(o)] = document.parentOf(o, "Model");
    models.push_back(o);
  }
  CLIPMILL_TRY(const std::vector<int> ordered, parentsFirst(document, models, parents));
  nodes.node_of_object.assign(object_count, -1);
  for (const int o : ordered) {
    const auto object = toSize(o);
    const Properties properties = document.properties(o);
    Node node;
    node.source_id = source_of_object[object];
    node.name = document.object(o).name;
    if (node.name.empty()) node.name = "#" + std::to_string(node.source_id);
    if (parents[object] >= 0) {
      node.parent = nodes.node_of_object[toSize(parents[object])];
      node.inherit = inheritOf(properties);
    }
    const TransformChain chain = chainOf(properties, node.name, warnings);
    node.rest = localTransform(chain);
    node.euler = rotationChannel(chain);
    node.is_visible = !isHidden(document, o);
    node.custom = customPropertiesOf(document.object(o)).carried;
    nodes.node_of_object[object] = static_cast<int>(nodes.skeleton.size());
    nodes.object_of_node.push_back(o);
    nodes.chains.push_back(chain);
    nodes.skeleton.nodes.push_back(std::move(node));
  }
  return nodes;
}

}  // namespace clipmill::io::fbx
