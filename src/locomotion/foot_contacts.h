// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "anim/motion.h"
#include "humanoid/humanoid.h"
#include "locomotion/contact_spans.h"
#include "scene/point_paths.h"
#include "scene/scene.h"

namespace clipmill::locomotion {

enum class BodySide { kLeft, kRight };
inline constexpr BodySide kBodySides[] = {BodySide::kLeft, BodySide::kRight};

/// The two contact points of a foot: the heel, and the ball where the toes start. Both come from
/// the rest pose of the file. The ball is the toe joint. The heel is behind and below the ankle, on
/// height 0 where the rest pose is on it, else as high as the toes.
struct FootMarks {
  BodySide side = BodySide::kLeft;
  NodePoint heel;
  NodePoint ball;  ///< The same as `heel` where the character has no toes.
};

/// The marks of the feet that the map names, left before right; none, one or two.
std::vector<FootMarks> footMarks(const Scene& scene, const humanoid::HumanoidMap& map);

/// Limits that replace those that are fitted to a clip, and how these are fitted.
struct ContactLimits {
  std::optional<double> height_m, speed_mps;
  bool may_skate = false;  ///< Where the ground rests: see fitContacts().
};

/// A foot along a clip.
struct FootTrace {
  FootMarks marks;
  std::vector<Vec3> heel_m, ball_m;  ///< One position a sample of FeetTrace, metric world.
  /// The same relative to the ground: less the distance that the ground has moved, and less its
  /// rise. A planted point has one position.
  std::vector<Vec3> heel_on_ground_m, ball_on_ground_m;
  double heel_level_m = 0.0;               ///< Height of the point on the ground when planted.
  double ball_level_m = 0.0;               ///< Likewise.
  std::vector<TimeSpan> heel_on, ball_on;  ///< Contacts, ascending.
  /// The ankle, where heel and ball are other points; else empty.
  std::vector<Vec3> ankle_m, ankle_on_ground_m;
  /// When the ankle rests over a sole that is down, and neither heel nor ball has a contact: the
  /// foot rotates about it. Ascending.
  std::vector<TimeSpan> ankle_on;
};

/// The feet of a character along a clip, in metric world.
struct FeetTrace {
  double start_s = 0.0;
  double step_s = 0.0;
  std::size_t sample_count = 0;
  double ground_m = 0.0;  ///< The lowest level.
  double leg_m = 1.0;     ///< Mean length of the legs in the rest pose.
  /// Velocity of the ground under a character that walks on the spot; zero where the ground rests.
  Vec3 treadmill_mps{0.0};
  Vec3 slope{0.0};           ///< Rise over run of the ground along x and z; y is 0.
  ContactSettings contact;   ///< The limits of contacts.
  std::vector<Vec3> body_m;  ///< The hips, one position a sample; empty without hips.
  std::vector<FootTrace> feet;

  /// A position relative to the ground.
  Vec3 onGround(const Vec3& position_m, double time_s) const {
    const Vec3 moved = position_m - treadmill_mps * (time_s - start_s);
    return {moved.x, moved.y - slope.x * moved.x - slope.z * moved.z, moved.z};
  }
  /// True where a heel or ball has a contact.
  bool hasContacts() const;
  double timeOf(std::size_t sample) const { return start_s + static_cast<double>(sample) * step_s; }
};

/// Length of the legs of the map in the rest pose, mean of both; half of the character's height
/// where the map has none.
double legLength(const Scene& scene, const humanoid::HumanoidMap& map);

/// Samples both feet of a motion and finds when heels and balls are planted on the ground. The
/// ground is a plane; see treadmillOf() and slopeOf(). The level of a point is the height over it
/// below which it is for a twentieth of the clip. Limits of contacts are fitted to the clip, see
/// fitContacts(), except those that `limits` gives. Points of a clip on the spot that are down for
/// less than a fifth of it have no contact: they hang in the air. Sample times do not depend on the
/// frame rate. Contacts of a motion that isCycle() are those of a cycle, cut where the clip ends.
FeetTrace traceFeet(const Scene& scene, const humanoid::HumanoidMap& map, const Motion& motion,
                    const ContactLimits& limits = {});

/// Gives the feet of `trace` the contacts of `clip`, a trace of the clip that its motion is made
/// of, side by side and at the same times; a foot that `clip` lacks keeps its own. The ground rests
/// where it rests under `clip`. Where it moves under `clip` alone, its velocity under `trace` is
/// the mean one of the planted feet. It is no faster than under `clip` in lengths of a leg: soles
/// under a high ankle move faster than the leg is made for.
void takeContacts(const FeetTrace& clip, FeetTrace& trace);

}  // namespace clipmill::locomotion
