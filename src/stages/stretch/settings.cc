// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/settings.h"

#include "core/text.h"

namespace clipmill::stages::stretch {
namespace {

// Far beyond anything that a character travels, and small enough that no square of it overflows.
constexpr double kFar_m = 1e6;
constexpr double kNear_m = 1e-6;
constexpr double kSlowest = 1e-6;
constexpr double kLong_s = 1e6;
constexpr double kMaxFrames = 1e9;
constexpr double kFullRotation_deg = 360.0;

template <class S>
void addTargetOf(SettingsTableBuilder<S>& t, const std::string& many) {
  t.numbers("distance_m", &S::distance_m,
            "horizontal distance from start to end, in the direction of the clip" + many, "m", 0)
      .number("heading_deg", &S::heading_deg,
              "rotates the direction of distance_m to the left, seen from above", "deg", -36000.0,
              36000.0)
      .numbers("to_m", &S::to_m,
               "target point x,y,z of the root-motion joint, y up; height decides what y does", "m",
               0)
      .flag("relative", &S::relative,
            "to_m and bone_at_m are relative to the root at its start, not to the origin")
      .number("rise_m", &S::rise_m,
              "height difference between the target of distance_m and the end of the clip", "m",
              -kFar_m, kFar_m)
      .text("bone", &S::bone, "joint (name or glob) that reaches bone_at_m in place of the root")
      .numbers("bone_at_m", &S::bone_at_m, "target point x,y,z of bone", "m", 0)
      .number(
          "at_s", &S::at_s,
          "time at which bone reaches its target, from the start of the clip. Unset: at the end",
          "s", 0.0, kLong_s)
      .number("yaw_deg", &S::yaw_deg,
              "rotation to the left about the vertical from start to end (yaw = match)", "deg",
              -36000.0, 36000.0);
}

SettingsTable makeWindowTable() {
  using S = StretchWindow;
  SettingsTableBuilder<S> t;
  t.number("start_s", &S::start_s, "start of the window, from the start of the clip", "s", 0.0,
           kLong_s)
      .number("end_s", &S::end_s, "end of the window. Unset: end of the clip", "s", 0.0, kLong_s)
      .integer("start_frame", &S::start_frame, "start as a frame of the clip. Unset: start_s", 0,
               kMaxFrames)
      .integer("end_frame", &S::end_frame, "end as a frame of the clip. Unset: end_s", 0,
               kMaxFrames);
  addTargetOf(t, "");
  return t.build();
}

void addMethodOf(SettingsTableBuilder<StretchSettings>& t) {
  using S = StretchSettings;
  t.choice<StretchMethod>(
       "method", &S::method,
       "proportional: adds distance in proportion to the root speed of the clip. reference: the "
       "same "
       "frame by frame, as published. similarity: rotates and scales the path. uniform: adds a "
       "constant velocity. minimum_jerk: adds a smooth velocity",
       {{"proportional", StretchMethod::kProportional},
        {"reference", StretchMethod::kReference},
        {"similarity", StretchMethod::kSimilarity},
        {"uniform", StretchMethod::kUniform},
        {"minimum_jerk", StretchMethod::kMinimumJerk}})
      .integer("dimensions", &S::dimensions,
               "3: path lengths in space. 2: along the ground, heights unchanged (reference)", 2, 3)
      .number("similarity", &S::similarity,
              "fraction of the change made by rotation and scale of the path, 0 to 1. Unset: 1 for "
              "curved paths that end far from their start, else 0 (proportional)",
              "", 0.0, 1.0)
      .choice<StretchAxes>(
          "axes", &S::axes, "horizontal axes of the world along which the path may change",
          {{"xz", StretchAxes::kBoth}, {"x", StretchAxes::kX}, {"z", StretchAxes::kZ}})
      .number("ease_s", &S::ease_s,
              "ease-in and ease-out time of the change at window ends inside the clip", "s", 0.0,
              600.0)
      .choice<StillPolicy>(
          "still", &S::still,
          "what to do with a root that does not move but has a target elsewhere: fail, "
          "or move it linearly or with minimum jerk",
          {{"error", StillPolicy::kError},
           {"linear", StillPolicy::kLinear},
           {"minimum_jerk", StillPolicy::kMinimumJerk}})
      .number(
          "still_m", &S::still_m,
          "a root that stays this near to its start does not move. Unset: 0.5 % of the character "
          "height",
          "m", kNear_m, kFar_m)
      .number("max_speed_ratio", &S::max_speed_ratio,
              "maximum root speed, as a multiple of that in the clip; the missing distance is "
              "reported. Unset: no limit",
              "", kSlowest, 1e6)
      .flag("extend_time", &S::extend_time,
            "with max_speed_ratio: make the clip longer, so that it reaches the target")
      .flag("add_steps", &S::add_steps,
            "repeat a cycle of steps as often as the distance needs, and stretch the rest: the "
            "clip gets longer, at about the same cadence and step length (distance_m, to_m)");
}

void addRotationsAndHeightsOf(SettingsTableBuilder<StretchSettings>& t) {
  using S = StretchSettings;
  t.choice<HeightPolicy>(
       "height", &S::height,
       "keep: heights of the clip. ramp: the height difference is added like the distance. "
       "ballistic: the flight lasts as long as take-off speed and gravity need to land at the new "
       "height",
       {{"keep", HeightPolicy::kKeep},
        {"ramp", HeightPolicy::kRamp},
        {"ballistic", HeightPolicy::kBallistic}})
      .number("air_start_s", &S::air_start_s,
              "take-off, from the start of the clip. Unset: detected (ballistic)", "s", 0.0,
              kLong_s)
      .number("air_end_s", &S::air_end_s,
              "landing, from the start of the clip. Unset: detected (ballistic)", "s", 0.0, kLong_s)
      .choice<YawPolicy>(
          "yaw", &S::yaw,
          "keep: the character faces as in the clip. match: it rotates by yaw_deg. "
          "face_target: it ends facing from start to target. face_path: it follows the "
          "direction of its path",
          {{"keep", YawPolicy::kKeep},
           {"match", YawPolicy::kMatch},
           {"face_target", YawPolicy::kFaceTarget},
           {"face_path", YawPolicy::kFacePath}})
      .number("max_yaw_degps", &S::max_yaw_degps,
              "maximum speed of the added yaw; the missing angle is reported; 0 = no limit",
              "deg/s", 0.0, 1e6);
}

void addRootOf(SettingsTableBuilder<StretchSettings>& t) {
  using S = StretchSettings;
  t.text("root_joint", &S::root_joint, "root-motion joint (name or glob). Unset: detected")
      .texts("follow", &S::follow,
             "globs of nodes outside the character that move with it, e.g. IK targets and props")
      .choice<RootMotionMode>("root_motion", &S::root_motion,
                              "keep: leave root motion on its joint. in_place: remove it. extract: "
                              "move it from hips_joint to the root joint above",
                              {{"keep", RootMotionMode::kKeep},
                               {"in_place", RootMotionMode::kInPlace},
                               {"extract", RootMotionMode::kExtract}})
      .text("hips_joint", &S::hips_joint,
            "joint whose root motion is extracted (name or glob). Unset: detected (extract)")
      .number("root_smooth_s", &S::root_smooth_s,
              "averaging window of the root motion; the remainder stays on the hips; 0 = off "
              "(in_place, extract)",
              "s", 0.0, 600.0)
      .flag("root_yaw", &S::root_yaw, "extract rotation about the vertical too (extract)");
}

SettingsTable makeStageTable(const SettingsTable& window) {
  using S = StretchSettings;
  SettingsTableBuilder<S> t;
  addTargetOf(t, "; several values = one output each");
  t.integer(
      "ring_count", &S::ring_count,
      "number of directions around the start, one output each; 0 = direction of the clip only", 0,
      3600);
  addMethodOf(t);
  addRotationsAndHeightsOf(t);
  addRootOf(t);
  locomotion::addFootLockFields(t);
  t.list("window", &S::window, "parts of the clip, each with its own target", "distance_m", window);
  return t.build();
}

std::string labelOf(double distance_m, std::int64_t ring_count, double heading_deg) {
  std::string label = numberText(distance_m) + "m";
  if (ring_count == 0) return label;
  const std::string degrees = numberText(heading_deg);
  const std::size_t whole =
      degrees.find('.') == std::string::npos ? degrees.size() : degrees.find('.');
  constexpr std::size_t kDigits = 3;  // so that names sort
  return label + "_" + std::string(whole < kDigits ? kDigits - whole : 0, '0') + degrees + "deg";
}

}  // namespace

const SettingsTable& stretchTable() {
  static const SettingsTable window = makeWindowTable();
  static const SettingsTable stage = makeStageTable(window);
  return stage;
}

std::vector<StageVariant> stretchVariants(const StretchSettings& settings) {
  std::vector<StageVariant> variants;
  if (settings.distance_m.size() < 2 && settings.ring_count == 0) return variants;
  const std::int64_t directions = settings.ring_count > 0 ? settings.ring_count : 1;
  for (double distance_m : settings.distance_m) {
    for (std::int64_t k = 0; k < directions; ++k) {
      const double rotation_deg =
          kFullRotation_deg * static_cast<double>(k) / static_cast<double>(directions);
      auto one = std::make_shared<StretchSettings>(settings);
      one->distance_m = {distance_m};
      one->ring_count = 0;
      one->heading_deg = settings.heading_deg + rotation_deg;
      variants.push_back({labelOf(distance_m, settings.ring_count, rotation_deg), std::move(one)});
    }
  }
  return variants;
}

}  // namespace clipmill::stages::stretch
