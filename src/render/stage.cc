// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/stage.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/smooth_step.h"
#include "core/to_size.h"
#include "render/mesh_pass.h"
#include "render/palette.h"

namespace clipmill::render {
namespace {

Vec3 normalized(const Vec3& v) { return v / std::sqrt(glm::dot(v, v)); }

// -- Ground

// How much of the pixel a line of the grid covers, for one of the two coordinates: `at` in lines,
// `per_px` how many lines a pixel spans.
double lineCover(double at, double per_px) {
  constexpr double kHalfWidth = 0.55;  // pixels
  if (!(per_px > 0.0)) return 0.0;
  const double off_px = std::abs(at - std::floor(at + 0.5)) / per_px;
  // Where lines come closer than some pixels they would flicker: they fade instead.
  return std::clamp(kHalfWidth + 0.5 - off_px, 0.0, 1.0) * (1.0 - smoothStep(0.1, 0.3, per_px));
}

std::array<double, 2> groundAt(const Stage& stage, const Vec2& px) {
  const Vec3 ray = stage.camera.rayThrough(px);
  const double along = (stage.ground_m - stage.camera.eye.y) / ray.y;
  return {stage.camera.eye.x + ray.x * along, stage.camera.eye.z + ray.z * along};
}

void drawGround(Film& film, const Stage& stage) {
  for (int y = 0; y < film.height(); ++y) {
    for (int x = 0; x < film.width(); ++x) {
      const Vec2 px(x + 0.5, y + 0.5);
      // Not yet at the horizon, nor a pixel above: the ground must lie in front of the eye.
      const double falls = stage.camera.rayThrough(px - Vec2(0, 1)).y;
      if (!(falls * (stage.ground_m - stage.camera.eye.y) > 0.0)) continue;
      const auto here = groundAt(stage, px), right = groundAt(stage, px + Vec2(1, 0)),
                 below = groundAt(stage, px + Vec2(0, 1));
      const double dx = here[0] - stage.centre.x, dz = here[1] - stage.centre.z;
      const double fade =
          1.0 - smoothStep(0.55, 1.0, std::sqrt(dx * dx + dz * dz) / stage.radius_m);
      if (fade <= 0.0) continue;
      film.blend(x, y, palette::kFloor, fade);
      double cover = 0.0;
      for (std::size_t axis = 0; axis < 2; ++axis) {
        const double to_right = right[axis] - here[axis], down = below[axis] - here[axis];
        const double per_px = std::sqrt(to_right * to_right + down * down) / stage.grid_m;
        cover = std::max(cover, lineCover(here[axis] / stage.grid_m, per_px));
      }
      film.blend(x, y, palette::kGridLine, fade * cover);
    }
  }
}

void drawShadow(Film& film, const Stage& stage, const std::vector<PosedMesh>& meshes) {
  constexpr double kDensity = 0.45;
  const std::vector<float> cover = shadowCover(film.width(), film.height(), stage.camera, meshes,
                                               stage.lights.to_key, stage.ground_m);
  std::size_t i = 0;
  for (int y = 0; y < film.height(); ++y) {
    for (int x = 0; x < film.width(); ++x, ++i) {
      if (cover[i] > 0.0f) film.blend(x, y, palette::kShadow, kDensity * cover[i]);
    }
  }
}

// -- Lines over it

void drawPath(Film& film, const Stage& stage, const Overlay& overlay) {
  if (!overlay.path || overlay.path->size() < 2) return;
  const auto onGround = [&](const Vec3& p) {
    return stage.camera.project(Vec3(p.x, stage.ground_m, p.z)).px;
  };
  std::vector<Vec2> line;
  for (const Vec3& p : *overlay.path) line.push_back(onGround(p));
  film.stroke(line, 2.2, palette::kPath, 0.85);
  film.disc(line.front(), 3.0, palette::kPath, 1.0);
  film.disc(line.back(), 3.0, palette::kPath, 1.0);
  const Vec2 now = onGround(overlay.root);
  film.disc(now, 5.5, palette::kPath, 1.0);
  film.disc(now, 3.3, palette::kFloor, 1.0);
}

void drawJoints(Film& film, const Stage& stage, const Character& character,
                const CharacterPose& pose, const Overlay& overlay) {
  // Pixels of bone; dots on shorter ones would hide the character.
  constexpr double kMinDotSpacing = 9.0;
  const auto at = [&](int node) {
    return stage.camera.project(pose.worlds[toSize(node)].translation).px;
  };
  const auto isChanged = [&](int node) {
    const auto i = toSize(node);
    return overlay.changed && i < overlay.changed->size() && (*overlay.changed)[i];
  };
  // Changed ones last: they lie on top.
  for (const bool accent : {false, true}) {
    const Vec3& color = accent ? palette::kAccent : palette::kBone;
    const double alpha = accent ? 0.95 : 0.5;
    for (const auto& [parent, child] : character.bones()) {
      if (isChanged(parent) != accent) continue;
      const Vec2 ends[2] = {at(parent), at(child)};
      film.stroke(ends, accent ? 1.6 : 1.2, color, alpha);
    }
    for (const auto& [parent, child] : character.bones()) {
      if (isChanged(parent) != accent) continue;
      const Vec2 a = at(parent), b = at(child);
      if (!(glm::dot(b - a, b - a) > kMinDotSpacing * kMinDotSpacing)) continue;
      for (const Vec2& end : {a, b}) {
        film.disc(end, accent ? 1.9 : 1.8, color, alpha);
        if (accent) film.disc(end, 0.8, palette::kFloor, 0.9);
      }
    }
  }
}

}  // namespace

Lights lightsFor(const CameraAxes& axes) {
  // In the top view the eye's own up lies on the ground; the direction back is then that axis.
  const Vec3 flat_back(axes.back.x, 0.0, axes.back.z);
  const double flat = glm::dot(flat_back, flat_back);
  const Vec3 towards = flat > 1e-3 ? flat_back / std::sqrt(flat) : -axes.up;
  Lights lights;
  lights.to_key = normalized(towards * 0.80 + axes.right * 0.48 + Vec3(0, 1, 0) * 1.3);
  lights.to_fill = normalized(towards * 0.6 - axes.right * 0.9 + Vec3(0, 1, 0) * 0.25);
  return lights;
}

std::size_t drawStage(Film& film, const Stage& stage, const Character& character,
                      const CharacterPose& pose, const Overlay& overlay) {
  drawGround(film, stage);
  drawShadow(film, stage, pose.meshes);
  drawPath(film, stage, overlay);
  const std::size_t left_out =
      drawMeshes(film, stage.camera, pose.meshes, character.surfaces(), stage.lights);
  if (overlay.has_joints) drawJoints(film, stage, character, pose, overlay);
  return left_out;
}

}  // namespace clipmill::render
