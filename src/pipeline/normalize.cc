// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/normalize.h"

#include <utility>

#include "io/new_file.h"

namespace clipmill::pipeline {

const SettingsTable& normalizeTable() {
  using S = retarget::NormalizeSettings;
  static const SettingsTable table =
      SettingsTableBuilder<S>()
          .flag("armature_scale", &S::armature_scale,
                "move a scale of the armature, such as 100 or 0.01, into joints and bind matrices")
          .flag("up_axis", &S::up_axis, "rotate a character whose up axis is another one to y up")
          .flag("facing", &S::facing, "rotate a character by steps of 90 degrees to face +z")
          .flag("scale_tracks", &S::scale_tracks,
                "remove tracks of scales that stay those of the rest pose")
          .flag("duplicate_frames", &S::duplicate_frames,
                "replace a frame that repeats the one before in a movement by the cubic through "
                "its neighbours")
          .build();
  return table;
}

Status normalizeFile(const std::filesystem::path& input, const std::filesystem::path& output,
                     const NormalizeOptions& options, NormalizeReport& report) {
  CLIPMILL_TRY(const io::Asset source, io::load(input, {true, options.limits}));
  CLIPMILL_CHECK(io::checkOutput(source, output));
  report.warnings = source.scene.warnings;
  auto mended = retarget::normalizeScene(source.scene, options.settings, options.limits);
  if (!mended) return within(input.string(), mended.error());
  report.found = mended->found;
  if (report.found.empty()) {
    CLIPMILL_TRY(const Warnings written, io::save(source, {}, output, options.keys));
    report.warnings.merge(written);
    return {};
  }
  const Warnings dropped = source.document->conversionLoss();
  const io::Asset made = io::newAsset(std::move(mended->scene), options.limits);
  CLIPMILL_CHECK(io::checkOutput(made, output));
  CLIPMILL_TRY(const Warnings written, io::save(made, {}, output, options.keys));
  report.warnings.merge(dropped);
  report.warnings.merge(written);
  return {};
}

}  // namespace clipmill::pipeline
