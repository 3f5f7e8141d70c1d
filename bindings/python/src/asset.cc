// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "asset.h"

#include <cstddef>
#include <string>
#include <vector>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "anim/pose.h"
#include "arrays.h"
#include "core/to_size.h"
#include "interruptible.h"
#include "pipeline/info.h"
#include "python_error.h"

namespace clipmill::python {
namespace {

namespace py = pybind11;

// Of a clip; what it animates is sampled by Asset.sample().
struct ClipHandle {
  std::shared_ptr<const io::Asset> asset;
  std::size_t index = 0;
  const Clip& clip() const { return asset->scene.clips[index]; }
};

struct MeshHandle {
  std::shared_ptr<const io::Asset> asset;
  std::size_t index = 0;
  const SkinnedMesh& mesh() const { return asset->scene.meshes[index]; }
};

py::ssize_t sizeOf(std::size_t count) { return static_cast<py::ssize_t>(count); }

template <class T>
py::ssize_t strideOf() {
  return static_cast<py::ssize_t>(sizeof(T));
}

AssetHandle load(const std::filesystem::path& path, bool meshes) {
  AssetHandle handle;
  runInterruptible([&] {
    handle.asset = std::make_shared<const io::Asset>(valueOrThrow(io::load(path, {meshes, {}})));
  });
  return handle;
}

std::vector<std::string> nodeNames(const AssetHandle& self) {
  std::vector<std::string> names;
  for (const Node& node : self.asset->scene.skeleton.nodes) names.push_back(node.name);
  return names;
}

// A read-only view of a member of all nodes, `width` numbers of it each.
template <class T>
py::array nodesView(const py::object& self, const T* (*member)(const Node&), py::ssize_t width) {
  const auto& nodes = self.cast<const AssetHandle&>().asset->scene.skeleton.nodes;
  static const T none{};
  const T* first = nodes.empty() ? &none : member(nodes.front());
  std::vector<py::ssize_t> shape = {sizeOf(nodes.size())}, strides = {strideOf<Node>()};
  if (width > 1) {
    shape.push_back(width);
    strides.push_back(strideOf<T>());
  }
  return viewOf(first, shape, strides, self, false);
}

py::array parents(const py::object& self) {
  return nodesView<int>(
      self, [](const Node& node) -> const int* { return &node.parent; }, 1);
}

py::array restTranslations(const py::object& self) {
  return nodesView<double>(
      self, [](const Node& node) -> const double* { return &node.rest.translation.x; }, 3);
}

py::array restRotations(const py::object& self) {
  return nodesView<double>(
      self, [](const Node& node) -> const double* { return &node.rest.rotation.x; }, 4);
}

py::array restScales(const py::object& self) {
  return nodesView<double>(
      self, [](const Node& node) -> const double* { return &node.rest.scale.x; }, 3);
}

py::array restWorlds(const AssetHandle& self, bool is_metric) {
  const Scene& scene = self.asset->scene;
  std::vector<Transform> locals;
  for (const Node& node : scene.skeleton.nodes) locals.push_back(node.rest);
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, locals, is_metric ? scene.metric_from_file : Affine(), worlds);
  py::array_t<double> matrices({sizeOf(worlds.size()), py::ssize_t{4}, py::ssize_t{4}});
  for (std::size_t n = 0; n < worlds.size(); ++n) {
    writeMatrix(worlds[n], matrices.mutable_data() + 16 * n);
  }
  return matrices;
}

py::array metricFromFile(const AssetHandle& self) {
  py::array_t<double> matrix({4, 4});
  writeMatrix(self.asset->scene.metric_from_file, matrix.mutable_data());
  return matrix;
}

std::vector<ClipHandle> clips(const AssetHandle& self) {
  std::vector<ClipHandle> all;
  for (std::size_t i = 0; i < self.asset->scene.clips.size(); ++i) all.push_back({self.asset, i});
  return all;
}

std::vector<MeshHandle> meshes(const AssetHandle& self) {
  std::vector<MeshHandle> all;
  for (std::size_t i = 0; i < self.asset->scene.meshes.size(); ++i) all.push_back({self.asset, i});
  return all;
}

py::array vectorsView(const std::vector<Vec3>& vectors, const py::object& owner) {
  static const double none = 0.0;
  return viewOf(vectors.empty() ? &none : &vectors.front().x, {sizeOf(vectors.size()), 3},
                {strideOf<Vec3>(), strideOf<double>()}, owner, false);
}

py::array uvsView(const py::object& self) {
  const std::vector<Vec2>& uvs = self.cast<const MeshHandle&>().mesh().uvs;
  static const double none = 0.0;
  return viewOf(uvs.empty() ? &none : &uvs.front().x, {sizeOf(uvs.size()), 2},
                {strideOf<Vec2>(), strideOf<double>()}, self, false);
}

py::array trianglesView(const py::object& self) {
  const std::vector<std::uint32_t>& corners = self.cast<const MeshHandle&>().mesh().triangles;
  static const std::uint32_t none = 0;
  return viewOf(corners.empty() ? &none : corners.data(), {sizeOf(corners.size() / 3), 3},
                {3 * strideOf<std::uint32_t>(), strideOf<std::uint32_t>()}, self, false);
}

// (influence starts, joints, weights).
py::tuple influences(const py::object& self) {
  const SkinnedMesh& mesh = self.cast<const MeshHandle&>().mesh();
  static const Influence none;
  const Influence* first = mesh.influences.empty() ? &none : mesh.influences.data();
  const auto count = sizeOf(mesh.influences.size());
  static_assert(sizeof(std::size_t) == sizeof(std::uint64_t));
  static const std::uint64_t no_start = 0;
  const auto* starts = mesh.influence_start.empty()
                           ? &no_start
                           : reinterpret_cast<const std::uint64_t*>(mesh.influence_start.data());
  return py::make_tuple(viewOf(starts, {sizeOf(mesh.influence_start.size())},
                               {strideOf<std::uint64_t>()}, self, false),
                        viewOf(&first->joint, {count}, {strideOf<Influence>()}, self, false),
                        viewOf(&first->weight, {count}, {strideOf<Influence>()}, self, false));
}

py::object skinJoints(const MeshHandle& self) {
  const int skin = self.mesh().skin;
  if (skin < 0) return py::none();
  return py::cast(self.asset->scene.skins[toSize(skin)].joints);
}

py::object bindMatrices(const MeshHandle& self) {
  const int skin = self.mesh().skin;
  if (skin < 0) return py::none();
  const std::vector<Affine>& maps = self.asset->scene.skins[toSize(skin)].joint_from_bind;
  py::array_t<double> matrices({sizeOf(maps.size()), py::ssize_t{4}, py::ssize_t{4}});
  for (std::size_t j = 0; j < maps.size(); ++j) {
    writeMatrix(maps[j], matrices.mutable_data() + 16 * j);
  }
  return matrices;
}

py::dict morphs(const py::object& self) {
  py::dict named;
  std::size_t index = 0;
  for (const MorphTarget& morph : self.cast<const MeshHandle&>().mesh().morphs) {
    const std::string name = morph.name.empty() ? "#" + std::to_string(index) : morph.name;
    named[py::str(name)] = vectorsView(morph.position_deltas, self);
    ++index;
  }
  return named;
}

void addMeshes(py::module_& module) {
  py::class_<MeshHandle>(module, "Mesh")
      .def_property_readonly("name", [](const MeshHandle& self) { return self.mesh().name; })
      .def_property_readonly("node", [](const MeshHandle& self) { return self.mesh().node; })
      .def_property_readonly("positions",
                             [](const py::object& self) {
                               return vectorsView(self.cast<const MeshHandle&>().mesh().positions,
                                                  self);
                             })
      .def_property_readonly("normals",
                             [](const py::object& self) {
                               return vectorsView(self.cast<const MeshHandle&>().mesh().normals,
                                                  self);
                             })
      .def_property_readonly("uvs", &uvsView)
      .def_property_readonly("triangles", &trianglesView)
      .def_property_readonly("influences", &influences)
      .def_property_readonly("joints", &skinJoints)
      .def_property_readonly("joint_from_bind", &bindMatrices)
      .def_property_readonly("morphs", &morphs);
}

}  // namespace

void addAssets(py::module_& module) {
  py::class_<ClipHandle>(module, "Clip")
      .def_property_readonly("name", [](const ClipHandle& self) { return self.clip().name; })
      .def_readonly("index", &ClipHandle::index)
      .def_property_readonly("start_s", [](const ClipHandle& self) { return self.clip().start_s; })
      .def_property_readonly("end_s", [](const ClipHandle& self) { return self.clip().end_s; })
      .def_property_readonly("fps", [](const ClipHandle& self) { return self.clip().fps; });
  addMeshes(module);
  py::class_<AssetHandle>(module, "Asset")
      .def_property_readonly("path", [](const AssetHandle& self) { return self.asset->path; })
      .def_property_readonly(
          "format", [](const AssetHandle& self) { return self.asset->document->formatName(); })
      .def_property_readonly("node_names", &nodeNames)
      .def_property_readonly("parents", &parents)
      .def_property_readonly("rest_translations", &restTranslations)
      .def_property_readonly("rest_rotations", &restRotations)
      .def_property_readonly("rest_scales", &restScales)
      .def("rest_worlds", &restWorlds, py::arg("metric"))
      .def_property_readonly("metric_from_file", &metricFromFile)
      .def_property_readonly("clips", &clips)
      .def_property_readonly("meshes", &meshes)
      .def("info_json", [](const AssetHandle& self) { return pipeline::infoJson(*self.asset); });
  module.def("load", &load, py::arg("path"), py::arg("meshes"));
}

}  // namespace clipmill::python
