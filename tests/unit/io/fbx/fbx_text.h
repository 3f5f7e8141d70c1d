// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <string>
#include <vector>

/// Puts small text files of FBX 7 together, line by line and without the code under test.
namespace clipmill::test {

inline constexpr long long kTicks = 46186158000;

struct FbxText {
  int version = 7400;
  std::string definitions, objects, connections, other;

  static std::string list(const std::vector<double>& numbers) {
    std::string text = "*" + std::to_string(numbers.size()) + " { a: ";
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (i) text += ',';
      // Ticks are integers beyond what "%g" would write.
      const bool is_integer = numbers[i] == std::floor(numbers[i]) && std::fabs(numbers[i]) < 1e17;
      text += is_integer ? std::to_string(static_cast<long long>(numbers[i]))
                         : std::to_string(numbers[i]);
    }
    return text + " }";
  }
  static std::string property(const std::string& name, const std::string& values) {
    return "P: \"" + name + "\", \"any\", \"\", \"A\"," + values + "\n";
  }

  FbxText& object(const std::string& type, int id, const std::string& name,
                  const std::string& subtype, const std::string& properties,
                  const std::string& elements = "") {
    objects += type + ": " + std::to_string(id) + ", \"" + name + "\", \"" + subtype + "\" {\n" +
               "Properties70: {\n" + properties + "}\n" + elements + "}\n";
    return *this;
  }
  FbxText& connect(int child, int parent) {
    connections += "C: \"OO\"," + std::to_string(child) + "," + std::to_string(parent) + "\n";
    return *this;
  }
  FbxText& connect(int child, int parent, const std::string& property_name) {
    connections += "C: \"OP\"," + std::to_string(child) + "," + std::to_string(parent) + ",\"" +
                   property_name + "\"\n";
    return *this;
  }
  FbxText& model(int id, const std::string& name, int parent, const std::string& properties = "") {
    return object("Model", id, "Model::" + name, "LimbNode", properties).connect(id, parent);
  }
  FbxText& stack(int id, const std::string& name, double end_s = 1.0) {
    const auto ticks = std::to_string(static_cast<long long>(end_s * double(kTicks)));
    return object("AnimationStack", id, "AnimStack::" + name, "",
                  property("LocalStart", "0") + property("LocalStop", ticks));
  }
  FbxText& layer(int id, int of_stack, const std::string& properties = "") {
    return object("AnimationLayer", id, "AnimLayer::L", "", properties).connect(id, of_stack);
  }
  FbxText& curveNode(int id, int of_layer, int of_object, const std::string& of_property,
                     const std::string& properties = "") {
    return object("AnimationCurveNode", id, "AnimCurveNode::T", "", properties)
        .connect(id, of_layer)
        .connect(id, of_object, of_property);
  }
  /// Linear keys a second apart.
  FbxText& curve(int id, const std::vector<double>& values) {
    std::vector<double> times;
    for (std::size_t k = 0; k < values.size(); ++k) times.push_back(double(k) * double(kTicks));
    return object("AnimationCurve", id, "AnimCurve::", "", "",
                  "Default: 0\nKeyVer: 4008\nKeyTime: " + list(times) +
                      "\nKeyValueFloat: " + list(values) +
                      "\nKeyAttrFlags: *1 { a: 4 }\nKeyAttrDataFloat: *4 { a: 0,0,0,0 }\n"
                      "KeyAttrRefCount: *1 { a: " +
                      std::to_string(values.size()) + " }\n");
  }
  FbxText& curve(int id, const std::vector<double>& values, int curve_node,
                 const std::string& axis = "d|X") {
    return curve(id, values).connect(id, curve_node, axis);
  }

  std::string text() const {
    return "; FBX 7.4.0 project file\nFBXHeaderExtension: {\nFBXVersion: " +
           std::to_string(version) + "\n}\n" + definitions + "Objects: {\n" + objects + "}\n" +
           "Connections: {\n" + connections + "}\n" + other;
  }
};

/// Three joints: Root (1) at the origin, Mid (2) and Tip (3) each 10 along y from its parent.
inline FbxText threeJoints() {
  const std::string up = FbxText::property("Lcl Translation", "0,10,0");
  return FbxText().model(1, "Root", 0).model(2, "Mid", 1, up).model(3, "Tip", 2, up);
}

/// FBX 6: Root at 1, 2, 3 and Mid below it, of which take "A" has keys and "B" none.
inline const char* const kTakeFile =
    "; FBX 6.1.0 project file\nFBXHeaderExtension: {\nFBXVersion: 6100\n}\nObjects: {\n"
    "Model: \"Model::Root\", \"Limb\" {\nProperties60: {\n"
    "Property: \"Lcl Translation\", \"Lcl Translation\", \"A+\",1,2,3\n}\n}\n"
    "Model: \"Model::Mid\", \"Limb\" {\n}\n}\nConnections: {\n"
    "Connect: \"OO\", \"Model::Root\", \"Model::Scene\"\n"
    "Connect: \"OO\", \"Model::Mid\", \"Model::Root\"\n}\n"
    "Takes: {\nCurrent: \"A\"\n"
    "Take: \"A\" {\nLocalTime: 0,46186158000\nReferenceTime: 0,46186158000\n"
    "Model: \"Model::Mid\" {\nVersion: 1.1\nChannel: \"Transform\" {\nChannel: \"R\" {\n"
    "Channel: \"X\" {\nDefault: 7\nKeyVer: 4005\nKeyCount: 1\nKey: 0,7,L\n}\nLayerType: 2\n}\n}\n"
    "Channel: \"Visibility\" {\nDefault: 1\n}\n}\n}\n"
    "Take: \"B\" {\nLocalTime: 0,46186158000\n}\n}\n";

}  // namespace clipmill::test
