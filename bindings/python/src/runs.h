// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <pybind11/pybind11.h>

namespace clipmill::python {

/// Adds run(), check(), diff() and schema(); their answers are JSON, as from the command line.
void addRuns(pybind11::module_& module);

}  // namespace clipmill::python
