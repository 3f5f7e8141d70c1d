// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/driven_bake.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/units.h"
#include "stages/tet_bake/bake_report.h"
#include "stages/tet_bake/caches/tet_frames.h"
#include "stages/tet_bake/driven_data.h"
#include "stages/tet_bake/driven_helpers_bake.h"
#include "stages/tet_bake/driven_report.h"
#include "stages/tet_bake/drivers/driven_morphs.h"
#include "stages/tet_bake/dual_report.h"
#include "stages/tet_bake/for_clips.h"
#include "stages/tet_bake/keyed_morphs.h"
#include "stages/tet_bake/morphs/make_morphs.h"
#include "stages/tet_bake/morphs/positive_weights.h"
#include "stages/tet_bake/normal_fit.h"

namespace clipmill::stages::tet_bake {
namespace {

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

// Morphs with drivers, written and measured.
class MorphsBake {
 public:
  MorphsBake(const DrivenData& data, const Baked& baked) : data_(data), baked_(baked) {}

  StageOutput run() {
    DrivenMorphs morphs = fit(std::nullopt);
    StageOutput output;
    output.results.resize(data_.clips().size());
    const auto remove = [&](int node) { return removeDrivers(node, morphs); };
    errors_ = leaveWorseDrivers(data_, baked_, skinWith(morphs), remove, output.results);
    const std::vector<ClipErrors> held_out =
        heldOutErrors(data_, baked_, [&](std::size_t half) { return skinWithout(half); });
    const std::size_t count = write(std::move(morphs), output);
    reportDrivers(data_, count, errors_, held_out, output.results);
    return output;
  }

 private:
  DrivenMorphs fit(std::optional<std::size_t> left_out) const {
    return fitDrivenMorphs(baked_.before_skin, data_.rig().regions, data_.joints(), data_.bind(),
                           data_.poses(), data_.framesFor(baked_, left_out),
                           drivenFitSettings(data_.settings(), data_.threads()));
  }

  // `morphs` outlive it.
  DrivenSkin skinWith(const DrivenMorphs& morphs) const {
    return [&](std::size_t clip, std::size_t frame) {
      return skinAt(data_.scene(), data_.rig(), data_.clips()[clip], frame, morphs.fitted,
                    baked_.start[clip] + frame);
    };
  }

  DrivenSkin skinWithout(std::size_t half) const {
    const auto morphs = std::make_shared<DrivenMorphs>(fit(half));
    return [morphs, skin_of = skinWith(*morphs)](std::size_t clip, std::size_t frame) {
      return skin_of(clip, frame);
    };
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

  std::vector<MorphNormals> normalsOf(const DrivenMorphs& morphs, StageOutput& output) const {
    if (!hasNormals(data_.settings()) || morphs.fitted.empty()) return {};
    std::vector<MorphNormals> normals = fitNormals(data_.scene(), data_.rig(), data_.motions(),
                                                   baked_, morphs.fitted, data_.threads());
    for (std::size_t m = 0; m < data_.clips().size(); ++m) {
      const NormalErrors all = measureNormals(data_.scene(), data_.rig(), data_.clips()[m], baked_,
                                              m, {}, morphs.fitted, normals, data_.threads())
                                   .back();
      reportNormals(all, output.results[m]);
    }
    return normals;
  }

  // The number of drivers that are written.
  std::size_t write(DrivenMorphs morphs, StageOutput& output) {
    const std::vector<MorphNormals> normals = normalsOf(morphs, output);
    addBounds(morphs);
    NodeMorphs made =
        makeNodeMorphs(data_.scene(), data_.rig().surface, morphs.fitted, normals, data_.threads());
    const std::size_t fitted_count = made.weights.size();
    if (hasDriverBase(data_.settings())) makeWeightsPositive(made);
    if (data_.settings().deltas == TetBakeDeltas::kInt16) {
      const bool bounded = hasPositiveWeights(data_.settings());
      const std::size_t left = storeScaledAsInt16(made, fitted_count, bounded);
      if (!output.results.empty()) reportKeptFloat(left, output.results.front());
    }
    takeRanges(made, morphs);
    takeNames(made, morphs);
    std::vector<std::string> constant;
    if (made.weights.size() > fitted_count) constant.emplace_back(kBaseName);
    data_.addDriverFiles(morphs.drivers, constant, output.additions);
    addClips(std::move(made), output);
    return morphs.drivers.size();
  }

  void addClips(NodeMorphs made, StageOutput& output) {
    const Scene& scene = data_.scene();
    const std::size_t bytes = bytesOf(made.morphs);
    output.additions.morphs = std::move(made.morphs);
    const Skeleton wide = withAdditions(scene.skeleton, output.additions);
    forClips(data_.clipStarts(baked_), data_.threads(), [&](std::size_t m, int threads) {
      StageResult& result = output.results[m];
      const Motion& motion = data_.clips()[m];
      result.motion = keyedMotion(scene.skeleton, wide, motion, output.additions.morphs, made.row,
                                  made.weights, baked_.start[m]);
      reportClip(data_.rig(), baked_, m, errors_[m], result);
      reportDualQuaternions(scene, data_.rig(), motion, baked_, m, errors_[m].limbs, threads,
                            result);
      reportMorphs(data_.rig(), made.weights.size(), bytes, result);
    });
  }

  const DrivenData& data_;
  const Baked& baked_;
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
  if (settings.bake_to != TetBakeOutput::kMorph && settings.bake_to != TetBakeOutput::kBones) {
    return refused("bake_to", "is not driven by poses",
                   "set bake_to = morph, bake_to = bones or drive = clip");
  }
  if (settings.soft_tissue == TetBakeSoftTissue::kDynamic) {
    return refused("soft_tissue", "depends on more than the pose when dynamic",
                   "set soft_tissue = quasistatic or drive = clip");
  }
  return {};
}

Result<StageOutput> bakeDriven(const StageInput& input, const TetBakeSettings& settings,
                               const BakeRig& rig) {
  const DrivenData data(input, settings, rig);
  CLIPMILL_TRY(const Baked baked, data.solve());
  StageOutput output = settings.bake_to == TetBakeOutput::kBones ? bakeDrivenHelpers(data, baked)
                                                                 : MorphsBake(data, baked).run();
  if (settings.keep_tets) {
    CLIPMILL_CHECK(addTetFiles(rig, data.clips(), baked, output.additions));
  }
  return output;
}

}  // namespace clipmill::stages::tet_bake
