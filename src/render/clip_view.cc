// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/clip_view.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "core/to_size.h"

namespace clipmill::render {
namespace {

// Whether a character is longer than wide, as animals are: from the front little of it is seen.
bool isLong(std::span<const Vec3> joints, const Vec3& facing) {
  CameraBox box;
  const CameraAxes axes{glm::cross(Vec3(0, 1, 0), facing), Vec3(0, 1, 0), facing};
  for (const Vec3& p : joints) {
    if (isFinite(p)) box.add(inAxes(axes, p));
  }
  const Vec3 size = box.high - box.low;
  return !box.empty() && size.z > 1.5 * size.x;
}

// The joint with the largest weight on a vertex; the node of the mesh where it has no skin.
int mainNodeOf(const Scene& scene, const SkinnedMesh& mesh, std::size_t vertex) {
  if (mesh.skin < 0) return mesh.node;
  const Influence* largest = nullptr;
  for (std::size_t i = mesh.influence_start[vertex]; i < mesh.influence_start[vertex + 1]; ++i) {
    const Influence& influence = mesh.influences[i];
    if (!largest || influence.weight > largest->weight) largest = &influence;
  }
  if (!largest) return mesh.node;
  return scene.skins[toSize(mesh.skin)].joints[largest->joint];
}

}  // namespace

std::vector<ClipView> makeClipViews(const std::vector<SheetRow>& rows, Warnings& warnings) {
  std::vector<ClipView> views;
  for (const SheetRow& row : rows) {
    views.push_back({&row, Character(*row.scene, row.clip, warnings), {}, {}, {}});
  }
  return views;
}

double durationOf(const Clip* clip) {
  const double length = clip ? clip->end_s - clip->start_s : 0.0;
  return length > 0.0 && std::isfinite(length) ? length : 0.0;
}

double sizeOf(std::span<const Vec3> points) {
  CameraBox box;
  for (const Vec3& p : points) {
    if (isFinite(p)) box.add(p);
  }
  return box.empty() ? 0.0 : lengthOf(box.high - box.low);
}

std::vector<Vec3> jointsAt(const Character& character, double time_s) {
  const CharacterPose pose = character.poseAt(time_s, false);
  std::vector<Vec3> points;
  for (int joint : character.joints()) {
    points.push_back(pose.worlds[toSize(joint)].translation);
  }
  return points;
}

std::vector<Vec3> rootTrajectoryOf(const Character& character) {
  constexpr int kPoints = 160;
  std::vector<Vec3> trajectory;
  const double duration = durationOf(character.clip());
  if (character.root() < 0 || duration <= 0.0) return trajectory;
  for (int i = 0; i <= kPoints; ++i) {
    const CharacterPose pose = character.poseAt(duration * i / kPoints, false);
    const Vec3 at = pose.worlds[toSize(character.root())].translation;
    if (isFinite(at)) trajectory.push_back(at);
  }
  return trajectory;
}

CameraAxes axesFor(const ClipView& shown, std::span<const double> times_s, View asked) {
  const Character& character = shown.character;
  // Over all frames: in one of them a stride or a gesture rotates what is left.
  Vec3 left(0.0);
  for (const double time_s : times_s) {
    left += leftOf(character.scene().skeleton, character.poseAt(time_s, false).worlds);
  }
  Vec3 facing = facingFrom(left);
  View view = asked == View::kAuto ? View::kThreeQuarter : asked;
  const std::vector<Vec3>& trajectory = shown.root_trajectory;
  if (asked == View::kAuto && !trajectory.empty()) {
    const Vec3 step = trajectory.back() - trajectory.front();
    const Vec3 flat(step.x, 0.0, step.z);
    if (lengthOf(flat) > 0.5 * sizeOf(jointsAt(character, 0.0))) {
      facing = flat / lengthOf(flat);
      view = View::kAuto;
    }
  }
  if (asked == View::kAuto && isLong(jointsAt(character, times_s[0]), facing)) view = View::kAuto;
  return axesOf(view, facing);
}

void Extent::add(const CameraAxes& axes, const Vec3& to_light, const Vec3& p) {
  if (!isFinite(p)) return;
  world.add(p);
  character.add(inAxes(axes, p));
  shadow.add(inAxes(axes, p - to_light * (p.y / to_light.y)));
}

void Extent::add(const Extent& other, const Vec3& shift) {
  if (other.world.empty()) return;
  character.add(other.character, shift);
  shadow.add(other.shadow, shift);
  world.add(other.world.low);
  world.add(other.world.high);
}

std::vector<Vec3> focusPositions(std::span<const ClipView> views, std::span<const double> times_s,
                                 bool of_focus) {
  std::vector<Vec3> positions;
  for (const double time_s : times_s) {
    Vec3 sum(0.0);
    double count = 0.0;
    for (const ClipView& view : views) {
      // Parents come before children.
      const auto top = std::find(view.focus.begin(), view.focus.end(), true);
      const bool has_focus = of_focus && top != view.focus.end();
      const int node =
          has_focus ? static_cast<int>(top - view.focus.begin()) : view.character.root();
      if (node < 0) continue;
      const CharacterPose pose = view.character.poseAt(time_s, false);
      const Vec3 at = pose.worlds[toSize(node)].translation;
      if (!isFinite(at)) continue;
      sum += at;
      count += 1.0;
    }
    positions.push_back(count > 0.0 ? sum / count : sum);
  }
  return positions;
}

Extent extentOf(const Character& character, const CharacterPose& pose, const CameraAxes& axes,
                const Vec3& to_light, const std::vector<bool>& focus) {
  Extent extent;
  const auto add = [&](const Vec3& p, bool is_shown) {
    if (is_shown) {
      extent.add(axes, to_light, p);
    } else if (isFinite(p)) {
      extent.world.add(p);
    }
  };
  const auto isInFocus = [&](int node) { return focus.empty() || focus[toSize(node)]; };
  for (const PosedMesh& mesh : pose.meshes) {
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      // Shapes of bare bones have no weights: their joints decide.
      const bool is_shown =
          focus.empty() || (mesh.look && isInFocus(mainNodeOf(character.scene(), *mesh.look, v)));
      add(mesh.positions[v], is_shown);
    }
  }
  for (int joint : character.joints()) {
    add(pose.worlds[toSize(joint)].translation, isInFocus(joint));
  }
  return extent;
}

Result<std::vector<bool>> focusOn(const Skeleton& skeleton, const std::string& pattern) {
  CLIPMILL_TRY(const int top, findOneNode(skeleton, pattern, "--focus"));
  std::vector<bool> focus(skeleton.size(), false);
  for (std::size_t i = toSize(top); i < skeleton.size(); ++i) {
    const int parent = skeleton.nodes[i].parent;
    focus[i] = static_cast<int>(i) == top || (parent >= 0 && focus[toSize(parent)]);
  }
  return focus;
}

bool canBeFramed(const CameraBox& world) {
  constexpr double kLargest = 1e12;  // metres; beyond it differences vanish
  return !world.empty() && lengthOf(world.high - world.low) < kLargest &&
         lengthOf(world.low) < kLargest;
}

double groundOf(const CameraBox& world) {
  const double height = world.high.y - world.low.y;
  const bool is_near = world.low.y > -0.12 * height && world.low.y < 0.35 * height;
  return is_near ? 0.0 : world.low.y;
}

double gridOf(double size) {
  double grid = 1.0;
  while (size > 12.0 * grid && grid < 1e9) grid *= 10.0;
  while (size < 0.8 * grid && grid > 1e-9) grid /= 10.0;
  return grid;
}

void markChanges(std::span<ClipView> views, std::span<const double> times_s, double size_m) {
  const Character& first = views[0].character;
  const Mat3& metric = first.scene().metric_from_file.linear;
  const double unit = std::max(lengthOf(metric[0]), 1e-12);
  for (ClipView& view : views.subspan(1)) {
    const Character& other = view.character;
    if (!haveSameNodes(first.scene().skeleton, other.scene().skeleton)) continue;
    for (const double time_s : times_s) {
      markChanges(first.poseAt(time_s, false).pose, other.poseAt(time_s, false).pose, size_m / unit,
                  view.changed);
    }
  }
}

void drawOnGround(Film& film, const Vec2& baseline_left, const std::string& text,
                  const TextStyle& style) {
  TextStyle halo = style;
  halo.color = palette::kFloor;
  halo.weight = style.weight + 6.0;
  drawText(film, baseline_left, text, halo);
  drawText(film, baseline_left, text, style);
}

}  // namespace clipmill::render
