// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include "io/gltf/document.h"
#include "io/gltf/json_text.h"

/// What of a glTF file refers to accessors and buffer views.
namespace clipmill::io::gltf {

enum class DataKind { kAccessor, kView };

/// Calls `use` for each reference outside of the arrays of accessors and views themselves: what it
/// refers to, and where its number is in the text. Indices are within their arrays.
void forEachDataUse(const Document& document,
                    const std::function<void(DataKind, int index, json_text::Span number)>& use);

/// True where an extension of the file may refer to accessors or views in a form that
/// forEachDataUse() does not know.
bool mayHaveUnknownUses(const Document& document);

/// The accessors and views that are referred to; all of them where mayHaveUnknownUses().
struct DataUses {
  std::vector<bool> accessors, views;  ///< By index; views by what is no accessor.
};
DataUses usesOf(const Document& document);

}  // namespace clipmill::io::gltf
