// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tet_bake.h"

#include <cstring>

#include "checks.h"
#include "core/instruction_set_simd.h"
#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/rotating_limb.h"

TEST_SUITE_BEGIN("tet_bake.stage");

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::tet_bake;
using namespace clipmill::test;

TEST_CASE("A limb bent by 90 degrees keeps its volume, where plain skinning loses what it must") {
  const Scene scene = limbScene();
  const Motion motion = rotatingLimb(scene, Vec3(1, 0, 0), 90.0);
  const double rest = volumeOf(scene.meshes[0], scene.meshes[0].positions);
  // 6.43 % of a limb of eight radii, times the square of the sine of half the angle.
  CHECK(volumeAt(scene, motion, kFrames - 1) / rest - 1.0 == nearTo(-0.0643 * 0.5, 0.03));
  const StageOutput output = bakedLimb(scene, motion);
  const Scene after = withAdditions(scene, output.additions);
  CHECK(std::abs(volumeAt(after, output.results[0].motion, kFrames - 1) / rest - 1.0) <= 0.02);
  CHECK(volumeAt(after, output.results[0].motion, 0) / rest == nearTo(1.0, 1e-4));
  CHECK(metricOf(output.results[0], "skin_error_rms_mm") <= 0.5);
  // Dual quaternions about one joint keep the volume too, but bulge.
  CHECK(metricOf(output.results[0], "dual_quaternion_min_limb_volume_percent") ==
        nearTo(100.0, 0.005));
  CHECK(metricOf(output.results[0], "dual_quaternion_error_rms_mm") > 0.5);
}

TEST_CASE("A limb twisted by 135 degrees keeps within 2 % of its volume") {
  const Scene scene = limbScene();
  const Motion motion = rotatingLimb(scene, Vec3(0, 0, 1), 135.0);
  const double rest = volumeOf(scene.meshes[0], scene.meshes[0].positions);
  CHECK(volumeAt(scene, motion, kFrames - 1) / rest < 0.9);
  const StageOutput output = bakedLimb(scene, motion);
  const Scene after = withAdditions(scene, output.additions);
  CHECK(std::abs(volumeAt(after, output.results[0].motion, kFrames - 1) / rest - 1.0) <= 0.02);
}

TEST_CASE("A limb that is carried but not bent needs no morph") {
  const Scene scene = limbScene();
  const StageOutput output = bakedLimb(scene, rotatingLimb(scene, Vec3(1, 0, 0), 0.0));
  CHECK(output.additions.morphs.empty());
  CHECK(output.results[0].motion.modified.none());
}

TEST_CASE("A limb that penetrates another one rotates by itself") {
  // Two limbs with the same middle, as a doll has them, of no common bone: one across the other.
  Scene scene = limbScene();
  const Quat across = rotationAbout(Vec3(1, 0, 0), 90.0 * kDegree);
  const Vec3 head = across * scene.skeleton.nodes[0].rest.translation;
  scene.skeleton.nodes.push_back({"upper 2", -1, 3, {head, kIdentityRotation, Vec3(1)}});
  scene.skeleton.nodes.push_back({"lower 2", 3, 4, {-head, kIdentityRotation, Vec3(1)}});
  scene.skins.push_back({"skin 2", {3, 4}, {{Mat3(1.0), -head}, {Mat3(1.0), Vec3(0.0)}}});
  SkinnedMesh second = scene.meshes[0];
  second.skin = 1;
  for (Vec3& position : second.positions) position = across * position;
  scene.meshes.push_back(second);
  Motion motion = rotatingLimb(scene, Vec3(1, 0, 0), 0.0);
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    motion.frame(f).locals[3].rotation =
        rotationAbout(Vec3(0, 0, 1), 60.0 * kDegree * static_cast<double>(f) / (kFrames - 1));
  }
  const StageOutput output = bakedLimb(scene, motion);
  CHECK(output.additions.morphs.empty());
  CHECK(metricOf(output.results[0], "skin_error_max_mm") <= 0.01);
}

namespace {

void checkSame(const StageOutput& a, const StageOutput& b) {
  REQUIRE(a.additions.morphs.size() == b.additions.morphs.size());
  for (std::size_t m = 0; m < a.additions.morphs.size(); ++m) {
    CHECK(a.additions.morphs[m].position_deltas == b.additions.morphs[m].position_deltas);
    CHECK(a.additions.morphs[m].normal_deltas == b.additions.morphs[m].normal_deltas);
  }
  CHECK(a.results[0].motion.weights == b.results[0].motion.weights);
}

}  // namespace

TEST_CASE("A bake has the same bits for any number of threads, and any vectors of the machine") {
  const Scene scene = limbScene(kCoarseLimb);
  const Motion motion = rotatingLimb(scene, Vec3(1, 0, 0), 60.0);
  const StageOutput expected = bakedLimb(scene, motion);
  REQUIRE_FALSE(expected.additions.morphs.empty());
  for (const int threads : {2, 8}) checkSame(expected, bakedLimb(scene, motion, {}, threads));
  for (const std::string& name : instructionSets()) {
    CAPTURE(name);
    useInstructionSet(name);
    const StageOutput output = bakedLimb(scene, motion, {}, 2);
    useBestInstructionSet();
    checkSame(expected, output);
  }
}

TEST_CASE("A clip of one frame is baked, and one of none") {
  const Scene scene = limbScene();
  Motion motion = rotatingLimb(scene, Vec3(1, 0, 0), 90.0);
  // The last frame alone, as a pose.
  motion.locals.erase(motion.locals.begin(), motion.locals.end() - 3);
  motion.grid = makeGrid(0.0, 0.0, 30.0);
  REQUIRE(motion.grid.frame_count == 1);
  const StageOutput output = bakedLimb(scene, motion);
  CHECK(output.additions.morphs.size() == 1);
  const Scene after = withAdditions(scene, output.additions);
  const double rest = volumeOf(scene.meshes[0], scene.meshes[0].positions);
  CHECK(volumeAt(scene, motion, 0) / rest < 0.98);
  CHECK(std::abs(volumeAt(after, output.results[0].motion, 0) / rest - 1.0) <= 0.02);
  const auto nothing = runTetBake({scene, {}, 1}, {});
  CHECK_OK(nothing);
  CHECK(nothing->results.empty());
}

TEST_CASE("A limb folded upon itself and flattened gives finite morphs, and reports crushed tets") {
  const Scene scene = limbScene();
  Motion motion = rotatingLimb(scene, Vec3(1, 0, 0), 180.0);
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    motion.frame(f).locals[1].scale = Vec3(1.0, 1.0, 1.0 - 0.11 * static_cast<double>(f));
  }
  const StageOutput output = bakedLimb(scene, motion);
  for (const AddedMorph& morph : output.additions.morphs) {
    for (const Vec3& delta : morph.position_deltas) {
      REQUIRE(isFinite(delta));
      // A corrected point goes no farther than twice the radius of its limb.
      CHECK(glm::length(delta) < 0.5);
    }
  }
  for (const double weight : output.results[0].motion.weights) {
    REQUIRE(std::isfinite(weight));
    CHECK(std::abs(weight) <= 1.0);
  }
  CHECK(metricOf(output.results[0], "max_inverted_tets") > 0.0);
}

TEST_CASE("A bake that would not fit into memory is refused before it starts") {
  const Scene scene = limbScene();
  TetBakeSettings settings;
  Warnings warnings;
  const auto rig = stages::tet_bake::makeBakeRig(scene, settings, warnings);
  CHECK_OK(rig);
  Motion endless = rotatingLimb(scene, Vec3(1, 0, 0), 60.0);
  endless.grid.frame_count = 1'000'000;
  const std::vector<Motion> motions = {endless};
  const auto refused = stages::tet_bake::bakeMotions(scene, *rig, motions, settings, 1);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kLimit);
  CHECK(refused.error().remedy.find("--clip") != std::string::npos);
}

TEST_CASE("A preset bounds the number of morphs") {
  const Scene scene = limbScene();
  TetBakeSettings settings;
  settings.tolerance_mm = 1e-3;
  settings.preset = TetBakePreset::kWeb8;
  settings.smoothing_ms = 0.0;  // Steadied corrections need no more than seven.
  const StageOutput output = bakedLimb(scene, rotatingLimb(scene, Vec3(1, 0, 0), 120.0), settings);
  CHECK(output.additions.morphs.size() == 8);
  for (const AddedMorph& morph : output.additions.morphs) {
    CHECK(morph.normal_deltas.empty());
    CHECK(morph.name != "bake_base");
  }
}

TEST_CASE("Preset engine rounds weights to what bytes can be, by half a step at most") {
  const Scene scene = limbScene();
  const Motion motion = rotatingLimb(scene, Vec3(1, 0, 0), 120.0);
  const auto weightsOf = [&](TetBakePreset preset) {
    TetBakeSettings settings;
    settings.preset = preset;
    settings.max_morphs = 4;
    settings.tolerance_mm = 0.5;
    StageOutput output = bakedLimb(scene, motion, settings);
    CHECK(output.additions.morphs.size() > 1);
    std::vector<double> weights;
    for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
      const auto frame = output.results.front().motion.frame(f).weights;
      weights.insert(weights.end(), frame.begin(), frame.end());
    }
    return weights;
  };
  const std::vector<double> full = weightsOf(TetBakePreset::kFull);
  const std::vector<double> engine = weightsOf(TetBakePreset::kEngine);
  REQUIRE(full.size() == engine.size());
  bool has_changed = false;
  for (std::size_t i = 0; i < full.size(); ++i) {
    CHECK(std::abs(full[i] - engine[i]) <= 0.5 / 255.0 + 1e-12);
    CHECK(std::abs(std::round(engine[i] * 255.0) / 255.0 - engine[i]) < 1e-15);
    has_changed = has_changed || full[i] != engine[i];
  }
  CHECK(has_changed);
}

TEST_CASE("Files beside the output have clip names as output names have them") {
  const Scene scene = limbScene();
  TetBakeSettings settings;
  settings.bake_to = TetBakeOutput::kPc2;
  for (const auto& [name, suffix] :
       {std::pair{"\xe6\xad\xa9\xe3\x81\x8f", "_\xe6\xad\xa9\xe3\x81\x8f_mesh.pc2"},
        std::pair{"\xe8\xb5\xb0\xe3\x82\x8b", "_\xe8\xb5\xb0\xe3\x82\x8b_mesh.pc2"},
        std::pair{"Armature|walk 1", "_Armature_walk 1_mesh.pc2"}}) {
    Motion motion = rotatingLimb(scene, Vec3(1, 0, 0), 30.0);
    motion.clip_name = name;
    const StageOutput output = bakedLimb(scene, motion, settings);
    REQUIRE(output.additions.files.size() == 1);
    CHECK(output.additions.files[0].suffix == suffix);
  }
}

TEST_CASE("Point caches hold the solved surface and leave the clip as it is") {
  const Scene scene = limbScene();
  const Motion motion = rotatingLimb(scene, Vec3(1, 0, 0), 90.0);
  TetBakeSettings settings;
  settings.bake_to = TetBakeOutput::kPc2;
  const StageOutput output = bakedLimb(scene, motion, settings);
  CHECK(output.additions.morphs.empty());
  CHECK(output.results[0].motion.modified.none());
  REQUIRE(output.additions.files.size() == 1);
  CHECK(output.additions.files[0].suffix == "_Bend_mesh.pc2");
  const Bytes& bytes = output.additions.files[0].bytes;
  const std::size_t vertices = scene.meshes[0].vertexCount();
  REQUIRE(bytes.size() == 32 + kFrames * vertices * 12);
  CHECK(asText(bytes).substr(0, 11) == "POINTCACHE2");
  std::vector<Vec3> positions;
  const std::byte* last = bytes.data() + 32 + (kFrames - 1) * vertices * 12;
  for (std::size_t v = 0; v < vertices; ++v) {
    float xyz[3];
    std::memcpy(xyz, last + v * 12, sizeof xyz);
    positions.emplace_back(xyz[0], xyz[1], xyz[2]);
  }
  const double rest = volumeOf(scene.meshes[0], scene.meshes[0].positions);
  CHECK(std::abs(volumeOf(scene.meshes[0], positions) / rest - 1.0) <= 0.02);
}

TEST_CASE("A file without a skin is refused") {
  Scene scene = limbScene();
  scene.meshes[0].skin = -1;
  const std::vector<Motion> motions = {rotatingLimb(scene, Vec3(1, 0, 0), 90.0)};
  const auto refused = runTetBake({scene, motions, 1}, {});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kUnsupported);
}

TEST_CASE(
    "Dynamic soft tissue lags behind a fast rotating bone, with the same bits on any threads") {
  const Scene scene = limbScene();
  const Motion motion = rotatingLimb(scene, Vec3(1, 0, 0), 90.0);
  TetBakeSettings settings;
  settings.soft_tissue = TetBakeSoftTissue::kDynamic;
  settings.jiggle = 1.0;
  settings.max_tets = 3000;
  const StageOutput one = bakedLimb(scene, motion, settings);
  CHECK(metricOf(one.results[0], "soft_tissue_swing_rms_mm") > 0.1);
  CHECK(metricOf(one.results[0], "soft_tissue_passes") == 1.0);
  const StageOutput two = bakedLimb(scene, motion, settings, 2);
  CHECK(one.results[0].motion.weights == two.results[0].motion.weights);
  // A bone that does not rotate leaves it where it is.
  const StageOutput still = bakedLimb(scene, rotatingLimb(scene, Vec3(1, 0, 0), 0.0), settings);
  CHECK(metricOf(still.results[0], "soft_tissue_swing_max_mm") <= 0.01);
}

TEST_CASE(
    "However a character is jolted, its soft tissue swings by less than 3 percent of its size") {
  const Scene scene = limbScene();
  Motion motion = rotatingLimb(scene, Vec3(1, 0, 0), 90.0);
  // Two metres to the side within a frame.
  for (std::size_t f = 5; f < kFrames; ++f) motion.frame(f).locals[0].translation.x += 2.0;
  Vec3 low = scene.meshes[0].positions[0], high = low;
  for (const Vec3& position : scene.meshes[0].positions) {
    low = glm::min(low, position);
    high = glm::max(high, position);
  }
  const double size_mm = 1e3 * std::max({high.x - low.x, high.y - low.y, high.z - low.z});
  TetBakeSettings settings;
  settings.soft_tissue = TetBakeSoftTissue::kDynamic;
  settings.jiggle = 1.0;
  settings.max_tets = 3000;
  const double max_mm =
      metricOf(bakedLimb(scene, motion, settings).results[0], "soft_tissue_swing_max_mm");
  CHECK(max_mm <= 0.03 * size_mm + 1e-3);
  CHECK(max_mm >= 0.02 * size_mm);
}

TEST_CASE("Settings of dynamic tissue without it are an error that names the setting") {
  const Scene scene = limbScene(kCoarseLimb);
  const std::vector<Motion> motions = {rotatingLimb(scene, Vec3(1, 0, 0), 10.0)};
  TetBakeSettings jiggle, settle;
  jiggle.jiggle = 0.5;
  settle.settle_s = 1.0;
  const auto refused = runTetBake({scene, motions, 1}, jiggle);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().location == "jiggle");
  const auto other = runTetBake({scene, motions, 1}, settle);
  REQUIRE_FALSE(other.ok());
  CHECK(other.error().location == "settle_s");
}

TEST_CASE("Where nothing is baked a warning reports it") {
  Scene scene = limbScene(kCoarseLimb);
  const Motion motion = rotatingLimb(scene, Vec3(1, 0, 0), 90.0);
  CHECK(bakedLimb(scene, motion).results[0].warnings.count("nothing_to_bake") == 0);
  for (std::size_t i = 0; i < scene.meshes[0].influences.size(); ++i) {
    scene.meshes[0].influences[i] = {static_cast<std::uint32_t>(i % 2), i % 2 == 0 ? 0.0 : 1.0};
  }
  CHECK(bakedLimb(scene, motion).results[0].warnings.count("nothing_to_bake") == 1);
}

TEST_CASE("Textures are named by clip and node, and hold positions to half a millimetre") {
  const Scene scene = limbScene();
  TetBakeSettings settings;
  settings.bake_to = TetBakeOutput::kVat;
  const StageOutput output = bakedLimb(scene, rotatingLimb(scene, Vec3(1, 0, 0), 90.0), settings);
  std::vector<std::string> names;
  for (const AddedFile& file : output.additions.files) names.push_back(file.suffix);
  CHECK(names == std::vector<std::string>{"_Bend_mesh.positions.exr", "_Bend_mesh.normals.exr",
                                          "_Bend_mesh.vat.json"});
  // Half of the step of a half between a half and a metre, along three axes.
  CHECK(metricOf(output.results[0], "vat_rounding_max_mm") <= 1.74 * 0.25);
  const std::string_view json = asText(output.additions.files[2].bytes);
  CHECK(json.find("\"frames\": " + std::to_string(kFrames)) != std::string_view::npos);
}
