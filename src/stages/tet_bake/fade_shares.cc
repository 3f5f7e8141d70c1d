// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/fade_shares.h"

#include <algorithm>

#include "core/to_size.h"

namespace clipmill::stages::tet_bake {
namespace {

// From the center outwards; counted on both sides they sum to 1.
std::vector<double> fadeKernel(std::size_t radius) {
  std::vector<double> kernel;
  double sum = 0.0;
  for (std::size_t k = 0; k <= radius; ++k) {
    const double x = static_cast<double>(k) / static_cast<double>(radius + 1);
    kernel.push_back((1.0 - x * x) * (1.0 - x * x));
    sum += k == 0 ? kernel[k] : 2.0 * kernel[k];
  }
  for (double& weight : kernel) weight /= sum;
  return kernel;
}

// Indices beyond the ends of a clip.
class ClipEnds {
 public:
  ClipEnds(std::size_t count, bool is_cycle)
      : last_(static_cast<std::ptrdiff_t>(count) - 1), is_cycle_(is_cycle && last_ > 0) {}

  std::size_t at(std::ptrdiff_t frame) const {
    if (!is_cycle_) return toSize(std::clamp<std::ptrdiff_t>(frame, 0, last_));
    return toSize(((frame % last_) + last_) % last_);
  }

 private:
  std::ptrdiff_t last_;
  bool is_cycle_;
};

}  // namespace

std::vector<double> fadedShares(std::span<const double> limits, std::size_t radius_frames,
                                bool is_cycle) {
  std::vector<double> own(limits.begin(), limits.end());
  if (own.empty()) return own;
  if (is_cycle) own.front() = own.back() = std::min(own.front(), own.back());
  // All of a clip is within its length.
  const std::size_t radius = std::min(radius_frames, own.size());
  const auto reach = static_cast<std::ptrdiff_t>(radius);
  const auto count = static_cast<std::ptrdiff_t>(own.size());
  const ClipEnds ends(own.size(), is_cycle);
  std::vector<double> least(own.size());
  for (std::ptrdiff_t f = 0; f < count; ++f) {
    double value = 1.0;
    for (std::ptrdiff_t k = -reach; k <= reach; ++k) value = std::min(value, own[ends.at(f + k)]);
    least[toSize(f)] = value;
  }
  const std::vector<double> kernel = fadeKernel(radius);
  std::vector<double> shares(own.size());
  for (std::ptrdiff_t f = 0; f < count; ++f) {
    double sum = kernel[0] * least[toSize(f)], low = least[toSize(f)], high = low;
    for (std::ptrdiff_t k = 1; k <= reach; ++k) {
      const double before = least[ends.at(f - k)], after = least[ends.at(f + k)];
      sum += kernel[toSize(k)] * (before + after);
      low = std::min({low, before, after});
      high = std::max({high, before, after});
    }
    // Rounding changes no equal limits and exceeds none.
    shares[toSize(f)] = std::min(std::clamp(sum, low, high), own[toSize(f)]);
  }
  return shares;
}

}  // namespace clipmill::stages::tet_bake
