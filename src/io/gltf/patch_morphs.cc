// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Chapter 3.7.2.2 (morph targets) of the glTF 2.0 specification.
#include "io/gltf/patch_morphs.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "core/to_size.h"
#include "io/gltf/accessor.h"
#include "io/gltf/enum_names.h"
#include "io/gltf/json_fields.h"
#include "io/gltf/target_data.h"
#include "scene/integer_deltas.h"

namespace clipmill::io::gltf {
namespace {

using json_text::arrayText;
using json_text::Edits;
using json_text::Span;
using Changes = std::vector<Edits::Change>;

// Vertices of one primitive.
struct PrimitiveShape {
  std::size_t vertices = 0;
  bool is_read = true;  // whether readScene() has them
  bool has_normals = false;
};

// The text of an array of numbers with `count` zeros behind them.
std::string withZeros(std::string_view array, bool is_empty, std::size_t count) {
  std::string text(array.substr(0, array.rfind(']')));
  for (std::size_t i = 0; i < count; ++i) text += is_empty && i == 0 ? "0" : ",0";
  return text + "]";
}

class MorphPlanner {
 public:
  MorphPlanner(const Document& document, const Skeleton& skeleton, std::span<const ClipEdit> edits,
               const io::Limits& limits)
      : document_(document),
        json_(*document.json),
        skeleton_(skeleton),
        edits_(edits),
        accessors_(document, limits),
        data_(Fields(json_, "").array("bufferViews").size(), accessors_.count()) {}

  Result<MorphPatch> plan(std::span<const AddedMorph> morphs) {
    std::map<int, std::vector<const AddedMorph*>> morphs_of_node;
    for (const AddedMorph& morph : morphs) morphs_of_node[morph.node].push_back(&morph);
    for (const auto& [node, own] : morphs_of_node) {
      if (node < 0 || node >= static_cast<int>(skeleton_.size())) {
        return Error{ErrorCode::kInternal, "", "has no node for a new morph", ""};
      }
      Status planned = planNode(skeleton_.nodes[toSize(node)], own);
      if (!planned) return within(pathOf(skeleton_, node), planned.error());
      CLIPMILL_CHECK(widenClips(node, own.size()));
      keepScales(node, own);
    }
    TargetBytes data = data_.finish();
    patch_.bytes = std::move(data.bytes);
    patch_.views = std::move(data.views);
    patch_.accessors = std::move(data.accessors);
    patch_.has_integers = data.has_integers;
    return std::move(patch_);
  }

 private:
  Status planNode(const Node& node, std::span<const AddedMorph* const> morphs) {
    const auto source = toSize(node.source_id);
    const Json& node_json = json_.at("nodes").at(source);
    const Json& meshes = Fields(json_, "").array("meshes");
    const int mesh = Fields(node_json, "").index("mesh", meshes.size());
    if (mesh < 0) return Error{ErrorCode::kInternal, "", "has no mesh for a new morph", ""};
    const auto index = toSize(mesh);
    CLIPMILL_TRY(std::string text, meshText(node, index, morphs));
    Changes changes;
    if (nodesShowing(document_, index) == 1) {
      patch_.meshes[index] = std::move(text);
    } else {
      changes.emplace_back("mesh", std::to_string(meshes.size() + patch_.new_meshes.size()));
      patch_.new_meshes.push_back(std::move(text));
    }
    if (node_json.contains("weights")) {
      const Span span = elementSpan(document_, "nodes", source);
      const auto members = json_text::membersOf(document_.text, span);
      const Span array = *json_text::findMember(members, "weights");
      changes.emplace_back("weights",
                           weightsText(document_.text.substr(array.start, array.end - array.start),
                                       node_json["weights"].size(), node, morphs.size()));
    }
    if (!changes.empty()) patch_.nodes[node.source_id] = std::move(changes);
    return {};
  }

  void keepScales(int node, std::span<const AddedMorph* const> morphs) {
    std::vector<double> scales;
    for (const AddedMorph* morph : morphs) {
      const double scale = integerScale(*morph);
      scales.push_back(scale > 0.0 ? scale : 1.0);
    }
    const auto isOne = [](double scale) { return scale == 1.0; };
    if (!std::all_of(scales.begin(), scales.end(), isOne)) {
      patch_.weight_scales[node] = std::move(scales);
    }
  }

  static std::string weightsText(std::string_view array, std::size_t present, const Node& node,
                                 std::size_t added) {
    const std::size_t wanted = toSize(node.weights_count) + added;
    return withZeros(array, present == 0, wanted > present ? wanted - present : 0);
  }

  // As readScene() counts them.
  Result<std::vector<PrimitiveShape>> shapesOf(const Json& primitives) {
    std::vector<PrimitiveShape> shapes;
    for (std::size_t i = 0; i < primitives.size(); ++i) {
      Fields fields(primitives[i], elementLocation("primitives", i));
      Fields attributes(fields.object("attributes"), fields.location());
      const int positions = attributes.index("POSITION", accessors_.count());
      if (positions < 0) {
        return Error{ErrorCode::kUnsupported, fields.location(),
                     "has no positions and cannot have morphs", ""};
      }
      const Json& accessor = json_.at("accessors").at(toSize(positions));
      PrimitiveShape shape;
      shape.vertices = toSize(Fields(accessor, "").integer("count", 0));
      shape.is_read = !fields.object("extensions").contains("KHR_draco_mesh_compression");
      shape.has_normals = attributes.has("NORMAL");
      shapes.push_back(shape);
    }
    return shapes;
  }

  // The mesh with new targets, names and weights; all else character for character.
  Result<std::string> meshText(const Node& node, std::size_t index,
                               std::span<const AddedMorph* const> morphs) {
    const Span span = elementSpan(document_, "meshes", index);
    const std::string_view text = document_.text.substr(span.start, span.end - span.start);
    const Json& mesh = json_.at("meshes").at(index);
    const Json& primitives = Fields(mesh, "").array("primitives");
    CLIPMILL_TRY(const auto shapes, shapesOf(primitives));
    CLIPMILL_CHECK(checkCounts(shapes, morphs));
    Edits edits(text);
    const Span object = json_text::rootOf(text);
    const auto members = json_text::membersOf(text, object);
    const auto elements =
        json_text::elementsOf(text, *json_text::findMember(members, "primitives"));
    std::size_t start = 0;
    for (std::size_t p = 0; p < shapes.size(); ++p) {
      CLIPMILL_TRY(const auto targets, targetsOf(primitives[p], node, shapes[p], start, morphs));
      addElements(text, elements[p], "targets", targets, edits);
      if (shapes[p].is_read) start += shapes[p].vertices;
    }
    Changes changes;
    if (const auto weights = json_text::findMember(members, "weights")) {
      changes.emplace_back("weights",
                           weightsText(text.substr(weights->start, weights->end - weights->start),
                                       mesh["weights"].size(), node, morphs.size()));
    }
    nameTargets(text, members, mesh, node, morphs, edits, changes);
    if (!changes.empty()) edits.changeObject(object, changes);
    return edits.apply();
  }

  static Status checkCounts(std::span<const PrimitiveShape> shapes,
                            std::span<const AddedMorph* const> morphs) {
    std::size_t vertices = 0;
    for (const PrimitiveShape& shape : shapes) vertices += shape.is_read ? shape.vertices : 0;
    for (const AddedMorph* morph : morphs) {
      const bool fits = morph->position_deltas.size() == vertices &&
                        (morph->normal_deltas.empty() || morph->normal_deltas.size() == vertices);
      if (fits) continue;
      return Error{ErrorCode::kInternal, "",
                   "has a different number of vertices than its new morph", ""};
    }
    return {};
  }

  // The texts of the targets to add to a primitive whose vertices start at `start`. Targets that it
  // lacks of the node's own become zeros first.
  Result<std::vector<std::string>> targetsOf(const Json& primitive, const Node& node,
                                             const PrimitiveShape& shape, std::size_t start,
                                             std::span<const AddedMorph* const> morphs) {
    std::vector<std::string> targets;
    const std::size_t present = Fields(primitive, "").array("targets").size();
    for (std::size_t t = present; t < toSize(node.weights_count); ++t) {
      targets.push_back(targetText(data_.addZeros(shape.vertices, true), std::nullopt));
    }
    for (const AddedMorph* morph : morphs) {
      if (!shape.is_read) {
        targets.push_back(targetText(data_.addZeros(shape.vertices, true), std::nullopt));
        continue;
      }
      const auto own = std::span(morph->position_deltas).subspan(start, shape.vertices);
      const double scale = integerScale(*morph);
      CLIPMILL_TRY(const std::size_t positions, data_.add(own, true, scale));
      std::optional<std::size_t> normals;
      if (!morph->normal_deltas.empty() && shape.has_normals) {
        const auto normal_deltas = std::span(morph->normal_deltas).subspan(start, shape.vertices);
        CLIPMILL_TRY(normals, data_.add(normal_deltas, false, scale));
      }
      targets.push_back(targetText(positions, normals));
    }
    return targets;
  }

  static std::string targetText(std::size_t positions, std::optional<std::size_t> normals) {
    return "{\"POSITION\":" + std::to_string(positions) +
           (normals ? ",\"NORMAL\":" + std::to_string(*normals) : "") + "}";
  }

  // Appends to the array `key` of an object, which may have none yet.
  static void addElements(std::string_view text, Span object, const char* key,
                          const std::vector<std::string>& elements, Edits& edits) {
    const auto members = json_text::membersOf(text, object);
    if (const auto array = json_text::findMember(members, key)) {
      edits.appendElements(*array, elements);
      return;
    }
    const Changes changes = {{key, arrayText(elements)}};
    edits.changeObject(object, changes);
  }

  // Extras that are no object, and names that are no array, belong to somebody else.
  static void nameTargets(std::string_view text, std::span<const json_text::Member> members,
                          const Json& mesh, const Node& node,
                          std::span<const AddedMorph* const> morphs, Edits& edits,
                          Changes& of_mesh) {
    const Json extras = mesh.value("extras", Json::object());
    if (!extras.is_object()) return;
    const Json known = extras.value("targetNames", Json::array());
    if (!known.is_array()) return;
    const auto own = toSize(node.weights_count);
    std::vector<std::string> names;
    for (std::size_t t = known.size(); t < own; ++t) {
      names.push_back(jsonString("target_" + std::to_string(t)));
    }
    for (std::size_t m = 0; m < morphs.size(); ++m) {
      const std::string fallback = "morph_" + std::to_string(own + m);
      names.push_back(jsonString(morphs[m]->name.empty() ? fallback : morphs[m]->name));
    }
    if (const auto span = json_text::findMember(members, "extras")) {
      addElements(text, *span, "targetNames", names, edits);
    } else {
      of_mesh.emplace_back("extras", "{\"targetNames\":" + arrayText(names) + "}");
    }
  }

  // Keys of the node's weights in clips that no edit gives new ones.
  Status widenClips(int node, std::size_t added) {
    const Json& animations = Fields(json_, "").array("animations");
    for (std::size_t a = 0; a < animations.size(); ++a) {
      const auto is_edit = [&](const ClipEdit& edit) {
        return edit.clip == static_cast<int>(a) &&
               std::any_of(edit.tracks.begin(), edit.tracks.end(), [&](const Track& track) {
                 return track.node == node && track.path == TrackPath::kWeights;
               });
      };
      if (std::any_of(edits_.begin(), edits_.end(), is_edit)) continue;
      auto track = widenedTrack(animations[a], node, added);
      if (!track) return within(elementLocation("animations", a), track.error());
      if (*track) patch_.widened.push_back({static_cast<int>(a), {std::move(**track)}});
    }
    return {};
  }

  Result<std::optional<Track>> widenedTrack(const Json& animation, int node, std::size_t added) {
    const Node& described = skeleton_.nodes[toSize(node)];
    std::optional<Track> found;
    const Json& samplers = Fields(animation, "").array("samplers");
    for (const Json& channel : Fields(animation, "").array("channels")) {
      Fields fields(channel, "");
      Fields target(fields.object("target"), "");
      if (target.integer("node", -1) != described.source_id) continue;
      if (trackPathOf(target.text("path", "")) != TrackPath::kWeights) continue;
      const auto sampler = toSize(fields.index("sampler", samplers.size()));
      CLIPMILL_TRY(found, widenedSampler(samplers[sampler], described, added));
      found->node = node;
    }
    return found;
  }

  Result<Track> widenedSampler(const Json& sampler, const Node& node, std::size_t added) {
    Fields fields(sampler, "");
    CLIPMILL_TRY(Accessor times, accessors_.read(fields.index("input", accessors_.count()), 1));
    CLIPMILL_TRY(Accessor values, accessors_.read(fields.index("output", accessors_.count()), 1));
    Track track;
    track.path = TrackPath::kWeights;
    track.interpolation =
        interpolationOf(fields.text("interpolation", "LINEAR")).value_or(Interpolation::kLinear);
    const std::size_t own = toSize(node.weights_count), wide = own + added;
    track.width = static_cast<int>(wide);
    const std::size_t rows =
        times.values.size() * (track.interpolation == Interpolation::kCubicSpline ? 3 : 1);
    track.values.assign(rows * wide, 0.0);
    // A node without morphs may have keys that nothing read: they become zeros.
    for (std::size_t row = 0; own > 0 && row < rows; ++row) {
      std::copy_n(values.values.begin() + static_cast<std::ptrdiff_t>(row * own), own,
                  track.values.begin() + static_cast<std::ptrdiff_t>(row * wide));
    }
    track.times_s = std::make_shared<const std::vector<double>>(std::move(times.values));
    return track;
  }

  const Document& document_;
  const Json& json_;
  const Skeleton& skeleton_;
  std::span<const ClipEdit> edits_;
  AccessorReader accessors_;
  TargetData data_;
  MorphPatch patch_;
};

}  // namespace

Result<MorphPatch> planMorphs(const Document& document, const Skeleton& skeleton,
                              std::span<const ClipEdit> edits, std::span<const AddedMorph> morphs,
                              const io::Limits& limits) {
  return MorphPlanner(document, skeleton, edits, limits).plan(morphs);
}

}  // namespace clipmill::io::gltf
