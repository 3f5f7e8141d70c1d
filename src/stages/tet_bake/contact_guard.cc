// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/contact_guard.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/parallel.h"
#include "core/to_size.h"
#include "stages/tet_bake/fade_shares.h"
#include "stages/tet_bake/fill_limbs.h"
#include "stages/tet_bake/limb_state.h"
#include "stages/tet_bake/mend_edges.h"

namespace clipmill::stages::tet_bake {
namespace {

// Of what is shown, in succession.
constexpr std::array kGuardFactors = {0.5, 0.5, 0.0};
constexpr double kGuardFade_s = 0.2;
// Of the volume of a limb at rest.
constexpr double kSameVolume = 1e-3;
// Flipped edges of a region beyond those of plain skinning. The fit of morphs adds to them.
constexpr std::size_t kFewFlips = 1;
constexpr std::size_t kGuardedFramesPerBlock = 2;
constexpr std::size_t kGuardedPointsPerBlock = 64;

// Rows of some points, of those of all points of a clip.
std::vector<float> rowsOf(std::span<const float> all, std::span<const std::uint32_t> points,
                          std::size_t frame_count) {
  const std::size_t size = 3 * frame_count;
  std::vector<float> rows;
  rows.reserve(points.size() * size);
  for (const std::uint32_t p : points) {
    const auto own = all.subspan(p * size, size);
    rows.insert(rows.end(), own.begin(), own.end());
  }
  return rows;
}

ContactLayer layerBetween(const KeptClip& before, const KeptClip& after, std::size_t start,
                          std::size_t frame_count, std::size_t region_count) {
  ContactLayer layer;
  layer.start = start;
  layer.frame_count = frame_count;
  const std::size_t size = 3 * frame_count;
  for (std::size_t p = 0; p * size < before.world.size(); ++p) {
    const auto was = std::span(before.world).subspan(p * size, size);
    if (!std::equal(was.begin(), was.end(), &after.world[p * size])) {
      layer.points.push_back(static_cast<std::uint32_t>(p));
    }
  }
  const auto rows = [&](const std::vector<float>& all) {
    return rowsOf(all, layer.points, frame_count);
  };
  layer.world = {rows(before.world), rows(after.world)};
  layer.before_skin = {rows(before.before_skin), rows(after.before_skin)};
  layer.limits.assign(region_count, std::vector<double>(frame_count, 1.0));
  return layer;
}

// The share of the change that is not shown, by point of the surface; empty for none.
std::vector<std::vector<double>> hiddenShares(const BakeRig& rig, const ContactLayer& layer,
                                              std::size_t radius, bool is_cycle) {
  std::vector<std::vector<double>> hidden(rig.surface.pointCount());
  for (std::size_t r = 0; r < layer.limits.size(); ++r) {
    const std::vector<double>& own = layer.limits[r];
    if (std::all_of(own.begin(), own.end(), [](double limit) { return limit == 1.0; })) continue;
    const std::vector<double> shown = fadedShares(own, radius, is_cycle);
    const MorphRegion& region = rig.regions[r];
    for (std::size_t i = 0; i < region.points.size(); ++i) {
      std::vector<double>& row = hidden[region.points[i]];
      row.resize(layer.frame_count, 0.0);
      for (std::size_t f = 0; f < row.size(); ++f) row[f] += region.shares[i] * (1.0 - shown[f]);
    }
  }
  return hidden;
}

// The bake with as much of the change as its limits allow.
void show(const Scene& scene, const BakeRig& rig, const Motion& motion, const ContactLayer& layer,
          int threads, Baked& baked) {
  const auto radius = std::max<std::size_t>(1, toSize(std::lround(kGuardFade_s * motion.grid.fps)));
  const auto hidden = hiddenShares(rig, layer, radius, haveSameEnds(scene, rig, motion));
  const auto blend = [&](const LayerRows& rows, std::size_t i, std::size_t f, double share) {
    Vec3 at;
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t k = (3 * i + c) * layer.frame_count + f;
      const double before = static_cast<double>(rows.before[k]);
      at[static_cast<int>(c)] = before + share * (static_cast<double>(rows.after[k]) - before);
    }
    return at;
  };
  parallelFor(layer.points.size(), kGuardedPointsPerBlock, threads,
              [&](std::size_t first, std::size_t last) {
                for (std::size_t i = first; i < last; ++i) {
                  const std::uint32_t p = layer.points[i];
                  for (std::size_t f = 0; f < hidden[p].size(); ++f) {
                    const double share = 1.0 - hidden[p][f];
                    baked.world.set(p, layer.start + f, blend(layer.world, i, f, share));
                    baked.before_skin.set(p, layer.start + f,
                                          blend(layer.before_skin, i, f, share));
                  }
                }
              });
}

bool moves(const ContactLayer& layer, const MorphRegion& region) {
  return std::any_of(region.points.begin(), region.points.end(), [&](std::uint32_t p) {
    return std::binary_search(layer.points.begin(), layer.points.end(), p);
  });
}

// Whether edges or gaps are too bad now, by a `reason` or by flips, and were better before.
bool isWorseNow(const RegionQuality& now, const RegionQuality& before, WorseBy reason) {
  if (reason == WorseBy::kNothing && now.baked_folds <= now.skinned_folds + kFewFlips) return false;
  return now.baked_folds > before.baked_folds || now.baked_stretch > before.baked_stretch ||
         now.gluing.glued > before.gluing.glued;
}

// Lowers a region's limits to `factor` of theirs where `shares` (one per frame) show less than all
// of a correction. False if that changes nothing.
bool lowerLimits(const MorphRegion& region, std::span<const double> shares, double factor,
                 const ContactLayer& layer, std::vector<double>& limits) {
  if (!moves(layer, region)) return false;
  bool has_changed = false;
  for (std::size_t f = 0; f < shares.size(); ++f) {
    if (shares[f] == 1.0 || limits[f] == 0.0) continue;
    limits[f] *= factor;
    has_changed = true;
  }
  return has_changed;
}

bool haveCommonPoints(const MorphRegion& a, const MorphRegion& b) {
  return std::any_of(a.points.begin(), a.points.end(), [&](std::uint32_t p) {
    return std::binary_search(b.points.begin(), b.points.end(), p);
  });
}

// The same of the region of a joint, and where nothing is left of that, of those about it.
bool lowerLimits(const BakeRig& rig, int node, std::span<const double> shares, double factor,
                 ContactLayer& layer) {
  for (std::size_t r = 0; r < rig.regions.size(); ++r) {
    if (rig.regions[r].node != node) continue;
    if (lowerLimits(rig.regions[r], shares, factor, layer, layer.limits[r])) return true;
    bool has_changed = false;
    for (std::size_t other = 0; other < rig.regions.size(); ++other) {
      if (!haveCommonPoints(rig.regions[r], rig.regions[other])) continue;
      has_changed = lowerLimits(rig.regions[other], shares, factor, layer, layer.limits[other]) ||
                    has_changed;
    }
    return has_changed;
  }
  return false;
}

}  // namespace

ContactGuard::ContactGuard(const Scene& scene, const BakeRig& rig, const Motion& motion,
                           std::size_t index, int threads, Baked& baked)
    : scene_(scene),
      rig_(rig),
      motion_(motion),
      index_(index),
      threads_(threads),
      baked_(baked),
      before_(baked, baked.start[index], motion.grid.frame_count),
      states_(measure()),
      wanted_volume_(wantedVolume(baked.limb_goals[index])) {}

ContactLayer ContactGuard::takeBack() {
  const std::size_t start = baked_.start[index_], count = motion_.grid.frame_count;
  ContactLayer layer =
      layerBetween(before_, KeptClip(baked_, start, count), start, count, rig_.regions.size());
  for (const double factor : kGuardFactors) {
    if (!lower(measure(), factor, layer)) break;
    show(scene_, rig_, motion_, layer, threads_, baked_);
  }
  return layer;
}

std::vector<ContactGuard::FrameState> ContactGuard::measure() const {
  std::vector<FrameState> states(motion_.grid.frame_count);
  const auto stateAt = [&](std::size_t f) {
    const BakedSurface surface = bakedSurface(scene_, rig_, motion_, baked_, index_, f);
    FrameState state{rig_.quality.measure(surface.plain, surface.solved), {}};
    for (std::size_t limb = 0; limb < rig_.limbs.limbCount(); ++limb) {
      state.volumes.push_back(rig_.limbs.share(limb, surface.solved));
    }
    return state;
  };
  parallelFor(states.size(), kGuardedFramesPerBlock, threads_,
              [&](std::size_t first, std::size_t last) {
                for (std::size_t f = first; f < last; ++f) states[f] = stateAt(f);
              });
  return states;
}

bool ContactGuard::lower(const std::vector<FrameState>& now, double factor,
                         ContactLayer& layer) const {
  std::vector<std::vector<RegionQuality>> quality;
  for (const FrameState& state : now) quality.push_back(state.regions);
  const auto reasons = worseFrames(quality, rig_.regions.size(), kMendLimits);
  bool has_any = false;
  for (std::size_t r = 0; r < rig_.regions.size(); ++r) {
    for (std::size_t f = 0; f < now.size(); ++f) {
      double& limit = layer.limits[r][f];
      bool is_worse = isWorseNow(now[f].regions[r], states_[f].regions[r], reasons[r][f]);
      for (std::size_t limb = 0; limb < rig_.limbs.limbCount() && !is_worse; ++limb) {
        is_worse =
            rig_.limbs.nodeOf(limb) == rig_.regions[r].node &&
            now[f].volumes[limb] < std::min(states_[f].volumes[limb], wanted_volume_) - kSameVolume;
      }
      if (!is_worse || limit == 0.0) continue;
      limit *= factor;
      has_any = true;
    }
  }
  return has_any;
}

bool withdrawContact(const Scene& scene, const BakeRig& rig, std::span<const Motion> motions,
                     std::span<const FallbackSkin> skins, double factor, int threads,
                     Baked& baked) {
  bool has_any = false;
  for (std::size_t m = 0; m < baked.contact.size(); ++m) {
    ContactLayer& layer = baked.contact[m];
    bool has_changed = false;
    const std::vector<double> nothing(layer.frame_count, 0.0);
    for (const int node : skins[m].nodes) {
      has_changed = lowerLimits(rig, node, nothing, factor, layer) || has_changed;
    }
    for (const FadedJoint& joint : skins[m].faded) {
      has_changed = lowerLimits(rig, joint.node, joint.shares, factor, layer) || has_changed;
    }
    if (!has_changed) continue;
    show(scene, rig, motions[m], layer, threads, baked);
    has_any = true;
  }
  return has_any;
}

}  // namespace clipmill::stages::tet_bake
