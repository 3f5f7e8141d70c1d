// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/unity/curve.h"

#include <algorithm>

namespace clipmill::stages::dynamic_bones::unity {
namespace {

// Unity writes "Infinity", and in older texts "inf".
bool isInfinite(const Value& slope) {
  return slope.text.find("nf") != std::string::npos || slope.text.find("NF") != std::string::npos;
}

}  // namespace

AnimationCurve::AnimationCurve(const Value& field) {
  for (const Value& item : field["m_Curve"].items) {
    keys_.push_back({item["time"].number(), item["value"].number(), item["inSlope"].number(),
                     item["outSlope"].number(), isInfinite(item["outSlope"])});
    if (keys_.size() > 1 && isInfinite(item["inSlope"])) keys_[keys_.size() - 2].is_step = true;
  }
  std::stable_sort(keys_.begin(), keys_.end(),
                   [](const Key& a, const Key& b) { return a.time < b.time; });
}

double AnimationCurve::at(double time) const {
  if (keys_.empty()) return 1.0;
  if (time <= keys_.front().time) return keys_.front().value;
  if (time >= keys_.back().time) return keys_.back().value;
  const auto after = std::upper_bound(keys_.begin(), keys_.end(), time,
                                      [](double t, const Key& key) { return t < key.time; });
  const Key &a = *(after - 1), &b = *after;
  if (a.is_step) return a.value;
  const double span = b.time - a.time;
  const double s = (time - a.time) / span, r = 1.0 - s;
  return a.value * (1.0 + 2.0 * s) * r * r + b.value * s * s * (3.0 - 2.0 * s) +
         span * s * r * (a.out_slope * r - b.in_slope * s);
}

}  // namespace clipmill::stages::dynamic_bones::unity
