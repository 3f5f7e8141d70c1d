// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "core/limits.h"
#include "core/result.h"
#include "pipeline/report.h"
#include "pipeline/run.h"

namespace clipmill::cli {

/// What shows the clips of a merge; empty paths for nothing.
struct MergeImages {
  std::string sheet;  ///< PNG.
  std::string page;   ///< HTML.
};

/// Error: kUsage for a sheet whose name does not end with .png.
Status checkImages(const MergeImages& images);

/// Draws the added clips of what a merge has written: a contact sheet with a row for each, on
/// several files "sheet_2.png" where one would have more than 100 rows, and a page. Errors: those
/// of io::load, drawSheet() and the page.
Status drawMerged(const MergeImages& images, const pipeline::RunReport& report,
                  const io::Limits& limits, int threads,
                  const pipeline::ProgressCallback& progress);

}  // namespace clipmill::cli
