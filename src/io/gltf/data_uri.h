// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/file.h"
#include "core/result.h"

namespace clipmill::io::gltf {

/// RFC 4648 base64 with padding.
std::string encodeBase64(std::span<const std::byte> bytes);
/// The bytes, or nothing where `text` is not base64. Padding may be missing, line breaks may not be
/// there.
std::optional<Bytes> decodeBase64(std::string_view text);

bool isDataUri(std::string_view uri);
/// The bytes of "data:<type>;base64,<data>". Error: kMalformed.
Result<Bytes> decodeDataUri(std::string_view uri);

/// A relative URI that means the file `name` beside the document: what fileOfUri() undoes.
std::string uriOfFile(std::string_view name);

/// The file that a relative URI means, percent-decoded, relative to `folder`. Errors: kUnsupported
/// for a URI with a scheme or an absolute path.
Result<std::filesystem::path> fileOfUri(std::string_view uri, const std::filesystem::path& folder);

}  // namespace clipmill::io::gltf
