// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include <pybind11/pybind11.h>

#include "io/io.h"

namespace clipmill::python {

/// A loaded file.
struct AssetHandle {
  std::shared_ptr<const io::Asset> asset;
};

/// Adds Asset, Clip and Mesh, and load().
void addAssets(pybind11::module_& module);

}  // namespace clipmill::python
