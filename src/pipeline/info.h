// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "io/io.h"

namespace clipmill::pipeline {

/// The contents of a file, as text.
std::string infoText(const io::Asset& asset);

/// The same as JSON: {file, format, bytes, hash, nodes, humanoid, clips, skins, meshes,
/// swinging_chains, warnings}. humanoid: {origin, confidence, roles: {role: id of a node}, doubts}.
std::string infoJson(const io::Asset& asset);

}  // namespace clipmill::pipeline
