// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Chapter 3.7.2.2 (morph targets) of the glTF 2.0 specification.
#include "io/gltf/patch_morphs.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "io/gltf/accessor.h"
#include "io/gltf/json_fields.h"
#include "io/gltf/words.h"

namespace clipmill::gltf {
namespace {

using json_text::arrayText;
using json_text::Edits;
using json_text::Span;
using Changes = std::vector<Edits::Change>;

constexpr std::size_t kFloatBytes = 4;
constexpr std::size_t kVectorBytes = 3 * kFloatBytes;
constexpr int kShortComponent = 5123, kIntComponent = 5125;
constexpr std::size_t kMostForShort = 65535;
constexpr int kSignedShortComponent = 5122;
constexpr std::size_t kShortBytes = 2;
// Vertices in a row begin at multiples of four bytes.
constexpr std::size_t kShortStride = 8;
constexpr double kMostOfShort = 32767.0;
// Steps that the longest displacement has to have: each is off by half a step at most.
constexpr double kLeastSteps = 200.0;

// Vertices of one primitive.
struct PrimitiveShape {
  std::size_t vertices = 0;
  bool is_read = true;  // whether readScene() has them
  bool has_normals = false;
};

// Numbers of one accessor of vectors, with the bits that stand for each.
struct Components {
  bool is_integer = false;
  std::vector<float> values;
  std::vector<std::uint32_t> bits;

  std::size_t bytes() const { return is_integer ? kShortBytes : kFloatBytes; }
};

Components asFloats(std::vector<float> values) {
  Components components{false, std::move(values), {}};
  for (const float value : components.values) {
    components.bits.push_back(std::bit_cast<std::uint32_t>(value));
  }
  return components;
}

// `values` in parts of `scale`, as normalized integers stand for them (chapter 3.11).
Components asShorts(std::span<const float> values, double scale) {
  Components components{true, {}, {}};
  for (const float value : values) {
    const double steps = static_cast<double>(value) / scale * kMostOfShort;
    const auto integer = static_cast<std::int32_t>(std::floor(steps + 0.5));
    components.values.push_back(static_cast<float>(integer));
    components.bits.push_back(static_cast<std::uint32_t>(integer) & 0xFFFFu);
  }
  return components;
}

std::string boundsText(std::span<const float> values) {
  float low[3], high[3];
  std::copy_n(values.begin(), 3, low);
  std::copy_n(values.begin(), 3, high);
  for (std::size_t i = 3; i < values.size(); ++i) {
    low[i % 3] = std::min(low[i % 3], values[i]);
    high[i % 3] = std::max(high[i % 3], values[i]);
  }
  const auto text = [](const float* v) {
    return "[" + numberText(v[0]) + "," + numberText(v[1]) + "," + numberText(v[2]) + "]";
  };
  return ",\"min\":" + text(low) + ",\"max\":" + text(high);
}

double longestComponent(std::span<const Vec3> deltas) {
  double longest = 0.0;
  for (const Vec3& delta : deltas) {
    for (int i = 0; i < 3; ++i) longest = std::max(longest, std::abs(delta[i]));
  }
  return longest;
}

// The least power of two that is not below `value`; 1 for 0.
double powerAbove(double value) {
  double power = 1.0;
  while (value > 0.0 && power * 0.5 >= value) power *= 0.5;
  while (power < value) power *= 2.0;
  return power;
}

// What the displacements of a morph are divided by to be integers; 0 for floats.
double integerScale(const AddedMorph& morph) {
  const double positions = longestComponent(morph.position_deltas);
  const double both = std::max(positions, longestComponent(morph.normal_deltas));
  if (!morph.as_int16 || !std::isfinite(both)) return 0.0;
  const double scale = powerAbove(both);
  return positions / scale * kMostOfShort >= kLeastSteps ? scale : powerAbove(positions);
}

// Collects displacements, as accessors.
class TargetData {
 public:
  TargetData(std::size_t first_view, std::size_t first_accessor)
      : next_view_(first_view), next_accessor_(first_accessor) {}

  // One accessor of `deltas`; bounds as positions need them. Integers in parts of `scale` where it
  // is above 0 and takes them all.
  Result<std::size_t> add(std::span<const Vec3> deltas, bool with_bounds, double scale) {
    std::vector<float> floats;
    floats.reserve(3 * deltas.size());
    for (const Vec3& delta : deltas) {
      for (int i = 0; i < 3; ++i) {
        // Adding zero turns -0 into 0.
        const float value = static_cast<float>(delta[i]) + 0.0f;
        if (!std::isfinite(value)) {
          return Error{ErrorCode::kUnsupported, "",
                       "has a new morph that moves a vertex farther than a 32-bit float tells", ""};
        }
        floats.push_back(value);
      }
    }
    const bool is_integer = scale > 0.0 && longestComponent(deltas) <= scale;
    const Components components =
        is_integer ? asShorts(floats, scale) : asFloats(std::move(floats));
    const std::vector<std::uint32_t> touched = touchedVertices(components);
    if (touched.empty()) return addZeros(deltas.size(), with_bounds);
    has_integers_ = has_integers_ || is_integer;
    const std::size_t index_bytes = deltas.size() <= kMostForShort ? 2 : 4;
    const std::size_t stride = is_integer ? kShortStride : kVectorBytes;
    const bool is_sparse =
        touched.size() * (index_bytes + 3 * components.bytes()) < deltas.size() * stride;
    const std::string data =
        is_sparse ? sparse(components, touched, index_bytes) : dense(components);
    return addAccessor(deltas.size(), is_integer,
                       data + (with_bounds ? boundsText(components.values) : ""));
  }

  // One accessor for all primitives of so many vertices; what no view holds is zero.
  std::size_t addZeros(std::size_t count, bool with_bounds) {
    const auto known = zeros_.find({count, with_bounds});
    if (known != zeros_.end()) return known->second;
    const char* bounds = with_bounds ? ",\"min\":[0,0,0],\"max\":[0,0,0]" : "";
    const std::size_t accessor = addAccessor(count, false, bounds);
    zeros_.emplace(std::pair(count, with_bounds), accessor);
    return accessor;
  }

  // Each kind lies in a view of its own: those of vertices have a stride, the others must not.
  void finish(MorphPatch& patch) {
    std::map<std::size_t, const View*> in_order;
    for (const View* view : {&dense_, &dense_integers_, &sparse_}) {
      if (view->index) in_order[*view->index] = view;
    }
    for (const auto& [index, view] : in_order) {
      const std::size_t stride = view == &dense_            ? kVectorBytes
                                 : view == &dense_integers_ ? kShortStride
                                                            : 0;
      const std::string members =
          stride > 0 ? ",\"byteStride\":" + std::to_string(stride) + ",\"target\":34962" : "";
      patch.views.push_back({patch.bytes.size(), view->bytes.size(), members});
      patch.bytes.insert(patch.bytes.end(), view->bytes.begin(), view->bytes.end());
    }
    patch.accessors = std::move(accessors_);
    patch.has_integers = has_integers_;
  }

 private:
  struct View {
    std::optional<std::size_t> index;  // in the document, from when something lies in it
    Bytes bytes;                       // a whole multiple of four
  };

  static std::vector<std::uint32_t> touchedVertices(const Components& components) {
    std::vector<std::uint32_t> touched;
    for (std::size_t v = 0; 3 * v < components.bits.size(); ++v) {
      const auto own = std::span(components.bits).subspan(3 * v, 3);
      if (std::any_of(own.begin(), own.end(), [](std::uint32_t bits) { return bits != 0; })) {
        touched.push_back(static_cast<std::uint32_t>(v));
      }
    }
    return touched;
  }

  // The members that say where in the view something begins that is added next.
  std::string placeIn(View& view) {
    if (!view.index) view.index = next_view_++;
    return "\"bufferView\":" + std::to_string(*view.index) +
           ",\"byteOffset\":" + std::to_string(view.bytes.size());
  }

  std::string dense(const Components& components) {
    View& view = components.is_integer ? dense_integers_ : dense_;
    const std::string place = placeIn(view);
    for (std::size_t v = 0; 3 * v < components.bits.size(); ++v) append(components, v, view.bytes);
    return "," + place;
  }

  std::string sparse(const Components& components, std::span<const std::uint32_t> touched,
                     std::size_t index_bytes) {
    const std::string indices = placeIn(sparse_) + ",\"componentType\":" +
                                std::to_string(index_bytes == 2 ? kShortComponent : kIntComponent);
    for (const std::uint32_t index : touched) appendBits(sparse_.bytes, index, index_bytes);
    pad(sparse_.bytes);
    const std::string values = placeIn(sparse_);
    for (const std::uint32_t v : touched) {
      for (std::size_t i = 0; i < 3; ++i) {
        appendBits(sparse_.bytes, components.bits[3 * v + i], components.bytes());
      }
    }
    pad(sparse_.bytes);
    return ",\"sparse\":{\"count\":" + std::to_string(touched.size()) + ",\"indices\":{" + indices +
           "},\"values\":{" + values + "}}";
  }

  std::size_t addAccessor(std::size_t count, bool is_integer, const std::string& members) {
    const std::string type = is_integer
                                 ? std::to_string(kSignedShortComponent) + ",\"normalized\":true"
                                 : std::to_string(kFloatComponent);
    accessors_.push_back("{\"componentType\":" + type + ",\"count\":" + std::to_string(count) +
                         ",\"type\":\"VEC3\"" + members + "}");
    return next_accessor_++;
  }

  // One vertex, up to a multiple of four bytes.
  static void append(const Components& components, std::size_t vertex, Bytes& bytes) {
    for (std::size_t i = 0; i < 3; ++i) {
      appendBits(bytes, components.bits[3 * vertex + i], components.bytes());
    }
    pad(bytes);
  }
  static void appendBits(Bytes& bytes, std::uint32_t bits, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      bytes.push_back(static_cast<std::byte>(bits >> (8 * i)));
    }
  }
  static void pad(Bytes& bytes) { bytes.resize((bytes.size() + 3) / 4 * 4); }

  std::size_t next_view_, next_accessor_;
  View dense_, dense_integers_, sparse_;
  std::vector<std::string> accessors_;
  std::map<std::pair<std::size_t, bool>, std::size_t> zeros_;
  bool has_integers_ = false;
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
      Status planned = planNode(skeleton_.nodes[static_cast<std::size_t>(node)], own);
      if (!planned) return within(pathOf(skeleton_, node), planned.error());
      CLIPMILL_CHECK(widenClips(node, own.size()));
      keepScales(node, own);
    }
    data_.finish(patch_);
    return std::move(patch_);
  }

 private:
  Status planNode(const Node& node, std::span<const AddedMorph* const> morphs) {
    const auto source = static_cast<std::size_t>(node.source_id);
    const Json& node_json = json_.at("nodes").at(source);
    const Json& meshes = Fields(json_, "").array("meshes");
    const int mesh = Fields(node_json, "").index("mesh", meshes.size());
    if (mesh < 0) return Error{ErrorCode::kInternal, "", "has no mesh for a new morph", ""};
    const auto index = static_cast<std::size_t>(mesh);
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
                           weightsText(document_.text.substr(array.begin, array.end - array.begin),
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
    const std::size_t wanted = static_cast<std::size_t>(node.weights_count) + added;
    return withZeros(array, present == 0, wanted > present ? wanted - present : 0);
  }

  // As readScene() counts them.
  Result<std::vector<PrimitiveShape>> shapesOf(const Json& primitives) {
    std::vector<PrimitiveShape> shapes;
    for (std::size_t i = 0; i < primitives.size(); ++i) {
      Fields fields(primitives[i], elementPlace("primitives", i));
      Fields attributes(fields.object("attributes"), fields.place());
      const int positions = attributes.index("POSITION", accessors_.count());
      if (positions < 0) {
        return Error{ErrorCode::kUnsupported, fields.place(),
                     "has no positions, so that no morph can move it", ""};
      }
      const Json& accessor = json_.at("accessors").at(static_cast<std::size_t>(positions));
      PrimitiveShape shape;
      shape.vertices = static_cast<std::size_t>(Fields(accessor, "").integer("count", 0));
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
    const std::string_view text = document_.text.substr(span.begin, span.end - span.begin);
    const Json& mesh = json_.at("meshes").at(index);
    const Json& primitives = Fields(mesh, "").array("primitives");
    CLIPMILL_TRY(const auto shapes, shapesOf(primitives));
    CLIPMILL_CHECK(checkCounts(shapes, morphs));
    Edits edits(text);
    const Span object = json_text::rootOf(text);
    const auto members = json_text::membersOf(text, object);
    const auto elements =
        json_text::elementsOf(text, *json_text::findMember(members, "primitives"));
    std::size_t begin = 0;
    for (std::size_t p = 0; p < shapes.size(); ++p) {
      CLIPMILL_TRY(const auto targets, targetsOf(primitives[p], node, shapes[p], begin, morphs));
      addElements(text, elements[p], "targets", targets, edits);
      if (shapes[p].is_read) begin += shapes[p].vertices;
    }
    Changes changes;
    if (const auto weights = json_text::findMember(members, "weights")) {
      changes.emplace_back("weights",
                           weightsText(text.substr(weights->begin, weights->end - weights->begin),
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
      return Error{ErrorCode::kInternal, "", "has another number of vertices than its new morph",
                   ""};
    }
    return {};
  }

  // The texts of the targets to add to a primitive whose vertices begin at `begin`. Targets that it
  // lacks of the node's own become zeros first.
  Result<std::vector<std::string>> targetsOf(const Json& primitive, const Node& node,
                                             const PrimitiveShape& shape, std::size_t begin,
                                             std::span<const AddedMorph* const> morphs) {
    std::vector<std::string> targets;
    const std::size_t present = Fields(primitive, "").array("targets").size();
    for (std::size_t t = present; t < static_cast<std::size_t>(node.weights_count); ++t) {
      targets.push_back(targetText(data_.addZeros(shape.vertices, true), std::nullopt));
    }
    for (const AddedMorph* morph : morphs) {
      if (!shape.is_read) {
        targets.push_back(targetText(data_.addZeros(shape.vertices, true), std::nullopt));
        continue;
      }
      const auto own = std::span(morph->position_deltas).subspan(begin, shape.vertices);
      const double scale = integerScale(*morph);
      CLIPMILL_TRY(const std::size_t positions, data_.add(own, true, scale));
      std::optional<std::size_t> normals;
      if (!morph->normal_deltas.empty() && shape.has_normals) {
        const auto turned = std::span(morph->normal_deltas).subspan(begin, shape.vertices);
        CLIPMILL_TRY(normals, data_.add(turned, false, scale));
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
    const auto own = static_cast<std::size_t>(node.weights_count);
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
      if (!track) return within(elementPlace("animations", a), track.error());
      if (*track) patch_.widened.push_back({static_cast<int>(a), {std::move(**track)}});
    }
    return {};
  }

  Result<std::optional<Track>> widenedTrack(const Json& animation, int node, std::size_t added) {
    const Node& described = skeleton_.nodes[static_cast<std::size_t>(node)];
    std::optional<Track> found;
    const Json& samplers = Fields(animation, "").array("samplers");
    for (const Json& channel : Fields(animation, "").array("channels")) {
      Fields fields(channel, "");
      Fields target(fields.object("target"), "");
      if (target.integer("node", -1) != described.source_id) continue;
      if (pathOfWord(target.text("path", "")) != TrackPath::kWeights) continue;
      const auto sampler = static_cast<std::size_t>(fields.index("sampler", samplers.size()));
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
    track.interpolation = interpolationOfWord(fields.text("interpolation", "LINEAR"))
                              .value_or(Interpolation::kLinear);
    const std::size_t own = static_cast<std::size_t>(node.weights_count), wide = own + added;
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

}  // namespace clipmill::gltf
