// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"
#include "core/result.h"
#include "io/gltf/data_uri.h"
#include "io/gltf/document.h"
#include "io/gltf/glb.h"

/// Puts small glTF files together for tests: members as JSON text, arrays as numbers.
namespace clipmill::test {

template <class T>
Bytes rawBytes(const std::vector<T>& numbers) {
  Bytes bytes(numbers.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

inline Bytes textBytes(std::string_view text) {
  const auto bytes = asBytes(text);
  return Bytes(bytes.begin(), bytes.end());
}

/// A GLB of that JSON, with a BIN chunk where `bin` is given.
inline Bytes glbOf(std::string_view json, const Bytes* bin = nullptr,
                   std::span<const io::gltf::ExtraChunk> extra_chunks = {}) {
  return io::gltf::assembleGlb(json, bin, extra_chunks).value();
}

/// A document under construction. `members` is the text of further top-level members, each with a
/// comma before it.
struct TinyGltf {
  std::vector<std::string> accessors;
  std::vector<std::string> views;
  Bytes bin;
  std::string members;

  /// Adds bytes as a bufferView; `more` is text behind its members. Returns its index.
  int addView(const Bytes& bytes, const std::string& more = "") {
    bin.resize((bin.size() + 3) / 4 * 4);
    views.push_back("{\"buffer\":0,\"byteOffset\":" + std::to_string(bin.size()) +
                    ",\"byteLength\":" + std::to_string(bytes.size()) + more + "}");
    bin.insert(bin.end(), bytes.begin(), bytes.end());
    return static_cast<int>(views.size()) - 1;
  }
  /// Adds an accessor over a bufferView (-1 for none). Returns its index.
  int addAccessor(int view, std::size_t count, int component_type, const char* type,
                  const std::string& more = "") {
    accessors.push_back("{" + (view < 0 ? "" : "\"bufferView\":" + std::to_string(view) + ",") +
                        "\"componentType\":" + std::to_string(component_type) + ",\"count\":" +
                        std::to_string(count) + ",\"type\":\"" + type + "\"" + more + "}");
    return static_cast<int>(accessors.size()) - 1;
  }
  /// An accessor of floats with its own bufferView.
  int addFloats(const std::vector<float>& numbers, const char* type) {
    const std::string name = type;
    const std::size_t width = name == "SCALAR" ? 1
                              : name == "VEC2" ? 2
                              : name == "VEC3" ? 3
                              : name == "MAT4" ? 16
                                               : 4;
    return addAccessor(addView(rawBytes(numbers)), numbers.size() / width, 5126, type);
  }

  static std::string joined(const std::vector<std::string>& elements) {
    std::string text;
    for (const std::string& element : elements) text += (text.empty() ? "" : ",") + element;
    return "[" + text + "]";
  }
  std::string json(const std::string& uri = "") const {
    std::string text = "{\"asset\":{\"version\":\"2.0\"}" + members;
    if (!bin.empty()) {
      text += ",\"buffers\":[{\"byteLength\":" + std::to_string(bin.size()) +
              (uri.empty() ? "" : ",\"uri\":\"" + uri + "\"") + "}]";
    }
    if (!views.empty()) text += ",\"bufferViews\":" + joined(views);
    if (!accessors.empty()) text += ",\"accessors\":" + joined(accessors);
    return text + "}";
  }
  Bytes glb() const { return glbOf(json(), bin.empty() ? nullptr : &bin); }
  /// The same as one text, its buffer in a data URI.
  Bytes text() const {
    return textBytes(json("data:application/octet-stream;base64," + io::gltf::encodeBase64(bin)));
  }
};

/// Root and Tip, and a clip "Wave" with a linear rotation of Tip and a translation of Root in
/// steps, each with a sampler of its own over the same two key times.
inline TinyGltf wavingGltf() {
  TinyGltf gltf;
  const int times = gltf.addFloats({0.0f, 1.0f}, "SCALAR");
  const int rotations = gltf.addFloats({0, 0, 0, 1, 0, 0, 1, 0}, "VEC4");
  const int moves = gltf.addFloats({0, 0, 0, 1, 2, 3}, "VEC3");
  const std::string t = std::to_string(times);
  gltf.members =
      ",\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"name\":\"Root\",\"children\":[1]},"
      "{\"name\":\"Tip\",\"translation\":[0,1,0]}],\"animations\":[{\"name\":\"Wave\",\"samplers\":"
      "[{\"input\":" +
      t + ",\"output\":" + std::to_string(rotations) + "},{\"input\":" + t +
      ",\"output\":" + std::to_string(moves) +
      ",\"interpolation\":\"STEP\"}],\"channels\":["
      "{\"sampler\":0,\"target\":{\"node\":1,\"path\":\"rotation\"}},"
      "{\"sampler\":1,\"target\":{\"node\":0,\"path\":\"translation\"}}]}]";
  return gltf;
}

/// A skinned triangle over two joints, with a morph target and a clip that moves its weight.
inline TinyGltf skinnedGltf() {
  TinyGltf gltf;
  gltf.addFloats({0, 0, 0, 1, 0, 0, 0, 1, 0}, "VEC3");
  gltf.addAccessor(gltf.addView(rawBytes<std::uint8_t>({0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0})), 3,
                   5121, "VEC4");
  gltf.addFloats({1, 0, 0, 0, 1, 0, 0, 0, 0.5f, 0.5f, 0, 0}, "VEC4");
  gltf.addAccessor(gltf.addView(rawBytes<std::uint16_t>({0, 1, 2})), 3, 5123, "SCALAR");
  gltf.addFloats({0, 0, 1, 0, 0, 1, 0, 0, 1}, "VEC3");
  gltf.addFloats({0.0f, 0.5f, 2.0f}, "SCALAR");
  gltf.addFloats({0.0f, 1.0f, 0.25f}, "SCALAR");
  gltf.addFloats({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,  0, 1,
                  1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -2, 0, 1},
                 "MAT4");
  gltf.members =
      ",\"nodes\":[{\"name\":\"A\",\"children\":[1]},{\"name\":\"B\",\"translation\":[0,2,0]},"
      "{\"name\":\"Body\",\"mesh\":0,\"skin\":0}],\"skins\":[{\"joints\":[0,1],"
      "\"inverseBindMatrices\":7}],\"meshes\":[{\"name\":\"Body\",\"weights\":[0.5],"
      "\"primitives\":[{\"attributes\":{\"POSITION\":0,\"JOINTS_0\":1,\"WEIGHTS_0\":2},"
      "\"indices\":3,\"targets\":[{\"POSITION\":4}]}]}],\"animations\":[{\"samplers\":["
      "{\"input\":5,\"output\":6}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":2,"
      "\"path\":\"weights\"}}]}]";
  return gltf;
}

/// The document of those bytes; fails the program where they do not parse.
inline std::shared_ptr<const io::gltf::Document> documentOf(Bytes bytes) {
  return io::gltf::parseDocument(std::move(bytes), "no-such-folder", {}).value();
}

}  // namespace clipmill::test
