// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/rope.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/to_size.h"
#include "stages/dynamic_bones/colliders/collider.h"

namespace clipmill::stages::dynamic_bones {
namespace {

constexpr double kLengthTolerance = 1e-14;  // of squares of lengths, relative
// Newton's method doubles the digits with every step. After this many steps it does not converge.
constexpr int kMaxNewtonSteps = 16;
// Number of parts into which a step is divided if Newton's method fails; the factor of a part is a
// root of this order.
constexpr int kParts = 8;
// Least change of a bone's length by a force along it, relative to free points.
constexpr double kMinGive = 1e-13;

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
    root_of[i] = parents[i] < 0 ? i : root_of[toSize(parents[i])];
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
    link.parent = parents[i] < 0 ? -1 : link_of[toSize(parents[i])];
    link.inverse_mass = inverse_masses[i];
    links_.push_back(link);
  }
}

// Copies the input of the step. Bones without an old direction use their new one, and so do bones
// that rotated by more than 90 degrees: along the old one they would be rotated back.
void RopeSolver::setUp(const Tree& tree, const Step& step) {
  for (std::size_t i = tree.start; i < tree.end; ++i) {
    Link& link = links_[i];
    const double length_m = step.lengths_m[link.bone];
    link.hold = length_m < 0.0 ? Hold::kFree : length_m > 0.0 ? Hold::kLength : Hold::kWeld;
    link.length_square = length_m * length_m;
    link.point = step.ends[link.bone];
    link.head = link.parent < 0 ? step.heads[link.bone] : links_[toSize(link.parent)].point;
    link.span = link.point - link.head;
    const Vec3& old_bone = step.old_bones[link.bone];
    const bool is_old =
        glm::dot(old_bone, old_bone) > 0.0 && !(glm::dot(old_bone, link.span) < 0.0);
    link.gradient = is_old ? old_bone : link.span;
  }
}

void RopeSolver::clearParts(const Tree& tree) {
  for (std::size_t i = tree.start; i < tree.end; ++i) {
    links_[i].point_part = Vec3(0.0);
    links_[i].square_factor = 1.0;
    links_[i].is_followed = false;
  }
}

// Moves points back to where the old bones would have them under the new heads, and divides the
// displacement from there to the step's ends into parts. The solution follows from part to part as
// long as there is one; Newton's method from the ends themselves may miss it.
void RopeSolver::spreadPoints(const Tree& tree, const Step& step) {
  for (std::size_t i = tree.start; i < tree.end; ++i) {
    Link& link = links_[i];
    const Vec3 end = link.point;
    const Vec3 head = link.parent < 0 ? step.heads[link.bone] : links_[toSize(link.parent)].point;
    const double square = glm::dot(link.gradient, link.gradient);
    if (link.hold == Hold::kWeld) link.point = head;
    if (link.hold == Hold::kLength && square > 0.0) {
      link.point = head + link.gradient * std::sqrt(link.length_square / square);
    }
    link.point_part = (end - link.point) / static_cast<double>(kParts);
  }
}

// Bones pull along their current directions and reach their lengths in parts, each by the same
// factor.
void RopeSolver::spreadLengths(const Tree& tree) {
  for (std::size_t i = tree.start; i < tree.end; ++i) {
    Link& link = links_[i];
    const double square = glm::dot(link.span, link.span);
    link.is_followed = link.hold == Hold::kLength && square > 0.0;
    if (!link.is_followed) continue;
    link.square_factor = std::sqrt(std::sqrt(std::sqrt(link.length_square / square)));
    link.length_square = square;
  }
}

// Measures all bones; true if all lengths are met.
bool RopeSolver::measure(const Tree& tree) {
  bool is_met = true;
  for (std::size_t i = tree.start; i < tree.end; ++i) {
    Link& link = links_[i];
    if (link.parent >= 0) link.head = links_[toSize(link.parent)].point;
    link.span = link.point - link.head;
    link.hanging = 0;
    link.lag = Vec3(0.0);
    const double excess = glm::dot(link.span, link.span) - link.length_square;
    link.wanted = -0.5 * excess;
    if (link.hold == Hold::kFree) continue;
    const double bound =
        kLengthTolerance * link.length_square + roundingOf(link.head, link.point, link.span);
    if (!(std::abs(excess) <= bound && std::isfinite(bound))) is_met = false;
  }
  return is_met;
}

Mat3 RopeSolver::responseOf(const Link& link) {
  if (link.hanging > 1) return link.response;
  const Mat3 free(link.inverse_mass);
  return link.hanging == 0 ? free : free - glm::outerProduct(link.column, link.row);
}

// A bone pulls its point by a force m * gradient and its head by the opposite one. From
//   span * (displacement - the head's) = wanted
// follow m for a given displacement of the head, and the contribution of the bone to the head's
// response. False if no force along the bone changes its length.
bool RopeSolver::hang(Link& link, Link* above) {
  const Vec3 displacement = displacementBy(link, link.gradient);
  const double give = glm::dot(link.span, displacement);
  const Vec3 displacement_above = above ? displacementBy(*above, link.gradient) : Vec3(0.0);
  const double give_both = give + glm::dot(link.span, displacement_above);
  const double give_free = std::abs(glm::dot(link.span, link.gradient)) *
                           (link.inverse_mass + (above ? above->inverse_mass : 0.0));
  if (!(give >= 0.0 && give_both > kMinGive * give_free)) return false;
  link.wanted += glm::dot(link.span, link.lag);
  link.pull = give > 0.0 ? displacement * (1.0 / give) : Vec3(0.0);
  if (!above) return true;
  const Vec3 column = displacement_above * (1.0 / give_both);
  above->lag += column * (link.wanted - glm::dot(link.span, above->lag));
  if (above->hanging == 0) {
    above->column = column;
    above->row = link.span * above->inverse_mass;
  } else {
    const Mat3 before = responseOf(*above);
    above->response = before - glm::outerProduct(column, link.span * before);
  }
  ++above->hanging;
  return true;
}

// Both points move as one: the force between them is (response + above's response)^-1 times the
// difference of the displacements without it.
bool RopeSolver::weld(const Link& link, Link& above) {
  const Mat3 own = responseOf(link), other = responseOf(above);
  const Mat3 share = other * glm::inverse(own + other);
  above.lag += share * (link.lag - link.span - above.lag);
  above.response = other - share * other;
  above.hanging = 2;  // the matrix counts
  return isFinite(above.lag);
}

// Eliminates from the tips to the roots: all bones below a bone are done before it.
bool RopeSolver::condense(const Tree& tree) {
  for (std::size_t i = tree.end; i-- > tree.start;) {
    Link& link = links_[i];
    Link* above = link.parent < 0 ? nullptr : &links_[toSize(link.parent)];
    if (link.hold == Hold::kLength && !hang(link, above)) return false;
    if (link.hold == Hold::kWeld && above && !weld(link, *above)) return false;
  }
  return true;
}

// Moves all points, from the roots to the tips; `lag` of a point done is its displacement.
void RopeSolver::move(const Tree& tree) {
  for (std::size_t i = tree.start; i < tree.end; ++i) {
    Link& link = links_[i];
    const Vec3 above = link.parent < 0 ? Vec3(0.0) : links_[toSize(link.parent)].lag;
    Vec3 displacement = -link.lag;
    if (link.hold == Hold::kWeld) displacement = above - link.span;
    if (link.hold == Hold::kLength) {
      displacement += link.pull * (link.wanted + glm::dot(link.span, above));
    }
    link.lag = displacement;
    link.point += displacement;
  }
}

// Two solutions give a bone its length; the second one reverses its direction.
bool RopeSolver::isFlipped(const Tree& tree) const {
  return std::any_of(links_.begin() + static_cast<std::ptrdiff_t>(tree.start),
                     links_.begin() + static_cast<std::ptrdiff_t>(tree.end), [](const Link& link) {
                       return link.hold == Hold::kLength &&
                              glm::dot(link.span, link.gradient) < 0.0;
                     });
}

// Newton steps taken, or -1 if they do not converge.
int RopeSolver::iterate(const Tree& tree) {
  for (int taken = 0; taken <= kMaxNewtonSteps; ++taken) {
    if (measure(tree)) return taken > 0 && isFlipped(tree) ? -1 : taken;
    if (!condense(tree)) return -1;
    move(tree);
  }
  return -1;
}

// The same through all parts, of points or of lengths.
int RopeSolver::iterateInParts(const Tree& tree) {
  int sum = 0;
  for (int part = 0; part < kParts; ++part) {
    for (std::size_t i = tree.start; i < tree.end; ++i) {
      Link& link = links_[i];
      if (link.is_followed) link.gradient = link.span;
      link.point += link.point_part;
      link.length_square *= link.square_factor;
    }
    const int taken = iterate(tree);
    if (taken < 0) return -1;
    sum += taken;
  }
  return sum;
}

void RopeSolver::restoreFromRoots(const Tree& tree, const Step& step) {
  for (std::size_t i = tree.start; i < tree.end; ++i) {
    Link& link = links_[i];
    const Vec3 head_before = link.head;
    const Vec3 head = link.parent < 0 ? step.heads[link.bone] : links_[toSize(link.parent)].point;
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
  setUp(tree, step);
  int taken = iterate(tree);
  if (taken < 0) {
    setUp(tree, step);
    clearParts(tree);
    spreadPoints(tree, step);
    taken = iterateInParts(tree);
  }
  if (taken < 0) {
    setUp(tree, step);
    clearParts(tree);
    spreadLengths(tree);
    taken = iterateInParts(tree);
  }
  if (taken < 0) {
    setUp(tree, step);
    restoreFromRoots(tree, step);
  }
  for (std::size_t i = tree.start; i < tree.end; ++i) step.ends[links_[i].bone] = links_[i].point;
  return taken;
}

int RopeSolver::solve(std::span<const Vec3> heads, std::span<const Vec3> old_bones,
                      std::span<const double> lengths_m, std::span<Vec3> ends) {
  const Step step{heads, old_bones, lengths_m, ends};
  int max_steps = 0;
  bool all_solved = true;
  for (const Tree& tree : trees_) {
    const int taken = solveTree(tree, step);
    all_solved = all_solved && taken >= 0;
    max_steps = std::max(max_steps, taken);
  }
  return all_solved ? max_steps : -std::max(max_steps, kMaxNewtonSteps);
}

}  // namespace clipmill::stages::dynamic_bones
