// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/stretch.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/parallel.h"
#include "scene/few_worlds.h"
#include "scene/humanoid.h"
#include "scene/root_motion.h"
#include "scene/root_track.h"
#include "stages/feet/foot_lock.h"
#include "stages/stretch/journey.h"
#include "stages/stretch/measures.h"
#include "stages/stretch/time_map.h"

namespace clipmill {
namespace {

using namespace stretch;  // NOLINT: this file is the room's front

constexpr double kMillimetres = 1e3;
constexpr double kStillHeights = 0.005;  // what keeps within so many heights does not move
constexpr double kFarStretched = 4.0;    // steps that grow more than so do not look like the clip
constexpr double kStillStepHeights = 1e-6;  // a step this short is none

bool asksForTarget(const StretchSettings& settings) {
  return hasTarget(settings) || settings.yaw == YawPolicy::kMatch || !settings.window.empty();
}

Status checkWishes(const StretchSettings& settings) {
  if (settings.ring_count > 0 && settings.distance_m.empty()) {
    return Error{ErrorCode::kRecipe, "ring_count", "has no distance", "give distance_m too"};
  }
  if (settings.ring_count > 0) {
    return Error{ErrorCode::kRecipe, "ring_count", "asks for an output for every direction",
                 "give heading_deg for one of them"};
  }
  if (settings.root_motion == RootMotionForm::kInPlace && asksForTarget(settings)) {
    return Error{ErrorCode::kRecipe, "root_motion", "in-place takes away the way to the target",
                 "leave out one of them"};
  }
  if (settings.root_motion == RootMotionForm::kKeep && !asksForTarget(settings)) {
    return Error{ErrorCode::kRecipe, "stretch", "has no target",
                 "give distance_m, to_m, bone and bone_at_m, or a window"};
  }
  return {};
}

// One clip on its way through the stage.
class ClipStretch {
 public:
  ClipStretch(const Scene& scene, const HumanoidMap& humanoid, const Motion& motion,
              const StretchSettings& settings)
      : scene_(scene),
        humanoid_(humanoid),
        settings_(settings),
        input_(motion),
        clip_(motion),
        height_m_(figureHeight(scene)) {
    still_m_ = settings.still_m > 0.0 ? settings.still_m : kStillHeights * height_m_;
    result_.motion = motion;
  }

  Status run();
  StageResult takeResult() { return std::move(result_); }

 private:
  Status chooseRoot();
  Status handRootMotion();
  Status travel();
  Status holdFeet(const TimeMap& map);
  void addMeasures(const Journey& journey, const TimeMap& map);
  void addFlight(const TimeMap& map, const std::vector<double>& frames_s);
  double endError_m(const Journey& journey, const TimeMap& map) const;
  void tell(const char* code, const char* text, std::size_t count = 1) {
    result_.warnings.add(code, text, clip_.clip_name, count);
  }
  const std::string& nameOf(int node) const {
    return scene_.skeleton.nodes[static_cast<std::size_t>(node)].name;
  }

  const Scene& scene_;
  const HumanoidMap& humanoid_;
  const StretchSettings& settings_;
  const Motion& input_;
  Motion clip_;  // with its root motion where it is to be, before the warp
  double height_m_;
  double still_m_ = 0.0;
  int root_ = -1;
  std::vector<int> moved_;        // root_ and what follows it
  std::vector<double> source_s_;  // the time in clip_ of each frame of the result
  std::vector<RootMove> moves_;   // one a frame of the result
  StageResult result_;
};

Status ClipStretch::chooseRoot() {
  if (settings_.root_motion != RootMotionForm::kExtract) {
    CLIPMILL_TRY(root_, findCarrier(scene_, clip_, settings_.root, still_m_));
    return {};
  }
  CLIPMILL_TRY(const RootWay way,
               findRootWay(scene_, clip_, settings_.root_from, settings_.root, still_m_));
  root_ = way.root;
  extractRoot(scene_, way.hips, way.root, settings_.root_yaw, settings_.root_smooth_s, clip_,
              result_.warnings);
  return {};
}

Status ClipStretch::handRootMotion() {
  CLIPMILL_CHECK(chooseRoot());
  CLIPMILL_TRY(const std::vector<int> followers, findFollowers(scene_, root_, settings_.follow));
  moved_ = {root_};
  moved_.insert(moved_.end(), followers.begin(), followers.end());
  if (settings_.root_motion == RootMotionForm::kInPlace) {
    makeInPlace(scene_, root_, followers, settings_.root_smooth_s, clip_, result_.warnings);
  }
  return {};
}

Status ClipStretch::travel() {
  const Figure figure{&scene_, &clip_, root_, bodyNode(scene_, root_), height_m_, still_m_};
  CLIPMILL_TRY(const Journey journey, Journey::plan(figure, settings_, result_.warnings));
  const TimeMap map(clip_.grid.begin_s, clip_.grid.end_s, journey.timeScales());
  result_.motion = map.isIdentity() ? clip_ : retimed(scene_, clip_, map);
  FewWorlds worlds(scene_, clip_, std::span(&root_, 1));
  for (std::size_t frame = 0; frame < result_.motion.grid.frame_count; ++frame) {
    const double time_s = result_.motion.grid.timeOf(frame);
    source_s_.push_back(map.isIdentity() ? time_s : map.sourceAt(time_s));
    worlds.seekTime(source_s_.back());
    moves_.push_back(journey.moveAt(source_s_.back(), worlds.worldOf(0).translation));
  }
  writeMoves(scene_, moved_, moves_, result_.motion, result_.warnings);
  CLIPMILL_CHECK(holdFeet(map));
  addMeasures(journey, map);
  return {};
}

// After the root is where it should be: puts feet back on the ground.
Status ClipStretch::holdFeet(const TimeMap& map) {
  const bool is_moved = std::any_of(moves_.begin(), moves_.end(), [](const RootMove& move) {
    return move.from_m != move.to_m || move.turn_rad != 0.0;
  });
  // Where nothing goes elsewhere the clip stays as it is, unless feet were asked for.
  if (settings_.feet == FeetPolicy::kAuto && !is_moved) return {};
  const std::span<const double> source_s =
      map.isIdentity() ? std::span<const double>() : std::span<const double>(source_s_);
  FootLockReport feet = lockFeet(scene_, humanoid_, clip_, result_.motion, settings_, {source_s});
  CLIPMILL_CHECK(checkFound(feet, settings_));
  result_.metrics.insert(result_.metrics.end(), feet.metrics.begin(), feet.metrics.end());
  result_.warnings.merge(feet.warnings);
  return {};
}

// The largest distance of what was to be somewhere at the end of a window from there.
double ClipStretch::endError_m(const Journey& journey, const TimeMap& map) const {
  double largest_m = 0.0;
  for (const Leg& leg : journey.legs()) {
    FewWorlds worlds(scene_, result_.motion, std::span(&leg.node, 1));
    worlds.seekTime(map.outputAt(leg.warp.end_s()));
    const Vec3 off_m = worlds.worldOf(0).translation - leg.goal_m;
    largest_m = std::max(largest_m, std::sqrt(glm::dot(off_m, off_m)));
  }
  return largest_m;
}

void ClipStretch::addFlight(const TimeMap& map, const std::vector<double>& frames_s) {
  const int body = bodyNode(scene_, root_);
  const Figure figure{&scene_, &clip_, root_, body, height_m_, still_m_};
  const auto flight = flightOf(figure, settings_, clip_.grid.begin_s, clip_.grid.end_s);
  if (!flight) return;
  const auto before =
      gravityOf(timesOf(clip_.grid), placesOf(scene_, clip_, body), flight->begin_s, flight->end_s);
  const auto after = gravityOf(frames_s, placesOf(scene_, result_.motion, body),
                               map.outputAt(flight->begin_s), map.outputAt(flight->end_s));
  if (!before || !after) return;
  result_.metrics.push_back({"airborne_gravity_mps2", before, *after});
  constexpr double kSameGravity = 0.02;
  if (std::abs(*after - *before) > kSameGravity * std::abs(*before)) {
    tell("flight_slowed", "gravity in the air is not that of the clip any more");
  }
}

void ClipStretch::addMeasures(const Journey& journey, const TimeMap& map) {
  const std::vector<double> frames_s = timesOf(result_.motion.grid);
  const std::vector<Vec3> after_m = placesOf(scene_, result_.motion, root_);
  std::vector<Vec3> input_m, before_m;
  std::vector<double> turns_rad;
  FewWorlds input(scene_, input_, std::span(&root_, 1));
  for (std::size_t frame = 0; frame < moves_.size(); ++frame) {
    input.seekTime(source_s_[frame]);
    input_m.push_back(input.worldOf(0).translation);
    before_m.push_back(moves_[frame].from_m);
    turns_rad.push_back(moves_[frame].turn_rad);
  }
  const PathMeasures before = measurePath(source_s_, input_m);
  const PathMeasures after = measurePath(frames_s, after_m);
  const StepChanges steps = compareSteps(before_m, after_m, kStillStepHeights * height_m_);
  const std::size_t reversed = reversedSteps(before_m, after_m, turns_rad);
  double missing_m = 0.0, missing_rad = 0.0;
  for (const Leg& leg : journey.legs()) {
    missing_m = std::max(missing_m, leg.warp.missing_m());
    missing_rad = std::max(missing_rad, std::abs(leg.warp.missingTurn_rad()));
  }
  const std::vector<Metric> of_the_way = {
      {"root_path_m", before.length_m, after.length_m},
      {"root_net_m", before.net_m, after.net_m},
      {"max_speed_mps", before.max_speed_mps, after.max_speed_mps},
      {"duration_s", clip_.grid.end_s - clip_.grid.begin_s,
       result_.motion.grid.end_s - result_.motion.grid.begin_s},
      {"step_amplification", {}, steps.amplification},
      {"still_motion_mm", {}, steps.still_motion_m * kMillimetres},
      {"reversed_steps", {}, static_cast<double>(reversed)},
      {"end_error_mm", {}, endError_m(journey, map) * kMillimetres},
      {"target_missing_m", {}, missing_m},
      {"turn_missing_deg", {}, missing_rad / kDegree},
  };
  result_.metrics.insert(result_.metrics.begin(), of_the_way.begin(), of_the_way.end());
  addFlight(map, frames_s);
  result_.series = {
      {"root_speed_mps", nameOf(root_), speedsOf(source_s_, input_m), speedsOf(frames_s, after_m)}};
  result_.points = {{nameOf(root_), root_, nameOf(root_), Vec3(0.0)}};
  if (reversed > 0) {
    tell("reversed_steps",
         "a step of the clip became a step back; another yaw turns the figure with its way",
         reversed);
  }
  if (steps.amplification > kFarStretched) {
    tell("stretched_far",
         "the clip goes so little that its steps become more than 4 times as long");
  }
  const std::vector<std::string> left = findLeftBehind(scene_, clip_, moved_);
  for (const std::string& name : left) {
    result_.warnings.add("left_behind",
                         "a node near the figure has a motion of its own and does not go along; "
                         "'follow' takes it",
                         name);
  }
}

Status ClipStretch::run() {
  if (clip_.grid.frame_count < 2) {
    tell("one_frame", "a clip of one frame has no way to change");
    return {};
  }
  CLIPMILL_CHECK(handRootMotion());
  return travel();
}

}  // namespace

Result<std::vector<StageResult>> runStretch(const StageInput& input,
                                            const StretchSettings& settings) {
  CLIPMILL_CHECK(checkWishes(settings));
  std::vector<StageResult> results(input.motions.size());
  std::vector<Status> done(input.motions.size());
  const HumanoidMap humanoid =
      settings.feet == FeetPolicy::kOff ? HumanoidMap() : findHumanoid(input.scene);
  parallelFor(results.size(), 1, input.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      ClipStretch clip(input.scene, humanoid, input.motions[i], settings);
      done[i] = clip.run();
      results[i] = clip.takeResult();
    }
  });
  for (const Status& status : done) CLIPMILL_CHECK(status);
  return results;
}

}  // namespace clipmill
