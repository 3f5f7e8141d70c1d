// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/driven_bake.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/to_size.h"
#include "core/units.h"
#include "stages/tet_bake/bake_report.h"
#include "stages/tet_bake/caches/tet_frames.h"
#include "stages/tet_bake/drivers/driven_morphs.h"
#include "stages/tet_bake/drivers/driver_text.h"
#include "stages/tet_bake/drivers/pose_samples.h"
#include "stages/tet_bake/drivers/region_joints.h"
#include "stages/tet_bake/dual_report.h"
#include "stages/tet_bake/for_clips.h"
#include "stages/tet_bake/keyed_morphs.h"
#include "stages/tet_bake/morphs/make_morphs.h"
#include "stages/tet_bake/morphs/positive_weights.h"
#include "stages/tet_bake/normal_fit.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr const char* kDriversKey = "clipmill_drivers";
constexpr const char* kDriversEnding = ".drivers.json";
constexpr std::size_t kMaxClipFrames = 300;
// Parts of the examples for cross-validation.
constexpr std::size_t kDriverParts = 4;
// All samples together weigh as much as so many times all frames of the clips.
constexpr double kSamplesWeight = 0.5;

bool hasDriverBase(const TetBakeSettings& settings) {
  return hasPositiveWeights(settings) && maxMorphs(settings) != 1;
}

DrivenFitSettings drivenFitSettings(const TetBakeSettings& settings, int threads) {
  DrivenFitSettings fit;
  fit.rms_m = toleranceMm(settings) * kMetresInMillimetre;
  fit.most = maxMorphs(settings);
  // The base is one of them.
  if (hasDriverBase(settings) && fit.most > 0) --fit.most;
  fit.threads = threads;
  return fit;
}

// The part of the frames of a clip, by clip where there are enough of them.
int driverPartOf(std::size_t clip, std::size_t clip_count, std::size_t frame,
                 std::size_t frame_count) {
  if (clip_count >= kDriverParts) return static_cast<int>(clip % kDriverParts);
  return static_cast<int>((clip + kDriverParts * frame / frame_count) % kDriverParts);
}

// What drivers are fitted to and measured on: all clips, and the samples behind them.
class DrivenBake {
 public:
  DrivenBake(const StageInput& input, const TetBakeSettings& settings, const BakeRig& rig)
      : scene_(input.scene),
        settings_(settings),
        rig_(rig),
        threads_(input.threads),
        clip_count_(input.motions.size()),
        bind_(input.scene, rig.bones) {
    const std::span<const Motion> motions = input.motions;
    const std::vector<char> is_animated = animatedNodes(scene_.skeleton, motions);
    joints_ = jointsOfRegions(rig.surface, scene_.skeleton, rig.regions, is_animated);
    motions_.assign(motions.begin(), motions.end());
    addSamples();
    for (const Motion& motion : motions_) addPoses(motion);
  }

  Result<StageOutput> run() {
    CLIPMILL_TRY(const Baked baked, bakeMotions(scene_, rig_, motions_, settings_, threads_));
    DrivenMorphs morphs = fit(baked, std::nullopt);
    StageOutput output;
    output.results.resize(clip_count_);
    leaveWorse(baked, morphs, output);
    const std::vector<ClipErrors> unknown = unknownErrors(baked);
    CLIPMILL_CHECK(write(baked, std::move(morphs), output));
    reportUnknown(unknown, output);
    if (settings_.keep_tets) {
      const auto clips = std::span<const Motion>(motions_).first(clip_count_);
      CLIPMILL_CHECK(addTetFiles(rig_, clips, baked, output.additions));
    }
    return output;
  }

 private:
  bool hasSamples() const { return motions_.size() > clip_count_; }

  void addSamples() {
    std::set<int> nodes;
    for (const std::vector<int>& joints : joints_) nodes.insert(joints.begin(), joints.end());
    const auto count = settings_.pose_samples.value_or(kDefaultPoseSamples);
    if (count == 0 || nodes.empty() || clip_count_ == 0) return;
    const double variation_deg = settings_.pose_variation_deg.value_or(kDefaultPoseVariation_deg);
    const std::vector<int> all(nodes.begin(), nodes.end());
    Motion samples =
        samplePoses(scene_, bind_, motions_, all, {toSize(count), variation_deg * kDegree});
    motions_.push_back(std::move(samples));
  }

  void addPoses(const Motion& motion) {
    for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
      std::vector<Quat>& pose = poses_.emplace_back();
      for (std::size_t n = 0; n < scene_.skeleton.size(); ++n) {
        pose.push_back(bind_.relative(static_cast<int>(n), motion.localsOf(f)));
      }
    }
  }

  // All frames but those of a half of the clips; of many frames some.
  DriverFrames framesFor(const Baked& baked, std::optional<std::size_t> left_out) const {
    DriverFrames frames;
    const std::size_t clip_frames = baked.start[clip_count_];
    const std::size_t step =
        std::max<std::size_t>(1, (clip_frames + kMaxClipFrames - 1) / kMaxClipFrames);
    for (std::size_t m = 0; m < clip_count_; ++m) {
      if (left_out && m % kClipHalves == *left_out) continue;
      const std::size_t count = baked.start[m + 1] - baked.start[m];
      // Frames of a clip are counted from the start of all, so that short clips have some too.
      for (std::size_t f = (step - baked.start[m] % step) % step; f < count; f += step) {
        frames.columns.push_back(baked.start[m] + f);
        frames.parts.push_back(driverPartOf(m, clip_count_, f, count));
      }
    }
    frames.weights.assign(frames.columns.size(), 1.0);
    if (hasSamples()) addSamplesTo(baked, left_out, frames);
    return frames;
  }

  void addSamplesTo(const Baked& baked, std::optional<std::size_t> left_out,
                    DriverFrames& frames) const {
    const auto clip_frames = static_cast<double>(frames.columns.size());
    const std::size_t first = baked.start[clip_count_];
    const std::size_t count = baked.start.back() - first;
    for (std::size_t s = 0; s < count; ++s) {
      if (left_out && s % kClipHalves == *left_out) continue;
      frames.columns.push_back(first + s);
      frames.parts.push_back(static_cast<int>(s % kDriverParts));
    }
    const double samples = static_cast<double>(frames.columns.size()) - clip_frames;
    frames.weights.resize(frames.columns.size(), kSamplesWeight * clip_frames / samples);
  }

  DrivenMorphs fit(const Baked& baked, std::optional<std::size_t> left_out) const {
    return fitDrivenMorphs(baked.before_skin, rig_.regions, joints_, bind_, poses_,
                           framesFor(baked, left_out), drivenFitSettings(settings_, threads_));
  }

  ClipErrors measured(const Baked& baked, const DrivenMorphs& morphs, std::size_t clip,
                      int threads) const {
    const auto skin_of = [&](std::size_t frame) {
      return skinAt(scene_, rig_, motions_[clip], frame, morphs.fitted, baked.start[clip] + frame);
    };
    return measureSkin(scene_, rig_, motions_[clip], baked, clip, skin_of, threads, rig_.regions,
                       &rig_.quality);
  }

  std::vector<ClipErrors> measuredClips(const Baked& baked, const DrivenMorphs& morphs) const {
    std::vector<ClipErrors> errors(clip_count_);
    const auto start = std::span(baked.start).first(clip_count_ + 1);
    forClips(start, threads_, [&](std::size_t clip, int threads) {
      errors[clip] = measured(baked, morphs, clip, threads);
    });
    return errors;
  }

  // Joints keep plain skinning that are farther from the solved surface with their driver.
  void leaveWorse(const Baked& baked, DrivenMorphs& morphs, StageOutput& output) {
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      errors_ = measuredClips(baked, morphs);
      for (std::size_t r = 0; r < rig_.regions.size(); ++r) {
        RegionErrors sum;
        for (const ClipErrors& errors : errors_) {
          sum.skinned += errors.regions[r].skinned;
          sum.morphed += errors.regions[r].morphed;
        }
        const std::size_t before = morphs.drivers.size();
        if (sum.morphed > sum.skinned) removeDrivers(rig_.regions[r].node, morphs);
        if (morphs.drivers.size() == before) continue;
        has_changed = true;
        output.results.front().warnings.add(
            "worse_than_skinning",
            "the driver of a joint is worse than plain skinning in the clips, and the joint keeps "
            "plain skinning",
            scene_.skeleton.nodes[toSize(rig_.regions[r].node)].name);
      }
    }
  }

  // Errors of each clip with drivers fitted to the other half of the clips.
  std::vector<ClipErrors> unknownErrors(const Baked& baked) const {
    std::vector<ClipErrors> errors(clip_count_);
    if (clip_count_ < kClipHalves) return {};
    for (std::size_t half = 0; half < kClipHalves; ++half) {
      const DrivenMorphs morphs = fit(baked, half);
      const auto start = std::span(baked.start).first(clip_count_ + 1);
      forClips(start, threads_, [&](std::size_t clip, int threads) {
        if (clip % kClipHalves == half) {
          errors[clip] =
              measureClip(scene_, rig_, motions_[clip], baked, clip, morphs.fitted, threads);
        }
      });
    }
    return errors;
  }

  static void reportUnknown(std::span<const ClipErrors> errors, StageOutput& output) {
    for (std::size_t clip = 0; clip < errors.size(); ++clip) {
      const SkinErrors& left = errors[clip].morphed;
      const auto add = [&](const char* name, double metres) {
        output.results[clip].metrics.push_back({name, std::nullopt, kMillimetresInMetre * metres});
      };
      add("held_out_error_rms_mm", left.rms_m);
      add("held_out_error_p99_mm", left.p99_m);
    }
  }

  // Weights of the morphs in all poses that there are lie between the values of their centers: two
  // more frames have the least and the largest, so that these determine the range of the weights.
  static void addBounds(DrivenMorphs& morphs) {
    std::size_t index = 0;
    for (const PoseDriver& driver : morphs.drivers) {
      for (const DrivenMorph& morph : driver.morphs) {
        const auto [least, most] = std::minmax_element(morph.values.begin(), morph.values.end());
        std::vector<double>& weights = morphs.fitted[index++].weights;
        weights.push_back(*least);
        weights.push_back(*most);
      }
    }
  }

  // The values of the drivers for weights in the range of `made`.
  static void takeRanges(const NodeMorphs& made, DrivenMorphs& morphs) {
    std::size_t index = 0;
    for (PoseDriver& driver : morphs.drivers) {
      for (DrivenMorph& morph : driver.morphs) {
        const std::vector<double>& weights = made.weights[index++];
        const auto bounds = std::minmax_element(morph.values.begin(), morph.values.end());
        const double least = *bounds.first, most = *bounds.second;
        const double low = weights[weights.size() - 2], high = weights.back();
        const double factor = most > least ? (high - low) / (most - least) : 1.0;
        for (double& value : morph.values) value = low + factor * (value - least);
      }
    }
  }

  // Names of the morphs in the file; those that move no vertex have none and are left out.
  static void takeNames(const NodeMorphs& made, DrivenMorphs& morphs) {
    std::map<std::size_t, std::string> names;
    for (std::size_t m = 0; m < made.morphs.size(); ++m) names[made.row[m]] = made.morphs[m].name;
    std::size_t index = 0;
    for (PoseDriver& driver : morphs.drivers) {
      for (DrivenMorph& morph : driver.morphs) morph.name = names[index++];
      std::erase_if(driver.morphs, [](const DrivenMorph& morph) { return morph.name.empty(); });
    }
    std::erase_if(morphs.drivers, [](const PoseDriver& driver) { return driver.morphs.empty(); });
  }

  std::vector<MorphNormals> normalsOf(const Baked& baked, const DrivenMorphs& morphs,
                                      StageOutput& output) const {
    if (!hasNormals(settings_) || morphs.fitted.empty()) return {};
    std::vector<MorphNormals> normals =
        fitNormals(scene_, rig_, motions_, baked, morphs.fitted, threads_);
    for (std::size_t m = 0; m < clip_count_; ++m) {
      const NormalErrors all =
          measureNormals(scene_, rig_, motions_[m], baked, m, {}, morphs.fitted, normals, threads_)
              .back();
      reportNormals(all, output.results[m]);
    }
    return normals;
  }

  void addDriverFiles(const DrivenMorphs& morphs, bool has_base, Additions& additions) const {
    if (morphs.drivers.empty()) return;
    std::vector<std::string> constant;
    if (has_base) constant.emplace_back(kBaseName);
    const auto textOf = [&](bool with_lines) {
      return driversJson(scene_.skeleton, bind_, morphs.drivers, constant, with_lines);
    };
    const std::string lines = textOf(true) + "\n";
    const auto bytes = asBytes(lines);
    additions.files.push_back({kDriversEnding, Bytes(bytes.begin(), bytes.end())});
    additions.extras.push_back({kDriversKey, textOf(false)});
  }

  Status write(const Baked& baked, DrivenMorphs morphs, StageOutput& output) {
    const std::vector<MorphNormals> normals = normalsOf(baked, morphs, output);
    addBounds(morphs);
    NodeMorphs made = makeNodeMorphs(scene_, rig_.surface, morphs.fitted, normals, threads_);
    const std::size_t fitted_count = made.weights.size();
    if (hasDriverBase(settings_)) makeWeightsPositive(made);
    takeRanges(made, morphs);
    takeNames(made, morphs);
    addDriverFiles(morphs, made.weights.size() > fitted_count, output.additions);
    const std::size_t bytes = bytesOf(made.morphs);
    output.additions.morphs = std::move(made.morphs);
    const Skeleton wide = withAdditions(scene_.skeleton, output.additions);
    const auto start = std::span(baked.start).first(clip_count_ + 1);
    forClips(start, threads_, [&](std::size_t m, int threads) {
      StageResult& result = output.results[m];
      result.motion = keyedMotion(scene_.skeleton, wide, motions_[m], output.additions.morphs,
                                  made.row, made.weights, baked.start[m]);
      reportClip(rig_, baked, m, errors_[m], result);
      reportDualQuaternions(scene_, rig_, motions_[m], baked, m, errors_[m].limbs, threads, result);
      reportMorphs(rig_, made.weights.size(), bytes, result);
      result.metrics.push_back(
          {"drivers", std::nullopt, static_cast<double>(morphs.drivers.size())});
      reportWorseFrames(errors_[m], result);
    });
    return {};
  }

  // Frames of joints that are worse than plain skinning: a driver does not know the clip.
  void reportWorseFrames(const ClipErrors& errors, StageResult& result) const {
    for (std::size_t r = 0; r < errors.worse.size(); ++r) {
      for (const WorseBy reason : errors.worse[r]) {
        if (reason == WorseBy::kNothing) continue;
        result.warnings.add("driver_worse_in_frame",
                            "a joint is worse than with plain skinning in a frame of a clip; its "
                            "driver does not fade there",
                            result.motion.clip_name + ", " +
                                scene_.skeleton.nodes[toSize(rig_.regions[r].node)].name + " (" +
                                nameOf(reason) + ")");
      }
    }
  }

  const Scene& scene_;
  const TetBakeSettings& settings_;
  const BakeRig& rig_;
  int threads_;
  std::size_t clip_count_;
  BindRotations bind_;
  std::vector<std::vector<int>> joints_;  // by region
  std::vector<Motion> motions_;           // of the clips, then the samples
  RelativePoses poses_;
  std::vector<ClipErrors> errors_;  // of the clips
};

}  // namespace

Status checkDriveSettings(const TetBakeSettings& settings) {
  const auto refused = [](const char* key, const char* message, const char* remedy) {
    return Error{ErrorCode::kRecipe, key, message, remedy};
  };
  if (settings.drive == TetBakeDrive::kClip) {
    if (!settings.pose_samples && !settings.pose_variation_deg) return {};
    return refused(settings.pose_samples ? "pose_samples" : "pose_variation_deg",
                   "has no effect on morphs with keys alone", "set drive = pose, or leave it out");
  }
  if (settings.bake_to != TetBakeOutput::kMorph) {
    return refused("bake_to", "is not driven by poses", "set bake_to = morph or drive = clip");
  }
  if (settings.soft_tissue == TetBakeSoftTissue::kDynamic) {
    return refused("soft_tissue", "depends on more than the pose when dynamic",
                   "set soft_tissue = quasistatic or drive = clip");
  }
  if (settings.deltas == TetBakeDeltas::kInt16) {
    return refused("deltas", "changes the scale of weights when int16, which drivers do not know",
                   "set deltas = float or drive = clip");
  }
  return {};
}

Result<StageOutput> bakeDriven(const StageInput& input, const TetBakeSettings& settings,
                               const BakeRig& rig) {
  return DrivenBake(input, settings, rig).run();
}

}  // namespace clipmill::stages::tet_bake
