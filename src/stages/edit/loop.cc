// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/edit/loop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "core/text.h"
#include "scene/ground.h"
#include "scene/ground_track.h"
#include "scene/humanoid.h"
#include "scene/resample.h"
#include "scene/root_track.h"
#include "stages/edit/closed_way.h"
#include "stages/edit/closing_bend.h"
#include "stages/edit/each_motion.h"

namespace clipmill {
namespace {

using edit::closingBends;
using edit::EndBends;

constexpr double kStillHeights = 0.005;  // what keeps within so many heights does not go anywhere
constexpr double kMillimetres = 1e3;

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

// One clip on its way through the stage.
class ClipLoop {
 public:
  ClipLoop(const Scene& scene, const HumanoidMap& humanoid, const Motion& motion, int carrier,
           const LoopSettings& settings)
      : scene_(scene),
        humanoid_(humanoid),
        motion_(motion),
        carrier_(carrier),
        settings_(settings),
        way_(GroundTrack(scene, motion, carrier, GroundHeading::kOfNode), motion,
             settings.window_s),
        moved_(movedTracks(scene, motion)) {}

  Status run() {
    result_.motion = motion_;
    takeOut([&](double time_s) { return way_.own(time_s); }, result_.motion);
    seam_before_ = seam(result_.motion);
    for (std::size_t node = 0; node < motion_.node_count; ++node) closeNode(node);
    putBack();
    CLIPMILL_CHECK(holdFeet());
    Motion still = result_.motion;
    takeOut([&](double time_s) { return way_.closed(time_s); }, still);
    seam_after_ = seam(still);
    report();
    return {};
  }

  StageResult takeResult() { return std::move(result_); }

 private:
  struct Seam {
    double turn_rad = 0.0, step_m = 0.0;
  };

  std::size_t count() const { return motion_.grid.frame_count; }
  const Transform& local(std::size_t frame, std::size_t node) const {
    return result_.motion.localsOf(frame)[node];
  }
  double interval_s(std::size_t frame) const {
    return motion_.grid.timeOf(frame + 1) - motion_.grid.timeOf(frame);
  }

  // Takes a way over the ground out of a motion.
  template <class Way>
  void takeOut(const Way& way, Motion& motion) {
    std::vector<RootMove> moves;
    const GroundPlace home = way(motion_.grid.begin_s);
    for (std::size_t frame = 0; frame < count(); ++frame) {
      const GroundPlace there = way(motion_.grid.timeOf(frame));
      moves.push_back({there.at_m, home.at_m, home.heading_rad - there.heading_rad});
    }
    Warnings told;  // what cannot be moved is told of when it is put back
    writeMoves(scene_, std::span(&carrier_, 1), moves, motion, told);
  }

  void putBack() {
    std::vector<RootMove> moves;
    const GroundPlace home = way_.own(motion_.grid.begin_s);
    for (std::size_t frame = 0; frame < count(); ++frame) {
      const GroundPlace there = way_.closed(motion_.grid.timeOf(frame));
      moves.push_back({home.at_m, there.at_m, there.heading_rad - home.heading_rad});
    }
    writeMoves(scene_, std::span(&carrier_, 1), moves, result_.motion, result_.warnings);
  }

  // What stands in the clip stands in the cycle, also over the seam.
  Status holdFeet() {
    const GroundPlace begin = way_.own(motion_.grid.begin_s), end = way_.own(motion_.grid.end_s);
    const Quat turn = rotationAbout(Vec3(0, 1, 0), end.heading_rad - begin.heading_rad);
    const CycleStep step{turn, end.at_m - turn * begin.at_m};
    FootLockReport feet = lockFeet(scene_, humanoid_, motion_, result_.motion, settings_,
                                   {.times_s = {}, .cycle = step, .holds_slides = false});
    CLIPMILL_CHECK(checkFound(feet, settings_));
    result_.metrics = std::move(feet.metrics);
    result_.warnings.merge(feet.warnings);
    return {};
  }

  Seam seam(const Motion& motion) const {
    Seam seam;
    const double metres = lengthOf(scene_.metric_from_file.linear[0]);
    for (std::size_t node = 0; node < motion_.node_count; ++node) {
      const Transform &first = motion.localsOf(0)[node], &last = motion.localsOf(count() - 1)[node];
      seam.turn_rad = std::max(seam.turn_rad, angleBetween(normalizedOrIdentity(last.rotation),
                                                           normalizedOrIdentity(first.rotation)));
      seam.step_m = std::max(seam.step_m, lengthOf(first.translation - last.translation) * metres);
    }
    return seam;
  }

  bool isMoved(std::size_t node, TrackPath path) const {
    return moved_.has(static_cast<int>(node), path) ||
           result_.motion.touched.has(static_cast<int>(node), path);
  }

  void closeNode(std::size_t node) {
    if (isMoved(node, TrackPath::kRotation)) closeRotation(node);
    if (isMoved(node, TrackPath::kTranslation)) {
      closeVector(node, TrackPath::kTranslation, &Transform::translation);
    }
    if (isMoved(node, TrackPath::kScale)) closeVector(node, TrackPath::kScale, &Transform::scale);
    if (isMoved(node, TrackPath::kWeights)) closeWeights(node);
  }

  // Sets each frame near an end to what `bent` makes of it.
  template <class Value, class Bent>
  void apply(const EndBends<Value>& bends, const Bent& bent) {
    const TimeGrid& grid = motion_.grid;
    const double window_s = settings_.window_s;
    for (std::size_t frame = 0; frame < count(); ++frame) {
      const double time_s = grid.timeOf(frame);
      const double from_begin_s = time_s - grid.begin_s, from_end_s = grid.end_s - time_s;
      if (std::min(from_begin_s, from_end_s) >= window_s) continue;
      bent(frame, bends.atBegin(from_begin_s, window_s) + bends.atEnd(from_end_s, window_s));
    }
  }

  void closeRotation(std::size_t node) {
    const auto at = [&](std::size_t frame) {
      return normalizedOrIdentity(local(frame, node).rotation);
    };
    const std::size_t last = count() - 1;
    const Vec3 left = turnVector(at(last), at(0));
    const Vec3 begin = turnVector(at(0), at(1)) / interval_s(0);
    const Vec3 end = turnVector(at(last - 1), at(last)) / interval_s(last - 1);
    if (left == Vec3(0.0) && begin == end) return;
    largest_bend_rad_ = std::max(largest_bend_rad_, 0.5 * lengthOf(left));
    apply(closingBends(left, begin, end), [&](std::size_t frame, const Vec3& turn_rad) {
      Quat& rotation = result_.motion.frame(frame).locals[node].rotation;
      rotation = normalizedOrIdentity(turnedBy(turn_rad) * normalizedOrIdentity(rotation));
    });
    result_.motion.touched.set(static_cast<int>(node), TrackPath::kRotation);
  }

  void closeVector(std::size_t node, TrackPath path, Vec3 Transform::*member) {
    const auto at = [&](std::size_t frame) { return local(frame, node).*member; };
    const std::size_t last = count() - 1;
    const Vec3 left = at(0) - at(last);
    const Vec3 begin = (at(1) - at(0)) / interval_s(0);
    const Vec3 end = (at(last) - at(last - 1)) / interval_s(last - 1);
    if (left == Vec3(0.0) && begin == end) return;
    apply(closingBends(left, begin, end), [&](std::size_t frame, const Vec3& step) {
      result_.motion.frame(frame).locals[node].*member += step;
    });
    result_.motion.touched.set(static_cast<int>(node), path);
  }

  void closeWeights(std::size_t node) {
    const Node& described = scene_.skeleton.nodes[node];
    for (int w = described.weights_begin; w < described.weights_begin + described.weights_count;
         ++w) {
      const auto morph = static_cast<std::size_t>(w);
      const auto at = [&](std::size_t frame) { return result_.motion.weightsOf(frame)[morph]; };
      const std::size_t last = count() - 1;
      const double left = at(0) - at(last), begin = (at(1) - at(0)) / interval_s(0);
      const double end = (at(last) - at(last - 1)) / interval_s(last - 1);
      if (left == 0.0 && begin == end) continue;
      apply(closingBends(left, begin, end), [&](std::size_t frame, double step) {
        result_.motion.frame(frame).weights[morph] += step;
      });
      result_.motion.touched.set(static_cast<int>(node), TrackPath::kWeights);
    }
  }

  // The way that came out.
  edit::ClosedWay closedWay() const {
    return {GroundTrack(scene_, result_.motion, carrier_, GroundHeading::kOfNode), result_.motion,
            settings_.window_s};
  }

  void report() {
    constexpr double kFar_rad = 30.0 * kDegree;
    const Metric seam[] = {
        {"seam_deg", seam_before_.turn_rad / kDegree, seam_after_.turn_rad / kDegree},
        {"seam_mm", seam_before_.step_m * kMillimetres, seam_after_.step_m * kMillimetres},
        {"seam_speed_mps", way_.speedJump_mps(), closedWay().speedJump_mps()},
        {"loop_way_m", {}, horizontalLength(way_.whole().ahead_m)},
        {"loop_turn_deg", {}, way_.whole().turn_rad / kDegree}};
    result_.metrics.insert(result_.metrics.begin(), std::begin(seam), std::end(seam));
    if (largest_bend_rad_ > kFar_rad) {
      result_.warnings.add("far_apart",
                           "the ends of the clip are so far apart that a bone is bent by more than "
                           "30 degrees",
                           motion_.clip_name);
    }
  }

  const Scene& scene_;
  const HumanoidMap& humanoid_;
  const Motion& motion_;
  int carrier_;
  const LoopSettings& settings_;
  edit::ClosedWay way_;
  TrackMask moved_;
  Seam seam_before_, seam_after_;
  double largest_bend_rad_ = 0.0;
  StageResult result_;
};

Status checkWindow(const Motion& motion, double window_s) {
  const double length_s = motion.grid.end_s - motion.grid.begin_s;
  if (window_s > 0.0 && window_s <= 0.5 * length_s) return {};
  constexpr int kDigits = 3;
  return Error{ErrorCode::kRecipe, "window_s",
               "two windows of " + fixedText(window_s, kDigits) + " s do not fit in '" +
                   motion.clip_name + "', which lasts " + fixedText(length_s, kDigits) + " s",
               "give one between 0 and half of the clip"};
}

}  // namespace

Result<std::vector<StageResult>> runLoop(const StageInput& input, const LoopSettings& settings) {
  const HumanoidMap humanoid =
      settings.feet == FeetPolicy::kOff ? HumanoidMap() : findHumanoid(input.scene);
  return edit::eachMotion(input, [&](const Motion& motion, StageResult& result) -> Status {
    result.motion = motion;
    if (motion.grid.frame_count < 3) {
      result.warnings.add("one_frame", "a clip of so few frames has no ends to join",
                          motion.clip_name);
      return {};
    }
    CLIPMILL_CHECK(checkWindow(motion, settings.window_s));
    CLIPMILL_TRY(const int carrier, findCarrier(input.scene, motion, settings.root,
                                                kStillHeights * figureHeight(input.scene)));
    ClipLoop clip(input.scene, humanoid, motion, carrier, settings);
    CLIPMILL_CHECK(clip.run());
    result = clip.takeResult();
    return {};
  });
}

}  // namespace clipmill
