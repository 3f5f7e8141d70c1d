// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/check.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "anim/motion.h"
#include "core/text.h"
#include "pipeline/clip_measures.h"
#include "scene/foot_contacts.h"
#include "scene/foot_skate.h"
#include "scene/root_track.h"
#include "scene/self_penetration.h"
#include "stages/stretch/measures.h"

namespace clipmill {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMillimetresInMetre = 1000.0;
constexpr double kPercent = 100.0;

// Limbs that lose less of their volume are not told of.
constexpr double kToldLossPercent = 2.0;

// A root that keeps within so many heights of the figure carries no way.
constexpr double kStillHeights = 0.005;

constexpr MeasureKind kMeasures[] = {
    {"duration_s", "length of the clip", 3},
    {"root_path_m", "way of the root along the ground", 3},
    {"root_net_m", "from the begin of that way to its end", 3},
    {"mean_speed_mps", "mean speed of the root along the ground", 3},
    {"max_speed_mps", "highest speed of the root between two frames", 3},
    {"foot_skate_cm", "mean slide of feet on the ground, in a thirtieth of a second", 3},
    {"planted_drift_mm", "farthest that a foot on the ground strays from its mean place", 2},
    {"knee_acceleration_mps2", "largest of a knee, over thirtieths of a second", 1},
    {"knee_turn_acceleration_degps2", "likewise of its angle", 0},
    {"airborne_gravity_mps2", "by which the hips fall in the longest flight", 3},
    {"loop_seam_mm", "farthest that the end of a node is from its begin", 3},
    {"loop_seam_deg", "largest turn of a node from the end to the begin", 3},
    {"loop_seam_speed_percent", "largest change of velocity there, of the highest speed", 2},
    {"limb_inside_percent", "vertices of limbs that are inside of other parts", 3},
    {"deep_frames_percent", "frames with a limb deeper in another part than 1 % of height", 2},
    {"deepest_limb_percent", "farthest that a limb is inside, of the height", 2},
    {"longest_deep_s", "longest time in which a limb is so deep", 3},
    {"arm_jerk_radps3", "root mean square of the upper arms' angular jerk", 0},
    {"limb_volume_loss_percent", "most that the skin about a joint loses of its volume", 2},
    {"non_finite", "maps of nodes that are no numbers", 0},
};
static_assert(std::size(kMeasures) == kCheckMeasureCount);

class ClipMeasurer {
 public:
  // `skin` and `volumes` are null where limbs cannot be measured.
  ClipMeasurer(const Scene& scene, const HumanoidMap& map, const SelfPenetration* skin,
               const LimbVolumeMeter* volumes, const Motion& motion)
      : scene_(scene),
        map_(map),
        skin_(skin),
        volumes_(volumes),
        motion_(motion),
        height_m_(figureHeight(scene)) {
    check_.clip = motion.clip_name;
    check_.index = motion.clip_index;
    check_.values.resize(kCheckMeasureCount);
    root_ = findMovingNode(scene, motion, kStillHeights * height_m_);
    if (root_ >= 0) check_.root = pathOf(scene.skeleton, root_);
  }

  ClipCheck measure() {
    set(CheckMeasure::kDuration, motion_.grid.end_s - motion_.grid.begin_s);
    measureWay();
    measureFeet();
    if (const auto knees = measureKnees(scene_, map_, motion_)) {
      set(CheckMeasure::kKneeAcceleration, knees->acceleration_mps2);
      set(CheckMeasure::kKneeTurnAcceleration, knees->turn_acceleration_degps2);
    }
    if (const auto seam = measureSeam(scene_, motion_, root_, height_m_)) {
      set(CheckMeasure::kLoopSeam, seam->distance_mm);
      set(CheckMeasure::kLoopSeamTurn, seam->turn_deg);
      set(CheckMeasure::kLoopSeamSpeed, seam->speed_percent);
    }
    measureArmsAndLegs();
    measureVolumes();
    set(CheckMeasure::kNonFinite, static_cast<double>(countNonFinite(scene_, motion_)));
    return std::move(check_);
  }

 private:
  void set(CheckMeasure measure, double value) {
    check_.values[static_cast<std::size_t>(measure)] = value;
  }

  void measureWay() {
    stretch::PathMeasures way;
    if (root_ >= 0) {
      way = stretch::measurePath(timesOf(motion_.grid), placesOf(scene_, motion_, root_));
    }
    const double duration_s = motion_.grid.end_s - motion_.grid.begin_s;
    set(CheckMeasure::kRootPath, way.length_m);
    set(CheckMeasure::kRootNet, way.net_m);
    set(CheckMeasure::kMeanSpeed, duration_s > 0.0 ? way.length_m / duration_s : 0.0);
    set(CheckMeasure::kMaxSpeed, way.max_speed_mps);
  }

  void measureFeet() {
    const FeetTrace feet = traceFeet(scene_, map_, motion_);
    if (feet.feet.empty()) return;
    Skate skate;
    for (const FootTrace& foot : feet.feet) {
      const std::string side = foot.marks.side == BodySide::kLeft ? "left" : "right";
      addPart(side + " heel", feet, foot.heel_m, foot.heel_level_m, skate);
      addPart(side + " ball", feet, foot.ball_m, foot.ball_level_m, skate);
    }
    double drift_mm = 0.0;
    for (const GroundSpan& span : check_.ground_spans) drift_mm = std::max(span.drift_mm, drift_mm);
    set(CheckMeasure::kFootSkate, skate.cmPerFrame());
    set(CheckMeasure::kPlantedDrift, drift_mm);
    measureFlight(feet);
  }

  void addPart(const std::string& part, const FeetTrace& feet, std::span<const Vec3> places_m,
               double level_m, Skate& skate) {
    const auto spans = findGroundSpans(feet.begin_s, feet.step_s, places_m, level_m);
    skate.add(skateIn(spans, feet.begin_s, feet.step_s, places_m, level_m));
    for (const TimeSpan& span : spans) {
      check_.ground_spans.push_back(
          {part, span.begin_s, span.end_s,
           driftIn(span, feet.begin_s, feet.step_s, places_m) * kMillimetresInMetre});
    }
  }

  void measureFlight(const FeetTrace& feet) {
    const auto flight = longestFlight(feet);
    const int hips = map_[HumanoidRole::kHips];
    if (!flight || hips < 0) return;
    const auto gravity = stretch::gravityOf(timesOf(motion_.grid), placesOf(scene_, motion_, hips),
                                            flight->begin_s, flight->end_s);
    if (gravity) set(CheckMeasure::kAirborneGravity, *gravity);
  }

  void measureArmsAndLegs() {
    if (const auto jerk = measureArmJerk(scene_, map_, motion_)) {
      set(CheckMeasure::kArmJerk, *jerk);
    }
    if (!skin_) return;
    LimbMeasures limbs = measureLimbs(scene_, motion_, *skin_);
    set(CheckMeasure::kLimbInside, limbs.all.inside_percent);
    set(CheckMeasure::kDeepFrames, limbs.all.deep_frames_percent);
    set(CheckMeasure::kDeepest, limbs.all.deepest_percent);
    set(CheckMeasure::kLongestDeep, limbs.all.longest_deep_s);
    check_.limb_pairs = std::move(limbs.pairs);
  }

  void measureVolumes() {
    if (!volumes_) return;
    check_.limb_volumes = volumes_->measure(motion_);
    double loss = 0.0;
    for (const LimbVolume& limb : check_.limb_volumes) {
      // Written so that a volume that is no number is the loss.
      if (!(kPercent - limb.least_percent <= loss)) loss = kPercent - limb.least_percent;
    }
    set(CheckMeasure::kLimbVolumeLoss, loss);
  }

  const Scene& scene_;
  const HumanoidMap& map_;
  const SelfPenetration* skin_;
  const LimbVolumeMeter* volumes_;
  const Motion& motion_;
  double height_m_;
  int root_ = -1;
  ClipCheck check_;
};

std::string valueText(const std::optional<double>& value, int digits) {
  return value ? fixedText(*value, digits) : "not measured";
}

const MeasureKind& kindOf(CheckMeasure measure) {
  return kMeasures[static_cast<std::size_t>(measure)];
}

Json numberOrNull(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json clipJson(const ClipCheck& check, const CheckLimits& limits) {
  Json clip = {{"clip", check.clip}, {"index", check.index}, {"root", check.root}};
  clip["measures"] = Json::object();
  for (std::size_t m = 0; m < kCheckMeasureCount; ++m) {
    clip["measures"][kMeasures[m].name] = numberOrNull(check.values[m]);
  }
  clip["ground_spans"] = Json::array();
  for (const GroundSpan& span : check.ground_spans) {
    clip["ground_spans"].push_back({{"part", span.part},
                                    {"begin_s", span.begin_s},
                                    {"end_s", span.end_s},
                                    {"drift_mm", span.drift_mm}});
  }
  clip["broken"] = Json::array();
  for (const BrokenLimit& broken : brokenLimits(check, limits)) {
    clip["broken"].push_back({{"measure", kindOf(broken.measure).name},
                              {"value", numberOrNull(broken.value)},
                              {"limit", broken.limit}});
  }
  clip["limb_pairs"] = Json::array();
  for (const LimbMeasures::Pair& pair : check.limb_pairs) {
    clip["limb_pairs"].push_back({{"pair", pair.name},
                                  {"inside_percent", pair.depths.inside_percent},
                                  {"deep_frames_percent", pair.depths.deep_frames_percent},
                                  {"deepest_percent", pair.depths.deepest_percent},
                                  {"longest_deep_s", pair.depths.longest_deep_s}});
  }
  clip["limb_volumes"] = Json::array();
  for (const LimbVolume& limb : check.limb_volumes) {
    clip["limb_volumes"].push_back({{"joint", limb.joint},
                                    {"least_percent", numberOrNull(limb.least_percent)},
                                    {"least_at_s", limb.least_at_s},
                                    {"most_percent", numberOrNull(limb.most_percent)}});
  }
  return clip;
}

// The deepest pairs first, those that are deep only.
std::string deepPairsText(const ClipCheck& check) {
  std::vector<LimbMeasures::Pair> deep;
  for (const LimbMeasures::Pair& pair : check.limb_pairs) {
    if (pair.depths.deepest_percent > kDeepPercent) deep.push_back(pair);
  }
  std::stable_sort(deep.begin(), deep.end(), [](const auto& a, const auto& b) {
    return a.depths.deepest_percent > b.depths.deepest_percent;
  });
  std::string text;
  for (const LimbMeasures::Pair& pair : deep) {
    text += "  " + pair.name + ": " + fixedText(pair.depths.deepest_percent, 2) +
            " % of the height deep, " + fixedText(pair.depths.deep_frames_percent, 1) +
            " % of the frames deeper than " + numberText(kDeepPercent) + " %\n";
  }
  return text;
}

// Those that lose most first, those that lose much only.
std::string lostVolumesText(const ClipCheck& check) {
  std::vector<LimbVolume> thin;
  for (const LimbVolume& limb : check.limb_volumes) {
    if (kPercent - limb.least_percent > kToldLossPercent) thin.push_back(limb);
  }
  std::stable_sort(thin.begin(), thin.end(), [](const LimbVolume& a, const LimbVolume& b) {
    return a.least_percent < b.least_percent;
  });
  std::string text;
  for (const LimbVolume& limb : thin) {
    text += "  " + printable(limb.joint) + ": " + fixedText(limb.least_percent, 1) +
            " % of its volume at " + fixedText(limb.least_at_s, 2) + " s\n";
  }
  return text;
}

}  // namespace

std::span<const MeasureKind> checkMeasures() { return kMeasures; }

std::vector<BrokenLimit> brokenLimits(const ClipCheck& check, const CheckLimits& limits) {
  std::vector<BrokenLimit> broken;
  for (std::size_t m = 0; m < limits.size(); ++m) {
    if (!limits[m]) continue;
    const std::optional<double>& value = check.values[m];
    // Written so that a value that is no number breaks the limit.
    if (value && *value <= *limits[m]) continue;
    broken.push_back({static_cast<CheckMeasure>(m), value, *limits[m]});
  }
  return broken;
}

Result<FileCheck> checkClips(const Scene& scene, std::span<const int> clips,
                             const io::Limits& limits) {
  FileCheck file;
  file.humanoid = findHumanoid(scene);
  const auto skin = SelfPenetration::make(scene, file.humanoid);
  if (!skin) file.no_limbs = skin.error().message;
  const auto volumes = LimbVolumeMeter::make(scene);
  for (const int index : clips) {
    const Clip& clip = scene.clips[static_cast<std::size_t>(index)];
    const TimeGrid grid = makeGrid(clip.begin_s, clip.end_s, clip.fps);
    if (motionBytes(scene.skeleton, grid) > static_cast<double>(limits.max_decoded_bytes)) {
      return Error{ErrorCode::kLimit, clip.name, "needs more memory than the limit allows",
                   "choose fewer clips with --clip, or raise --max-decoded-mb"};
    }
    const Motion motion = sampleClip(scene.skeleton, clip, index, grid);
    file.clips.push_back(ClipMeasurer(scene, file.humanoid, skin ? &*skin : nullptr,
                                      volumes ? &*volumes : nullptr, motion)
                             .measure());
  }
  return file;
}

std::string checkText(const FileCheck& check, const CheckLimits& limits) {
  std::size_t width = 0;
  for (const MeasureKind& kind : kMeasures) width = std::max(width, std::string(kind.name).size());
  std::string text;
  for (const ClipCheck& clip : check.clips) {
    text += (clip.clip.empty() ? "(unnamed)" : printable(clip.clip)) + ": ";
    text += clip.root.empty() ? "stays where it is" : "goes with " + printable(clip.root);
    text += ", " + counted(clip.ground_spans.size(), "ground contact") + "\n";
    for (std::size_t m = 0; m < kCheckMeasureCount; ++m) {
      if (!clip.values[m]) continue;
      const std::string name = kMeasures[m].name;
      const std::string value = fixedText(*clip.values[m], kMeasures[m].digits);
      constexpr std::size_t kValueWidth = 12;
      text += "  " + name + std::string(width - name.size(), ' ') +
              std::string(kValueWidth - std::min(kValueWidth, value.size()), ' ') + value + "  " +
              kMeasures[m].doc + "\n";
    }
    text += deepPairsText(clip) + lostVolumesText(clip);
    for (const BrokenLimit& broken : brokenLimits(clip, limits)) {
      const MeasureKind& kind = kindOf(broken.measure);
      text += "  over the limit: " + std::string(kind.name) + " is " +
              valueText(broken.value, kind.digits) + ", allowed is " + numberText(broken.limit) +
              "\n";
    }
  }
  if (check.humanoid.origin == HumanoidMap::Origin::kNone) {
    text += "no human figure was found: feet, knees, flights and limbs were not measured\n";
  } else if (!check.no_limbs.empty()) {
    text += "how deep limbs are in the body was not measured: " + printable(check.no_limbs) + "\n";
  }
  return text;
}

std::string checkJson(const FileCheck& check, const CheckLimits& limits) {
  Json root = {
      {"schema", 1},
      {"file", check.file},
      {"humanoid",
       {{"origin", originName(check.humanoid.origin)}, {"confidence", check.humanoid.confidence}}}};
  if (!check.no_limbs.empty()) root["no_limbs"] = check.no_limbs;
  root["limits"] = Json::object();
  for (std::size_t m = 0; m < limits.size(); ++m) {
    if (limits[m]) root["limits"][kMeasures[m].name] = *limits[m];
  }
  root["clips"] = Json::array();
  for (const ClipCheck& clip : check.clips) root["clips"].push_back(clipJson(clip, limits));
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace clipmill
