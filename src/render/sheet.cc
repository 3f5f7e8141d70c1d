// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/sheet.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/math.h"
#include "core/parallel.h"
#include "core/text.h"
#include "core/to_size.h"
#include "render/character.h"
#include "render/clip_view.h"
#include "render/film.h"
#include "render/palette.h"
#include "render/stage.h"
#include "render/stroke_font.h"

namespace clipmill::render {
namespace {

constexpr int kMaxWidth = 2400, kCellWidth = 320;  // pixels
constexpr int kMargin = 22, kGap = 6, kCaption = 34, kFoot = 30, kRowGap = 14;
constexpr int kLabel = 30;  // height of the strip with the frame number in a cell
constexpr double kCorner = 7.0;

// A frame that is shown: its number and its time after the start of the clip.
struct Shown {
  std::int64_t number = 0;
  double time_s = 0.0;
};

// Whether the last pose is the first again, within a hundredth of the character.
bool isLoop(const Character& character) {
  const std::vector<Vec3> first = jointsAt(character, 0.0);
  const std::vector<Vec3> last = jointsAt(character, durationOf(character.clip()));
  const double size = sizeOf(first);
  if (!(size > 0.0)) return false;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (!(lengthOf(first[i] - last[i]) <= 0.01 * size)) return false;
  }
  return true;
}

std::vector<Shown> framesOf(const Character& character, int count) {
  const double duration = durationOf(character.clip());
  const double stated_fps = character.clip() ? character.clip()->fps : 0.0;
  const double fps = stated_fps > 0.0 && stated_fps < 1e6 ? stated_fps : 30.0;
  std::vector<Shown> frames;
  if (duration <= 0.0) return {Shown{}};
  const bool loop = isLoop(character);
  const double steps = loop ? count : std::max(count - 1, 1);
  for (int i = 0; i < count; ++i) {
    const double number = std::floor(duration * fps * i / steps + 0.5);
    // Frames of absurd clips have no number that could be written.
    Shown shown{number < 1e15 ? static_cast<std::int64_t>(number) : 0,
                std::min(number / fps, duration)};
    if (frames.empty() || shown.time_s > frames.back().time_s) frames.push_back(shown);
  }
  return frames;
}

class SheetPainter {
 public:
  SheetPainter(std::vector<ClipView> rows, const SheetSettings& settings, Warnings warnings)
      : rows_(std::move(rows)), settings_(settings) {
    sheet_.warnings = std::move(warnings);
  }

  Result<Sheet> paint() {
    frames_ = framesOf(rows_[0].character, settings_.frames);
    for (const Shown& frame : frames_) times_s_.push_back(frame.time_s);
    for (ClipView& row : rows_) {
      row.root_trajectory = rootTrajectoryOf(row.character);
      if (!hasFocus()) continue;
      CLIPMILL_TRY(row.focus, focusOn(row.character.scene().skeleton, settings_.focus));
    }
    followed_.assign(frames_.size(), Vec3(0.0));
    if (settings_.follow) followed_ = focusPositions(rows_, times_s_, hasFocus());
    CLIPMILL_CHECK(setStage());
    markChanges(rows_, times_s_, size_m_);
    layOut();
    return std::move(sheet_);
  }

 private:
  ClipView& rowOf(std::size_t cell) { return rows_[cell / frames_.size()]; }
  const Shown& frameOf(std::size_t cell) const { return frames_[cell % frames_.size()]; }

  bool hasFocus() const { return !settings_.focus.empty(); }

  Status setStage() {
    const CameraAxes axes = axesFor(rows_[0], times_s_, settings_.view);
    stage_.lights = lightsFor(axes);
    std::vector<Extent> extents(rows_.size() * frames_.size());
    parallelFor(extents.size(), 1, settings_.threads, [&](std::size_t cell, std::size_t) {
      const ClipView& row = rowOf(cell);
      extents[cell] = extentOf(row.character, row.character.poseAt(frameOf(cell).time_s), axes,
                               stage_.lights.to_key, row.focus);
    });
    Extent all;
    CameraBox local;  // relative to the followed position
    for (std::size_t cell = 0; cell < extents.size(); ++cell) {
      const CameraBox& world = extents[cell].world;
      if (world.empty()) continue;
      const Vec3& followed = followed_[cell % frames_.size()];
      all.add(extents[cell], -inAxes(axes, followed));
      local.add(world.low - followed);
      local.add(world.high - followed);
    }
    if (!canBeFramed(all.world) || all.character.empty()) {
      return Error{ErrorCode::kUnsupported, rows_[0].given->title,
                   "has nothing that can be shown at the frames of this clip",
                   "choose another clip with --clip"};
    }
    frameStage(axes, all, local);
    return {};
  }

  // `world`: the box of all that is shown, relative to the followed position.
  void frameStage(const CameraAxes& axes, const Extent& all, CameraBox world) {
    stage_.ground_m = groundOf(all.world);
    const Vec3 to_light = stage_.lights.to_key;
    Outline outline = all.character;
    if (!hasFocus()) {
      outline.add(all.shadow, inAxes(axes, to_light * (stage_.ground_m / to_light.y)));
    }
    for (const ClipView& row : rows_) {
      if (hasFocus() || settings_.follow) continue;
      for (const Vec3& p : row.root_trajectory) {
        outline.add(inAxes(axes, Vec3(p.x, stage_.ground_m, p.z)));
        world.add(Vec3(p.x, stage_.ground_m, p.z));
      }
    }
    const Vec2 extent = outline.extent();
    const double least = std::max(1e-3 * lengthOf(world.high - world.low), 1e-6);
    const double shape = std::clamp((extent.y + least) / (extent.x + least), 0.45, 1.3);
    const int columns = static_cast<int>(frames_.size());
    cell_width_ = std::min(kCellWidth, (kMaxWidth - 2 * kMargin - kGap * (columns - 1)) / columns);
    image_height_ = static_cast<int>(shape * cell_width_ + 0.5);
    const double pad = 0.06 * cell_width_;
    stage_.camera = frameOutline(
        axes, outline, {pad, pad, cell_width_ - 2 * pad, std::max(image_height_ - 1.5 * pad, 1.0)});
    stage_.camera.eye += followed_[0];
    const Vec3 size = world.high - world.low;
    stage_.centre = followed_[0] + 0.5 * (world.low + world.high);
    const double across = std::sqrt(size.x * size.x + size.z * size.z);
    stage_.radius_m = 0.5 * across + 0.75 * std::max({size.y, 0.4 * across, least});
    stage_.grid_m = gridOf(std::max({size.x, size.y, size.z}));
    size_m_ = lengthOf(size);
  }

  Film drawCell(std::size_t cell, std::size_t& left_out) {
    Film film(cell_width_, image_height_ + kLabel, palette::kCell);
    const ClipView& row = rowOf(cell);
    const Shown& frame = frameOf(cell);
    const CharacterPose pose = row.character.poseAt(frame.time_s);
    Overlay overlay;
    overlay.changed = &row.changed;
    constexpr double kSmallestPath = 0.2;  // of all that is shown
    if (sizeOf(row.root_trajectory) > kSmallestPath * size_m_) {
      overlay.path = &row.root_trajectory;
      overlay.root = pose.worlds[toSize(row.character.root())].translation;
    }
    const Vec3 moved = followed_[cell % frames_.size()] - followed_[0];
    Stage stage = stage_;
    stage.camera.eye += moved;
    stage.centre += moved;
    left_out = drawStage(film, stage, row.character, pose, overlay);
    if (!row.character.clip()) return film;
    const double baseline = image_height_ + kLabel - 12.0;
    drawOnGround(film, Vec2(13.0, baseline), std::to_string(frame.number), kStrong);
    const std::string time = fixedText(frame.time_s, 2) + " s";
    const double time_px = cell_width_ - 13.0 - textWidth(time, kQuiet);
    if (time_px > 50.0) drawOnGround(film, Vec2(time_px, baseline), time, kQuiet);
    return film;
  }

  std::string captionOf(const ClipView& row) const {
    const Clip* clip = row.character.clip();
    std::string text = printable(row.given->title, 120);
    if (clip) text += "   " + (clip->name.empty() ? "(unnamed)" : printable(clip->name, 120));
    return text;
  }

  void layOut() {
    const int columns = static_cast<int>(frames_.size());
    const int cell_height = image_height_ + kLabel;
    const int row_height = kCaption + cell_height + kRowGap;
    const int width = 2 * kMargin + columns * cell_width_ + (columns - 1) * kGap;
    const int height = kMargin / 2 + static_cast<int>(rows_.size()) * row_height + kFoot;
    Film film(width, height, palette::kPaper);
    std::vector<std::optional<Film>> cells(rows_.size() * frames_.size());
    std::vector<std::size_t> left_out(cells.size(), 0);
    parallelFor(cells.size(), 1, settings_.threads, [&](std::size_t cell, std::size_t) {
      cells[cell] = drawCell(cell, left_out[cell]);
    });
    for (std::size_t cell = 0; cell < cells.size(); ++cell) {
      const int row = static_cast<int>(cell / frames_.size());
      const int column = static_cast<int>(cell % frames_.size());
      film.paste(*cells[cell], kMargin + column * (cell_width_ + kGap),
                 kMargin / 2 + row * row_height + kCaption, kCorner);
      if (left_out[cell]) {
        sheet_.warnings.add("triangle_not_shown", "a triangle cannot be projected onto the image",
                            rowOf(cell).given->title, left_out[cell]);
      }
    }
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      drawCaption(film, kMargin / 2 + static_cast<int>(r) * row_height + kCaption - 12, r);
    }
    drawFoot(film, height - kFoot + 12);
    sheet_.image = film.develop();
  }

  void drawCaption(Film& film, int baseline, std::size_t r) const {
    const ClipView& row = rows_[r];
    double x = kMargin + 2.0;
    const double right = film.width() - kMargin - 2.0;
    if (!row.given->label.empty()) {
      TextStyle style = kStrong;
      if (r > 0) style.color = palette::kAccent;
      drawText(film, Vec2(x, baseline), row.given->label, style);
      x += textWidth(row.given->label, style) + 16.0;
    }
    drawText(film, Vec2(x, baseline), fittedText(captionOf(row), right - x, kPlain), kPlain);
  }

  void drawFoot(Film& film, int baseline) const {
    const Clip* clip = rows_[0].character.clip();
    std::string text = "grid " + numberText(stage_.grid_m) + " m";
    if (clip) {
      text += "     " + fixedText(durationOf(clip), 2) + " s at " +
              fixedText(std::min(clip->fps, 1e6), 0) + " frames a second";
    }
    drawText(film, Vec2(kMargin + 2.0, baseline),
             fittedText(text, film.width() - 2.0 * kMargin, kQuiet), kQuiet);
  }

  std::vector<ClipView> rows_;
  SheetSettings settings_;
  std::vector<Shown> frames_;
  std::vector<double> times_s_;
  std::vector<Vec3> followed_;  // position that the camera moves with, one a frame
  Stage stage_;
  double size_m_ = 1.0;
  int cell_width_ = kCellWidth, image_height_ = kCellWidth;
  Sheet sheet_;
};

}  // namespace

Result<Sheet> drawSheet(const std::vector<SheetRow>& rows, const SheetSettings& settings) {
  if (rows.empty() || settings.frames < 1 || settings.frames > kMostFrames) {
    return Error{ErrorCode::kUsage, "", "a sheet needs a row and 1 to 24 frames", ""};
  }
  Warnings warnings;
  std::vector<ClipView> made = makeClipViews(rows, warnings);
  return SheetPainter(std::move(made), settings, std::move(warnings)).paint();
}

}  // namespace clipmill::render
