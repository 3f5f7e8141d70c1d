// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "runs.h"

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include "interruptible.h"
#include "io/io.h"
#include "pipeline/check_report.h"
#include "pipeline/diff_report.h"
#include "pipeline/recipe_rules.h"
#include "pipeline/run.h"
#include "python_error.h"
#include "python_stage.h"

namespace clipmill::python {
namespace {

namespace py = pybind11;

// A stage in Python, and before which stage of the recipe's text it runs.
using StageAt = std::tuple<std::size_t, std::string, py::object>;

struct Run {
  std::filesystem::path input, output;
  pipeline::Recipe recipe;
  pipeline::RunOptions options;
  std::vector<std::shared_ptr<const stages::StageType>> own_stages;
};

// Positions count the stages of the text alone, and ascend.
void insertStages(const std::vector<StageAt>& stages, CancelRequest& request, Run& run) {
  std::size_t inserted = 0;
  for (const auto& [position, name, function] : stages) {
    run.own_stages.push_back(makePythonStage(name, function, request));
    const stages::StageType& type = *run.own_stages.back();
    const auto at = run.recipe.stages.begin() + static_cast<std::ptrdiff_t>(position + inserted);
    run.recipe.stages.insert(at, {&type, type.make_settings()});
    ++inserted;
  }
}

// Calls a function of Python; its first exception ends the run.
class Progress {
 public:
  Progress(py::object function, CancelRequest& request)
      : function_(std::move(function)), request_(request) {}

  void report(std::string_view step, std::size_t done, std::size_t total) {
    const py::gil_scoped_acquire locked;
    if (error_) return;
    try {
      function_(py::str(step.data(), step.size()), done, total);
    } catch (...) {
      error_ = std::current_exception();
      request_.raise();
    }
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  py::object function_;
  CancelRequest& request_;
  std::exception_ptr error_;
};

std::string run(const std::filesystem::path& input, const std::string& recipe,
                const std::vector<StageAt>& stages, const std::filesystem::path& output,
                const std::vector<std::string>& clips, int threads, bool dry_run,
                const py::object& progress) {
  Run work{input, output, {}, {}, {}};
  work.recipe = valueOrThrow(pipeline::recipeFor(
      valueOrThrow(pipeline::parseRecipe(recipe, "recipe")), input.filename().string()));
  CancelRequest request;
  insertStages(stages, request, work);
  work.options.clips = clips;
  work.options.threads = threads;
  work.options.dry_run = dry_run;
  Progress reporter(progress, request);
  if (!progress.is_none()) {
    work.options.progress = [&reporter](std::string_view step, std::size_t done,
                                        std::size_t total) { reporter.report(step, done, total); };
  }
  std::string report;
  try {
    runInterruptible(
        [&] {
          pipeline::RunReport result;
          checkOrThrow(
              pipeline::runFile(work.input, work.recipe, work.output, work.options, result));
          report = pipeline::reportJson(result);
        },
        request);
  } catch (const PythonError&) {
    reporter.rethrow();
    throw;
  }
  reporter.rethrow();
  return report;
}

std::string check(const std::filesystem::path& path, const std::vector<std::string>& clips) {
  std::string text;
  runInterruptible([&] {
    const io::Asset asset = valueOrThrow(io::load(path, {true, {}}));
    const auto chosen = valueOrThrow(pipeline::selectClips(asset.scene, clips));
    auto result = valueOrThrow(measure::checkClips(asset.scene, chosen, asset.limits));
    result.file = path.string();
    text = pipeline::checkJson(result,
                               measure::CheckLimits(measure::checkMeasures().size(), std::nullopt));
  });
  return text;
}

std::string diff(const std::filesystem::path& a, const std::filesystem::path& b, double fps) {
  std::string text;
  runInterruptible([&] {
    const io::Asset first = valueOrThrow(io::load(a, {})), second = valueOrThrow(io::load(b, {}));
    text = pipeline::diffJson(valueOrThrow(pipeline::diffFiles(first.scene, second.scene, fps)));
  });
  return text;
}

}  // namespace

void addRuns(py::module_& module) {
  module.def("run", &run, py::arg("input"), py::arg("recipe"), py::arg("stages"), py::arg("output"),
             py::arg("clips"), py::arg("threads"), py::arg("dry_run"), py::arg("progress"));
  module.def("check", &check, py::arg("path"), py::arg("clips"));
  module.def("diff", &diff, py::arg("a"), py::arg("b"), py::arg("fps"));
  module.def("schema", &pipeline::recipeSchema);
}

}  // namespace clipmill::python
