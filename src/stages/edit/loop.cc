// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/edit/loop.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.h"
#include "scene/ground.h"
#include "scene/ground_track.h"
#include "scene/resample.h"
#include "scene/root_track.h"
#include "stages/edit/each_motion.h"

namespace clipmill {
namespace {

constexpr double kStillHeights = 0.005;  // what keeps within so many heights does not go anywhere
constexpr double kMillimetres = 1e3;

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

// The cubic bend of one track: value and velocity at the two ends, nothing inside the windows.
template <class Value>
struct Bend {
  Value begin, begin_velocity, end, end_velocity;

  // From 1 to 0 over a window, level at both ends; and the one that begins with slope 1.
  static double share(double s) { return (1.0 + 2.0 * s) * (1.0 - s) * (1.0 - s); }
  static double slope(double s) { return s * (1.0 - s) * (1.0 - s); }

  Value at(double from_begin_s, double from_end_s, double window_s) const {
    Value value = begin * 0.0;
    if (from_begin_s < window_s) {
      const double s = from_begin_s / window_s;
      value = value + begin * share(s) + begin_velocity * (window_s * slope(s));
    }
    if (from_end_s < window_s) {
      const double s = from_end_s / window_s;
      value = value + end * share(s) - end_velocity * (window_s * slope(s));
    }
    return value;
  }
};

// What is left from the last value to the first goes to both ends in halves; so does what the
// velocities differ by.
template <class Value>
Bend<Value> closingBend(const Value& left, const Value& begin_velocity, const Value& end_velocity) {
  const Value faster = end_velocity - begin_velocity;
  return {left * -0.5, faster * 0.5, left * 0.5, faster * -0.5};
}

// One clip on its way through the stage.
class ClipLoop {
 public:
  ClipLoop(const Scene& scene, const Motion& motion, int carrier, const LoopSettings& settings)
      : scene_(scene),
        motion_(motion),
        carrier_(carrier),
        window_s_(settings.window_s),
        track_(scene, motion, carrier, GroundHeading::kOfNode),
        moved_(movedTracks(scene, motion)) {}

  StageResult run() {
    result_.motion = motion_;
    carry(true);
    seam_before_ = seam();
    for (std::size_t node = 0; node < motion_.node_count; ++node) closeNode(node);
    seam_after_ = seam();
    carry(false);
    report();
    return std::move(result_);
  }

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

  // Takes the way over the ground out of the motion, or puts it back.
  void carry(bool out) {
    std::vector<RootMove> moves;
    const GroundPlace home = track_.at(motion_.grid.begin_s);
    for (std::size_t frame = 0; frame < count(); ++frame) {
      const GroundPlace there = track_.at(motion_.grid.timeOf(frame));
      const GroundPlace &from = out ? there : home, &to = out ? home : there;
      moves.push_back({from.at_m, to.at_m, to.heading_rad - from.heading_rad});
    }
    writeMoves(scene_, std::span(&carrier_, 1), moves, result_.motion, result_.warnings);
  }

  Seam seam() const {
    Seam seam;
    const double metres = lengthOf(scene_.metric_from_file.linear[0]);
    for (std::size_t node = 0; node < motion_.node_count; ++node) {
      const Transform &first = local(0, node), &last = local(count() - 1, node);
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
  bool apply(const Bend<Value>& bend, const Bent& bent) {
    const TimeGrid& grid = motion_.grid;
    for (std::size_t frame = 0; frame < count(); ++frame) {
      const double time_s = grid.timeOf(frame);
      const double from_begin_s = time_s - grid.begin_s, from_end_s = grid.end_s - time_s;
      if (std::min(from_begin_s, from_end_s) >= window_s_) continue;
      bent(frame, bend.at(from_begin_s, from_end_s, window_s_));
    }
    return true;
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
    apply(closingBend(left, begin, end), [&](std::size_t frame, const Vec3& turn_rad) {
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
    apply(closingBend(left, begin, end), [&](std::size_t frame, const Vec3& step) {
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
      apply(closingBend(left, begin, end), [&](std::size_t frame, double step) {
        result_.motion.frame(frame).weights[morph] += step;
      });
      result_.motion.touched.set(static_cast<int>(node), TrackPath::kWeights);
    }
  }

  void report() {
    constexpr double kFar_rad = 30.0 * kDegree;
    result_.metrics = {
        {"seam_deg", seam_before_.turn_rad / kDegree, seam_after_.turn_rad / kDegree},
        {"seam_mm", seam_before_.step_m * kMillimetres, seam_after_.step_m * kMillimetres},
        {"loop_way_m", {}, horizontalLength(track_.whole().ahead_m)},
        {"loop_turn_deg", {}, track_.whole().turn_rad / kDegree}};
    if (largest_bend_rad_ > kFar_rad) {
      result_.warnings.add("far_apart",
                           "the ends of the clip are so far apart that a bone is bent by more than "
                           "30 degrees",
                           motion_.clip_name);
    }
  }

  const Scene& scene_;
  const Motion& motion_;
  int carrier_;
  double window_s_;
  GroundTrack track_;
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

Result<int> carrierOf(const Scene& scene, const Motion& motion, const std::string& root) {
  if (!root.empty()) return findOneNode(scene.skeleton, root, "root");
  const int node = findMovingNode(scene, motion, kStillHeights * figureHeight(scene));
  if (node >= 0) return node;
  const int above = nodeAboveFigure(scene);
  if (above >= 0) return above;
  return Error{ErrorCode::kRecipe, "root", "the file has no node to move", ""};
}

}  // namespace

Result<std::vector<StageResult>> runLoop(const StageInput& input, const LoopSettings& settings) {
  return edit::eachMotion(input, [&](const Motion& motion, StageResult& result) -> Status {
    result.motion = motion;
    if (motion.grid.frame_count < 3) {
      result.warnings.add("one_frame", "a clip of so few frames has no ends to join",
                          motion.clip_name);
      return {};
    }
    CLIPMILL_CHECK(checkWindow(motion, settings.window_s));
    CLIPMILL_TRY(const int carrier, carrierOf(input.scene, motion, settings.root));
    result = ClipLoop(input.scene, motion, carrier, settings).run();
    return {};
  });
}

}  // namespace clipmill
