// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "checks.h"
#include "stages/tet_bake/skin_quality.h"

TEST_SUITE_BEGIN("tet_bake.worse_frames");

namespace {

using namespace clipmill::stages::tet_bake;

// Two frames of two regions; plain skinning is worst in the first region of the second frame.
std::vector<std::vector<RegionQuality>> clip() {
  std::vector<std::vector<RegionQuality>> frames(2, std::vector<RegionQuality>(2));
  for (auto& frame : frames) {
    for (RegionQuality& region : frame) {
      region.edges = 100;
      region.skinned_stretch = 0.1;
    }
  }
  frames[1][0].skinned_stretch = 0.2;
  frames[1][0].skinned_folds = 3;
  return frames;
}

}  // namespace

TEST_CASE("Strain counts against the worst that plain skinning has in the clip") {
  auto frames = clip();
  frames[0][1].baked_stretch = 0.21;
  CHECK(stretchLimit(frames, ClipLimits{}) == 0.2);
  CHECK(stretchLimit(frames, {.stretch_share = 0.5}) == 0.1);
  CHECK(stretchLimit(frames, {.free_stretch = 0.3}) == 0.3);
  CHECK(worseFrames(frames, 2, ClipLimits{})[1][0] == WorseBy::kStretch);
  CHECK(worseFrames(frames, 2, ClipLimits{})[1][1] == WorseBy::kNothing);
  CHECK(worseFrames(frames, 2, ClipLimits{.stretch_share = 1.1})[1][0] == WorseBy::kNothing);
  CHECK(worseFrames(frames, 2, ClipLimits{.free_stretch = 0.25})[1][0] == WorseBy::kNothing);
  CHECK(worseFrames(frames, 2, std::nullopt)[1][0] == WorseBy::kNothing);
}

TEST_CASE(
    "Flipped edges count where all regions have more than plain skinning in its worst frame") {
  auto frames = clip();
  frames[0][0].baked_folds = 2;
  frames[0][1].baked_folds = 1;
  CHECK(worseFrames(frames, 2, ClipLimits{})[0][0] == WorseBy::kNothing);
  frames[0][1].baked_folds = 2;
  CHECK(worseFrames(frames, 2, ClipLimits{})[0][0] == WorseBy::kFolds);
  CHECK(worseFrames(frames, 2, ClipLimits{})[1][0] == WorseBy::kFolds);
  CHECK(worseFrames(frames, 2, std::nullopt)[0][0] == WorseBy::kNothing);
  // A region that has no more than with plain skinning is not to blame.
  frames[0][0].skinned_folds = 2;
  CHECK(worseFrames(frames, 2, ClipLimits{})[0][0] == WorseBy::kNothing);
}

TEST_CASE("A single frame may not have far more than plain skinning has in it") {
  auto frames = clip();
  frames[0][0].baked_folds = 4;
  CHECK(worseFrames(frames, 2, std::nullopt)[0][0] == WorseBy::kFolds);
  frames[0][0].baked_folds = 3;
  CHECK(worseFrames(frames, 2, std::nullopt)[0][0] == WorseBy::kNothing);
}

TEST_SUITE_END();
