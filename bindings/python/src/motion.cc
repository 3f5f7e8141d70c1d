// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "motion.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/numpy.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "anim/pose.h"
#include "arrays.h"
#include "asset.h"
#include "core/parallel.h"
#include "core/to_size.h"
#include "interruptible.h"
#include "pipeline/clip_choice.h"
#include "pipeline/written_keys.h"
#include "python_error.h"

namespace clipmill::python {
namespace {

namespace py = pybind11;

py::ssize_t sizeOf(std::size_t count) { return static_cast<py::ssize_t>(count); }

MotionHandle sample(const AssetHandle& self, std::size_t clip, double fps) {
  const Scene& scene = self.asset->scene;
  if (clip >= scene.clips.size()) throw py::index_error("the file has no such clip");
  MotionHandle handle{{self.asset, &scene}, nullptr};
  runInterruptible([&] {
    auto motions = valueOrThrow(
        pipeline::sampleClips(scene, {static_cast<int>(clip)}, fps, 1, self.asset->limits));
    handle.motion = std::make_shared<Motion>(std::move(motions.front()));
  });
  return handle;
}

// A view of a member of the local transforms of all nodes at all frames.
py::array localsView(const py::object& self, double* (*member)(Transform&), py::ssize_t width) {
  Motion& motion = *self.cast<const MotionHandle&>().motion;
  static Transform none;
  Transform& first = motion.locals.empty() ? none : motion.locals.front();
  constexpr auto kStride = static_cast<py::ssize_t>(sizeof(Transform));
  return viewOf(member(first), {sizeOf(motion.grid.frame_count), sizeOf(motion.node_count), width},
                {kStride * sizeOf(motion.node_count), kStride, py::ssize_t{sizeof(double)}}, self,
                true);
}

py::array translations(const py::object& self) {
  return localsView(
      self, [](Transform& local) { return &local.translation.x; }, 3);
}

py::array rotations(const py::object& self) {
  return localsView(
      self, [](Transform& local) { return &local.rotation.x; }, 4);
}

py::array scales(const py::object& self) {
  return localsView(
      self, [](Transform& local) { return &local.scale.x; }, 3);
}

py::array weights(const py::object& self) {
  Motion& motion = *self.cast<const MotionHandle&>().motion;
  static double none = 0.0;
  constexpr py::ssize_t kStride = sizeof(double);
  return viewOf(motion.weights.empty() ? &none : motion.weights.data(),
                {sizeOf(motion.grid.frame_count), sizeOf(motion.weight_count)},
                {kStride * sizeOf(motion.weight_count), kStride}, self, true);
}

py::array times(const MotionHandle& self) {
  const std::vector<double> times_s = timesOf(self.motion->grid);
  return py::array_t<double>(sizeOf(times_s.size()), times_s.data());
}

py::array worlds(const MotionHandle& self, bool is_metric) {
  const Motion& motion = *self.motion;
  const std::size_t frames = motion.grid.frame_count, nodes = motion.node_count;
  py::array_t<double> matrices({sizeOf(frames), sizeOf(nodes), py::ssize_t{4}, py::ssize_t{4}});
  double* out = matrices.mutable_data();
  const Affine above = is_metric ? self.scene->metric_from_file : Affine();
  runInterruptible([&] {
    std::vector<Affine> of_frame;
    for (std::size_t i = 0; i < frames; ++i) {
      computeWorlds(self.scene->skeleton, motion.localsOf(i), above, of_frame);
      for (const Affine& world : of_frame) {
        writeMatrix(world, out);
        out += 16;
      }
    }
  });
  return matrices;
}

struct SaveResult {
  std::size_t tracks = 0, keys = 0;
};

io::ClipEdit editOf(const AssetHandle& self, const pipeline::OutputSettings& settings,
                    Motion motion, SaveResult& result) {
  const Scene& scene = self.asset->scene;
  auto source = valueOrThrow(
      pipeline::sampleClips(scene, {motion.clip_index}, motion.grid.fps, 1, self.asset->limits));
  markChanges(scene.skeleton, source.front(), motion);
  std::vector<pipeline::ClipReport> reports(1);
  auto edits = pipeline::keysToWrite(scene, settings, {}, {std::move(motion)}, 1, reports);
  result.tracks += edits.front().tracks.size();
  for (const Track& track : edits.front().tracks) result.keys += track.times_s->size();
  return std::move(edits.front());
}

py::tuple save(const AssetHandle& self, const std::filesystem::path& path,
               const std::vector<MotionHandle>& motions, bool every_frame, double tolerance_mm) {
  pipeline::OutputSettings settings;
  settings.keys = every_frame ? pipeline::KeysMode::kAll : pipeline::KeysMode::kReduced;
  settings.key_tolerance_mm = tolerance_mm;
  SaveResult result;
  std::vector<std::string> warnings;
  runInterruptible([&] {
    checkOrThrow(io::checkOutput(*self.asset, path));
    std::vector<io::ClipEdit> edits;
    for (const MotionHandle& handle : motions) {
      if (handle.scene.get() != &self.asset->scene) {
        throw PythonError({ErrorCode::kUsage, "", "a motion is of another file",
                           "save motions that this asset sampled"});
      }
      io::ClipEdit edit = editOf(self, settings, *handle.motion, result);
      if (!edit.tracks.empty()) edits.push_back(std::move(edit));
    }
    const Warnings found =
        valueOrThrow(io::save(*self.asset, edits, path, {every_frame, tolerance_mm, 0.0, 0}));
    for (const Warning& warning : found.all()) {
      warnings.push_back(warning.text + (warning.first.empty() ? "" : ": " + warning.first));
    }
  });
  return py::make_tuple(result.tracks, result.keys, warnings);
}

bool isFiniteMotion(const Motion& motion) {
  for (const Transform& local : motion.locals) {
    if (!isFinite(local.translation) || !isFinite(local.scale) ||
        !isFinite(Vec3(local.rotation.x, local.rotation.y, local.rotation.z)) ||
        local.rotation.w != local.rotation.w) {
      return false;
    }
  }
  for (const double weight : motion.weights) {
    if (!(weight - weight == 0.0)) return false;
  }
  return true;
}

}  // namespace

void markChanges(const Skeleton& skeleton, const Motion& source, Motion& motion) {
  if (!isFiniteMotion(motion)) {
    throw PythonError({ErrorCode::kUsage, motion.clip_name,
                       "an array of the motion has a value that is not finite", "mend the array"});
  }
  const bool is_same_grid = source.grid.frame_count == motion.grid.frame_count &&
                            source.node_count == motion.node_count &&
                            source.weight_count == motion.weight_count;
  if (!is_same_grid) {
    throw PythonError({ErrorCode::kInternal, motion.clip_name, "frames of a motion changed", ""});
  }
  for (std::size_t i = 0; i < motion.locals.size(); ++i) {
    const Transform before = source.locals[i], after = motion.locals[i];
    const int node = static_cast<int>(i % motion.node_count);
    if (before.translation != after.translation) motion.modified.set(node, TrackPath::kTranslation);
    if (before.rotation != after.rotation) {
      motion.locals[i].rotation = normalizedOrIdentity(after.rotation);
      motion.modified.set(node, TrackPath::kRotation);
    }
    if (before.scale != after.scale) motion.modified.set(node, TrackPath::kScale);
  }
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    const Node& node = skeleton.nodes[n];
    for (std::size_t i = 0; i < motion.grid.frame_count; ++i) {
      const auto at = static_cast<std::ptrdiff_t>(i * motion.weight_count) + node.weights_start;
      if (!std::equal(source.weights.begin() + at, source.weights.begin() + at + node.weights_count,
                      motion.weights.begin() + at)) {
        motion.modified.set(static_cast<int>(n), TrackPath::kWeights);
      }
    }
  }
}

void addMotions(py::module_& module) {
  py::class_<MotionHandle>(module, "Motion")
      .def_property_readonly("clip",
                             [](const MotionHandle& self) { return self.motion->clip_name; })
      .def_property_readonly("fps", [](const MotionHandle& self) { return self.motion->grid.fps; })
      .def_property_readonly("times", &times)
      .def_property_readonly("translations", &translations)
      .def_property_readonly("rotations", &rotations)
      .def_property_readonly("scales", &scales)
      .def_property_readonly("weights", &weights)
      .def_property_readonly("node_names",
                             [](const MotionHandle& self) {
                               std::vector<std::string> names;
                               for (const Node& node : self.scene->skeleton.nodes) {
                                 names.push_back(node.name);
                               }
                               return names;
                             })
      .def_property_readonly("parents",
                             [](const MotionHandle& self) {
                               std::vector<int> all;
                               for (const Node& node : self.scene->skeleton.nodes) {
                                 all.push_back(node.parent);
                               }
                               return py::array_t<int>(sizeOf(all.size()), all.data());
                             })
      .def("worlds", &worlds, py::arg("metric"));
  module.def("sample", &sample, py::arg("asset"), py::arg("clip"), py::arg("fps"));
  module.def("save", &save, py::arg("asset"), py::arg("path"), py::arg("motions"),
             py::arg("every_frame"), py::arg("tolerance_mm"));
}

}  // namespace clipmill::python
