// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include <pybind11/pybind11.h>

#include "interruptible.h"
#include "stages/stage.h"

namespace clipmill::python {

/// A stage whose work is `function`: it gets the list of Motions of the clips and changes their
/// arrays. It may return a list with a dictionary of numbers for each clip: the metrics of the
/// report. The stage acquires the lock of the interpreter while it runs. An exception of the
/// function passes through the run. `request`, which outlives the run, interrupts the function.
std::shared_ptr<const stages::StageType> makePythonStage(const std::string& name,
                                                         pybind11::object function,
                                                         CancelRequest& request);

}  // namespace clipmill::python
