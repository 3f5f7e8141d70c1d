// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/split.h"

#include <utility>

#include "core/to_size.h"
#include "io/new_file.h"
#include "pipeline/clip_choice.h"
#include "pipeline/output_names.h"

namespace clipmill::pipeline {
Status splitClips(const std::filesystem::path& input, const std::filesystem::path& output,
                  const SplitOptions& options, SplitReport& report) {
  CLIPMILL_TRY(io::Asset source,
               io::load(input, {!options.skeleton_only, options.limits, options.arrays}));
  const auto chosen = selectClips(source.scene, options.clips);
  if (!chosen) return within(input.string(), chosen.error());
  if (chosen->empty()) {
    return Error{ErrorCode::kNotFound, input.string(), "has no clips", "use a file with animation"};
  }
  const auto names = distinctOutputNamesOf(output, clipLabels(source.scene, *chosen));
  report.warnings = source.scene.warnings;
  const std::vector<Clip> clips = std::exchange(source.scene.clips, {});
  io::Asset one = io::newAsset(std::move(source.scene), options.limits);
  for (const std::filesystem::path& name : names) CLIPMILL_CHECK(io::checkOutput(one, name));
  for (std::size_t i = 0; i < names.size(); ++i) {
    one.scene.clips = {clips[toSize((*chosen)[i])]};
    CLIPMILL_TRY(const Warnings conversion_loss, io::save(one, {}, names[i], options.keys));
    report.warnings.merge(conversion_loss);
    report.written.push_back(names[i]);
  }
  return {};
}

}  // namespace clipmill::pipeline
