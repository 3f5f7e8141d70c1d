// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <vector>

#include "render/camera.h"
#include "render/character.h"
#include "render/palette.h"
#include "render/sheet.h"
#include "render/stroke_font.h"

namespace clipmill::render {

/// A clip that a sheet or a movie draws.
struct ClipView {
  const SheetRow* given;
  Character character;
  std::vector<Vec3>
      root_trajectory;        ///< World positions of the root [m]; empty without root motion.
  std::vector<bool> focus;    ///< Nodes that must be visible; empty for all.
  std::vector<bool> changed;  ///< Nodes whose transforms differ from those of the first view.
};

/// The views of `rows`, without root trajectories and changes. What cannot be drawn becomes a
/// warning.
std::vector<ClipView> makeClipViews(const std::vector<SheetRow>& rows, Warnings& warnings);

/// Length of a clip [s]; 0 for none and where the length is not finite.
double durationOf(const Clip* clip);

/// Diagonal of the bounding box of all finite points.
double sizeOf(std::span<const Vec3> points);

/// World positions of the joints `time_s` after the start of the clip.
std::vector<Vec3> jointsAt(const Character& character, double time_s);

/// World positions of the root over the clip, evenly spaced in time.
std::vector<Vec3> rootTrajectoryOf(const Character& character);

/// The camera axes of a view. View::kAuto looks from the side at a character that travels or is
/// longer than wide, else from three quarters. `times_s` are the times at which the facing
/// direction is measured.
CameraAxes axesFor(const ClipView& shown, std::span<const double> times_s, View view);

/// Everything that must be visible. Shadows fall on y = 0 here; another ground height moves all of
/// them by the same step.
struct Extent {
  Outline character, shadow;  ///< Along camera axes.
  CameraBox world;

  void add(const CameraAxes& axes, const Vec3& to_light, const Vec3& p);
  void add(const Extent& other, const Vec3& shift = Vec3(0.0));
};

/// The extent of the joints and mesh vertices of a pose. With a `focus` (one flag a node), the
/// outlines are only those of joints in it and of vertices whose largest weight is on one of them.
Extent extentOf(const Character& character, const CharacterPose& pose, const CameraAxes& axes,
                const Vec3& to_light, const std::vector<bool>& focus = {});

/// The node of that name or glob, and all below it: one flag a node. Errors: those of
/// findOneNode().
Result<std::vector<bool>> focusOn(const Skeleton& skeleton, const std::string& pattern);

/// The mean position of the roots of all views, or with `of_focus` of the topmost nodes of their
/// focus: one a time [m]. The origin where there are none.
std::vector<Vec3> focusPositions(std::span<const ClipView> views, std::span<const double> times_s,
                                 bool of_focus);

/// Whether an extent has a finite size that a camera can frame.
bool canBeFramed(const CameraBox& world);

/// Height of the ground [m]: 0, or the lowest point where that is not near 0.
double groundOf(const CameraBox& world);

/// Distance between two lines of the ground [m]: a power of ten, such that `size` spans some lines
/// but not dozens.
double gridOf(double size);

/// Marks in every view but the first the nodes that differ from those of the first view at one of
/// the times. `size_m` is the size of what is drawn. Views with other nodes stay unmarked.
void markChanges(std::span<ClipView> views, std::span<const double> times_s, double size_m);

inline const TextStyle kStrong{11.0, 1.9, palette::kText, 1.0};
inline const TextStyle kPlain{10.0, 1.35, palette::kText, 1.0};
inline const TextStyle kQuiet{9.0, 1.2, palette::kQuietText, 1.0};

/// Draws text with a halo in the colour of the floor, so that lines of the ground stay off it.
void drawOnGround(Film& film, const Vec2& baseline_left, const std::string& text,
                  const TextStyle& style);

}  // namespace clipmill::render
