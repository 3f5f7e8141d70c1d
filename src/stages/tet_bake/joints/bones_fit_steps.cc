// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/joints/bones_fit_steps.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/to_size.h"
#include "scene/bind_pose.h"
#include "stages/tet_bake/joints/bones_fit_rigid.h"
#include "stages/tet_bake/joints/bones_fit_weights.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr std::size_t kFitFramesPerBlock = 4;
constexpr std::size_t kFitPointsPerBlock = 64;
// Rounds end when one takes away less than this part of what is left.
constexpr double kStalled = 1e-4;
// Owners of a point that still permit helpers, and half a step of weights in bytes.
constexpr std::size_t kFewOwners = 2;
constexpr double kMinOwner = 0.5 / 255.0;

double squareOf(const Vec3& vector) { return glm::dot(vector, vector); }

void scaleToOne(std::vector<Influence>& influences) {
  double sum = 0.0;
  for (const Influence& influence : influences) sum += influence.weight;
  for (Influence& influence : influences) influence.weight /= sum;
}

// Effects of helpers by bone and frame.
std::vector<std::vector<Affine>> effectsOf(const BonesFrames& frames,
                                           std::span<const HelperBone> bones) {
  std::vector<std::vector<Affine>> effects(bones.size());
  for (std::size_t b = 0; b < bones.size(); ++b) {
    for (std::size_t f = 0; f < frames.columns.size(); ++f) {
      effects[b].push_back(effectOf(frames.worlds[f][bones[b].owner], bones[b].moved[f]));
    }
  }
  return effects;
}

// What helpers do to a point in a frame.
Vec3 moveOf(const BonesTarget& target, const BonesPoint& point,
            std::span<const std::vector<Affine>> effects, std::size_t frame) {
  Vec3 move(0.0);
  for (std::size_t k = 0; k < point.bones.size(); ++k) {
    if (point.weights[k] == 0.0) continue;
    move += transformPoint(effects[point.bones[k]][frame], target.surface.positions[point.point]) *
            point.weights[k];
  }
  return move;
}

// What is left of all points at one frame.
class FrameLeft {
 public:
  FrameLeft(const BonesTarget& target, std::span<const BonesPoint> points, const BonesReach& reach,
            std::span<const HelperBone> bones, std::size_t column, std::span<const Affine> worlds,
            std::span<const Affine> moved)
      : target_(target), points_(points), reach_(reach), bones_(bones), worlds_(worlds) {
    for (const BonesPoint& point : points) left_.push_back(wantedAt(target, point, column, worlds));
    for (std::size_t b = 0; b < bones.size(); ++b) addEffect(b, moved[b], -1.0);
  }

  const Vec3& positionOf(std::size_t i) const {
    return target_.surface.positions[points_[i].point];
  }
  const Vec3& of(std::size_t i) const { return left_[i]; }

  void addEffect(std::size_t bone, const Affine& moved, double sign) {
    const Affine effect = effectOf(worlds_[bones_[bone].owner], moved);
    for (const auto& [i, weight] : reach_[bone]) {
      left_[i] += transformPoint(effect, positionOf(i)) * (sign * weight);
    }
  }

  double energy(std::span<const double> shares) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < left_.size(); ++i) sum += shares[i] * squareOf(left_[i]);
    return sum;
  }

 private:
  const BonesTarget& target_;
  std::span<const BonesPoint> points_;
  const BonesReach& reach_;
  std::span<const HelperBone> bones_;
  std::span<const Affine> worlds_;
  std::vector<Vec3> left_;
};

// Of the squared distances of a point over all frames.
struct SquaresOfPoint {
  double sum = 0.0, most = 0.0;

  void add(double square) {
    sum += square;
    most = std::max(most, square);
  }
};

// One point's problem, filled frame by frame.
class PointWeights {
 public:
  PointWeights(const BonesTarget& target, const BonesFrames& frames,
               std::span<const HelperBone> bones, std::span<const std::vector<Affine>> effects)
      : target_(target), frames_(frames), bones_(bones), effects_(effects) {}

  void fit(BonesPoint& point) {
    if (point.bones.empty()) return;
    begin(point);
    for (std::size_t f = 0; f < frames_.columns.size(); ++f) addFrame(point, f);
    for (std::size_t i = 0; i < point.bones.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        problem_.gram[j * point.bones.size() + i] = problem_.gram[i * point.bones.size() + j];
      }
    }
    point.weights = solveWeights(problem_, kMaxInfluences, point.weights);
  }

 private:
  void begin(const BonesPoint& point) {
    const std::size_t count = point.bones.size();
    problem_.gram.assign(count * count, 0.0);
    problem_.right.assign(count, 0.0);
    problem_.owners.clear();
    problem_.weights.clear();
    for (const Influence& owner : point.owners) problem_.weights.push_back(owner.weight);
    for (const std::size_t bone : point.bones) {
      const auto owner =
          std::find_if(point.owners.begin(), point.owners.end(),
                       [&](const Influence& i) { return i.joint == bones_[bone].owner; });
      problem_.owners.push_back(toSize(owner - point.owners.begin()));
    }
    shifts_.resize(count);
  }

  void addFrame(const BonesPoint& point, std::size_t frame) {
    const Vec3& position = target_.surface.positions[point.point];
    const Vec3 wanted = wantedAt(target_, point, frames_.columns[frame], frames_.worlds[frame]);
    for (std::size_t i = 0; i < shifts_.size(); ++i) {
      shifts_[i] = transformPoint(effects_[point.bones[i]][frame], position);
      problem_.right[i] += glm::dot(shifts_[i], wanted);
      for (std::size_t j = 0; j <= i; ++j) {
        problem_.gram[i * shifts_.size() + j] += glm::dot(shifts_[i], shifts_[j]);
      }
    }
  }

  const BonesTarget& target_;
  const BonesFrames& frames_;
  std::span<const HelperBone> bones_;
  std::span<const std::vector<Affine>> effects_;
  WeightsProblem problem_;
  std::vector<Vec3> shifts_;
};

}  // namespace

std::vector<Influence> ownersOf(std::span<const Influence> influences) {
  std::vector<Influence> owners(influences.begin(), influences.end());
  std::stable_sort(owners.begin(), owners.end(),
                   [](const Influence& a, const Influence& b) { return a.weight > b.weight; });
  if (owners.size() > kMaxInfluences) owners.resize(kMaxInfluences);
  scaleToOne(owners);
  return owners;
}

std::vector<Influence> reducedOwnersOf(std::span<const Influence> influences) {
  std::vector<Influence> owners = ownersOf(influences);
  while (owners.size() > kFewOwners && owners.back().weight < kMinOwner) owners.pop_back();
  scaleToOne(owners);
  return owners;
}

Vec3 wantedAt(const BonesTarget& target, const BonesPoint& point, std::size_t column,
              std::span<const Affine> worlds) {
  Vec3 wanted = target.world.at(point.point, column);
  const auto all = target.surface.influencesOf(point.point);
  if (all.size() == point.owners.size()) return wanted;
  // What the influences that were cut off did.
  const Vec3& position = target.surface.positions[point.point];
  for (const Influence& i : all) wanted += transformPoint(worlds[i.joint], position) * i.weight;
  for (const Influence& i : point.owners) {
    wanted -= transformPoint(worlds[i.joint], position) * i.weight;
  }
  return wanted;
}

Affine effectOf(const Affine& owner_world, const Affine& moved) {
  return {owner_world.linear * (moved.linear - Mat3(1.0)), owner_world.linear * moved.translation};
}

BonesReach reachOf(std::span<const BonesPoint> points, std::size_t bone_count) {
  BonesReach reach(bone_count);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t k = 0; k < points[i].bones.size(); ++k) {
      if (points[i].weights[k] > 0.0) {
        reach[points[i].bones[k]].emplace_back(i, points[i].weights[k]);
      }
    }
  }
  return reach;
}

std::vector<double> sharesOf(std::span<const BonesPoint> points) {
  std::vector<double> shares;
  for (const BonesPoint& point : points) shares.push_back(point.share);
  return shares;
}

void fitMotionsAt(const BonesTarget& target, std::span<const BonesPoint> points,
                  std::span<const double> shares, const BonesReach& reach,
                  std::span<const HelperBone> bones, std::size_t column,
                  std::span<const Affine> worlds, int sweeps, std::span<Affine> moved) {
  FrameLeft left(target, points, reach, bones, column, worlds, moved);
  double before = left.energy(shares);
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (std::size_t b = 0; b < bones.size(); ++b) {
      if (reach[b].empty() || !isInvertible(worlds[bones[b].owner])) continue;
      const Mat3 bind_from_world = glm::inverse(worlds[bones[b].owner].linear);
      left.addEffect(b, moved[b], 1.0);
      RigidFit fit;
      for (const auto& [i, weight] : reach[b]) {
        fit.add(left.positionOf(i), weight,
                bind_from_world * left.of(i) + left.positionOf(i) * weight, shares[i]);
      }
      moved[b] = fit.solve();
      left.addEffect(b, moved[b], -1.0);
    }
    const double after = left.energy(shares);
    if (!(before - after > kStalled * before)) break;
    before = after;
  }
}

std::vector<double> distancesLeftAt(const BonesTarget& target, std::span<const BonesPoint> points,
                                    const BonesReach& reach, std::span<const HelperBone> bones,
                                    std::size_t column, std::span<const Affine> worlds,
                                    std::span<const Affine> moved) {
  const FrameLeft left(target, points, reach, bones, column, worlds, moved);
  std::vector<double> distances;
  for (std::size_t i = 0; i < points.size(); ++i) distances.push_back(glm::length(left.of(i)));
  return distances;
}

void fitMotions(const BonesTarget& target, const BonesFrames& frames,
                std::span<const BonesPoint> points, int sweeps, int threads,
                std::vector<HelperBone>& bones) {
  const BonesReach reach = reachOf(points, bones.size());
  const std::vector<double> shares = sharesOf(points);
  parallelFor(frames.columns.size(), kFitFramesPerBlock, threads,
              [&](std::size_t start, std::size_t end) {
                std::vector<Affine> moved(bones.size());
                for (std::size_t f = start; f < end; ++f) {
                  for (std::size_t b = 0; b < bones.size(); ++b) moved[b] = bones[b].moved[f];
                  fitMotionsAt(target, points, shares, reach, bones, frames.columns[f],
                               frames.worlds[f], sweeps, moved);
                  for (std::size_t b = 0; b < bones.size(); ++b) bones[b].moved[f] = moved[b];
                }
              });
}

void fitWeights(const BonesTarget& target, const BonesFrames& frames,
                std::span<const HelperBone> bones, int threads, std::vector<BonesPoint>& points) {
  const std::vector<std::vector<Affine>> effects = effectsOf(frames, bones);
  parallelFor(points.size(), kFitPointsPerBlock, threads, [&](std::size_t start, std::size_t end) {
    PointWeights weights(target, frames, bones, effects);
    for (std::size_t i = start; i < end; ++i) weights.fit(points[i]);
  });
}

std::vector<float> squaresLeft(const BonesTarget& target, const BonesFrames& frames,
                               std::span<const HelperBone> bones,
                               std::span<const BonesPoint> points, int threads) {
  const std::vector<std::vector<Affine>> effects = effectsOf(frames, bones);
  const std::size_t count = frames.columns.size();
  std::vector<float> squares(points.size() * count);
  parallelFor(points.size(), kFitPointsPerBlock, threads, [&](std::size_t start, std::size_t end) {
    for (std::size_t i = start; i < end; ++i) {
      const BonesPoint& point = points[i];
      for (std::size_t f = 0; f < count; ++f) {
        const Vec3 wanted = wantedAt(target, point, frames.columns[f], frames.worlds[f]);
        const Vec3 left = wanted - moveOf(target, point, effects, f);
        squares[i * count + f] = static_cast<float>(squareOf(left));
      }
    }
  });
  return squares;
}

double energyLeft(std::span<const BonesPoint> points, std::span<const float> squares) {
  const std::size_t count = points.empty() ? 0 : squares.size() / points.size();
  double sum = 0.0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    double own = 0.0;
    for (std::size_t f = 0; f < count; ++f) own += static_cast<double>(squares[i * count + f]);
    sum += points[i].share * own;
  }
  return sum;
}

std::vector<std::size_t> holdBack(const BonesTarget& target, const BonesFrames& frames,
                                  std::span<const HelperBone> bones, double margin_m, int threads,
                                  std::span<BonesPoint> points) {
  const std::vector<std::vector<Affine>> effects = effectsOf(frames, bones);
  const auto isWorse = [&](const BonesPoint& point) {
    SquaresOfPoint plain, moved;
    for (std::size_t f = 0; f < frames.columns.size(); ++f) {
      const Vec3 wanted = wantedAt(target, point, frames.columns[f], frames.worlds[f]);
      plain.add(squareOf(wanted));
      moved.add(squareOf(wanted - moveOf(target, point, effects, f)));
    }
    return moved.sum > plain.sum || std::sqrt(moved.most) > std::sqrt(plain.most) + margin_m;
  };
  std::vector<char> is_held(points.size(), 0);
  parallelFor(points.size(), kFitPointsPerBlock, threads, [&](std::size_t start, std::size_t end) {
    for (std::size_t i = start; i < end; ++i) {
      BonesPoint& point = points[i];
      const bool follows = std::any_of(point.weights.begin(), point.weights.end(),
                                       [](double weight) { return weight > 0.0; });
      if (!follows || !isWorse(point)) continue;
      std::fill(point.weights.begin(), point.weights.end(), 0.0);
      is_held[i] = 1;
    }
  });
  std::vector<std::size_t> held;
  for (std::size_t i = 0; i < is_held.size(); ++i) {
    if (is_held[i]) held.push_back(i);
  }
  return held;
}

}  // namespace clipmill::stages::tet_bake
