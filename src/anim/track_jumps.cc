// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/track_jumps.h"

#include <algorithm>
#include <cmath>

#include "core/cancel.h"
#include "core/float_rounding.h"

namespace clipmill {
namespace {

// Half the distance of a float to the next, relative to its size.
constexpr double kFloatRounding = 1.0 / (1 << 24);
// A jump is larger than so many tolerances, ..
constexpr double kMinJump = 4.0;
// .. than so many times the steps before and after it, ..
constexpr double kJumpToSteps = 2.0;
// .. and this part of it is left when it has been enclosed to this part of a second.
constexpr double kJumpLeft = 0.55;
constexpr double kEnclosed_s = 1e-9;

double floatBelow(double time_s) {
  float f = static_cast<float>(time_s);
  if (static_cast<double>(f) > time_s) f = std::nextafter(f, -HUGE_VALF);
  return static_cast<double>(f);
}

// The float before or after a float, and not closer than what an FBX file can distinguish.
double floatBeside(double time_s, bool after) {
  const double apart = after ? kEnclosed_s : -kEnclosed_s;
  const double next = static_cast<double>(
      std::nextafter(static_cast<float>(time_s), after ? HUGE_VALF : -HUGE_VALF));
  if (std::fabs(next - time_s) >= kEnclosed_s) return next;
  return roundedToFloat(time_s + apart);
}

struct Jump {
  double low_s = 0.0, high_s = 0.0;      // the clip jumps between these
  double before_s = 0.0, after_s = 0.0;  // times of the two keys
  std::vector<double> before, after;
};

class JumpFinder {
 public:
  JumpFinder(const TrackValue& value, const FineGrid& grid, const ValueMeasure& measure,
             ExactPoses& poses, std::vector<double>& samples)
      : value_(value), grid_(grid), measure_(measure), poses_(poses), samples_(samples) {}

  std::vector<Jump> find() {
    std::vector<Jump> jumps;
    const std::size_t cells = grid_.pointCount() - 1;
    double before = 0.0, here = cells > 0 ? stepOf(0) : 0.0;
    for (std::size_t cell = 0; cell < cells; ++cell) {
      pollCancel();
      const double after = cell + 1 < cells ? stepOf(cell + 1) : 0.0;
      if (here > kMinJump && here > kJumpToSteps * (before + after)) {
        Jump jump;
        const double earliest = jumps.empty() ? 0.0 : jumps.back().after_s;
        if (enclose(cell, here, jump) && positionKeys(earliest, jump)) {
          settle(cell, jump);
          jumps.push_back(std::move(jump));
        }
      }
      before = here;
      here = after;
    }
    return jumps;
  }

 private:
  double* sample(std::size_t point) { return &samples_[point * value_.width]; }
  double stepOf(std::size_t cell) { return measure_(sample(cell), sample(cell + 1)); }

  std::vector<double> exactAt(double time_s) {
    std::vector<double> v(value_.width);
    value_.read(poses_.at(time_s), v.data());
    return v;
  }

  // Halves the cell about the larger change. False where the change is no jump.
  bool enclose(std::size_t cell, double step, Jump& jump) {
    jump.low_s = grid_.timeOf(cell);
    jump.high_s = grid_.timeOf(cell + 1);
    jump.before.assign(sample(cell), sample(cell) + value_.width);
    jump.after.assign(sample(cell + 1), sample(cell + 1) + value_.width);
    while (jump.high_s - jump.low_s > kEnclosed_s * std::max(1.0, jump.high_s)) {
      const double middle_s = 0.5 * (jump.low_s + jump.high_s);
      std::vector<double> middle = exactAt(middle_s);
      const double left = measure_(jump.before.data(), middle.data());
      const double right = measure_(middle.data(), jump.after.data());
      if (std::max(left, right) < kJumpLeft * step) return false;
      if (left > right) {
        jump.high_s = middle_s;
        jump.after = std::move(middle);
      } else {
        jump.low_s = middle_s;
        jump.before = std::move(middle);
      }
    }
    return true;
  }

  // True where a frame that the jump falls on still has the old value.
  bool holdsOnFrame(const Jump& jump) {
    const double frame_s = std::floor(jump.high_s * grid_.fps() + 0.5) / grid_.fps();
    const double near_s = 4.0 * kFloatRounding * std::max(1.0, jump.high_s);
    if (std::fabs(frame_s - jump.high_s) > near_s) return false;
    const std::vector<double> v = exactAt(frame_s);
    return measure_(v.data(), jump.before.data()) < measure_(v.data(), jump.after.data());
  }

  // Chooses neighbouring floats such that times that were rounded, too, find the value that the
  // clip has on its frame.
  bool positionKeys(double earliest_s, Jump& jump) {
    const double exact_s = kEnclosed_s * std::max(1.0, jump.high_s);
    if (holdsOnFrame(jump)) {
      jump.before_s = floatBelow(jump.high_s);
      if (jump.low_s - jump.before_s > exact_s) {
        jump.before_s = floatBeside(floatBeside(jump.before_s, true), true);
      }
      jump.after_s = floatBeside(jump.before_s, true);
    } else {
      jump.after_s = floatBelow(jump.high_s);
      if (jump.high_s - jump.after_s > exact_s) jump.after_s = floatBeside(jump.after_s, false);
      jump.before_s = floatBeside(jump.after_s, false);
    }
    const double end_s = grid_.timeOf(grid_.pointCount() - 1);
    return jump.before_s >= earliest_s && jump.before_s < jump.after_s && jump.after_s <= end_s;
  }

  void settle(std::size_t cell, const Jump& jump) {
    const std::size_t last = std::min(cell + 2, grid_.pointCount() - 1);
    for (std::size_t point = cell > 0 ? cell - 1 : 0; point <= last; ++point) {
      const double time_s = grid_.timeOf(point);
      if (time_s >= jump.after_s && time_s <= jump.high_s) {
        std::copy(jump.after.begin(), jump.after.end(), sample(point));
      } else if (time_s <= jump.before_s && time_s >= jump.low_s) {
        std::copy(jump.before.begin(), jump.before.end(), sample(point));
      }
    }
  }

  const TrackValue& value_;
  const FineGrid& grid_;
  const ValueMeasure& measure_;
  ExactPoses& poses_;
  std::vector<double>& samples_;
};

// Gives `v` the sign nearer to `reference`.
void alignSign(const TrackValue& value, const double* reference, std::vector<double>& v) {
  if (value.path != TrackPath::kRotation) return;
  double dot = 0.0;
  for (std::size_t i = 0; i < 4; ++i) dot += reference[i] * v[i];
  if (dot >= 0.0) return;
  for (double& x : v) x = -x;
}

}  // namespace

ValueMeasure::ValueMeasure(TrackPath path, std::span<const double> tolerance, double largest)
    : path_(path), width_(path == TrackPath::kRotation ? 4 : 3) {
  if (path == TrackPath::kWeights) width_ = tolerance.size();
  const double least =
      path == TrackPath::kRotation ? 8.0 * kFloatRounding : 4.0 * kFloatRounding * largest + 1e-30;
  for (const double allowed : tolerance) {
    // A chord of unit quaternions is half the angle between the rotations.
    const double factor = path == TrackPath::kRotation ? 2.0 : 1.0;
    per_tolerance_.push_back(factor / std::max(allowed, least));
  }
}

double ValueMeasure::operator()(const double* a, const double* b) const {
  if (path_ == TrackPath::kWeights) {
    double worst = 0.0;
    for (std::size_t i = 0; i < width_; ++i) {
      worst = std::max(worst, std::fabs(a[i] - b[i]) * per_tolerance_[i]);
    }
    return worst;
  }
  double square = 0.0, square_of_sum = 0.0;
  for (std::size_t i = 0; i < width_; ++i) {
    square += (a[i] - b[i]) * (a[i] - b[i]);
    square_of_sum += (a[i] + b[i]) * (a[i] + b[i]);
  }
  if (path_ == TrackPath::kRotation) square = std::min(square, square_of_sum);
  return std::sqrt(square) * per_tolerance_[0];
}

std::vector<TrackPiece> cutAtJumps(const TrackValue& value, const FineGrid& grid,
                                   const ValueMeasure& measure, ExactPoses& poses,
                                   std::vector<double>& samples) {
  std::vector<Jump> jumps = JumpFinder(value, grid, measure, poses, samples).find();
  const std::size_t points = grid.pointCount();
  // Signs were chosen across the jump as it was sampled.
  for (std::size_t point = 1; point < points && !jumps.empty(); ++point) {
    double* here = &samples[point * value.width];
    std::vector<double> v(here, here + value.width);
    alignSign(value, here - value.width, v);
    std::copy(v.begin(), v.end(), here);
  }
  std::vector<TrackPiece> pieces(1);
  pieces[0].first.assign(samples.begin(),
                         samples.begin() + static_cast<std::ptrdiff_t>(value.width));
  std::size_t point = 0;
  for (Jump& jump : jumps) {
    while (point + 1 < points && grid.timeOf(point + 1) <= jump.before_s) ++point;
    alignSign(value, &samples[point * value.width], jump.before);
    while (point + 1 < points && grid.timeOf(point) < jump.after_s) ++point;
    alignSign(value, &samples[point * value.width], jump.after);
    pieces.back().end_s = jump.before_s;
    pieces.back().source_end_s = jump.low_s;
    pieces.back().last = std::move(jump.before);
    pieces.emplace_back();
    pieces.back().start_s = jump.after_s;
    pieces.back().source_start_s = jump.high_s;
    pieces.back().first = std::move(jump.after);
  }
  pieces.back().end_s = pieces.back().source_end_s = grid.timeOf(points - 1);
  pieces.back().last.assign(samples.end() - static_cast<std::ptrdiff_t>(value.width),
                            samples.end());
  return pieces;
}

}  // namespace clipmill
