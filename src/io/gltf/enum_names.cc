// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/gltf/enum_names.h"

namespace clipmill::io::gltf {

const char* nameOf(TrackPath path) {
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

const char* nameOf(Interpolation interpolation) {
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

std::optional<TrackPath> trackPathOf(std::string_view name) {
  for (TrackPath path : kTrackPaths) {
    if (name == nameOf(path)) return path;
  }
  return std::nullopt;
}

std::optional<Interpolation> interpolationOf(std::string_view name) {
  for (auto known : {Interpolation::kStep, Interpolation::kLinear, Interpolation::kCubicSpline}) {
    if (name == nameOf(known)) return known;
  }
  return std::nullopt;
}

}  // namespace clipmill::io::gltf
