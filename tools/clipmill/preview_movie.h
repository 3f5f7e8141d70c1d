// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include <CLI/App.hpp>

#include "core/result.h"
#include "render/movie.h"

namespace clipmill::cli {

/// What the user asks for with --movie.
struct MovieOptions {
  std::string path;  ///< Empty for no movie.
  bool no_labels = false;
  render::MovieSettings settings;
};

/// Adds --movie and its options to a command.
void addMovieOptions(CLI::App& command, MovieOptions& options);

/// Whether the output has the extension that a movie needs. Error: kUsage.
Status checkMoviePath(const MovieOptions& options);

/// Draws `rows` as a movie, writes it, and logs its size and warnings. Errors: those of
/// checkMoviePath(), render::drawMovie() and writeFileAtomically().
Status writeMovie(const MovieOptions& options, const std::vector<render::SheetRow>& rows);

}  // namespace clipmill::cli
