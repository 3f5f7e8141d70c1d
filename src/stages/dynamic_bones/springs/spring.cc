// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/spring.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "core/parallel.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/rig/rig_split.h"
#include "stages/dynamic_bones/skin/skin_measures.h"
#include "stages/dynamic_bones/springs/clip_cycle.h"
#include "stages/dynamic_bones/springs/clip_run.h"
#include "stages/dynamic_bones/springs/cycle.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Nodes whose transforms the simulation writes.
std::vector<std::size_t> writtenNodes(const Rig& rig, const DynamicBonesSettings& settings) {
  std::vector<std::size_t> nodes;
  for (const Joint& joint : rig.joints) nodes.push_back(toSize(rig.slots[toSize(joint.slot)].node));
  for (const Bone& bone : rig.bones) {
    if (stretches(bone, settings)) nodes.push_back(toSize(bone.tail_node));
  }
  return nodes;
}

// Whether the first frame is simulated too, and not the clip's own.
bool changesFirstFrame(const Rig& rig, const DynamicBonesSettings& settings) {
  return settings.preroll_s > 0.0 || !rig.colliders.empty() || avoidsSkin(settings) ||
         std::any_of(settings.chain.begin(), settings.chain.end(), [](const ChainSettings& chain) {
           return chain.target_pose != TargetPose::kAnim || chain.twist != TwistPolicy::kAnim ||
                  chain.limit != LimitShape::kNone;
         });
}

// The runs of a clip: of a rig as a whole, or of parts of it side by side.
class ClipRuns {
 public:
  // `parts`: of `rig`; empty for the whole.
  ClipRuns(const Rig& rig, std::span<const Rig> parts, const ClipToRun& of, int threads,
           Motion& out)
      : threads_(threads) {
    if (parts.empty()) runs_.emplace_back(rig, of, out);
    for (const Rig& part : parts) runs_.emplace_back(part, of, out);
  }

  // Calls body(run) for every run, on as many threads.
  template <class Body>
  void each(const Body& body) {
    parallelFor(runs_.size(), 1, threads_, [&](std::size_t start, std::size_t end) {
      for (std::size_t i = start; i < end; ++i) body(runs_[i]);
    });
  }

  double slowestDecay_per_s() const {
    double slowest_per_s = std::numeric_limits<double>::infinity();
    for (const ClipRun& run : runs_) {
      slowest_per_s = std::min(slowest_per_s, run.solver().slowestDecay_per_s());
    }
    return slowest_per_s;
  }

  SimulationCounts counts() const {
    SimulationCounts counts;
    for (const ClipRun& run : runs_) counts.add(run.solver().counts());
    return counts;
  }

 private:
  const int threads_;
  std::deque<ClipRun> runs_;
};

void runCycle(const Carry* back, ClipRuns& runs) {
  runs.each([&](ClipRun& run) {
    if (back) run.solver().carry(*back);
    run.runTraced();
  });
}

void runPulledCycle(const Carry& back, ClipRuns& runs) {
  runs.each([&](ClipRun& run) {
    run.solver().carry(back);
    run.runPulled();
  });
}

// Leads a cycle into the one before it. Chains that lean on the body can be on another side of a
// leg than a cycle ago, and are led through it: then further cycles are tried, and that with the
// least depth of skin in the body stays in `out`. Returns the number of simulated cycles.
int runPulledCycles(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
                    const Carry& back, ClipRuns& runs, Motion& out) {
  constexpr int kMaxTries = 3;
  constexpr double kShallow_m = 0.005;
  std::optional<Motion> best;
  double best_depth_m = 0.0;
  int cycles = 0;
  for (int i = 0; i < kMaxTries; ++i) {
    if (i > 0) {
      runCycle(&back, runs);
      ++cycles;
    }
    runPulledCycle(back, runs);
    ++cycles;
    if (!rig.skin || !avoidsSkin(settings)) return cycles;
    const double depth_m = measureSkin(*rig.skin, scene, out).movable.depth_m;
    const bool is_best = !best || depth_m < best_depth_m;
    if (is_best && depth_m <= kShallow_m) return cycles;
    if (!is_best) continue;
    best = copyOf(out);
    best_depth_m = depth_m;
  }
  for (std::size_t frame = 0; frame < out.grid.frame_count; ++frame) {
    const std::span<const Transform> locals = best->localsOf(frame);
    std::copy(locals.begin(), locals.end(), out.frame(frame).locals.begin());
  }
  return cycles;
}

// Simulates cycles until one is found that closes, or that comes nearest to it.
SimulationCounts runCycles(const Rig& rig, const ClipToRun& of, const Carry& back, ClipRuns& runs,
                           Motion& out) {
  CycleChoice choice(rig, of.settings, of.clip);
  runCycle(nullptr, runs);
  while (choice.needsAnother(out)) runCycle(&back, runs);
  int pulled = 0;
  if (choice.needsPulled()) {
    pulled = runPulledCycles(rig, of.settings, of.scene, back, runs, out);
  }
  choice.write(out);
  SimulationCounts counts = runs.counts();
  counts.cycles = choice.cycles() + pulled;
  counts.predicted_cycles = predictCycles(runs.slowestDecay_per_s(), of.settings, of.loop_s);
  counts.seam_deg = choice.seam_deg();
  counts.seam_degps = choice.seam_degps();
  return counts;
}

// Chains that meet the skin, or start where another clip ended, stay together.
std::vector<Rig> partsOf(const Rig& rig, const DynamicBonesSettings& settings,
                         const PriorEnds& prior, int threads) {
  if (avoidsSkin(settings) || !prior.ends.empty()) return {};
  return splitRig(rig, toSize(threadCount(threads)));
}

}  // namespace

SimulationCounts simulateSpring(const Rig& rig, const DynamicBonesSettings& settings,
                                const Scene& scene, const Motion& given, const PriorEnds& prior,
                                double step_s, Motion& out, int threads) {
  // A clip that continues another one is no cycle.
  const std::optional<Carry> back =
      prior.ends.empty() ? findCycle(rig, settings, scene, given) : std::nullopt;
  const bool is_read_again =
      &given == &out && (back || readsFrames(given, writtenNodes(rig, settings)));
  const Motion copy = is_read_again ? copyOf(given) : Motion();
  const Motion& clip = is_read_again ? copy : given;
  const JumpTable jumps(findJumps(rig, settings, scene.skeleton, scene.metric_from_file, clip,
                                  authoredRateOf(scene, clip)));
  const double loop_s = back ? clip.grid.end_s - clip.grid.start_s : 0.0;
  const ClipToRun of = {settings, scene, clip, jumps, step_s, loop_s};
  const std::vector<Rig> parts = partsOf(rig, settings, prior, threads);
  ClipRuns runs(rig, parts, of, threads, out);
  const bool has_preroll = (settings.preroll_s > 0.0 || avoidsSkin(settings)) && prior.ends.empty();
  runs.each([&](ClipRun& run) {
    if (has_preroll) {
      run.preroll();
    } else {
      run.start();
    }
    if (!prior.ends.empty()) run.continueFrom(prior);
  });
  SimulationCounts counts;
  if (back) {
    counts = runCycles(rig, of, *back, runs, out);
  } else {
    const bool with_first = changesFirstFrame(rig, settings) || !prior.ends.empty();
    runs.each([&](ClipRun& run) { run.run(with_first); });
    counts = runs.counts();
  }
  counts.teleports = jumps.count();
  return counts;
}

}  // namespace clipmill::stages::dynamic_bones
