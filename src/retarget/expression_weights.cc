// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/expression_weights.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "core/to_size.h"

namespace clipmill::retarget {
namespace {

std::size_t rowOf(const Scene& scene, const MorphBind& bind) {
  return toSize(scene.skeleton.nodes[toSize(bind.node)].weights_start + bind.morph);
}

bool isOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What an expression shows at `weight`.
double shownOf(const Expression& expression, double weight) {
  const double clamped = std::clamp(weight, 0.0, 1.0);
  if (!expression.is_binary) return clamped;
  return clamped > 0.5 ? 1.0 : 0.0;
}

double amountOf(ExpressionOverride kind, double shown) {
  if (kind == ExpressionOverride::kNone) return 0.0;
  return kind == ExpressionOverride::kBlend ? shown : shown > 0.0 ? 1.0 : 0.0;
}

// What is left of the groups of expressions beside those that override them.
struct Overrides {
  double blink = 1.0, look = 1.0, mouth = 1.0;

  Overrides(std::span<const Expression> expressions, std::span<const double> weights) {
    for (std::size_t e = 0; e < expressions.size(); ++e) {
      const double shown = shownOf(expressions[e], weights[e]);
      blink -= amountOf(expressions[e].blink, shown);
      look -= amountOf(expressions[e].look, shown);
      mouth -= amountOf(expressions[e].mouth, shown);
    }
  }

  double factorOf(const std::string& name) const {
    double factor = 1.0;
    if (isOneOf(name, {"blink", "blinkLeft", "blinkRight"})) factor = blink;
    if (isOneOf(name, {"lookUp", "lookDown", "lookLeft", "lookRight"})) factor = look;
    if (isOneOf(name, {"aa", "ih", "ou", "ee", "oh"})) factor = mouth;
    return std::max(0.0, factor);
  }
};

}  // namespace

ExpressionSolver::ExpressionSolver(const Scene& scene)
    : weights_(scene.face.expressions.size(), 0.0) {
  for (const Expression& expression : scene.face.expressions) {
    std::map<std::size_t, double> column;
    for (const MorphBind& bind : expression.binds) column[rowOf(scene, bind)] += bind.weight;
    std::vector<Entry> entries;
    double square = 0.0;
    for (const auto& [row, weight] : column) {
      entries.push_back({row, weight});
      square += weight * weight;
    }
    if (square > 0.0) order_.push_back(columns_.size());
    columns_.push_back(std::move(entries));
    squares_.push_back(square);
  }
  std::stable_sort(order_.begin(), order_.end(),
                   [&](std::size_t a, std::size_t b) { return squares_[a] > squares_[b]; });
}

const std::vector<double>& ExpressionSolver::solve(std::span<const double> morph_weights) {
  constexpr int kMostSweeps = 2000;
  constexpr double kSmallStep = 1e-12;
  rest_.assign(morph_weights.begin(), morph_weights.end());
  for (const std::size_t e : order_) {
    for (const Entry& entry : columns_[e]) rest_[entry.row] -= weights_[e] * entry.weight;
  }
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double largest = 0.0;
    for (const std::size_t e : order_) {
      double product = 0.0;
      for (const Entry& entry : columns_[e]) product += entry.weight * rest_[entry.row];
      const double weight = std::clamp(weights_[e] + product / squares_[e], 0.0, 1.0);
      const double step = weight - weights_[e];
      for (const Entry& entry : columns_[e]) rest_[entry.row] -= step * entry.weight;
      weights_[e] = weight;
      largest = std::max(largest, std::fabs(step));
    }
    if (largest <= kSmallStep) break;
  }
  residual_ = 0.0;
  for (const double rest : rest_) residual_ = std::max(residual_, std::fabs(rest));
  return weights_;
}

void applyExpressions(const Scene& scene, std::span<const double> weights,
                      const std::vector<bool>& is_played, std::span<double> morph_weights) {
  const std::vector<Expression>& expressions = scene.face.expressions;
  std::vector<bool> is_set(scene.skeleton.size(), false);
  for (std::size_t e = 0; e < expressions.size(); ++e) {
    if (!is_played[e]) continue;
    for (const MorphBind& bind : expressions[e].binds) is_set[toSize(bind.node)] = true;
  }
  const auto forEachBind = [&](std::size_t e, auto action) {
    for (const MorphBind& bind : expressions[e].binds) {
      if (is_set[toSize(bind.node)]) action(rowOf(scene, bind), bind.weight);
    }
  };
  for (std::size_t e = 0; e < expressions.size(); ++e) {
    forEachBind(e, [&](std::size_t row, double) { morph_weights[row] = 0.0; });
  }
  const Overrides overrides(expressions, weights);
  for (std::size_t e = 0; e < expressions.size(); ++e) {
    double shown = shownOf(expressions[e], weights[e]) * overrides.factorOf(expressions[e].name);
    if (expressions[e].is_binary && shown < 1.0) shown = 0.0;
    forEachBind(e, [&](std::size_t row, double weight) { morph_weights[row] += shown * weight; });
  }
}

}  // namespace clipmill::retarget
