// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "io/arrays/array_file.h"
#include "io/document.h"
#include "io/imported/imported.h"

/// The kinds of motion that arrays hold, each as a scene with one clip.
namespace clipmill::io::arrays {

/// An array of numbers with its shape.
struct Numbers {
  std::vector<std::size_t> shape;
  std::vector<double> values;
};

/// The first of `names` that the file has. Errors: those of ArrayFile::read(); kMalformed for texts
/// and for numbers that are not finite; kNotFound where it has none.
Result<Numbers> readNumbers(ArrayFile& file, std::span<const std::string_view> names);

/// The name that readNumbers() would read; empty where there is none.
std::string firstOf(const ArrayFile& file, std::span<const std::string_view> names);

/// Frame rate by the settings, else by the file, else `fallback` with the warning arrays_fps.
Result<double> frameRate(ArrayFile& file, const ArraySettings& settings, double fallback,
                         Warnings& warnings);

/// Key times of that many frames from 0 on.
KeyTimes frameTimes(std::size_t frames, double fps);

/// A linear track; rotations are written as x, y, z, w.
Track translationTrack(int node, const KeyTimes& times, std::vector<double> values);
Track rotationTrack(int node, const KeyTimes& times, std::span<const Quat> rotations);

/// The up axis by the settings, else the one nearest to `found_up`, with the warning
/// arrays_up_axis. Error: kUsage for an unknown axis.
Result<Mat3> metricAxes(const ArraySettings& settings, const Vec3& found_up, Warnings& warnings);

/// True where the file has the arrays of `clipmill export`.
bool hasJointArrays(const ArrayFile& file);
/// Those joints with their names, rest pose and motion.
Result<imported::ImportedScene> readJointArrays(ArrayFile& file, const std::string& name);

/// True where the file has poses of SMPL, SMPL-H or SMPL-X.
bool hasBodyPoses(const ArrayFile& file);
/// Poses as axis-angle vectors (AMASS): poses (T, 3 J) or their parts, trans, mocap_framerate.
Result<imported::ImportedScene> readBodyPoses(ArrayFile& file, const std::string& name,
                                              const ArraySettings& settings);

/// Positions (T, J, 3) or HumanML3D features (T, 263), by fitMotion().
Result<imported::ImportedScene> readJointPositions(ArrayFile& file, const std::string& name,
                                                   const ArraySettings& settings);

}  // namespace clipmill::io::arrays
