// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/joints/bones_fit.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/parallel.h"
#include "core/to_size.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr std::size_t kMaxTrained = 128;
constexpr std::size_t kPoseFramesPerBlock = 4;
constexpr int kSweepsPerRound = 2;
constexpr int kLastSweeps = 20;
constexpr int kFarRounds = 8;
// A weight that is only rounding.
constexpr double kNoWeight = 1e-9;
// Scales and angles of a bind map that differ by less are alike.
constexpr double kEven = 1e-3;

// How far points are from plain skinning, by frame: sums of squares.
std::vector<double> squaresByFrame(const PointDisplacements& world) {
  std::vector<double> far(world.frameCount(), 0.0);
  for (std::size_t p = 0; p < world.pointCount(); ++p) {
    for (std::size_t c = 0; c < 3; ++c) {
      const auto row = world.row(p, c);
      for (std::size_t f = 0; f < far.size(); ++f) {
        far[f] += static_cast<double>(row[f]) * static_cast<double>(row[f]);
      }
    }
  }
  return far;
}

// Where each of `count` stretches of frames starts, and the end: of equal weight, or of equal
// length without weights.
std::vector<std::size_t> stretchesOf(std::span<const double> weights, std::size_t frames,
                                     std::size_t count) {
  std::vector<std::size_t> starts;
  if (weights.empty()) {
    for (std::size_t i = 0; i <= count; ++i) starts.push_back(i * frames / count);
    return starts;
  }
  double total = 0.0, before = 0.0;
  for (const double weight : weights) total += weight;
  for (std::size_t f = 0; f < frames; ++f) {
    if (before * static_cast<double>(count) >= static_cast<double>(starts.size()) * total) {
      starts.push_back(f);
    }
    before += weights[f];
  }
  starts.push_back(frames);
  return starts;
}

// Of each stretch of frames the one in which points are farthest from plain skinning.
std::vector<std::size_t> columnsToTrain(const BonesTarget& target) {
  const std::vector<double> far = squaresByFrame(target.world);
  const std::vector<std::size_t> starts =
      stretchesOf(target.column_weights, far.size(), std::min(kMaxTrained, far.size()));
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    const auto first = far.begin() + static_cast<std::ptrdiff_t>(starts[i]);
    const auto last = far.begin() + static_cast<std::ptrdiff_t>(starts[i + 1]);
    columns.push_back(toSize(std::max_element(first, last) - far.begin()));
  }
  return columns;
}

class BonesFitter {
 public:
  BonesFitter(const BonesTarget& target, std::span<const MorphRegion> regions,
              const BonesFitSettings& settings)
      : target_(target), regions_(regions), settings_(settings) {
    frames_ = framesToTrain(target);
    for (const Affine& bind : target.surface.bind_world_from_node) {
      may_own_.push_back(mayOwnHelpers(bind) ? 1 : 0);
    }
  }

  BonesFit fit() {
    fitRegions();
    alternate();
    dropIdleHelpers(bones_, points_);
    fitAllFrames();
    holdWorseBack();
    positionPivots();
    return result();
  }

 private:
  void fitRegions() {
    std::vector<RegionBones> made(regions_.size());
    parallelFor(regions_.size(), 1, settings_.threads, [&](std::size_t r, std::size_t) {
      made[r] = fitRegionBones(target_, regions_[r], frames_, may_own_, settings_);
    });
    points_.resize(target_.surface.pointCount());
    std::vector<double> most(points_.size(), 0.0);
    for (std::size_t p = 0; p < points_.size(); ++p) {
      points_[p].point = static_cast<std::uint32_t>(p);
      points_[p].owners = reducedOwnersOf(target_.surface.influencesOf(p));
    }
    for (RegionBones& region : made) addRegion(region, most);
  }

  // Each point starts with the weights of the region that has the largest share in it.
  void addRegion(RegionBones& region, std::vector<double>& most) {
    for (const BonesPoint& from : region.points) {
      BonesPoint& point = points_[from.point];
      const bool is_larger = from.share > most[from.point];
      if (is_larger) {
        most[from.point] = from.share;
        std::fill(point.weights.begin(), point.weights.end(), 0.0);
      }
      for (std::size_t k = 0; k < from.bones.size(); ++k) {
        point.bones.push_back(bones_.size() + from.bones[k]);
        point.weights.push_back(is_larger ? from.weights[k] : 0.0);
      }
    }
    std::move(region.bones.begin(), region.bones.end(), std::back_inserter(bones_));
  }

  double energy() const {
    return energyLeft(points_, squaresLeft(target_, frames_, bones_, points_, settings_.threads));
  }

  void alternate() {
    energies_ = {energy()};
    for (int rotation = 0; rotation < settings_.max_iterations; ++rotation) {
      std::vector<BonesPoint> points = points_;
      std::vector<HelperBone> bones = bones_;
      fitWeights(target_, frames_, bones_, settings_.threads, points_);
      fitMotions(target_, frames_, points_, kSweepsPerRound, settings_.threads, bones_);
      const double before = energies_.back(), after = energy();
      if (!(after < before)) {
        // A joint with non-uniform scale may make the best fit of its space a worse one.
        points_ = std::move(points);
        bones_ = std::move(bones);
        return;
      }
      energies_.push_back(after);
      if (before - after < settings_.min_gain * before) return;
    }
  }

  // Each frame starts with the motions of the nearest one that was trained.
  void fitAllFrames() {
    const std::size_t count = target_.world.frameCount();
    const BonesReach reach = reachOf(points_, bones_.size());
    const std::vector<double> shares = sharesOf(points_);
    std::vector<std::vector<Affine>> all(bones_.size(), std::vector<Affine>(count));
    parallelFor(count, kPoseFramesPerBlock, settings_.threads,
                [&](std::size_t start, std::size_t end) {
                  for (std::size_t f = start; f < end; ++f) {
                    std::vector<Affine> moved(bones_.size());
                    const std::size_t from = nearestTrained(f);
                    for (std::size_t b = 0; b < bones_.size(); ++b) {
                      moved[b] = bones_[b].moved[from];
                    }
                    fitFrame(f, shares, reach, moved);
                    for (std::size_t b = 0; b < bones_.size(); ++b) all[b][f] = moved[b];
                  }
                });
    for (std::size_t b = 0; b < bones_.size(); ++b) bones_[b].moved = std::move(all[b]);
  }

  // The least squares first; then points count by how much they leave, too, so that few that would
  // be far off pull as much as many that are not.
  void fitFrame(std::size_t frame, std::span<const double> shares, const BonesReach& reach,
                std::span<Affine> moved) const {
    const std::vector<Affine> worlds = target_.worlds_at(frame);
    fitMotionsAt(target_, points_, shares, reach, bones_, frame, worlds, kLastSweeps, moved);
    std::vector<double> counted(shares.size());
    for (int round = 0; round < kFarRounds; ++round) {
      const std::vector<double> left =
          distancesLeftAt(target_, points_, reach, bones_, frame, worlds, moved);
      for (std::size_t i = 0; i < shares.size(); ++i) {
        const double far = left[i] / settings_.p99_m;
        counted[i] = 0.5 * (counted[i] + shares[i] * (1.0 + far * far));
      }
      fitMotionsAt(target_, points_, counted, reach, bones_, frame, worlds, kSweepsPerRound, moved);
    }
  }

  void holdWorseBack() {
    BonesFrames all;
    for (std::size_t f = 0; f < target_.world.frameCount(); ++f) {
      all.columns.push_back(f);
      all.worlds.push_back(target_.worlds_at(f));
    }
    held_ = holdBack(target_, all, bones_, settings_.rms_m, settings_.threads, points_);
    dropIdleHelpers(bones_, points_);
  }

  std::size_t nearestTrained(std::size_t frame) const {
    const auto& columns = frames_.columns;
    const auto above = std::lower_bound(columns.begin(), columns.end(), frame);
    if (above == columns.begin()) return 0;
    const auto index = toSize(above - columns.begin());
    if (above == columns.end() || frame - columns[index - 1] < *above - frame) return index - 1;
    return index;
  }

  void positionPivots() {
    const BonesReach reach = reachOf(points_, bones_.size());
    for (std::size_t b = 0; b < bones_.size(); ++b) {
      double sum = 0.0;
      Vec3 position(0.0);
      for (const auto& [i, weight] : reach[b]) {
        sum += weight;
        position += target_.surface.positions[i] * weight;
      }
      bones_[b].pivot = position / sum;
    }
  }

  BonesFit result() {
    BonesFit fit;
    fit.bones = std::move(bones_);
    setPoints(target_.surface, std::move(points_), fit);
    fit.energies = std::move(energies_);
    fit.held = std::move(held_);
    return fit;
  }

  const BonesTarget& target_;
  std::span<const MorphRegion> regions_;
  const BonesFitSettings& settings_;
  BonesFrames frames_;
  std::vector<char> may_own_;
  std::vector<BonesPoint> points_;
  std::vector<HelperBone> bones_;
  std::vector<double> energies_;
  std::vector<std::size_t> held_;
};

}  // namespace

BonesFrames framesToTrain(const BonesTarget& target) {
  BonesFrames frames;
  frames.columns = columnsToTrain(target);
  for (const std::size_t column : frames.columns) frames.worlds.push_back(target.worlds_at(column));
  return frames;
}

void dropIdleHelpers(std::vector<HelperBone>& bones, std::span<BonesPoint> points) {
  const BonesReach reach = reachOf(points, bones.size());
  std::vector<std::size_t> next(bones.size());
  std::vector<HelperBone> kept;
  for (std::size_t b = 0; b < bones.size(); ++b) {
    next[b] = kept.size();
    if (!reach[b].empty()) kept.push_back(std::move(bones[b]));
  }
  for (BonesPoint& point : points) {
    std::vector<std::size_t> own;
    std::vector<double> weights;
    for (std::size_t k = 0; k < point.bones.size(); ++k) {
      if (!(point.weights[k] > 0.0)) continue;
      own.push_back(next[point.bones[k]]);
      weights.push_back(point.weights[k]);
    }
    point.bones = std::move(own);
    point.weights = std::move(weights);
  }
  bones = std::move(kept);
}

void setPoints(const SkinSurface& surface, std::vector<BonesPoint> points, BonesFit& fit) {
  const std::size_t node_count = surface.bind_world_from_node.size();
  fit.influences.clear();
  fit.influence_start = {0};
  for (const BonesPoint& point : points) {
    // Points that follow no helper keep all their owners.
    const std::vector<Influence> owners =
        point.bones.empty() ? ownersOf(surface.influencesOf(point.point)) : point.owners;
    for (Influence owner : owners) {
      for (std::size_t k = 0; k < point.bones.size(); ++k) {
        if (fit.bones[point.bones[k]].owner == owner.joint) owner.weight -= point.weights[k];
      }
      if (owner.weight > kNoWeight) fit.influences.push_back(owner);
    }
    for (std::size_t k = 0; k < point.bones.size(); ++k) {
      fit.influences.push_back(
          {static_cast<std::uint32_t>(node_count + point.bones[k]), point.weights[k]});
    }
    fit.influence_start.push_back(fit.influences.size());
  }
  fit.points = std::move(points);
}

bool mayOwnHelpers(const Affine& bind_world_from_node) {
  // Maps that keep rigid motions rigid: rotations with one scale.
  const Mat3& linear = bind_world_from_node.linear;
  const Mat3 square = glm::transpose(linear) * linear;
  const double mean = (square[0][0] + square[1][1] + square[2][2]) / 3.0;
  if (!(mean > 0.0) || !std::isfinite(mean)) return false;
  for (int c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r) {
      if (std::abs(square[c][r] - (c == r ? mean : 0.0)) > kEven * mean) return false;
    }
  }
  return true;
}

BonesFit fitBones(const BonesTarget& target, std::span<const MorphRegion> regions,
                  const BonesFitSettings& settings) {
  return BonesFitter(target, regions, settings).fit();
}

void appendHelpers(std::span<const HelperBone> bones, std::size_t frame,
                   std::vector<Affine>& worlds) {
  for (const HelperBone& bone : bones) worlds.push_back(worlds[bone.owner] * bone.moved[frame]);
}

void skinByHelpers(const SkinSurface& surface, const BonesFit& fit, std::span<const Affine> worlds,
                   std::size_t frame, std::span<Vec3> positions) {
  std::vector<Affine> all(worlds.begin(), worlds.end());
  appendHelpers(fit.bones, frame, all);
  for (std::size_t p = 0; p < positions.size(); ++p) {
    Vec3 sum(0.0);
    for (const Influence& influence : fit.influencesOf(p)) {
      sum += transformPoint(all[influence.joint], surface.positions[p]) * influence.weight;
    }
    positions[p] = sum;
  }
}

}  // namespace clipmill::stages::tet_bake
