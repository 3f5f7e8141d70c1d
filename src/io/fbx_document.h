// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/io.h"

namespace clipmill::io {

/// Fills `asset.scene` and `asset.document` from the bytes of an FBX file.
Status loadFbx(Bytes bytes, const LoadOptions& options, Asset& asset);

}  // namespace clipmill::io
