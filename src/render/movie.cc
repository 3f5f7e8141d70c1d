// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "render/movie.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/parallel.h"
#include "core/text.h"
#include "core/to_size.h"
#include "render/clip_view.h"
#include "render/movie_stage.h"
#include "render/webp.h"

namespace clipmill::render {
namespace {

constexpr int kPanelGap = 4;        // pixels between two panels
constexpr double kLabelRow = 14.0;  // height of a row of labels [px]
constexpr double kInset = 10.0;     // of labels from the edge of a panel [px]
constexpr std::size_t kBlock = 16;  // frames that are in memory at once
constexpr std::size_t kMaxPanels = 2;

bool isInRange(const MovieSettings& settings) {
  const auto within = [](auto value, auto low, auto high) { return value >= low && value <= high; };
  return within(settings.fps, kMinMovieFps, kMaxMovieFps) &&
         within(settings.width, kMinPanel_px, kMaxPanel_px) &&
         within(settings.height, kMinPanel_px, kMaxPanel_px) &&
         within(settings.max_s, kMinMovie_s, kMaxMovie_s) && within(settings.quality, 0.0, 100.0);
}

class MoviePainter {
 public:
  MoviePainter(std::vector<ClipView> views, const MovieSettings& settings, Movie& movie)
      : views_(std::move(views)), settings_(settings), movie_(movie) {}

  Status paint() {
    CLIPMILL_CHECK(chooseFrames());
    for (ClipView& view : views_) {
      view.root_trajectory = rootTrajectoryOf(view.character);
      if (settings_.focus.empty()) continue;
      CLIPMILL_TRY(view.focus, focusOn(view.character.scene().skeleton, settings_.focus));
    }
    CLIPMILL_TRY(stage_, makeMovieStage(views_, frames().times_s, settings_.fps, frameOfCharacter(),
                                        settings_.view, settings_.threads, settings_.follow));
    if (settings_.has_joints) markChanges(views_, frames().times_s, stage_.size_m);
    return drawFrames();
  }

 private:
  const MovieFrames& frames() const { return movie_.frames; }

  Status chooseFrames() {
    double duration_s = 0.0;
    for (const ClipView& view : views_) {
      duration_s = std::max(duration_s, durationOf(view.character.clip()));
    }
    if (duration_s < 1e-3) {
      return Error{ErrorCode::kUnsupported, views_[0].given->title, "has no clip that lasts",
                   "draw a contact sheet instead (--sheet)"};
    }
    if (duration_s > settings_.max_s) {
      movie_.warnings.add("movie_shortened",
                          "the movie ends after " + numberText(settings_.max_s) +
                              " s, before the clip does: raise --movie-seconds",
                          views_[0].given->title);
    }
    movie_.frames = movieFrames(std::min(duration_s, settings_.max_s), settings_.fps);
    return {};
  }

  // Labels get a row of their own above and below the character.
  Frame frameOfCharacter() const {
    const double w = settings_.width, h = settings_.height;
    const double margin = settings_.focus.empty() ? 0.04 : 0.1;  // close-ups show the surroundings
    const double pad = margin * std::min(w, h), labels = hasLabels() ? kLabelRow : 0.0;
    return {pad, pad + labels, w - 2.0 * pad, h - 2.0 * (pad + labels)};
  }

  // Panels that are smaller than this have no space for text.
  bool hasLabels() const {
    return settings_.has_labels && settings_.width >= 120 && settings_.height >= 120;
  }

  Film drawPanel(std::size_t panel, std::size_t frame, std::size_t& left_out) const {
    Film film(settings_.width, settings_.height, palette::kCell);
    const ClipView& view = views_[panel];
    const CharacterPose pose = view.character.poseAt(frames().times_s[frame]);
    Overlay overlay;
    overlay.has_joints = settings_.has_joints;
    overlay.changed = &view.changed;
    constexpr double kSmallestTrajectory = 0.2;  // of the character
    if (sizeOf(view.root_trajectory) > kSmallestTrajectory * stage_.size_m) {
      overlay.path = &view.root_trajectory;
      overlay.root = pose.worlds[toSize(view.character.root())].translation;
    }
    left_out = drawStage(film, stage_.at(frame), view.character, pose, overlay);
    if (hasLabels()) drawLabels(film, panel, frame);
    return film;
  }

  void drawLabels(Film& film, std::size_t panel, std::size_t frame) const {
    const ClipView& view = views_[panel];
    const double right = film.width() - kInset, bottom = film.height() - kInset;
    double x = kInset;
    if (!view.given->label.empty()) {
      TextStyle style = kStrong;
      if (panel > 0) style.color = palette::kAccent;
      drawText(film, Vec2(x, kInset + style.cap_height), view.given->label, style);
      x += textWidth(view.given->label, style) + 12.0;
    }
    const Clip* clip = view.character.clip();
    const std::string name = clip ? printable(clip->name, 120) : "";
    // A name that has no space is left out: a part of it would be no help.
    if (textWidth(name, kPlain) <= right - x) {
      drawText(film, Vec2(x, kInset + kStrong.cap_height), name, kPlain);
    }
    if (settings_.focus.empty()) {
      drawOnGround(film, Vec2(kInset, bottom), "grid " + numberText(stage_.first.grid_m) + " m",
                   kQuiet);
    }
    const std::string time = fixedText(frames().times_s[frame], 2) + " s";
    drawOnGround(film, Vec2(right - textWidth(time, kQuiet), bottom), time, kQuiet);
  }

  Image drawFrame(std::size_t frame, std::vector<std::size_t>& left_out) const {
    const int panels = static_cast<int>(views_.size());
    Film film(panels * settings_.width + (panels - 1) * kPanelGap, settings_.height,
              palette::kPaper);
    for (int panel = 0; panel < panels; ++panel) {
      const auto p = toSize(panel);
      film.paste(drawPanel(p, frame, left_out[p]), panel * (settings_.width + kPanelGap), 0, 0.0);
    }
    return film.develop();
  }

  // Frames are drawn in parallel and packed one after the other, a block at a time.
  Status drawFrames() {
    const int panels = static_cast<int>(views_.size());
    CLIPMILL_TRY(WebpWriter writer,
                 WebpWriter::make(panels * settings_.width + (panels - 1) * kPanelGap,
                                  settings_.height, settings_.quality));
    const std::size_t count = frames().times_s.size();
    for (std::size_t first = 0; first < count; first += kBlock) {
      const std::size_t size = std::min(kBlock, count - first);
      std::vector<Image> drawn(size);
      std::vector<std::vector<std::size_t>> left_out(size, std::vector<std::size_t>(views_.size()));
      parallelFor(size, 1, settings_.threads, [&](std::size_t i, std::size_t) {
        drawn[i] = drawFrame(first + i, left_out[i]);
      });
      for (std::size_t i = 0; i < size; ++i) {
        CLIPMILL_CHECK(writer.add(drawn[i], frames().start_ms[first + i]));
        countLeftOut(left_out[i]);
      }
    }
    CLIPMILL_TRY(movie_.webp, writer.finish(frames().end_ms));
    return {};
  }

  void countLeftOut(const std::vector<std::size_t>& left_out) {
    for (std::size_t panel = 0; panel < left_out.size(); ++panel) {
      if (left_out[panel] == 0) continue;
      movie_.warnings.add("triangle_not_shown", "a triangle is outside of what can be drawn",
                          views_[panel].given->title, left_out[panel]);
    }
  }

  std::vector<ClipView> views_;
  MovieSettings settings_;
  Movie& movie_;
  MovieStage stage_;
};

}  // namespace

MovieFrames movieFrames(double duration_s, double fps) {
  MovieFrames frames;
  const auto rounded = [](double time_s) {
    return static_cast<int>(std::floor(1000.0 * time_s + 0.5));
  };
  frames.end_ms = rounded(duration_s);
  const double least_ms = std::max(20.0, 500.0 / fps);
  for (std::size_t i = 0;
       i == 0 || frames.end_ms - rounded(static_cast<double>(i) / fps) >= least_ms; ++i) {
    frames.times_s.push_back(static_cast<double>(i) / fps);
    frames.start_ms.push_back(rounded(frames.times_s.back()));
  }
  return frames;
}

Result<Movie> drawMovie(const std::vector<SheetRow>& rows, const MovieSettings& settings) {
  if (rows.empty() || rows.size() > kMaxPanels || !isInRange(settings)) {
    return Error{
        ErrorCode::kUsage, "",
        "a movie has 1 or 2 panels of 64 to 1920 pixels, 1 to 50 frames a second, and lasts "
        "0.1 to 120 s",
        ""};
  }
  Movie movie;
  std::vector<ClipView> views = makeClipViews(rows, movie.warnings);
  CLIPMILL_CHECK(MoviePainter(std::move(views), settings, movie).paint());
  return movie;
}

}  // namespace clipmill::render
