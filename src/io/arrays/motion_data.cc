// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/arrays/motion_data.h"

#include <array>
#include <cmath>
#include <memory>

#include "core/text.h"
#include "io/arrays/body_model.h"

namespace clipmill::io::arrays {

std::string firstOf(const ArrayFile& file, std::span<const std::string_view> names) {
  for (const std::string_view name : names) {
    if (file.has(name)) return std::string(name);
  }
  return "";
}

Result<Numbers> readNumbers(ArrayFile& file, std::span<const std::string_view> names) {
  const std::string name = firstOf(file, names);
  if (!file.has(name)) {
    return Error{ErrorCode::kNotFound, std::string(names.front()), "is not in the file", ""};
  }
  CLIPMILL_TRY(const Array array, file.read(name));
  auto values = numbersOf(array);
  if (!values) return within(name, values.error());
  for (const double value : *values) {
    if (!std::isfinite(value)) {
      return Error{ErrorCode::kMalformed, name, "has numbers that are not finite",
                   "fill the gaps of the capture first"};
    }
  }
  return Numbers{array.shape, std::move(*values)};
}

Result<double> frameRate(ArrayFile& file, const ArraySettings& settings, double fallback,
                         Warnings& warnings) {
  constexpr std::array<std::string_view, 5> kNames = {"mocap_framerate", "mocap_frame_rate", "fps",
                                                      "framerate", "frame_rate"};
  if (settings.array_fps) return *settings.array_fps;
  const std::string name = firstOf(file, kNames);
  if (name.empty()) {
    warnings.add("arrays_fps",
                 "the file does not state its frame rate; it is assumed to be " +
                     numberText(fallback) + " Hz (set array_fps)",
                 "");
    return fallback;
  }
  CLIPMILL_TRY(const Numbers found, readNumbers(file, kNames));
  if (found.values.size() != 1 || !(found.values[0] >= 1e-3 && found.values[0] <= 1e5)) {
    return Error{ErrorCode::kMalformed, name, "is no frame rate", "set array_fps"};
  }
  return found.values[0];
}

KeyTimes frameTimes(std::size_t frames, double fps) {
  auto times = std::make_shared<std::vector<double>>();
  for (std::size_t f = 0; f < frames; ++f) times->push_back(static_cast<double>(f) / fps);
  return times;
}

Track translationTrack(int node, const KeyTimes& times, std::vector<double> values) {
  return {node, TrackPath::kTranslation, Interpolation::kLinear, 3, times, std::move(values)};
}

Track rotationTrack(int node, const KeyTimes& times, std::span<const Quat> rotations) {
  std::vector<double> values;
  values.reserve(4 * rotations.size());
  for (const Quat& q : rotations) values.insert(values.end(), {q.x, q.y, q.z, q.w});
  return {node, TrackPath::kRotation, Interpolation::kLinear, 4, times, std::move(values)};
}

Result<Mat3> metricAxes(const ArraySettings& settings, const Vec3& found_up, Warnings& warnings) {
  const std::string up = settings.array_up.value_or(std::string(axisNearest(found_up)));
  const auto axes = uprightFrom(up);
  if (!axes) {
    return Error{ErrorCode::kUsage, "array_up", "'" + printable(up, 40) + "' is no axis",
                 "use x, -x, y, -y, z or -z"};
  }
  if (!settings.array_up) {
    warnings.add("arrays_up_axis",
                 "arrays do not store their up axis; from the motion it is assumed to be " + up +
                     " (set array_up)",
                 "");
  }
  return *axes;
}

}  // namespace clipmill::io::arrays
