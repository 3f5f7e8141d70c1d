// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include <pybind11/pybind11.h>

#include "anim/motion.h"
#include "scene/scene.h"

namespace clipmill::python {

/// A clip on its frames, whose arrays Python may write.
struct MotionHandle {
  std::shared_ptr<const Scene> scene;
  std::shared_ptr<Motion> motion;
};

/// Marks the tracks in which `motion` differs from `source` as modified. Both have the same frames
/// and nodes.
void markChanges(const Skeleton& skeleton, const Motion& source, Motion& motion);

/// Adds Motion, and sample() and save() of assets.
void addMotions(pybind11::module_& module);

}  // namespace clipmill::python
