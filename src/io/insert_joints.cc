// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/insert_joints.h"

#include "core/file.h"
#include "io/fbx/insert_joints.h"
#include "io/fbx/read.h"
#include "io/formats.h"
#include "io/gltf/document.h"
#include "io/gltf/insert_joints.h"

namespace clipmill::io {
namespace {

Result<Bytes> withJoints(Bytes bytes, const Asset& asset, const JointInsertion& insertion,
                         const Limits& limits) {
  if (asset.document->nativeFormat() == OutputFormat::kFbx) {
    CLIPMILL_TRY(auto tree, fbx::parseTree(std::move(bytes), limits));
    CLIPMILL_TRY(const auto document, fbx::readDocument(std::move(tree)));
    CLIPMILL_TRY(const fbx::ReadScene read, fbx::readScene(*document, false, limits));
    return fbx::insertJoints(*document, read, insertion);
  }
  CLIPMILL_TRY(const auto document,
               gltf::parseDocument(std::move(bytes), asset.path.parent_path(), limits));
  return gltf::insertJoints(*document, asset.scene, insertion);
}

}  // namespace

Result<Asset> insertJoints(const Asset& asset, const JointInsertion& insertion,
                           const LoadOptions& options) {
  if (asset.document->isReadOnly() || asset.document->nativeFormat() == OutputFormat::kNone) {
    return Error{ErrorCode::kUnsupported, "", "is not a file that joints can be added to",
                 "convert it to glTF or FBX first"};
  }
  CLIPMILL_TRY(Bytes bytes, readFile(asset.path, options.limits.max_file_bytes));
  CLIPMILL_TRY(bytes, withJoints(std::move(bytes), asset, insertion, options.limits));
  Asset result;
  result.path = asset.path;
  result.file_bytes = asset.file_bytes;
  result.content_hash = asset.content_hash;
  result.limits = asset.limits;
  const FormatType* format = findFormat(bytes, asset.path);
  if (!format) return Error{ErrorCode::kInternal, "", "has no format with its new joints", ""};
  CLIPMILL_CHECK(format->load(std::move(bytes), options, result));
  return result;
}

}  // namespace clipmill::io
