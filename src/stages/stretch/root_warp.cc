// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/root_warp.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "core/to_size.h"
#include "locomotion/root_motion.h"
#include "scene/partial_pose.h"

namespace clipmill::stages::stretch {
namespace {

constexpr double kFineRate_hz = 1200.0, kFlightRate_hz = 60.0;
constexpr double kMaxPoints = 4e6;   // of a path, however long its clip
constexpr double kMinStep_s = 1e-6;  // of a path
constexpr double kMaxTimeFactor = 100.0;
constexpr double kHeightTolerance_m = 1e-3;

Vec3 moved(const locomotion::RootMove& move, const Vec3& point_m) {
  if (move.rotation_rad == 0.0 && move.from_m == move.to_m) return point_m;
  return move.to_m + locomotion::rotated(point_m - move.from_m, move.rotation_rad);
}

// Plans one window after the other.
class Planner {
 public:
  Planner(const Character& character, const StretchSettings& settings, Warnings& warnings)
      : character_(character),
        settings_(settings),
        warnings_(warnings),
        worlds_(*character.scene, *character.clip, std::span(&character.root, 1)),
        headings_rad_(locomotion::headingsOf(*character.scene, *character.clip, character.body)) {}

  Result<WarpWindow> warpWindow(const Window& window);
  const locomotion::RootMove& carry() const { return carry_; }

 private:
  WindowPath pathOf(const Window& window);
  Result<Vec3> boneOffset(const Window& window, int& node);
  Vec3 targetOf(const TargetSettings& target, const WindowPath& path) const;
  Vec3 masked(Vec3 target_m, const WindowPath& path) const;
  std::optional<FlightChange> chooseHeight(const Window& window, const Vec3& end_m,
                                           const std::string& location, Vec3& target_m);
  Status report(const WarpWindow& window, const std::string& location);

  const TimeGrid& grid() const { return character_.clip->grid; }

  const Character& character_;
  const StretchSettings& settings_;
  Warnings& warnings_;
  PartialPose worlds_;
  std::vector<double> headings_rad_;
  locomotion::RootMove carry_;
};

WindowPath Planner::pathOf(const Window& window) {
  WindowPath path;
  const double start_s = grid().timeOf(window.first), end_s = grid().timeOf(window.last);
  if (settings_.method == StretchMethod::kReference) {
    for (std::size_t f = window.first; f <= window.last; ++f) {
      path.times_s.push_back(grid().timeOf(f));
    }
  } else {
    path.times_s = fineTimes(start_s, end_s, grid().start_s);
  }
  for (double time_s : path.times_s) {
    worlds_.seekTime(time_s);
    path.points_m.push_back(moved(carry_, worlds_.worldOf(0).translation));
  }
  path.start_heading_rad = headings_rad_[window.first] + carry_.rotation_rad;
  path.end_heading_rad = headings_rad_[window.last] + carry_.rotation_rad;
  path.eases_in = window.first > 0;
  path.eases_out = window.last + 1 < grid().frame_count;
  return path;
}

// From the root to the bone at the end of the window, as in the clip.
Result<Vec3> Planner::boneOffset(const Window& window, int& node) {
  const std::string location = window.location.empty() ? "bone" : window.location + ": bone";
  CLIPMILL_TRY(node, findOneNode(character_.scene->skeleton, window.target->bone, location));
  for (int above = node; above != character_.root;) {
    above = character_.scene->skeleton.nodes[toSize(above)].parent;
    if (above >= 0) continue;
    return Error{ErrorCode::kRecipe, location,
                 "'" + window.target->bone + "' is not below the root joint",
                 "name a node below '" +
                     character_.scene->skeleton.nodes[toSize(character_.root)].name + "'"};
  }
  const int nodes[] = {character_.root, node};
  PartialPose worlds(*character_.scene, *character_.clip, nodes);
  worlds.seekFrame(window.last);
  return worlds.worldOf(1).translation - worlds.worldOf(0).translation;
}

Vec3 Planner::targetOf(const TargetSettings& target, const WindowPath& path) const {
  const Vec3& start_m = path.points_m.front();
  const Vec3& end_m = path.points_m.back();
  if (!target.to_m.empty()) {
    const Vec3 to_m(target.to_m[0], target.to_m[1], target.to_m[2]);
    return target.relative ? start_m + to_m : to_m;
  }
  const Vec3 rise_m(0.0, target.rise_m, 0.0);
  if (target.distance_m.empty()) return end_m + rise_m;
  const Vec3 path_m = locomotion::rotated(directionOf(path), target.heading_deg * kDegree) *
                      target.distance_m.front();
  return Vec3(start_m.x + path_m.x, end_m.y, start_m.z + path_m.z) + rise_m;
}

Vec3 Planner::masked(Vec3 target_m, const WindowPath& path) const {
  if (settings_.axes == StretchAxes::kX) target_m.z = path.points_m.back().z;
  if (settings_.axes == StretchAxes::kZ) target_m.x = path.points_m.back().x;
  return target_m;
}

// How the height of the target is reached; `target_m` keeps the part that the warp adds.
std::optional<FlightChange> Planner::chooseHeight(const Window& window, const Vec3& end_m,
                                                  const std::string& location, Vec3& target_m) {
  const double rise_m = target_m.y - end_m.y;
  const bool is_reference = settings_.method == StretchMethod::kReference;
  if (is_reference && settings_.dimensions == 3) return std::nullopt;
  if (is_reference || settings_.height == HeightPolicy::kKeep) {
    target_m.y = end_m.y;
    if (std::abs(rise_m) > kHeightTolerance_m) {
      warnings_.add("height_kept",
                    "the target is higher or lower than the end of the clip; heights were kept "
                    "(height = keep)",
                    location);
    }
    return std::nullopt;
  }
  if (settings_.height == HeightPolicy::kRamp || rise_m == 0.0) return std::nullopt;
  const auto flight =
      flightOf(character_, settings_, grid().timeOf(window.first), grid().timeOf(window.last));
  if (!flight) {
    warnings_.add("no_flight", "no flight was found; the height difference is ramped", location);
    return std::nullopt;
  }
  const auto duration_s = locomotion::flightTime(*flight, rise_m);
  if (!duration_s) {
    warnings_.add(
        "apex_below_target",
        "the flight does not reach the height of the target; the height difference is ramped",
        location);
    return std::nullopt;
  }
  target_m.y = end_m.y;
  return FlightChange{*flight, *duration_s, rise_m};
}

Status Planner::report(const WarpWindow& window, const std::string& location) {
  if (window.warp.missing_m() > 0.0) {
    warnings_.add("speed_limited", "the root ends before its target, because of max_speed_ratio",
                  location);
  }
  if (std::abs(window.warp.missingRotation_rad()) > kDegree * 1e-6) {
    warnings_.add("yaw_limited",
                  "the character does not rotate as far as requested, because of max_yaw_degps",
                  location);
  }
  if (window.warp.timeFactor() <= kMaxTimeFactor) return {};
  return Error{ErrorCode::kLimit, location,
               "would last " + numberText(std::floor(window.warp.timeFactor())) + " times as long",
               "raise max_speed_ratio, or leave extend_time out"};
}

Result<WarpWindow> Planner::warpWindow(const Window& window) {
  constexpr int kMaxRounds = 50;
  constexpr double kSame_m = 1e-12;
  const std::string& clip = character_.clip->clip_name;
  const std::string location =
      window.location.empty() ? "clip '" + clip + "'" : window.location + ", clip '" + clip + "'";
  const TargetSettings& target = *window.target;
  const WindowPath path = pathOf(window);
  const Vec3 start_m = path.points_m.front(), end_m = path.points_m.back();
  Vec3 wanted_m = targetOf(target, path), goal_m = wanted_m, offset_m(0.0);
  int node = character_.root;
  if (!target.bone.empty()) {
    CLIPMILL_TRY(offset_m, boneOffset(window, node));
    goal_m = Vec3(target.bone_at_m[0], target.bone_at_m[1], target.bone_at_m[2]);
    if (target.relative) goal_m += start_m;
    wanted_m = goal_m - locomotion::rotated(offset_m, carry_.rotation_rad);
  }
  wanted_m = masked(wanted_m, path);
  const auto flight = chooseHeight(window, end_m, location, wanted_m);
  const double flown_m = flight ? flight->rise_m : 0.0;
  const auto warpTo = [&](const Vec3& target_m, Warnings& warnings) {
    return WindowWarp::make(settings_, target.yaw_deg, path, target_m, character_.still_m, location,
                            warnings);
  };
  CLIPMILL_TRY(WindowWarp warp, warpTo(wanted_m, warnings_));
  // The root position for a bone depends on the rotation of the character, and that on the root
  // position.
  for (int round = 0; round < kMaxRounds && !target.bone.empty(); ++round) {
    Vec3 next_m =
        goal_m - locomotion::rotated(offset_m, carry_.rotation_rad + warp.endRotation_rad());
    next_m = masked(Vec3(next_m.x, wanted_m.y, next_m.z), path);
    if (locomotion::horizontalLength(next_m - wanted_m) <= kSame_m) break;
    wanted_m = next_m;
    Warnings discarded;
    CLIPMILL_TRY(warp, warpTo(wanted_m, discarded));
  }
  const Vec3 reached_m = warp.target_m() + Vec3(0.0, flown_m, 0.0);
  const double end_rotation_rad = carry_.rotation_rad + warp.endRotation_rad();
  if (target.bone.empty()) {
    goal_m = reached_m;
  } else {
    // Position of the node; along the axes that may change, the requested one.
    const Vec3 asked_m = goal_m + reached_m - wanted_m;
    goal_m = reached_m + locomotion::rotated(offset_m, end_rotation_rad);
    if (settings_.axes != StretchAxes::kZ) goal_m.x = asked_m.x;
    if (settings_.axes != StretchAxes::kX) goal_m.z = asked_m.z;
  }
  WarpWindow warped{location, std::move(warp), carry_, flight, node, goal_m};
  CLIPMILL_CHECK(report(warped, location));
  worlds_.seekFrame(window.last);
  carry_ = {worlds_.worldOf(0).translation, reached_m, end_rotation_rad};
  return warped;
}

}  // namespace

double FlightChange::shiftAt(double time_s) const {
  const double was_s = std::clamp(time_s - flight.start_s, 0.0, flight.duration_s());
  if (was_s >= flight.duration_s()) return rise_m;
  const double is_s = was_s * (duration_s / flight.duration_s());
  return flight.heightAfter(is_s) - flight.heightAfter(was_s);
}

std::vector<double> fineTimes(double start_s, double end_s, double clip_start_s) {
  const double rate_hz = std::min(kFineRate_hz, kMaxPoints / (end_s - start_s));
  std::vector<double> times_s = {start_s};
  for (double k = std::floor((start_s - clip_start_s) * rate_hz);; k += 1.0) {
    const double time_s = clip_start_s + k / rate_hz;
    if (time_s > end_s - kMinStep_s) break;
    if (time_s > start_s + kMinStep_s) times_s.push_back(time_s);
  }
  times_s.push_back(end_s);
  return times_s;
}

std::optional<locomotion::Flight> flightOf(const Character& character,
                                           const StretchSettings& settings, double start_s,
                                           double end_s) {
  const double clip_s = character.clip->grid.start_s;
  const bool is_given = settings.air_start_s && settings.air_end_s > settings.air_start_s;
  if (is_given) {
    start_s = std::max(start_s, clip_s + *settings.air_start_s);
    end_s = std::min(end_s, clip_s + *settings.air_end_s);
  }
  if (!(end_s > start_s)) return std::nullopt;
  const double rate_hz = std::min(kFlightRate_hz, kMaxPoints / (end_s - start_s));
  PartialPose worlds(*character.scene, *character.clip, std::span(&character.body, 1));
  std::vector<double> times_s, heights_m;
  for (double k = 0.0; start_s + k / rate_hz <= end_s + kMinStep_s; k += 1.0) {
    times_s.push_back(std::min(start_s + k / rate_hz, end_s));
    worlds.seekTime(times_s.back());
    heights_m.push_back(worlds.worldOf(0).translation.y);
  }
  if (!is_given) return locomotion::findFlight(times_s, heights_m, character.height_m);
  const auto flight = locomotion::fitParabola(times_s, heights_m);
  return flight && flight->gravity_mps2 > 0.0 ? flight : std::nullopt;
}

Result<RootWarp> RootWarp::plan(const Character& character, const StretchSettings& settings,
                                Warnings& warnings) {
  const Motion& clip = *character.clip;
  const auto index = toSize(clip.clip_index);
  const auto& clips = character.scene->clips;
  const double clip_fps = index < clips.size() ? clips[index].fps : clip.grid.fps;
  CLIPMILL_TRY(const std::vector<Window> windows,
               planWindows(settings, clip.grid, clip_fps, clip.clip_name, warnings));
  RootWarp root_warp;
  Planner planner(character, settings, warnings);
  for (const Window& window : windows) {
    CLIPMILL_TRY(WarpWindow warped, planner.warpWindow(window));
    root_warp.windows_.push_back(std::move(warped));
  }
  root_warp.after_ = planner.carry();
  return root_warp;
}

locomotion::RootMove RootWarp::moveAt(double time_s, const Vec3& root_m) const {
  for (const WarpWindow& window : windows_) {
    if (time_s > window.warp.end_s()) continue;
    const Vec3 carried_m = moved(window.before, root_m);
    if (time_s < window.warp.start_s()) return {root_m, carried_m, window.before.rotation_rad};
    Vec3 to_m = window.warp.at(time_s, carried_m);
    if (window.flight) to_m.y += window.flight->shiftAt(time_s);
    return {root_m, to_m, window.before.rotation_rad + window.warp.rotationAt(time_s)};
  }
  return {root_m, moved(after_, root_m), after_.rotation_rad};
}

std::vector<TimeScale> RootWarp::timeScales() const {
  std::vector<TimeScale> scales;
  for (const WarpWindow& window : windows_) {
    if (window.warp.timeFactor() != 1.0) {
      scales.push_back({window.warp.start_s(), window.warp.end_s(), window.warp.timeFactor()});
    }
    if (!window.flight) continue;
    const locomotion::Flight& flight = window.flight->flight;
    scales.push_back(
        {flight.start_s, flight.end_s, window.flight->duration_s / flight.duration_s()});
  }
  return scales;
}

}  // namespace clipmill::stages::stretch
