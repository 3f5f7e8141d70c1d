// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/caches/caches.h"

#include <bit>
#include <cstdint>
#include <map>
#include <set>

#include "core/file_names.h"
#include "core/to_size.h"
#include "mesh/skinning.h"
#include "stages/tet_bake/tets/embedding.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr std::uint32_t kPc2Version = 1;

// Appends numbers of 32 bits.
class CacheWriter {
 public:
  explicit CacheWriter(std::endian order) : order_(order) {}

  void integer(std::size_t value) { bits(static_cast<std::uint32_t>(value)); }
  void number(float value) { bits(std::bit_cast<std::uint32_t>(value)); }
  void text(std::string_view text) {
    for (const char c : text) bytes_.push_back(static_cast<std::byte>(c));
  }
  Bytes take() { return std::move(bytes_); }

 private:
  void bits(std::uint32_t value) {
    for (int i = 0; i < 4; ++i) {
      const int position = order_ == std::endian::little ? i : 3 - i;
      bytes_.push_back(static_cast<std::byte>(value >> (8 * position)));
    }
  }

  std::endian order_;
  Bytes bytes_;
};

// Unit normals of all points of the surface in one frame, metric world: with plain skinning, and
// solved.
struct SurfaceNormals {
  std::vector<Vec3> skinned, solved;
};

SurfaceNormals normalsAt(const Scene& scene, const BakeRig& rig, const Motion& motion,
                         std::size_t frame, const Baked& baked, std::size_t column) {
  std::vector<Vec3> positions(rig.surface.pointCount());
  skinSurface(rig.surface, worldsAt(scene, rig, motion, frame), positions);
  SurfaceNormals normals{positions, positions};
  pointNormals(positions, rig.surface.triangles, normals.skinned);
  for (std::size_t p = 0; p < positions.size(); ++p) positions[p] += baked.world.at(p, column);
  pointNormals(positions, rig.surface.triangles, normals.solved);
  return normals;
}

// Positions of the meshes of one node, frame by frame.
class NodeCache {
 public:
  NodeCache(const Scene& scene, const BakeRig& rig, int node, bool with_normals)
      : scene_(scene),
        rig_(rig),
        file_from_metric_(glm::inverse(scene.metric_from_file.linear)),
        metric_rotation_(rotationOf({scene.metric_from_file.linear, Vec3(0.0)})),
        with_normals_(with_normals) {
    for (const SurfacePart& part : rig.surface.parts) {
      if (scene.meshes[part.mesh].node == node) points_[part.mesh] = &part.point_of_vertex;
    }
    for (std::size_t m = 0; m < scene.meshes.size(); ++m) {
      if (scene.meshes[m].node == node) meshes_.push_back(m);
    }
    for (const std::size_t m : meshes_) cache_.vertex_count += scene.meshes[m].vertexCount();
  }

  void addFrame(const Motion& motion, std::size_t frame, const Baked& baked, std::size_t column) {
    std::vector<Affine> worlds;
    computeWorlds(scene_.skeleton, motion.localsOf(frame), {}, worlds);
    cache_.times_s.push_back(motion.grid.timeOf(frame) - motion.grid.start_s);
    if (with_normals_) normals_ = normalsAt(scene_, rig_, motion, frame, baked, column);
    for (const std::size_t m : meshes_) addMesh(motion, frame, worlds, m, baked, column);
  }

  PointCache take() { return std::move(cache_); }

 private:
  void addMesh(const Motion& motion, std::size_t frame, std::span<const Affine> worlds,
               std::size_t index, const Baked& baked, std::size_t column) {
    const SkinnedMesh& mesh = scene_.meshes[index];
    const Node& node = scene_.skeleton.nodes[toSize(mesh.node)];
    const auto weights =
        motion.weightsOf(frame).subspan(toSize(node.weights_start), toSize(node.weights_count));
    const Skin* skin = mesh.skin < 0 ? nullptr : &scene_.skins[toSize(mesh.skin)];
    PosedVertices posed;
    poseMesh(mesh, skin, worlds, weights, posed);
    const auto points = points_.find(index);
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
      Vec3 position = posed.positions[v];
      const std::uint32_t point = points == points_.end() ? kNoPoint : (*points->second)[v];
      if (point != kNoPoint) position += file_from_metric_ * baked.world.at(point, column);
      append(position, cache_.positions);
      if (!with_normals_) continue;
      append(normalOf(point, posed.normals.empty() ? Vec3(0.0) : posed.normals[v]), cache_.normals);
    }
  }

  // Rotated from skinning to the solved surface.
  Vec3 normalOf(std::uint32_t point, const Vec3& posed) const {
    if (point == kNoPoint) return posed;
    const Vec3 &skinned = normals_.skinned[point], &solved = normals_.solved[point];
    if (posed == Vec3(0.0)) return glm::conjugate(metric_rotation_) * solved;
    if (skinned == Vec3(0.0) || solved == Vec3(0.0)) return posed;
    return glm::conjugate(metric_rotation_) *
           (rotationBetween(skinned, solved) * (metric_rotation_ * posed));
  }

  static void append(const Vec3& v, std::vector<float>& numbers) {
    for (int c = 0; c < 3; ++c) numbers.push_back(static_cast<float>(v[c]));
  }

  const Scene& scene_;
  const BakeRig& rig_;
  Mat3 file_from_metric_;
  Quat metric_rotation_;
  bool with_normals_;
  std::map<std::size_t, const std::vector<std::uint32_t>*> points_;  // by mesh
  std::vector<std::size_t> meshes_;
  SurfaceNormals normals_;
  PointCache cache_;
};

}  // namespace

Bytes mddOf(const PointCache& cache) {
  CacheWriter writer(std::endian::big);
  writer.integer(cache.times_s.size());
  writer.integer(cache.vertex_count);
  for (const double time : cache.times_s) writer.number(static_cast<float>(time));
  for (const float number : cache.positions) writer.number(number);
  return writer.take();
}

Bytes pc2Of(const PointCache& cache) {
  CacheWriter writer(std::endian::little);
  writer.text(std::string_view("POINTCACHE2\0", 12));
  writer.integer(kPc2Version);
  writer.integer(cache.vertex_count);
  writer.number(0.0f);
  writer.number(1.0f);
  writer.integer(cache.times_s.size());
  for (const float number : cache.positions) writer.number(number);
  return writer.take();
}

std::vector<int> skinnedNodes(const Scene& scene, const BakeRig& rig) {
  std::set<int> nodes;
  for (const SurfacePart& part : rig.surface.parts) nodes.insert(scene.meshes[part.mesh].node);
  return {nodes.begin(), nodes.end()};
}

std::string clipSuffix(const Motion& motion) {
  return "_" + (motion.clip_name.empty() ? std::to_string(motion.clip_index)
                                         : fitForFileName(motion.clip_name));
}

std::string clipSuffix(const Scene& scene, const Motion& motion, int node) {
  return clipSuffix(motion) + "_" + fitForFileName(scene.skeleton.nodes[toSize(node)].name);
}

PointCache cacheNode(const Scene& scene, const BakeRig& rig, const Motion& motion,
                     const Baked& baked, std::size_t index, int node, bool with_normals) {
  NodeCache cache(scene, rig, node, with_normals);
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    cache.addFrame(motion, f, baked, baked.start[index] + f);
  }
  return cache.take();
}

std::vector<AddedFile> cacheClip(const Scene& scene, const BakeRig& rig, const Motion& motion,
                                 const Baked& baked, std::size_t index,
                                 Bytes (*format)(const PointCache&), const std::string& extension) {
  std::vector<AddedFile> files;
  for (const int node : skinnedNodes(scene, rig)) {
    files.push_back({clipSuffix(scene, motion, node) + extension,
                     format(cacheNode(scene, rig, motion, baked, index, node, false))});
  }
  return files;
}

}  // namespace clipmill::stages::tet_bake
