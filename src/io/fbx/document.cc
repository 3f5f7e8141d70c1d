// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/document.h"

#include <map>
#include <set>

#include "core/to_size.h"

namespace clipmill::io::fbx {
namespace {

constexpr std::size_t kMostObjects = std::size_t{1} << 26;

// The templates of Definitions, by object type: the first of each counts.
std::map<std::string, Element, std::less<>> templatesOf(const Tree& tree) {
  std::map<std::string, Element, std::less<>> templates;
  const auto definitions = tree.root("Definitions");
  if (!definitions) return templates;
  for (const Element type : definitions->children()) {
    if (type.name() != "ObjectType") continue;
    const auto name = type.text(0);
    const auto block = type.child("PropertyTemplate");
    if (name && block) templates.emplace(*name, *block);
  }
  return templates;
}

std::optional<Element> propertyBlock(const Element& element) {
  if (auto modern = element.child("Properties70")) return modern;
  return element.child("Properties60");
}

// -- Objects

Object modernObject(const Element& element) {
  return {element, element.integer(0).value_or(0), element.name(),
          plainName(element.text(1).value_or("")), element.text(2).value_or("")};
}

Object legacyObject(const Element& element) {
  return {element, 0, element.name(), plainName(element.text(0).value_or("")),
          element.text(1).value_or("")};
}

class Builder {
 public:
  explicit Builder(Document& document) : document_(document), tree_(*document.tree) {}

  Status build() {
    CLIPMILL_CHECK(document_.isModern() ? addModernObjects() : addLegacyObjects());
    document_.children.resize(document_.objects.size());
    document_.parents.resize(document_.objects.size());
    if (document_.isModern()) {
      addConnections("C");
    } else {
      addConnections("Connect");
      addChildLists();
    }
    return {};
  }

 private:
  Status addModernObjects() {
    const auto objects = tree_.root("Objects");
    if (!objects) return {};
    for (const Element element : objects->children()) {
      Object object = modernObject(element);
      if (!element.integer(0)) continue;  // GlobalSettings of some writers, and the like
      if (!index_of_id_.emplace(object.id, count()).second) {
        return Error{ErrorCode::kMalformed, "Objects: " + std::to_string(object.id),
                     "is the ID of two objects", ""};
      }
      CLIPMILL_CHECK(add(std::move(object)));
    }
    return {};
  }

  // Version 6000 and later keeps objects in a block of that name, older ones at the top. Some
  // writers name an object again later, with nothing in it.
  Status addLegacyObjects() {
    const auto add_named = [&](const Element& element) -> Status {
      const auto name = element.text(0);
      if (!name || !index_of_name_.emplace(*name, count()).second) return {};
      return add(legacyObject(element));
    };
    if (const auto objects = tree_.root("Objects")) {
      for (const Element element : objects->children()) CLIPMILL_CHECK(add_named(element));
    }
    for (const Element element : tree_.roots()) {
      if (element.name() == "Model") CLIPMILL_CHECK(add_named(element));
    }
    return {};
  }

  Status add(Object object) {
    if (document_.objects.size() >= kMostObjects) {
      return Error{ErrorCode::kLimit, "Objects", "has too many objects", ""};
    }
    document_.objects.push_back(std::move(object));
    return {};
  }

  int count() const { return static_cast<int>(document_.objects.size()); }

  // Index of the object that value `i` names; -1 for the scene, nothing where there is none.
  std::optional<int> named(const Element& element, std::size_t i) const {
    if (document_.isModern()) {
      const auto id = element.integer(i);
      if (!id) return std::nullopt;
      if (*id == 0) return -1;
      const auto found = index_of_id_.find(*id);
      return found == index_of_id_.end() ? std::nullopt : std::optional(found->second);
    }
    const auto name = element.text(i);
    if (!name) return std::nullopt;
    const auto found = index_of_name_.find(*name);
    if (found != index_of_name_.end()) return found->second;
    return plainName(*name) == "Scene" ? std::optional(-1) : std::nullopt;
  }

  void addConnections(std::string_view word) {
    const auto list = tree_.root("Connections");
    if (!list) return;
    for (const Element element : list->children()) {
      if (element.name() != word) continue;
      const std::string kind = element.text(0).value_or("");
      const auto child = named(element, 1), parent = named(element, 2);
      if (!child || !parent || *child < 0) {
        document_.warnings.add("unknown_connection",
                               "a connection names an object that is not in the file", kind);
        continue;
      }
      if (kind == "OO") connect(*child, *parent, "", element);
      if (kind == "OP") connect(*child, *parent, element.text(3).value_or(""), element);
    }
  }

  // Version 5800: `Children: "Model::a", "Model::b"` within the parent.
  void addChildLists() {
    for (int parent = 0; parent < count(); ++parent) {
      const auto list = document_.object(parent).element.child("Children");
      if (!list) continue;
      for (std::size_t i = 0; i < list->values().size(); ++i) {
        const auto child = named(*list, i);
        if (child && *child >= 0) connect(*child, parent, "", *list);
      }
    }
  }

  void connect(int child, int parent, std::string property, const Element& element) {
    const int index = static_cast<int>(document_.connections.size());
    document_.connections.push_back({child, parent, std::move(property), element});
    document_.parents[toSize(child)].push_back(index);
    (parent < 0 ? document_.root_children : document_.children[toSize(parent)]).push_back(index);
  }

  Document& document_;
  const Tree& tree_;
  std::map<std::int64_t, int> index_of_id_;
  std::map<std::string, int> index_of_name_;
};

// -- Global settings

// Frames a second of each TimeMode (FBX SDK, FbxTime::EMode); 0: stored elsewhere or not at all.
double framesPerSecond(std::int64_t mode, double custom) {
  constexpr double kRates[] = {0,
                               120,
                               100,
                               60,
                               50,
                               48,
                               30,
                               30,
                               30000.0 / 1001,
                               30000.0 / 1001,
                               25,
                               24,
                               1000,
                               24000.0 / 1001,
                               0,
                               96,
                               72,
                               60000.0 / 1001,
                               120000.0 / 1001};
  if (mode == 14) return custom > 0.0 ? custom : 0.0;
  if (mode < 0 || mode >= static_cast<std::int64_t>(std::size(kRates))) return 0.0;
  return kRates[mode];
}

Vec3 fileAxis(std::int64_t axis, std::int64_t sign) {
  Vec3 v(0.0);
  v[static_cast<int>(axis >= 0 && axis <= 2 ? axis : 1)] = sign < 0 ? -1.0 : 1.0;
  return v;
}

// Rows of the result are the file's directions of x, y (up) and z. A left-handed file gets the z
// that makes it right-handed: a reflection would invert every rotation.
Mat3 axesOf(const Properties& settings) {
  const Vec3 up =
      fileAxis(settings.integer("UpAxis").value_or(1), settings.integer("UpAxisSign").value_or(1));
  Vec3 right = fileAxis(settings.integer("CoordAxis").value_or(0),
                        settings.integer("CoordAxisSign").value_or(1));
  if (glm::dot(up, right) != 0.0) right = Vec3(up.y, up.z, up.x);
  return glm::transpose(Mat3(right, up, glm::cross(right, up)));
}

std::optional<Element> settingsElement(const Document& document) {
  if (auto modern = document.tree->root("GlobalSettings")) return modern;
  if (const auto objects = document.tree->root("Objects")) return objects->child("GlobalSettings");
  return std::nullopt;
}

}  // namespace

Properties::Properties(const Element& element, std::optional<Element> fallback)
    : block_(propertyBlock(element)) {
  if (fallback) fallback_ = propertyBlock(*fallback);
  if (block_ && block_->name() == "Properties60") first_value_ = 3;
}

std::optional<Element> Properties::own(std::string_view name) const {
  if (!block_) return std::nullopt;
  for (const Element property : block_->children()) {
    const auto values = property.values();
    if (values.empty() || values[0].type != ValueType::kString) continue;
    if (values[0].size == name.size() && property.text(0) == name) return property;
  }
  return std::nullopt;
}

std::optional<Properties::Found> Properties::find(std::string_view name) const {
  if (auto element = own(name)) return Found{*element, first_value_};
  if (!fallback_) return std::nullopt;
  for (const Element property : fallback_->children()) {
    if (property.text(0) == name) return Found{property, 4};
  }
  return std::nullopt;
}

std::optional<double> Properties::number(std::string_view name) const {
  const auto found = find(name);
  return found ? found->element.number(found->first_value) : std::nullopt;
}

std::optional<std::int64_t> Properties::integer(std::string_view name) const {
  const auto found = find(name);
  return found ? found->element.integer(found->first_value) : std::nullopt;
}

std::optional<Vec3> Properties::vector(std::string_view name) const {
  const auto found = find(name);
  if (!found) return std::nullopt;
  const auto x = found->element.number(found->first_value);
  const auto y = found->element.number(found->first_value + 1);
  const auto z = found->element.number(found->first_value + 2);
  return x && y && z ? std::optional(Vec3(*x, *y, *z)) : std::nullopt;
}

std::optional<std::string> Properties::text(std::string_view name) const {
  const auto found = find(name);
  return found ? found->element.text(found->first_value) : std::nullopt;
}

Properties Document::properties(int index) const {
  const Object& o = object(index);
  const auto found = templates.find(o.type);
  return Properties(o.element,
                    found == templates.end() ? std::nullopt : std::optional(found->second));
}

std::vector<int> Document::childrenOf(int parent, std::string_view type,
                                      std::string_view subtype) const {
  std::vector<int> found;
  for (int c : parent < 0 ? root_children : children[toSize(parent)]) {
    const Connection& connection = connections[toSize(c)];
    if (!connection.property.empty()) continue;
    const Object& child = object(connection.child);
    if (child.type == type && (subtype.empty() || child.subtype == subtype)) {
      found.push_back(connection.child);
    }
  }
  return found;
}

int Document::parentOf(int child, std::string_view type) const {
  for (int c : parents[toSize(child)]) {
    const Connection& connection = connections[toSize(c)];
    if (connection.property.empty() && connection.parent >= 0 &&
        object(connection.parent).type == type) {
      return connection.parent;
    }
  }
  return -1;
}

std::string plainName(std::string_view full) {
  const std::size_t binary = full.find(std::string_view("\0\1", 2));
  if (binary != std::string_view::npos) return std::string(full.substr(0, binary));
  const std::size_t text = full.find("::");
  return std::string(text == std::string_view::npos ? full : full.substr(text + 2));
}

Result<std::shared_ptr<const Document>> readDocument(std::shared_ptr<const Tree> tree) {
  auto document = std::make_shared<Document>();
  document->tree = std::move(tree);
  document->templates = templatesOf(*document->tree);
  CLIPMILL_CHECK(Builder(*document).build());
  return std::shared_ptr<const Document>(std::move(document));
}

GlobalSettings globalSettings(const Document& document) {
  GlobalSettings result;
  constexpr double kMetresInCentimetre = 0.01;
  const auto element = settingsElement(document);
  if (!element) {
    result.metric_from_file.linear = Mat3(kMetresInCentimetre);
    return result;
  }
  const Properties settings(*element);
  const double factor = settings.number("UnitScaleFactor").value_or(1.0);
  const double metres = kMetresInCentimetre * (factor > 0.0 && factor < 1e9 ? factor : 1.0);
  result.metric_from_file.linear = axesOf(settings) * metres;
  result.fps = framesPerSecond(settings.integer("TimeMode").value_or(0),
                               settings.number("CustomFrameRate").value_or(0.0));
  return result;
}

Status Document::checkGrowth() const {
  if (isModern()) return {};
  return Error{ErrorCode::kUnsupported, "",
               "is FBX 6 or older; joints, weights and blend shapes cannot be added to it",
               "save it as FBX 7 or write glTF"};
}

}  // namespace clipmill::io::fbx
