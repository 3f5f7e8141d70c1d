// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/joints/bones_fit_region.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace clipmill::stages::tet_bake {
namespace {

// A helper starts with the points about the worst one, to this part of the region's extent (root
// mean square of the distances from its middle).
constexpr double kStartReach = 0.7;
// Points that are tried as the worst.
constexpr std::size_t kMaxSeeds = 256;
// Owners that are tried, and what part of the largest one's weight they have to have there.
constexpr std::size_t kMaxOwners = 2;
constexpr double kMinOwnerWeight = 0.25;
// Iterations of both steps, to choose an owner and after it was chosen.
constexpr int kTrialRotations = 2;
constexpr int kMaxRotations = 8;
constexpr int kSweepsPerRegion = 2;
// Iterations end when one removes less than this part of what is left.
constexpr double kStalledRegion = 0.01;
// A helper has to take away this part of what those before it left.
constexpr double kWorth = 0.1;
// Points that are at least half a region's count for its worst hundredth.
constexpr double kRegionOwnShare = 0.5;

class RegionFitter {
 public:
  RegionFitter(const BonesTarget& target, const MorphRegion& region, const BonesFrames& frames,
               const std::vector<char>& may_own, const BonesFitSettings& settings)
      : target_(target), region_(region), frames_(frames), may_own_(may_own), settings_(settings) {
    for (std::size_t i = 0; i < region.points.size(); ++i) {
      const std::uint32_t point = region.points[i];
      if (!target.mayFollowHelpers(point)) continue;
      made_.points.push_back(
          {point, region.shares[i], reducedOwnersOf(target.surface.influencesOf(point)), {}, {}});
    }
    measureExtent();
  }

  RegionBones fit() {
    std::vector<float> left = squaresOf(made_);
    made_.energies = {energyLeft(made_.points, left)};
    while (made_.bones.size() < settings_.max_per_region && !isWithin(left)) {
      RegionBones next = withOneMore(left);
      if (next.bones.size() == made_.bones.size()) break;
      alternate(kMaxRotations, next);
      if (!(next.energies.back() < (1.0 - kWorth) * made_.energies.back())) break;
      made_ = std::move(next);
      left = squaresOf(made_);
    }
    return std::move(made_);
  }

 private:
  std::vector<float> squaresOf(const RegionBones& bones) const {
    return squaresLeft(target_, frames_, bones.bones, bones.points, 1);
  }

  const Vec3& positionOf(std::size_t i) const {
    return target_.surface.positions[made_.points[i].point];
  }

  void measureExtent() {
    double sum = 0.0, squares = 0.0;
    Vec3 middle(0.0);
    for (std::size_t i = 0; i < made_.points.size(); ++i) {
      sum += made_.points[i].share;
      middle += positionOf(i) * made_.points[i].share;
    }
    if (!(sum > 0.0)) return;
    middle /= sum;
    for (std::size_t i = 0; i < made_.points.size(); ++i) {
      const Vec3 arm = positionOf(i) - middle;
      squares += made_.points[i].share * glm::dot(arm, arm);
    }
    reach_m_ = kStartReach * std::sqrt(squares / sum);
  }

  bool isWithin(const std::vector<float>& left) const {
    const std::size_t count = frames_.columns.size();
    double shares = 0.0;
    std::vector<float> own;
    for (std::size_t i = 0; i < made_.points.size(); ++i) {
      shares += made_.points[i].share;
      if (made_.points[i].share < kRegionOwnShare) continue;
      const auto first = left.begin() + static_cast<std::ptrdiff_t>(i * count);
      own.insert(own.end(), first, first + static_cast<std::ptrdiff_t>(count));
    }
    if (!(shares > 0.0)) return true;
    const double mean = energyLeft(made_.points, left) / (shares * static_cast<double>(count));
    return std::sqrt(mean) <= settings_.rms_m && worstHundredthOf(own) <= settings_.p99_m;
  }

  // 1 at the seed, 0 at the reach and beyond.
  double nearness(std::size_t seed, std::size_t i) const {
    const Vec3 arm = positionOf(i) - positionOf(seed);
    const double part = 1.0 - glm::dot(arm, arm) / (reach_m_ * reach_m_);
    return part > 0.0 ? part * part : 0.0;
  }

  // The point about which most is left.
  std::size_t worstPoint(const std::vector<float>& left) const {
    const std::size_t count = frames_.columns.size();
    std::vector<double> of_point(made_.points.size(), 0.0);
    for (std::size_t i = 0; i < of_point.size(); ++i) {
      for (std::size_t f = 0; f < count; ++f) {
        of_point[i] += static_cast<double>(left[i * count + f]);
      }
      of_point[i] *= made_.points[i].share;
    }
    const std::size_t step = std::max<std::size_t>(1, of_point.size() / kMaxSeeds);
    std::size_t worst = 0;
    double most = -1.0;
    for (std::size_t seed = 0; seed < of_point.size(); seed += step) {
      double sum = 0.0;
      for (std::size_t i = 0; i < of_point.size(); ++i) sum += nearness(seed, i) * of_point[i];
      if (sum <= most) continue;
      most = sum;
      worst = seed;
    }
    return worst;
  }

  // The nodes that move the points about the seed most, and may own helpers.
  std::vector<std::uint32_t> ownersAbout(std::size_t seed) const {
    std::map<std::uint32_t, double> sums;
    for (std::size_t i = 0; i < made_.points.size(); ++i) {
      const double near = nearness(seed, i) * made_.points[i].share;
      if (near == 0.0) continue;
      for (const Influence& owner : made_.points[i].owners) {
        if (may_own_[owner.joint]) sums[owner.joint] += near * owner.weight;
      }
    }
    std::vector<std::pair<std::uint32_t, double>> order(sums.begin(), sums.end());
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::uint32_t> owners;
    for (const auto& [node, sum] : order) {
      if (owners.size() < kMaxOwners && sum >= kMinOwnerWeight * order.front().second) {
        owners.push_back(node);
      }
    }
    return owners;
  }

  // A helper that has all of its owner's weight about the seed to start with.
  RegionBones startedAt(std::size_t seed, std::uint32_t owner) const {
    RegionBones next = made_;
    const std::size_t bone = next.bones.size();
    next.bones.push_back(
        {region_.node, owner, Vec3(0.0), std::vector<Affine>(frames_.columns.size())});
    std::vector<BonesPoint> about;
    for (std::size_t i = 0; i < next.points.size(); ++i) {
      BonesPoint& point = next.points[i];
      const auto own = std::find_if(point.owners.begin(), point.owners.end(),
                                    [&](const Influence& o) { return o.joint == owner; });
      if (own == point.owners.end()) continue;
      const double near = nearness(seed, i);
      if (near > 0.0) about.push_back(started(point, next.bones, bone, own->weight, near));
      point.bones.push_back(bone);
      point.weights.push_back(0.0);
    }
    std::vector<HelperBone> bones = next.bones;
    fitMotions(target_, frames_, about, 1, 1, bones);
    next.bones[bone].moved = bones[bone].moved;
    return next;
  }

  // The point with its owner's weight given to `bone` alone.
  static BonesPoint started(const BonesPoint& point, std::span<const HelperBone> bones,
                            std::size_t bone, double weight, double near) {
    BonesPoint started = point;
    started.share *= near;
    for (std::size_t k = 0; k < started.bones.size(); ++k) {
      if (bones[started.bones[k]].owner == bones[bone].owner) started.weights[k] = 0.0;
    }
    started.bones.push_back(bone);
    started.weights.push_back(weight);
    return started;
  }

  void alternate(int most, RegionBones& bones) const {
    for (int rotation = 0; rotation < most; ++rotation) {
      const double before = bones.energies.back();
      RegionBones next = bones;
      fitWeights(target_, frames_, next.bones, 1, next.points);
      fitMotions(target_, frames_, next.points, kSweepsPerRegion, 1, next.bones);
      const double after = energyLeft(next.points, squaresOf(next));
      // A joint with non-uniform scale may make the best fit of its spaceo a worse one.
      if (!(after < before)) return;
      bones = std::move(next);
      bones.energies.push_back(after);
      if (before - after < kStalledRegion * before) return;
    }
  }

  // The region with another helper; without, where points have no influence left for one.
  RegionBones withOneMore(const std::vector<float>& left) const {
    const std::size_t seed = worstPoint(left);
    RegionBones best = made_;
    if (!(reach_m_ > 0.0)) return best;
    for (const std::uint32_t owner : ownersAbout(seed)) {
      RegionBones next = startedAt(seed, owner);
      alternate(kTrialRotations, next);
      if (next.energies.back() < best.energies.back()) best = std::move(next);
    }
    return best;
  }

  const BonesTarget& target_;
  const MorphRegion& region_;
  const BonesFrames& frames_;
  const std::vector<char>& may_own_;
  const BonesFitSettings& settings_;
  double reach_m_ = 0.0;
  RegionBones made_;
};

}  // namespace

RegionBones fitRegionBones(const BonesTarget& target, const MorphRegion& region,
                           const BonesFrames& frames, const std::vector<char>& may_own,
                           const BonesFitSettings& settings) {
  return RegionFitter(target, region, frames, may_own, settings).fit();
}

}  // namespace clipmill::stages::tet_bake
