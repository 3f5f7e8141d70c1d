// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/joints/bones_fit_weights.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include "core/to_size.h"

namespace clipmill::stages::tet_bake {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using Index = Eigen::Index;

// Of the largest diagonal element, so that equal helpers have one solution.
constexpr double kRidge = 1e-9;
// A gradient that is smaller than this part of the largest element is none.
constexpr double kNoGradient = 1e-10;
constexpr double kZeroWeight = 1e-12;
// A smaller weight is not worth an influence.
constexpr double kMinWeight = 1e-3;
constexpr int kStepsPerVariable = 4;

// The helpers, and behind them the owners, which have no effect of their own: within each group of
// an owner and its helpers the weights sum to what the owner had.
class ActiveSet {
 public:
  explicit ActiveSet(const WeightsProblem& problem)
      : helper_count_(problem.right.size()),
        group_of_(problem.owners),
        sums_(problem.weights),
        gram_(Matrix::Zero(count(), count())),
        right_(Vector::Zero(count())) {
    for (std::size_t g = 0; g < sums_.size(); ++g) group_of_.push_back(g);
    const auto n = static_cast<Index>(helper_count_);
    for (Index i = 0; i < n; ++i) {
      right_[i] = problem.right[toSize(i)];
      for (Index j = 0; j < n; ++j) {
        gram_(i, j) = problem.gram[toSize(i * n + j)];
      }
    }
    scale_ = n > 0 ? gram_.diagonal().maxCoeff() : 0.0;
    if (!(scale_ > 0.0)) scale_ = 1.0;
    gram_.diagonal().array() += kRidge * scale_;
  }

  std::size_t size() const { return group_of_.size(); }
  std::size_t groupOf(std::size_t variable) const { return group_of_[variable]; }

  double energy(const Vector& weights) const {
    return weights.dot(gram_ * weights) - 2.0 * right_.dot(weights);
  }

  // The least energy where only the allowed variables, at least one a group, have weights.
  Vector solve(const std::vector<char>& allowed) const {
    Vector weights = Vector::Zero(count());
    std::vector<Index> passive;
    for (std::size_t g = 0; g < sums_.size(); ++g) {
      const std::size_t first = firstOf(g, allowed);
      passive.push_back(static_cast<Index>(first));
      weights[static_cast<Index>(first)] = sums_[g];
    }
    const int max_steps = kStepsPerVariable * static_cast<int>(size());
    for (int step = 0; step < max_steps; ++step) {
      const Index next = steepest(allowed, passive, weights);
      if (next < 0) break;
      passive.push_back(next);
      descend(passive, weights);
    }
    return weights;
  }

 private:
  Index count() const { return static_cast<Index>(helper_count_ + sums_.size()); }
  Index group(Index variable) const { return static_cast<Index>(group_of_[toSize(variable)]); }

  // The owner if it is allowed, else the first helper that is.
  std::size_t firstOf(std::size_t group, const std::vector<char>& allowed) const {
    if (allowed[helper_count_ + group]) return helper_count_ + group;
    std::size_t i = 0;
    while (!(allowed[i] && group_of_[i] == group)) ++i;
    return i;
  }

  // The variable that would lower the energy most if it took from its group; -1 for none.
  Index steepest(const std::vector<char>& allowed, const std::vector<Index>& passive,
                 const Vector& weights) const {
    const Vector gradient = gram_ * weights - right_;
    Vector level = Vector::Constant(static_cast<Index>(sums_.size()), -HUGE_VAL);
    std::vector<char> is_passive(size(), 0);
    for (const Index i : passive) {
      is_passive[toSize(i)] = 1;
      level[group(i)] = std::max(level[group(i)], gradient[i]);
    }
    Index best = -1;
    double least = -kNoGradient * scale_;
    for (Index i = 0; i < count(); ++i) {
      const auto v = toSize(i);
      if (is_passive[v] || !allowed[v]) continue;
      const double slope = gradient[i] - level[group(i)];
      if (slope >= least) continue;
      least = slope;
      best = i;
    }
    return best;
  }

  // The least energy of the passive variables with the sums of their groups, whatever the signs.
  Vector equilibrium(const std::vector<Index>& passive) const {
    const auto n = static_cast<Index>(passive.size()), m = static_cast<Index>(sums_.size());
    Matrix system = Matrix::Zero(n + m, n + m);
    Vector wanted(n + m);
    for (Index i = 0; i < n; ++i) {
      const Index a = passive[toSize(i)];
      for (Index j = 0; j < n; ++j) {
        system(i, j) = gram_(a, passive[toSize(j)]) / scale_;
      }
      system(i, n + group(a)) = system(n + group(a), i) = 1.0;
      wanted[i] = right_[a] / scale_;
    }
    for (Index g = 0; g < m; ++g) wanted[n + g] = sums_[toSize(g)];
    return system.partialPivLu().solve(wanted).head(n);
  }

  // Goes to the equilibrium, or as far as all weights stay positive, and from there to that of the
  // others.
  void descend(std::vector<Index>& passive, Vector& weights) const {
    while (true) {
      const Vector goal = equilibrium(passive);
      double path = 1.0;
      for (std::size_t k = 0; k < passive.size(); ++k) {
        const double from = weights[passive[k]], to = goal[static_cast<Index>(k)];
        if (to < 0.0 && from > to) path = std::min(path, from / (from - to));
      }
      for (std::size_t k = 0; k < passive.size(); ++k) {
        double& weight = weights[passive[k]];
        weight += path * (goal[static_cast<Index>(k)] - weight);
      }
      if (path >= 1.0) return;
      const auto last = std::remove_if(passive.begin(), passive.end(), [&](Index i) {
        if (weights[i] > kZeroWeight) return false;
        weights[i] = 0.0;
        return true;
      });
      if (last == passive.end()) return;
      passive.erase(last, passive.end());
    }
  }

  std::size_t helper_count_;
  std::vector<std::size_t> group_of_;
  std::vector<double> sums_;
  Matrix gram_;
  Vector right_;
  double scale_ = 1.0;
};

// Takes weights away until few enough are left.
class Thinning {
 public:
  Thinning(const ActiveSet& set, std::size_t most) : set_(set), most_(most) {
    weights_ = set.solve(std::vector<char>(set.size(), 1));
  }

  const Vector& run() {
    while (true) {
      findSupport();
      const auto least =
          std::min_element(support_.begin(), support_.end(),
                           [&](std::size_t a, std::size_t b) { return weightOf(a) < weightOf(b); });
      if (least != support_.end() && weightOf(*least) < kMinWeight) {
        weights_ = set_.solve(without(*least));
      } else if (!dropCheapest()) {
        return weights_;
      }
    }
  }

 private:
  double weightOf(std::size_t variable) const { return weights_[static_cast<Index>(variable)]; }

  // The variables that have weights, and those of them that are not the last of their group.
  void findSupport() {
    support_.clear();
    all_.assign(set_.size(), 0);
    std::vector<std::size_t> in_group(set_.size(), 0);
    for (std::size_t i = 0; i < set_.size(); ++i) {
      all_[i] = weightOf(i) > 0.0 ? 1 : 0;
      if (all_[i]) ++in_group[set_.groupOf(i)];
    }
    for (std::size_t i = 0; i < set_.size(); ++i) {
      if (all_[i] && in_group[set_.groupOf(i)] > 1) support_.push_back(i);
    }
    fixed_ = toSize(std::count(all_.begin(), all_.end(), 1)) - support_.size();
  }

  std::vector<char> without(std::size_t variable) const {
    std::vector<char> allowed = all_;
    allowed[variable] = 0;
    return allowed;
  }

  // False where no weight can go.
  bool dropCheapest() {
    if (support_.size() + fixed_ <= most_) return false;
    double least = HUGE_VAL;
    Vector best;
    for (const std::size_t i : support_) {
      Vector weights = set_.solve(without(i));
      const double energy = set_.energy(weights);
      if (energy >= least) continue;
      least = energy;
      best = std::move(weights);
    }
    if (best.size() == 0) return false;
    weights_ = std::move(best);
    return true;
  }

  const ActiveSet& set_;
  std::size_t most_, fixed_ = 0;
  Vector weights_;
  std::vector<char> all_;
  std::vector<std::size_t> support_;
};

}  // namespace

double energyOf(const WeightsProblem& problem, std::span<const double> helpers) {
  double energy = 0.0;
  for (std::size_t i = 0; i < helpers.size(); ++i) {
    double row = -2.0 * problem.right[i];
    for (std::size_t j = 0; j < helpers.size(); ++j) {
      row += problem.gram[i * helpers.size() + j] * helpers[j];
    }
    energy += helpers[i] * row;
  }
  return energy;
}

std::vector<double> solveWeights(const WeightsProblem& problem, std::size_t most,
                                 std::span<const double> before) {
  const ActiveSet set(problem);
  const Vector weights = Thinning(set, most).run();
  std::vector<double> helpers(weights.begin(),
                              weights.begin() + static_cast<std::ptrdiff_t>(before.size()));
  const bool is_finite = std::all_of(helpers.begin(), helpers.end(),
                                     [](double weight) { return std::isfinite(weight); });
  if (is_finite && energyOf(problem, helpers) <= energyOf(problem, before)) return helpers;
  return {before.begin(), before.end()};
}

}  // namespace clipmill::stages::tet_bake
