// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/stretch.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/cancel.h"
#include "core/parallel.h"
#include "core/text.h"
#include "core/to_size.h"
#include "humanoid/humanoid.h"
#include "locomotion/foot_lock.h"
#include "locomotion/ground.h"
#include "locomotion/path_measures.h"
#include "locomotion/root_joint.h"
#include "locomotion/root_motion.h"
#include "scene/partial_pose.h"
#include "stages/stretch/add_steps.h"
#include "stages/stretch/from_spot.h"
#include "stages/stretch/gait_cycle.h"
#include "stages/stretch/root_warp.h"
#include "stages/stretch/time_map.h"

namespace clipmill::stages::stretch {
namespace {

constexpr double kMillimetres = 1e3;
constexpr double kStillHeights = 0.005;     // below this, in heights, the root does not move
constexpr double kFarStretched = 4.0;       // a larger amplification gives a warning
constexpr double kStillStepHeights = 1e-6;  // a step this short is none

bool asksForTarget(const StretchSettings& settings) {
  return hasTarget(settings) || settings.yaw == YawPolicy::kMatch || !settings.window.empty();
}

Status checkSettings(const StretchSettings& settings) {
  if (settings.ring_count > 0 && settings.distance_m.empty()) {
    return Error{ErrorCode::kRecipe, "ring_count", "has no distance", "give distance_m too"};
  }
  if (settings.ring_count > 0) {
    return Error{ErrorCode::kRecipe, "ring_count", "asks for an output for every direction",
                 "give heading_deg for one of them"};
  }
  if (settings.root_motion == RootMotionMode::kInPlace && asksForTarget(settings)) {
    return Error{ErrorCode::kRecipe, "root_motion",
                 "in_place removes the root motion that a target needs", "leave out one of them"};
  }
  if (settings.root_motion == RootMotionMode::kKeep && !asksForTarget(settings)) {
    return Error{ErrorCode::kRecipe, "stretch", "has no target",
                 "give distance_m, to_m, bone and bone_at_m, or a window"};
  }
  const bool has_target_position = !settings.distance_m.empty() || !settings.to_m.empty();
  if (settings.add_steps && (!has_target_position || !settings.window.empty())) {
    return Error{ErrorCode::kRecipe, "add_steps", "needs distance_m or to_m for the whole clip",
                 "give one of them, and no window"};
  }
  return {};
}

// Stretches one clip.
class ClipStretch {
 public:
  ClipStretch(const Scene& scene, const humanoid::HumanoidMap& humanoid, const Motion& motion,
              const StretchSettings& settings, double max_motion_bytes)
      : scene_(scene),
        humanoid_(humanoid),
        max_motion_bytes_(max_motion_bytes),
        settings_(settings),
        input_(motion),
        clip_(motion),
        height_m_(locomotion::characterHeight(scene)) {
    still_m_ = settings.still_m.value_or(kStillHeights * height_m_);
    result_.motion = copyOf(motion);
  }

  Status run();
  StageResult takeResult() { return std::move(result_); }

 private:
  Status chooseRoot();
  Status transferRootMotion();
  Status addSteps();
  Status travel();
  Status holdFeet(const TimeMap& map);
  void addMeasures(const RootWarp& root_warp, const TimeMap& map);
  void addFlight(const TimeMap& map, const std::vector<double>& frames_s);
  double endError_m(const RootWarp& root_warp, const TimeMap& map) const;
  struct Part {
    double start_s = 0.0, end_s = 0.0;
    bool is_flight = false;
  };
  double pathBetween_m(double start_s, double end_s) const;
  Part partThatTravels(const TimeMap& map) const;
  void warnStretchedFar(const TimeMap& map, double net_m, double net_after_m);
  locomotion::PathMeasures measuresBefore(const std::vector<Vec3>& input_m) const;
  void warn(const char* code, const char* text, std::size_t count = 1) {
    result_.warnings.add(code, text, clip_.clip_name, count);
  }
  const std::string& nameOf(int node) const { return scene_.skeleton.nodes[toSize(node)].name; }

  const Scene& scene_;
  const humanoid::HumanoidMap& humanoid_;
  const double max_motion_bytes_;
  StretchSettings settings_;
  const Motion& input_;
  Motion clip_;  // after StretchSettings::root_motion and add_steps, before the warp
  bool has_more_steps_ = false;
  bool leaves_spot_ = false;  // see settingsFromSpot(): the sway of the root is no step
  double height_m_;
  double still_m_ = 0.0;
  int root_ = -1;
  std::vector<int> moved_;                   // root_ and its followers
  std::vector<double> source_s_;             // the time in clip_ of each frame of the result
  std::vector<locomotion::RootMove> moves_;  // one a frame of the result
  StageResult result_;
};

Status ClipStretch::chooseRoot() {
  if (settings_.root_motion != RootMotionMode::kExtract) {
    CLIPMILL_TRY(root_, locomotion::findRootMotionJoint(
                            scene_, clip_, settings_.root_joint.value_or(""), still_m_));
    return {};
  }
  CLIPMILL_TRY(const locomotion::RootTrajectory path,
               locomotion::findRootTrajectory(scene_, clip_, settings_.hips_joint.value_or(""),
                                              settings_.root_joint.value_or(""), still_m_));
  root_ = path.root;
  locomotion::extractRoot(scene_, path.hips, path.root, settings_.root_yaw, settings_.root_smooth_s,
                          clip_, result_.warnings);
  return {};
}

Status ClipStretch::transferRootMotion() {
  CLIPMILL_CHECK(chooseRoot());
  CLIPMILL_TRY(std::vector<int> followers,
               locomotion::findFollowers(scene_, root_, settings_.follow));
  const std::vector<int> detached =
      locomotion::findDetachedJoints(scene_, humanoid_, root_, followers);
  followers.insert(followers.end(), detached.begin(), detached.end());
  moved_ = {root_};
  moved_.insert(moved_.end(), followers.begin(), followers.end());
  if (settings_.root_motion == RootMotionMode::kInPlace) {
    locomotion::makeInPlace(scene_, root_, followers, settings_.root_smooth_s, clip_,
                            result_.warnings);
  }
  return {};
}

// Repeats cycles of steps; the warp changes the rest.
Status ClipStretch::addSteps() {
  CLIPMILL_TRY(const GaitCycle cycle, findGaitCycle(scene_, humanoid_, clip_));
  const Vec3 start_m = positionsOf(scene_, clip_, root_).front();
  double distance_m = settings_.distance_m.empty() ? 0.0 : settings_.distance_m.front();
  if (!settings_.to_m.empty()) {
    const Vec3 to_m(settings_.to_m[0], settings_.to_m[1], settings_.to_m[2]);
    distance_m = locomotion::horizontalLength(settings_.relative ? to_m : to_m - start_m);
  }
  CLIPMILL_TRY(RepeatedSteps steps, repeatSteps(scene_, clip_, moved_, cycle, distance_m,
                                                max_motion_bytes_, result_.warnings));
  const double ratio = steps.net_m > 0.0 ? distance_m / steps.net_m : 0.0;
  result_.metrics.push_back({"cycles_added", {}, static_cast<double>(steps.cycles_added)});
  result_.metrics.push_back({"step_length_ratio", {}, ratio});
  constexpr double kSameSteps = 0.1;
  if (std::abs(ratio - 1.0) > kSameSteps) {
    result_.warnings.add("step_length_changed",
                         "whole cycles of steps do not come within 10 % of the distance; the rest "
                         "changes the length of the steps",
                         clip_.clip_name + ": steps are " + fixedText(ratio, 2) +
                             " times as long; " + fixedText(steps.net_m, 2) + " m keeps them");
  }
  if (steps.cycles_added == 0) return {};
  const double start_s = clip_.grid.start_s;
  result_.warnings.add(
      "steps_added", "a cycle of steps is repeated: the clip is longer than its source",
      clip_.clip_name + ": " + std::to_string(steps.cycles_added) + " times more, from " +
          fixedText(cycle.start_s - start_s, 2) + " to " + fixedText(cycle.end_s - start_s, 2) +
          " s; " + fixedText(clip_.grid.end_s - start_s, 2) + " s before and " +
          fixedText(steps.motion.grid.end_s - start_s, 2) + " s after");
  clip_ = std::move(steps.motion);
  has_more_steps_ = true;
  return {};
}

Status ClipStretch::travel() {
  const Character character{&scene_,   &clip_,  root_, locomotion::bodyNode(scene_, root_),
                            height_m_, still_m_};
  CLIPMILL_TRY(const RootWarp root_warp, RootWarp::plan(character, settings_, result_.warnings));
  const TimeMap map(clip_.grid.start_s, clip_.grid.end_s, root_warp.timeScales());
  pollCancel();
  result_.motion = map.isIdentity() ? clip_ : retimed(scene_, clip_, map);
  PartialPose worlds(scene_, clip_, std::span(&root_, 1));
  for (std::size_t frame = 0; frame < result_.motion.grid.frame_count; ++frame) {
    const double time_s = result_.motion.grid.timeOf(frame);
    source_s_.push_back(map.isIdentity() ? time_s : map.sourceAt(time_s));
    worlds.seekTime(source_s_.back());
    moves_.push_back(root_warp.moveAt(source_s_.back(), worlds.worldOf(0).translation));
  }
  locomotion::writeMoves(scene_, moved_, moves_, result_.motion, result_.warnings);
  CLIPMILL_CHECK(holdFeet(map));
  addMeasures(root_warp, map);
  return {};
}

// Locks planted feet after the root has moved.
Status ClipStretch::holdFeet(const TimeMap& map) {
  const bool is_moved =
      std::any_of(moves_.begin(), moves_.end(), [](const locomotion::RootMove& move) {
        return move.from_m != move.to_m || move.rotation_rad != 0.0;
      });
  // Where the root does not change the clip does not change, except with FeetPolicy::kLock.
  if (settings_.feet == locomotion::FeetPolicy::kAuto && !is_moved) return {};
  const std::span<const double> source_s =
      map.isIdentity() ? std::span<const double>() : std::span<const double>(source_s_);
  locomotion::FootLockReport feet =
      locomotion::lockFeet(scene_, humanoid_, clip_, result_.motion, settings_, {source_s});
  CLIPMILL_CHECK(locomotion::checkFound(feet, settings_));
  result_.metrics.insert(result_.metrics.end(), feet.metrics.begin(), feet.metrics.end());
  result_.warnings.merge(feet.warnings);
  return {};
}

// Largest distance of a node from its target at the end of a window.
double ClipStretch::endError_m(const RootWarp& root_warp, const TimeMap& map) const {
  double largest_m = 0.0;
  for (const WarpWindow& window : root_warp.windows()) {
    PartialPose worlds(scene_, result_.motion, std::span(&window.node, 1));
    worlds.seekTime(map.outputAt(window.warp.end_s()));
    const Vec3 off_m = worlds.worldOf(0).translation - window.goal_m;
    largest_m = std::max(largest_m, std::sqrt(glm::dot(off_m, off_m)));
  }
  return largest_m;
}

void ClipStretch::addFlight(const TimeMap& map, const std::vector<double>& frames_s) {
  const int body = locomotion::bodyNode(scene_, root_);
  const Character character{&scene_, &clip_, root_, body, height_m_, still_m_};
  const auto flight = flightOf(character, settings_, clip_.grid.start_s, clip_.grid.end_s);
  if (!flight) return;
  const auto before = locomotion::gravityOf(timesOf(clip_.grid), positionsOf(scene_, clip_, body),
                                            flight->start_s, flight->end_s);
  const auto after =
      locomotion::gravityOf(frames_s, positionsOf(scene_, result_.motion, body),
                            map.outputAt(flight->start_s), map.outputAt(flight->end_s));
  if (!before || !after) return;
  result_.metrics.push_back({"airborne_gravity_mps2", before, *after});
  constexpr double kSameGravity = 0.02;
  if (std::abs(*after - *before) > kSameGravity * std::abs(*before)) {
    warn("flight_slowed", "gravity during the flight differs from that of the clip");
  }
}

// Length of the source's path between two of its times.
double ClipStretch::pathBetween_m(double start_s, double end_s) const {
  const std::vector<double>& speeds = result_.series.front().before;
  double path_m = 0.0;
  for (std::size_t i = 1; i < speeds.size(); ++i) {
    const bool is_between = source_s_[i - 1] >= start_s && source_s_[i] <= end_s;
    if (is_between) path_m += speeds[i] * (source_s_[i] - source_s_[i - 1]);
  }
  return path_m;
}

// The times between which the source root is fast; or the flight, where the root travels as well.
ClipStretch::Part ClipStretch::partThatTravels(const TimeMap& map) const {
  constexpr double kFast = 0.5;  // of the highest speed
  const std::vector<double>& speeds = result_.series.front().before;
  const double fastest = *std::max_element(speeds.begin(), speeds.end());
  const auto is_fast = [&](double speed) { return speed >= kFast * fastest; };
  const auto first = std::find_if(speeds.begin(), speeds.end(), is_fast) - speeds.begin();
  const auto last = speeds.rend() - std::find_if(speeds.rbegin(), speeds.rend(), is_fast) - 1;
  const double start_s = map.isIdentity()
                             ? source_s_[toSize(std::max<std::ptrdiff_t>(first - 1, 0))]
                             : source_s_[toSize(first)];
  const double end_s = source_s_[toSize(last)];
  const int body = locomotion::bodyNode(scene_, root_);
  const Character character{&scene_, &clip_, root_, body, height_m_, still_m_};
  const auto flight = flightOf(character, settings_, clip_.grid.start_s, clip_.grid.end_s);
  constexpr double kShare = 0.5;
  const bool flies = flight && pathBetween_m(flight->start_s, flight->end_s) >
                                   kShare * pathBetween_m(start_s, end_s);
  if (flies) return {flight->start_s, flight->end_s, true};
  return {start_s, end_s, false};
}

// Names a part of the clip for a window, and what to type.
void ClipStretch::warnStretchedFar(const TimeMap& map, double net_m, double net_after_m) {
  const Part part = partThatTravels(map);
  const std::string start = fixedText(part.start_s - clip_.grid.start_s, 2);
  const std::string end = fixedText(part.end_s - clip_.grid.start_s, 2);
  const std::string window = settings_.window.empty()
                                 ? "; --window 'distance_m=" + fixedText(net_after_m, 2) +
                                       ";start_s=" + start + ";end_s=" + end + "'"
                                 : "";
  result_.warnings.add(
      "stretched_far",
      "the clip travels so little that its steps become more than 4 times as long; a window limits "
      "the change to the part that should travel: give --window in place of the target, with its "
      "times, or [[stage.window]] in a recipe",
      clip_.clip_name + ": travels " + fixedText(net_m, 2) +
          (part.is_flight ? " m, in the air" : " m, fastest") + " from " + start + " to " + end +
          " s" + window);
}

// Of the source clip. `input_m` is its path at the frames of the result.
locomotion::PathMeasures ClipStretch::measuresBefore(const std::vector<Vec3>& input_m) const {
  if (!has_more_steps_) return locomotion::measurePath(source_s_, input_m);
  return locomotion::measurePath(timesOf(input_.grid), positionsOf(scene_, input_, root_));
}

void ClipStretch::addMeasures(const RootWarp& root_warp, const TimeMap& map) {
  const std::vector<double> frames_s = timesOf(result_.motion.grid);
  const std::vector<Vec3> after_m = positionsOf(scene_, result_.motion, root_);
  std::vector<Vec3> input_m, before_m;
  std::vector<double> rotations_rad;
  PartialPose input(scene_, has_more_steps_ ? clip_ : input_, std::span(&root_, 1));
  for (std::size_t frame = 0; frame < moves_.size(); ++frame) {
    input.seekTime(source_s_[frame]);
    input_m.push_back(input.worldOf(0).translation);
    before_m.push_back(moves_[frame].from_m);
    rotations_rad.push_back(moves_[frame].rotation_rad);
  }
  const locomotion::PathMeasures before = measuresBefore(input_m);
  const locomotion::PathMeasures after = locomotion::measurePath(frames_s, after_m);
  const locomotion::StepChanges steps =
      locomotion::compareSteps(before_m, after_m, kStillStepHeights * height_m_);
  const std::size_t reversed = reversedSteps(before_m, after_m, rotations_rad);
  double missing_m = 0.0, missing_rad = 0.0;
  for (const WarpWindow& window : root_warp.windows()) {
    missing_m = std::max(missing_m, window.warp.missing_m());
    missing_rad = std::max(missing_rad, std::abs(window.warp.missingRotation_rad()));
  }
  const std::vector<Metric> of_the_path = {
      {"root_path_m", before.length_m, after.length_m},
      {"root_net_m", before.net_m, after.net_m},
      {"max_speed_mps", before.max_speed_mps, after.max_speed_mps},
      {"duration_s", input_.grid.end_s - input_.grid.start_s,
       result_.motion.grid.end_s - result_.motion.grid.start_s},
      {"step_amplification", {}, steps.amplification},
      {"still_motion_mm", {}, steps.still_motion_m * kMillimetres},
      {"reversed_steps", {}, static_cast<double>(reversed)},
      {"end_error_mm", {}, endError_m(root_warp, map) * kMillimetres},
      {"target_missing_m", {}, missing_m},
      {"yaw_missing_deg", {}, missing_rad / kDegree},
  };
  result_.metrics.insert(result_.metrics.begin(), of_the_path.begin(), of_the_path.end());
  addFlight(map, frames_s);
  result_.series = {{"root_speed_mps", nameOf(root_), locomotion::speedsOf(source_s_, input_m),
                     locomotion::speedsOf(frames_s, after_m)}};
  result_.points = {{nameOf(root_), root_, nameOf(root_), Vec3(0.0)}};
  if (reversed > 0 && !leaves_spot_) {
    warn("reversed_steps",
         "a step of the clip became a step backwards; yaw = face_path rotates the character with "
         "its path",
         reversed);
  }
  if (steps.amplification > kFarStretched && !leaves_spot_) {
    warnStretchedFar(map, before.net_m, after.net_m);
  }
  const std::vector<std::string> left = locomotion::findLeftBehind(scene_, clip_, moved_);
  for (const std::string& name : left) {
    result_.warnings.add(
        "left_behind",
        "an animated node near the character does not move with it; list it in 'follow'", name);
  }
}

Status ClipStretch::run() {
  if (clip_.grid.frame_count < 2) {
    warn("one_frame", "a clip of one frame has no root motion to change");
    return {};
  }
  CLIPMILL_CHECK(transferRootMotion());
  const StretchMethod method = settings_.method;
  settings_ = settingsFromSpot(scene_, humanoid_, clip_, root_, settings_, result_.warnings);
  leaves_spot_ = settings_.method != method;
  if (settings_.add_steps) CLIPMILL_CHECK(addSteps());
  return travel();
}

}  // namespace

Result<std::vector<StageResult>> runStretch(const StageInput& input,
                                            const StretchSettings& settings) {
  CLIPMILL_CHECK(checkSettings(settings));
  std::vector<StageResult> results(input.motions.size());
  std::vector<Status> done(input.motions.size());
  const bool needs_map = settings.feet != locomotion::FeetPolicy::kOff || settings.add_steps;
  const humanoid::HumanoidMap humanoid =
      !needs_map ? humanoid::HumanoidMap() : humanoid::findHumanoid(input.scene);
  parallelFor(results.size(), 1, input.threads, [&](std::size_t start, std::size_t end) {
    for (std::size_t i = start; i < end; ++i) {
      ClipStretch clip(input.scene, humanoid, input.motions[i], settings, input.max_motion_bytes);
      done[i] = clip.run();
      results[i] = clip.takeResult();
    }
  });
  for (const Status& status : done) CLIPMILL_CHECK(status);
  return results;
}

StageType stretchType() {
  StageType type = makeStageType<StretchSettings>(
      "stretch",
      "Extend a 3 m leap to 5 m. The extra distance is added in proportion to the clip's own root "
      "speed, so holds stay holds.",
      stretchTable(), runStretch);
  type.algorithm_version = 10;
  type.variants = [](const void* settings) {
    return stretchVariants(*static_cast<const StretchSettings*>(settings));
  };
  return type;
}

}  // namespace clipmill::stages::stretch
