// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "make_samples/poser.h"

#include <algorithm>
#include <cmath>

#include "core/portable_math.h"
#include "core/to_size.h"

namespace clipmill::samples {
namespace {

// The ball and the heel from the ankle of a flat foot; both on the ground or just above it.
const Vec3 kBallFromAnkle(0, -0.06, 0.13);
const Vec3 kHeelFromAnkle(0, -0.085, -0.05);

// A leg that is stretched fully snaps; the last bit of its length stays unused.
constexpr double kLongestReach = 0.9995;

const char* prefixOf(Side side) { return side == Side::kLeft ? "Left" : "Right"; }

FootPose rotatedAbout(const FootPose& flat, const Vec3& pivot_from_ankle, double pitch) {
  FootPose foot = flat;
  const Quat rotation = rotationAbout(Vec3(1, 0, 0), pitch);
  foot.ankle_m = flat.ankle_m + pivot_from_ankle - rotation * pivot_from_ankle;
  foot.pitch_rad = pitch;
  return foot;
}

void addTrack(KeyframeClip& clip, int node, TrackPath path,
              const std::vector<std::vector<double>>& keys, const KeyTimes& all_times,
              const KeyTimes& first_time) {
  const bool is_still = std::all_of(keys.begin(), keys.end(), [&](const auto& key) {
    for (std::size_t i = 0; i < key.size(); ++i) {
      if (std::abs(key[i] - keys[0][i]) > 1e-7) return false;
    }
    return true;
  });
  Track track{node,
              path,
              Interpolation::kLinear,
              static_cast<int>(keys[0].size()),
              is_still ? first_time : all_times,
              {}};
  for (const auto& key : keys) {
    track.values.insert(track.values.end(), key.begin(), key.end());
    if (is_still) break;
  }
  clip.tracks.push_back(std::move(track));
}

std::vector<double> rotationKey(Quat rotation, const std::vector<double>* before) {
  if (before) {
    const double cosine = rotation.x * (*before)[0] + rotation.y * (*before)[1] +
                          rotation.z * (*before)[2] + rotation.w * (*before)[3];
    if (cosine < 0.0) rotation = -rotation;
  }
  return {rotation.x, rotation.y, rotation.z, rotation.w};
}

}  // namespace

double signOf(Side side) { return side == Side::kLeft ? 1.0 : -1.0; }

FootPose flatFoot(Side side, double z_m, double x_m) {
  return {Vec3(signOf(side) * x_m, kAnkleHeight_m, z_m - 0.02), 0.0, 0.0};
}

FootPose onBall(FootPose flat, double pitch_rad) {
  FootPose foot = rotatedAbout(flat, kBallFromAnkle, pitch_rad);
  foot.toe_bend_rad = pitch_rad;
  return foot;
}

FootPose onHeel(FootPose flat, double toes_up_rad) {
  return rotatedAbout(flat, kHeelFromAnkle, -toes_up_rad);
}

Poser::Poser(const Rig& rig) : rig_(rig) {
  for (const Node& node : rig.skeleton().nodes) locals_.push_back(node.rest);
}

void Poser::moveRoot(const Vec3& position_m) {
  locals_[toSize(rig_.at("Root"))].translation = position_m;
}

void Poser::setHips(const Vec3& offset_m, const Quat& rotation_by) {
  const int hips = rig_.at("Hips");
  locals_[toSize(hips)].translation = rig_.positionAtRest(hips) + offset_m;
  rotate("Hips", rotation_by);
}

void Poser::rotate(std::string_view joint, const Quat& rotation_by) {
  const auto node = toSize(rig_.at(joint));
  locals_[node].rotation = rig_.skeleton().nodes[node].rest.rotation * rotation_by;
}

Vec3 Poser::positionOf(int node) const {
  Vec3 position(0);
  for (; node > 0; node = rig_.skeleton().nodes[toSize(node)].parent) {
    const Transform& local = locals_[toSize(node)];
    position = local.rotation * position + local.translation;
  }
  return position;
}

Quat Poser::rotationOf(int node) const {
  Quat rotation = kIdentityRotation;
  for (; node > 0; node = rig_.skeleton().nodes[toSize(node)].parent) {
    rotation = locals_[toSize(node)].rotation * rotation;
  }
  return rotation;
}

void Poser::setRotation(int node, const Quat& rotation) {
  const int parent = rig_.skeleton().nodes[toSize(node)].parent;
  locals_[toSize(node)].rotation =
      normalizedOrIdentity(glm::conjugate(rotationOf(parent)) * rotation);
}

// Two-bone inverse kinematics by the law of cosines. The hinge is oriented so that +X bends the
// lower bone away from `middle`, as at rest.
void Poser::bendToward(int upper, int lower, int end, const Vec3& target, const Vec3& middle) {
  const auto lengthOf = [&](int node) {
    return glm::length(rig_.skeleton().nodes[toSize(node)].rest.translation);
  };
  const double a = lengthOf(lower), b = lengthOf(end);
  const Vec3 origin = positionOf(upper), to_target = target - origin;
  const double distance =
      std::clamp(glm::length(to_target), std::abs(a - b) + 0.02, (a + b) * kLongestReach);
  const Vec3 toward = glm::normalize(to_target);
  const Vec3 aside = glm::normalize(middle - toward * glm::dot(middle, toward));
  const double cosine = (a * a + distance * distance - b * b) / (2 * a * distance);
  const Vec3 bend = toward * (a * cosine) + aside * (a * std::sqrt(1 - cosine * cosine));
  const Vec3 hinge = glm::cross(toward, -aside);
  setRotation(upper, frameOf(glm::normalize(bend), hinge));
  setRotation(lower, frameOf(glm::normalize(toward * distance - bend), hinge));
}

void Poser::positionFoot(Side side, const FootPose& foot) {
  const std::string prefix = prefixOf(side);
  const int ankle = rig_.at(prefix + "Foot"), ball = rig_.at(prefix + "ToeBase");
  const Vec3 forward = rotationOf(rig_.at("Hips")) * Vec3(0, 0, 1) + Vec3(0, 0.05, 0.5);
  bendToward(rig_.at(prefix + "UpLeg"), rig_.at(prefix + "Leg"), ankle, foot.ankle_m, forward);
  const Vec3 right(1, 0, 0);
  const auto atRest = [&](int node) { return clipmill::rotationOf(rig_.worldAtRest(node)); };
  setRotation(ankle, rotationAbout(right, foot.pitch_rad) * atRest(ankle));
  setRotation(ball, rotationAbout(right, foot.pitch_rad - foot.toe_bend_rad) * atRest(ball));
}

void Poser::reach(Side side, const Vec3& wrist_m, const Vec3& elbow) {
  const std::string prefix = prefixOf(side);
  bendToward(rig_.at(prefix + "Arm"), rig_.at(prefix + "ForeArm"), rig_.at(prefix + "Hand"),
             wrist_m, elbow);
}

void Poser::pointArm(Side side, const Vec3& direction, const Vec3& elbow, double bend_rad) {
  const std::string prefix = prefixOf(side);
  const Vec3 along = glm::normalize(direction);
  const Quat upper = frameOf(along, glm::cross(along, -elbow));
  setRotation(rig_.at(prefix + "Arm"), upper);
  setRotation(rig_.at(prefix + "ForeArm"), upper * rotationAbout(Vec3(1, 0, 0), bend_rad));
}

KeyframeClip clipOf(const Rig& rig, std::string name, const std::vector<Poser>& frames) {
  std::vector<double> times;
  for (std::size_t f = 0; f < frames.size(); ++f) times.push_back(static_cast<double>(f) / kFps);
  const auto all_times = std::make_shared<const std::vector<double>>(times);
  const auto first_time = std::make_shared<const std::vector<double>>(1, 0.0);
  KeyframeClip clip{std::move(name), {}};
  for (std::size_t n = 0; n < rig.skeleton().size(); ++n) {
    std::vector<std::vector<double>> translations, rotations;
    bool moves = false, rotates = false;
    for (const Poser& frame : frames) {
      const Transform& local = frame.locals()[n];
      const Transform& rest = rig.skeleton().nodes[n].rest;
      moves = moves || local.translation != rest.translation;
      rotates = rotates || angleBetween(local.rotation, rest.rotation) > 1e-7;
      const Vec3& t = local.translation;
      translations.push_back({t.x, t.y, t.z});
      rotations.push_back(
          rotationKey(local.rotation, rotations.empty() ? nullptr : &rotations.back()));
    }
    const int node = static_cast<int>(n);
    if (moves) addTrack(clip, node, TrackPath::kTranslation, translations, all_times, first_time);
    if (rotates) addTrack(clip, node, TrackPath::kRotation, rotations, all_times, first_time);
  }
  return clip;
}

}  // namespace clipmill::samples
