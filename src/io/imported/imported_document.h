// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/document.h"
#include "io/imported/imported.h"

namespace clipmill::io::imported {

/// Fills `scene` and `document` of `asset`. The format of `imported` is only read: what is written
/// is a new file in metres.
void fillAsset(ImportedScene imported, const LoadOptions& options, Asset& asset);

}  // namespace clipmill::io::imported
