// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/settings.h"

#include "core/to_size.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr double kLargestCell_mm = 1e6;
constexpr double kMaxTets = 1e6;
constexpr double kMaxSweeps = 1e5;
constexpr double kMaxMorphs = 4096;
constexpr double kMaxJoints = 64;
constexpr double kMinSettle_s = 0.01, kMaxSettle_s = 60.0;
constexpr double kMinScale = 1e-6, kMaxScale = 1e6;
constexpr double kMaxSmoothing_ms = 1000;
constexpr double kMaxPoseSamples = 100000;
constexpr double kMaxPoseVariation_deg = 90.0;

constexpr double kDefaultTolerance_mm = 0.5;
constexpr std::size_t kMaxForEngines = 32;
// Half of the vertices of 0.5 mm in a target, for errors that are larger by half.
constexpr double kLeftOutForEngines_mm = 1.25;
// The number of targets that every glTF player supports, positions only.
constexpr std::size_t kMaxForWeb = 8;

SettingsTable makeMaskTable() {
  using S = MaskSettings;
  SettingsTableBuilder<S> t;
  t.text("joint", &S::joint, "Joint that bends the skin (name, glob or path). Unset: any")
      .text("mesh", &S::mesh, "Mesh, or node with a mesh (name or glob). Unset: any")
      .text("material", &S::material, "Material (name or glob). Unset: any")
      .number("stiffness", &S::stiffness,
              "Share of the correction that is left out. 1 = plain skinning, 0 = no mask", "", 0.0,
              1.0);
  return t.build();
}

SettingsTable makeRegionTable() {
  using S = RegionSettings;
  SettingsTableBuilder<S> t;
  t.text("joint", &S::joint, "Joint that the tissue follows (name, glob or path). Unset: any")
      .text("mesh", &S::mesh, "Mesh, or node with a mesh (name or glob). Unset: any")
      .text("material", &S::material, "Material (name or glob). Unset: any")
      .number("jiggle", &S::jiggle,
              "Softness, as the stage's jiggle. 0.1 more is 0.71 times the stiffness, and 0.84 "
              "times the frequency. Unset: as outside of the region",
              "", 0.0, 1.0)
      .number("settle_s", &S::settle_s,
              "Time until a swing decays to a tenth. Unset: as outside of the region", "s",
              kMinSettle_s, kMaxSettle_s);
  return t.build();
}

void addLoop(SettingsTableBuilder<TetBakeSettings>& t) {
  using S = TetBakeSettings;
  using locomotion::LoopPolicy;
  t.choice<LoopPolicy>(
       "loop", &S::loop,
       "Treat the clip as a cycle whose end meets its start, so that dynamic tissue loops without "
       "a jolt: on, off, or auto (on where both ends differ by less than an ordinary frame step in "
       "pose and in speed, apart from root motion, or where the name is that of a cycle and the "
       "pose agrees). The report states the decision and the reason. With soft_tissue = dynamic",
       {{"auto", LoopPolicy::kAuto}, {"on", LoopPolicy::kOn}, {"off", LoopPolicy::kOff}})
      .number("loop_tolerance_mm", &S::loop_tolerance_mm,
              "Largest difference of tissue between two cycles in succession with which the cycle "
              "counts as closed",
              "mm", 1e-3, 1e3)
      .integer("max_loop_cycles", &S::max_loop_cycles,
               "Largest number of cycles to simulate. A cycle that does not close by then is "
               "blended with the one after it",
               2, 1000);
}

SettingsTable makeTable() {
  using S = TetBakeSettings;
  using tet_bake::SolveMethod;
  SettingsTableBuilder<S> t;
  t.choice<SolveMethod>(
       "method", &S::method,
       "neo_hookean: minimizes the elastic energy. xpbd: constrains edge lengths and "
       "volumes. reference: the published method, which constrains edge lengths, "
       "volumes and elastic energies",
       {{"neo_hookean", SolveMethod::kNeoHookean},
        {"xpbd", SolveMethod::kXpbd},
        {"reference", SolveMethod::kReference}})
      .number("volume_preservation", &S::volume_preservation,
              "volume preservation relative to shape preservation. Poisson's ratio is 0.25 "
              "at 0, 0.45 at 0.5 and 0.49 at 1 (neo_hookean)",
              "", 0.0, 1.0)
      .number("edge_stiffness", &S::edge_stiffness,
              "part of an edge's length error that one iteration removes (xpbd, reference). "
              "0 = edge lengths are not constrained",
              "", 0.0, 1.0)
      .number("volume_stiffness", &S::volume_stiffness,
              "part of a tetrahedron's volume error that one iteration removes (xpbd, "
              "reference). 0 = volumes are not constrained",
              "", 0.0, 1.0)
      .number("energy_stiffness", &S::energy_stiffness,
              "part of a tetrahedron's elastic energy that one iteration removes "
              "(reference). 0 = energies are not constrained",
              "", 0.0, 1.0)
      .integer("max_sweeps", &S::max_sweeps,
               "largest number of solver iterations per frame. Unset: by method, 200 "
               "(neo_hookean), 100 (xpbd, reference)",
               1, kMaxSweeps)
      .number("cell_mm", &S::cell_mm,
              "edge length of a lattice cell. Unset: a quarter of the thinnest limb", "mm", 1e-3,
              kLargestCell_mm)
      .integer("max_tets", &S::max_tets,
               "largest number of tetrahedra. The cells become larger where the lattice would "
               "exceed it",
               100, kMaxTets)
      .integer("smoothing_passes", &S::smoothing_passes,
               "smoothing passes of the corrections over the surface, for coarse cells. 0 = "
               "off",
               0, 100)
      .number("smoothing_ms", &S::smoothing_ms,
              "temporal smoothing of corrections, Gaussian sigma. It acts only while the "
              "pose hardly changes, so that a fold does not pop between two shapes. 0 = off",
              "ms", 0.0, kMaxSmoothing_ms)
      .flag("fold_contact", &S::fold_contact,
            "contact of the skin with itself, in an elbow or an armpit: skin that the bake moves "
            "into other skin moves out of it again. With neo_hookean, quasistatic tissue; not with "
            "bake_to = bones")
      .choice<TetBakeOutput>(
          "bake_to", &S::bake_to,
          "morph: morph targets with weight keys. bones: helper joints with keys, which "
          "take part of the skin weights of existing joints. mdd, pc2: a point cache per "
          "clip and mesh beside the output. vat: vertex-animation textures of positions "
          "and normals, with a JSON file, beside the output. With mdd, pc2 and vat the "
          "clip in the output is not changed",
          {{"morph", TetBakeOutput::kMorph},
           {"bones", TetBakeOutput::kBones},
           {"mdd", TetBakeOutput::kMdd},
           {"pc2", TetBakeOutput::kPc2},
           {"vat", TetBakeOutput::kVat}})
      .choice<TetBakePreset>(
          "preset", &S::preset,
          "limits of the morph targets. full: as many as tolerance_mm requires, up to 16 "
          "per joint. engine: at most 32 in all, in less space: positive weights have 255 "
          "steps. web8: at most 8 in all, without normals",
          {{"full", TetBakePreset::kFull},
           {"engine", TetBakePreset::kEngine},
           {"web8", TetBakePreset::kWeb8}})
      .number("tolerance_mm", &S::tolerance_mm,
              "largest RMS distance between the solved surface and the skin with morphs or "
              "helper joints, at each joint. The 99th percentile may be four times as large. Where "
              "preset or max_morphs allow too few targets: what a vertex moves by less is left "
              "out of a target. Unset: 0.5, but 1.25 is left out with preset engine",
              "mm", 1e-3, 1e6)
      .integer("max_morphs", &S::max_morphs,
               "largest number of morph targets in all. Unset: by preset", 1, kMaxMorphs)
      .flag("normals", &S::normals, "store normal deltas in the morph targets")
      .integer("max_joints", &S::max_joints,
               "largest number of helper joints per joint that bends skin (bake_to = bones)", 1,
               kMaxJoints)
      .text("tets", &S::tets,
            "file with tetrahedra to use instead of a lattice: Gmsh .msh, or TetGen .node "
            "or .ele with the other one beside it. Positions are in the axes and unit of "
            "the input file, for the bind pose of the skin. Unset: lattice")
      .number("tets_scale", &S::tets_scale, "factor for the positions in the tets file", "",
              kMinScale, kMaxScale)
      .flag("keep_tets", &S::keep_tets,
            "write the motion of the tetrahedra as a .tets file per clip beside the "
            "output, for the preview page")
      .choice<tet_bake::OutsideRule>(
          "outside", &S::outside,
          "how skin outside the tetrahedra of a tets file follows them. offset: at a "
          "rigid offset from the nearest point of the tetrahedra. centroid: the "
          "published method, which extrapolates the tetrahedron with the nearest centroid",
          {{"offset", tet_bake::OutsideRule::kNearestPoint},
           {"centroid", tet_bake::OutsideRule::kNearestCentroid}})
      .choice<TetBakeSoftTissue>(
          "soft_tissue", &S::soft_tissue,
          "quasistatic: each frame is solved in equilibrium, without inertia. dynamic: "
          "the tissue has mass, lags behind the bones and swings (neo_hookean)",
          {{"quasistatic", TetBakeSoftTissue::kQuasistatic},
           {"dynamic", TetBakeSoftTissue::kDynamic}})
      .number("jiggle", &S::jiggle,
              "softness of dynamic soft tissue. The speed of shear waves in a character of "
              "1.8 m is 18 m/s at 0, 7.5 m/s at 0.5 and 3.2 m/s at 1. It is proportional to "
              "the character's size. Unset: 0.5. An error without soft_tissue = dynamic",
              "", 0.0, 1.0)
      .number("settle_s", &S::settle_s,
              "time until a swing of dynamic soft tissue decays to a tenth. Unset: 0.75 s. An "
              "error without soft_tissue = dynamic",
              "s", kMinSettle_s, kMaxSettle_s);
  addLoop(t);
  t.choice<TetBakeWeights>(
       "weights", &S::weights,
       "positive: morph weights lie in [0, 1], for players that clamp other weights. "
       "Each node with a mesh gets one more target, bake_base, with weight 1 in all "
       "baked clips. signed: weights lie in [-1, 1], without bake_base. web8 always "
       "has signed weights",
       {{"positive", TetBakeWeights::kPositive}, {"signed", TetBakeWeights::kSigned}})
      .choice<TetBakeDeltas>(
          "deltas", &S::deltas,
          "storage of morph targets in glTF. float: 32-bit floats. int16: 16-bit "
          "integers, half the size. Readers need KHR_mesh_quantization",
          {{"float", TetBakeDeltas::kFloat}, {"int16", TetBakeDeltas::kInt16}})
      .choice<TetBakeTwistJoints>(
          "twist_joints", &S::twist_joints,
          "auto: where a joint twists about its bone by more than 120 degrees, the soft "
          "tissue follows the twist in steps. With bake_to = morph the skin gets twist "
          "joints for these steps. off: the skin blends the two bones",
          {{"auto", TetBakeTwistJoints::kAuto}, {"off", TetBakeTwistJoints::kOff}})
      .choice<TetBakeDrive>(
          "drive", &S::drive,
          "clip: morph weights or helper joints (bake_to) have keys fitted to the selected clips. "
          "pose: they are functions of joint rotations (pose drivers), for clips that do not exist "
          "yet. The drivers are written to a .drivers.json file beside the output and to the "
          "extras "
          "of glTF files; the selected clips get keys by the drivers",
          {{"clip", TetBakeDrive::kClip}, {"pose", TetBakeDrive::kPose}})
      .integer("pose_samples", &S::pose_samples,
               "number of poses that are solved besides the clips to fit the drivers. Each joint "
               "has a rotation of the clips in them, of either side where the character is "
               "symmetric, which is varied. Unset: 512. An error without drive = pose",
               0, kMaxPoseSamples)
      .number("pose_variation_deg", &S::pose_variation_deg,
              "largest angle by which these poses vary a rotation of the clips. Unset: 15. An "
              "error without drive = pose",
              "deg", 0.0, kMaxPoseVariation_deg);
  static const SettingsTable mask = makeMaskTable();
  t.list("mask", &S::mask,
         "Parts of the skin that take less of the correction, or none. A mask holds where all of "
         "its names match",
         "mesh", mask);
  static const SettingsTable region = makeRegionTable();
  t.list("region", &S::region,
         "Parts of dynamic soft tissue with a softness of their own. A region holds where all of "
         "its names match; where regions overlap, the last one counts. An error without "
         "soft_tissue = dynamic",
         "joint", region);
  return t.build();
}

}  // namespace

double toleranceMm(const TetBakeSettings& settings) {
  return settings.tolerance_mm.value_or(kDefaultTolerance_mm);
}

double leftOutMm(const TetBakeSettings& settings) {
  const bool is_for_engines = settings.preset == TetBakePreset::kEngine;
  return settings.tolerance_mm.value_or(is_for_engines ? kLeftOutForEngines_mm
                                                       : kDefaultTolerance_mm);
}

std::size_t maxMorphs(const TetBakeSettings& settings) {
  if (settings.max_morphs) return toSize(*settings.max_morphs);
  if (settings.preset == TetBakePreset::kEngine) return kMaxForEngines;
  return settings.preset == TetBakePreset::kWeb8 ? kMaxForWeb : 0;
}

bool hasPositiveWeights(const TetBakeSettings& settings) {
  return settings.weights == TetBakeWeights::kPositive && settings.preset != TetBakePreset::kWeb8;
}

bool hasNormals(const TetBakeSettings& settings) {
  return settings.normals && settings.preset != TetBakePreset::kWeb8;
}

const SettingsTable& tetBakeTable() {
  static const SettingsTable table = makeTable();
  return table;
}

}  // namespace clipmill::stages::tet_bake
