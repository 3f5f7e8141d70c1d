// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>

#include "core/text.h"
#include "core/to_size.h"
#include "io/arrays/body_model.h"
#include "io/arrays/humanml.h"
#include "io/arrays/motion_data.h"
#include "io/arrays/pose_fit.h"

namespace clipmill::io::arrays {
namespace {

constexpr std::size_t kFeatures = 263;
constexpr double kHumanMlFps = 20.0;

// Positions of the columns of a skeleton.
struct Capture {
  std::size_t frames = 0, columns = 0;
  std::vector<Vec3> points;
  double usual_fps = 30.0;
};

std::string modelList() {
  std::string list;
  for (const std::string_view name : bodyModelNames())
    list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

// The array by its usual names, else the only one.
Result<Numbers> readMotion(ArrayFile& file) {
  constexpr std::array<std::string_view, 10> kUsual = {
      "",          "positions",   "joints", "joints3d", "joint_positions",
      "keypoints", "keypoints3d", "motion", "xyz",      "arr_0"};
  const std::vector<std::string> names = file.names();
  std::vector<std::string_view> wanted(kUsual.begin(), kUsual.end());
  if (names.size() == 1) wanted.push_back(names.front());
  auto numbers = readNumbers(file, wanted);
  if (numbers || numbers.error().code != ErrorCode::kNotFound) return numbers;
  std::string found;
  for (const std::string& name : names) found += (found.empty() ? "" : ", ") + name;
  return Error{ErrorCode::kUnsupported, "",
               "has no motion among its arrays (" + printable(found, 120) + ")",
               "name one 'poses' (SMPL) or 'positions' (T, J, 3)"};
}

Result<Capture> captureOf(Numbers numbers) {
  while (numbers.shape.size() > 3 && numbers.shape.front() == 1)
    numbers.shape.erase(numbers.shape.begin());
  Capture capture;
  const std::vector<std::size_t>& shape = numbers.shape;
  if (shape.size() == 3 && shape[0] == 1 && shape[2] == kFeatures) {
    numbers.shape.erase(numbers.shape.begin());
  }
  if (shape.size() == 2 && shape[1] == kFeatures) {
    capture.points = humanMlPositions(numbers.values);
    capture.frames = shape[0];
    capture.columns = 22;
    capture.usual_fps = kHumanMlFps;
    return capture;
  }
  if (shape.size() != 3 || shape[2] != 3 || shape[0] == 0) {
    return Error{ErrorCode::kUnsupported, "", "has an array of shape " + shapeText(shape),
                 "give positions (T, J, 3) or HumanML3D features (T, 263)"};
  }
  capture.frames = shape[0];
  capture.columns = shape[1];
  for (std::size_t i = 0; i < numbers.values.size(); i += 3)
    capture.points.emplace_back(numbers.values[i], numbers.values[i + 1], numbers.values[i + 2]);
  if (capture.columns == 22) capture.usual_fps = kHumanMlFps;
  return capture;
}

Result<BodyModel> modelFor(const Capture& capture, const ArraySettings& settings) {
  std::vector<BodyModel> fitting;
  for (const std::string_view name : bodyModelNames()) {
    BodyModel model = *bodyModel(name);
    if (model.columns == capture.columns) fitting.push_back(std::move(model));
  }
  const std::string count = std::to_string(capture.columns) + " joints";
  if (!settings.skeleton) {
    if (fitting.size() == 1) return std::move(fitting.front());
    return Error{ErrorCode::kUsage, "skeleton",
                 fitting.empty() ? "no skeleton with " + count + " is known"
                                 : "several skeletons have " + count,
                 fitting.empty() ? "use one of " + modelList()
                                 : "set " + fitting[0].name + " or " + fitting[1].name};
  }
  auto model = bodyModel(*settings.skeleton);
  if (!model) {
    return Error{ErrorCode::kUsage, "skeleton",
                 "there is no skeleton '" + printable(*settings.skeleton, 40) + "'",
                 "use one of " + modelList()};
  }
  if (model->columns == capture.columns) return std::move(*model);
  return Error{ErrorCode::kUsage, "skeleton", model->name + " does not have " + count,
               "use a skeleton with as many joints as the array"};
}

std::vector<Vec3> jointPoints(const BodyModel& model, const Capture& capture) {
  std::vector<Vec3> points;
  points.reserve(capture.frames * model.joints.size());
  for (std::size_t f = 0; f < capture.frames; ++f) {
    for (const BodyJoint& joint : model.joints) {
      Vec3 point = capture.points[f * capture.columns + toSize(joint.column)];
      if (joint.other_column >= 0) {
        point = 0.5 * (point + capture.points[f * capture.columns + toSize(joint.other_column)]);
      }
      points.push_back(point);
    }
  }
  return points;
}

// From the feet to the head, over all frames.
Vec3 upOf(const BodyModel& model, std::span<const Vec3> points) {
  const std::size_t joints = model.joints.size(), head = toSize(model.find("head"));
  const std::size_t left = toSize(model.find("left_ankle")),
                    right = toSize(model.find("right_ankle"));
  Vec3 up(0.0);
  for (std::size_t at = 0; at < points.size(); at += joints) {
    const Vec3 body = points[at + head] - 0.5 * (points[at + left] + points[at + right]);
    const double length = lengthOf(body);
    if (length > 0.0) up += body * (1.0 / length);
  }
  return up;
}

struct Unit {
  const char* name;
  double metres;
};

// The leg of a person is about 0.85 m long; the bounds are the geometric means, rounded.
Unit unitOf(const BodyModel& model, std::span<const Vec3> offsets) {
  constexpr double kMaxInMetres = 8.0, kMaxInCentimetres = 260.0;
  const double leg = lengthOf(offsets[toSize(model.find("left_knee"))]) +
                     lengthOf(offsets[toSize(model.find("left_ankle"))]);
  if (leg <= kMaxInMetres) return {"metres", 1.0};
  if (leg <= kMaxInCentimetres) return {"centimetres", 0.01};
  return {"millimetres", 0.001};
}

// At rest the feet are on the ground, below the origin of the file.
double restHeight(const BodyModel& model, std::span<const Vec3> offsets) {
  std::vector<double> heights(model.joints.size(), 0.0);
  double lowest = 0.0;
  for (std::size_t j = 1; j < heights.size(); ++j) {
    heights[j] = heights[toSize(model.joints[j].parent)] + offsets[j].y;
    lowest = std::min(lowest, heights[j]);
  }
  return -lowest;
}

imported::ImportedClip clipOf(const BodyModel& model, const FittedMotion& fitted, const Mat3& axes,
                              const std::string& name, double fps) {
  imported::ImportedClip clip;
  clip.fps = fps;
  clip.keys.name = name;
  const std::size_t joints = model.joints.size(), frames = fitted.roots.size();
  const KeyTimes times = frameTimes(frames, fps);
  const Mat3 file_axes = glm::transpose(axes);
  const Quat to_file = rotationOf(Affine{file_axes, Vec3(0.0)});
  std::vector<double> roots;
  for (const Vec3& root : fitted.roots) {
    const Vec3 at = file_axes * root;
    roots.insert(roots.end(), {at.x, at.y, at.z});
  }
  clip.keys.tracks.push_back(translationTrack(0, times, std::move(roots)));
  for (std::size_t j = 0; j < joints; ++j) {
    std::vector<Quat> rotations;
    for (std::size_t f = 0; f < frames; ++f) {
      const Quat local = fitted.locals[f * joints + j];
      rotations.push_back(j == 0 ? to_file * local : local);
    }
    clip.keys.tracks.push_back(rotationTrack(static_cast<int>(j), times, rotations));
  }
  imported::setRangeFromKeys(clip);
  return clip;
}

}  // namespace

Result<imported::ImportedScene> readJointPositions(ArrayFile& file, const std::string& name,
                                                   const ArraySettings& settings) {
  CLIPMILL_TRY(Numbers numbers, readMotion(file));
  CLIPMILL_TRY(const Capture capture, captureOf(std::move(numbers)));
  CLIPMILL_TRY(const BodyModel model, modelFor(capture, settings));
  imported::ImportedScene made;
  Warnings& warnings = made.scene.warnings;
  made.format = model.name + " positions";
  CLIPMILL_TRY(const double fps, frameRate(file, settings, capture.usual_fps, warnings));
  std::vector<Vec3> points = jointPoints(model, capture);
  CLIPMILL_TRY(const Mat3 axes, metricAxes(settings, upOf(model, points), warnings));
  for (Vec3& point : points) point = axes * point;
  FittedMotion fitted = fitMotion(model, points, fps);
  const Unit unit = unitOf(model, fitted.offsets);
  warnings.add(
      "arrays_unit",
      std::string("positions do not state their unit; from the legs it is assumed to be ") +
          unit.name,
      "");
  warnings.add("positions_fitted",
               "bones of constant length follow the positions, with errors of " +
                   fixedText(fitted.mean_error * unit.metres * 1e3, 2) + " mm on average and " +
                   fixedText(fitted.max_error * unit.metres * 1e3, 2) + " mm at most",
               "");
  fitted.offsets[0].y = restHeight(model, fitted.offsets);
  made.scene.metric_from_file.linear = axes * unit.metres;
  addBody(model, fitted.offsets, Affine{glm::transpose(axes), Vec3(0.0)}, made.scene);
  made.clips.push_back(clipOf(model, fitted, axes, name, fps));
  return made;
}

}  // namespace clipmill::io::arrays
