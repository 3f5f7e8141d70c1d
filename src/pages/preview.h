// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/file.h"
#include "core/limits.h"
#include "core/result.h"
#include "core/warnings.h"
#include "io/io.h"
#include "pipeline/report.h"

namespace clipmill::pages {

/// A clip of a model, as in its file.
struct PreviewClip {
  std::string name;
  double start_s = 0.0;
  double end_s = 0.0;
  double fps = 30.0;
  double animation_start_s = 0.0;  ///< Time of the clip at second 0 of its animation in the GLB.
};

/// A model that the preview shows: a GLB (io::GlbCopy) of one file, with its clips.
struct PreviewModel {
  std::string name;  ///< Shown on the page.
  Bytes glb;
  std::vector<int> source_of_node;   ///< Node::source_id of each node of the GLB.
  double units_per_file_unit = 1.0;  ///< Of lengths in the space of a node.
  std::vector<PreviewClip> clips;    ///< In the order of Scene::clips.
  std::vector<int> chosen_clips;     ///< Indices that the user asked for; empty for all.
  Warnings warnings;                 ///< Of reading, and what the GLB does not show.
};

/// Tetrahedra that move in a clip of the last model.
struct PreviewTets {
  std::string clip;  ///< Its name.
  Bytes file;        ///< As tetMotionFile() makes it.
};

/// What a page shows.
struct Preview {
  std::vector<PreviewModel> models;  ///< Before and after, or one alone.
  std::string report_json;           ///< Of the run between them; may be empty.
  std::vector<PreviewTets> tets = {};
  std::vector<int> focus = {};  ///< Node::source_id of a close-up, one a model; empty for none.
  bool follow = false;          ///< The page opens with the camera moving with the character.
};

/// The model of a file that was loaded with its meshes. `clips` are selectors as for
/// selectClips; the page opens with the first of them. Errors: those of selectClips and
/// io::glbCopyOf.
Result<PreviewModel> makePreviewModel(const io::Asset& asset, const std::vector<std::string>& clips,
                                      const io::Limits& limits);
/// The same for a file that is not loaded yet. Errors also: those of io::load.
Result<PreviewModel> loadPreviewModel(const std::filesystem::path& path,
                                      const std::vector<std::string>& clips,
                                      const io::Limits& limits);

/// The text of a report file, if it is one. Errors: those of readFile; kMalformed.
Result<std::string> loadPreviewReport(const std::filesystem::path& path, const io::Limits& limits);

/// Tetrahedra from a .tets file. Errors: those of readFile and checkTetMotion().
Result<PreviewTets> loadPreviewTets(const std::filesystem::path& path, const io::Limits& limits);

/// The preview of a run: `before`, what it wrote, its report, and the tetrahedra that were kept.
/// `part` is the report of one output. Errors: those of loadPreviewModel(), loadPreviewTets().
Result<Preview> previewOfRun(const PreviewModel& before, const pipeline::RunReport& part,
                             const io::Limits& limits);

/// The page of previews without data. Error: that of loadPageTemplate().
Result<std::string> loadPreviewTemplate();

/// The page with its data. The files' contents are base64, or JSON without a '<', in data blocks
/// that no browser runs. Error: kMalformed for a template without the mark for data.
Result<std::string> previewPage(std::string_view page_template, const Preview& preview);

/// Larger pages are slow to open; programs should warn.
inline constexpr std::size_t kLargePreviewBytes = std::size_t{64} << 20;

}  // namespace clipmill::pages
