// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tissue_regions.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "checks.h"
#include "stages/tet_bake/bake.h"
#include "stages/tet_bake/rotating_limb.h"
#include "stages/tet_bake/tet_bake.h"

TEST_SUITE_BEGIN("tet_bake.tissue_regions");

namespace {

using namespace clipmill;
using namespace clipmill::stages;
using namespace clipmill::stages::tet_bake;
using clipmill::test::metricOf;

TetBakeSettings dynamicSettings(std::vector<RegionSettings> regions) {
  TetBakeSettings settings;
  settings.soft_tissue = TetBakeSoftTissue::kDynamic;
  settings.max_tets = 2000;
  settings.region = std::move(regions);
  return settings;
}

RegionSettings ofJoint(const std::string& joint, double jiggle) {
  RegionSettings region;
  region.joint = joint;
  region.jiggle = jiggle;
  return region;
}

BakeRig rigOf(const Scene& scene, const TetBakeSettings& settings) {
  Warnings warnings;
  auto rig = makeBakeRig(scene, settings, warnings);
  CHECK_OK(rig);
  return std::move(*rig);
}

}  // namespace

// jiggle 0.5 to 1 is 10^(-1.5 / 2) of the stiffness.
TEST_CASE("Tissue and its elastic foundation have the stiffness of the region") {
  const Scene scene = test::limbScene();
  const BakeRig plain = rigOf(scene, dynamicSettings({}));
  const BakeRig soft = rigOf(scene, dynamicSettings({ofJoint("*", 1.0)}));
  CHECK(plain.lattice.mesh.stiffness.empty());
  REQUIRE(soft.lattice.mesh.stiffness.size() == soft.lattice.mesh.tets.size());
  const double expected = std::pow(10.0, -0.75);
  for (const double stiffness : soft.lattice.mesh.stiffness) {
    CHECK(stiffness == doctest::Approx(expected).epsilon(1e-6));
  }
  for (std::size_t v = 0; v < plain.lattice.mesh.hold.size(); ++v) {
    const double hold = plain.lattice.mesh.hold[v];
    if (!std::isfinite(hold)) continue;
    CHECK(soft.lattice.mesh.hold[v] == doctest::Approx(expected * hold).epsilon(1e-6));
  }
}

TEST_CASE("A region of one joint blends into that of the other without a step") {
  const Scene scene = test::limbScene();
  const std::string tip = scene.skeleton.nodes[1].name;
  const BakeRig rig = rigOf(scene, dynamicSettings({ofJoint(tip, 1.0)}));
  const TetMesh& mesh = rig.lattice.mesh;
  const auto [least, most] = std::minmax_element(mesh.stiffness.begin(), mesh.stiffness.end());
  CHECK(*least == doctest::Approx(std::pow(10.0, -0.75)).epsilon(1e-3));
  CHECK(*most == doctest::Approx(1.0).epsilon(1e-3));
  // Tetrahedra between the two have stiffnesses between them.
  const auto between = std::count_if(mesh.stiffness.begin(), mesh.stiffness.end(),
                                     [](double k) { return k > 0.3 && k < 0.8; });
  CHECK(between > 20);
}

TEST_CASE("A region of all tissue is the same as that jiggle and settling time") {
  const Scene scene = test::limbScene();
  const std::vector<Motion> motions = {test::rotatingLimb(scene, Vec3(1, 0, 0), 60.0)};
  TetBakeSettings plain = dynamicSettings({});
  plain.jiggle = 1.0;
  plain.settle_s = 0.4;
  RegionSettings all = ofJoint("*", 1.0);
  all.settle_s = 0.4;
  const auto expected = runTetBake({scene, motions, 1}, plain);
  const auto found = runTetBake({scene, motions, 1}, dynamicSettings({all}));
  CHECK_OK(expected);
  CHECK_OK(found);
  const auto swingOf = [](const StageOutput& output) {
    return metricOf(output.results[0], "soft_tissue_swing_rms_mm");
  };
  CHECK(swingOf(*expected) > 0.1);
  CHECK(swingOf(*found) == doctest::Approx(swingOf(*expected)).epsilon(0.01));
}

TEST_CASE("Regions without names or values, and with unknown names, are refused") {
  const Scene scene = test::limbScene();
  const auto errorOf = [&](const RegionSettings& region) {
    const Status status = checkRegions(scene, std::vector<RegionSettings>{region});
    REQUIRE_FALSE(status.ok());
    return status.error();
  };
  RegionSettings region;
  region.jiggle = 1.0;
  CHECK(errorOf(region).message == "has no joint, mesh or material");
  region.material = "no such thing";
  CHECK(errorOf(region).code == ErrorCode::kNotFound);
  CHECK(errorOf(region).location == "region");
  CHECK(errorOf(ofJoint("Nose", 1.0)).code == ErrorCode::kNotFound);
  RegionSettings empty;
  empty.joint = "*";
  CHECK(errorOf(empty).message == "has no jiggle or settle_s");
}

TEST_CASE("A region without dynamic tissue is an error that names it") {
  const Scene scene = test::limbScene();
  const std::vector<Motion> motions = {test::rotatingLimb(scene, Vec3(1, 0, 0), 10.0)};
  TetBakeSettings settings = dynamicSettings({ofJoint("*", 1.0)});
  settings.soft_tissue = TetBakeSoftTissue::kQuasistatic;
  const auto refused = runTetBake({scene, motions, 1}, settings);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().location == "region");
}
