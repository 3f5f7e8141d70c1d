// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/lower_energy.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "core/parallel.h"

namespace clipmill::stages::tet_bake {
namespace {

// Frames that a front tries at once, at most; together fronts fill a block, or try one each.
constexpr std::size_t kMaxTries = 8;
// Of all fronts together: their positions are kept in memory.
constexpr std::size_t kMaxAtOnce = 64;
// Jumps whose fronts advance at once: their corners are kept in memory.
constexpr std::size_t kMaxJumps = 64;
// Most tries of a frame, so that no clip takes many times its solve time.
constexpr std::uint8_t kMaxTriesPerFrame = 16;
// Shapes differ at corners that are farther apart than this, in edges.
constexpr double kOtherShape = 0.02;
// Jumps whose fronts share blocks, or more of one clip: the next ones may have a thread of their
// own.
constexpr std::size_t kJumpsTogether = 4;
// Least relative decrease of the energy: less is the tolerance of the solver.
constexpr double kLessEnergy = 1e-4;

// The shape of frame `from`, which advances over the frames of its clip to one side.
struct Front {
  std::size_t from = 0;
  bool is_forward = true;
  std::size_t frames_ahead = 0;
  std::vector<std::uint32_t> corners;  // where it is another one

  std::size_t ahead(std::size_t step) const { return is_forward ? from + step : from - step; }
  void advanceTo(std::size_t frame) {
    frames_ahead -= is_forward ? frame - from : from - frame;
    from = frame;
  }
};

struct Try {
  std::size_t front = 0, frame = 0;
  FrameStats stats = {};
  std::vector<Vec3> positions = {};
};

Vec3 positionIn(const SolvedFrame& frame, std::size_t corner) {
  const float* at = frame.positions.data() + 3 * corner;
  return {at[0], at[1], at[2]};
}

class LowerEnergySearch {
 public:
  LowerEnergySearch(const ClipSolver& solver, const RotatedSource& source, std::size_t corner_count,
                    std::span<SolvedFrame> frames, const FrameSink& sink)
      : solver_(solver),
        source_(source),
        corner_count_(corner_count),
        frames_(frames),
        sink_(sink),
        tried_(frames.size(), 0) {}

  Status seek(std::span<const std::size_t> start, std::span<const std::size_t> jumps) {
    for (std::size_t first = 0; first < jumps.size(); first += kMaxJumps) {
      const std::size_t count = std::min(kMaxJumps, jumps.size() - first);
      CLIPMILL_CHECK(advanceAll(frontsOf(start, jumps.subspan(first, count))));
    }
    return {};
  }

 private:
  struct Start {
    std::vector<Vec3> start, target;
    std::vector<Quat> rotations;
  };

  Status advanceAll(std::vector<Front> fronts) {
    while (!fronts.empty()) {
      std::vector<Try> tries = triesOf(fronts);
      CLIPMILL_CHECK(solve(fronts, tries));
      fronts = advance(fronts, tries);
    }
    return {};
  }

  Start startOf(std::size_t frame) const {
    Start result{std::vector<Vec3>(corner_count_), std::vector<Vec3>(corner_count_),
                 std::vector<Quat>(corner_count_)};
    source_(frame, result.start, result.target, result.rotations);
    return result;
  }

  // Displacement of a corner from its start, in the axes of the bind pose.
  Vec3 shapeAt(const Start& start, std::size_t frame, std::size_t corner) const {
    return glm::conjugate(start.rotations[corner]) *
           (positionIn(frames_[frame], corner) - start.start[corner]);
  }

  std::vector<Front> frontsOf(std::span<const std::size_t> start,
                              std::span<const std::size_t> jumps) const {
    std::vector<Front> fronts;
    const double apart_m = kOtherShape * solver_.summary().edge_m;
    for (const std::size_t jump : jumps) {
      const Start before = startOf(jump), after = startOf(jump + 1);
      std::vector<std::uint32_t> corners;
      for (std::uint32_t c = 0; c < corner_count_; ++c) {
        const Vec3 path = shapeAt(after, jump + 1, c) - shapeAt(before, jump, c);
        if (glm::length(path) > apart_m) corners.push_back(c);
      }
      const auto end = std::upper_bound(start.begin(), start.end(), jump);
      fronts.push_back({jump, true, *end - 1 - jump, corners});
      fronts.push_back({jump + 1, false, jump + 1 - *std::prev(end), std::move(corners)});
    }
    return fronts;
  }

  // A frame is tried by one front at a time: another one starts with what comes of that.
  std::vector<Try> triesOf(std::vector<Front>& fronts) {
    std::vector<Try> tries;
    std::set<std::size_t> taken;
    const std::size_t most = std::clamp<std::size_t>(kFrameLanes / fronts.size(), 1, kMaxTries);
    for (std::size_t f = 0; f < fronts.size() && tries.size() < kMaxAtOnce; ++f) {
      for (std::size_t step = 1; step <= std::min(most, fronts[f].frames_ahead); ++step) {
        const std::size_t frame = fronts[f].ahead(step);
        if (tried_[frame] == kMaxTriesPerFrame) {
          fronts[f].frames_ahead = step - 1;
          break;
        }
        if (!taken.insert(frame).second) break;
        ++tried_[frame];
        tries.push_back({f, frame});
      }
    }
    return tries;
  }

  void startTry(const Front& front, const Try& one, std::span<Vec3> start,
                std::span<Vec3> target) const {
    const Start from = startOf(front.from);
    std::vector<Quat> rotations(corner_count_);
    source_(one.frame, start, target, rotations);
    std::vector<Vec3> positions(start.begin(), start.end());
    for (std::size_t c = 0; c < positions.size(); ++c)
      positions[c] = positionIn(frames_[one.frame], c);
    for (const std::uint32_t c : front.corners) {
      positions[c] = start[c] + rotations[c] * shapeAt(from, front.from, c);
    }
    std::copy(positions.begin(), positions.end(), start.begin());
  }

  Status solve(const std::vector<Front>& fronts, std::vector<Try>& tries) const {
    const auto source = [&](std::size_t t, std::span<Vec3> start, std::span<Vec3> target) {
      startTry(fronts[tries[t].front], tries[t], start, target);
    };
    const auto sink = [&](std::size_t t, std::span<const Vec3> solved, const FrameStats& stats) {
      tries[t].stats = stats;
      tries[t].positions.assign(solved.begin(), solved.end());
    };
    return solver_.solve(std::vector<ClipToSolve>{{tries.size(), source, sink}});
  }

  bool isLower(const Try& one) const {
    const double energy = frames_[one.frame].energy;
    return one.stats.is_solved && one.stats.held_energy < energy - kLessEnergy * energy;
  }

  void take(const Try& one) {
    frames_[one.frame] = solvedFrame(one.positions, one.stats);
    sink_(one.frame, one.positions, one.stats);
  }

  // Fronts that have advanced, and those that another one blocked.
  std::vector<Front> advance(const std::vector<Front>& fronts, const std::vector<Try>& tries) {
    std::vector<Front> next;
    std::size_t t = 0;
    for (std::size_t f = 0; f < fronts.size(); ++f) {
      Front front = fronts[f];
      const std::size_t start = t;
      bool goes_on = true;
      for (; t < tries.size() && tries[t].front == f; ++t) {
        goes_on = goes_on && isLower(tries[t]);
        if (!goes_on) continue;
        take(tries[t]);
        front.advanceTo(tries[t].frame);
      }
      const bool has_waited = t == start && front.frames_ahead > 0;
      if (has_waited || (t > start && goes_on)) next.push_back(std::move(front));
    }
    return next;
  }

  const ClipSolver& solver_;
  const RotatedSource& source_;
  std::size_t corner_count_;
  std::span<SolvedFrame> frames_;
  const FrameSink& sink_;
  std::vector<std::uint8_t> tried_;  // how often each frame was
};

// Where each group of jumps starts, and the end. Those of one clip, whose fronts may meet, are
// together.
std::vector<std::size_t> groupsOf(std::span<const std::size_t> start,
                                  std::span<const std::size_t> jumps) {
  const auto clipOf = [&](std::size_t frame) {
    return std::upper_bound(start.begin(), start.end(), frame) - start.begin();
  };
  std::vector<std::size_t> groups = {0};
  for (std::size_t j = 1; j < jumps.size(); ++j) {
    const bool is_full = j - groups.back() >= kJumpsTogether;
    if (is_full && clipOf(jumps[j]) != clipOf(jumps[j - 1])) groups.push_back(j);
  }
  groups.push_back(jumps.size());
  return groups;
}

}  // namespace

SolvedFrame solvedFrame(std::span<const Vec3> solved, const FrameStats& stats) {
  SolvedFrame frame;
  frame.positions.reserve(3 * solved.size());
  for (const Vec3& position : solved) {
    for (int k = 0; k < 3; ++k) frame.positions.push_back(static_cast<float>(position[k]));
  }
  frame.energy = stats.is_solved ? stats.held_energy : std::numeric_limits<double>::infinity();
  return frame;
}

Status findLowerEnergy(const ClipSolver& solver, std::span<const std::size_t> start,
                       std::span<const std::size_t> jumps, int threads, const RotatedSource& source,
                       std::span<SolvedFrame> frames, const FrameSink& sink) {
  if (jumps.empty()) return {};
  const std::vector<std::size_t> groups = groupsOf(start, jumps);
  // Frames of other groups change meanwhile and must not be read.
  const std::size_t corner_count = frames.front().positions.size() / 3;
  std::vector<Status> done(groups.size() - 1);
  parallelFor(done.size(), 1, threads, [&](std::size_t g, std::size_t) {
    const auto own = jumps.subspan(groups[g], groups[g + 1] - groups[g]);
    done[g] = LowerEnergySearch(solver, source, corner_count, frames, sink).seek(start, own);
  });
  for (Status& status : done) CLIPMILL_CHECK(std::move(status));
  return {};
}

}  // namespace clipmill::stages::tet_bake
