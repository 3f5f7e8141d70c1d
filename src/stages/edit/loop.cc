// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/edit/loop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "core/math.h"
#include "core/text.h"
#include "core/to_size.h"
#include "humanoid/humanoid.h"
#include "locomotion/ground.h"
#include "locomotion/ground_track.h"
#include "locomotion/root_joint.h"
#include "scene/resample.h"
#include "stages/edit/closed_trajectory.h"
#include "stages/edit/closing_bend.h"
#include "stages/edit/each_motion.h"

namespace clipmill::stages::edit {
namespace {

using edit::closingBends;
using edit::EndBends;

constexpr double kStillHeights = 0.005;  // below this, in heights, the root does not move
constexpr double kMillimetres = 1e3;

// Makes one clip a loop.
class ClipLoop {
 public:
  ClipLoop(const Scene& scene, const humanoid::HumanoidMap& humanoid, const Motion& motion,
           int root_joint, const LoopSettings& settings)
      : scene_(scene),
        humanoid_(humanoid),
        motion_(motion),
        root_joint_(root_joint),
        settings_(settings),
        path_(
            locomotion::GroundTrack(scene, motion, root_joint, locomotion::GroundHeading::kOfNode),
            motion, settings.window_s),
        moved_(movedTracks(scene, motion)) {}

  Status run() {
    result_.motion = copyOf(motion_);
    removePath([&](double time_s) { return path_.own(time_s); }, result_.motion);
    seam_before_ = seam(result_.motion);
    for (std::size_t node = 0; node < motion_.node_count; ++node) closeNode(node);
    restorePath();
    CLIPMILL_CHECK(holdFeet());
    Motion still = copyOf(result_.motion);
    removePath([&](double time_s) { return path_.closed(time_s); }, still);
    seam_after_ = seam(still);
    report();
    return {};
  }

  StageResult takeResult() { return std::move(result_); }

 private:
  struct Seam {
    double rotation_rad = 0.0, step_m = 0.0;
  };

  std::size_t count() const { return motion_.grid.frame_count; }
  const Transform& local(std::size_t frame, std::size_t node) const {
    return result_.motion.localsOf(frame)[node];
  }
  double interval_s(std::size_t frame) const {
    return motion_.grid.timeOf(frame + 1) - motion_.grid.timeOf(frame);
  }

  // Removes a root trajectory from a motion.
  template <class Path>
  void removePath(const Path& path, Motion& motion) {
    std::vector<locomotion::RootMove> moves;
    const locomotion::GroundPosition home = path(motion_.grid.start_s);
    for (std::size_t frame = 0; frame < count(); ++frame) {
      const locomotion::GroundPosition there = path(motion_.grid.timeOf(frame));
      moves.push_back({there.at_m, home.at_m, home.heading_rad - there.heading_rad});
    }
    Warnings discarded;  // restorePath() reports nodes that cannot be moved
    locomotion::writeMoves(scene_, std::span(&root_joint_, 1), moves, motion, discarded);
  }

  void restorePath() {
    std::vector<locomotion::RootMove> moves;
    const locomotion::GroundPosition home = path_.own(motion_.grid.start_s);
    for (std::size_t frame = 0; frame < count(); ++frame) {
      const locomotion::GroundPosition there = path_.closed(motion_.grid.timeOf(frame));
      moves.push_back({home.at_m, there.at_m, there.heading_rad - home.heading_rad});
    }
    locomotion::writeMoves(scene_, std::span(&root_joint_, 1), moves, result_.motion,
                           result_.warnings);
  }

  // Feet that are planted in the clip are planted in the cycle, also across the seam.
  Status holdFeet() {
    const locomotion::GroundPosition start = path_.own(motion_.grid.start_s),
                                     end = path_.own(motion_.grid.end_s);
    const Quat rotation = rotationAbout(Vec3(0, 1, 0), end.heading_rad - start.heading_rad);
    const locomotion::CycleStep step{rotation, end.at_m - rotation * start.at_m};
    locomotion::FootLockReport feet =
        locomotion::lockFeet(scene_, humanoid_, motion_, result_.motion, settings_,
                             {.times_s = {}, .cycle = step, .holds_slides = false});
    CLIPMILL_CHECK(locomotion::checkFound(feet, settings_));
    result_.metrics = std::move(feet.metrics);
    result_.warnings.merge(feet.warnings);
    return {};
  }

  Seam seam(const Motion& motion) const {
    Seam seam;
    const double metres = lengthOf(scene_.metric_from_file.linear[0]);
    for (std::size_t node = 0; node < motion_.node_count; ++node) {
      const Transform &first = motion.localsOf(0)[node], &last = motion.localsOf(count() - 1)[node];
      seam.rotation_rad = std::max(
          seam.rotation_rad,
          angleBetween(normalizedOrIdentity(last.rotation), normalizedOrIdentity(first.rotation)));
      seam.step_m = std::max(seam.step_m, lengthOf(first.translation - last.translation) * metres);
    }
    return seam;
  }

  bool isMoved(std::size_t node, TrackPath path) const {
    return moved_.has(static_cast<int>(node), path) ||
           result_.motion.modified.has(static_cast<int>(node), path);
  }

  void closeNode(std::size_t node) {
    if (isMoved(node, TrackPath::kRotation)) closeRotation(node);
    if (isMoved(node, TrackPath::kTranslation)) {
      closeVector(node, TrackPath::kTranslation, &Transform::translation);
    }
    if (isMoved(node, TrackPath::kScale)) closeVector(node, TrackPath::kScale, &Transform::scale);
    if (isMoved(node, TrackPath::kWeights)) closeWeights(node);
  }

  // Applies `bent` to each frame near an end.
  template <class Value, class Bent>
  void apply(const EndBends<Value>& bends, const Bent& bent) {
    const TimeGrid& grid = motion_.grid;
    const double window_s = settings_.window_s;
    for (std::size_t frame = 0; frame < count(); ++frame) {
      const double time_s = grid.timeOf(frame);
      const double from_start_s = time_s - grid.start_s, from_end_s = grid.end_s - time_s;
      if (std::min(from_start_s, from_end_s) >= window_s) continue;
      bent(frame, bends.atStart(from_start_s, window_s) + bends.atEnd(from_end_s, window_s));
    }
  }

  void closeRotation(std::size_t node) {
    const auto at = [&](std::size_t frame) {
      return normalizedOrIdentity(local(frame, node).rotation);
    };
    const std::size_t last = count() - 1;
    const Vec3 left = rotationVector(at(last), at(0));
    const Vec3 start = rotationVector(at(0), at(1)) / interval_s(0);
    const Vec3 end = rotationVector(at(last - 1), at(last)) / interval_s(last - 1);
    if (left == Vec3(0.0) && start == end) return;
    largest_bend_rad_ = std::max(largest_bend_rad_, 0.5 * lengthOf(left));
    apply(closingBends(left, start, end), [&](std::size_t frame, const Vec3& rotation_rad) {
      Quat& rotation = result_.motion.frame(frame).locals[node].rotation;
      rotation = normalizedOrIdentity(rotatedBy(rotation_rad) * normalizedOrIdentity(rotation));
    });
    result_.motion.modified.set(static_cast<int>(node), TrackPath::kRotation);
  }

  void closeVector(std::size_t node, TrackPath path, Vec3 Transform::*member) {
    const auto at = [&](std::size_t frame) { return local(frame, node).*member; };
    const std::size_t last = count() - 1;
    const Vec3 left = at(0) - at(last);
    const Vec3 start = (at(1) - at(0)) / interval_s(0);
    const Vec3 end = (at(last) - at(last - 1)) / interval_s(last - 1);
    if (left == Vec3(0.0) && start == end) return;
    apply(closingBends(left, start, end), [&](std::size_t frame, const Vec3& step) {
      result_.motion.frame(frame).locals[node].*member += step;
    });
    result_.motion.modified.set(static_cast<int>(node), path);
  }

  void closeWeights(std::size_t node) {
    const Node& described = scene_.skeleton.nodes[node];
    for (int w = described.weights_start; w < described.weights_start + described.weights_count;
         ++w) {
      const auto morph = toSize(w);
      const auto at = [&](std::size_t frame) { return result_.motion.weightsOf(frame)[morph]; };
      const std::size_t last = count() - 1;
      const double left = at(0) - at(last), start = (at(1) - at(0)) / interval_s(0);
      const double end = (at(last) - at(last - 1)) / interval_s(last - 1);
      if (left == 0.0 && start == end) continue;
      apply(closingBends(left, start, end), [&](std::size_t frame, double step) {
        result_.motion.frame(frame).weights[morph] += step;
      });
      result_.motion.modified.set(static_cast<int>(node), TrackPath::kWeights);
    }
  }

  // The root trajectory of the result.
  edit::ClosedTrajectory closedPath() const {
    return {locomotion::GroundTrack(scene_, result_.motion, root_joint_,
                                    locomotion::GroundHeading::kOfNode),
            result_.motion, settings_.window_s};
  }

  void report() {
    constexpr double kFar_rad = 30.0 * kDegree;
    const Metric seam[] = {
        {"seam_deg", seam_before_.rotation_rad / kDegree, seam_after_.rotation_rad / kDegree},
        {"seam_mm", seam_before_.step_m * kMillimetres, seam_after_.step_m * kMillimetres},
        {"seam_speed_mps", path_.speedJump_mps(), closedPath().speedJump_mps()},
        {"loop_net_m", {}, locomotion::horizontalLength(path_.whole().ahead_m)},
        {"loop_yaw_deg", {}, path_.whole().rotation_rad / kDegree}};
    result_.metrics.insert(result_.metrics.begin(), std::begin(seam), std::end(seam));
    if (largest_bend_rad_ > kFar_rad) {
      result_.warnings.add(
          "far_apart",
          "first and last pose differ so much that a bone is rotated by more than 30 degrees",
          motion_.clip_name);
    }
  }

  const Scene& scene_;
  const humanoid::HumanoidMap& humanoid_;
  const Motion& motion_;
  int root_joint_;
  const LoopSettings& settings_;
  edit::ClosedTrajectory path_;
  TrackMask moved_;
  Seam seam_before_, seam_after_;
  double largest_bend_rad_ = 0.0;
  StageResult result_;
};

Status checkWindow(const Motion& motion, double window_s) {
  const double length_s = motion.grid.end_s - motion.grid.start_s;
  if (window_s > 0.0 && window_s <= 0.5 * length_s) return {};
  constexpr int kDigits = 3;
  return Error{ErrorCode::kRecipe, "window_s",
               "two windows of " + fixedText(window_s, kDigits) + " s do not fit in '" +
                   motion.clip_name + "', which lasts " + fixedText(length_s, kDigits) + " s",
               "give one between 0 and half of the clip"};
}

}  // namespace

Result<std::vector<StageResult>> runLoop(const StageInput& input, const LoopSettings& settings) {
  const humanoid::HumanoidMap humanoid = settings.feet == locomotion::FeetPolicy::kOff
                                             ? humanoid::HumanoidMap()
                                             : humanoid::findHumanoid(input.scene);
  return edit::eachMotion(input, [&](const Motion& motion, StageResult& result) -> Status {
    result.motion = copyOf(motion);
    if (motion.grid.frame_count < 3) {
      result.warnings.add("one_frame", "a clip of fewer than 3 frames cannot be made a loop",
                          motion.clip_name);
      return {};
    }
    CLIPMILL_CHECK(checkWindow(motion, settings.window_s));
    CLIPMILL_TRY(
        const int root_joint,
        locomotion::findRootMotionJoint(input.scene, motion, settings.root_joint.value_or(""),
                                        kStillHeights * locomotion::characterHeight(input.scene)));
    ClipLoop clip(input.scene, humanoid, motion, root_joint, settings);
    CLIPMILL_CHECK(clip.run());
    result = clip.takeResult();
    return {};
  });
}

StageType loopType() {
  StageType type = makeStageType<LoopSettings>(
      "loop", "Blend the end of a clip into its start, so that it plays as a cycle.", loopTable(),
      runLoop);
  type.algorithm_version = 10;
  return type;
}

}  // namespace clipmill::stages::edit
