// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/skin_masks.h"

#include "checks.h"
#include "stages/tet_bake/rotating_limb.h"

TEST_SUITE_BEGIN("tet_bake.skin_masks");

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::tet_bake;
using namespace clipmill::test;

namespace {

// Two equal limbs side by side on the same bones: "limb" of skin, "plate" of steel.
Scene twoLimbs() {
  Scene scene = limbScene(kCoarseLimb);
  scene.materials.resize(2);
  scene.materials[0].name = "skin";
  scene.materials[1].name = "steel";
  scene.meshes[0].material = 0;
  SkinnedMesh plate = scene.meshes[0];
  plate.name = "plate";
  plate.primitive = 1;
  plate.material = 1;
  for (Vec3& position : plate.positions) position.x += 0.3;
  scene.meshes.push_back(std::move(plate));
  return scene;
}

// Largest correction of each mesh, metres, and whether any position differs in any bit.
struct Corrections {
  std::vector<double> max_m;
  std::vector<bool> has_changed;
};

Corrections correctionsOf(const Scene& scene, const Motion& motion, const StageOutput& output) {
  const Scene after = withAdditions(scene, output.additions);
  Corrections result{std::vector<double>(scene.meshes.size(), 0.0),
                     std::vector<bool>(scene.meshes.size(), false)};
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    const auto pose = [&](const Scene& shown, const Motion& played, std::size_t m) {
      std::vector<Affine> worlds;
      computeWorlds(shown.skeleton, played.localsOf(f), {}, worlds);
      PosedVertices posed;
      const SkinnedMesh& mesh = shown.meshes[m];
      poseMesh(mesh, &shown.skins[static_cast<std::size_t>(mesh.skin)], worlds, played.weightsOf(f),
               posed);
      return posed.positions;
    };
    for (std::size_t m = 0; m < scene.meshes.size(); ++m) {
      const std::vector<Vec3> plain = pose(scene, motion, m);
      const std::vector<Vec3> baked = pose(after, output.results[0].motion, m);
      for (std::size_t v = 0; v < plain.size(); ++v) {
        result.max_m[m] = std::max(result.max_m[m], distance(plain[v], baked[v]));
        if (plain[v] != baked[v]) result.has_changed[m] = true;
      }
    }
  }
  return result;
}

Corrections bakedWith(const Scene& scene, const Motion& motion, TetBakeSettings settings) {
  return correctionsOf(scene, motion, bakedLimb(scene, motion, std::move(settings)));
}

TetBakeSettings withMask(MaskSettings mask) {
  TetBakeSettings settings;
  settings.mask = {std::move(mask)};
  return settings;
}

}  // namespace

TEST_CASE("A mesh or material that is left out equals plain skinning bit for bit") {
  const Scene scene = twoLimbs();
  const Motion bend = rotatingLimb(scene, Vec3(1, 0, 0), 100.0);
  for (const MaskSettings& mask :
       {MaskSettings{{}, "plate", {}, 1.0}, MaskSettings{{}, {}, "st*l", 1.0}}) {
    for (const TetBakePreset preset : {TetBakePreset::kFull, TetBakePreset::kEngine}) {
      TetBakeSettings settings = withMask(mask);
      settings.preset = preset;
      settings.smoothing_passes = 2;
      const Corrections corrections = bakedWith(scene, bend, settings);
      CHECK(corrections.max_m[0] > 0.003);
      CHECK_FALSE(corrections.has_changed[1]);
    }
  }
}

TEST_CASE("A mesh that is left out gets neither helper joints nor twist joints") {
  const Scene scene = twoLimbs();
  const Motion twist = rotatingLimb(scene, Vec3(0, 0, 1), 170.0);
  for (const TetBakeOutput bake_to : {TetBakeOutput::kMorph, TetBakeOutput::kBones}) {
    TetBakeSettings settings = withMask({{}, "plate", {}, 1.0});
    settings.bake_to = bake_to;
    const Corrections corrections = bakedWith(scene, twist, settings);
    CHECK(corrections.max_m[0] > 0.01);
    CHECK(corrections.max_m[1] < 1e-12);
  }
}

TEST_CASE("A mask of stiffness 0.5 shows half of each displacement") {
  const Scene scene = limbScene(kCoarseLimb);
  const Motion bend = rotatingLimb(scene, Vec3(1, 0, 0), 100.0);
  TetBakeSettings settings;
  // neo_hookean may solve a masked limb anew, of other tissue: that depends on what is shown.
  settings.method = SolveMethod::kXpbd;
  const auto displacementsWith = [&](double stiffness) {
    settings.mask = {{{}, "limb", {}, stiffness}};
    Warnings warnings;
    settings.max_tets = kMaxTestTets;
    auto rig = makeBakeRig(scene, settings, warnings);
    CHECK_OK(rig);
    auto baked = bakeMotions(scene, *rig, std::vector<Motion>{bend}, settings, 1);
    CHECK_OK(baked);
    return std::move(*baked).world;
  };
  const PointDisplacements whole = displacementsWith(0.0), half = displacementsWith(0.5);
  double max_m = 0.0, error_m = 0.0;
  for (std::size_t p = 0; p < whole.pointCount(); ++p) {
    for (std::size_t f = 0; f < kFrames; ++f) {
      max_m = std::max(max_m, glm::length(whole.at(p, f)));
      error_m = std::max(error_m, distance(0.5 * whole.at(p, f), half.at(p, f)));
    }
  }
  CHECK(max_m > 0.003);
  CHECK(error_m < 1e-3 * max_m);
}

TEST_CASE("Without masks, and with a mask of stiffness 0, the bake is the same") {
  const Scene scene = limbScene(kCoarseLimb);
  const Motion bend = rotatingLimb(scene, Vec3(1, 0, 0), 60.0);
  const StageOutput a = bakedLimb(scene, bend);
  const StageOutput b = bakedLimb(scene, bend, withMask({"lower", {}, {}, 0.0}));
  REQUIRE(a.additions.morphs.size() == b.additions.morphs.size());
  for (std::size_t m = 0; m < a.additions.morphs.size(); ++m) {
    CHECK(a.results[0].motion.weights == b.results[0].motion.weights);
  }
}

TEST_CASE("With its only joint left out a limb is not baked") {
  const Scene scene = limbScene(kCoarseLimb);
  const Motion bend = rotatingLimb(scene, Vec3(1, 0, 0), 100.0);
  for (const TetBakePreset preset : {TetBakePreset::kFull, TetBakePreset::kEngine}) {
    TetBakeSettings settings = withMask({"low*", {}, {}, 1.0});
    settings.preset = preset;
    const StageOutput output = bakedLimb(scene, bend, settings);
    CHECK(output.additions.morphs.empty());
    CHECK_FALSE(correctionsOf(scene, bend, output).has_changed[0]);
  }
}

TEST_CASE("Masks without a name, and with a name that nothing has, are errors") {
  const Scene scene = twoLimbs();
  const auto errorOf = [&](MaskSettings mask) {
    const Status status = checkMasks(scene, std::vector<MaskSettings>{std::move(mask)});
    REQUIRE(!status);
    return status.error();
  };
  CHECK(errorOf({}).code == ErrorCode::kRecipe);
  CHECK(errorOf({"elbow", {}, {}, 1.0}).code == ErrorCode::kNotFound);
  CHECK(errorOf({{}, "plat", {}, 1.0}).remedy == "did you mean 'plate'?");
  CHECK(errorOf({{}, {}, "stel", 1.0}).remedy == "did you mean 'steel'?");
  CHECK(checkMasks(scene, std::vector<MaskSettings>{{"lower", "plate", "steel", 0.5}}));
}

TEST_SUITE_END();
