// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/mend_skin.h"

#include <algorithm>
#include <cmath>

#include "core/to_size.h"
#include "core/units.h"
#include "stages/tet_bake/contact_guard.h"
#include "stages/tet_bake/fill_limbs.h"
#include "stages/tet_bake/fold_contact.h"
#include "stages/tet_bake/mend_edges.h"

namespace clipmill::stages::tet_bake {
namespace {

// Paths of contact are averaged over time by a Gaussian so many times as wide as other ones,
// because whether a point is within other skin changes from frame to frame.
constexpr double kContactSigmas = 4.0;
// They are found so many times in a sigma, and interpolated between.
constexpr double kFoundInSigma = 4.0;

std::size_t contactStep(const Motion& motion, const TetBakeSettings& settings) {
  const double sigma_frames =
      kContactSigmas * settings.smoothing_ms * kSecondsInMillisecond * motion.grid.fps;
  return std::max<std::size_t>(1, toSize(std::lround(sigma_frames / kFoundInSigma)));
}

}  // namespace

void mendSkin(const Scene& scene, const BakeRig& rig, const SkinTools& tools, const Motion& motion,
              std::size_t index, const TetBakeSettings& settings, int threads, ClipBaker& baker,
              Baked& baked) {
  mendEdges(scene, rig, tools, motion, index, threads, baker, baked);
  if (!settings.fold_contact) return;
  ContactGuard guard(scene, rig, motion, index, threads, baked);
  const std::size_t step = contactStep(motion, settings);
  separateFolds(scene, rig, tools, motion, index, step, threads, baker, baked);
  baker.smoothChange(guard.before(), kContactSigmas, step, threads);
  fillLimbs(scene, rig, motion, index, threads, baker, baked);
  mendEdges(scene, rig, tools, motion, index, threads, baker, baked);
  baked.contact[index] = guard.takeBack();
}

}  // namespace clipmill::stages::tet_bake
