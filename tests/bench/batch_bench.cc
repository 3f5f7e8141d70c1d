// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// What a batch costs beyond its work: small clips run one by one, as a cold batch on one and two
// threads, and ten thousand of them that did not change. The first two differ by what a batch costs
// each file.
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "batch/batch.h"
#include "core/file.h"
#include "core/portable_math.h"
#include "core/system.h"
#include "io/gltf/write.h"
#include "pipeline/run.h"

namespace {

using namespace clipmill;
using namespace clipmill::io::gltf;
using namespace clipmill::pipeline;
namespace fs = std::filesystem;

constexpr int kJoints = 5, kKeys = 31;
constexpr std::size_t kColdFiles = 400, kKnownFiles = 10000;

// A chain that is moved from side to side at its root.
Bytes clipBytes() {
  Scene scene;
  for (int i = 0; i < kJoints; ++i) {
    Node node;
    node.name = "Bone" + std::to_string(i);
    node.parent = i - 1;
    node.source_id = i;
    node.rest.translation = Vec3(0.0, i == 0 ? 1.0 : -0.1, 0.0);
    scene.skeleton.nodes.push_back(node);
  }
  auto times = std::make_shared<std::vector<double>>();
  Track track{0, TrackPath::kTranslation, Interpolation::kLinear, 3, times, {}};
  for (int k = 0; k < kKeys; ++k) {
    times->push_back(static_cast<float>(k / 30.0));
    const double x = static_cast<float>(0.2 * portable::sin(0.2 * k));
    track.values.insert(track.values.end(), {x, 1.0, 0.0});
  }
  const KeyframeClip clip{"Sway", {track}};
  return writeGlb(scene, std::vector<KeyframeClip>{clip}).value();
}

// Copies of the clip, and a folder for what is made of them.
class Files {
 public:
  explicit Files(std::size_t count)
      : folder_(fs::temp_directory_path() /
                ("clipmill_bench_" + std::to_string(system::processId()))) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "in");
    const Bytes bytes = clipBytes();
    std::vector<batch::BatchInput> inputs;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name = "clip" + std::to_string(i) + ".glb";
      if (!writeFileAtomically(folder_ / "in" / name, bytes)) std::abort();
      inputs.push_back({folder_ / "in" / name, name});
    }
    jobs_ = batch::planJobs(inputs, out(), batch::kDefaultOutputName).value();
  }
  ~Files() { fs::remove_all(folder_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  fs::path out() const { return folder_ / "out"; }
  const std::vector<batch::BatchJob>& jobs() const { return jobs_; }
  void forgetOutputs() const {
    fs::remove_all(out());
    fs::create_directories(out());
  }

 private:
  fs::path folder_;
  std::vector<batch::BatchJob> jobs_;
};

Recipe swingRecipe() {
  return parseRecipe("[[stage]]\ntype = \"dynamic-bones\"\n[[stage.chain]]\nroot = \"Bone0\"\n", "")
      .value();
}

void run(const Files& files, const batch::BatchOptions& options) {
  const auto results = batch::runBatch(files.jobs(), swingRecipe(), files.out(), options);
  for (const batch::JobResult& result : *results) {
    if (result.status != batch::JobStatus::kDone) std::abort();
  }
}

void filesOneByOne(benchmark::State& state) {
  const Files files(kColdFiles);
  const Recipe recipe = swingRecipe();
  for (auto _ : state) {
    state.PauseTiming();
    files.forgetOutputs();
    state.ResumeTiming();
    for (const batch::BatchJob& job : files.jobs()) {
      RunReport report;
      if (!runFile(job.input, recipe, job.output, {}, report)) std::abort();
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kColdFiles));
}
BENCHMARK(filesOneByOne)->Unit(benchmark::kMillisecond)->UseRealTime();

void batchCold(benchmark::State& state) {
  const Files files(kColdFiles);
  batch::BatchOptions options;
  options.jobs = static_cast<int>(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    files.forgetOutputs();
    state.ResumeTiming();
    run(files, options);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kColdFiles));
}
BENCHMARK(batchCold)->ArgName("jobs")->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond)->UseRealTime();

void batchUnchanged(benchmark::State& state) {
  const Files files(kKnownFiles);
  batch::BatchOptions options;
  run(files, options);
  for (auto _ : state) run(files, options);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kKnownFiles));
}
BENCHMARK(batchUnchanged)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
