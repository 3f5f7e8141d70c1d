// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "anim/skeleton.h"
#include "core/file.h"
#include "core/result.h"
#include "io/gltf/append_data.h"
#include "io/gltf/document.h"
#include "io/gltf/json_text.h"
#include "io/gltf/patch.h"
#include "scene/additions.h"

namespace clipmill::io::gltf {

/// Changes of a document for new morph targets.
struct MorphPatch {
  Bytes bytes;  ///< A whole multiple of four.
  std::vector<NewView> views;
  std::vector<std::string> accessors;
  std::map<std::size_t, std::string> meshes;  ///< The new text of changed ones, by index.
  std::vector<std::string> new_meshes;        ///< Copies, where other nodes keep the mesh.
  std::map<int, std::vector<json_text::Edits::Change>> nodes;  ///< By glTF index.
  /// By node of the skeleton, one an added morph: what its weights are multiplied by, as its
  /// displacements are divided by it. Nodes without integers are not here.
  std::map<int, std::vector<double>> weight_scales;
  bool has_integers = false;  ///< Asks for KHR_mesh_quantization.
  /// Weight tracks of the file that no edit replaces, with zeros for the new targets.
  std::vector<ClipEdit> widened;
};

/// Plans `morphs`: targets at the end of every primitive of their mesh, sparse where that is
/// smaller, float, or normalized 16-bit integers where AddedMorph::as_int16 asks for them (then in
/// parts of a power of two that takes all displacements of the morph; normals that would leave too
/// few steps to the positions, or would take weights above 1, stay float); names in
/// extras.targetNames; longer `weights` where there are some. Primitives that readScene() cannot
/// read (Draco) get targets of zeros. A mesh that other nodes show too is copied for the node that
/// gets morphs. New accessors and views are counted from those of the document.
///
/// Errors: kUnsupported for a displacement beyond 32-bit floats or a primitive without positions,
/// kInternal for morphs that do not fit; those of reading accessors.
Result<MorphPatch> planMorphs(const Document& document, const Skeleton& skeleton,
                              std::span<const ClipEdit> edits, std::span<const AddedMorph> morphs,
                              const io::Limits& limits);

}  // namespace clipmill::io::gltf
