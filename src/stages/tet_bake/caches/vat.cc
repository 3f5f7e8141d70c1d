// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/caches/vat.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/text.h"
#include "core/to_size.h"
#include "mesh/triangle_bvh.h"
#include "stages/tet_bake/caches/caches.h"
#include "stages/tet_bake/caches/half_exr.h"

namespace clipmill::stages::tet_bake {
namespace {

// What every device that has shaders for them reads.
constexpr std::size_t kMaxWidth = 4096;
// What desktop devices read.
constexpr std::size_t kMaxHeight = 16384;
constexpr std::size_t kChannels = 4;

// Where vertices and frames are in a texture.
struct Layout {
  std::size_t width = 1, rows_per_frame = 1, height = 1;

  std::size_t texelOf(std::size_t vertex, std::size_t frame) const {
    return frame * rows_per_frame * width + vertex;
  }
};

Layout layoutOf(std::size_t vertices, std::size_t frames) {
  Layout layout;
  layout.rows_per_frame = std::max<std::size_t>(1, (vertices + kMaxWidth - 1) / kMaxWidth);
  layout.width =
      std::max<std::size_t>(1, (vertices + layout.rows_per_frame - 1) / layout.rows_per_frame);
  layout.height = frames * layout.rows_per_frame;
  return layout;
}

// The vertices of a node's meshes as the meshes have them.
std::vector<Vec3> meshPositions(const Scene& scene, int node) {
  std::vector<Vec3> positions;
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (mesh.node != node) continue;
    positions.insert(positions.end(), mesh.positions.begin(), mesh.positions.end());
  }
  return positions;
}

// A texture of one vector a vertex and frame.
class Texture {
 public:
  explicit Texture(const Layout& layout)
      : layout_(layout), rgba_(kChannels * layout.width * layout.height, 0) {}

  // What the texel will be read as.
  Vec3 set(std::size_t vertex, std::size_t frame, const Vec3& value) {
    std::uint16_t* texel = &rgba_[kChannels * layout_.texelOf(vertex, frame)];
    Vec3 stored(0.0);
    for (int c = 0; c < 3; ++c) {
      texel[c] = halfOf(static_cast<float>(value[c]));
      stored[c] = static_cast<double>(floatOfHalf(texel[c]));
    }
    texel[3] = halfOf(1.0f);
    bounds_.add(stored);
    return stored;
  }

  const Box& bounds() const { return bounds_; }
  Bytes exr() const { return exrOf(layout_.width, layout_.height, rgba_); }

 private:
  Layout layout_;
  std::vector<std::uint16_t> rgba_;
  Box bounds_;
};

std::string vectorText(const Vec3& v) {
  return "[" + numberText(v.x) + ", " + numberText(v.y) + ", " + numberText(v.z) + "]";
}

std::string primitivesText(const Scene& scene, int node) {
  std::string text;
  std::size_t first = 0;
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (mesh.node != node) continue;
    text += std::string(text.empty() ? "" : ",") + "\n    {\"mesh\": " + jsonString(mesh.name) +
            ", \"primitive\": " + std::to_string(mesh.primitive) +
            ", \"first_vertex\": " + std::to_string(first) +
            ", \"vertices\": " + std::to_string(mesh.vertexCount()) + "}";
    first += mesh.vertexCount();
  }
  return "[" + text + "\n  ]";
}

// The textures of one node.
class NodeVat {
 public:
  NodeVat(const Scene& scene, const Motion& motion, int node, const PointCache& cache)
      : scene_(scene),
        motion_(motion),
        node_(node),
        vertices_(cache.vertex_count),
        frames_(cache.times_s.size()),
        layout_(layoutOf(vertices_, frames_)),
        offsets_(layout_),
        normals_(layout_) {
    const std::vector<Vec3> rest = meshPositions(scene, node);
    const double metres = glm::length(scene.metric_from_file.linear[0]);
    const auto at = [](const std::vector<float>& numbers, std::size_t i) {
      return Vec3(numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]);
    };
    for (std::size_t f = 0; f < frames_; ++f) {
      for (std::size_t v = 0; v < vertices_; ++v) {
        const Vec3 position = at(cache.positions, f * vertices_ + v);
        const Vec3 read = rest[v] + offsets_.set(v, f, position - rest[v]);
        rounding_m_ = std::max(rounding_m_, metres * glm::distance(read, position));
        positions_.add(read);
        normals_.set(v, f, at(cache.normals, f * vertices_ + v));
      }
    }
  }

  double rounding_m() const { return rounding_m_; }

  void addFiles(std::vector<AddedFile>& files) const {
    const std::string suffix = clipSuffix(scene_, motion_, node_);
    files.push_back({suffix + ".positions.exr", offsets_.exr()});
    files.push_back({suffix + ".normals.exr", normals_.exr()});
    const std::string json = jsonText();
    const auto bytes = asBytes(json);
    files.push_back({suffix + ".vat.json", Bytes(bytes.begin(), bytes.end())});
  }

 private:
  std::string jsonText() const {
    const Affine& metric = scene_.metric_from_file;
    const Vec3 up = glm::inverse(metric.linear) * Vec3(0.0, 1.0, 0.0);
    const auto number = [](std::size_t value) { return std::to_string(value); };
    return "{\n  \"format\": \"clipmill-vat\",\n  \"version\": 1,\n  \"clip\": " +
           jsonString(motion_.clip_name) +
           ",\n  \"node\": " + jsonString(scene_.skeleton.nodes[toSize(node_)].name) +
           ",\n  \"fps\": " + numberText(motion_.grid.fps) + ",\n  \"frames\": " + number(frames_) +
           ",\n  \"seconds\": " + numberText(motion_.grid.end_s - motion_.grid.start_s) +
           ",\n  \"vertices\": " + number(vertices_) + ",\n  \"width\": " + number(layout_.width) +
           ",\n  \"height\": " + number(layout_.height) +
           ",\n  \"rows_per_frame\": " + number(layout_.rows_per_frame) +
           ",\n  \"texel\": \"x = vertex % width, y = frame * rows_per_frame + vertex / width, "
           "lines from the top\",\n  \"positions\": {\n    \"ends_in\": \".positions.exr\",\n    "
           "\"meaning\": \"offset from the vertex in its mesh to its position in the world of the "
           "file\",\n    \"min\": " +
           vectorText(offsets_.bounds().low) +
           ",\n    \"max\": " + vectorText(offsets_.bounds().high) +
           "\n  },\n  \"normals\": {\n    \"ends_in\": \".normals.exr\",\n    \"meaning\": \"unit "
           "normal in the world of the file\"\n  },\n  \"bounds\": {\"min\": " +
           vectorText(positions_.low) + ", \"max\": " + vectorText(positions_.high) +
           "},\n  \"metres_per_unit\": " + numberText(glm::length(metric.linear[0])) +
           ",\n  \"up\": " + vectorText(up / glm::length(up)) +
           ",\n  \"primitives\": " + primitivesText(scene_, node_) + "\n}\n";
  }

  const Scene& scene_;
  const Motion& motion_;
  int node_;
  std::size_t vertices_, frames_;
  Layout layout_;
  Texture offsets_, normals_;
  Box positions_;
  double rounding_m_ = 0.0;
};

}  // namespace

Result<VatClip> vatClip(const Scene& scene, const BakeRig& rig, const Motion& motion,
                        const Baked& baked, std::size_t index) {
  VatClip clip;
  for (const int node : skinnedNodes(scene, rig)) {
    const Layout layout = layoutOf(meshPositions(scene, node).size(), motion.grid.frame_count);
    if (layout.height > kMaxHeight) {
      return Error{ErrorCode::kLimit, "clip " + motion.clip_name,
                   "would be a texture of " + std::to_string(layout.height) + " lines, more than " +
                       std::to_string(kMaxHeight),
                   "give a lower --fps, or shorter clips"};
    }
    const NodeVat vat(scene, motion, node, cacheNode(scene, rig, motion, baked, index, node, true));
    vat.addFiles(clip.files);
    clip.rounding_m = std::max(clip.rounding_m, vat.rounding_m());
  }
  return clip;
}

}  // namespace clipmill::stages::tet_bake
