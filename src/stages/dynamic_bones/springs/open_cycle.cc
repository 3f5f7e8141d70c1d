// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/open_cycle.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "anim/pose.h"
#include "core/math.h"
#include "core/to_size.h"
#include "stages/dynamic_bones/rig/rig_pose.h"
#include "stages/dynamic_bones/springs/frame_cubic.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Of a frame; key times are stored as floats.
constexpr double kWholeFrame = 1e-3;

// The poses about a missing step: one frame of the clip as authored lies between two of them.
struct MissingStep {
  Pose before, last, next, after;
};

void poseInStep(const MissingStep& step, double f, PoseView pose) {
  for (std::size_t i = 0; i < pose.locals.size(); ++i) {
    const Transform &a = step.before.locals[i], &b = step.last.locals[i];
    const Transform &c = step.next.locals[i], &d = step.after.locals[i];
    pose.locals[i] = {frameCubic(a.translation, b.translation, c.translation, d.translation, f),
                      frameCubic(a.rotation, b.rotation, c.rotation, d.rotation, f),
                      frameCubic(a.scale, b.scale, c.scale, d.scale, f)};
  }
  for (std::size_t i = 0; i < pose.weights.size(); ++i) {
    pose.weights[i] = step.last.weights[i] + (step.next.weights[i] - step.last.weights[i]) * f;
  }
}

// A clip with a step behind its end.
class ContinuedSource : public PoseSource {
 public:
  ContinuedSource(std::shared_ptr<const PoseSource> source, double end_s, double step_s,
                  MissingStep step)
      : source_(std::move(source)), end_s_(end_s), step_s_(step_s), step_(std::move(step)) {}

  std::unique_ptr<PoseCursor> cursor() const override {
    class Cursor : public PoseCursor {
     public:
      explicit Cursor(const ContinuedSource& owner)
          : owner_(owner), cursor_(owner.source_->cursor()) {}
      void sample(double time_s, PoseView pose) override {
        if (time_s <= owner_.end_s_) return cursor_->sample(time_s, pose);
        poseInStep(owner_.step_, std::min(1.0, (time_s - owner_.end_s_) / owner_.step_s_), pose);
      }

     private:
      const ContinuedSource& owner_;
      std::unique_ptr<PoseCursor> cursor_;
    };
    return std::make_unique<Cursor>(*this);
  }

 private:
  std::shared_ptr<const PoseSource> source_;
  double end_s_, step_s_;
  MissingStep step_;
};

Pose poseOfFrame(const Motion& motion, std::size_t frame) {
  Pose pose;
  const auto locals = motion.localsOf(frame);
  const auto weights = motion.weightsOf(frame);
  pose.locals.assign(locals.begin(), locals.end());
  pose.weights.assign(weights.begin(), weights.end());
  return pose;
}

// Moves a root by the inverse of `back`, a map of metric world space.
void moveRoot(const Scene& scene, int root, const Carry& back, Pose& pose) {
  std::vector<Affine> worlds;
  computeWorlds(scene.skeleton, pose.locals, scene.metric_from_file, worlds);
  const int parent = scene.skeleton.nodes[toSize(root)].parent;
  const Affine above = parent < 0 ? scene.metric_from_file : worlds[toSize(parent)];
  const Quat forth = glm::conjugate(back.rotation);
  Transform& local = pose.locals[toSize(root)];
  const Vec3 moved = back.from + forth * (transformPoint(above, local.translation) - back.to);
  const Quat axes = rotationOf(above);
  local.translation = transformPoint(inverse(above), moved);
  local.rotation = normalizedOrIdentity(glm::conjugate(axes) * forth * axes *
                                        normalizedOrIdentity(local.rotation));
}

// Frames of `motion` in one frame of the clip as authored; 0 where that is no whole number.
std::size_t framesPerStep(const Scene& scene, const Motion& motion) {
  const TimeGrid& grid = motion.grid;
  const double frames = grid.fps / authoredRateOf(scene, motion);
  const double intervals = (grid.end_s - grid.start_s) * grid.fps;
  const auto isWhole = [](double x) { return std::abs(x - std::round(x)) < kWholeFrame; };
  const bool fits = frames > 0.5 && isWhole(frames) && isWhole(intervals);
  return fits ? toSize(std::round(frames)) : 0;
}

}  // namespace

std::optional<Motion> withMissingStep(const CycleDecision& decision, const Scene& scene,
                                      const Motion& clip) {
  const std::size_t added = framesPerStep(scene, clip);
  if (added == 0 || decision.root < 0) return std::nullopt;
  const std::size_t last = clip.grid.frame_count - 1;
  if (last < added) return std::nullopt;
  MissingStep step = {poseOfFrame(clip, last - added), poseOfFrame(clip, last),
                      poseOfFrame(clip, 0), poseOfFrame(clip, added)};
  moveRoot(scene, decision.root, decision.back, step.next);
  moveRoot(scene, decision.root, decision.back, step.after);
  Motion motion = copyOf(clip);
  const double step_s = static_cast<double>(added) / clip.grid.fps;
  motion.grid.end_s += step_s;
  motion.grid.frame_count += added;
  motion.locals.resize(motion.grid.frame_count * motion.node_count);
  motion.weights.resize(motion.grid.frame_count * motion.weight_count);
  for (std::size_t i = 1; i <= added; ++i) {
    const double fraction = static_cast<double>(i) / static_cast<double>(added);
    poseInStep(step, fraction, motion.frame(last + i));
  }
  if (clip.source) {
    motion.source =
        std::make_shared<ContinuedSource>(clip.source, clip.grid.end_s, step_s, std::move(step));
  }
  return motion;
}

void removeMissingStep(const Motion& clip, Motion& motion) {
  motion.grid = clip.grid;
  motion.source = clip.source;
  motion.locals.resize(motion.grid.frame_count * motion.node_count);
  motion.weights.resize(motion.grid.frame_count * motion.weight_count);
}

}  // namespace clipmill::stages::dynamic_bones
