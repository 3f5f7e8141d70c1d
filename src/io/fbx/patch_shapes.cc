// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Model <- Geometry <- BlendShape <- BlendShapeChannel <- Shape, as much of it as is missing.
#include <algorithm>
#include <set>

#include "core/finite.h"
#include "core/to_size.h"
#include "io/fbx/new_shape.h"
#include "io/fbx/patch_parts.h"
#include "io/fbx/read_meshes.h"

namespace clipmill::io::fbx {
namespace {

class ShapePatcher {
 public:
  ShapePatcher(const Document& document, const ReadScene& read, const Skeleton& skeleton,
               NewObjects& objects)
      : document_(document), read_(read), skeleton_(skeleton), objects_(objects) {}

  Status add(const AddedMorph& morph) {
    if (morph.node < 0 || morph.node >= static_cast<int>(skeleton_.size())) {
      return Error{ErrorCode::kInternal, morph.name, "is a morph of a node that does not exist",
                   ""};
    }
    const std::string location = pathOf(skeleton_, morph.node);
    const auto node = toSize(morph.node);
    const int model = read_.nodes.object_of_node[node];
    const auto own = ownGeometryOf(document_, model);
    if (!own) return within(location, own.error());
    const int geometry = *own;
    if (Status fits = check(morph, geometry); !fits) return within(location, fits.error());
    const Mat3 geometry_from_node =
        glm::inverse(geometricTransform(document_.properties(model)).linear);
    if (!isFinite(geometry_from_node)) {
      return Error{ErrorCode::kUnsupported, location,
                   "has a geometric scale of 0; its vertices cannot be moved",
                   "bake the geometric transform into the mesh"};
    }
    std::vector<std::int64_t>& channels = channels_[morph.node];
    const std::size_t number = toSize(skeleton_.nodes[node].weights_count) + channels.size();
    const std::int64_t channel = objects_.newId(), shape = objects_.newId();
    const std::string name = nameOf(morph, number);
    objects_.add(shapeChannelElement(channel, name, 0.0));
    objects_.connect(channel, blendShapeOf(geometry));
    objects_.add(shapeElement(shape, name, movedPoints(morph, geometry_from_node)));
    objects_.connect(shape, channel);
    channels.push_back(channel);
    return {};
  }

  AddedChannels take() { return std::move(channels_); }

 private:
  Status check(const AddedMorph& morph, int geometry) const {
    const auto vertices = document_.object(geometry).element.child("Vertices");
    if (!vertices || vertices->numberCount() != 3 * morph.position_deltas.size() ||
        morph.position_deltas.empty()) {
      return Error{ErrorCode::kInternal, "",
                   "has a different number of vertices than its new morph", ""};
    }
    const bool all_finite = std::ranges::all_of(morph.position_deltas,
                                                [](const Vec3& delta) { return isFinite(delta); });
    if (all_finite) return {};
    return Error{ErrorCode::kInternal, "",
                 "has a new morph with a value that is not a finite number", ""};
  }

  // The deformer that the mesh has, unless another mesh has it too. The last one: its channels are
  // the last of the mesh.
  std::int64_t blendShapeOf(int geometry) {
    const auto [entry, is_new] = blend_of_geometry_.emplace(geometry, 0);
    if (!is_new) return entry->second;
    const auto blends = document_.childrenOf(geometry, "Deformer", "BlendShape");
    if (!blends.empty() && usersOf(document_, blends.back(), "Geometry").size() == 1) {
      entry->second = document_.object(blends.back()).id;
      return entry->second;
    }
    const std::int64_t id = objects_.newId();
    objects_.add(blendShapeElement(id, document_.object(geometry).name));
    objects_.connect(id, document_.object(geometry).id);
    entry->second = id;
    return id;
  }

  static std::string nameOf(const AddedMorph& morph, std::size_t number) {
    return morph.name.empty() ? "morph_" + std::to_string(number) : objectName(morph.name);
  }

  static MovedPoints movedPoints(const AddedMorph& morph, const Mat3& geometry_from_node) {
    MovedPoints points;
    for (std::size_t v = 0; v < morph.position_deltas.size(); ++v) {
      const Vec3& delta = morph.position_deltas[v];
      if (delta != Vec3(0.0)) points.add(v, geometry_from_node * delta, Vec3(0.0));
    }
    return points;
  }

  const Document& document_;
  const ReadScene& read_;
  const Skeleton& skeleton_;
  NewObjects& objects_;
  AddedChannels channels_;
  std::map<int, std::int64_t> blend_of_geometry_;
};

}  // namespace

Result<AddedChannels> patchShapes(const Document& document, const ReadScene& read,
                                  const Skeleton& skeleton, std::span<const AddedMorph> morphs,
                                  NewObjects& objects) {
  if (!morphs.empty()) CLIPMILL_CHECK(document.checkGrowth());
  ShapePatcher patcher(document, read, skeleton, objects);
  for (const AddedMorph& morph : morphs) CLIPMILL_CHECK(patcher.add(morph));
  return patcher.take();
}

}  // namespace clipmill::io::fbx
