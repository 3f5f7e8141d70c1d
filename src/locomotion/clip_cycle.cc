// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/clip_cycle.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "anim/pose.h"
#include "core/math.h"
#include "core/to_size.h"
#include "locomotion/cycle_name.h"

namespace clipmill::locomotion {
namespace {

constexpr double kCycleShortest_s = 4.0 / 60.0;
// A seam up to this share of the size of the character is rounding of keys.
constexpr double kCycleRoundingShare = 1e-4;
// The whole clip is not read where its ends are farther apart than this share of the size.
constexpr double kCycleFarShare = 0.5;
// A velocity change at the seam counts as inside the clip up to this factor of its 95th percentile.
constexpr double kCycleVelocityChangeFactor = 1.25;
// A clip called a cycle may have a seam of so many steps, or of this share of the size of its
// motion.
constexpr double kCycleNamedSteps = 2.0;
constexpr double kCycleNamedShare = 0.05;
// A clip is at rest at an end where it moves less than this share of its size of motion..
constexpr double kCycleRestShare = 0.005;
// ..for this share of its length.
constexpr double kCycleRestLength = 0.05;
// Steps of a one-shot motion at both ends that run through the seam.
constexpr double kCycleRunsThrough = 0.75;
// A step from the last frame to the first one continues the motion where it differs from the steps
// at both ends by less than this share of itself.
constexpr double kCycleOpenShare = 0.5;
// A root travels where it moves by this share of the character's size, or rotates by this angle.
constexpr double kCycleTravelShare = 0.01;
constexpr double kCycleTravel_deg = 1.0;
constexpr std::size_t kCycleMaxSteps = 1200;

using Positions = std::vector<Vec3>;

double largestDistance(const Positions& a, const Positions& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, lengthOf(a[i] - b[i]));
  return largest;
}

double percentileOf(std::vector<double> values, double share) {
  if (values.empty()) return 0.0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(
                                       toSize(share * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// The part `share` of a carry: 0 leaves a point as it is, 1 is the whole carry.
Carry partOf(const Carry& carry, double share) {
  Carry part;
  part.rotation = slerp(kIdentityRotation, carry.rotation, share);
  part.to = carry.to;
  part.from = carry.to + (carry.from - carry.to) * share;
  return part;
}

// Reads the poses of a clip at the frames of the clip as authored.
class CycleClip {
 public:
  CycleClip(const CycleBody& body, const Scene& scene, const Motion& clip)
      : scene_(scene), grid_(clip.grid), cursor_(scene.skeleton, clip), nodes_(body.nodes) {
    const double rate = authoredRateOf(scene, clip);
    const double length_s = grid_.end_s - grid_.start_s;
    step_count_ = std::max<std::size_t>(3, toSize(std::round(length_s * rate)));
    findRoot(body.lowest_root);
    nodes_.erase(std::remove_if(nodes_.begin(), nodes_.end(),
                                [&](std::size_t node) { return !isBelowRoot(node); }),
                 nodes_.end());
  }

  std::size_t stepCount() const { return step_count_; }
  const Carry& back() const { return back_; }
  int root() const { return root_; }

  // The same with one more step, which is the mean of those at both ends. A root that does not
  // travel returns to where it starts.
  Carry openBack() {
    if (!travels_) return Carry();
    const auto rootAt = [&](std::size_t frame) { return poseAt(frame)[toSize(root_)]; };
    const Affine first = rootAt(0), second = rootAt(1);
    const Affine before_last = rootAt(step_count_ - 1), last = rootAt(step_count_);
    const Carry to_first = groundCarry(first, second), to_before = groundCarry(before_last, last);
    const Quat forth = glm::conjugate(back_.rotation);
    const Vec3 step = 0.5 * (to_before.from - to_before.to + forth * (to_first.from - to_first.to));
    const Quat yaw = glm::conjugate(slerp(
        kIdentityRotation, normalizedOrIdentity(to_before.rotation * to_first.rotation), 0.5));
    Carry back = back_;
    back.from += Vec3(step.x, 0.0, step.z);
    back.rotation = normalizedOrIdentity(glm::conjugate(yaw * forth));
    return back;
  }
  double size_m() const { return size_m_; }

  // Positions in the character's travelling frame, which is that of the world at the first frame.
  Positions positionsAt(std::size_t frame) {
    poseAt(frame);
    const Carry carry = partOf(back_, shareOf(frame));
    Positions positions;
    for (std::size_t node : nodes_) positions.push_back(carry.point(worlds_[node].translation));
    return positions;
  }

 private:
  double shareOf(std::size_t frame) const {
    return static_cast<double>(frame) / static_cast<double>(step_count_);
  }

  const std::vector<Affine>& poseAt(std::size_t frame) {
    const double time_s = frame == step_count_
                              ? grid_.end_s
                              : grid_.start_s + (grid_.end_s - grid_.start_s) * shareOf(frame);
    computeWorlds(scene_.skeleton, cursor_.at(time_s).locals, scene_.metric_from_file, worlds_);
    return worlds_;
  }

  bool isBelowRoot(std::size_t node) const {
    for (int above = static_cast<int>(node); above >= 0;
         above = scene_.skeleton.nodes[toSize(above)].parent) {
      if (above == root_) return true;
    }
    return false;
  }

  // Of this node and those above it, the highest that travels, else the highest that moves.
  void findRoot(int lowest_root) {
    const std::vector<Affine> first = poseAt(0), middle = poseAt(step_count_ / 2),
                              third = poseAt(step_count_ / 3), last = poseAt(step_count_);
    Vec3 low(0.0), high(0.0);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const Vec3& p = first[nodes_[i]].translation;
      low = i == 0 ? p : glm::min(low, p);
      high = i == 0 ? p : glm::max(high, p);
    }
    size_m_ = lengthOf(high - low);
    if (lowest_root < 0) return;
    root_ = lowest_root;
    int moving = -1, travelling = -1;
    for (int node = root_; node >= 0; node = scene_.skeleton.nodes[toSize(node)].parent) {
      const std::size_t n = toSize(node);
      const Affine& from = first[n];
      const auto differs = [&](const Affine& to) {
        return from.translation != to.translation || from.linear != to.linear;
      };
      if (differs(middle[n]) || differs(third[n]) || differs(last[n])) moving = node;
      const Carry carry = groundCarry(from, last[n]);
      const bool travels =
          lengthOf(carry.to - carry.from) > kCycleTravelShare * size_m_ ||
          angleBetween(kIdentityRotation, carry.rotation) > kCycleTravel_deg * kDegree;
      if (travels) travelling = node;
    }
    if (moving >= 0) root_ = moving;
    travels_ = travelling >= 0;
    if (travels_) root_ = travelling;
    back_ = groundCarry(first[toSize(root_)], last[toSize(root_)]);
  }

  const Scene& scene_;
  const TimeGrid grid_;
  MotionCursor cursor_;
  std::size_t step_count_ = 3;
  std::vector<std::size_t> nodes_;
  int root_ = -1;
  double size_m_ = 0.0;
  Carry back_;
  bool travels_ = false;
  std::vector<Affine> worlds_;
};

// Measures of a clip's own motion, in metres per frame.
struct ClipSteps {
  double ordinary_m = 0.0;      // median step
  double mean_m = 0.0;          // mean step
  double usual_change_m = 0.0;  // 95th percentile of the change from one step to the next
  double excursion_m = 0.0;     // largest distance from the first pose
  double seam_m = 0.0;          // last to first frame
  double open_seam_m = 0.0;     // the same, if one more step belongs between them
  double change_m = 0.0;        // of velocity across the seam
  double first_m = 0.0;         // first step
  double last_m = 0.0;          // last step
  double rest_m = 0.0;          // largest distance from the ends near them
};

double changeOf(const Positions& before, const Positions& at, const Positions& after) {
  double largest = 0.0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    largest = std::max(largest, lengthOf((after[i] - at[i]) - (at[i] - before[i])));
  }
  return largest;
}

void measureSeam(CycleClip& clip, const Positions& first, const Positions& last, ClipSteps& steps) {
  const std::size_t end = clip.stepCount();
  const Positions second = clip.positionsAt(1), before_last = clip.positionsAt(end - 1);
  steps.seam_m = largestDistance(last, first);
  steps.first_m = largestDistance(second, first);
  steps.last_m = largestDistance(last, before_last);
  for (std::size_t i = 0; i < first.size(); ++i) {
    const Vec3 start = second[i] - first[i], stop = last[i] - before_last[i];
    const Vec3 gap = first[i] - last[i];
    steps.change_m = std::max(steps.change_m, lengthOf(start - stop));
    steps.open_seam_m = std::max(steps.open_seam_m, lengthOf(gap - (start + stop) * 0.5));
  }
}

ClipSteps measureSteps(CycleClip& clip, const Positions& first, const Positions& last) {
  ClipSteps steps;
  const std::size_t end = clip.stepCount();
  const std::size_t stride = 1 + end / kCycleMaxSteps;
  const auto rest_frames = toSize(std::ceil(kCycleRestLength * static_cast<double>(end)));
  std::vector<double> moves, changes;
  Positions before, at = first;
  for (std::size_t frame = 1; frame <= end; ++frame) {
    const bool is_near_end = frame <= rest_frames || frame + rest_frames >= end;
    if (frame % stride > 1 && !is_near_end) {
      before.clear();
      at.clear();
      continue;
    }
    Positions now = frame == end ? last : clip.positionsAt(frame);
    steps.excursion_m = std::max(steps.excursion_m, largestDistance(now, first));
    if (frame <= rest_frames) steps.rest_m = std::max(steps.rest_m, largestDistance(now, first));
    if (frame + rest_frames >= end) {
      steps.rest_m = std::max(steps.rest_m, largestDistance(now, last));
    }
    if (!at.empty()) moves.push_back(largestDistance(now, at));
    if (!at.empty() && !before.empty()) changes.push_back(changeOf(before, at, now));
    before = std::exchange(at, std::move(now));
  }
  steps.ordinary_m = percentileOf(moves, 0.5);
  for (double move : moves) steps.mean_m += move / static_cast<double>(moves.size());
  steps.usual_change_m = percentileOf(changes, 0.95);
  measureSeam(clip, first, last, steps);
  return steps;
}

bool isOpen(const ClipSteps& steps, double rounding_m) {
  const double shorter_m = std::min(steps.first_m, steps.last_m);
  return steps.seam_m > rounding_m && steps.seam_m > kCycleOpenShare * shorter_m &&
         steps.open_seam_m < kCycleOpenShare * steps.seam_m;
}

void decide(const ClipSteps& steps, double rounding_m, CycleName name, CycleDecision& decision) {
  const double step_m = std::max(steps.ordinary_m, rounding_m);
  const double seam_m = decision.is_open ? steps.open_seam_m : steps.seam_m;
  const bool closes = seam_m < step_m;
  const bool continues =
      steps.change_m < std::max(step_m, kCycleVelocityChangeFactor * steps.usual_change_m);
  const bool is_called_cycle = name == CycleName::kCycle;
  const auto set = [&](bool is_cycle, const char* reason) {
    decision.is_cycle = is_cycle;
    decision.reason = reason;
  };
  if (steps.excursion_m <= rounding_m) return set(false, "the character does not move");
  const double named_m = std::max(kCycleNamedSteps * step_m, kCycleNamedShare * steps.excursion_m);
  if (is_called_cycle && seam_m < named_m) {
    return set(true, decision.is_open ? "named as a cycle, ends one frame before its start"
                                      : "named as a cycle, ends in its first pose");
  }
  if (!closes) return set(false, "ends in another pose than it starts");
  if (!continues) return set(false, "ends at another speed than it starts");
  if (steps.rest_m < kCycleRestShare * steps.excursion_m) {
    return set(false, "starts and ends at rest");
  }
  const bool runs_through =
      std::min(steps.first_m, steps.last_m) > kCycleRunsThrough * steps.mean_m;
  if (name == CycleName::kOneShot && !runs_through) {
    return set(false, "named as a motion that is played once");
  }
  set(true, decision.is_open ? "ends one frame before its start, at the same speed"
                             : "ends in its first pose, at the same speed");
}

bool isLongEnough(const Motion& clip) {
  return clip.grid.end_s - clip.grid.start_s > kCycleShortest_s && clip.grid.frame_count > 2;
}

}  // namespace

Carry groundCarry(const Affine& start, const Affine& end) {
  Carry carry;
  carry.rotation = normalizedOrIdentity(
      swingTwist(rotationOf(start) * glm::conjugate(rotationOf(end)), Vec3(0, 1, 0)).twist);
  carry.from = end.translation;
  carry.to = Vec3(start.translation.x, end.translation.y, start.translation.z);
  return carry;
}

double authoredRateOf(const Scene& scene, const Motion& clip) {
  const std::size_t i = toSize(clip.clip_index);
  const double rate = i < scene.clips.size() ? scene.clips[i].fps : clip.grid.fps;
  return rate > 0.0 ? rate : clip.grid.fps;
}

CycleDecision judgeCycle(const CycleBody& body, LoopPolicy loop, const Scene& scene,
                         const Motion& clip) {
  CycleDecision decision;
  decision.reason = "loop = \"off\"";
  if (loop == LoopPolicy::kOff) return decision;
  decision.reason = "too short";
  if (!isLongEnough(clip)) return decision;
  decision.reason = "nothing above the chains";
  if (!body.has_following) return decision;
  CycleClip read(body, scene, clip);
  decision.back = read.back();
  decision.root = read.root();
  const Positions first = read.positionsAt(0), last = read.positionsAt(read.stepCount());
  const bool is_far = largestDistance(first, last) > kCycleFarShare * read.size_m();
  if (loop == LoopPolicy::kAuto && is_far && read.stepCount() > kCycleMaxSteps) {
    decision.reason = "ends in another pose than it starts";
    return decision;
  }
  const double rounding_m = std::max(kCycleRoundingShare * read.size_m(), 1e-6);
  const ClipSteps steps = measureSteps(read, first, last);
  decision.is_open = isOpen(steps, rounding_m);
  decision.is_measured = true;
  const double step_m = std::max(steps.ordinary_m, rounding_m);
  decision.seam_steps = (decision.is_open ? steps.open_seam_m : steps.seam_m) / step_m;
  decision.speed_steps = steps.change_m / step_m;
  decide(steps, rounding_m, cycleNameOf(clip.clip_name), decision);
  if (loop == LoopPolicy::kOn) {
    decision.is_cycle = true;
    decision.reason = "loop = \"on\"";
  }
  decision.is_open = decision.is_open && decision.is_cycle;
  if (decision.is_open) decision.back = read.openBack();
  return decision;
}

std::optional<Carry> findCycle(const CycleBody& body, LoopPolicy loop, const Scene& scene,
                               const Motion& clip) {
  const bool is_cycle = loop == LoopPolicy::kOn ? isLongEnough(clip) && body.has_following
                                                : judgeCycle(body, loop, scene, clip).is_cycle;
  return is_cycle ? std::optional(CycleClip(body, scene, clip).back()) : std::nullopt;
}

}  // namespace clipmill::locomotion
