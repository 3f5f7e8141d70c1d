// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/solve/lower_rest.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <set>
#include <utility>

#include "core/parallel.h"

namespace clipmill::tet_bake {
namespace {

// Frames that a front tries at once, at most; together fronts fill a block, or try one each.
constexpr std::size_t kMostTries = 8;
// Of all fronts together: their places are kept.
constexpr std::size_t kMostAtOnce = 64;
// Jumps whose fronts are under way at once: what they differ in is kept.
constexpr std::size_t kMostJumps = 64;
// How often a frame is tried, so that no clip takes many times what it takes to solve it.
constexpr std::uint8_t kMostOfFrame = 16;
// Shapes differ at corners that are farther apart than this, in edges.
constexpr double kOtherShape = 0.02;
// Jumps whose fronts share blocks, or more of one clip: the next ones may have a thread of their
// own.
constexpr std::size_t kJumpsTogether = 4;
// What energy has to fall by, in parts of it: less is how far the solver was from rest.
constexpr double kLessEnergy = 1e-4;

// The shape of frame `from`, on its way over the frames of its clip to one side.
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
  std::vector<Vec3> places = {};
};

Vec3 placeIn(const RestFrame& frame, std::size_t corner) {
  const float* at = frame.places.data() + 3 * corner;
  return {at[0], at[1], at[2]};
}

class RestSeeker {
 public:
  RestSeeker(const ClipSolver& solver, const TurnedSource& source, std::size_t corner_count,
             std::span<RestFrame> frames, const FrameSink& sink)
      : solver_(solver),
        source_(source),
        corner_count_(corner_count),
        frames_(frames),
        sink_(sink),
        tried_(frames.size(), 0) {}

  Status seek(std::span<const std::size_t> begin, std::span<const std::size_t> jumps) {
    for (std::size_t first = 0; first < jumps.size(); first += kMostJumps) {
      const std::size_t count = std::min(kMostJumps, jumps.size() - first);
      CLIPMILL_CHECK(advanceAll(frontsOf(begin, jumps.subspan(first, count))));
    }
    return {};
  }

 private:
  struct Start {
    std::vector<Vec3> start, target;
    std::vector<Quat> turns;
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
    source_(frame, result.start, result.target, result.turns);
    return result;
  }

  // What a corner does beyond its start, in the axes of the bind pose.
  Vec3 shapeAt(const Start& start, std::size_t frame, std::size_t corner) const {
    return glm::conjugate(start.turns[corner]) *
           (placeIn(frames_[frame], corner) - start.start[corner]);
  }

  std::vector<Front> frontsOf(std::span<const std::size_t> begin,
                              std::span<const std::size_t> jumps) const {
    std::vector<Front> fronts;
    const double apart_m = kOtherShape * solver_.summary().edge_m;
    for (const std::size_t jump : jumps) {
      const Start before = startOf(jump), after = startOf(jump + 1);
      std::vector<std::uint32_t> corners;
      for (std::uint32_t c = 0; c < corner_count_; ++c) {
        const Vec3 way = shapeAt(after, jump + 1, c) - shapeAt(before, jump, c);
        if (glm::length(way) > apart_m) corners.push_back(c);
      }
      const auto end = std::upper_bound(begin.begin(), begin.end(), jump);
      fronts.push_back({jump, true, *end - 1 - jump, corners});
      fronts.push_back({jump + 1, false, jump + 1 - *std::prev(end), std::move(corners)});
    }
    return fronts;
  }

  // A frame is tried by one front at a time: another one begins with what comes of that.
  std::vector<Try> triesOf(std::vector<Front>& fronts) {
    std::vector<Try> tries;
    std::set<std::size_t> taken;
    const std::size_t most = std::clamp<std::size_t>(kFrameLanes / fronts.size(), 1, kMostTries);
    for (std::size_t f = 0; f < fronts.size() && tries.size() < kMostAtOnce; ++f) {
      for (std::size_t step = 1; step <= std::min(most, fronts[f].frames_ahead); ++step) {
        const std::size_t frame = fronts[f].ahead(step);
        if (tried_[frame] == kMostOfFrame) {
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
    std::vector<Quat> turns(corner_count_);
    source_(one.frame, start, target, turns);
    std::vector<Vec3> places(start.begin(), start.end());
    for (std::size_t c = 0; c < places.size(); ++c) places[c] = placeIn(frames_[one.frame], c);
    for (const std::uint32_t c : front.corners) {
      places[c] = start[c] + turns[c] * shapeAt(from, front.from, c);
    }
    std::copy(places.begin(), places.end(), start.begin());
  }

  Status solve(const std::vector<Front>& fronts, std::vector<Try>& tries) const {
    const auto source = [&](std::size_t t, std::span<Vec3> start, std::span<Vec3> target) {
      startTry(fronts[tries[t].front], tries[t], start, target);
    };
    const auto sink = [&](std::size_t t, std::span<const Vec3> solved, const FrameStats& stats) {
      tries[t].stats = stats;
      tries[t].places.assign(solved.begin(), solved.end());
    };
    return solver_.solve(std::vector<ClipToSolve>{{tries.size(), source, sink}});
  }

  bool isLower(const Try& one) const {
    const double energy = frames_[one.frame].energy;
    return one.stats.is_solved && one.stats.held_energy < energy - kLessEnergy * energy;
  }

  void take(const Try& one) {
    frames_[one.frame] = restFrame(one.places, one.stats);
    sink_(one.frame, one.places, one.stats);
  }

  // Fronts that have come on, and those whose way another one was in.
  std::vector<Front> advance(const std::vector<Front>& fronts, const std::vector<Try>& tries) {
    std::vector<Front> next;
    std::size_t t = 0;
    for (std::size_t f = 0; f < fronts.size(); ++f) {
      Front front = fronts[f];
      const std::size_t begin = t;
      bool goes_on = true;
      for (; t < tries.size() && tries[t].front == f; ++t) {
        goes_on = goes_on && isLower(tries[t]);
        if (!goes_on) continue;
        take(tries[t]);
        front.advanceTo(tries[t].frame);
      }
      const bool has_waited = t == begin && front.frames_ahead > 0;
      if (has_waited || (t > begin && goes_on)) next.push_back(std::move(front));
    }
    return next;
  }

  const ClipSolver& solver_;
  const TurnedSource& source_;
  std::size_t corner_count_;
  std::span<RestFrame> frames_;
  const FrameSink& sink_;
  std::vector<std::uint8_t> tried_;  // how often each frame was
};

// Where each group of jumps begins, and the end. Those of one clip, whose fronts may meet, are
// together.
std::vector<std::size_t> groupsOf(std::span<const std::size_t> begin,
                                  std::span<const std::size_t> jumps) {
  const auto clipOf = [&](std::size_t frame) {
    return std::upper_bound(begin.begin(), begin.end(), frame) - begin.begin();
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

RestFrame restFrame(std::span<const Vec3> solved, const FrameStats& stats) {
  RestFrame frame;
  frame.places.reserve(3 * solved.size());
  for (const Vec3& place : solved) {
    for (int k = 0; k < 3; ++k) frame.places.push_back(static_cast<float>(place[k]));
  }
  frame.energy = stats.is_solved ? stats.held_energy : std::numeric_limits<double>::infinity();
  return frame;
}

Status seekLowerRest(const ClipSolver& solver, std::span<const std::size_t> begin,
                     std::span<const std::size_t> jumps, int threads, const TurnedSource& source,
                     std::span<RestFrame> frames, const FrameSink& sink) {
  if (jumps.empty()) return {};
  const std::vector<std::size_t> groups = groupsOf(begin, jumps);
  // Frames of other groups are not to be looked at: they change.
  const std::size_t corner_count = frames.front().places.size() / 3;
  std::vector<Status> done(groups.size() - 1);
  parallelFor(done.size(), 1, threads, [&](std::size_t g, std::size_t) {
    const auto own = jumps.subspan(groups[g], groups[g + 1] - groups[g]);
    done[g] = RestSeeker(solver, source, corner_count, frames, sink).seek(begin, own);
  });
  for (Status& status : done) CLIPMILL_CHECK(std::move(status));
  return {};
}

}  // namespace clipmill::tet_bake
