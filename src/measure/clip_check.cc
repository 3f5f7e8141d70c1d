// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "measure/clip_check.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "anim/motion.h"
#include "core/units.h"
#include "locomotion/foot_contacts.h"
#include "locomotion/foot_slide.h"
#include "locomotion/ground.h"
#include "locomotion/path_measures.h"
#include "locomotion/root_joint.h"
#include "measure/clip_measures.h"
#include "penetration/self_penetration.h"
#include "retarget/normalize.h"

namespace clipmill::measure {
namespace {

// A root that moves less than this share of the character's height has no root motion.
constexpr double kStillHeights = 0.005;

constexpr MeasureKind kMeasures[] = {
    {"duration_s", "clip length [s]", 3},
    {"root_path_m", "length of the root trajectory on the ground [m]", 3},
    {"root_net_m", "distance from the start to the end of the root trajectory [m]", 3},
    {"mean_speed_mps", "mean horizontal speed of the root [m/s]", 3},
    {"max_speed_mps", "highest horizontal speed of the root between two frames [m/s]", 3},
    {"treadmill_speed_mps", "speed of the ground under a clip that walks on the spot [m/s]", 3},
    {"foot_skate_cm", "mean slide of feet on the ground, which may move, per 1/30 s [cm]", 3},
    {"planted_drift_mm", "largest drift of a planted foot from its mean position [mm]", 2},
    {"knee_acceleration_mps2", "largest acceleration of a knee, over steps of 1/30 s [m/s^2]", 1},
    {"knee_rotation_acceleration_degps2",
     "largest angular acceleration of a knee, over steps of 1/30 s [deg/s^2]", 0},
    {"airborne_gravity_mps2", "fall acceleration of the hips in the longest flight [m/s^2]", 3},
    {"loop_seam_mm", "largest distance of a node from the last to the first frame [mm]", 3},
    {"loop_seam_deg", "largest rotation of a node from the last to the first frame [deg]", 3},
    {"loop_seam_speed_percent",
     "largest velocity change of a node at the loop seam, of the highest speed [%]", 2},
    {"penetrating_vertices_percent", "mean share of limb vertices inside other body parts [%]", 3},
    {"penetrating_frames_percent",
     "share of frames in which a limb penetrates by more than 1 % of the height [%]", 2},
    {"max_penetration_percent", "largest penetration depth of a limb, of the height [%]", 2},
    {"max_penetration_duration_s",
     "longest time in which a limb penetrates by more than 1 % of the height [s]", 3},
    {"arm_jerk_radps3", "root mean square of the angular jerk of the upper arms [rad/s^3]", 0},
    {"limb_volume_loss_percent", "largest loss of skin volume around a joint [%]", 2},
    {"non_finite", "node transforms with NaN or infinity", 0},
};
static_assert(std::size(kMeasures) == kCheckMeasureCount);

class ClipMeasurer {
 public:
  // `skin` and `volumes` are null where limbs cannot be measured.
  ClipMeasurer(const Scene& scene, const humanoid::HumanoidMap& map,
               const penetration::SelfPenetration* skin, const LimbVolumeMeter* volumes,
               const Motion& motion, locomotion::ContactLimbs contact_limbs)
      : scene_(scene),
        map_(map),
        skin_(skin),
        volumes_(volumes),
        motion_(motion),
        contact_limbs_(contact_limbs),
        height_m_(locomotion::characterHeight(scene)) {
    check_.clip = motion.clip_name;
    check_.index = motion.clip_index;
    check_.values.resize(kCheckMeasureCount);
    check_.not_measured.resize(kCheckMeasureCount);
    root_ = locomotion::findMovingJoint(scene, motion, kStillHeights * height_m_);
    if (root_ >= 0) check_.root = pathOf(scene.skeleton, root_);
  }

  ClipCheck run() {
    set(CheckMeasure::kDuration, motion_.grid.end_s - motion_.grid.start_s);
    measureRootPath();
    measureFeet();
    measureKneesAndSeam();
    measureArmsAndLegs();
    measureVolumes();
    set(CheckMeasure::kNonFinite, static_cast<double>(countNonFinite(scene_, motion_)));
    return std::move(check_);
  }

 private:
  void set(CheckMeasure measure, double value) { check_.values[toSize(measure)] = value; }
  void set(CheckMeasure measure, std::optional<double> value, const char* reason) {
    check_.values[toSize(measure)] = value;
    if (!value) check_.not_measured[toSize(measure)] = reason;
  }
  void unset(std::initializer_list<CheckMeasure> measures, const char* reason) {
    for (const CheckMeasure measure : measures) set(measure, std::nullopt, reason);
  }

  void measureRootPath() {
    if (motion_.grid.frame_count < 2) {
      unset({CheckMeasure::kRootPath, CheckMeasure::kRootNet, CheckMeasure::kMeanSpeed,
             CheckMeasure::kMaxSpeed},
            "the clip has one frame");
      return;
    }
    locomotion::PathMeasures path;
    if (root_ >= 0) {
      path = locomotion::measurePath(timesOf(motion_.grid), positionsOf(scene_, motion_, root_));
    }
    const double duration_s = motion_.grid.end_s - motion_.grid.start_s;
    set(CheckMeasure::kRootPath, path.length_m);
    set(CheckMeasure::kRootNet, path.net_m);
    set(CheckMeasure::kMeanSpeed, path.length_m / duration_s);
    set(CheckMeasure::kMaxSpeed, path.max_speed_mps);
  }

  void measureKneesAndSeam() {
    if (const auto knees = measureKnees(scene_, map_, motion_)) {
      set(CheckMeasure::kKneeAcceleration, knees->acceleration_mps2);
      set(CheckMeasure::kKneeRotationAcceleration, knees->rotation_acceleration_degps2);
    } else {
      unset({CheckMeasure::kKneeAcceleration, CheckMeasure::kKneeRotationAcceleration},
            "no complete leg found, or the clip is shorter than 1/15 s");
    }
    if (const auto seam = measureSeam(scene_, motion_, root_, height_m_)) {
      set(CheckMeasure::kLoopSeam, seam->distance_mm);
      set(CheckMeasure::kLoopSeamRotation, seam->rotation_deg);
      set(CheckMeasure::kLoopSeamSpeed, seam->speed_percent, "no node moves");
    } else {
      unset(
          {CheckMeasure::kLoopSeam, CheckMeasure::kLoopSeamRotation, CheckMeasure::kLoopSeamSpeed},
          "the clip has fewer than three frames");
    }
  }

  void measureFeet() {
    const locomotion::FeetTrace feet = locomotion::traceFeet(scene_, map_, motion_);
    if (feet.feet.empty()) {
      unset({CheckMeasure::kTreadmillSpeed, CheckMeasure::kFootSkate, CheckMeasure::kPlantedDrift,
             CheckMeasure::kAirborneGravity},
            "no feet found");
      return;
    }
    const locomotion::FootSlide slide = locomotion::measureFootSlide(
        feet, locomotion::traceLimbs(scene_, map_, motion_, feet, contact_limbs_));
    addSpans(slide.contacts, check_.contacts);
    addSpans(slide.ground_spans, check_.ground_spans);
    const std::optional<double> drift_mm = slide.drift_mm();
    std::optional<double> treadmill_mps;
    if (drift_mm) treadmill_mps = locomotion::horizontalLength(feet.treadmill_mps);
    set(CheckMeasure::kTreadmillSpeed, treadmill_mps, "no contacts found");
    set(CheckMeasure::kFootSkate, slide.skate.cmPerFrame(), "no contacts found");
    set(CheckMeasure::kPlantedDrift, drift_mm, "no contacts found");
    measureFlight(feet);
  }

  static void addSpans(std::span<const locomotion::FootSpan> spans, std::vector<GroundSpan>& to) {
    for (const locomotion::FootSpan& span : spans) {
      const std::string side = span.side == locomotion::BodySide::kLeft ? "left" : "right";
      const std::string part(locomotion::nameOf(span.part));
      to.push_back({side + " " + part, span.span.start_s, span.span.end_s,
                    span.drift_m * kMillimetresInMetre});
    }
  }

  void measureFlight(const locomotion::FeetTrace& feet) {
    const auto flight = longestFlight(feet);
    const int hips = map_[humanoid::HumanoidRole::kHips];
    std::optional<double> gravity;
    if (flight && hips >= 0) {
      gravity = locomotion::gravityOf(timesOf(motion_.grid), positionsOf(scene_, motion_, hips),
                                      flight->start_s, flight->end_s);
    }
    set(CheckMeasure::kAirborneGravity, gravity, "no flight found");
  }

  void measureArmsAndLegs() {
    set(CheckMeasure::kArmJerk, measureArmJerk(scene_, map_, motion_),
        "no upper arm found, or the clip is too short");
    if (!skin_) {
      unset({CheckMeasure::kPenetratingVertices, CheckMeasure::kPenetratingFrames,
             CheckMeasure::kMaxPenetration, CheckMeasure::kMaxPenetrationDuration},
            "no skinned limbs found");
      return;
    }
    LimbPenetration limbs = measureLimbPenetration(scene_, motion_, *skin_);
    set(CheckMeasure::kPenetratingVertices, limbs.all.penetrating_vertices_percent);
    set(CheckMeasure::kPenetratingFrames, limbs.all.penetrating_frames_percent);
    set(CheckMeasure::kMaxPenetration, limbs.all.max_penetration_percent);
    set(CheckMeasure::kMaxPenetrationDuration, limbs.all.max_penetration_duration_s);
    check_.limb_pairs = std::move(limbs.pairs);
  }

  void measureVolumes() {
    if (volumes_) check_.limb_volumes = volumes_->measure(motion_);
    if (check_.limb_volumes.empty()) {
      unset({CheckMeasure::kLimbVolumeLoss}, "no skin around a joint found");
      return;
    }
    double loss = 0.0;
    for (const LimbVolume& limb : check_.limb_volumes) {
      // Written so that a NaN volume is the loss.
      if (!(kPercent - limb.min_percent <= loss)) loss = kPercent - limb.min_percent;
    }
    set(CheckMeasure::kLimbVolumeLoss, loss);
  }

  const Scene& scene_;
  const humanoid::HumanoidMap& map_;
  const penetration::SelfPenetration* skin_;
  const LimbVolumeMeter* volumes_;
  const Motion& motion_;
  locomotion::ContactLimbs contact_limbs_;
  double height_m_;
  int root_ = -1;
  ClipCheck check_;
};

}  // namespace

std::span<const MeasureKind> checkMeasures() { return kMeasures; }

std::vector<ExceededLimit> exceededLimits(const ClipCheck& check, const CheckLimits& limits) {
  std::vector<ExceededLimit> exceeded;
  for (std::size_t m = 0; m < limits.size(); ++m) {
    if (!limits[m]) continue;
    const std::optional<double>& value = check.values[m];
    // Written so that NaN exceeds the limit.
    if (value && *value <= *limits[m]) continue;
    exceeded.push_back({static_cast<CheckMeasure>(m), value, *limits[m],
                        m < check.not_measured.size() ? check.not_measured[m] : ""});
  }
  return exceeded;
}

Result<FileCheck> checkClips(const Scene& scene, std::span<const int> clips,
                             const io::Limits& limits, locomotion::ContactLimbs contact_limbs) {
  FileCheck file;
  file.humanoid = humanoid::findHumanoid(scene);
  CLIPMILL_TRY(file.irregularities, retarget::findIrregularities(scene, limits));
  const auto skin = penetration::SelfPenetration::make(scene, file.humanoid);
  if (!skin) file.penetration_not_measured = skin.error().message;
  const auto volumes = LimbVolumeMeter::make(scene);
  for (const int index : clips) {
    const Clip& clip = scene.clips[toSize(index)];
    const TimeGrid grid = makeGrid(clip.start_s, clip.end_s, clip.fps);
    if (motionBytes(scene.skeleton, grid) > static_cast<double>(limits.max_decoded_bytes)) {
      return Error{ErrorCode::kLimit, clip.name, "needs more memory than --max-decoded-mb allows",
                   "choose fewer clips with --clip, or raise --max-decoded-mb"};
    }
    const Motion motion = sampleClip(scene.skeleton, clip, index, grid);
    file.clips.push_back(ClipMeasurer(scene, file.humanoid, skin ? &*skin : nullptr,
                                      volumes ? &*volumes : nullptr, motion, contact_limbs)
                             .run());
  }
  return file;
}

}  // namespace clipmill::measure
