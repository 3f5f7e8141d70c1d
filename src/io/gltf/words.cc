// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/words.h"

namespace clipmill::gltf {

const char* wordOf(TrackPath path) {
  switch (path) {
    case TrackPath::kTranslation:
      return "translation";
    case TrackPath::kRotation:
      return "rotation";
    case TrackPath::kScale:
      return "scale";
    case TrackPath::kWeights:
      return "weights";
  }
  return "";
}

const char* wordOf(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::kStep:
      return "STEP";
    case Interpolation::kLinear:
      return "LINEAR";
    case Interpolation::kCubicSpline:
      return "CUBICSPLINE";
  }
  return "";
}

std::optional<TrackPath> pathOfWord(std::string_view word) {
  for (TrackPath path : kTrackPaths) {
    if (word == wordOf(path)) return path;
  }
  return std::nullopt;
}

std::optional<Interpolation> interpolationOfWord(std::string_view word) {
  for (auto known : {Interpolation::kStep, Interpolation::kLinear, Interpolation::kCubicSpline}) {
    if (word == wordOf(known)) return known;
  }
  return std::nullopt;
}

}  // namespace clipmill::gltf
