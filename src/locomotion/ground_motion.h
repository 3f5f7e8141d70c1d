// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>

#include "core/math.h"
#include "locomotion/foot_contacts.h"

/// How the ground lies and moves, by the paths of feet. All limits are shares of the length of a
/// leg, so that nothing depends on the units of a file or on the size of a character.
namespace clipmill::locomotion {

/// The path of a contact point of a foot.
struct FootPath {
  std::span<const Vec3> positions_m;
  double level_m = 0.0;  ///< Its height when it is planted.
  BodySide side = BodySide::kLeft;
};

/// Horizontal velocity of the ground under a character that walks on the spot: the most frequent
/// velocity of low points of both feet (mean shift). Zero where the character moves by
/// `travel_m` along the ground in place of the ground or along with it, or where the ground rests.
/// Ground slower than half a leg a second moves only where far more points keep to it than rest.
Vec3 treadmillOf(std::span<const FootPath> paths, double step_s, double leg_m,
                 const Vec3& travel_m);

/// Slope of the ground (rise over run along x and z; y is 0): the plane nearest to the slow samples
/// of all points, each with a height of its own (iteratively reweighted least squares). Zero where
/// a horizontal ground fits as many samples.
Vec3 slopeOf(std::span<const FootPath> paths, double step_s, double leg_m);

/// Limits of contacts for points in the frame of the ground. The limit of speed lies between the
/// two classes of speed, planted and swinging, that differ most (Otsu, A Threshold Selection Method
/// from Gray-Level Histograms, 1979, on logarithms); that of height is a share of the lift of the
/// feet. Both are bounded. `speed_mps` is that of the character over the ground. With `may_skate`,
/// where the slower class of a character that travels is not at rest either, feet skate: as the
/// motion of some networks does. A planted foot then is one of that class, up to a larger height.
ContactSettings fitContacts(std::span<const FootPath> paths, double step_s, double leg_m,
                            double speed_mps, bool may_skate);

/// Half of the time over which contactVelocity() is taken: wide enough that the corners of keys at
/// 24 a second do not count as motion.
inline constexpr double kSpeedReach_s = 1.0 / 48.0;

/// Velocity of a point at a sample, as the limits mean it: between two instants kSpeedReach_s
/// before and after.
Vec3 contactVelocity(std::span<const Vec3> positions_m, double step_s, std::size_t sample);

}  // namespace clipmill::locomotion
