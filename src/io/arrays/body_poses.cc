// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// Poses of SMPL (M. Loper et al. 2015), SMPL-H (J. Romero et al. 2017) and SMPL-X (G. Pavlakos et
// al. 2019) as AMASS (N. Mahmood et al. 2019) stores them: the rotation of each joint relative to
// its parent as a vector, axis times angle, in the order of the joints.
#include <array>

#include "core/text.h"
#include "core/to_size.h"
#include "io/arrays/body_model.h"
#include "io/arrays/motion_data.h"

namespace clipmill::io::arrays {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 4> kPoses = {"poses", "pose", "smpl_poses", "fullpose"};
constexpr std::array<std::string_view, 2> kRoots = {"root_orient", "global_orient"};
constexpr std::array<std::string_view, 2> kBodies = {"pose_body", "body_pose"};
constexpr std::array<std::string_view, 4> kTranslations = {"trans", "transl", "smpl_trans",
                                                           "translation"};
constexpr std::array<std::string_view, 1> kHands = {"pose_hand"}, kLeft = {"left_hand_pose"},
                                          kRight = {"right_hand_pose"}, kJawPose = {"pose_jaw"},
                                          kJawPose2 = {"jaw_pose"}, kEyes = {"pose_eye"};
constexpr std::size_t kHandNumbers = 45;

// Frames of numbers side by side.
struct Columns {
  std::size_t frames = 0, width = 0;
  std::vector<double> values;

  Status add(const Numbers& part, const std::string& name) {
    const std::size_t own = part.shape.empty() ? 0 : part.shape[0];
    if (own == 0 || (width > 0 && own != frames)) {
      return Error{ErrorCode::kMalformed, name, "has " + std::to_string(own) + " frames",
                   "give all arrays one row a frame"};
    }
    const std::size_t more = part.values.size() / own;
    std::vector<double> joined;
    joined.reserve(own * (width + more));
    for (std::size_t f = 0; f < own; ++f) {
      const auto copy = [&](const std::vector<double>& from, std::size_t count) {
        const auto at = from.begin() + static_cast<std::ptrdiff_t>(f * count);
        joined.insert(joined.end(), at, at + static_cast<std::ptrdiff_t>(count));
      };
      copy(values, width);
      copy(part.values, more);
    }
    frames = own;
    width += more;
    values = std::move(joined);
    return {};
  }
};

Status addPart(ArrayFile& file, Names names, Columns& columns) {
  CLIPMILL_TRY(const Numbers part, readNumbers(file, names));
  return columns.add(part, firstOf(file, names));
}

// Hands as rotations, not as components of a hand space.
bool hasWholeHands(ArrayFile& file) {
  if (!firstOf(file, kHands).empty()) return true;
  for (const Names side : {Names(kLeft), Names(kRight)}) {
    if (firstOf(file, side).empty()) return false;
    const auto part = readNumbers(file, side);
    if (!part || part->shape.empty() || part->shape[0] == 0) return false;
    if (part->values.size() / part->shape[0] != kHandNumbers) return false;
  }
  return true;
}

Result<Columns> readParts(ArrayFile& file) {
  Columns columns;
  CLIPMILL_CHECK(addPart(file, kRoots, columns));
  CLIPMILL_CHECK(addPart(file, kBodies, columns));
  if (columns.width != 66 || !hasWholeHands(file)) return columns;
  const Names jaw = firstOf(file, kJawPose).empty() ? Names(kJawPose2) : Names(kJawPose);
  if (!firstOf(file, jaw).empty()) {
    CLIPMILL_CHECK(addPart(file, jaw, columns));
    if (!firstOf(file, kEyes).empty()) {
      CLIPMILL_CHECK(addPart(file, kEyes, columns));
    } else {
      const Numbers none{{columns.frames, 6}, std::vector<double>(6 * columns.frames, 0.0)};
      CLIPMILL_CHECK(columns.add(none, "pose_eye"));
    }
  }
  if (!firstOf(file, kHands).empty()) {
    CLIPMILL_CHECK(addPart(file, kHands, columns));
  } else {
    CLIPMILL_CHECK(addPart(file, kLeft, columns));
    CLIPMILL_CHECK(addPart(file, kRight, columns));
  }
  return columns;
}

Result<Columns> readPoses(ArrayFile& file) {
  if (firstOf(file, kPoses).empty()) return readParts(file);
  CLIPMILL_TRY(Numbers poses, readNumbers(file, kPoses));
  if (poses.shape.size() == 1) poses.shape.insert(poses.shape.begin(), 1);
  Columns columns;
  CLIPMILL_CHECK(columns.add(poses, firstOf(file, kPoses)));
  return columns;
}

Result<std::vector<double>> readTranslations(ArrayFile& file, std::size_t frames,
                                             Warnings& warnings) {
  const std::string name = firstOf(file, kTranslations);
  if (name.empty()) {
    warnings.add("smpl_no_translation", "the file has no trans; the pelvis stays at the origin",
                 "");
    return std::vector<double>(3 * frames, 0.0);
  }
  CLIPMILL_TRY(Numbers found, readNumbers(file, kTranslations));
  if (found.values.size() != 3 * frames) {
    return Error{ErrorCode::kMalformed, name, "has the shape " + shapeText(found.shape),
                 "give three numbers for each of the " + std::to_string(frames) + " frames"};
  }
  return std::move(found.values);
}

// The rotation of a joint in all frames.
std::vector<Quat> rotationsOf(const Columns& poses, std::size_t joint) {
  std::vector<Quat> rotations;
  Quat before = kIdentityRotation;
  for (std::size_t f = 0; f < poses.frames; ++f) {
    const double* v = &poses.values[f * poses.width + 3 * joint];
    Quat rotation = normalizedOrIdentity(rotatedBy(Vec3(v[0], v[1], v[2])));
    if (glm::dot(rotation, before) < 0.0) rotation = -rotation;
    rotations.push_back(rotation);
    before = rotation;
  }
  return rotations;
}

void warnOfShape(ArrayFile& file, Warnings& warnings) {
  if (!file.has("betas")) return;
  warnings.add("smpl_shape",
               "betas (the shape of the body) need the licensed body model; bones have neutral "
               "lengths",
               "");
}

// Neutral, female or male: a part of the name only.
std::string genderOf(ArrayFile& file) {
  if (!file.has("gender")) return "";
  const auto array = file.read("gender");
  if (!array) return "";
  const auto texts = textsOf(*array);
  return texts && texts->size() == 1 ? ", " + printable(texts->front(), 20) : "";
}

const char* familyOf(std::size_t joints) {
  return joints == 55 ? "SMPL-X" : joints == 52 ? "SMPL-H" : "SMPL";
}

}  // namespace

bool hasBodyPoses(const ArrayFile& file) {
  return !firstOf(file, kPoses).empty() ||
         (!firstOf(file, kRoots).empty() && !firstOf(file, kBodies).empty());
}

Result<imported::ImportedScene> readBodyPoses(ArrayFile& file, const std::string& name,
                                              const ArraySettings& settings) {
  CLIPMILL_TRY(const Columns poses, readPoses(file));
  const auto model = poses.width % 3 == 0 ? smplModel(poses.width / 3) : std::nullopt;
  if (!model) {
    return Error{ErrorCode::kUnsupported, "poses",
                 "has " + std::to_string(poses.width) + " numbers a frame",
                 "give 3 for each of 22, 24 (SMPL), 52 (SMPL-H) or 55 (SMPL-X) joints"};
  }
  imported::ImportedScene made;
  Warnings& warnings = made.scene.warnings;
  made.format = std::string(familyOf(model->joints.size())) + " poses" + genderOf(file);
  CLIPMILL_TRY(const double fps, frameRate(file, settings, 30.0, warnings));
  CLIPMILL_TRY(std::vector<double> translations, readTranslations(file, poses.frames, warnings));
  const std::vector<Quat> roots = rotationsOf(poses, 0);
  Vec3 up(0.0);
  for (const Quat& rotation : roots) up += rotation * Vec3(0, 1, 0);
  CLIPMILL_TRY(const Mat3 axes, metricAxes(settings, up, warnings));
  warnOfShape(file, warnings);
  made.scene.metric_from_file.linear = axes;
  addBody(*model, restOffsets(*model), Affine{glm::transpose(axes), Vec3(0.0)}, made.scene);
  imported::ImportedClip clip;
  clip.fps = fps;
  clip.keys.name = name;
  const KeyTimes times = frameTimes(poses.frames, fps);
  clip.keys.tracks.push_back(translationTrack(0, times, std::move(translations)));
  for (std::size_t j = 0; j < model->joints.size(); ++j) {
    clip.keys.tracks.push_back(
        rotationTrack(static_cast<int>(j), times, j == 0 ? roots : rotationsOf(poses, j)));
  }
  imported::setRangeFromKeys(clip);
  made.clips.push_back(std::move(clip));
  return made;
}

}  // namespace clipmill::io::arrays
