// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "make_samples/accessories.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/portable_math.h"
#include "core/to_size.h"
#include "make_samples/body_mesh.h"

namespace clipmill::samples {
namespace {

constexpr int kSkirtChains = 8;
constexpr int kSkirtJoints = 3;
constexpr double kSkirtTop_m = 0.97, kSkirtJoint_m = 0.135;
constexpr int kTailJoints = 6, kWhipJoints = 10, kHairJoints = 4;
constexpr double kTailJoint_m = 0.11, kWhipJoint_m = 0.09, kHairJoint_m = 0.085;

struct Strand {
  const char* name;
  Vec3 from;       // on the scalp
  Vec3 direction;  // of its first joint; it then hangs down
};

const Strand kStrands[] = {{"HairBack1_", Vec3(0.058, 1.700, -0.100), Vec3(0.25, -0.80, -0.5)},
                           {"HairBack2_", Vec3(0.020, 1.690, -0.118), Vec3(0.08, -0.80, -0.6)},
                           {"HairBack3_", Vec3(-0.020, 1.690, -0.118), Vec3(-0.08, -0.80, -0.6)},
                           {"HairBack4_", Vec3(-0.058, 1.700, -0.100), Vec3(-0.25, -0.80, -0.5)},
                           {"HairLeft_", Vec3(0.082, 1.705, -0.045), Vec3(0.5, -0.85, -0.2)},
                           {"HairRight_", Vec3(-0.082, 1.705, -0.045), Vec3(-0.5, -0.85, -0.2)}};

// Points along a chain whose direction bends from `first` to `last`.
std::vector<Vec3> bentChain(Vec3 point, const Vec3& first, const Vec3& last, int joints,
                            double length) {
  std::vector<Vec3> points = {point};
  for (int i = 0; i < joints; ++i) {
    const double t = static_cast<double>(i) / (joints - 1);
    point += glm::normalize(first * (1 - t) + last * t) * length;
    points.push_back(point);
  }
  return points;
}

Vec3 skirtDirection(double angle) { return Vec3(portable::sin(angle), 0, portable::cos(angle)); }

double skirtAngle(int chain) { return 2.0 * kPi * chain / kSkirtChains; }

// Half width and depth of the skirt `drop` metres below its top.
Vec2 skirtRadii(double drop) { return Vec2(0.176 + 0.34 * drop, 0.130 + 0.42 * drop); }

Vec3 skirtPoint(double angle, double drop) {
  const Vec3 out = skirtDirection(angle);
  const Vec2 radii = skirtRadii(drop);
  return Vec3(out.x * radii.x, kSkirtTop_m - drop, out.z * radii.y - 0.005);
}

void addSkirtJoints(Rig& rig) {
  for (int chain = 0; chain < kSkirtChains; ++chain) {
    std::vector<Vec3> points;
    for (int j = 0; j <= kSkirtJoints; ++j) {
      points.push_back(skirtPoint(skirtAngle(chain), j * kSkirtJoint_m));
    }
    const Vec3 tangent = skirtDirection(skirtAngle(chain) + 0.5 * kPi);
    rig.addChain("Skirt" + std::to_string(chain + 1) + "_", rig.at("Hips"), points, tangent);
  }
}

// A chain's surface: a round tube through its joints, thick at the root and thin at the tip.
void addStrandSurface(const Rig& rig, const std::string& prefix, int joints, double length,
                      double root_m, double tip_m, Cloth cloth, int sides, SurfaceSet& surfaces) {
  std::vector<int> nodes;
  std::vector<double> starts, half_widths;
  std::vector<Station> stations;
  for (int j = 0; j <= joints; ++j) {
    const double t = static_cast<double>(j) / joints, r = root_m * (1 - t) + tip_m * t;
    const int node = rig.at(prefix + std::to_string(std::min(j + 1, joints)));
    const Vec3 center = transformPoint(rig.worldAtRest(node), Vec3(0, j == joints ? length : 0, 0));
    stations.push_back({j * length, center, r, r, r});
    if (j == joints) break;
    nodes.push_back(node);
    starts.push_back(j * length);
    half_widths.push_back(0.4 * length);
  }
  Tube tube = roundTube(stations, 2 * joints + 1, 0.7 * root_m, tip_m);
  const Vec3 along = glm::normalize(stations.back().center - stations.front().center);
  tube.x = rig.worldAtRest(nodes.front()).linear[0];
  tube.x = glm::normalize(tube.x - along * glm::dot(tube.x, along));
  tube.z = glm::cross(tube.x, along);
  tube.sides = sides;
  tube.weights = [=](double s, const Vec3&) { return chainWeights(nodes, starts, half_widths, s); };
  tube.cloth = [cloth](double) { return cloth; };
  surfaces.add(tube);
}

Station skirtRing(double drop, double inset) {
  const Vec2 radii = skirtRadii(drop) - Vec2(inset);
  return {drop, Vec3(0, kSkirtTop_m - drop, -0.005), radii.x, radii.y, radii.y};
}

// Down the outside and up the inside, so that the cloth is a closed surface 6 mm thick; a ring more
// rounds the hem and another one the waist.
std::vector<Station> skirtRings() {
  constexpr int kRows = 7;
  constexpr double kThickness_m = 0.006, kEdge_m = 0.004;
  const double length = kSkirtJoints * kSkirtJoint_m;
  const auto dropOf = [&](int row) { return length * row / (kRows - 1); };
  std::vector<Station> rings;
  for (int row = 0; row < kRows; ++row) rings.push_back(skirtRing(dropOf(row), 0.0));
  rings.push_back(skirtRing(length + kEdge_m, 0.5 * kThickness_m));
  for (int row = kRows - 1; row >= 0; --row) {
    rings.push_back(skirtRing(dropOf(row), kThickness_m));
  }
  rings.push_back(skirtRing(-kEdge_m, 0.5 * kThickness_m));
  return rings;
}

// Each vertex goes with the two nearest chains and, along them, with their joints.
Weights skirtWeights(const std::vector<std::vector<int>>& chains, double drop, const Vec3& p) {
  const Vec2 radii = skirtRadii(drop);
  const double angle = portable::atan2(p.x / radii.x, (p.z + 0.005) / radii.y);
  const double position = (angle / (2.0 * kPi) + 1.0) * kSkirtChains;
  const int chain = static_cast<int>(std::floor(position + 1e-9));
  const double toward_next = smoothStep(position - chain);
  Weights weights;
  for (const auto& [c, share] : {std::pair(chain, 1.0 - toward_next), {chain + 1, toward_next}}) {
    if (share <= 0.0) continue;
    const auto& nodes = chains[toSize(c % kSkirtChains)];
    for (const auto& [node, weight] :
         chainWeights(nodes, {0, kSkirtJoint_m, 2 * kSkirtJoint_m}, {0, 0.06, 0.06}, drop)) {
      weights.emplace_back(node, weight * share);
    }
  }
  return weights;
}

void addSkirtSurface(const Rig& rig, SurfaceSet& surfaces) {
  std::vector<std::vector<int>> chains(kSkirtChains);
  for (int chain = 0; chain < kSkirtChains; ++chain) {
    for (int j = 1; j <= kSkirtJoints; ++j) {
      const std::string name = "Skirt" + std::to_string(chain + 1) + "_" + std::to_string(j);
      chains[toSize(chain)].push_back(rig.at(name));
    }
  }
  Tube tube;
  tube.rings = skirtRings();
  tube.x = Vec3(-1, 0, 0);
  tube.z = Vec3(0, 0, 1);
  tube.sides = 24;
  tube.is_loop = true;
  tube.weights = [chains](double s, const Vec3& p) { return skirtWeights(chains, s, p); };
  tube.cloth = [](double) { return Cloth::kSkirt; };
  surfaces.add(tube);
}

}  // namespace

void addAccessoryJoints(Rig& rig) {
  const Vec3 right(1, 0, 0);
  for (const Strand& strand : kStrands) {
    const auto points =
        bentChain(strand.from, strand.direction, Vec3(0, -1, -0.08), kHairJoints, kHairJoint_m);
    rig.addChain(strand.name, rig.at("Head"), points, right);
  }
  addSkirtJoints(rig);
  rig.addChain("Tail", rig.at("Hips"),
               bentChain(Vec3(0, 0.965, -0.115), Vec3(0, -0.1, -1), Vec3(0, -0.9, -0.6),
                         kTailJoints, kTailJoint_m),
               right);
  const int hand = rig.at("RightHand");
  const Affine& world_from_hand = rig.worldAtRest(hand);
  const Vec3 down = world_from_hand.linear[1], forward = world_from_hand.linear[2];
  rig.addChain("Whip", hand,
               bentChain(transformPoint(world_from_hand, Vec3(0, 0.085, 0.02)), forward,
                         down + forward * 0.2, kWhipJoints, kWhipJoint_m),
               world_from_hand.linear[0]);
}

void addAccessorySurfaces(const Rig& rig, SurfaceSet& surfaces) {
  for (const Strand& strand : kStrands) {
    addStrandSurface(rig, strand.name, kHairJoints, kHairJoint_m, 0.024, 0.009, Cloth::kHair, 8,
                     surfaces);
  }
  addSkirtSurface(rig, surfaces);
  addStrandSurface(rig, "Tail", kTailJoints, kTailJoint_m, 0.034, 0.014, Cloth::kTail, 10,
                   surfaces);
  addStrandSurface(rig, "Whip", kWhipJoints, kWhipJoint_m, 0.013, 0.005, Cloth::kWhip, 6, surfaces);
}

}  // namespace clipmill::samples
