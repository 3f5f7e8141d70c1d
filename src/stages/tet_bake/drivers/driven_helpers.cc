// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/drivers/driven_helpers.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/parallel.h"
#include "core/to_size.h"
#include "stages/tet_bake/drivers/driver_shapes.h"
#include "stages/tet_bake/drivers/helper_motion.h"

namespace clipmill::stages::tet_bake {
namespace {

// Rounds of weights and values, and the part of the error that one has to take away for another.
constexpr int kMaxDriverRounds = 12;
constexpr double kMinRoundGain = 0.005;
// A vertex may be farther off in its worst frame: where drivers miss a frame most is seldom where
// plain skinning does, and a vertex that is held back for it is off in all others.
constexpr double kNoMargin_m = std::numeric_limits<double>::infinity();
constexpr int kDriverSweeps = 2;

// The driver of a region, whose outputs are the coordinates of its helpers' motions.
struct RegionDriver {
  std::size_t region = 0;
  std::vector<std::size_t> bones;
  MotionCoordinates coordinates;
  FittedDriver fitted;
};

class HelpersFit {
 public:
  HelpersFit(const BonesTarget& target, std::span<const MorphRegion> regions,
             std::span<const std::vector<int>> joints, const BindRotations& bind,
             const RelativePoses& poses, const DriverFrames& frames,
             const BonesFitSettings& settings)
      : regions_(regions),
        joints_(joints),
        bind_(bind),
        poses_(poses),
        frames_(frames),
        settings_(settings),
        world_(framesOf(target.world, frames)),
        target_{target.surface, world_,
                [&target, this](std::size_t f) { return target.worlds_at(frames_.columns[f]); },
                target.is_kept, frames.weights} {}

  DrivenHelpers fit() {
    fit_ = fitBones(target_, regions_, settings_);
    points_ = std::move(fit_.points);
    for (std::size_t f = 0; f < frames_.columns.size(); ++f) {
      all_.columns.push_back(f);
      all_.worlds.push_back(target_.worlds_at(f));
    }
    trained_ = framesToTrain(target_);
    chooseDrivers();
    improve();
    fit_.held = holdBack(target_, all_, fit_.bones, kNoMargin_m, settings_.threads, points_);
    return result();
  }

 private:
  std::vector<PivotMotion> motionsIn(const RegionDriver& own, std::size_t frame) const {
    std::vector<PivotMotion> motions;
    for (const std::size_t bone : own.bones) motions.push_back(motionAt(fit_.bones[bone], frame));
    return motions;
  }

  DriverExamples examplesOf(const RegionDriver& own, std::span<const int> joints) const {
    DriverExamples examples = tet_bake::examplesOf(joints, poses_, frames_);
    examples.output_count = own.coordinates.count();
    for (std::size_t f = 0; f < frames_.columns.size(); ++f) {
      const std::vector<double> outputs = own.coordinates.of(motionsIn(own, f));
      examples.outputs.insert(examples.outputs.end(), outputs.begin(), outputs.end());
    }
    return examples;
  }

  void chooseDrivers() {
    for (std::size_t r = 0; r < regions_.size(); ++r) {
      RegionDriver own;
      own.region = r;
      for (std::size_t b = 0; b < fit_.bones.size(); ++b) {
        if (fit_.bones[b].region == regions_[r].node) own.bones.push_back(b);
      }
      if (!own.bones.empty() && !joints_[r].empty()) drivers_.push_back(std::move(own));
    }
    parallelFor(drivers_.size(), 1, settings_.threads, [&](std::size_t d, std::size_t) {
      RegionDriver& own = drivers_[d];
      own.coordinates = MotionCoordinates(target_.surface, points_, fit_.bones, own.bones);
      own.fitted = fitBestDriver(examplesOf(own, joints_[own.region]), bind_);
    });
    std::erase_if(drivers_, [](const RegionDriver& own) { return own.fitted.values.empty(); });
    leaveUndriven();
    predict();
  }

  // Helpers without a driver move no point.
  void leaveUndriven() {
    std::vector<char> is_driven(fit_.bones.size(), 0);
    for (const RegionDriver& own : drivers_) {
      for (const std::size_t bone : own.bones) is_driven[bone] = 1;
    }
    for (BonesPoint& point : points_) {
      BonesPoint kept = point;
      kept.bones.clear();
      kept.weights.clear();
      for (std::size_t k = 0; k < point.bones.size(); ++k) {
        if (!is_driven[point.bones[k]]) continue;
        kept.bones.push_back(point.bones[k]);
        kept.weights.push_back(point.weights[k]);
      }
      point = std::move(kept);
    }
    for (std::size_t b = 0; b < fit_.bones.size(); ++b) {
      if (!is_driven[b]) fit_.bones[b].moved.assign(frames_.columns.size(), {});
    }
  }

  // The motions of the drivers, in all frames.
  void predict() {
    parallelFor(drivers_.size(), 1, settings_.threads, [&](std::size_t d, std::size_t) {
      for (std::size_t f = 0; f < frames_.columns.size(); ++f) {
        show(drivers_[d], poses_[frames_.columns[f]], f, fit_.bones);
      }
    });
  }

  static void show(const RegionDriver& own, std::span<const Quat> pose, std::size_t frame,
                   std::vector<HelperBone>& bones) {
    const std::size_t count = own.coordinates.count();
    const std::vector<double> weights = weightsIn(pose, own.fitted.driver);
    std::vector<double> outputs(count, 0.0);
    for (std::size_t c = 0; c < weights.size(); ++c) {
      for (std::size_t k = 0; k < count; ++k) {
        outputs[k] += weights[c] * own.fitted.values[c * count + k];
      }
    }
    for (std::size_t k = 0; k < own.bones.size(); ++k) {
      HelperBone& bone = bones[own.bones[k]];
      bone.moved[frame] = movedBy(bone, own.coordinates.motionOf(outputs, k));
    }
  }

  // What is left in all frames, by their weights.
  double energy() const {
    const std::vector<float> squares =
        squaresLeft(target_, all_, fit_.bones, points_, settings_.threads);
    const std::size_t count = frames_.columns.size();
    double sum = 0.0;
    for (std::size_t p = 0; p < points_.size(); ++p) {
      for (std::size_t f = 0; f < count; ++f) {
        sum += points_[p].share * frames_.weights[f] * static_cast<double>(squares[p * count + f]);
      }
    }
    return sum;
  }

  void improve() {
    fit_.energies = {energy()};
    for (int round = 0; round < kMaxDriverRounds && !drivers_.empty(); ++round) {
      const std::vector<BonesPoint> points = points_;
      const std::vector<HelperBone> bones = fit_.bones;
      const std::vector<RegionDriver> drivers = drivers_;
      refitWeights();
      refitValues();
      const double before = fit_.energies.back(), after = energy();
      if (!(after < before)) {
        points_ = points;
        fit_.bones = bones;
        drivers_ = drivers;
        return;
      }
      fit_.energies.push_back(after);
      if (before - after < kMinRoundGain * before) return;
    }
  }

  void refitWeights() {
    std::vector<HelperBone> bones = fit_.bones;
    for (HelperBone& bone : bones) {
      std::vector<Affine> moved;
      for (const std::size_t column : trained_.columns) moved.push_back(bone.moved[column]);
      bone.moved = std::move(moved);
    }
    fitWeights(target_, trained_, bones, settings_.threads, points_);
  }

  // The drivers keep their inputs and centers.
  void refitValues() {
    fitMotions(target_, all_, points_, kDriverSweeps, settings_.threads, fit_.bones);
    parallelFor(drivers_.size(), 1, settings_.threads, [&](std::size_t d, std::size_t) {
      RegionDriver& own = drivers_[d];
      own.coordinates = MotionCoordinates(target_.surface, points_, fit_.bones, own.bones);
      const FittedDriver& fitted = own.fitted;
      own.fitted = fitDriverAt(examplesOf(own, fitted.driver.joints), fitted.driver, fitted.ridge);
    });
    predict();
  }

  DrivenHelpers result() {
    DrivenHelpers result;
    for (HelperBone& bone : fit_.bones) bone.moved.assign(poses_.size(), {});
    std::vector<char> is_kept(fit_.bones.size(), 0);
    const BonesReach reach = reachOf(points_, fit_.bones.size());
    for (std::size_t b = 0; b < reach.size(); ++b) is_kept[b] = !reach[b].empty();
    for (RegionDriver& own : drivers_) {
      for (std::size_t pose = 0; pose < poses_.size(); ++pose) {
        show(own, poses_[pose], pose, fit_.bones);
      }
      addDriver(own, is_kept, result.drivers);
    }
    dropIdleHelpers(fit_.bones, points_);
    setPoints(target_.surface, std::move(points_), fit_);
    result.fit = std::move(fit_);
    return result;
  }

  // The driver with the values of the helpers that points follow.
  void addDriver(const RegionDriver& own, std::span<const char> is_kept,
                 std::vector<PoseDriver>& drivers) const {
    PoseDriver driver = own.fitted.driver;
    driver.node = regions_[own.region].node;
    const std::size_t count = own.coordinates.count();
    for (std::size_t k = 0; k < own.bones.size(); ++k) {
      if (!is_kept[own.bones[k]]) continue;
      const HelperBone& bone = fit_.bones[own.bones[k]];
      DrivenHelper& helper = driver.helpers.emplace_back();
      for (std::size_t c = 0; c < driver.centerCount(); ++c) {
        const auto values = std::span(own.fitted.values).subspan(c * count, count);
        addCenter(target_.surface, bone, own.coordinates.motionOf(values, k), helper);
      }
    }
    if (!driver.helpers.empty()) drivers.push_back(std::move(driver));
  }

  std::span<const MorphRegion> regions_;
  std::span<const std::vector<int>> joints_;
  const BindRotations& bind_;
  const RelativePoses& poses_;
  const DriverFrames& frames_;
  const BonesFitSettings& settings_;
  PointDisplacements world_;
  BonesTarget target_;  // of `frames_` alone
  BonesFrames all_, trained_;
  BonesFit fit_;
  std::vector<BonesPoint> points_;
  std::vector<RegionDriver> drivers_;
};

}  // namespace

DrivenHelpers fitDrivenHelpers(const BonesTarget& target, std::span<const MorphRegion> regions,
                               std::span<const std::vector<int>> joints, const BindRotations& bind,
                               const RelativePoses& poses, const DriverFrames& frames,
                               const BonesFitSettings& settings) {
  if (frames.columns.empty()) return {};
  return HelpersFit(target, regions, joints, bind, poses, frames, settings).fit();
}

bool removeHelpers(const SkinSurface& surface, int node, DrivenHelpers& helpers) {
  const auto is_own = [&](const PoseDriver& driver) { return driver.node == node; };
  if (std::erase_if(helpers.drivers, is_own) == 0) return false;
  for (BonesPoint& point : helpers.fit.points) {
    for (std::size_t k = 0; k < point.bones.size(); ++k) {
      if (helpers.fit.bones[point.bones[k]].region == node) point.weights[k] = 0.0;
    }
  }
  dropIdleHelpers(helpers.fit.bones, helpers.fit.points);
  setPoints(surface, std::vector<BonesPoint>(helpers.fit.points), helpers.fit);
  return true;
}

}  // namespace clipmill::stages::tet_bake
