// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "anim/clip.h"
#include "anim/skeleton.h"
#include "core/math.h"
#include "core/warnings.h"
#include "mesh/skinned_mesh.h"
#include "scene/camera.h"
#include "scene/face.h"
#include "scene/light.h"
#include "scene/springs.h"

namespace clipmill {

/// An encoded image, as it is in a file. Its path has the escapes of a URI undone.
struct Image {
  std::string name;
  std::string mime_type;         ///< "image/png", "image/jpeg"; empty where it is unknown.
  std::vector<std::byte> bytes;  ///< Empty where the file only names it and it was not found.
  std::string path = {};         ///< As the file names it; empty for an embedded image.
};

/// How the alpha of a surface is used (glTF 2.0, 3.9.4).
enum class AlphaMode { kOpaque, kMask, kBlend };

/// A metallic-roughness surface (glTF 2.0, 3.9). Images are indices in Scene::images, or -1.
struct Material {
  std::string name;
  Vec4 base_color{1.0};    ///< Linear RGBA, 0..1.
  double metallic = 1.0;   ///< 0..1
  double roughness = 1.0;  ///< 0..1
  Vec3 emissive{0.0};      ///< Linear RGB, 0 or more.
  double normal_scale = 1.0;
  AlphaMode alpha_mode = AlphaMode::kOpaque;
  double alpha_cutoff = 0.5;  ///< For kMask.
  bool double_sided = false;
  bool unlit = false;  ///< Shown in its base colour, whatever the light (KHR_materials_unlit).
  int base_color_image = -1;
  int metallic_roughness_image = -1;  ///< Roughness in green, metalness in blue.
  int normal_image = -1;
  int occlusion_image = -1;
  int emissive_image = -1;
};

/// A role that the file itself gives to a node.
struct DeclaredRole {
  std::string role;  ///< "leftUpperArm"
  int node = 0;      ///< Index in Skeleton::nodes.
};

/// Settings of a stage that the file has on a node, in the syntax of flags.
struct NodeSettings {
  int node = 0;                                             ///< Index in Skeleton::nodes.
  std::string topic;                                        ///< "dynbone"
  std::vector<std::pair<std::string, std::string>> values;  ///< Names and texts, sorted by name.
};

/// The content of a file, independent of its format. Everything is in the file's own units and
/// axes; stages see metres, y up, right-handed through `metric_from_file`.
struct Scene {
  Skeleton skeleton;
  std::vector<Clip> clips;
  std::vector<Skin> skins;
  std::vector<SkinnedMesh> meshes;     ///< Empty unless they were asked for when loading.
  std::vector<Material> materials;     ///< Empty unless meshes were asked for.
  std::vector<Image> images;           ///< Likewise.
  std::vector<SceneCamera> cameras;    ///< Likewise.
  std::vector<SceneLight> lights;      ///< Likewise.
  Affine metric_from_file;             ///< A similarity; identity for glTF.
  SpringSetup springs;                 ///< Of VRM files.
  std::vector<DeclaredRole> humanoid;  ///< Of VRM files; names of roles as in VRM 1.0.
  FaceSetup face;                      ///< Of VRM files.
  /// Of VRM files: their rest pose is a T-pose that faces this direction.
  std::optional<Vec3> t_pose_front;
  std::vector<NodeSettings> node_settings;  ///< Of glTF extras.
  Warnings warnings;                        ///< What the reader noticed.
};

}  // namespace clipmill
