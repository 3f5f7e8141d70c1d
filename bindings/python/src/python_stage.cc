// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "python_stage.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include "motion.h"
#include "python_error.h"

namespace clipmill::python {
namespace {

namespace py = pybind11;

using MetricsOfClips = std::vector<std::map<std::string, double>>;

struct NoSettings {};

// Of the scene, what motions need; Python may keep them longer than the run keeps the scene.
std::shared_ptr<const Scene> sceneOfMotions(const Scene& scene) {
  auto copy = std::make_shared<Scene>();
  copy->skeleton = scene.skeleton;
  copy->metric_from_file = scene.metric_from_file;
  return copy;
}

// Destroyed with the lock of the interpreter only.
std::shared_ptr<py::object> shared(py::object object) {
  return {new py::object(std::move(object)), [](py::object* held) {
            const py::gil_scoped_acquire locked;
            delete held;
          }};
}

std::vector<MotionHandle> copiesOf(const stages::StageInput& input) {
  const std::shared_ptr<const Scene> scene = sceneOfMotions(input.scene);
  std::vector<MotionHandle> handles;
  for (std::size_t i = 0; i < input.motions.size(); ++i) {
    handles.push_back({scene, std::make_shared<Motion>(copyOf(input.motions[i]))});
  }
  return handles;
}

MetricsOfClips callFunction(const py::object& function, const std::vector<MotionHandle>& handles,
                            CancelRequest& request) {
  const py::gil_scoped_acquire locked;
  const CancelRequest::PythonCall interrupted_by(request);
  const py::object returned = function(py::cast(handles));
  if (returned.is_none()) return {};
  return returned.cast<MetricsOfClips>();
}

Result<stages::StageOutput> runStage(const std::string& name, const py::object& function,
                                     CancelRequest& request, const stages::StageInput& input) {
  const std::vector<MotionHandle> handles = copiesOf(input);
  const MetricsOfClips metrics = callFunction(function, handles, request);
  if (!metrics.empty() && metrics.size() != handles.size()) {
    return Error{ErrorCode::kRecipe, name, "returns metrics of another number of clips",
                 "return None, or one dictionary a clip"};
  }
  std::vector<stages::StageResult> results;
  for (std::size_t i = 0; i < handles.size(); ++i) {
    stages::StageResult result;
    result.motion = copyOf(*handles[i].motion);
    markChanges(input.scene.skeleton, input.motions[i], result.motion);
    if (!metrics.empty()) {
      for (const auto& [metric, value] : metrics[i]) {
        result.metrics.push_back({metric, std::nullopt, value});
      }
    }
    results.push_back(std::move(result));
  }
  return stages::StageOutput(std::move(results));
}

}  // namespace

std::shared_ptr<const stages::StageType> makePythonStage(const std::string& name,
                                                         py::object function,
                                                         CancelRequest& request) {
  static const SettingsTable no_settings;
  auto type = std::make_shared<stages::StageType>();
  type->name = name;
  type->summary = "a stage in Python";
  type->settings = &no_settings;
  type->make_settings = [] { return std::make_shared<NoSettings>(); };
  type->run = [name, held = shared(std::move(function)), &request](const stages::StageInput& input,
                                                                   const void*) {
    return runStage(name, *held, request, input);
  };
  return type;
}

}  // namespace clipmill::python
