// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
//
// The formulas are those of VRMC_vrm 1.0 (expressions, lookAt) and VRMC_vrm_animation 1.0.
#include "retarget/face_transfer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include "core/portable_math.h"
#include "core/to_size.h"
#include "retarget/expression_weights.h"
#include "retarget/rest_alignment.h"

namespace clipmill::retarget {
namespace {

constexpr std::array<std::string_view, 4> kLooks = {"lookLeft", "lookRight", "lookDown", "lookUp"};

const TrackMask& trackMaskOf(const Scene& scene, const Motion& motion) {
  return scene.clips[toSize(motion.clip_index)].animated;
}

bool isLook(const Expression& expression) {
  return std::find(kLooks.begin(), kLooks.end(), expression.name) != kLooks.end();
}

int indexOf(const Scene& scene, std::string_view name) {
  const auto& all = scene.face.expressions;
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Expression& e) { return e.name == name; });
  return found == all.end() ? -1 : static_cast<int>(found - all.begin());
}

int nodeWithRole(const Scene& scene, std::string_view role) {
  for (const DeclaredRole& declared : scene.humanoid) {
    if (declared.role == role) return declared.node;
  }
  return -1;
}

// -- Directions

Quat rotationOfGaze(const Vec2& gaze_rad) {
  return rotationAbout(Vec3(0, 1, 0), gaze_rad.x) * rotationAbout(Vec3(1, 0, 0), gaze_rad.y);
}

Vec2 gazeOf(const Quat& rotation) {
  const Vec3 forward = normalizedOrIdentity(rotation) * Vec3(0, 0, 1);
  const double level = std::sqrt(forward.x * forward.x + forward.z * forward.z);
  return {portable::atan2(forward.x, forward.z), portable::atan2(-forward.y, level)};
}

double mapped(const GazeRange& range, double angle_rad) {
  return range.output * std::min(angle_rad, range.input_max_rad) / range.input_max_rad;
}

double unmapped(const GazeRange& range, double output) {
  return range.output == 0.0 ? 0.0 : output / range.output * range.input_max_rad;
}

// An eye and its rest pose.
struct Eye {
  int node = -1;
  Quat rest;            // local
  Quat head_from_rest;  // axes of a head that faces +z, from those of the eye's parent at rest
  const GazeRange *left = nullptr, *right = nullptr;
};

std::vector<Eye> eyesOf(const Scene& scene) {
  std::vector<Eye> eyes;
  const Gaze& gaze = scene.face.gaze;
  const RestPose rest(scene, restPose(scene.skeleton).locals);
  const Vec3 front = scene.t_pose_front.value_or(Vec3(0, 0, 1));
  const Quat to_front = rotationBetween(front, Vec3(0, 0, 1), kUp);
  for (const bool is_left : {true, false}) {
    Eye eye;
    eye.node = nodeWithRole(scene, is_left ? "leftEye" : "rightEye");
    if (eye.node < 0) continue;
    const Node& node = scene.skeleton.nodes[toSize(eye.node)];
    eye.rest = normalizedOrIdentity(node.rest.rotation);
    const Mat3& parent = node.parent < 0 ? rest.file_axes : rest.axes[toSize(node.parent)];
    eye.head_from_rest = to_front * rotationOf({parent, Vec3(0.0)});
    eye.left = is_left ? &gaze.outer : &gaze.inner;
    eye.right = is_left ? &gaze.inner : &gaze.outer;
    eyes.push_back(eye);
  }
  return eyes;
}

// -- From a clip

// The weights of the gaze's expressions as angles.
Vec2 gazeOfLooks(const Scene& scene, std::span<const double> weights) {
  const Gaze& gaze = scene.face.gaze;
  const auto angle = [&](std::string_view name, const GazeRange& range) {
    const int e = indexOf(scene, name);
    return e < 0 ? 0.0 : unmapped(range, weights[toSize(e)]);
  };
  return {angle("lookLeft", gaze.outer) - angle("lookRight", gaze.outer),
          angle("lookDown", gaze.down) - angle("lookUp", gaze.up)};
}

Vec2 gazeOfEyes(const Gaze& gaze, std::span<const Eye> eyes, std::span<const Transform> locals) {
  Vec2 sum(0.0);
  for (const Eye& eye : eyes) {
    const Quat local = normalizedOrIdentity(locals[toSize(eye.node)].rotation);
    const Quat rotated =
        eye.head_from_rest * local * glm::conjugate(eye.rest) * glm::conjugate(eye.head_from_rest);
    const Vec2 angles = gazeOf(rotated);
    const GazeRange& side = angles.x > 0.0 ? *eye.left : *eye.right;
    const GazeRange& height = angles.y > 0.0 ? gaze.down : gaze.up;
    sum += Vec2(unmapped(side, angles.x), unmapped(height, angles.y));
  }
  return sum / static_cast<double>(eyes.size());
}

void readAnimation(const Scene& scene, const Motion& motion, FaceMotion& face) {
  const TrackMask& animated = trackMaskOf(scene, motion);
  for (const Expression& expression : scene.face.expressions) {
    const int node = expression.weight_node;
    if (node < 0 || !animated.has(node, TrackPath::kTranslation)) continue;
    ExpressionCurve curve{expression.name, expression.is_custom, {}};
    for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
      curve.weights.push_back(std::clamp(motion.localsOf(f)[toSize(node)].translation.x, 0.0, 1.0));
    }
    face.expressions.push_back(std::move(curve));
  }
  const Gaze& gaze = scene.face.gaze;
  if (gaze.kind != Gaze::Kind::kNode || !animated.has(gaze.node, TrackPath::kRotation)) return;
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    face.gaze_rad.push_back(gazeOf(motion.localsOf(f)[toSize(gaze.node)].rotation));
  }
}

bool animatesMorphs(const Scene& scene, const Motion& motion) {
  const TrackMask& animated = trackMaskOf(scene, motion);
  for (const Expression& expression : scene.face.expressions) {
    for (const MorphBind& bind : expression.binds) {
      if (animated.has(bind.node, TrackPath::kWeights)) return true;
    }
  }
  return false;
}

void readMorphs(const Scene& scene, const Motion& motion, FaceMotion& face, Warnings& warnings) {
  constexpr double kSmallWeight = 1e-3;
  constexpr double kNoWeight = 1e-6;
  const bool has_looks = scene.face.gaze.kind == Gaze::Kind::kExpressions;
  ExpressionSolver solver(scene);
  std::vector<ExpressionCurve> curves;
  for (const Expression& expression : scene.face.expressions) {
    curves.push_back({expression.name, expression.is_custom, {}});
  }
  std::vector<Vec2> gaze_rad;
  double largest_gaze = 0.0;
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    const std::vector<double>& weights = solver.solve(motion.weightsOf(f));
    for (std::size_t e = 0; e < curves.size(); ++e) curves[e].weights.push_back(weights[e]);
    gaze_rad.push_back(gazeOfLooks(scene, weights));
    largest_gaze = std::max({largest_gaze, std::fabs(gaze_rad[f].x), std::fabs(gaze_rad[f].y)});
    if (solver.residual() > kSmallWeight) {
      warnings.add("morph_not_expressed",
                   "morph weights that no expressions of the file give are left out",
                   motion.clip_name + ", frame " + std::to_string(f));
    }
  }
  for (std::size_t e = 0; e < curves.size(); ++e) {
    if (has_looks && isLook(scene.face.expressions[e])) continue;
    const auto& weights = curves[e].weights;
    if (*std::max_element(weights.begin(), weights.end()) <= kNoWeight) continue;
    face.expressions.push_back(std::move(curves[e]));
  }
  if (has_looks && largest_gaze > kNoWeight) face.gaze_rad = std::move(gaze_rad);
}

// -- To a motion

class FaceWriter {
 public:
  FaceWriter(const FaceMotion& face, const Scene& target)
      : face_(face), target_(target), is_played_(target.face.expressions.size(), false) {
    if (target.face.gaze.kind == Gaze::Kind::kEyes) eyes_ = eyesOf(target);
    for (const ExpressionCurve& curve : face.expressions) {
      index_.push_back(indexOf(target, curve.name));
      if (index_.back() >= 0) is_played_[toSize(index_.back())] = true;
    }
    if (!face.gaze_rad.empty() && target.face.gaze.kind == Gaze::Kind::kExpressions) {
      for (const std::string_view name : kLooks) {
        const int e = indexOf(target, name);
        if (e >= 0) is_played_[toSize(e)] = true;
      }
    }
  }

  FaceFit fit() const {
    FaceFit fit;
    for (const int e : index_) fit.expressions.push_back(e >= 0 && shows(toSize(e)));
    switch (target_.face.gaze.kind) {
      case Gaze::Kind::kNone:
        break;
      case Gaze::Kind::kEyes:
        fit.gaze = !eyes_.empty();
        break;
      case Gaze::Kind::kExpressions:
        fit.gaze = std::any_of(kLooks.begin(), kLooks.end(), [&](std::string_view name) {
          const int e = indexOf(target_, name);
          return e >= 0 && shows(toSize(e));
        });
        break;
      case Gaze::Kind::kNode:
        fit.gaze = true;
        break;
    }
    return fit;
  }

  void apply(Motion& result) const {
    // Weights that came with the nodes themselves stay.
    const std::vector<bool> keeps = modifiedWeights(result);
    std::vector<double> kept;
    for (std::size_t f = 0; f < result.grid.frame_count; ++f) {
      PoseView pose = result.frame(f);
      kept.assign(pose.weights.begin(), pose.weights.end());
      std::vector<double> weights = weightsAt(f);
      if (!face_.gaze_rad.empty()) look(face_.gaze_rad[f], pose, weights);
      applyExpressions(target_, weights, is_played_, pose.weights);
      for (std::size_t w = 0; w < kept.size(); ++w) {
        if (keeps[w]) pose.weights[w] = kept[w];
      }
      for (std::size_t e = 0; e < weights.size(); ++e) {
        const int node = target_.face.expressions[e].weight_node;
        if (is_played_[e] && node >= 0) pose.locals[toSize(node)].translation.x = weights[e];
      }
    }
    mark(result);
  }

 private:
  bool shows(std::size_t e) const {
    const Expression& expression = target_.face.expressions[e];
    return expression.weight_node >= 0 || !expression.binds.empty();
  }

  std::vector<bool> modifiedWeights(const Motion& result) const {
    std::vector<bool> modified(result.weight_count, false);
    for (std::size_t n = 0; n < target_.skeleton.size(); ++n) {
      const Node& node = target_.skeleton.nodes[n];
      if (!result.modified.has(static_cast<int>(n), TrackPath::kWeights)) continue;
      std::fill_n(modified.begin() + node.weights_start, node.weights_count, true);
    }
    return modified;
  }

  std::vector<double> weightsAt(std::size_t f) const {
    std::vector<double> weights(target_.face.expressions.size(), 0.0);
    for (std::size_t i = 0; i < index_.size(); ++i) {
      if (index_[i] >= 0) weights[toSize(index_[i])] = face_.expressions[i].weights[f];
    }
    return weights;
  }

  void look(const Vec2& gaze_rad, PoseView& pose, std::vector<double>& weights) const {
    const Gaze& gaze = target_.face.gaze;
    const double yaw = gaze_rad.x, pitch = gaze_rad.y;
    const GazeRange& height = pitch > 0.0 ? gaze.down : gaze.up;
    if (gaze.kind == Gaze::Kind::kNode) {
      pose.locals[toSize(gaze.node)].rotation = rotationOfGaze(gaze_rad);
    }
    if (gaze.kind == Gaze::Kind::kExpressions) {
      const auto set = [&](std::string_view name, double angle, const GazeRange& range) {
        const int e = indexOf(target_, name);
        if (e >= 0) weights[toSize(e)] = angle > 0.0 ? mapped(range, angle) : 0.0;
      };
      set("lookLeft", yaw, gaze.outer);
      set("lookRight", -yaw, gaze.outer);
      set("lookDown", pitch, gaze.down);
      set("lookUp", -pitch, gaze.up);
    }
    for (const Eye& eye : eyes_) {
      const GazeRange& side = yaw > 0.0 ? *eye.left : *eye.right;
      const Vec2 rotated(std::copysign(mapped(side, std::fabs(yaw)), yaw),
                         std::copysign(mapped(height, std::fabs(pitch)), pitch));
      pose.locals[toSize(eye.node)].rotation = glm::conjugate(eye.head_from_rest) *
                                               rotationOfGaze(rotated) * eye.head_from_rest *
                                               eye.rest;
    }
  }

  void mark(Motion& result) const {
    for (std::size_t e = 0; e < is_played_.size(); ++e) {
      const Expression& expression = target_.face.expressions[e];
      if (!is_played_[e]) continue;
      for (const MorphBind& bind : expression.binds) {
        result.modified.set(bind.node, TrackPath::kWeights);
      }
      if (expression.weight_node >= 0) {
        result.modified.set(expression.weight_node, TrackPath::kTranslation);
      }
    }
    if (face_.gaze_rad.empty()) return;
    for (const Eye& eye : eyes_) result.modified.set(eye.node, TrackPath::kRotation);
    if (target_.face.gaze.kind == Gaze::Kind::kNode) {
      result.modified.set(target_.face.gaze.node, TrackPath::kRotation);
    }
  }

  const FaceMotion& face_;
  const Scene& target_;
  std::vector<bool> is_played_;  // expressions of the target
  std::vector<int> index_;       // expression of the target of each curve, or -1
  std::vector<Eye> eyes_;        // where they show the gaze
};

}  // namespace

FaceMotion faceOf(const Scene& scene, const Motion& motion, Warnings& warnings) {
  FaceMotion face;
  if (scene.face.is_animation) {
    readAnimation(scene, motion, face);
    return face;
  }
  if (animatesMorphs(scene, motion)) readMorphs(scene, motion, face, warnings);
  const Gaze& gaze = scene.face.gaze;
  if (gaze.kind != Gaze::Kind::kEyes) return face;
  std::vector<Eye> eyes = eyesOf(scene);
  const TrackMask& animated = trackMaskOf(scene, motion);
  std::erase_if(eyes,
                [&](const Eye& eye) { return !animated.has(eye.node, TrackPath::kRotation); });
  if (eyes.empty()) return face;
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    face.gaze_rad.push_back(gazeOfEyes(gaze, eyes, motion.localsOf(f)));
  }
  return face;
}

FaceFit faceFit(const FaceMotion& face, const Scene& target) {
  return FaceWriter(face, target).fit();
}

void applyFace(const FaceMotion& face, const Scene& target, Motion& result) {
  if (!face.empty()) FaceWriter(face, target).apply(result);
}

}  // namespace clipmill::retarget
