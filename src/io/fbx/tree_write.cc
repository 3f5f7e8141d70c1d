// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/tree_write.h"

#include "io/fbx/write_parts.h"

namespace clipmill::io::fbx {

Result<Bytes> writeTree(const Tree& tree, const TreeEdits& edits) {
  if (edits.empty()) return tree.source;
  return tree.encoding == Encoding::kBinary ? writeBinaryTree(tree, edits)
                                            : writeTextTree(tree, edits);
}

}  // namespace clipmill::io::fbx
