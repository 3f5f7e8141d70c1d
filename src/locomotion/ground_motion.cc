// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/ground_motion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/portable_math.h"
#include "core/to_size.h"
#include "locomotion/ground.h"

namespace clipmill::locomotion {
namespace {

// All speeds below are in leg lengths a second, all heights in leg lengths.

// Low samples: this near to the level, and rising no faster than a constant and a share of the
// speed along the ground.
constexpr double kLow = 0.08, kRise = 0.35, kRiseShare = 0.25;

// Half width of the kernel of the mean shift: a constant and a share of the speed.
constexpr double kKernel = 0.35, kKernelShare = 0.15;
constexpr std::size_t kMaxSeeds = 60, kMaxSamples = 4000;
constexpr int kShifts = 8;
constexpr double kAllShare = 0.25;  // weight of all samples beside those of the foot with fewer

// Ground that moves by no more than the first of these speeds moves only if so many times as many
// low samples keep to it as are at rest, within a narrow kernel. Below the second it rests. A
// character that moves by more than a share of the path of the ground is not on the spot, nor is
// one that moves by more than the other share along with the ground.
constexpr double kSlowTreadmill = 0.5, kSlowestTreadmill = 0.2, kMoreThanRest = 2.0;
constexpr double kNarrowKernel = 0.12;
constexpr double kOnTheSpotShare = 0.5, kAlongShare = 0.2;

// Slow samples of a slope, the scale of their residuals, and bounds of the slope: a gentle one
// rises by several hundredths of a leg on a long walk.
constexpr double kSlow = 0.5, kResidual = 0.02, kInlier = 0.015, kFlattest = 0.004, kSteepest = 1.0;
constexpr int kReweightings = 10;
constexpr double kInlierGain = 1.2, kRidge = 1e-3, kLeastSpread = 0.3;

// Bounds of the limits of contacts.
constexpr double kLeastSpeed = 0.35, kMostSpeed = 1.0, kUnimodalSpeed = 0.5;
constexpr double kMostSpeedShare = 0.5;  // of the character's speed
constexpr double kLeastHeight = 0.03, kMostHeight = 0.06, kLiftShare = 0.4, kLiftQuantile = 0.95;
constexpr double kSlowestOfAll = 0.02, kLeastContrast = 1.0;
constexpr double kShortestContact_s = 0.04;

// Feet that skate: those of a character that travels at least so fast, whose slower class of speed
// is at least so fast and has this share of all samples, and is so many times slower than the other
// one. Their limits: of speed, as a share of the character's, and of height.
constexpr double kSkatingTravel = 0.5, kSkatingSpeed = 0.3, kSkatingContrast = 2.5;
constexpr double kFewestSlow = 0.25, kMostSlow = 0.75;
constexpr double kMostSkatingShare = 1.2, kSkatingHeight = 0.12;

struct LowSample {
  double x = 0.0, z = 0.0;  // velocity
  BodySide side = BodySide::kLeft;
};

std::size_t strideOf(std::span<const FootPath> paths) {
  std::size_t count = 0;
  for (const FootPath& path : paths) count += path.positions_m.size();
  return std::max<std::size_t>(1, count / kMaxSamples);
}

std::vector<LowSample> lowSamples(std::span<const FootPath> paths, double step_s, double leg_m) {
  std::vector<LowSample> low;
  const std::size_t stride = strideOf(paths);
  for (const FootPath& path : paths) {
    for (std::size_t i = 0; i < path.positions_m.size(); i += stride) {
      const Vec3 v = contactVelocity(path.positions_m, step_s, i) / leg_m;
      const bool is_low = path.positions_m[i].y - path.level_m < kLow * leg_m &&
                          std::abs(v.y) < kRise + kRiseShare * horizontalLength(v);
      if (is_low && isFinite(v)) low.push_back({v.x, v.z, path.side});
    }
  }
  return low;
}

// A velocity and how many samples are near it, by side.
struct Mode {
  double x = 0.0, z = 0.0;
  std::array<double, 2> weight{};

  double score() const {
    return std::min(weight[0], weight[1]) + kAllShare * (weight[0] + weight[1]);
  }
};

// The weighted mean of the samples near (x, z), and the weights about (x, z).
Mode shifted(std::span<const LowSample> low, double x, double z, double kernel) {
  Mode mean;
  double sum = 0.0;
  for (const LowSample& sample : low) {
    const double dx = sample.x - x, dz = sample.z - z;
    const double weight = std::max(0.0, 1.0 - (dx * dx + dz * dz) / (kernel * kernel));
    mean.x += weight * sample.x;
    mean.z += weight * sample.z;
    mean.weight[sample.side == BodySide::kLeft ? 0 : 1] += weight;
    sum += weight;
  }
  if (sum > 0.0) {
    mean.x /= sum;
    mean.z /= sum;
  }
  return mean;
}

Mode shifted(std::span<const LowSample> low, double x, double z) {
  return shifted(low, x, z, kKernel + kKernelShare * std::sqrt(x * x + z * z));
}

// Whether a slow mode is that of ground that moves; makes it more precise. Both feet keep to it.
bool movesSlowly(std::span<const LowSample> low, Mode& mode) {
  for (int k = 0; k < kShifts; ++k) {
    const Mode next = shifted(low, mode.x, mode.z, kNarrowKernel);
    if (!(next.weight[0] + next.weight[1] > 0.0)) return false;
    mode = next;
  }
  const Mode rest = shifted(low, 0.0, 0.0, kNarrowKernel);
  return std::sqrt(mode.x * mode.x + mode.z * mode.z) > kSlowestTreadmill &&
         std::min(mode.weight[0], mode.weight[1]) >
             kMoreThanRest * std::max(rest.weight[0], rest.weight[1]);
}

Mode modeOf(std::span<const LowSample> low) {
  Mode best;
  double best_score = -1.0;
  const std::size_t stride = std::max<std::size_t>(1, low.size() / kMaxSeeds);
  for (std::size_t seed = 0; seed < low.size(); seed += stride) {
    Mode mode{low[seed].x, low[seed].z, {}};
    for (int k = 0; k < kShifts; ++k) mode = shifted(low, mode.x, mode.z);
    mode.weight = shifted(low, mode.x, mode.z).weight;
    if (mode.score() > best_score) {
      best = mode;
      best_score = mode.score();
    }
  }
  return best;
}

// Slow samples of one point, about their weighted mean.
struct SlowPoint {
  std::vector<Vec3> positions_m;
  std::vector<double> weights;
  Vec3 mean_m{0.0};

  void centre() {
    Vec3 sum(0.0);
    double weight = 0.0;
    for (std::size_t i = 0; i < positions_m.size(); ++i) {
      sum += weights[i] * positions_m[i];
      weight += weights[i];
    }
    if (weight > 0.0) mean_m = sum / weight;
  }
};

std::vector<SlowPoint> slowPoints(std::span<const FootPath> paths, double step_s, double leg_m) {
  std::vector<SlowPoint> points;
  const std::size_t stride = strideOf(paths);
  for (const FootPath& path : paths) {
    SlowPoint point;
    for (std::size_t i = 0; i < path.positions_m.size(); i += stride) {
      const Vec3 v = contactVelocity(path.positions_m, step_s, i);
      if (isFinite(v) && lengthOf(v) < kSlow * leg_m)
        point.positions_m.push_back(path.positions_m[i]);
    }
    point.weights.assign(point.positions_m.size(), 1.0);
    if (!point.positions_m.empty()) points.push_back(std::move(point));
  }
  return points;
}

double residualOf(const SlowPoint& point, std::size_t i, const Vec3& slope) {
  const Vec3 d = point.positions_m[i] - point.mean_m;
  return d.y - slope.x * d.x - slope.z * d.z;
}

// Least squares about the weighted means; zero where the samples do not spread along the ground.
Vec3 fittedSlope(std::span<const SlowPoint> points, double leg_m) {
  double xx = 0.0, xz = 0.0, zz = 0.0, xy = 0.0, zy = 0.0, weights = 0.0;
  for (const SlowPoint& point : points) {
    for (std::size_t i = 0; i < point.positions_m.size(); ++i) {
      const Vec3 d = point.positions_m[i] - point.mean_m;
      const double w = point.weights[i];
      xx += w * d.x * d.x, xz += w * d.x * d.z, zz += w * d.z * d.z;
      xy += w * d.x * d.y, zy += w * d.z * d.y, weights += w;
    }
  }
  const double trace = xx + zz;
  if (!(trace > weights * kLeastSpread * kLeastSpread * leg_m * leg_m)) return Vec3(0.0);
  xx += kRidge * trace, zz += kRidge * trace;
  const double determinant = xx * zz - xz * xz;
  return {(zz * xy - xz * zy) / determinant, 0.0, (xx * zy - xz * xy) / determinant};
}

// Number of samples within a few hundredths of a leg of the ground.
double inliersOf(std::span<const SlowPoint> points, const Vec3& slope, double leg_m) {
  double count = 0.0;
  for (const SlowPoint& point : points) {
    for (std::size_t i = 0; i < point.positions_m.size(); ++i) {
      if (std::abs(residualOf(point, i, slope)) < kInlier * leg_m) count += 1.0;
    }
  }
  return count;
}

// The slope after reweighting; where the ground is flat, only the means are found.
Vec3 robustSlope(std::vector<SlowPoint>& points, double leg_m, bool is_flat) {
  Vec3 slope(0.0);
  for (int k = 0; k < kReweightings; ++k) {
    for (SlowPoint& point : points) point.centre();
    if (!is_flat) slope = fittedSlope(points, leg_m);
    for (SlowPoint& point : points) {
      for (std::size_t i = 0; i < point.positions_m.size(); ++i) {
        const double r = residualOf(point, i, slope) / (kResidual * leg_m);
        point.weights[i] = 1.0 / ((1.0 + r * r) * (1.0 + r * r));
      }
    }
  }
  return slope;
}

// Logarithms of all speeds in leg lengths a second, ascending.
std::vector<double> logSpeeds(std::span<const FootPath> paths, double step_s, double leg_m) {
  std::vector<double> logs;
  const std::size_t stride = strideOf(paths);
  for (const FootPath& path : paths) {
    for (std::size_t i = 0; i < path.positions_m.size(); i += stride) {
      const double speed = lengthOf(contactVelocity(path.positions_m, step_s, i)) / leg_m;
      if (std::isfinite(speed)) logs.push_back(portable::log(std::max(speed, kSlowestOfAll)));
    }
  }
  std::sort(logs.begin(), logs.end());
  return logs;
}

// Two classes of speed, by the means of logarithms.
struct SpeedClasses {
  double low = 0.0, high = 0.0;
  double low_share = 0.0;  // of all samples

  bool areTwo() const { return high - low > kLeastContrast; }
  double between() const { return portable::exp(0.5 * (low + high)); }
};

SpeedClasses speedClasses(const std::vector<double>& logs) {
  double all = 0.0;
  for (const double x : logs) all += x;
  double below = 0.0, most = -1.0;
  SpeedClasses classes;
  for (std::size_t k = 1; k < logs.size(); ++k) {
    below += logs[k - 1];
    const auto n = static_cast<double>(k), rest = static_cast<double>(logs.size() - k);
    const double a = below / n, b = (all - below) / rest;
    if (n * rest * (b - a) * (b - a) <= most) continue;
    most = n * rest * (b - a) * (b - a);
    classes = {a, b, n / (n + rest)};
  }
  return classes;
}

// Whether feet slide while they are planted, by a character that travels at `speed`.
bool skates(const SpeedClasses& classes, double speed) {
  return speed >= kSkatingTravel && portable::exp(classes.low) >= kSkatingSpeed &&
         portable::exp(classes.high - classes.low) >= kSkatingContrast &&
         classes.low_share >= kFewestSlow && classes.low_share <= kMostSlow;
}

double liftOf(const FootPath& path) {
  std::vector<double> heights;
  for (const Vec3& position : path.positions_m) {
    if (std::isfinite(position.y)) heights.push_back(position.y - path.level_m);
  }
  if (heights.empty()) return 0.0;
  const auto nth =
      static_cast<std::ptrdiff_t>(std::min(kLiftQuantile * static_cast<double>(heights.size()),
                                           static_cast<double>(heights.size() - 1)));
  std::nth_element(heights.begin(), heights.begin() + nth, heights.end());
  return heights[toSize(nth)];
}

}  // namespace

Vec3 contactVelocity(std::span<const Vec3> positions_m, double step_s, std::size_t sample) {
  const auto reach = toSize(std::max(1.0, std::round(kSpeedReach_s / step_s)));
  const std::size_t from = sample >= reach ? sample - reach : 0;
  const std::size_t to = std::min(positions_m.size() - 1, sample + reach);
  if (to == from) return Vec3(0.0);
  return (positions_m[to] - positions_m[from]) / (static_cast<double>(to - from) * step_s);
}

Vec3 treadmillOf(std::span<const FootPath> paths, double step_s, double leg_m,
                 const Vec3& travel_m) {
  if (paths.empty() || paths[0].positions_m.size() < 2 || !(step_s > 0.0)) return Vec3(0.0);
  const std::vector<LowSample> low = lowSamples(paths, step_s, leg_m);
  if (low.empty()) return Vec3(0.0);
  Mode mode = modeOf(low);
  const bool is_slow = std::sqrt(mode.x * mode.x + mode.z * mode.z) <= kSlowTreadmill;
  const bool moves = !is_slow || movesSlowly(low, mode);
  const Vec3 velocity_mps = Vec3(mode.x, 0.0, mode.z) * leg_m;
  const double speed_mps = horizontalLength(velocity_mps);
  const double path_m = speed_mps * step_s * static_cast<double>(paths[0].positions_m.size() - 1);
  const bool is_on_spot = horizontalLength(travel_m) < kOnTheSpotShare * path_m &&
                          glm::dot(travel_m, velocity_mps) < kAlongShare * path_m * speed_mps;
  return moves && is_on_spot ? velocity_mps : Vec3(0.0);
}

Vec3 slopeOf(std::span<const FootPath> paths, double step_s, double leg_m) {
  if (paths.empty() || paths[0].positions_m.size() < 2 || !(step_s > 0.0)) return Vec3(0.0);
  std::vector<SlowPoint> flat = slowPoints(paths, step_s, leg_m), sloping = flat;
  if (flat.empty()) return Vec3(0.0);
  robustSlope(flat, leg_m, true);
  const Vec3 slope = robustSlope(sloping, leg_m, false);
  const double steepness = lengthOf(slope);
  if (!(steepness > kFlattest && steepness < kSteepest)) return Vec3(0.0);
  const double gain = inliersOf(sloping, slope, leg_m) / (1.0 + inliersOf(flat, Vec3(0.0), leg_m));
  return gain > kInlierGain ? slope : Vec3(0.0);
}

ContactSettings fitContacts(std::span<const FootPath> paths, double step_s, double leg_m,
                            double speed_mps, bool may_skate) {
  ContactSettings limits{kMostHeight * leg_m, kUnimodalSpeed * leg_m, kShortestContact_s};
  if (paths.empty() || paths[0].positions_m.size() < 2 || !(step_s > 0.0)) return limits;
  const double most = std::max(kMostSpeed * leg_m, kMostSpeedShare * speed_mps);
  const SpeedClasses classes = speedClasses(logSpeeds(paths, step_s, leg_m));
  const double between = classes.areTwo() ? classes.between() : kUnimodalSpeed;
  if (may_skate && skates(classes, speed_mps / leg_m)) {
    limits.speed_mps = std::min(between * leg_m, kMostSkatingShare * speed_mps);
    limits.height_m = kSkatingHeight * leg_m;
    return limits;
  }
  limits.speed_mps = std::clamp(between * leg_m, kLeastSpeed * leg_m, most);
  double lift_m = 0.0;
  for (const FootPath& path : paths) lift_m = std::max(lift_m, liftOf(path));
  limits.height_m = std::clamp(kLiftShare * lift_m, kLeastHeight * leg_m, kMostHeight * leg_m);
  return limits;
}

}  // namespace clipmill::locomotion
