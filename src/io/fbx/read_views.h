// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <vector>

#include "io/fbx/document.h"
#include "scene/scene.h"
#include "scene/view_axes.h"

namespace clipmill::io::fbx {

/// FBX cameras look along +x of their node, with y up; its lights shine along -y (FBX SDK,
/// FbxCamera and FbxLight).
ViewAxes fbxViewAxes();

/// The object with the settings of a Model that is a camera ("Camera") or a light ("Light"): a
/// NodeAttribute, in files below version 7000 the Model itself; -1 for other Models, and for the
/// cameras of the editor that files of version 6 contain ("Producer Front", ..).
int viewAttributeOf(const Document& document, int model, std::string_view kind);

/// Whether the light of that object is of a type that other formats have: point, directional, spot.
bool isCarriedLight(const Document& document, int attribute);

/// Appends the cameras and lights of the file to `scene`. `node_of_object`: of each of
/// Document::objects its index in Skeleton::nodes, or -1.
void readViews(const Document& document, const std::vector<int>& node_of_object, Scene& scene);

}  // namespace clipmill::io::fbx
