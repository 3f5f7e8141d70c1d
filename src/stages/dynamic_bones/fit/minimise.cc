// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/fit/minimise.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace clipmill::stages::dynamic_bones {
namespace {

constexpr std::size_t kSpreadPoints = 384;
constexpr std::size_t kSpreadStarts = 8;
constexpr std::size_t kRestarts = 6;
constexpr double kFirstEdge = 0.15;               // of a simplex
constexpr double kRestartEdges[] = {0.25, 0.05};  // alternating
constexpr double kCoarseEdge = 1e-3;              // a simplex of this size is near a minimum
constexpr double kFineEdge = 1e-5;                // and of this size, at it
constexpr double kSmallGain = 1e-3;  // relative; two restarts that gain less are the last ones

using UnitPoint = std::vector<double>;

struct Vertex {
  UnitPoint point;
  double value = 0.0;
};

// The number of that index in the sequence of a base: its digits behind the point, reversed.
double halton(std::size_t index, std::size_t base) {
  double value = 0.0, digit = 1.0;
  for (; index > 0; index /= base) {
    digit /= static_cast<double>(base);
    value += digit * static_cast<double>(index % base);
  }
  return value;
}

class Simplex {
 public:
  explicit Simplex(const std::function<double(const UnitPoint&)>& function) : function_(function) {}

  Vertex evaluate(UnitPoint point) {
    for (double& x : point) x = std::clamp(x, 0.0, 1.0);
    const double value = function_(point);
    ++evaluations_;
    return {std::move(point), std::isfinite(value) ? value : HUGE_VAL};
  }

  // Until the simplex is smaller than `small_edge`.
  Vertex descend(const Vertex& start, double edge, double small_edge) {
    vertices_ = {start};
    for (std::size_t d = 0; d < start.point.size(); ++d) {
      UnitPoint point = start.point;
      point[d] += point[d] + edge <= 1.0 ? edge : -edge;
      vertices_.push_back(evaluate(std::move(point)));
    }
    const std::size_t most = 120 * start.point.size();
    for (std::size_t i = 0; i < most && !isSmall(small_edge); ++i) moveWorst();
    sort();
    return vertices_.front();
  }

  std::size_t evaluations() const { return evaluations_; }

 private:
  void sort() {
    std::stable_sort(vertices_.begin(), vertices_.end(),
                     [](const Vertex& a, const Vertex& b) { return a.value < b.value; });
  }

  bool isSmall(double small_edge) const {
    double edge = 0.0;
    for (const Vertex& vertex : vertices_) {
      for (std::size_t d = 0; d < vertex.point.size(); ++d) {
        edge = std::max(edge, std::abs(vertex.point[d] - vertices_.front().point[d]));
      }
    }
    return edge < small_edge;
  }

  // The point at `t` on the line from the worst vertex (-1) through the centre of the others (0).
  Vertex along(const UnitPoint& centre, double t) {
    UnitPoint point = centre;
    for (std::size_t d = 0; d < point.size(); ++d) {
      point[d] += t * (centre[d] - vertices_.back().point[d]);
    }
    return evaluate(std::move(point));
  }

  void moveWorst() {
    sort();
    UnitPoint centre(vertices_.front().point.size(), 0.0);
    for (std::size_t v = 0; v + 1 < vertices_.size(); ++v) {
      for (std::size_t d = 0; d < centre.size(); ++d) centre[d] += vertices_[v].point[d];
    }
    for (double& x : centre) x /= static_cast<double>(vertices_.size() - 1);
    Vertex& worst = vertices_.back();
    const double second = vertices_[vertices_.size() - 2].value;
    Vertex reflected = along(centre, 1.0);
    if (reflected.value < vertices_.front().value) {
      Vertex expanded = along(centre, 2.0);
      worst = expanded.value < reflected.value ? std::move(expanded) : std::move(reflected);
    } else if (reflected.value < second) {
      worst = std::move(reflected);
    } else {
      Vertex contracted = along(centre, reflected.value < worst.value ? 0.5 : -0.5);
      if (contracted.value < std::min(reflected.value, worst.value)) {
        worst = std::move(contracted);
      } else {
        shrink();
      }
    }
  }

  void shrink() {
    const UnitPoint best = vertices_.front().point;
    for (std::size_t v = 1; v < vertices_.size(); ++v) {
      UnitPoint point = vertices_[v].point;
      for (std::size_t d = 0; d < point.size(); ++d) point[d] = 0.5 * (point[d] + best[d]);
      vertices_[v] = evaluate(std::move(point));
    }
  }

  const std::function<double(const UnitPoint&)>& function_;
  std::vector<Vertex> vertices_;
  std::size_t evaluations_ = 0;
};

}  // namespace

Minimum minimise(std::size_t dimensions,
                 const std::function<double(const std::vector<double>&)>& function) {
  constexpr std::size_t kPrimes[] = {2, 3, 5, 7, 11, 13, 17, 19};
  Simplex simplex(function);
  std::vector<Vertex> starts;
  for (std::size_t i = 1; i <= kSpreadPoints; ++i) {
    UnitPoint point;
    for (std::size_t d = 0; d < dimensions; ++d) {
      point.push_back(halton(i, kPrimes[d % std::size(kPrimes)]));
    }
    starts.push_back(simplex.evaluate(std::move(point)));
  }
  std::stable_sort(starts.begin(), starts.end(),
                   [](const Vertex& a, const Vertex& b) { return a.value < b.value; });
  Vertex best = starts.front();
  for (std::size_t i = 0; i < kSpreadStarts; ++i) {
    Vertex found = simplex.descend(starts[i], kFirstEdge, kCoarseEdge);
    if (found.value < best.value) best = std::move(found);
  }
  std::size_t idle = 0;
  for (std::size_t i = 0; i < kRestarts && idle < std::size(kRestartEdges); ++i) {
    Vertex found = simplex.descend(best, kRestartEdges[i % std::size(kRestartEdges)], kFineEdge);
    idle = found.value < best.value * (1.0 - kSmallGain) ? 0 : idle + 1;
    if (found.value < best.value) best = std::move(found);
  }
  return {std::move(best.point), best.value, simplex.evaluations()};
}

}  // namespace clipmill::stages::dynamic_bones
