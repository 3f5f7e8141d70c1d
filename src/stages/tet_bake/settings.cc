// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/settings.h"

namespace clipmill {
namespace {

constexpr double kLargestCell_mm = 1e6;
constexpr double kMostTets = 1e6;
constexpr double kMostSweeps = 1e5;
constexpr double kMostMorphs = 4096;
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
      .number("steady_ms", &S::steady_ms,
              "deviation of the bell that averages the corrections over time, so that a fold does "
              "not jump between two shapes; 0: none",
              "ms", 0.0, kMostSteady_ms)
      .choice<TetBakeOutput>(
          "bake_to", &S::bake_to,
          "morph adds morph targets with keyed weights; mdd and pc2 write a point cache for each "
          "clip and mesh beside the output, which stays as it is",
          {{"morph", TetBakeOutput::kMorph},
           {"mdd", TetBakeOutput::kMdd},
           {"pc2", TetBakeOutput::kPc2}})
      .choice<TetBakePreset>(
          "preset", &S::preset,
          "full has as many morphs as the tolerance takes, up to 16 a joint; engine at most 32 in "
          "all; web8 at most 8, without normals",
          {{"full", TetBakePreset::kFull},
           {"engine", TetBakePreset::kEngine},
           {"web8", TetBakePreset::kWeb8}})
      .number("tolerance_mm", &S::tolerance_mm,
              "what morphs may leave, root mean square at each joint; four times that in 99 of 100 "
              "places",
              "mm", 1e-3, 1e6)
      .integer("max_morphs", &S::max_morphs, "most morphs in all; 0: by preset", 0, kMostMorphs)
      .flag("normals", &S::normals, "morphs turn the normals too");
  return t.build();
}

}  // namespace

const SettingsTable& tetBakeTable() {
  static const SettingsTable table = makeTable();
  return table;
}

}  // namespace clipmill
