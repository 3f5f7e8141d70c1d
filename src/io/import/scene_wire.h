// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/file.h"
#include "core/result.h"
#include "io/import/imported.h"

/// How the helper program hands over what it has read: numbers as they lie in memory, for both ends
/// are parts of one installation on one machine.
namespace clipmill::io {

/// What came over: an error of the reader, or a scene.
struct WireMessage {
  std::optional<Error> error;
  ImportedScene imported;
};

Bytes writeWire(const ImportedScene& imported);
Bytes writeWire(const Error& error);

/// The message in `bytes`, checked to the last index (checkImported()): whoever wrote it may have
/// been fooled by its input. Node::inherit and Node::euler are not carried. Error: kMalformed.
Result<WireMessage> readWire(std::span<const std::byte> bytes);

}  // namespace clipmill::io
