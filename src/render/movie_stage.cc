// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/movie_stage.h"

#include <algorithm>
#include <cmath>

#include "core/math.h"
#include "core/parallel.h"
#include "core/to_size.h"
#include "locomotion/root_motion.h"

namespace clipmill::render {
namespace {

constexpr double kSmoothing_s = 1.0;

double sizeOfFirstPose(std::span<const ClipView> views, double time_s) {
  double size_m = 0.0;
  for (const ClipView& view : views) {
    size_m = std::max(size_m, sizeOf(jointsAt(view.character, time_s)));
  }
  return size_m;
}

// What must be visible over all frames, seen from the followed position.
struct FollowedExtent {
  Extent all;       // outlines relative to the followed position, box in the world
  CameraBox local;  // box relative to the followed position

  void add(const CameraAxes& axes, const Extent& extent, const Vec3& followed) {
    if (extent.world.empty()) return;
    all.add(extent, -inAxes(axes, followed));
    local.add(extent.world.low - followed);
    local.add(extent.world.high - followed);
  }
};

FollowedExtent measure(std::span<const ClipView> views, std::span<const double> times_s,
                       const std::vector<Vec3>& followed, const CameraAxes& axes,
                       const Vec3& to_light, int threads) {
  std::vector<Extent> extents(views.size() * times_s.size());
  parallelFor(extents.size(), 1, threads, [&](std::size_t i, std::size_t) {
    const ClipView& view = views[i / times_s.size()];
    const CharacterPose pose = view.character.poseAt(times_s[i % times_s.size()]);
    extents[i] = extentOf(view.character, pose, axes, to_light, view.focus);
  });
  FollowedExtent sum;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    sum.add(axes, extents[i], followed[i % times_s.size()]);
  }
  return sum;
}

}  // namespace

Stage MovieStage::at(std::size_t frame) const {
  const Vec3 moved = followed[frame] - followed[0];
  Stage stage = first;
  stage.camera.eye += moved;
  stage.centre += moved;
  return stage;
}

std::vector<Vec3> followedPositions(const std::vector<Vec3>& roots_m, double fps,
                                    double character_m) {
  constexpr double kStillGround = 1.0 / 3.0, kStillHeight = 1.0;  // of the character
  if (roots_m.empty()) return {};
  CameraBox box;
  for (const Vec3& p : roots_m) box.add(p);
  const Vec3 range = box.high - box.low, middle = 0.5 * (box.low + box.high);
  const bool is_on_spot = lengthOf(Vec3(range.x, 0.0, range.z)) <= kStillGround * character_m;
  const bool is_level = range.y <= kStillHeight * character_m;
  const auto last = static_cast<double>(roots_m.size() - 1);
  const TimeGrid grid{0.0, last / fps, fps, roots_m.size()};
  std::vector<Vec3> followed = locomotion::smoothed(roots_m, grid, kSmoothing_s);
  for (Vec3& p : followed) {
    if (is_on_spot) p = Vec3(middle.x, p.y, middle.z);
    if (is_level) p.y = middle.y;
  }
  return followed;
}

Result<MovieStage> makeMovieStage(std::span<const ClipView> views, std::span<const double> times_s,
                                  double fps, const Frame& frame, View view, int threads,
                                  bool follow_focus) {
  const CameraAxes axes = axesFor(views[0], times_s, view);
  MovieStage made;
  made.first.lights = lightsFor(axes);
  const Vec3& to_light = made.first.lights.to_key;
  made.followed = focusPositions(views, times_s, follow_focus);
  if (!follow_focus) {
    made.followed = followedPositions(made.followed, fps, sizeOfFirstPose(views, times_s[0]));
  }
  FollowedExtent extent = measure(views, times_s, made.followed, axes, to_light, threads);
  if (!canBeFramed(extent.all.world) || extent.all.character.empty()) {
    return Error{ErrorCode::kUnsupported, views[0].given->title,
                 "has nothing that can be shown at the frames of this clip",
                 "choose another clip with --clip"};
  }
  Stage& stage = made.first;
  stage.ground_m = groundOf(extent.all.world);
  Outline outline = extent.all.character;
  if (views[0].focus.empty()) {
    outline.add(extent.all.shadow, inAxes(axes, to_light * (stage.ground_m / to_light.y)));
  }
  stage.camera = frameOutline(axes, outline, frame);
  stage.camera.eye += made.followed[0];
  const Vec3 size = extent.local.high - extent.local.low;
  made.size_m = std::max(lengthOf(size), 1e-6);
  stage.centre = made.followed[0] + 0.5 * (extent.local.low + extent.local.high);
  const double across = std::sqrt(size.x * size.x + size.z * size.z);
  stage.radius_m = 0.5 * across + 0.75 * std::max({size.y, 0.4 * across, 1e-3 * made.size_m});
  stage.grid_m = gridOf(std::max({size.x, size.y, size.z}));
  return made;
}

}  // namespace clipmill::render
