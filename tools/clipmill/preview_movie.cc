// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "preview_movie.h"

#include <filesystem>

#include "core/file.h"
#include "core/log.h"
#include "core/text.h"

namespace clipmill::cli {

void addMovieOptions(CLI::App& command, MovieOptions& options) {
  using render::kMaxPanel_px, render::kMinPanel_px;
  render::MovieSettings& settings = options.settings;
  command.add_option(
      "--movie", options.path,
      "write an animated WebP, before and after side by side; the camera follows the "
      "character");
  command.add_option("--movie-fps", settings.fps, "frame rate of the movie [Hz]")
      ->check(CLI::Range(render::kMinMovieFps, render::kMaxMovieFps))
      ->capture_default_str();
  command.add_option("--movie-width", settings.width, "width of each panel of the movie [px]")
      ->check(CLI::Range(kMinPanel_px, kMaxPanel_px))
      ->capture_default_str();
  command.add_option("--movie-height", settings.height, "height of each panel of the movie [px]")
      ->check(CLI::Range(kMinPanel_px, kMaxPanel_px))
      ->capture_default_str();
  command
      .add_option("--movie-seconds", settings.max_s,
                  "maximum length of the movie [s]; a longer clip is shortened, with a warning")
      ->check(CLI::Range(render::kMinMovie_s, render::kMaxMovie_s))
      ->capture_default_str();
  command
      .add_option(
          "--movie-quality", settings.quality,
          "quality of the lossy compression; from 80 on every frame is compressed on its own, "
          "which leaves no marks of earlier frames and makes the file larger by a third")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  command.add_flag("--movie-joints", settings.has_joints,
                   "draw joints and bones over the character, those that changed in orange");
  command.add_flag("--no-movie-labels", options.no_labels, "draw no text in the movie");
}

Status checkMoviePath(const MovieOptions& options) {
  std::string extension = std::filesystem::path(options.path).extension().string();
  for (char& c : extension) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (options.path.empty() || extension == ".webp") return {};
  return Error{ErrorCode::kUsage, options.path, "a movie is an animated WebP",
               "give --movie a name that ends with .webp"};
}

Status writeMovie(const MovieOptions& options, const std::vector<render::SheetRow>& rows) {
  CLIPMILL_CHECK(checkMoviePath(options));
  render::MovieSettings settings = options.settings;
  settings.has_labels = !options.no_labels;
  CLIPMILL_TRY(const render::Movie movie, render::drawMovie(rows, settings));
  for (const Warning& warning : movie.warnings.all()) {
    log::warning(warning.text + " (" + counted(warning.count, "time") +
                 ", first: " + warning.first + ")");
  }
  return writeFileAtomically(options.path, movie.webp);
}

}  // namespace clipmill::cli
