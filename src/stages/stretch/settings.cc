// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stretch/settings.h"

#include "core/text.h"

namespace clipmill {
namespace {

// Far beyond anything that a figure travels, and small enough that no square of it overflows.
constexpr double kFar_m = 1e6;
constexpr double kLong_s = 1e6;
constexpr double kMostFrames = 1e9;
constexpr double kFullTurn_deg = 360.0;

template <class S>
void addTargetOf(SettingsTableBuilder<S>& t, const std::string& many) {
  t.numbers("distance_m", &S::distance_m,
            "horizontal way from begin to end, in the direction that the clip takes" + many, "m", 0)
      .number("heading_deg", &S::heading_deg,
              "turns the direction of distance_m to the left, seen from above", "deg", -36000.0,
              36000.0)
      .numbers("to_m", &S::to_m,
               "the point x,y,z at which the root ends, y up; see height about its y", "m", 0)
      .flag("relative", &S::relative,
            "to_m and bone_at_m count from where the root is at the begin, not from the origin")
      .number("rise_m", &S::rise_m, "how much higher than in the clip a distance_m ends", "m",
              -kFar_m, kFar_m)
      .text("bone", &S::bone, "name or glob of the node that is to be at bone_at_m, not the root")
      .numbers("bone_at_m", &S::bone_at_m, "the point x,y,z for bone", "m", 0)
      .number("at_s", &S::at_s,
              "when bone is there, counted from the begin of the clip; below 0: at the end", "s",
              -1.0, kLong_s)
      .number("turn_deg", &S::turn_deg,
              "how far the figure turns to the left from begin to end (yaw = match)", "deg",
              -36000.0, 36000.0);
}

SettingsTable makeWindowTable() {
  using S = StretchWindow;
  SettingsTableBuilder<S> t;
  t.number("begin_s", &S::begin_s, "begin, counted from the begin of the clip", "s", 0.0, kLong_s)
      .number("end_s", &S::end_s, "end; below 0: the end of the clip", "s", -1.0, kLong_s)
      .integer("begin_frame", &S::begin_frame, "begin as a frame of the clip; below 0: begin_s", -1,
               kMostFrames)
      .integer("end_frame", &S::end_frame, "end as a frame of the clip; below 0: end_s", -1,
               kMostFrames);
  addTargetOf(t, "");
  return t.build();
}

void addMethodOf(SettingsTableBuilder<StretchSettings>& t) {
  using S = StretchSettings;
  t.choice<StretchMethod>(
       "method", &S::method,
       "rhythm adds in proportion to how far the clip itself moves; reference does so frame by "
       "frame, as published; similarity turns and scales the path; uniform adds a constant "
       "velocity, minimum-jerk a smooth one",
       {{"rhythm", StretchMethod::kRhythm},
        {"reference", StretchMethod::kReference},
        {"similarity", StretchMethod::kSimilarity},
        {"uniform", StretchMethod::kUniform},
        {"minimum-jerk", StretchMethod::kMinimumJerk}})
      .integer("dimensions", &S::dimensions,
               "lengths in space, or along the ground with heights left alone (reference)", 2, 3)
      .number("similarity", &S::similarity,
              "part of the change made by turning and scaling the path, 0 to 1; below 0: 1 for "
              "curved paths that get ahead, else 0 (rhythm)",
              "", -1.0, 1.0)
      .choice<StretchAxes>(
          "axes", &S::axes, "horizontal axes of the world along which the path may change",
          {{"xz", StretchAxes::kBoth}, {"x", StretchAxes::kX}, {"z", StretchAxes::kZ}})
      .number("ease_s", &S::ease_s,
              "time in which the change sets in and fades at ends of windows inside the clip", "s",
              0.0, 600.0)
      .choice<StillPolicy>("still", &S::still,
                           "what to do where the clip does not move and is to end elsewhere",
                           {{"error", StillPolicy::kError},
                            {"linear", StillPolicy::kLinear},
                            {"minimum-jerk", StillPolicy::kMinimumJerk}})
      .number("still_m", &S::still_m,
              "a path that goes no farther from its begin does not move; 0: 0.5 % of the figure's "
              "height",
              "m", 0.0, kFar_m)
      .number("speed_cap", &S::speed_cap,
              "highest speed over that of the clip; what then is missing of the way is reported; "
              "0 for none",
              "", 0.0, 1e6)
      .flag("extend_time", &S::extend_time,
            "under speed_cap the target is reached, and the clip gets longer");
}

void addTurnsAndHeightsOf(SettingsTableBuilder<StretchSettings>& t) {
  using S = StretchSettings;
  t.choice<HeightPolicy>(
       "height", &S::height,
       "heights stay as in the clip; or change in its rhythm; or the flight lasts as long as its "
       "take-off and its gravity need to come down at the new height",
       {{"keep", HeightPolicy::kKeep},
        {"ramp", HeightPolicy::kRamp},
        {"ballistic", HeightPolicy::kBallistic}})
      .number("air_begin_s", &S::air_begin_s,
              "take-off, counted from the begin of the clip; below 0: found (ballistic)", "s", -1.0,
              kLong_s)
      .number("air_end_s", &S::air_end_s, "touch-down; below 0: found (ballistic)", "s", -1.0,
              kLong_s)
      .choice<YawPolicy>("yaw", &S::yaw,
                         "the figure faces as in the clip; turns by turn_deg; ends facing from "
                         "begin to target; or turns as its way does",
                         {{"keep", YawPolicy::kKeep},
                          {"match", YawPolicy::kMatch},
                          {"face-target", YawPolicy::kFaceTarget},
                          {"face-path", YawPolicy::kFacePath}})
      .number("turn_limit_degps", &S::turn_limit_degps,
              "fastest turn that is added; what then is missing is reported; 0 for none", "deg/s",
              0.0, 1e6);
}

void addRootOf(SettingsTableBuilder<StretchSettings>& t) {
  using S = StretchSettings;
  t.text("root", &S::root,
         "name or glob of the node that carries the way; empty: the topmost that does")
      .texts("follow", &S::follow,
             "globs of nodes elsewhere that move along, such as IK targets and props")
      .choice<RootMotionForm>("root_motion", &S::root_motion,
                              "the way stays with the node that has it; is taken away; or is "
                              "handed from root_from to the root above it",
                              {{"keep", RootMotionForm::kKeep},
                               {"in-place", RootMotionForm::kInPlace},
                               {"extract", RootMotionForm::kExtract}})
      .text("root_from", &S::root_from,
            "name or glob of the hips whose way the root takes over; empty: the node that has it "
            "(extract)")
      .number("root_smooth_s", &S::root_smooth_s,
              "the root takes a mean over so much time, the rest stays (in-place, extract)", "s",
              0.0, 600.0)
      .flag("root_yaw", &S::root_yaw, "the root takes over turns about the vertical too (extract)");
}

SettingsTable makeStageTable(const SettingsTable& window) {
  using S = StretchSettings;
  SettingsTableBuilder<S> t;
  addTargetOf(t, "; several for an output each");
  t.integer("ring_count", &S::ring_count,
            "so many directions all around, an output each; 0 for the clip's own", 0, 3600);
  addMethodOf(t);
  addTurnsAndHeightsOf(t);
  addRootOf(t);
  addFootLockFields(t);
  t.list("window", &S::window, "parts of the clip with targets of their own", "distance_m", window);
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
      const double turn_deg =
          kFullTurn_deg * static_cast<double>(k) / static_cast<double>(directions);
      auto one = std::make_shared<StretchSettings>(settings);
      one->distance_m = {distance_m};
      one->ring_count = 0;
      one->heading_deg = settings.heading_deg + turn_deg;
      variants.push_back({labelOf(distance_m, settings.ring_count, turn_deg), std::move(one)});
    }
  }
  return variants;
}

}  // namespace clipmill
