// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// The arrays that clipmill itself writes.
#include <array>

#include "core/text.h"
#include "core/to_size.h"
#include "io/arrays/motion_data.h"

namespace clipmill::io::arrays {
namespace {

constexpr std::array<std::string_view, 5> kNeeded = {"rotations", "translations", "names",
                                                     "parents", "fps"};

Error wrongShape(const char* name, const Numbers& numbers) {
  return {ErrorCode::kMalformed, name, "has the shape " + shapeText(numbers.shape),
          "export the joints again"};
}

Result<Numbers> numbersOfShape(ArrayFile& file, const char* name,
                               const std::vector<std::size_t>& shape) {
  const std::string_view names[] = {name};
  CLIPMILL_TRY(Numbers numbers, readNumbers(file, names));
  if (numbers.shape != shape) return wrongShape(name, numbers);
  return numbers;
}

Vec3 vectorAt(const Numbers& numbers, std::size_t i) {
  const double* v = &numbers.values[3 * i];
  return {v[0], v[1], v[2]};
}

Quat rotationAt(const Numbers& numbers, std::size_t i) {
  const double* v = &numbers.values[4 * i];
  return normalizedOrIdentity(Quat(v[0], v[1], v[2], v[3]));
}

Status addNodes(ArrayFile& file, const std::vector<std::string>& names, Skeleton& skeleton) {
  const std::size_t count = names.size();
  CLIPMILL_TRY(const Numbers parents, numbersOfShape(file, "parents", {count}));
  CLIPMILL_TRY(const Numbers offsets, numbersOfShape(file, "rest_translations", {count, 3}));
  CLIPMILL_TRY(const Numbers rotations, numbersOfShape(file, "rest_rotations", {count, 4}));
  for (std::size_t j = 0; j < count; ++j) {
    const double parent = parents.values[j];
    if (!(parent >= -1.0 && parent < static_cast<double>(j))) {
      return Error{ErrorCode::kMalformed, "parents", "has a parent that is not before its joint",
                   ""};
    }
    Node node;
    node.name = names[j].empty() ? "#" + std::to_string(j) : names[j];
    node.parent = static_cast<int>(parent);
    node.source_id = static_cast<int>(j);
    node.rest = {vectorAt(offsets, j), rotationAt(rotations, j), Vec3(1.0)};
    skeleton.nodes.push_back(std::move(node));
  }
  return {};
}

// Bones have a track of translations only where they move: the numbers are of 32 bits.
bool moves(const Numbers& translations, std::size_t joint, std::size_t joints, const Vec3& rest) {
  constexpr double kRounding = 2e-6;
  for (std::size_t i = joint; 3 * i < translations.values.size(); i += joints) {
    if (lengthOf(vectorAt(translations, i) - rest) > kRounding * (1.0 + lengthOf(rest)))
      return true;
  }
  return false;
}

}  // namespace

bool hasJointArrays(const ArrayFile& file) {
  for (const std::string_view name : kNeeded) {
    if (!file.has(name)) return false;
  }
  return true;
}

Result<imported::ImportedScene> readJointArrays(ArrayFile& file, const std::string& name) {
  imported::ImportedScene made;
  made.format = "joint arrays";
  CLIPMILL_TRY(const Array name_array, file.read("names"));
  const auto names = textsOf(name_array);
  if (!names) return within("names", names.error());
  const std::size_t joints = names->size();
  if (joints == 0) return Error{ErrorCode::kMalformed, "names", "has no joints", ""};
  CLIPMILL_CHECK(addNodes(file, *names, made.scene.skeleton));
  const std::string_view wanted[] = {"rotations"};
  CLIPMILL_TRY(const Numbers rotations, readNumbers(file, wanted));
  if (rotations.shape.size() != 3 || rotations.shape[1] != joints || rotations.shape[2] != 4) {
    return wrongShape("rotations", rotations);
  }
  const std::size_t frames = rotations.shape[0];
  CLIPMILL_TRY(const Numbers translations,
               numbersOfShape(file, "translations", {frames, joints, 3}));
  CLIPMILL_TRY(const double fps, frameRate(file, {}, 30.0, made.scene.warnings));
  if (frames == 0) return made;
  imported::ImportedClip clip;
  clip.fps = fps;
  clip.keys.name = name;
  if (file.has("clip")) {
    CLIPMILL_TRY(const Array title, file.read("clip"));
    if (const auto texts = textsOf(title); texts && texts->size() == 1 && !texts->front().empty()) {
      clip.keys.name = texts->front();
    }
  }
  const KeyTimes times = frameTimes(frames, fps);
  for (std::size_t j = 0; j < joints; ++j) {
    std::vector<Quat> rotated;
    std::vector<double> offsets;
    for (std::size_t f = 0; f < frames; ++f) {
      rotated.push_back(rotationAt(rotations, f * joints + j));
      const Vec3 at = vectorAt(translations, f * joints + j);
      offsets.insert(offsets.end(), {at.x, at.y, at.z});
    }
    const int node = static_cast<int>(j);
    if (moves(translations, j, joints, made.scene.skeleton.nodes[j].rest.translation)) {
      clip.keys.tracks.push_back(translationTrack(node, times, std::move(offsets)));
    }
    clip.keys.tracks.push_back(rotationTrack(node, times, rotated));
  }
  imported::setRangeFromKeys(clip);
  made.clips.push_back(std::move(clip));
  return made;
}

}  // namespace clipmill::io::arrays
