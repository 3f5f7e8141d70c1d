// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "io/fbx/channel_keys.h"
#include "io/fbx/tree_write.h"

/// Elements of FBX 7 animation, for the patcher and the writer.
namespace clipmill::io::fbx {

/// An AnimationCurve with these keys. Times are rounded to ticks, values to floats.
NewElement curveElement(std::int64_t id, const NewCurve& curve, std::int32_t key_version,
                        Encoding encoding);

/// Leaves a curve that never changes its first and last key only, linear ones if it was cubic.
void dropIdleKeys(NewCurve& curve);

/// An AnimationCurveNode: `name` is "T", "R", "S" or "DeformPercent"; `axes` names its values ("X",
/// "Y", "Z" or "DeformPercent") with the defaults `values`.
NewElement curveNodeElement(std::int64_t id, const std::string& name,
                            std::span<const std::string_view> axes, std::span<const double> values);

/// C: "OO",child,parent and C: "OP",child,parent,"property"
NewElement connectionElement(std::int64_t child, std::int64_t parent);
NewElement connectionElement(std::int64_t child, std::int64_t parent, const std::string& property);

/// A property P of a Properties70 block.
NewElement propertyElement(const std::string& name, const std::string& type,
                           const std::string& label, const std::string& flags,
                           std::vector<NewValue> values);

/// "name" of a class as binary files write it (text files swap the order).
std::string classedName(const std::string& name, const std::string& class_name);

}  // namespace clipmill::io::fbx
