// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/rope.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stages/dynamic_bones/collider.h"

namespace clipmill::bones {
namespace {

constexpr double kLengthTolerance = 1e-14;  // of squares of lengths, relative
// Newton's method doubles the digits with every step; one that is not done by now circles.
constexpr int kMaxNewtonSteps = 16;
// A bone whose ends can hardly come nearer to each other by its pull, relative to free points.
constexpr double kLeastGive = 1e-13;

// Error of a bone's squared length by the rounding of its ends.
double roundingOf(const Vec3& head, const Vec3& point, const Vec3& span) {
  constexpr double kRoundings = 8.0 * std::numeric_limits<double>::epsilon();
  const Vec3 size = glm::abs(head) + glm::abs(point);
  return kRoundings * glm::dot(size, glm::abs(span));
}

}  // namespace

RopeSolver::RopeSolver(std::span<const int> parents, std::span<const double> inverse_masses) {
  const std::size_t count = parents.size();
  std::vector<std::size_t> root_of(count);
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) {
    root_of[i] = parents[i] < 0 ? i : root_of[static_cast<std::size_t>(parents[i])];
    order[i] = i;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return root_of[a] < root_of[b]; });
  std::vector<int> link_of(count, -1);
  for (std::size_t i : order) {
    if (root_of[i] == i) trees_.push_back({links_.size(), links_.size()});
    ++trees_.back().end;
    link_of[i] = static_cast<int>(links_.size());
    Link link;
    link.bone = i;
    link.parent = parents[i] < 0 ? -1 : link_of[static_cast<std::size_t>(parents[i])];
    link.inverse_mass = inverse_masses[i];
    links_.push_back(link);
  }
}

// Takes over what the step gives. Bones that have no old direction take their new one.
void RopeSolver::place(const Tree& tree, const Step& step, bool along_old) {
  for (std::size_t i = tree.begin; i < tree.end; ++i) {
    Link& link = links_[i];
    const double length_m = step.lengths_m[link.bone];
    link.hold = length_m < 0.0 ? Hold::kFree : length_m > 0.0 ? Hold::kLength : Hold::kWeld;
    link.length_square = length_m * length_m;
    link.point = step.ends[link.bone];
    link.head = link.parent < 0 ? step.heads[link.bone]
                                : links_[static_cast<std::size_t>(link.parent)].point;
    const Vec3& old_bone = step.old_bones[link.bone];
    const bool has_old = glm::dot(old_bone, old_bone) > 0.0;
    const Vec3 new_bone = link.point - link.head;
    const bool has_new = glm::dot(new_bone, new_bone) > 0.0;
    link.gradient = has_old && (along_old || !has_new) ? old_bone : new_bone;
  }
}

// Where all bones are now; true where nothing is left to do.
bool RopeSolver::measure(const Tree& tree) {
  bool is_met = true;
  for (std::size_t i = tree.begin; i < tree.end; ++i) {
    Link& link = links_[i];
    if (link.parent >= 0) link.head = links_[static_cast<std::size_t>(link.parent)].point;
    link.span = link.point - link.head;
    link.response = Mat3(link.inverse_mass);
    link.lag = Vec3(0.0);
    const double excess = glm::dot(link.span, link.span) - link.length_square;
    link.wanted = -0.5 * excess;
    if (link.hold == Hold::kFree) continue;
    const double rounding = roundingOf(link.head, link.point, link.span);
    if (!(std::abs(excess) <= kLengthTolerance * link.length_square + rounding)) is_met = false;
  }
  return is_met;
}

// Eliminates from the tips to the roots. Below a point everything is done when its turn comes, and
// its displacement is response * f - lag, where f is the force of its own bone. That bone pulls by
// f = m * gradient; span * (displacement - parent's) = wanted gives m, and what the bone adds to
// the response and the lag of the parent's point. False where a bone has no way to its length.
bool RopeSolver::condense(const Tree& tree) {
  for (std::size_t i = tree.end; i-- > tree.begin;) {
    Link& link = links_[i];
    Link* above = link.parent < 0 ? nullptr : &links_[static_cast<std::size_t>(link.parent)];
    if (link.hold == Hold::kFree) continue;
    if (link.hold == Hold::kWeld) {
      if (!above) continue;
      // f = (response + above.response)^-1 (above's displacement without it - link's).
      const Mat3 force = glm::inverse(link.response + above->response);
      const Mat3 share = above->response * force;
      above->lag += share * (link.lag - link.span - above->lag);
      above->response -= share * above->response;
      if (!isFinite(above->lag)) return false;
      continue;
    }
    const Vec3 answer = link.response * link.gradient;
    const double give = glm::dot(link.span, answer);
    const Vec3 answer_above = above ? above->response * link.gradient : Vec3(0.0);
    const double give_both = give + glm::dot(link.span, answer_above);
    const double give_free = std::abs(glm::dot(link.span, link.gradient)) *
                             (link.inverse_mass + (above ? above->inverse_mass : 0.0));
    if (!(give >= 0.0 && give_both > kLeastGive * give_free)) return false;
    link.wanted += glm::dot(link.span, link.lag);
    link.pull = give > 0.0 ? answer / give : Vec3(0.0);
    if (!above) continue;
    above->lag += answer_above * ((link.wanted - glm::dot(link.span, above->lag)) / give_both);
    above->response -= glm::outerProduct(answer_above / give_both, link.span * above->response);
  }
  return true;
}

// Moves all points, from the roots to the tips; `lag` of a point done is its displacement.
void RopeSolver::move(const Tree& tree) {
  for (std::size_t i = tree.begin; i < tree.end; ++i) {
    Link& link = links_[i];
    const Vec3 above =
        link.parent < 0 ? Vec3(0.0) : links_[static_cast<std::size_t>(link.parent)].lag;
    Vec3 displacement = -link.lag;
    if (link.hold == Hold::kWeld) displacement = above - link.span;
    if (link.hold == Hold::kLength) {
      displacement += link.pull * (link.wanted + glm::dot(link.span, above));
    }
    link.lag = displacement;
    link.point += displacement;
  }
}

// There are two ways to pull a bone to its length; the other one turns it round.
bool RopeSolver::isTurnedRound(const Tree& tree) const {
  return std::any_of(links_.begin() + static_cast<std::ptrdiff_t>(tree.begin),
                     links_.begin() + static_cast<std::ptrdiff_t>(tree.end), [](const Link& link) {
                       return link.hold == Hold::kLength &&
                              glm::dot(link.span, link.gradient) < 0.0;
                     });
}

// Newton steps taken, or -1 where they lead nowhere.
int RopeSolver::iterate(const Tree& tree) {
  for (int taken = 0; taken <= kMaxNewtonSteps; ++taken) {
    if (measure(tree)) return taken > 0 && isTurnedRound(tree) ? -1 : taken;
    if (!condense(tree)) return -1;
    move(tree);
  }
  return -1;
}

void RopeSolver::restoreFromRoots(const Tree& tree, const Step& step) {
  for (std::size_t i = tree.begin; i < tree.end; ++i) {
    Link& link = links_[i];
    const Vec3 head_before = link.head;
    const Vec3 head = link.parent < 0 ? step.heads[link.bone]
                                      : links_[static_cast<std::size_t>(link.parent)].point;
    const Vec3& old_bone = step.old_bones[link.bone];
    const Vec3 fallback = isFinite(old_bone) ? old_bone : Vec3(0.0);
    const Vec3 end = step.ends[link.bone];
    const double length_m = step.lengths_m[link.bone];
    if (length_m < 0.0) {
      link.point = isFinite(end) ? end : head + fallback;
      continue;
    }
    const Vec3 bone = isFinite(end - head_before) ? end - head_before : Vec3(0.0);
    link.point =
        restoreLength(head, head + bone, std::isfinite(length_m) ? length_m : 0.0, fallback);
  }
}

int RopeSolver::solveTree(const Tree& tree, const Step& step) {
  int taken = -1;
  for (const bool along_old : {true, false}) {
    place(tree, step, along_old);
    taken = iterate(tree);
    if (taken >= 0) break;
  }
  if (taken < 0) {
    place(tree, step, true);
    restoreFromRoots(tree, step);
  }
  for (std::size_t i = tree.begin; i < tree.end; ++i) step.ends[links_[i].bone] = links_[i].point;
  return taken;
}

int RopeSolver::solve(std::span<const Vec3> heads, std::span<const Vec3> old_bones,
                      std::span<const double> lengths_m, std::span<Vec3> ends) {
  const Step step{heads, old_bones, lengths_m, ends};
  int most = 0;
  bool all_solved = true;
  for (const Tree& tree : trees_) {
    const int taken = solveTree(tree, step);
    all_solved = all_solved && taken >= 0;
    most = std::max(most, taken);
  }
  return all_solved ? most : -std::max(most, kMaxNewtonSteps);
}

}  // namespace clipmill::bones
