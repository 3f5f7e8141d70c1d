// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "make_samples/body_mesh.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/portable_math.h"

namespace clipmill::samples {
namespace {

constexpr double kFirstCapRing = 0.0761;  // 1 - cos(pi / 8): of a cap's length, its pole's distance

Station ring(double s, const Vec3& center, double side, double front, double back) {
  return {s, center, side, front, back};
}

// How much of the belly is there at height `y`.
double bellyAt(double y) {
  const double u = (y - 1.09) / 0.24;
  return std::abs(u) < 1.0 ? (1 - u * u) * (1 - u * u) : 0.0;
}

std::vector<Station> torsoStations(const BodyShape& shape) {
  std::vector<Station> stations = {ring(0.845, Vec3(0, 0.845, -0.005), 0.130, 0.088, 0.100),
                                   ring(0.90, Vec3(0, 0.90, -0.005), 0.160, 0.105, 0.118),
                                   ring(0.96, Vec3(0, 0.96, -0.005), 0.168, 0.108, 0.118),
                                   ring(1.03, Vec3(0, 1.03, 0), 0.155, 0.102, 0.100),
                                   ring(1.11, Vec3(0, 1.11, 0.004), 0.141, 0.096, 0.090),
                                   ring(1.20, Vec3(0, 1.20, 0.004), 0.147, 0.104, 0.098),
                                   ring(1.29, Vec3(0, 1.29, 0), 0.160, 0.116, 0.110),
                                   ring(1.37, Vec3(0, 1.37, -0.006), 0.162, 0.108, 0.108),
                                   ring(1.43, Vec3(0, 1.43, -0.014), 0.150, 0.084, 0.088),
                                   ring(1.47, Vec3(0, 1.47, -0.018), 0.104, 0.064, 0.066),
                                   ring(1.515, Vec3(0, 1.515, -0.016), 0.058, 0.052, 0.052)};
  for (Station& station : stations) {
    const double belly = shape.belly * bellyAt(station.s);
    station.side_m += 0.13 * belly;
    station.front_m += 0.21 * belly;
    station.back_m += 0.03 * belly;
  }
  return stations;
}

void scaleWeights(Weights& weights, double factor) {
  for (auto& [node, weight] : weights) weight *= factor;
}

// The share of the lower pelvis that goes with a thigh; `side` is 1 for left.
double thighShare(const Vec3& p, double side) {
  const double low = smoothStep((0.955 - p.y) / 0.11);
  return 0.6 * low * smoothStep((side * p.x + 0.06) / 0.14);
}

double clavicleShare(const Vec3& p, double side) {
  return 0.75 * smoothStep((p.y - 1.28) / 0.13) * smoothStep((side * p.x - 0.03) / 0.11);
}

std::function<Weights(double, const Vec3&)> torsoWeights(const Rig& rig) {
  const std::vector<int> spine = {rig.at("Hips"), rig.at("Spine"), rig.at("Spine1"),
                                  rig.at("Spine2"), rig.at("Neck")};
  const int thighs[] = {rig.at("LeftUpLeg"), rig.at("RightUpLeg")};
  const int clavicles[] = {rig.at("LeftShoulder"), rig.at("RightShoulder")};
  return [=](double s, const Vec3& p) {
    Weights weights = chainWeights(spine, {0, 1.05, 1.17, 1.29, 1.50}, {0, .06, .06, .06, .02}, s);
    Weights shares;
    double shared = 0.0;
    for (int i = 0; i < 2; ++i) {
      const double side = i == 0 ? 1.0 : -1.0;
      for (const auto& [node, share] : {std::pair(thighs[i], thighShare(p, side)),
                                        std::pair(clavicles[i], clavicleShare(p, side))}) {
        if (share > 0.0) shares.emplace_back(node, share);
        shared += share;
      }
    }
    scaleWeights(weights, 1.0 - std::min(shared, 0.9));
    weights.insert(weights.end(), shares.begin(), shares.end());
    return weights;
  };
}

void addTorso(const Rig& rig, const BodyShape& shape, SurfaceSet& surfaces) {
  Tube tube = roundTube(torsoStations(shape), 16, 0.05, 0.03);
  tube.sides = 24;
  tube.roundness = 0.88;
  tube.weights = torsoWeights(rig);
  tube.cloth = [](double s) { return s < 0.985 ? Cloth::kTrousers : Cloth::kShirt; };
  surfaces.add(tube);
}

void addHead(const Rig& rig, SurfaceSet& surfaces) {
  Tube tube = roundTube({ring(1.44, Vec3(0, 1.44, -0.016), 0.050, 0.048, 0.048),
                         ring(1.50, Vec3(0, 1.50, -0.014), 0.050, 0.048, 0.050),
                         ring(1.555, Vec3(0, 1.555, -0.004), 0.050, 0.058, 0.058),
                         ring(1.59, Vec3(0, 1.59, 0.006), 0.058, 0.088, 0.074),
                         ring(1.64, Vec3(0, 1.64, 0.008), 0.070, 0.096, 0.094),
                         ring(1.70, Vec3(0, 1.70, 0.006), 0.076, 0.096, 0.104),
                         ring(1.75, Vec3(0, 1.75, 0.002), 0.073, 0.090, 0.096),
                         ring(1.80, Vec3(0, 1.80, 0), 0.066, 0.080, 0.084)},
                        11, 0.02, 0.06);
  tube.sides = 18;
  const std::vector<int> joints = {rig.at("Spine2"), rig.at("Neck"), rig.at("Head")};
  tube.weights = [joints](double s, const Vec3&) {
    return chainWeights(joints, {0, 1.48, 1.575}, {0, 0.03, 0.03}, s);
  };
  tube.cloth = [](double) { return Cloth::kSkin; };
  surfaces.add(tube);
  const int head = rig.at("Head");
  surfaces.addEllipsoid(Vec3(0, 1.655, 0.104), Vec3(0.011, 0.022, 0.018), 6, Cloth::kSkin, head);
  for (const double side : {1.0, -1.0}) {
    surfaces.addEllipsoid(Vec3(side * 0.030, 1.682, 0.090), Vec3(0.011, 0.009, 0.010), 6,
                          Cloth::kEyes, head);
    surfaces.addEllipsoid(Vec3(side * 0.076, 1.665, -0.004), Vec3(0.009, 0.028, 0.017), 6,
                          Cloth::kSkin, head);
  }
  surfaces.addEllipsoid(Vec3(0, 1.715, -0.018), Vec3(0.087, 0.099, 0.106), 16, Cloth::kHair, head);
}

// Thickness along the arm: side is across the palm's thickness, front and back its width.
std::vector<Station> armStations(const Vec3& arm, const Vec3& down, double limbs) {
  const double rows[][3] = {{-0.075, 0.042, 0.046}, {-0.03, 0.053, 0.057}, {0.03, 0.053, 0.057},
                            {0.10, 0.047, 0.052},   {0.18, 0.043, 0.047},  {0.26, 0.038, 0.039},
                            {0.29, 0.037, 0.037},   {0.32, 0.037, 0.038},  {0.37, 0.037, 0.041},
                            {0.46, 0.030, 0.033},   {0.54, 0.021, 0.027},  {0.57, 0.019, 0.031},
                            {0.62, 0.018, 0.042},   {0.67, 0.016, 0.041},  {0.735, 0.011, 0.030}};
  std::vector<Station> stations;
  for (const auto& [s, side, wide] : rows) {
    // Neither the hand nor the shoulder's end grows as much as the arm between them.
    const double grows =
        (0.35 + 0.65 * smoothStep((s + 0.02) / 0.12)) * (1.0 - smoothStep((s - 0.48) / 0.10));
    const double thick = 1.0 + (limbs - 1.0) * grows;
    stations.push_back(ring(s, arm + down * s, side * thick, wide * thick, wide * thick));
  }
  return stations;
}

void addThumb(const Rig& rig, const std::string& prefix, SurfaceSet& surfaces) {
  const int hand = rig.at(prefix + "Hand");
  const Affine& world_from_hand = rig.worldAtRest(hand);
  const Vec3 down = world_from_hand.linear[1], forward = world_from_hand.linear[2];
  const Vec3 along = glm::normalize(down * 0.75 + forward * 0.66);
  const Vec3 from = transformPoint(world_from_hand, Vec3(0, 0.025, 0.018));
  Tube tube = roundTube(
      {ring(0, from, 0.013, 0.014, 0.014), ring(0.045, from + along * 0.045, 0.012, 0.013, 0.013),
       ring(0.085, from + along * 0.085, 0.010, 0.010, 0.010)},
      3, 0.012, 0.012);
  tube.x = world_from_hand.linear[0];
  tube.z = glm::cross(tube.x, along);
  tube.sides = 8;
  tube.weights = [hand](double, const Vec3&) { return Weights{{hand, 1.0}}; };
  tube.cloth = [](double) { return Cloth::kSkin; };
  surfaces.add(tube);
}

void addArm(const Rig& rig, const std::string& prefix, double limbs, SurfaceSet& surfaces) {
  const int arm = rig.at(prefix + "Arm");
  const Affine& world_from_arm = rig.worldAtRest(arm);
  const Vec3 down = world_from_arm.linear[1];
  Tube tube = roundTube(armStations(world_from_arm.translation, down, limbs), 22, 0.04, 0.03);
  tube.x = world_from_arm.linear[0];
  tube.z = world_from_arm.linear[2];
  tube.sides = 12;
  const std::vector<int> joints = {rig.at(prefix + "Shoulder"), arm, rig.at(prefix + "ForeArm"),
                                   rig.at(prefix + "Hand")};
  const double elbow = kUpperArm_m, wrist = kUpperArm_m + kForeArm_m, blend = 0.042 * limbs;
  tube.weights = [=](double s, const Vec3&) {
    return chainWeights(joints, {0, -0.005, elbow, wrist}, {0, 0.05, blend, 0.025}, s);
  };
  tube.cloth = [](double s) { return s < 0.20 ? Cloth::kShirt : Cloth::kSkin; };
  surfaces.add(tube);
  addThumb(rig, prefix, surfaces);
}

std::vector<Station> legStations(double x, double limbs) {
  const double rows[][5] = {
      // height, forward, half width, front, back
      {0.965, 0.000, 0.066, 0.080, 0.092}, {0.90, 0.000, 0.078, 0.088, 0.100},
      {0.80, 0.004, 0.080, 0.086, 0.090},  {0.68, 0.008, 0.070, 0.076, 0.074},
      {0.56, 0.012, 0.056, 0.060, 0.058},  {0.50, 0.012, 0.053, 0.058, 0.052},
      {0.44, 0.008, 0.051, 0.050, 0.056},  {0.36, 0.000, 0.053, 0.048, 0.066},
      {0.26, -0.008, 0.045, 0.042, 0.055}, {0.16, -0.016, 0.036, 0.037, 0.040},
      {0.045, -0.022, 0.036, 0.040, 0.038}};
  std::vector<Station> stations;
  for (const auto& [y, z, side, front, back] : rows) {
    const double thick = 1.0 + (limbs - 1.0) * smoothStep((y - 0.05) / 0.15);
    stations.push_back(ring(-y, Vec3(x, y, z), side * thick, front * thick, back * thick));
  }
  return stations;
}

void addLeg(const Rig& rig, const std::string& prefix, double side, double limbs,
            SurfaceSet& surfaces) {
  Tube tube = roundTube(legStations(side * 0.095, limbs), 21, 0.05, 0.02);
  tube.x = Vec3(-1, 0, 0);
  tube.z = Vec3(0, 0, 1);
  tube.sides = 14;
  const std::vector<int> joints = {rig.at("Hips"), rig.at(prefix + "UpLeg"), rig.at(prefix + "Leg"),
                                   rig.at(prefix + "Foot")};
  const double knee = 0.058 * limbs;
  tube.weights = [=](double s, const Vec3&) {
    return chainWeights(joints, {0, -0.93, -0.50, -0.085}, {0, 0.06, knee, 0.03}, s);
  };
  tube.cloth = [](double) { return Cloth::kTrousers; };
  surfaces.add(tube);
}

void addFoot(const Rig& rig, const std::string& prefix, double side, SurfaceSet& surfaces) {
  const double rows[][4] = {// along z, half width, height of the widest line, height above it
                            {-0.080, 0.030, 0.030, 0.034}, {-0.050, 0.038, 0.030, 0.052},
                            {-0.010, 0.040, 0.030, 0.060}, {0.040, 0.042, 0.028, 0.048},
                            {0.090, 0.047, 0.026, 0.034},  {0.130, 0.047, 0.024, 0.026},
                            {0.185, 0.036, 0.020, 0.018}};
  std::vector<Station> stations;
  for (const auto& [z, wide, middle, above] : rows) {
    stations.push_back(ring(z, Vec3(side * 0.097, middle, z), wide, middle, above));
  }
  Tube tube = roundTube(stations, 8, 0.03, 0.04);
  tube.x = Vec3(1, 0, 0);
  tube.z = Vec3(0, -1, 0);
  tube.sides = 14;
  tube.roundness = 0.75;
  const std::vector<int> joints = {rig.at(prefix + "Foot"), rig.at(prefix + "ToeBase")};
  tube.weights = [joints](double s, const Vec3&) {
    return chainWeights(joints, {0, 0.11}, {0, 0.025}, s);
  };
  tube.cloth = [](double) { return Cloth::kShoes; };
  surfaces.add(tube);
}

}  // namespace

Tube roundTube(const std::vector<Station>& stations, int ring_count, double start_cap,
               double end_cap) {
  Tube tube;
  tube.rings = ringsThrough(stations, ring_count, start_cap, end_cap);
  tube.start_cap_m = kFirstCapRing * start_cap;
  tube.end_cap_m = kFirstCapRing * end_cap;
  return tube;
}

void addBody(const Rig& rig, const BodyShape& shape, SurfaceSet& surfaces) {
  addTorso(rig, shape, surfaces);
  addHead(rig, surfaces);
  addArm(rig, "Left", shape.limbs, surfaces);
  addArm(rig, "Right", shape.limbs, surfaces);
  addLeg(rig, "Left", 1, shape.limbs, surfaces);
  addLeg(rig, "Right", -1, shape.limbs, surfaces);
  addFoot(rig, "Left", 1, surfaces);
  addFoot(rig, "Right", -1, surfaces);
}

}  // namespace clipmill::samples
