// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/file.h"
#include "core/result.h"
#include "io/imported/imported.h"

/// IPC message from clipmill-import to clipmill: values in memory layout, for both ends
/// are parts of one installation on one machine.
namespace clipmill::io::imported {

/// A received message: an error of the reader, or a scene.
struct ImportMessage {
  std::optional<Error> error;
  ImportedScene imported;
};

Bytes writeImportMessage(const ImportedScene& imported);
Bytes writeImportMessage(const Error& error);

/// The message in `bytes`, checked to the last index (checkImported()): the input file may have
/// caused invalid data. Node::inherit and Node::euler are not included. Error: kMalformed.
Result<ImportMessage> readImportMessage(std::span<const std::byte> bytes);

}  // namespace clipmill::io::imported
