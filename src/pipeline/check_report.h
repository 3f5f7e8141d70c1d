// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "measure/clip_check.h"

namespace clipmill::pipeline {

/// The text that `check` prints: one table a clip, and one line for each exceeded limit.
std::string checkText(const measure::FileCheck& check, const measure::CheckLimits& limits);

/// {schema: 1, file, humanoid: {origin, confidence}, penetration_not_measured (the reason, only if
/// it was not), limits: {NAME}, clips: [{clip, index, root, measures: {NAME: number or null},
/// not_measured: {NAME: reason, for each null}, /// contacts: [{part, start_s, end_s, drift_mm}],
/// ground_spans: likewise, exceeded: [{measure, value, limit}], limb_pairs: [{pair,
/// penetrating_vertices_percent, penetrating_frames_percent, max_penetration_percent,
/// max_penetration_at_s, max_penetration_duration_s}], limb_volumes: [{joint, min_percent,
/// min_at_s, max_percent}]}]}.
std::string checkJson(const measure::FileCheck& check, const measure::CheckLimits& limits);

}  // namespace clipmill::pipeline
