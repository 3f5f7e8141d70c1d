// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/skin_fallback.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "core/parallel.h"
#include "core/text.h"
#include "core/to_size.h"
#include "core/units.h"
#include "stages/tet_bake/fade_shares.h"
#include "stages/tet_bake/morphs/pose_nearness.h"

namespace clipmill::stages::tet_bake {
namespace {

// A change of volume below this share is invisible.
constexpr double kSameVolume = 0.02;
// A loss above this share of the volume, against plain skinning, is a fault in a single frame.
constexpr double kVolumeLoss = 0.1;
// Shares of a correction that are tried at a frame that is worse.
constexpr double kShareStep = 0.05;
// Rounding.
constexpr double kSameShare = 1e-9;
constexpr double kFirstFade_s = 0.1;
constexpr double kLongestFade_s = 1.0;
constexpr double kMaxAccelerationRatio = 1.1;
constexpr std::size_t kAccelerationsPerBlock = 16;

// Change of volume against plain skinning, as a share of the limb: a loss, or a gain beyond that
// of plain skinning. The volume of a joint with a scale is large with plain skinning too.
double lossOf(const LimbSeries& series, std::size_t frame) {
  return std::min(series.skinned[frame], 1.0) - series.morphed[frame];
}

// The loss or the bulge of a frame, as a share of the limb.
double volumeFaultOf(const LimbSeries& series, std::size_t frame) {
  const double bulge =
      series.morphed[frame] - std::max(series.skinned[frame], 1.0) * (1.0 + kSameVolume);
  return std::max({lossOf(series, frame), bulge, 0.0});
}

bool hasWorseMeanVolume(const LimbSeries& series) {
  double sum = 0.0;
  for (std::size_t f = 0; f < series.skinned.size(); ++f) sum += volumeFaultOf(series, f);
  return sum > kSameVolume * static_cast<double>(series.skinned.size());
}

// The largest second differences of the points of each region over a clip, metres per frame^2.
std::vector<double> largestAccelerations(const SkinOfFrame& skin_of, std::size_t frame_count,
                                         std::span<const MorphRegion> regions, int threads) {
  if (frame_count < 3) return std::vector<double>(regions.size(), 0.0);
  const std::size_t centers = frame_count - 2;
  std::vector<std::vector<double>> of_block(
      (centers + kAccelerationsPerBlock - 1) / kAccelerationsPerBlock,
      std::vector<double>(regions.size(), 0.0));
  const auto measure = [&](std::size_t start, std::size_t end) {
    std::vector<double>& largest = of_block[start / kAccelerationsPerBlock];
    std::array<std::vector<Vec3>, 3> at = {skin_of(start).morphed, skin_of(start + 1).morphed, {}};
    for (std::size_t f = start; f < end; ++f) {
      at[2] = skin_of(f + 2).morphed;
      for (std::size_t r = 0; r < regions.size(); ++r) {
        for (const std::uint32_t p : regions[r].points) {
          const Vec3 change = at[2][p] - 2.0 * at[1][p] + at[0][p];
          largest[r] = std::max(largest[r], glm::dot(change, change));
        }
      }
      at[0] = std::move(at[1]);
      at[1] = std::move(at[2]);
    }
  };
  parallelFor(centers, kAccelerationsPerBlock, threads, measure);
  std::vector<double> result(regions.size(), 0.0);
  for (const std::vector<double>& block : of_block) {
    for (std::size_t r = 0; r < result.size(); ++r) result[r] = std::max(result[r], block[r]);
  }
  for (double& square : result) square = std::sqrt(square);
  return result;
}

// Frames of a joint that are worse, and the reason in the first of them.
struct BadFrames {
  WorseBy reason = WorseBy::kNothing;
  std::set<std::size_t> frames;

  void add(std::size_t frame, WorseBy by) {
    if (frames.empty()) reason = by;
    frames.insert(frame);
  }
};

// Applies the fallback to one clip.
class FallbackRun {
 public:
  FallbackRun(const Scene& scene, const BakeRig& rig, const Motion& motion, const Baked& baked,
              std::size_t index, const SkinFallback& fallback, int threads)
      : scene_(scene),
        rig_(rig),
        motion_(motion),
        baked_(baked),
        index_(index),
        fallback_(fallback),
        threads_(threads) {}

  FallbackSkin run() {
    measure();
    while (holdClips() || fadeFrames() || slowFades()) measure();
    for (auto& [node, fade] : fades_) {
      if (held_.count(node) > 0) continue;
      result_.faded.push_back({node, fade.reason, std::move(fade.shares)});
    }
    return std::move(result_);
  }

 private:
  struct Fade {
    WorseBy reason = WorseBy::kNothing;
    std::vector<double> limits, shares;
    std::size_t radius_frames = 1;
    bool is_cycle = false;
  };

  // Whether one region has the whole surface. What is good for one limb then costs all others.
  bool isWhole() const {
    return fallback_.regions.size() == 1 && fallback_.regions.front().node < 0;
  }

  // The node of the region that corrects a limb.
  int nodeOfLimb(std::size_t limb) const { return isWhole() ? -1 : rig_.limbs.nodeOf(limb); }

  std::size_t frameCount() const { return motion_.grid.frame_count; }

  void measure() {
    result_.errors = measureSkin(scene_, rig_, motion_, baked_, index_, fallback_.skin_of, threads_,
                                 fallback_.regions, fallback_.quality, fallback_.limits);
  }

  // True if that changes the skin.
  bool hold(int node, WorseBy reason) {
    if (!held_.insert(node).second) return false;
    if (!fallback_.show(node, std::vector<double>(frameCount(), 0.0))) return false;
    result_.nodes.push_back(node);
    result_.reasons.push_back(reason);
    return true;
  }

  // Joints that are worse over the whole clip.
  bool holdClips() {
    std::map<int, WorseBy> worse;
    for (std::size_t r = 0; r < fallback_.regions.size(); ++r) {
      const RegionErrors& left = result_.errors.regions[r];
      if (left.morphed > left.skinned) {
        worse.emplace(fallback_.regions[r].node, WorseBy::kSurface);
      }
    }
    bool has_changed = false;
    for (const auto& [node, reason] : worse) has_changed = hold(node, reason) || has_changed;
    return has_changed;
  }

  std::map<int, BadFrames> badFrames() const {
    std::map<int, BadFrames> bad;
    const ClipErrors& errors = result_.errors;
    for (std::size_t r = 0; r < errors.worse.size(); ++r) {
      for (std::size_t f = 0; f < errors.worse[r].size(); ++f) {
        if (errors.worse[r][f] == WorseBy::kNothing) continue;
        bad[fallback_.regions[r].node].add(f, errors.worse[r][f]);
      }
    }
    for (std::size_t limb = 0; limb < rig_.limbs.limbCount(); ++limb) {
      const bool is_worse = !isWhole() && hasWorseMeanVolume(errors.limbs[limb]);
      for (std::size_t f = 0; f < frameCount(); ++f) {
        const LimbSeries& series = errors.limbs[limb];
        const bool is_part = is_worse && volumeFaultOf(series, f) > kSameVolume;
        if (!is_part && lossOf(series, f) <= kVolumeLoss) continue;
        bad[nodeOfLimb(limb)].add(f, WorseBy::kVolume);
      }
    }
    return bad;
  }

  // Joints that are worse in some frames show less there.
  bool fadeFrames() {
    bool has_changed = false;
    for (const auto& [node, bad] : badFrames()) {
      if (held_.count(node) > 0) continue;
      if (accelerations_.empty()) {
        accelerations_ =
            largestAccelerations(fallback_.skin_of, frameCount(), fallback_.regions, threads_);
      }
      has_changed = lower(node, bad) || has_changed;
    }
    return has_changed;
  }

  bool lower(int node, const BadFrames& bad) {
    Fade& fade = fades_.try_emplace(node, newFade(node, bad.reason)).first->second;
    bool has_lower = false;
    for (const std::size_t f : bad.frames) {
      const double steps = std::ceil((fade.shares[f] - kSameShare) / kShareStep);
      const double limit = std::max(0.0, (steps - 1.0) * kShareStep);
      has_lower = has_lower || limit < fade.limits[f];
      fade.limits[f] = std::min(fade.limits[f], limit);
    }
    const auto bare = std::count(fade.limits.begin(), fade.limits.end(), 0.0);
    if (2 * toSize(bare) > frameCount()) return hold(node, bad.reason);
    return has_lower && show(node, fade);
  }

  Fade newFade(int node, WorseBy reason) {
    Fade fade;
    fade.reason = reason;
    fade.limits.assign(frameCount(), 1.0);
    fade.shares = fade.limits;
    fade.radius_frames =
        std::max<std::size_t>(1, toSize(std::lround(kFirstFade_s * motion_.grid.fps)));
    fade.is_cycle = isCycle(node);
    return fade;
  }

  // Whether a joint has the same pose at both ends of the clip.
  bool isCycle(int node) {
    if (!ends_) {
      const std::vector<std::vector<Affine>> worlds = {
          worldsAt(scene_, rig_, motion_, 0), worldsAt(scene_, rig_, motion_, frameCount() - 1)};
      ends_.emplace(rig_.surface, fallback_.regions, worlds);
    }
    for (std::size_t r = 0; r < fallback_.regions.size(); ++r) {
      if (fallback_.regions[r].node == node) return ends_->between(r, 0, 1) < kSameEnds_rad;
    }
    return false;
  }

  bool show(int node, Fade& fade) {
    fade.shares = fadedShares(fade.limits, fade.radius_frames, fade.is_cycle);
    if (fallback_.show(node, fade.shares)) return true;
    held_.insert(node);  // has no correction
    return false;
  }

  // Fades that accelerate the skin take longer.
  bool slowFades() {
    if (fades_.empty()) return false;
    const std::vector<double> now =
        largestAccelerations(fallback_.skin_of, frameCount(), fallback_.regions, threads_);
    bool has_changed = false;
    for (std::size_t r = 0; r < now.size(); ++r) {
      const auto found = fades_.find(fallback_.regions[r].node);
      if (found == fades_.end() || held_.count(found->first) > 0) continue;
      if (now[r] <= kMaxAccelerationRatio * accelerations_[r]) continue;
      has_changed = slow(found->first, found->second) || has_changed;
    }
    return has_changed;
  }

  bool slow(int node, Fade& fade) {
    fade.radius_frames += std::max<std::size_t>(1, fade.radius_frames / 2);
    if (static_cast<double>(fade.radius_frames) > kLongestFade_s * motion_.grid.fps) {
      return hold(node, fade.reason);
    }
    return show(node, fade);
  }

  const Scene& scene_;
  const BakeRig& rig_;
  const Motion& motion_;
  const Baked& baked_;
  std::size_t index_;
  const SkinFallback& fallback_;
  int threads_;
  FallbackSkin result_;
  std::set<int> held_;
  std::map<int, Fade> fades_;
  std::optional<PoseAngles> ends_;
  std::vector<double> accelerations_;  // by region, before any fade
};

// "frames 3 to 8, 20" where less than all is shown.
std::string framesText(std::span<const double> shares) {
  std::string text;
  for (std::size_t f = 0; f < shares.size(); ++f) {
    if (!(shares[f] < 1.0)) continue;
    std::size_t last = f;
    while (last + 1 < shares.size() && shares[last + 1] < 1.0) ++last;
    text += (text.empty() ? "frames " : ", ") + std::to_string(f);
    if (last > f) text += " to " + std::to_string(last);
    f = last;
  }
  return text;
}

}  // namespace

FallbackSkin applySkinFallback(const Scene& scene, const BakeRig& rig, const Motion& motion,
                               const Baked& baked, std::size_t index, const SkinFallback& fallback,
                               int threads) {
  return FallbackRun(scene, rig, motion, baked, index, fallback, threads).run();
}

void mergeFallback(FallbackSkin&& second, FallbackSkin& skin) {
  skin.nodes.insert(skin.nodes.end(), second.nodes.begin(), second.nodes.end());
  skin.reasons.insert(skin.reasons.end(), second.reasons.begin(), second.reasons.end());
  skin.errors = std::move(second.errors);
  std::map<int, FadedJoint> faded;
  for (FadedJoint& joint : skin.faded) faded.emplace(joint.node, std::move(joint));
  for (FadedJoint& joint : second.faded) {
    const auto [found, is_new] = faded.try_emplace(joint.node, joint);
    if (is_new) continue;
    std::vector<double>& shares = found->second.shares;
    for (std::size_t f = 0; f < shares.size(); ++f) shares[f] *= joint.shares[f];
  }
  for (const int node : skin.nodes) faded.erase(node);
  skin.faded.clear();
  for (auto& [node, joint] : faded) skin.faded.push_back(std::move(joint));
}

void reportHeldBack(const FallbackSkin& skin, const Motion& motion, const Skeleton& skeleton,
                    StageResult& result) {
  const auto nameOfJoint = [&](int node) {
    return node < 0 ? std::string() : skeleton.nodes[toSize(node)].name;
  };
  const auto locationOf = [&](int node, WorseBy reason) {
    const std::string joint = node < 0 ? "" : ", " + nameOfJoint(node);
    return motion.clip_name + joint + " (" + nameOf(reason) + ")";
  };
  for (std::size_t i = 0; i < skin.nodes.size(); ++i) {
    const std::string location = locationOf(skin.nodes[i], skin.reasons[i]);
    if (skin.reasons[i] == WorseBy::kGluing) {
      result.warnings.add(
          "skin_glued",
          "the bake of a joint holds parts of the skin together that plain skinning moves "
          "apart, and the joint keeps plain skinning in the clip",
          location);
    } else {
      result.warnings.add(
          "worse_than_skinning",
          "the bake of a joint is worse than plain skinning in a clip, and the joint keeps "
          "plain skinning in it",
          location);
    }
  }
  for (const FadedJoint& joint : skin.faded) {
    const double least = *std::min_element(joint.shares.begin(), joint.shares.end());
    result.warnings.add(
        "bake_faded",
        "the bake of a joint is worse than plain skinning in some frames of a clip, and fades "
        "towards plain skinning about them",
        locationOf(joint.node, joint.reason) + ", " + framesText(joint.shares) + ", down to " +
            fixedText(kPercent * least, 0) + " %");
    Series series{"bake_share_percent", nameOfJoint(joint.node), {}, {}};
    for (const double share : joint.shares) series.after.push_back(kPercent * share);
    result.series.push_back(std::move(series));
  }
}

}  // namespace clipmill::stages::tet_bake
