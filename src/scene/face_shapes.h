// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/result.h"
#include "scene/scene.h"

namespace clipmill {

/// The 52 blend shapes of ARKit's face tracking (ARFaceAnchor.BlendShapeLocation): "jawOpen",
/// "eyeBlinkLeft", ..
std::span<const std::string_view> faceShapeNames();

/// The ARKit shape of that name in any usual spelling: letters of either case, with or without
/// underscores and spaces, `L` and `R` for the sides, what is before a last point left out:
/// "EyeBlinkLeft", "Eye_Blink_L", "head.eyeBlink_L".
std::optional<std::string_view> faceShapeOf(std::string_view name);

/// Makes the ARKit shapes that a character has, as morph targets or as expressions under another
/// spelling, into expressions of its face with their ARKit names, so that clips of faces move them.
/// `pairs` are "SHAPE=MORPH" for morphs with other names. Needs the meshes of the scene, which have
/// the names. Errors: kNotFound for a morph of a pair that no mesh has.
Status addFaceShapes(Scene& scene, std::span<const std::string> pairs);

/// Whether a scene has expressions and no character: a table of face weights, or a VRM animation
/// without joints.
bool isFaceAlone(const Scene& scene);

/// Whether a text "SOURCE=TARGET" maps an ARKit shape.
bool isFacePair(std::string_view pair);

}  // namespace clipmill
