// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/spring.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/to_size.h"
#include "stages/dynamic_bones/skin/rest_approach.h"
#include "stages/dynamic_bones/skin/skin_measures.h"
#include "stages/dynamic_bones/springs/clip_cycle.h"
#include "stages/dynamic_bones/springs/cycle.h"
#include "stages/dynamic_bones/springs/cycle_trace.h"
#include "stages/dynamic_bones/springs/frame_writer.h"
#include "stages/dynamic_bones/springs/grid_history.h"
#include "stages/dynamic_bones/springs/smooth_cursor.h"
#include "stages/dynamic_bones/springs/spring_solver.h"
#include "stages/dynamic_bones/springs/step_grid.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// All nodes whose transforms the simulation reads.
std::vector<std::size_t> nodesOfRig(const Rig& rig) {
  std::vector<std::size_t> nodes;
  for (const Slot& slot : rig.slots) nodes.push_back(toSize(slot.node));
  for (const Bone& bone : rig.bones) {
    for (int node : bone.path) nodes.push_back(toSize(node));
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

bool avoidsSkin(const DynamicBonesSettings& settings) {
  return settings.colliders == ColliderSource::kSkin;
}

// Nodes whose transforms the simulation writes.
std::vector<std::size_t> writtenNodes(const Rig& rig, const DynamicBonesSettings& settings) {
  std::vector<std::size_t> nodes;
  for (const Joint& joint : rig.joints) nodes.push_back(toSize(rig.slots[toSize(joint.slot)].node));
  for (const Bone& bone : rig.bones) {
    if (stretches(bone, settings)) nodes.push_back(toSize(bone.tail_node));
  }
  return nodes;
}

// Runs a clip through the solver, from start to end, once or several times.
class ClipRun {
 public:
  ClipRun(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
          const Motion& clip, double step_s, double loop_s, Motion& out)
      : rig_(rig),
        settings_(settings),
        skeleton_(scene.skeleton),
        clip_(clip),
        step_s_(step_s),
        grid_(clip.grid, step_s),
        jumps_(findJumps(rig, settings, scene.skeleton, scene.metric_from_file, clip,
                         authoredRate(scene, clip))),
        cursor_(scene.skeleton, clip, nodesOfRig(rig), authoredRate(scene, clip),
                [this](double start_s, double end_s) { return jumps_.isIn(start_s, end_s); }),
        solver_(rig, settings, scene, step_s, loop_s),
        writer_(rig, settings, scene, clip, out),
        history_(rig.bones.size(), rig.joints.size()) {
    markStates();
  }

  // The clip's own velocity at its start: the central difference that the step uses as velocity,
  // (p1 - p-1) / 2h, where the cubic through the first four grid times extrapolates to the time
  // before.
  void addClipVelocity() {
    constexpr double kWeights[] = {-4.0, 7.0, -4.0, 1.0};
    const double start_s = clip_.grid.start_s;
    const double apart_s = std::min(step_s_, (clip_.grid.end_s - start_s) / 3.0);
    for (std::size_t i = 0; i < std::size(kWeights); ++i) {
      const double time_s = start_s + static_cast<double>(i) * apart_s;
      solver_.addToVelocity(cursor_.at(time_s).locals, kWeights[i] * 0.5 / apart_s);
    }
  }

  // Lets the chains settle in the first pose; then they take over the clip's velocity, as if the
  // character had moved at it all the time. Chains that avoid the skin come from the rest pose.
  void preroll() {
    constexpr double kApproach_s = 0.75;
    const double start_s = clip_.grid.start_s;
    const std::size_t steps = stepsIn(settings_.preroll_s);
    if (avoidsSkin(settings_)) {
      approach(start_s - settings_.preroll_s, stepsIn(kApproach_s));
    } else {
      solver_.start(cursor_.at(start_s).locals, start_s - static_cast<double>(steps) * step_s_);
    }
    for (std::size_t i = steps; i-- > 0;) {
      solver_.step(cursor_.at(start_s).locals, start_s - static_cast<double>(i) * step_s_, 1.0,
                   nullptr);
    }
    addClipVelocity();
    solver_.startMoving();
  }

  void start() {
    solver_.start(cursor_.at(clip_.grid.start_s).locals, clip_.grid.start_s);
    addClipVelocity();
  }

  // After start().
  void continueFrom(const PriorEnds& prior) {
    solver_.continueFrom(cursor_.at(clip_.grid.start_s).locals, prior.ends, prior.ends_before);
  }

  // From start to end; writes all frames, the first one only where `with_first` is set.
  void run(bool with_first) {
    run(
        with_first, [](std::size_t) {}, [](std::size_t, auto) {});
  }

  // A cycle that keeps the ends of all bones in `trace`.
  void runTraced(CycleTrace& trace) {
    run(
        true, [](std::size_t) {},
        [&](std::size_t frame, const auto& endOf) {
          const std::span<Vec3> ends = trace.frame(frame);
          for (std::size_t b = 0; b < ends.size(); ++b) ends[b] = endOf(b);
        });
  }

  // A cycle that is led into the one before it, and ends as that one does, where it started.
  void runPulled(const CycleTrace& trace) {
    std::vector<Vec3> ends(rig_.bones.size());
    const double start_s = clip_.grid.start_s, length_s = clip_.grid.end_s - start_s;
    const auto partAt = [&](std::size_t at) { return (grid_.timeOf(at) - start_s) / length_s; };
    run(
        true,
        [&](std::size_t reached) {
          trace.readAt(grid_.timeOf(reached), ends);
          solver_.pullTo(ends, pullShare(partAt(reached - 1), partAt(reached)));
        },
        [](std::size_t, auto) {});
  }

  SpringSolver& solver() { return solver_; }
  SimulationCounts counts() const {
    SimulationCounts counts = solver_.counts();
    counts.teleports = jumps_.count();
    return counts;
  }

 private:
  // `prepare` is called with the index of each step's end before the step, `take` with each frame
  // and a function that gives the end of a bone in it.
  template <class Prepare, class Take>
  void run(bool with_first, const Prepare& prepare, const Take& take) {
    history_.clear();
    record(0);
    std::size_t frame = with_first ? 0 : 1;
    for (std::size_t reached = 1; reached <= grid_.stepCount(); ++reached) {
      const double time_s = grid_.timeOf(reached);
      prepare(reached);
      solver_.step(cursor_.at(time_s).locals, time_s, grid_.ratioOf(reached), &jumps_);
      record(reached);
      // A cubic between two grid times needs the one after them, which the last step does not have.
      const bool is_last = reached == grid_.stepCount();
      for (; frame < clip_.grid.frame_count; ++frame) {
        const auto [at, fraction] = grid_.locate(clip_.grid.timeOf(frame));
        const std::size_t needed = fraction <= 0.0 ? at : at + 2;
        if (!is_last && needed > reached) break;
        writer_.write(frame, history_, at, fraction);
        take(frame, [this, start = at, part = fraction](std::size_t bone) {
          return endOf(bone, start, part);
        });
      }
    }
  }

  // The end of a bone at `fraction` of the time from grid time `at` to the next.
  Vec3 endOf(std::size_t bone, std::size_t at, double fraction) const {
    if (fraction > 0.0 && fraction < 1.0) return history_.position(bone, at, fraction);
    return history_.at(fraction <= 0.0 ? at : at + 1).positions[bone];
  }

  std::size_t stepsIn(double duration_s) const { return toSize(std::ceil(duration_s / step_s_)); }

  // Moves from the rest pose to the first one, and ends at that time.
  void approach(double end_s, std::size_t steps) {
    RestApproach poses(skeleton_, rig_, cursor_.at(clip_.grid.start_s).locals);
    const auto timeOf = [&](std::size_t i) {
      return end_s - static_cast<double>(steps - i) * step_s_;
    };
    solver_.start(poses.at(0.0), timeOf(0));
    for (std::size_t i = 1; i <= steps; ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(steps);
      solver_.step(poses.at(share), timeOf(i), 1.0, nullptr);
    }
  }

  static double authoredRate(const Scene& scene, const Motion& clip) {
    const std::size_t i = toSize(clip.clip_index);
    return i < scene.clips.size() ? scene.clips[i].fps : clip.grid.fps;
  }

  // Marks the grid times whose states are needed for frames.
  void markStates() {
    is_read_.assign(grid_.stepCount() + 3, false);
    for (std::size_t frame = 0; frame < clip_.grid.frame_count; ++frame) {
      const auto [at, fraction] = grid_.locate(clip_.grid.timeOf(frame));
      const std::size_t first = fraction <= 0.0 || at == 0 ? at : at - 1;
      const std::size_t last = fraction <= 0.0 ? at : at + 2;
      for (std::size_t i = first; i <= last; ++i) is_read_[i] = true;
    }
  }

  void record(std::size_t at) {
    GridSample& sample = history_.append(grid_.timeOf(at));
    if (!is_read_[at]) return;
    solver_.readEnds(sample.positions);
    solver_.readSwings(sample.swings);
    if (writer_.hasStretches()) solver_.readStretches(sample.stretches);
  }

  const Rig& rig_;
  const DynamicBonesSettings& settings_;
  const Skeleton& skeleton_;
  const Motion& clip_;
  const double step_s_;
  const StepGrid grid_;
  const JumpTable jumps_;
  SmoothCursor cursor_;
  SpringSolver solver_;
  FrameWriter writer_;
  GridHistory history_;
  std::vector<bool> is_read_;
};

// Whether the first frame is simulated too, and not the clip's own.
bool changesFirstFrame(const Rig& rig, const DynamicBonesSettings& settings) {
  return settings.preroll_s > 0.0 || !rig.colliders.empty() || avoidsSkin(settings) ||
         std::any_of(settings.chain.begin(), settings.chain.end(), [](const ChainSettings& chain) {
           return chain.target_pose != TargetPose::kAnim || chain.twist != TwistPolicy::kAnim ||
                  chain.limit != LimitShape::kNone;
         });
}

// Leads a cycle into the one before it. Chains that lean on the body can be on another side of a
// leg than a cycle ago, and are led through it: then further cycles are tried, and that with the
// least depth of skin in the body stays in `out`. Returns the number of simulated cycles.
int runPulledCycles(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
                    const Carry& back, CycleTrace& trace, ClipRun& run, Motion& out) {
  constexpr int kMaxTries = 3;
  constexpr double kShallow_m = 0.005;
  std::optional<Motion> best;
  double best_depth_m = 0.0;
  int cycles = 0;
  for (int i = 0; i < kMaxTries; ++i) {
    if (i > 0) {
      run.solver().carry(back);
      run.runTraced(trace);
      ++cycles;
    }
    run.solver().carry(back);
    run.runPulled(trace);
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
SimulationCounts runCycles(const Rig& rig, const DynamicBonesSettings& settings, const Scene& scene,
                           const Motion& clip, const Carry& back, ClipRun& run, Motion& out) {
  CycleChoice choice(rig, settings, clip);
  CycleTrace trace(clip.grid, rig.bones.size());
  run.runTraced(trace);
  while (choice.needsAnother(out)) {
    run.solver().carry(back);
    run.runTraced(trace);
  }
  int pulled = 0;
  if (choice.needsPulled()) pulled = runPulledCycles(rig, settings, scene, back, trace, run, out);
  choice.write(out);
  SimulationCounts counts = run.counts();
  counts.cycles = choice.cycles() + pulled;
  counts.predicted_cycles = predictCycles(run.solver().slowestDecay_per_s(), settings,
                                          clip.grid.end_s - clip.grid.start_s);
  counts.seam_deg = choice.seam_deg();
  counts.seam_degps = choice.seam_degps();
  return counts;
}

}  // namespace

SimulationCounts simulateSpring(const Rig& rig, const DynamicBonesSettings& settings,
                                const Scene& scene, const Motion& given, const PriorEnds& prior,
                                double step_s, Motion& out) {
  // A clip that continues another one is no cycle.
  const std::optional<Carry> back =
      prior.ends.empty() ? findCycle(rig, settings, scene, given) : std::nullopt;
  const bool is_read_again =
      &given == &out && (back || readsFrames(given, writtenNodes(rig, settings)));
  const Motion copy = is_read_again ? copyOf(given) : Motion();
  const Motion& clip = is_read_again ? copy : given;
  const double loop_s = back ? clip.grid.end_s - clip.grid.start_s : 0.0;
  ClipRun run(rig, settings, scene, clip, step_s, loop_s, out);
  if ((settings.preroll_s > 0.0 || avoidsSkin(settings)) && prior.ends.empty()) {
    run.preroll();
  } else {
    run.start();
  }
  if (!prior.ends.empty()) run.continueFrom(prior);
  if (back) return runCycles(rig, settings, scene, clip, *back, run, out);
  run.run(changesFirstFrame(rig, settings) || !prior.ends.empty());
  return run.counts();
}

}  // namespace clipmill::stages::dynamic_bones
