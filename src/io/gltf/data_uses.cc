// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/data_uses.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <nlohmann/json.hpp>

#include "core/to_size.h"
#include "io/gltf/json_fields.h"

namespace clipmill::io::gltf {
namespace {

using json_text::Span;

// Extensions that refer to no accessor or view, or only as forEachDataUse() reads it.
constexpr std::string_view kPlainPrefixes[] = {"VRM",
                                               "KHR_materials_",
                                               "KHR_texture_",
                                               "EXT_texture_",
                                               "KHR_lights_",
                                               "KHR_animation_pointer",
                                               "KHR_node_",
                                               "KHR_xmp",
                                               "KHR_mesh_quantization",
                                               "EXT_mesh_gpu_instancing",
                                               "KHR_draco_mesh_compression",
                                               "EXT_meshopt_compression",
                                               "KHR_meshopt_compression"};

bool isPlain(std::string_view extension) {
  return std::any_of(std::begin(kPlainPrefixes), std::end(kPlainPrefixes),
                     [&](std::string_view prefix) { return extension.starts_with(prefix); });
}

bool hasUnknownExtension(const Json& value) {
  for (auto member = value.begin(); member != value.end(); ++member) {
    if (value.is_object() && member.key() == "extensions" && member->is_object()) {
      for (const auto& [name, content] : member->items()) {
        if (!isPlain(name)) return true;
      }
    }
    // What applications put there is no part of the format.
    if (value.is_object() && member.key() == "extras") continue;
    if (member->is_structured() && hasUnknownExtension(*member)) return true;
  }
  return false;
}

// Walks JSON values together with their text.
class UseWalker {
 public:
  using Use = std::function<void(DataKind, int, Span)>;

  UseWalker(const Document& document, const Use& use)
      : text_(document.text),
        json_(*document.json),
        use_(use),
        accessors_(Fields(json_, "").array("accessors").size()),
        views_(Fields(json_, "").array("bufferViews").size()) {}

  void walk() {
    const Span root = json_text::rootOf(text_);
    each(json_, root, "animations", [&](const Json& animation, Span span) {
      each(animation, span, "samplers", [&](const Json& sampler, Span inner) {
        accessor(sampler, inner, "input");
        accessor(sampler, inner, "output");
      });
    });
    each(json_, root, "skins",
         [&](const Json& skin, Span span) { accessor(skin, span, "inverseBindMatrices"); });
    each(json_, root, "images", [&](const Json& image, Span span) { view(image, span); });
    each(json_, root, "nodes", [&](const Json& node, Span span) {
      within(node, span, {"extensions", "EXT_mesh_gpu_instancing", "attributes"},
             [&](const Json& attributes, Span inner) { allAccessors(attributes, inner); });
    });
    each(json_, root, "meshes", [&](const Json& mesh, Span span) {
      each(mesh, span, "primitives",
           [&](const Json& primitive, Span inner) { walkPrimitive(primitive, inner); });
    });
  }

 private:
  using Visit = std::function<void(const Json&, Span)>;

  void walkPrimitive(const Json& primitive, Span span) {
    accessor(primitive, span, "indices");
    within(primitive, span, {"attributes"},
           [&](const Json& attributes, Span inner) { allAccessors(attributes, inner); });
    each(primitive, span, "targets",
         [&](const Json& target, Span inner) { allAccessors(target, inner); });
    within(primitive, span, {"extensions", "KHR_draco_mesh_compression"},
           [&](const Json& packed, Span inner) { view(packed, inner); });
  }

  std::optional<Span> spanOf(Span object, std::string_view key) const {
    const auto members = json_text::membersOf(text_, object);
    return json_text::findMember(members, key);
  }

  void each(const Json& object, Span span, const char* key, const Visit& visit) const {
    if (!object.is_object()) return;
    const auto found = object.find(key);
    if (found == object.end() || !found->is_array()) return;
    const auto spans = json_text::elementsOf(text_, *spanOf(span, key));
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if ((*found)[i].is_object()) visit((*found)[i], spans[i]);
    }
  }

  void within(const Json& object, Span span, std::initializer_list<const char*> path,
              const Visit& visit) const {
    const Json* value = &object;
    for (const char* key : path) {
      const auto found = value->find(key);
      if (found == value->end() || !found->is_object()) return;
      span = *spanOf(span, key);
      value = &*found;
    }
    visit(*value, span);
  }

  void accessor(const Json& object, Span span, const char* key) const {
    number(object, span, key, DataKind::kAccessor, accessors_);
  }
  void view(const Json& object, Span span) const {
    number(object, span, "bufferView", DataKind::kView, views_);
  }
  void allAccessors(const Json& object, Span span) const {
    for (const auto& member : object.items()) accessor(object, span, member.key().c_str());
  }

  void number(const Json& object, Span span, const char* key, DataKind kind,
              std::size_t count) const {
    const int index = Fields(object, "").index(key, count);
    if (index >= 0) use_(kind, index, *spanOf(span, key));
  }

  std::string_view text_;
  const Json& json_;
  const Use& use_;
  std::size_t accessors_, views_;
};

}  // namespace

void forEachDataUse(const Document& document,
                    const std::function<void(DataKind, int, json_text::Span)>& use) {
  UseWalker(document, use).walk();
}

bool mayHaveUnknownUses(const Document& document) { return hasUnknownExtension(*document.json); }

DataUses usesOf(const Document& document) {
  Fields root(*document.json, "");
  const bool is_known = !mayHaveUnknownUses(document);
  DataUses uses{std::vector<bool>(root.array("accessors").size(), !is_known),
                std::vector<bool>(root.array("bufferViews").size(), !is_known)};
  if (!is_known) return uses;
  forEachDataUse(document, [&](DataKind kind, int index, Span) {
    (kind == DataKind::kAccessor ? uses.accessors : uses.views)[toSize(index)] = true;
  });
  return uses;
}

}  // namespace clipmill::io::gltf
