// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/math.h"

namespace clipmill {

/// A morph that an expression moves, and its weight where the expression is at 1.
struct MorphBind {
  int node = 0;   ///< Index in Skeleton::nodes.
  int morph = 0;  ///< Below Node::weights_count.
  double weight = 1.0;
};

/// What an expression that shows does to the weights of a group of others (VRMC_vrm 1.0): nothing,
/// sets them to 0, or multiplies them by what is left of 1 beside its own weight.
enum class ExpressionOverride { kNone, kBlock, kBlend };

/// An expression of a face, with a weight of 0 to 1.
struct Expression {
  std::string name;        ///< Of presets as in VRM 1.0: "happy", "blinkLeft".
  bool is_custom = false;  ///< Not one of the presets.
  bool is_binary = false;  ///< Weights above 0.5 count as 1, others as 0.
  ExpressionOverride blink = ExpressionOverride::kNone;
  ExpressionOverride look = ExpressionOverride::kNone;
  ExpressionOverride mouth = ExpressionOverride::kNone;
  std::vector<MorphBind> binds = {};  ///< What it moves; empty in files of animation.
  int weight_node = -1;  ///< VRMA: the x of this node's translation is the weight; else -1.
};

/// How far eyes follow a gaze: output * min(angle, input_max) / input_max.
struct GazeRange {
  double input_max_rad = 90.0 * kDegree;
  double output = 10.0 * kDegree;  ///< Of eye joints in radians; of expressions a weight.
};

/// How a character looks somewhere: yaw about y (positive to its left), then pitch about x
/// (positive down), in the axes of a head that faces +z at rest.
struct Gaze {
  enum class Kind {
    kNone,
    kEyes,         ///< Joints with the roles leftEye and rightEye.
    kExpressions,  ///< lookUp, lookDown, lookLeft, lookRight.
    kNode,         ///< VRMA: the rotation of `node`.
  };
  Kind kind = Kind::kNone;
  int node = -1;
  GazeRange inner, outer, down, up;
  Vec3 offset_from_head{0.0, 0.06, 0.0};  ///< Point between the eyes, in axes of the head joint.
};

/// The expressions and the gaze that a file declares.
struct FaceSetup {
  bool is_animation = false;  ///< Of a VRMA file: roles and expressions of no character.
  std::vector<Expression> expressions;
  Gaze gaze;
};

}  // namespace clipmill
