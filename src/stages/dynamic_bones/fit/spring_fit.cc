// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/fit/spring_fit.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/portable_math.h"
#include "stages/dynamic_bones/fit/minimise.h"

namespace clipmill::stages::dynamic_bones {
namespace {

double valueAt(const TargetParameter& parameter, double share) {
  switch (parameter.scale) {
    case ParameterScale::kLogarithmic:
      return parameter.low * portable::exp(share * portable::log(parameter.high / parameter.low));
    case ParameterScale::kSquare:
      share *= share;
      break;
    case ParameterScale::kLinear:
      break;
  }
  return parameter.low + share * (parameter.high - parameter.low);
}

// The parameters that are searched; the others are fixed.
std::vector<std::size_t> searched(std::span<const TargetParameter> parameters,
                                  std::size_t bone_count) {
  std::vector<std::size_t> indices;
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    if (bone_count < 2 && std::strcmp(parameters[p].name, kTipRatio) == 0) continue;
    indices.push_back(p);
  }
  return indices;
}

double meanSquare_m2(SpringTarget target, std::span<const double> values,
                     std::span<const RowProbe> probes, bool uses_center) {
  double sum_m2 = 0.0;
  std::size_t count = 0;
  for (const RowProbe& probe : probes) {
    const std::vector<Vec3> ends_m = simulateTarget(target, values, probe, uses_center);
    for (std::size_t i = 0; i < ends_m.size(); ++i) {
      const Vec3 path_m = ends_m[i] - probe.ends_m[i];
      sum_m2 += glm::dot(path_m, path_m);
    }
    count += ends_m.size();
  }
  return count > 0 ? sum_m2 / static_cast<double>(count) : 0.0;
}

// Root mean square and largest of distances.
struct DistanceSum {
  double square_m2 = 0.0, max_m = 0.0;

  void add(double distance_m) {
    square_m2 += distance_m * distance_m;
    max_m = std::max(max_m, distance_m);
  }
};

}  // namespace

TipError tipError(SpringTarget target, std::span<const double> values,
                  std::span<const RowProbe> probes, bool uses_center) {
  DistanceSum errors, swings;
  std::size_t count = 0;
  std::vector<Vec3> posed_m;
  for (const RowProbe& probe : probes) {
    const std::vector<Vec3> ends_m = simulateTarget(target, values, probe, uses_center);
    const std::size_t bones = probe.boneCount();
    for (std::size_t step = 0; step < probe.stepCount(); ++step) {
      const std::size_t tip = step * bones + bones - 1;
      posedEnds(probe, step, false, posed_m);
      errors.add(lengthOf(ends_m[tip] - probe.ends_m[tip]));
      swings.add(lengthOf(posed_m.back() - probe.ends_m[tip]));
      ++count;
    }
  }
  const double steps = static_cast<double>(std::max<std::size_t>(count, 1));
  return {std::sqrt(errors.square_m2 / steps), errors.max_m, std::sqrt(swings.square_m2 / steps),
          swings.max_m};
}

SpringFit fitSprings(SpringTarget target, std::span<const RowProbe> probes) {
  const auto parameters = parametersOf(target);
  const std::size_t bones = probes.empty() ? 0 : probes.front().boneCount();
  const std::vector<std::size_t> indices = searched(parameters, bones);
  const auto valuesAt = [&](const std::vector<double>& point) {
    std::vector<double> values(parameters.size(), 1.0);
    for (std::size_t d = 0; d < indices.size(); ++d) {
      values[indices[d]] = valueAt(parameters[indices[d]], point[d]);
    }
    return values;
  };
  const auto minimumWith = [&](bool uses_center) {
    return minimise(indices.size(), [&](const std::vector<double>& point) {
      return meanSquare_m2(target, valuesAt(point), probes, uses_center);
    });
  };
  Minimum minimum = minimumWith(false);
  SpringFit fit;
  const bool has_centers = !probes.empty() && !probes.front().centers.empty();
  if (has_centers) {
    Minimum with_center = minimumWith(true);
    fit.uses_center = with_center.value < minimum.value;
    if (fit.uses_center) minimum = std::move(with_center);
  }
  fit.values = valuesAt(minimum.point);
  fit.error = tipError(target, fit.values, probes, fit.uses_center);
  return fit;
}

}  // namespace clipmill::stages::dynamic_bones
