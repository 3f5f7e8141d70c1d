// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/mend_skin.h"

#include "stages/tet_bake/contact_guard.h"
#include "stages/tet_bake/fill_limbs.h"
#include "stages/tet_bake/fold_contact.h"
#include "stages/tet_bake/mend_edges.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr double kContactSigmas = 4.0;

}  // namespace

void mendSkin(const Scene& scene, const BakeRig& rig, const SkinTools& tools, const Motion& motion,
              std::size_t index, const TetBakeSettings& settings, int threads, ClipBaker& baker,
              Baked& baked) {
  mendEdges(scene, rig, tools, motion, index, threads, baker, baked);
  if (!settings.fold_contact) return;
  ContactGuard guard(scene, rig, motion, index, threads, baked);
  separateFolds(scene, rig, tools, motion, index, threads, baker, baked);
  // Whether a point is within other skin changes from frame to frame.
  baker.smoothChange(guard.before(), kContactSigmas, threads);
  fillLimbs(scene, rig, motion, index, threads, baker, baked);
  mendEdges(scene, rig, tools, motion, index, threads, baker, baked);
  baked.contact[index] = guard.takeBack();
}

}  // namespace clipmill::stages::tet_bake
