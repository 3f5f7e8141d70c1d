// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/sheet.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/parallel.h"
#include "core/text.h"
#include "render/figure.h"
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

double lengthOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

const TextStyle kStrong{11.0, 1.9, palette::kText, 1.0};
const TextStyle kPlain{10.0, 1.35, palette::kText, 1.0};
const TextStyle kQuiet{9.0, 1.2, palette::kQuietText, 1.0};

// A frame that is shown: its number and its time after the begin of the clip.
struct Shown {
  std::int64_t number = 0;
  double time_s = 0.0;
};

struct Row {
  const SheetRow* given;
  Figure figure;
  std::vector<Vec3> way;  // of the root, empty where it stays
  std::vector<bool> changed;
};

// -- What is shown

double durationOf(const Clip* clip) {
  const double length = clip ? clip->end_s - clip->begin_s : 0.0;
  return length > 0.0 && std::isfinite(length) ? length : 0.0;
}

double sizeOf(std::span<const Vec3> points) {
  CameraBox box;
  for (const Vec3& p : points) {
    if (isFinite(p)) box.add(p);
  }
  return box.empty() ? 0.0 : lengthOf(box.high - box.low);
}

std::vector<Vec3> jointsAt(const Figure& figure, double time_s) {
  const FigurePose pose = figure.poseAt(time_s, false);
  std::vector<Vec3> points;
  for (int joint : figure.joints()) {
    points.push_back(pose.worlds[static_cast<std::size_t>(joint)].translation);
  }
  return points;
}

// Whether the last pose is the first again, within a hundredth of the figure.
bool isLoop(const Figure& figure) {
  const std::vector<Vec3> first = jointsAt(figure, 0.0);
  const std::vector<Vec3> last = jointsAt(figure, durationOf(figure.clip()));
  const double size = sizeOf(first);
  if (!(size > 0.0)) return false;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (!(lengthOf(first[i] - last[i]) <= 0.01 * size)) return false;
  }
  return true;
}

std::vector<Shown> framesOf(const Figure& figure, int count) {
  const double duration = durationOf(figure.clip());
  const double told = figure.clip() ? figure.clip()->fps : 0.0;
  const double fps = told > 0.0 && told < 1e6 ? told : 30.0;
  std::vector<Shown> frames;
  if (duration <= 0.0) return {Shown{}};
  const bool loop = isLoop(figure);
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

std::vector<Vec3> wayOf(const Figure& figure) {
  constexpr int kPoints = 160;
  std::vector<Vec3> way;
  const double duration = durationOf(figure.clip());
  if (figure.root() < 0 || duration <= 0.0) return way;
  for (int i = 0; i <= kPoints; ++i) {
    const FigurePose pose = figure.poseAt(duration * i / kPoints, false);
    const Vec3 at = pose.worlds[static_cast<std::size_t>(figure.root())].translation;
    if (isFinite(at)) way.push_back(at);
  }
  return way;
}

// Whether a figure is longer than wide, as animals are: from the front little of it is seen.
bool isLong(std::span<const Vec3> joints, const Vec3& facing) {
  CameraBox box;
  const CameraAxes axes{glm::cross(Vec3(0, 1, 0), facing), Vec3(0, 1, 0), facing};
  for (const Vec3& p : joints) {
    if (isFinite(p)) box.add(inAxes(axes, p));
  }
  const Vec3 size = box.high - box.low;
  return !box.empty() && size.z > 1.5 * size.x;
}

// -- The stage

// Everything that must be in the picture. Shadows fall on y = 0 here; another ground moves all of
// them by the same step.
struct Extent {
  Outline figure, shadow;  // along camera axes
  CameraBox world;

  void add(const CameraAxes& axes, const Vec3& to_light, const Vec3& p) {
    if (!isFinite(p)) return;
    world.add(p);
    figure.add(inAxes(axes, p));
    shadow.add(inAxes(axes, p - to_light * (p.y / to_light.y)));
  }
  void add(const Extent& other) {
    if (other.world.empty()) return;
    figure.add(other.figure);
    shadow.add(other.shadow);
    world.add(other.world.low);
    world.add(other.world.high);
  }
};

double groundOf(const CameraBox& world) {
  const double height = world.high.y - world.low.y;
  const bool stands = world.low.y > -0.12 * height && world.low.y < 0.35 * height;
  return stands ? 0.0 : world.low.y;
}

// Powers of ten, so that a figure spans some lines but not dozens.
double gridOf(double size) {
  double grid = 1.0;
  while (size > 12.0 * grid && grid < 1e9) grid *= 10.0;
  while (size < 0.8 * grid && grid > 1e-9) grid /= 10.0;
  return grid;
}

class SheetPainter {
 public:
  SheetPainter(std::vector<Row> rows, const SheetSettings& settings, Warnings warnings)
      : rows_(std::move(rows)), settings_(settings) {
    sheet_.warnings = std::move(warnings);
  }

  Result<Sheet> paint() {
    frames_ = framesOf(rows_[0].figure, settings_.frames);
    for (Row& row : rows_) row.way = wayOf(row.figure);
    CLIPMILL_CHECK(setStage());
    markChanged();
    layOut();
    return std::move(sheet_);
  }

 private:
  Row& rowOf(std::size_t cell) { return rows_[cell / frames_.size()]; }
  const Shown& frameOf(std::size_t cell) const { return frames_[cell % frames_.size()]; }

  // The view, told by where the figure faces or goes.
  CameraAxes chooseAxes() const {
    const Figure& figure = rows_[0].figure;
    // Over all frames: in one of them a stride or a gesture turns what is left.
    Vec3 left(0.0);
    for (const Shown& frame : frames_) {
      left += leftOf(figure.scene().skeleton, figure.poseAt(frame.time_s, false).worlds);
    }
    Vec3 facing = facingFrom(left);
    View view = settings_.view == View::kAuto ? View::kThreeQuarter : settings_.view;
    const std::vector<Vec3>& way = rows_[0].way;
    if (settings_.view == View::kAuto && !way.empty()) {
      const Vec3 step = way.back() - way.front();
      const Vec3 flat(step.x, 0.0, step.z);
      if (lengthOf(flat) > 0.5 * sizeOf(jointsAt(figure, 0.0))) {
        facing = flat / lengthOf(flat);
        view = View::kAuto;
      }
    }
    if (settings_.view == View::kAuto && isLong(jointsAt(figure, frames_[0].time_s), facing)) {
      view = View::kAuto;
    }
    return axesOf(view, facing);
  }

  Status setStage() {
    const CameraAxes axes = chooseAxes();
    stage_.lights = lightsFor(axes);
    std::vector<Extent> extents(rows_.size() * frames_.size());
    parallelFor(extents.size(), 1, settings_.threads, [&](std::size_t cell, std::size_t) {
      const Figure& figure = rowOf(cell).figure;
      const FigurePose pose = figure.poseAt(frameOf(cell).time_s);
      for (const PosedMesh& mesh : pose.meshes) {
        for (const Vec3& p : mesh.positions) extents[cell].add(axes, stage_.lights.to_key, p);
      }
      for (int joint : figure.joints()) {
        extents[cell].add(axes, stage_.lights.to_key,
                          pose.worlds[static_cast<std::size_t>(joint)].translation);
      }
    });
    Extent all;
    for (const Extent& extent : extents) all.add(extent);
    constexpr double kLargest = 1e12;  // metres; beyond it differences are lost
    const Vec3 size = all.world.high - all.world.low;
    if (all.world.empty() || !(lengthOf(size) < kLargest) ||
        !(lengthOf(all.world.low) < kLargest)) {
      return Error{ErrorCode::kUnsupported, rows_[0].given->title,
                   "has nothing that can be shown at the frames of this clip",
                   "choose another clip with --clip"};
    }
    frameStage(axes, all);
    return {};
  }

  void frameStage(const CameraAxes& axes, const Extent& all) {
    stage_.ground_m = groundOf(all.world);
    const Vec3 to_light = stage_.lights.to_key;
    Outline outline = all.figure;
    outline.add(all.shadow, inAxes(axes, to_light * (stage_.ground_m / to_light.y)));
    CameraBox world = all.world;
    for (const Row& row : rows_) {
      for (const Vec3& p : row.way) {
        outline.add(inAxes(axes, Vec3(p.x, stage_.ground_m, p.z)));
        world.add(Vec3(p.x, stage_.ground_m, p.z));
      }
    }
    const Vec2 extent = outline.extent();
    const double least = std::max(1e-3 * lengthOf(world.high - world.low), 1e-6);
    const double shape = std::clamp((extent.y + least) / (extent.x + least), 0.45, 1.3);
    const int columns = static_cast<int>(frames_.size());
    cell_width_ = std::min(kCellWidth, (kMaxWidth - 2 * kMargin - kGap * (columns - 1)) / columns);
    picture_height_ = static_cast<int>(shape * cell_width_ + 0.5);
    const double pad = 0.06 * cell_width_;
    stage_.camera =
        frameOutline(axes, outline,
                     {pad, pad, cell_width_ - 2 * pad, std::max(picture_height_ - 1.5 * pad, 1.0)});
    const Vec3 size = world.high - world.low;
    stage_.centre = 0.5 * (world.low + world.high);
    const double across = std::sqrt(size.x * size.x + size.z * size.z);
    stage_.radius_m = 0.5 * across + 0.75 * std::max({size.y, 0.4 * across, least});
    stage_.grid_m = gridOf(std::max({size.x, size.y, size.z}));
    size_m_ = lengthOf(size);
  }

  void markChanged() {
    const Figure& first = rows_[0].figure;
    const Mat3& metric = first.scene().metric_from_file.linear;
    const double unit = std::max(lengthOf(metric[0]), 1e-12);
    for (std::size_t r = 1; r < rows_.size(); ++r) {
      const Figure& other = rows_[r].figure;
      if (!haveSameNodes(first.scene().skeleton, other.scene().skeleton)) continue;
      for (const Shown& frame : frames_) {
        markChanges(first.poseAt(frame.time_s, false).pose, other.poseAt(frame.time_s, false).pose,
                    size_m_ / unit, rows_[r].changed);
      }
    }
  }

  // Lines of the ground keep off the letters.
  static void drawOnGround(Film& film, const Vec2& at, const std::string& text, TextStyle style) {
    TextStyle halo = style;
    halo.color = palette::kFloor;
    halo.weight = style.weight + 6.0;
    drawText(film, at, text, halo);
    drawText(film, at, text, style);
  }

  Film drawCell(std::size_t cell, std::size_t& left_out) {
    Film film(cell_width_, picture_height_ + kLabel, palette::kCell);
    const Row& row = rowOf(cell);
    const Shown& frame = frameOf(cell);
    const FigurePose pose = row.figure.poseAt(frame.time_s);
    Overlay overlay;
    overlay.changed = &row.changed;
    constexpr double kSmallestWay = 0.2;  // of all that is shown
    if (sizeOf(row.way) > kSmallestWay * size_m_) {
      overlay.way = &row.way;
      overlay.root = pose.worlds[static_cast<std::size_t>(row.figure.root())].translation;
    }
    left_out = drawStage(film, stage_, row.figure, pose, overlay);
    if (!row.figure.clip()) return film;
    const double baseline = picture_height_ + kLabel - 12.0;
    drawOnGround(film, Vec2(13.0, baseline), std::to_string(frame.number), kStrong);
    const std::string time = fixedText(frame.time_s, 2) + " s";
    const double room = cell_width_ - 13.0 - textWidth(time, kQuiet);
    if (room > 50.0) drawOnGround(film, Vec2(room, baseline), time, kQuiet);
    return film;
  }

  std::string captionOf(const Row& row) const {
    const Clip* clip = row.figure.clip();
    std::string text = printable(row.given->title, 120);
    if (clip) text += "   " + (clip->name.empty() ? "(unnamed)" : printable(clip->name, 120));
    return text;
  }

  void layOut() {
    const int columns = static_cast<int>(frames_.size());
    const int cell_height = picture_height_ + kLabel;
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
        sheet_.warnings.add("triangle_not_shown", "a triangle has no place in the picture",
                            rowOf(cell).given->title, left_out[cell]);
      }
    }
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      drawCaption(film, kMargin / 2 + static_cast<int>(r) * row_height + kCaption - 12, r);
    }
    drawFoot(film, height - kFoot + 12);
    sheet_.picture = film.develop();
  }

  void drawCaption(Film& film, int baseline, std::size_t r) const {
    const Row& row = rows_[r];
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
    const Clip* clip = rows_[0].figure.clip();
    std::string text = "grid " + numberText(stage_.grid_m) + " m";
    if (clip) {
      text += "     " + fixedText(durationOf(clip), 2) + " s at " +
              fixedText(std::min(clip->fps, 1e6), 0) + " frames a second";
    }
    drawText(film, Vec2(kMargin + 2.0, baseline),
             fittedText(text, film.width() - 2.0 * kMargin, kQuiet), kQuiet);
  }

  std::vector<Row> rows_;
  SheetSettings settings_;
  std::vector<Shown> frames_;
  Stage stage_;
  double size_m_ = 1.0;
  int cell_width_ = kCellWidth, picture_height_ = kCellWidth;
  Sheet sheet_;
};

}  // namespace

Result<Sheet> drawSheet(const std::vector<SheetRow>& rows, const SheetSettings& settings) {
  if (rows.empty() || settings.frames < 1 || settings.frames > kMostFrames) {
    return Error{ErrorCode::kUsage, "", "a sheet needs a row and 1 to 24 frames", ""};
  }
  Warnings warnings;
  std::vector<Row> made;
  for (const SheetRow& row : rows) {
    made.push_back({&row, Figure(*row.scene, row.clip, warnings), {}, {}});
  }
  return SheetPainter(std::move(made), settings, std::move(warnings)).paint();
}

}  // namespace clipmill::render
