// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/skin/skin_contacts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {
namespace {

// Points farther from the surface than this are asked again once they can be nearer.
constexpr double kReach_m = 0.25;
// A point leaves what it was in at the start at this speed.
constexpr double kLeaving_mps = 0.5;
// The part of a clamped bone that cannot leave the body.
constexpr double kClampedPart = 0.25;

}  // namespace

SkinContacts::SkinContacts(const Rig& rig, const Scene& scene, const std::vector<SpringBone>& bones)
    : rig_(rig),
      scene_(scene),
      skin_(*rig.skin),
      bones_(bones),
      surfaces_(skin_.surfaces.begin(), skin_.surfaces.end()),
      metric_from_node_(scene.skeleton.size()),
      states_(skin_.points.size()),
      largest_(2 * rig.bones.size()) {}

void SkinContacts::takeWorlds(std::span<const Affine> worlds) {
  for (std::size_t s = 0; s < rig_.slots.size(); ++s) {
    metric_from_node_[toSize(rig_.slots[s].node)] = worlds[s];
  }
}

void SkinContacts::poseBody() {
  poseSkin(scene_, skin_.body, metric_from_node_, body_m_);
  for (ClosedSurface::Posed& surface : surfaces_) surface.move(body_m_);
}

void SkinContacts::start(std::span<const Affine> worlds) {
  takeWorlds(worlds);
  poseBody();
  body_before_m_ = body_m_;
  std::fill(states_.begin(), states_.end(), PointState());
  is_first_ = true;
}

void SkinContacts::startStep(std::span<const Affine> worlds, double step_s) {
  std::swap(body_m_, body_before_m_);
  takeWorlds(worlds);
  poseBody();
  double farthest_m2 = 0.0;
  for (std::size_t v = 0; v < body_m_.size(); ++v) {
    const Vec3 path = body_m_[v] - body_before_m_[v];
    farthest_m2 = std::max(farthest_m2, glm::dot(path, path));
  }
  body_step_m_ = std::sqrt(farthest_m2);
  for (PointState& state : states_) {
    state.stays_m = std::max(0.0, std::min(state.stays_m, state.depth_m) - kLeaving_mps * step_s);
    state.clear_m -= body_step_m_;
  }
}

void SkinContacts::carry(const Carry& map) {
  for (Vec3& position_m : body_m_) position_m = map.point(position_m);
  for (PointState& state : states_) state.position_m = map.point(state.position_m);
}

// Whether a point that was far enough from the body still is.
bool SkinContacts::isClear(PointState& state, const Vec3& position_m) const {
  state.clear_m -= glm::length(position_m - state.position_m);
  state.position_m = position_m;
  return state.clear_m > 0.0;
}

// Keeps the largest contact of each half of the bones that carry a point.
void SkinContacts::hold(const SkinPoint& point, const SkinDistance& found, double correction_m,
                        const std::optional<Carry>& carry, double step_s) {
  const auto corners = skin_.surfaces[point.surface].outerCorners(found.nearest.triangle);
  const Vec3& shares = found.nearest.barycentric;
  Vec3 moved(0.0);
  for (int c = 0; c < 3; ++c) {
    const std::size_t v = corners[toSize(c)];
    const Vec3 before = carry ? carry->point(body_before_m_[v]) : body_before_m_[v];
    moved += (body_m_[v] - before) * shares[c];
  }
  for (const BoneInfluence& influence : point.influences) {
    if (rig_.bones[influence.bone].parent < 0 && influence.share < kClampedPart) continue;
    const std::size_t half = influence.share < 0.5 ? 0 : 1;
    RodContact& contact = largest_[2 * influence.bone + half];
    if (contact.correction_m >= correction_m) continue;
    contact.bone = influence.bone;
    contact.solid = static_cast<int>(rig_.colliders.size() + half);
    contact.share = influence.share;
    contact.normal = found.away;
    contact.correction_m = correction_m;
    contact.speed_mps = glm::dot(moved, found.away) / step_s;
    contact.friction = bones_[influence.bone].friction;
  }
}

void SkinContacts::find(std::span<const Affine> worlds, const Bones& bones,
                        std::span<const std::optional<Carry>> carries, double step_s,
                        std::vector<RodContact>& contacts) {
  constexpr double kContact_m = 1e-6;
  takeWorlds(worlds);
  poseSkin(scene_, skin_.strips, metric_from_node_, strips_m_);
  std::fill(largest_.begin(), largest_.end(), RodContact());
  for (std::size_t i = 0; i < skin_.points.size(); ++i) {
    const SkinPoint& point = skin_.points[i];
    PointState& state = states_[i];
    const Vec3 position_m = point.in(strips_m_);
    state.depth_m = 0.0;
    if (!isFinite(position_m) || isClear(state, position_m)) continue;
    const SkinDistance found = skinDistance(surfaces_[point.surface], position_m, kReach_m);
    state.clear_m = found.distance_m - std::max(point.distance_m, 0.0);
    state.depth_m = point.distance_m - found.distance_m;
    if (is_first_) state.stays_m = std::max(0.0, state.depth_m);
    const double correction_m = state.depth_m - state.stays_m;
    if (!(correction_m > kContact_m)) continue;
    const std::size_t chain = toSize(rig_.bones[point.influences.front().bone].chain);
    hold(point, found, correction_m, carries[chain], step_s);
  }
  is_first_ = false;
  for (RodContact& contact : largest_) {
    if (!(contact.correction_m > 0.0)) continue;
    const Vec3 head = bones.heads_m[contact.bone];
    contact.point_m = head + (bones.ends_m[contact.bone] - head) * contact.share;
    contacts.push_back(contact);
  }
}

}  // namespace clipmill::stages::dynamic_bones
