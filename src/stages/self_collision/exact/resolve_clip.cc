// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/resolve_clip.h"

#include <memory>

#include "stages/self_collision/exact/clip_context.h"
#include "stages/self_collision/exact/clip_resolver.h"
#include "stages/self_collision/exact/goal_choice.h"

namespace clipmill::stages::self_collision {
namespace {

// Shares of the tolerance with which a clip with contacts of the source is resolved. A lower one
// leaves fewer vertices within the body, and may bring the points of contacts farther apart.
constexpr double kToleranceShares[] = {1.0, 0.3};
constexpr double kFewVertices = 0.001;  // within the body: no lower tolerance is tried

// A clip that is resolved with a share of the tolerance.
class ClipAttempt {
 public:
  ClipAttempt(const Scene& scene, const humanoid::HumanoidMap& map,
              const penetration::SelfPenetration& skin, const SelfCollisionSettings& settings,
              const Motion& motion, const retarget::ClipContacts* contacts, double share)
      : settings_(withTolerance(settings, share)),
        clip_(scene, map, skin, settings_, motion, contacts),
        resolver_(clip_) {
    if (contacts) clip_.lowerToleranceWhere(clip_.source.tolerance_m / share);
    resolver_.resolve();
    clip_.source.tolerance_m /= share;  // by which the attempts are compared and reported
    penetrating_ = resolver_.penetratingCount();
    cost_ = goalCostOf(clip_);
  }

  bool isBetterThan(const ClipAttempt& other) const {
    return penetrating_ < other.penetrating_ ||
           (penetrating_ == other.penetrating_ && cost_ < other.cost_);
  }
  double shareWithin() const { return shareOfVerticesWithin(clip_); }
  StageResult report() { return resolver_.report(); }

 private:
  static SelfCollisionSettings withTolerance(SelfCollisionSettings settings, double share) {
    settings.tolerance_percent *= share;
    return settings;
  }

  SelfCollisionSettings settings_;
  ClipContext clip_;
  ClipResolver resolver_;
  std::size_t penetrating_ = 0;
  double cost_ = 0.0;
};

}  // namespace

Result<StageResult> resolveClip(const Scene& scene, const humanoid::HumanoidMap& map,
                                const penetration::SelfPenetration& skin,
                                const SelfCollisionSettings& settings, const Motion& motion,
                                const retarget::ClipContacts* contacts) {
  std::unique_ptr<ClipAttempt> best;
  for (const double share : kToleranceShares) {
    auto attempt =
        std::make_unique<ClipAttempt>(scene, map, skin, settings, motion, contacts, share);
    if (!best || attempt->isBetterThan(*best)) best = std::move(attempt);
    if (!contacts || best->shareWithin() <= kFewVertices) break;
  }
  return best->report();
}

}  // namespace clipmill::stages::self_collision
