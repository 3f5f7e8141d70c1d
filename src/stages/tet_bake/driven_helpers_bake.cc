// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/driven_helpers_bake.h"

#include <memory>
#include <optional>

#include "core/to_size.h"
#include "stages/tet_bake/driven_report.h"
#include "stages/tet_bake/drivers/driven_helpers.h"
#include "stages/tet_bake/dual_report.h"
#include "stages/tet_bake/for_clips.h"
#include "stages/tet_bake/helper_joints.h"

namespace clipmill::stages::tet_bake {
namespace {

// Helpers with drivers, written and measured.
class HelpersBake {
 public:
  HelpersBake(const DrivenData& data, const Baked& baked)
      : data_(data), baked_(baked), kept_(keptPoints(data.scene(), data.rig().surface)) {}

  StageOutput run() {
    DrivenHelpers helpers = fit(std::nullopt);
    StageOutput output;
    output.results.resize(data_.clips().size());
    const auto remove = [&](int node) { return removeHelpers(data_.rig().surface, node, helpers); };
    const std::vector<ClipErrors> errors =
        leaveWorseDrivers(data_, baked_, skinWith(helpers), remove, output.results);
    const std::vector<ClipErrors> held_out =
        heldOutErrors(data_, baked_, [&](std::size_t half) { return skinWithout(half); });
    write(helpers, errors, output);
    reportDrivers(data_, helpers.drivers.size(), errors, held_out, output.results);
    if (!output.results.empty()) reportStillPoints(kept_, helpers.fit, output.results.front());
    return output;
  }

 private:
  DrivenHelpers fit(std::optional<std::size_t> left_out) const {
    const BonesTarget target{data_.rig().surface, baked_.world,
                             [this](std::size_t column) { return data_.worldsOf(baked_, column); },
                             kept_};
    return fitDrivenHelpers(target, data_.rig().regions, data_.joints(), data_.bind(),
                            data_.poses(), data_.framesFor(baked_, left_out),
                            bonesFitSettings(data_.settings(), data_.threads()));
  }

  // `helpers` outlive it.
  DrivenSkin skinWith(const DrivenHelpers& helpers) const {
    return [&](std::size_t clip, std::size_t frame) {
      const std::size_t column = baked_.start[clip] + frame;
      const std::vector<Affine> worlds = data_.worldsOf(baked_, column);
      return skinWithHelpers(data_.rig().surface, helpers.fit, worlds, column);
    };
  }

  DrivenSkin skinWithout(std::size_t half) const {
    const auto helpers = std::make_shared<DrivenHelpers>(fit(half));
    return [helpers, skin_of = skinWith(*helpers)](std::size_t clip, std::size_t frame) {
      return skin_of(clip, frame);
    };
  }

  void write(DrivenHelpers& helpers, std::span<const ClipErrors> errors, StageOutput& output) {
    const Scene& scene = data_.scene();
    const BonesFit& fit = helpers.fit;
    // Without any a fit need not have influences: that of no frames.
    if (!fit.bones.empty()) {
      output.additions = helperAdditions(scene, data_.rig().surface, fit, measure::kBakePrefix);
    }
    takeNames(output.additions, helpers);
    data_.addDriverFiles(helpers.drivers, {}, output.additions);
    const Skeleton after = withAdditions(scene.skeleton, output.additions);
    forClips(data_.clipStarts(baked_), data_.threads(), [&](std::size_t m, int threads) {
      StageResult& result = output.results[m];
      result.motion = keyed(helpers, m, after);
      reportClip(data_.rig(), baked_, m, errors[m], result);
      reportDualQuaternions(scene, data_.rig(), data_.clips()[m], baked_, m, errors[m].limbs,
                            threads, result);
      reportHelpers(fit, result);
    });
  }

  // The number of a helper among the joints that are added: those of a region are in the order of
  // its driver.
  static std::vector<std::size_t> numbersOf(const BonesFit& fit, const PoseDriver& driver) {
    std::vector<std::size_t> numbers;
    for (std::size_t b = 0; b < fit.bones.size(); ++b) {
      if (fit.bones[b].region == driver.node) numbers.push_back(b);
    }
    return numbers;
  }

  static void takeNames(const Additions& additions, DrivenHelpers& helpers) {
    for (PoseDriver& driver : helpers.drivers) {
      const std::vector<std::size_t> numbers = numbersOf(helpers.fit, driver);
      for (std::size_t h = 0; h < driver.helpers.size(); ++h) {
        driver.helpers[h].name = additions.joints[numbers[h]].name;
      }
    }
  }

  Motion keyed(const DrivenHelpers& helpers, std::size_t clip, const Skeleton& after) const {
    const Skeleton& before = data_.scene().skeleton;
    Motion motion = withAdditions(before, after, data_.clips()[clip]);
    for (const PoseDriver& driver : helpers.drivers) {
      const std::vector<std::size_t> numbers = numbersOf(helpers.fit, driver);
      for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
        const std::vector<double> weights =
            weightsIn(data_.poses()[baked_.start[clip] + f], driver);
        for (std::size_t h = 0; h < driver.helpers.size(); ++h) {
          const std::size_t node = before.size() + numbers[h];
          motion.frame(f).locals[node] = helperTransform(driver.helpers[h], weights);
        }
      }
      for (const std::size_t number : numbers) {
        const int node = static_cast<int>(before.size() + number);
        motion.modified.set(node, TrackPath::kTranslation);
        motion.modified.set(node, TrackPath::kRotation);
      }
    }
    return motion;
  }

  const DrivenData& data_;
  const Baked& baked_;
  std::vector<char> kept_;  // by point
};

}  // namespace

StageOutput bakeDrivenHelpers(const DrivenData& data, const Baked& baked) {
  return HelpersBake(data, baked).run();
}

}  // namespace clipmill::stages::tet_bake
