// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/window_solver.h"

#include <algorithm>
#include <utility>

namespace clipmill::stages::self_collision {
namespace {

constexpr double kPrecision = 0.01;  // of amounts
constexpr double kExhausted = 0.98;  // share of a mode's largest amount

// Increase where the search finds a free amount but the written motion penetrates: the two differ a
// little between frames.
constexpr double kRaise = 1.1, kMinRaise = 0.02;

}  // namespace

bool WindowSolver::Attempt::isBetterThan(const Attempt& other) const {
  if (!layer || !other.layer) return layer.has_value();
  if (unresolved_count != other.unresolved_count) return unresolved_count < other.unresolved_count;
  return relative_jerk < other.relative_jerk;
}

std::size_t WindowSolver::raiseRequired(const PairGroup& group, std::size_t index,
                                        std::span<const std::size_t> samples, bool was_measured,
                                        std::vector<std::size_t>* limited,
                                        std::size_t max_unresolved) {
  CorrectionLayer& layer = clip_.stack.layers()[index];
  const LinkedSamples sorted = clip_.source.splitByLinks(group, samples);
  const std::size_t unresolved_count = raiseAt(group, layer, sorted.linked, was_measured,
                                               layer.mode.max_amount, limited, max_unresolved);
  if (unresolved_count > max_unresolved) return unresolved_count;
  const double max_required = *std::max_element(layer.required.begin(), layer.required.end());
  raiseAt(group, layer, sorted.others, was_measured, max_required, nullptr, kAnyCount);
  return unresolved_count;
}

std::size_t WindowSolver::raiseAt(const PairGroup& group, CorrectionLayer& layer,
                                  std::span<const std::size_t> samples, bool was_measured,
                                  double max_amount, std::vector<std::size_t>* limited,
                                  std::size_t max_unresolved) {
  std::size_t unresolved_count = 0;
  bool expects_free = true;
  double guess = layer.mode.guess;
  for (const std::size_t sample : samples) {
    clip_.setTrial(sample);
    const double present = layer.amounts[sample];
    const double allowed = clip_.stack.maxAmount(layer, sample, std::max(present, max_amount));
    const double max = std::max(present, std::min(allowed, max_amount));
    std::optional<double> known_margin_m;
    if (!was_measured && !layer.isActive(sample)) {
      known_margin_m = amounts_.measuredMargin_m(group, sample);
    }
    const FoundAmount found = amounts_.find(
        group, layer.mode, sample, present,
        {present, max, guess, kPrecision, amounts_.slack_m(), known_margin_m}, expects_free);
    expects_free = found.is_free;  // neighbours are alike
    double amount = found.amount;
    if (was_measured && found.is_free && amount <= present) {
      amount = std::min(max, kRaise * present + kMinRaise);
    }
    if (!found.is_free) {
      ++unresolved_count;
      if (unresolved_count > max_unresolved) return unresolved_count;
      if (limited && allowed < max_amount) limited->push_back(sample);
      if (!group.links.empty()) continue;  // each arm is resolved on its own there
    }
    layer.required[sample] = std::max(layer.required[sample], amount);
    guess = amount;
  }
  return unresolved_count;
}

// True if a layer that is active at all samples was enough.
bool WindowSolver::raiseActiveLayer(const PairGroup& group, std::size_t group_index,
                                    std::span<const std::size_t> samples) {
  for (std::size_t i = clip_.stack.layers().size(); i-- > 0;) {
    CorrectionLayer& layer = clip_.stack.layers()[i];
    const bool covers = std::all_of(samples.begin(), samples.end(), [&](std::size_t sample) {
      return layer.isActive(sample) && layer.amounts[sample] < kExhausted * layer.mode.max_amount;
    });
    if (layer.group != group_index || !covers) continue;
    const CorrectionLayer before = layer;
    if (raiseRequired(group, i, samples, true) == 0 && clip_.stack.fitEnvelope(i) <= 1.0) {
      return true;
    }
    layer = before;
  }
  return false;
}

// The first mode that resolves all samples within the jerk limit; else, of those within it, the one
// that resolves most.
WindowSolver::Attempt WindowSolver::bestOf(std::vector<CorrectionMode> modes,
                                           const PairGroup& group, std::size_t group_index,
                                           std::span<const std::size_t> samples) {
  std::vector<CorrectionLayer>& layers = clip_.stack.layers();
  Attempt best;
  for (CorrectionMode& mode : modes) {
    CorrectionLayer layer;
    layer.group = group_index;
    layer.mode = std::move(mode);
    layer.required.assign(clip_.base.count(), 0.0);
    layer.amounts = layer.required;
    const std::size_t index = layers.size();
    layers.push_back(std::move(layer));
    Attempt attempt;
    const std::size_t max_unresolved = best.layer ? best.unresolved_count : kAnyCount;
    attempt.unresolved_count =
        raiseRequired(group, index, samples, false, &attempt.limited, max_unresolved);
    if (attempt.unresolved_count > max_unresolved) {
      layers.pop_back();
      continue;
    }
    attempt.relative_jerk = clip_.stack.fitEnvelope(index);
    attempt.layer = std::move(layers.back());
    layers.pop_back();
    if (!attempt.isSmooth()) continue;
    if (attempt.isBetterThan(best)) best = std::move(attempt);
    if (best.isResolved()) break;
  }
  return best;
}

void WindowSolver::noteObstacles(const PairGroup& group, const Attempt& best,
                                 std::span<const std::size_t> samples) {
  if (!group.links.empty()) return;  // each arm is resolved on its own after that
  for (const std::size_t limb : group.limbs) {
    if (!best.layer) {
      for (const std::size_t sample : samples) clip_.obstacles[limb][sample].jerk = true;
      continue;
    }
    if (!best.layer->mode.moves(limb)) continue;
    for (const std::size_t sample : best.limited) {
      clip_.obstacles[limb][sample].add(clip_.stack.nextLimit(*best.layer, limb, sample));
    }
  }
}

void WindowSolver::resolve(const PairGroup& group, std::size_t group_index,
                           std::span<const std::size_t> samples) {
  if (samples.empty() || raiseActiveLayer(group, group_index, samples)) return;
  const bool are_one_unit = !group.links.empty();
  Attempt best;
  const auto attempt = [&](std::vector<CorrectionMode> modes) {
    Attempt other = bestOf(std::move(modes), group, group_index, samples);
    if (other.isBetterThan(best)) best = std::move(other);
  };
  const bool is_gripped = std::any_of(samples.begin(), samples.end(), [&](std::size_t sample) {
    return clip_.source.is_gripped[sample] && !clip_.poser.limb(group.limbs[0]).is_leg;
  });
  const bool has_standard = !are_one_unit || is_gripped;
  if (has_standard) attempt(modes_.chooseStandard(group, samples, true));
  // A shift of wrist or ankle bends elbow or knee.
  if (has_standard && !best.layer) attempt(modes_.chooseStandard(group, samples, false));
  if (!best.layer || (is_gripped && !best.isResolved())) {
    attempt(modes_.chooseLeastNorm(group, samples));
  }
  noteObstacles(group, best, samples);
  if (!best.layer) return;
  const std::vector<double>& required = best.layer->required;
  const bool is_needed = *std::max_element(required.begin(), required.end()) > 0.0;
  if (is_needed) clip_.stack.layers().push_back(std::move(*best.layer));
}

}  // namespace clipmill::stages::self_collision
