// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/settings.h"

namespace clipmill {
namespace {

constexpr double kLargestCell_mm = 1e6;
constexpr double kMostTets = 1e6;
constexpr double kMostSweeps = 1e5;
constexpr double kMostMorphs = 4096;
constexpr double kMostJoints = 64;
constexpr double kLeastSettle_s = 0.01, kMostSettle_s = 60.0;
constexpr double kLeastScale = 1e-6, kMostScale = 1e6;
constexpr double kMostSteady_ms = 1000;

SettingsTable makeTable() {
  using S = TetBakeSettings;
  using tet_bake::SolveMethod;
  SettingsTableBuilder<S> t;
  t.choice<SolveMethod>(
       "method", &S::method,
       "neo-hookean finds the least elastic energy; xpbd keeps edges and volumes; reference keeps "
       "edges, volumes and energies of the tetrahedra as published",
       {{"neo-hookean", SolveMethod::kNeoHookean},
        {"xpbd", SolveMethod::kXpbd},
        {"reference", SolveMethod::kReference}})
      .number("volume", &S::volume,
              "how firmly volume is kept against shape, 0 to 1: Poisson's ratio 0.25, at a half "
              "0.45, at 1 0.49 (neo-hookean)",
              "", 0.0, 1.0)
      .number("edge_stiffness", &S::edge_stiffness,
              "share of the error in the length of an edge that a step takes away; 0: lengths are "
              "free (xpbd, reference)",
              "", 0.0, 1.0)
      .number("volume_stiffness", &S::volume_stiffness,
              "the same for the volume of a tetrahedron (xpbd, reference)", "", 0.0, 1.0)
      .number("energy_stiffness", &S::energy_stiffness,
              "the same for its elastic energy (reference)", "", 0.0, 1.0)
      .integer("sweeps", &S::sweeps,
               "most sweeps over all tetrahedra for a frame; 0: 200 (neo-hookean), 100 (others)", 0,
               kMostSweeps)
      .number("cell_mm", &S::cell_mm,
              "edge of a cell of the lattice; 0: a quarter of the thinnest limb", "mm", 0.0,
              kLargestCell_mm)
      .integer("max_tets", &S::max_tets, "most tetrahedra; cells get larger above", 100, kMostTets)
      .integer("smoothing", &S::smoothing,
               "passes that smooth the corrections along the surface, for coarse cells", 0, 100)
      .number(
          "steady_ms", &S::steady_ms,
          "deviation of the bell that averages the corrections over time while bones hardly turn, "
          "so that a fold does not jump between two shapes; 0: none",
          "ms", 0.0, kMostSteady_ms)
      .choice<TetBakeOutput>(
          "bake_to", &S::bake_to,
          "morph adds morph targets with keyed weights; bones adds helper joints with keys, which "
          "share the skin weights of those that are there; mdd and pc2 write a point cache for "
          "each "
          "clip and mesh beside the output, which stays as it is; vat writes textures of places "
          "and normals and a JSON file instead",
          {{"morph", TetBakeOutput::kMorph},
           {"bones", TetBakeOutput::kBones},
           {"mdd", TetBakeOutput::kMdd},
           {"pc2", TetBakeOutput::kPc2},
           {"vat", TetBakeOutput::kVat}})
      .choice<TetBakePreset>(
          "preset", &S::preset,
          "full has as many morphs as the tolerance takes, up to 16 a joint; engine at most 32 in "
          "all; web8 at most 8, without normals",
          {{"full", TetBakePreset::kFull},
           {"engine", TetBakePreset::kEngine},
           {"web8", TetBakePreset::kWeb8}})
      .number("tolerance_mm", &S::tolerance_mm,
              "what morphs or helper joints may leave, root mean square at each joint; four times "
              "that in 99 of 100 "
              "places",
              "mm", 1e-3, 1e6)
      .integer("max_morphs", &S::max_morphs, "most morphs in all; 0: by preset", 0, kMostMorphs)
      .flag("normals", &S::normals, "morphs turn the normals too")
      .integer("max_joints", &S::max_joints, "most helper joints for each joint that bends skin", 1,
               kMostJoints)
      .text("tets", &S::tets,
            "file of tetrahedra to take in place of a lattice, in the place and axes of the skin "
            "as it was bound: .msh of Gmsh, or .node or .ele of TetGen with the other beside it")
      .number("tets_scale", &S::tets_scale, "what the places in that file are multiplied by", "",
              kLeastScale, kMostScale)
      .flag(
          "keep_tets", &S::keep_tets,
          "write how the tetrahedra move, a .tets file for each clip beside the output, for pages "
          "of preview")
      .choice<tet_bake::OutsideRule>(
          "outside", &S::outside,
          "how skin outside of such tetrahedra follows them: offset keeps it at its place from "
          "their nearest point; centroid extrapolates the tetrahedron of the nearest centroid, as "
          "published",
          {{"offset", tet_bake::OutsideRule::kNearestPoint},
           {"centroid", tet_bake::OutsideRule::kNearestCentroid}})
      .choice<TetBakeFlesh>(
          "flesh", &S::flesh,
          "settled is at rest at every frame; moving has inertia: it lags behind "
          "the bones and swings (neo-hookean)",
          {{"settled", TetBakeFlesh::kSettled}, {"moving", TetBakeFlesh::kMoving}})
      .number("jiggle", &S::jiggle,
              "how soft moving flesh is, 0 to 1: in a figure of 1.8 m shear waves run with 18 m/s, "
              "at a half 7.5 m/s, at 1 3.2 m/s, in others as much faster as they are larger",
              "", 0.0, 1.0)
      .number("settle_s", &S::settle_s, "time after which a tenth of a swing is left", "s",
              kLeastSettle_s, kMostSettle_s)
      .choice<TetBakeWeights>(
          "weights", &S::weights,
          "positive keeps the weights of morphs in [0, 1], for players that cut others, by one "
          "more target for each node with a mesh, bake_base, of weight 1 in all baked clips; "
          "signed has weights in [-1, 1] and no such target, as web8 always does",
          {{"positive", TetBakeWeights::kPositive}, {"signed", TetBakeWeights::kSigned}})
      .choice<TetBakeDeltas>(
          "deltas", &S::deltas,
          "how morphs are stored: float, or int16 for half the size in glTF (needs a reader of "
          "KHR_mesh_quantization)",
          {{"float", TetBakeDeltas::kFloat}, {"int16", TetBakeDeltas::kInt16}})
      .choice<TetBakeTwistJoints>(
          "twist_joints", &S::twist_joints,
          "auto lets joints that turn about their bone by more than 120 degrees turn the flesh by "
          "parts, and adds joints that do so with the skin to morphs; off leaves the blend of the "
          "two bones",
          {{"auto", TetBakeTwistJoints::kAuto}, {"off", TetBakeTwistJoints::kOff}});
  return t.build();
}

}  // namespace

const SettingsTable& tetBakeTable() {
  static const SettingsTable table = makeTable();
  return table;
}

}  // namespace clipmill
