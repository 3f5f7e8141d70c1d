// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/warnings.h"
#include "io/arrays/npy.h"
#include "io/io.h"

namespace clipmill::pipeline {

using NamedArrays = std::vector<std::pair<std::string, io::arrays::Array>>;

/// The joints of a clip as arrays of T frames and J joints, in metres, y up. Joints are those of
/// the skins and what is between and above them as far as the clip moves it; without a skin all
/// nodes.
///
/// positions (T, J, 3): in the world. rotations (T, J, 4): quaternions w, x, y, z relative to the
/// parent joint, without jumps of sign. rotations_6d (T, J, 6): the first two columns of
/// their matrices (Zhou et al., "On the Continuity of Rotation Representations in Neural Networks",
/// CVPR 2019). translations (T, J, 3): relative to the parent joint, so that positions follow from
/// them and the rotations alone; scales are in them. root_translation (T, 3): position of the first
/// joint. rest_translations (J, 3), rest_rotations (J, 4): the pose in which the skin was bound.
/// names (J), parents (J; -1 for a root; parents first), fps, clip, quaternion_order.
///
/// Floats of 32 bits. Warning: scaled_joints where scales are not 1.
NamedArrays jointArrays(const Scene& scene, const Motion& motion, Warnings& warnings);

struct ExportOptions {
  std::vector<std::string> clips;  ///< As for selectClips(); empty means all.
  double fps = 0.0;                ///< 0: that of each clip.
  io::Limits limits;
  io::ArraySettings arrays = {};
};

/// The files that exportJoints() wrote.
struct ExportReport {
  std::vector<std::filesystem::path> written;
  Warnings warnings;
};

/// Writes jointArrays() of each chosen clip of `input` as .npz: one clip to `output`, several to
/// distinctOutputNamesOf() it. Errors: those of io::load(), selectClips(), sampleClips(); kNotFound
/// for a file without clips; kUsage for another extension; kLimit above 4 GiB; kWrite.
Status exportJoints(const std::filesystem::path& input, const std::filesystem::path& output,
                    const ExportOptions& options, ExportReport& report);

}  // namespace clipmill::pipeline
