// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/file_builder.h"

#include <algorithm>
#include <utility>

#include "io/fbx/new_curve.h"

namespace clipmill::io::fbx {

NewElement leaf(std::string name, NewValue value) {
  NewElement element{std::move(name), {}, {}, false};
  element.values.push_back(std::move(value));
  return element;
}

NewElement block(std::string name, std::vector<NewElement> children) {
  return {std::move(name), {}, std::move(children), true};
}

NewElement numberProperty(const std::string& name, double value) {
  return propertyElement(name, "Number", "", "A", {value});
}

NewElement colorProperty(const std::string& name, const Vec3& color) {
  return propertyElement(name, "Color", "", "A", {color.x, color.y, color.z});
}

NewElement enumProperty(const std::string& name, std::int32_t value) {
  return propertyElement(name, "enum", "", "", {value});
}

NewElement boolProperty(const std::string& name, bool value) {
  return propertyElement(name, "bool", "", "", {std::int32_t{value}});
}

NewElement textProperty(const std::string& name, const std::string& value) {
  return propertyElement(name, "KString", "", "", {value});
}

NewElement timeProperty(const std::string& name, std::int64_t ticks) {
  return propertyElement(name, "KTime", "Time", "", {ticks});
}

NewElement matrixElement(std::string name, const Affine& map) {
  std::vector<double> numbers;
  for (int column = 0; column < 3; ++column) {
    for (int row = 0; row < 3; ++row) numbers.push_back(map.linear[column][row]);
    numbers.push_back(0.0);
  }
  const Vec3& t = map.translation;
  numbers.insert(numbers.end(), {t.x, t.y, t.z, 1.0});
  return leaf(std::move(name), std::move(numbers));
}

std::int64_t FileBuilder::add(const std::string& type, const std::string& name,
                              const std::string& class_name, const std::string& subtype,
                              std::vector<NewElement> children) {
  const std::int64_t id = newId();
  add({type, {id, classedName(cleanName(name), class_name), subtype}, std::move(children), true});
  return id;
}

void FileBuilder::add(NewElement object) {
  ++counts_[object.name];
  objects_.push_back(std::move(object));
}

void FileBuilder::connect(std::int64_t child, std::int64_t parent) {
  connections_.push_back(connectionElement(child, parent));
}

void FileBuilder::connect(std::int64_t child, std::int64_t parent, const std::string& property) {
  connections_.push_back(connectionElement(child, parent, property));
}

std::string FileBuilder::cleanName(const std::string& name) {
  if (name.find('\0') == std::string::npos) return name;
  losses_.add("name_with_zero_byte", "a zero byte in a name is replaced by an underscore", name);
  std::string clean = name;
  std::ranges::replace(clean, '\0', '_');
  return clean;
}

NewElement FileBuilder::takeDefinitions() {
  std::int32_t total = 1;
  std::vector<NewElement> types;
  const auto add_type = [&](const std::string& name, std::int32_t count) {
    types.push_back({"ObjectType", {name}, {leaf("Count", count)}, true});
  };
  add_type("GlobalSettings", 1);
  for (const auto& [name, count] : counts_) {
    add_type(name, count);
    total += count;
  }
  std::vector<NewElement> children = {leaf("Version", std::int32_t{100}), leaf("Count", total)};
  std::ranges::move(types, std::back_inserter(children));
  return block("Definitions", std::move(children));
}

NewElement FileBuilder::takeObjects() { return block("Objects", std::exchange(objects_, {})); }

NewElement FileBuilder::takeConnections() {
  return block("Connections", std::exchange(connections_, {}));
}

}  // namespace clipmill::io::fbx
