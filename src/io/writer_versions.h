// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include "io/fbx/write.h"
#include "io/gltf/write.h"
#include "io/io.h"

namespace clipmill::io {

/// The version of the code that writes files of that format; 0 for kNone.
inline int writerVersion(OutputFormat format) {
  switch (format) {
    case OutputFormat::kNone:
      return 0;
    case OutputFormat::kGltf:
      return gltf::kGltfWriterVersion;
    case OutputFormat::kFbx:
      return fbx::kFbxWriterVersion;
  }
  return 0;
}

}  // namespace clipmill::io
