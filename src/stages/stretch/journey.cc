// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/journey.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "scene/few_worlds.h"
#include "scene/root_motion.h"

namespace clipmill::stretch {
namespace {

constexpr double kFineRate_hz = 1200.0, kFlightRate_hz = 60.0;
constexpr double kMostPoints = 4e6;    // of a path, however long its clip
constexpr double kLeastStep_s = 1e-6;  // of a path
constexpr double kMostLonger = 100.0;
constexpr double kHeightTolerance_m = 1e-3;

Vec3 moved(const RootMove& move, const Vec3& point_m) {
  if (move.turn_rad == 0.0 && move.from_m == move.to_m) return point_m;
  return move.to_m + turned(point_m - move.from_m, move.turn_rad);
}

// Plans one leg after the other.
class Planner {
 public:
  Planner(const Figure& figure, const StretchSettings& settings, Warnings& warnings)
      : figure_(figure),
        settings_(settings),
        warnings_(warnings),
        worlds_(*figure.scene, *figure.clip, std::span(&figure.root, 1)),
        headings_rad_(headingsOf(*figure.scene, *figure.clip, figure.body)) {}

  Result<Leg> legOf(const Window& window);
  const RootMove& carry() const { return carry_; }

 private:
  WindowPath pathOf(const Window& window);
  Result<Vec3> boneOffset(const Window& window, int& node);
  Vec3 targetOf(const TargetSettings& target, const WindowPath& path) const;
  Vec3 masked(Vec3 target_m, const WindowPath& path) const;
  std::optional<FlightChange> chooseHeight(const Window& window, const Vec3& end_m,
                                           const std::string& place, Vec3& target_m);
  Status tell(const Leg& leg, const std::string& place);

  const TimeGrid& grid() const { return figure_.clip->grid; }

  const Figure& figure_;
  const StretchSettings& settings_;
  Warnings& warnings_;
  FewWorlds worlds_;
  std::vector<double> headings_rad_;
  RootMove carry_;
};

WindowPath Planner::pathOf(const Window& window) {
  WindowPath path;
  const double begin_s = grid().timeOf(window.first), end_s = grid().timeOf(window.last);
  if (settings_.method == StretchMethod::kReference) {
    for (std::size_t f = window.first; f <= window.last; ++f) {
      path.times_s.push_back(grid().timeOf(f));
    }
  } else {
    path.times_s = fineTimes(begin_s, end_s, grid().begin_s);
  }
  for (double time_s : path.times_s) {
    worlds_.seekTime(time_s);
    path.points_m.push_back(moved(carry_, worlds_.worldOf(0).translation));
  }
  path.begin_heading_rad = headings_rad_[window.first] + carry_.turn_rad;
  path.end_heading_rad = headings_rad_[window.last] + carry_.turn_rad;
  path.eases_in = window.first > 0;
  path.eases_out = window.last + 1 < grid().frame_count;
  return path;
}

// From the root to the bone at the end of the window, as in the clip.
Result<Vec3> Planner::boneOffset(const Window& window, int& node) {
  const std::string place = window.place.empty() ? "bone" : window.place + ": bone";
  CLIPMILL_TRY(node, findOneNode(figure_.scene->skeleton, window.target->bone, place));
  for (int above = node; above != figure_.root;) {
    above = figure_.scene->skeleton.nodes[static_cast<std::size_t>(above)].parent;
    if (above >= 0) continue;
    return Error{
        ErrorCode::kRecipe, place, "'" + window.target->bone + "' does not move with the root",
        "name a node below '" +
            figure_.scene->skeleton.nodes[static_cast<std::size_t>(figure_.root)].name + "'"};
  }
  const int nodes[] = {figure_.root, node};
  FewWorlds worlds(*figure_.scene, *figure_.clip, nodes);
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
  const Vec3 way_m =
      turned(directionOf(path), target.heading_deg * kDegree) * target.distance_m.front();
  return Vec3(start_m.x + way_m.x, end_m.y, start_m.z + way_m.z) + rise_m;
}

Vec3 Planner::masked(Vec3 target_m, const WindowPath& path) const {
  if (settings_.axes == StretchAxes::kX) target_m.z = path.points_m.back().z;
  if (settings_.axes == StretchAxes::kZ) target_m.x = path.points_m.back().x;
  return target_m;
}

// What becomes of the height of the target; `target_m` gets what is left to the rhythm.
std::optional<FlightChange> Planner::chooseHeight(const Window& window, const Vec3& end_m,
                                                  const std::string& place, Vec3& target_m) {
  const double rise_m = target_m.y - end_m.y;
  const bool is_reference = settings_.method == StretchMethod::kReference;
  if (is_reference && settings_.dimensions == 3) return std::nullopt;
  if (is_reference || settings_.height == HeightPolicy::kKeep) {
    target_m.y = end_m.y;
    if (std::abs(rise_m) > kHeightTolerance_m) {
      warnings_.add("height_kept",
                    "the target is higher or lower than the clip ends, and heights were kept",
                    place);
    }
    return std::nullopt;
  }
  if (settings_.height == HeightPolicy::kRamp || rise_m == 0.0) return std::nullopt;
  const auto flight =
      flightOf(figure_, settings_, grid().timeOf(window.first), grid().timeOf(window.last));
  if (!flight) {
    warnings_.add("no_flight", "no flight was found, and heights change in the rhythm of the clip",
                  place);
    return std::nullopt;
  }
  const auto duration_s = flightTime(*flight, rise_m);
  if (!duration_s) {
    warnings_.add("apex_below_target",
                  "the flight does not get as high as the target, and heights change in the "
                  "rhythm of the clip",
                  place);
    return std::nullopt;
  }
  target_m.y = end_m.y;
  return FlightChange{*flight, *duration_s, rise_m};
}

Status Planner::tell(const Leg& leg, const std::string& place) {
  if (leg.warp.missing_m() > 0.0) {
    warnings_.add("speed_capped", "the target was not reached, because of speed_cap", place);
  }
  if (std::abs(leg.warp.missingTurn_rad()) > kDegree * 1e-6) {
    warnings_.add("turn_limited",
                  "the figure does not turn all the way, because of "
                  "turn_limit_degps",
                  place);
  }
  if (leg.warp.timeFactor() <= kMostLonger) return {};
  return Error{ErrorCode::kLimit, place,
               "would last " + numberText(std::floor(leg.warp.timeFactor())) + " times as long",
               "raise speed_cap, or leave extend_time out"};
}

Result<Leg> Planner::legOf(const Window& window) {
  constexpr int kMostRounds = 50;
  constexpr double kSame_m = 1e-12;
  const std::string& clip = figure_.clip->clip_name;
  const std::string place =
      window.place.empty() ? "clip '" + clip + "'" : window.place + ", clip '" + clip + "'";
  const TargetSettings& target = *window.target;
  const WindowPath path = pathOf(window);
  const Vec3 start_m = path.points_m.front(), end_m = path.points_m.back();
  Vec3 wanted_m = targetOf(target, path), goal_m = wanted_m, offset_m(0.0);
  int node = figure_.root;
  if (!target.bone.empty()) {
    CLIPMILL_TRY(offset_m, boneOffset(window, node));
    goal_m = Vec3(target.bone_at_m[0], target.bone_at_m[1], target.bone_at_m[2]);
    if (target.relative) goal_m += start_m;
    wanted_m = goal_m - turned(offset_m, carry_.turn_rad);
  }
  wanted_m = masked(wanted_m, path);
  const auto flight = chooseHeight(window, end_m, place, wanted_m);
  const double flown_m = flight ? flight->rise_m : 0.0;
  const auto warpTo = [&](const Vec3& target_m, Warnings& warnings) {
    return WindowWarp::make(settings_, target.turn_deg, path, target_m, figure_.still_m, place,
                            warnings);
  };
  CLIPMILL_TRY(WindowWarp warp, warpTo(wanted_m, warnings_));
  // Where the root has to be for a bone depends on how far the figure turns, and that on the root.
  for (int round = 0; round < kMostRounds && !target.bone.empty(); ++round) {
    Vec3 next_m = goal_m - turned(offset_m, carry_.turn_rad + warp.endTurn_rad());
    next_m = masked(Vec3(next_m.x, wanted_m.y, next_m.z), path);
    if (horizontalLength(next_m - wanted_m) <= kSame_m) break;
    wanted_m = next_m;
    Warnings told_before;
    CLIPMILL_TRY(warp, warpTo(wanted_m, told_before));
  }
  const Vec3 reached_m = warp.target_m() + Vec3(0.0, flown_m, 0.0);
  const double end_turn_rad = carry_.turn_rad + warp.endTurn_rad();
  if (target.bone.empty()) {
    goal_m = reached_m;
  } else {
    // Where the node comes to be, but for the axes along which it was told to be elsewhere.
    const Vec3 asked_m = goal_m + reached_m - wanted_m;
    goal_m = reached_m + turned(offset_m, end_turn_rad);
    if (settings_.axes != StretchAxes::kZ) goal_m.x = asked_m.x;
    if (settings_.axes != StretchAxes::kX) goal_m.z = asked_m.z;
  }
  Leg leg{place, std::move(warp), carry_, flight, node, goal_m};
  CLIPMILL_CHECK(tell(leg, place));
  worlds_.seekFrame(window.last);
  carry_ = {worlds_.worldOf(0).translation, reached_m, end_turn_rad};
  return leg;
}

}  // namespace

double FlightChange::shiftAt(double time_s) const {
  const double was_s = std::clamp(time_s - flight.begin_s, 0.0, flight.duration_s());
  if (was_s >= flight.duration_s()) return rise_m;
  const double is_s = was_s * (duration_s / flight.duration_s());
  return flight.heightAfter(is_s) - flight.heightAfter(was_s);
}

std::vector<double> fineTimes(double begin_s, double end_s, double clip_begin_s) {
  const double rate_hz = std::min(kFineRate_hz, kMostPoints / (end_s - begin_s));
  std::vector<double> times_s = {begin_s};
  for (double k = std::floor((begin_s - clip_begin_s) * rate_hz);; k += 1.0) {
    const double time_s = clip_begin_s + k / rate_hz;
    if (time_s > end_s - kLeastStep_s) break;
    if (time_s > begin_s + kLeastStep_s) times_s.push_back(time_s);
  }
  times_s.push_back(end_s);
  return times_s;
}

std::optional<Flight> flightOf(const Figure& figure, const StretchSettings& settings,
                               double begin_s, double end_s) {
  const double clip_s = figure.clip->grid.begin_s;
  const bool is_given = settings.air_begin_s >= 0.0 && settings.air_end_s > settings.air_begin_s;
  if (is_given) {
    begin_s = std::max(begin_s, clip_s + settings.air_begin_s);
    end_s = std::min(end_s, clip_s + settings.air_end_s);
  }
  if (!(end_s > begin_s)) return std::nullopt;
  const double rate_hz = std::min(kFlightRate_hz, kMostPoints / (end_s - begin_s));
  FewWorlds worlds(*figure.scene, *figure.clip, std::span(&figure.body, 1));
  std::vector<double> times_s, heights_m;
  for (double k = 0.0; begin_s + k / rate_hz <= end_s + kLeastStep_s; k += 1.0) {
    times_s.push_back(std::min(begin_s + k / rate_hz, end_s));
    worlds.seekTime(times_s.back());
    heights_m.push_back(worlds.worldOf(0).translation.y);
  }
  if (!is_given) return findFlight(times_s, heights_m, figure.height_m);
  const auto flight = fitParabola(times_s, heights_m);
  return flight && flight->gravity_mps2 > 0.0 ? flight : std::nullopt;
}

Result<Journey> Journey::plan(const Figure& figure, const StretchSettings& settings,
                              Warnings& warnings) {
  const Motion& clip = *figure.clip;
  const auto index = static_cast<std::size_t>(clip.clip_index);
  const auto& clips = figure.scene->clips;
  const double clip_fps = index < clips.size() ? clips[index].fps : clip.grid.fps;
  CLIPMILL_TRY(const std::vector<Window> windows,
               planWindows(settings, clip.grid, clip_fps, clip.clip_name, warnings));
  Journey journey;
  Planner planner(figure, settings, warnings);
  for (const Window& window : windows) {
    CLIPMILL_TRY(Leg leg, planner.legOf(window));
    journey.legs_.push_back(std::move(leg));
  }
  journey.after_ = planner.carry();
  return journey;
}

RootMove Journey::moveAt(double time_s, const Vec3& root_m) const {
  for (const Leg& leg : legs_) {
    if (time_s > leg.warp.end_s()) continue;
    const Vec3 carried_m = moved(leg.before, root_m);
    if (time_s < leg.warp.begin_s()) return {root_m, carried_m, leg.before.turn_rad};
    Vec3 to_m = leg.warp.at(time_s, carried_m);
    if (leg.flight) to_m.y += leg.flight->shiftAt(time_s);
    return {root_m, to_m, leg.before.turn_rad + leg.warp.turnAt(time_s)};
  }
  return {root_m, moved(after_, root_m), after_.turn_rad};
}

std::vector<TimeScale> Journey::timeScales() const {
  std::vector<TimeScale> scales;
  for (const Leg& leg : legs_) {
    if (leg.warp.timeFactor() != 1.0) {
      scales.push_back({leg.warp.begin_s(), leg.warp.end_s(), leg.warp.timeFactor()});
    }
    if (!leg.flight) continue;
    const Flight& flight = leg.flight->flight;
    scales.push_back({flight.begin_s, flight.end_s, leg.flight->duration_s / flight.duration_s()});
  }
  return scales;
}

}  // namespace clipmill::stretch
