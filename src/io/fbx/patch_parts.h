// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/fbx/channel_keys.h"
#include "io/fbx/document.h"
#include "io/fbx/patch.h"
#include "io/fbx/patch_objects.h"
#include "io/fbx/tree_write.h"

/// The parts of patch.cc, one for the files that keep animation in objects, one for those that keep
/// it in Takes.
namespace clipmill::io::fbx {

/// New percentages for a blend shape channel.
struct NewPercent {
  int channel = 0;  ///< Index in Shapes::channels; -1 for a channel that is added.
  NewCurve curve;
  std::int64_t added_id = 0;  ///< Of the channel that is added.
};

/// What one edit writes.
struct ClipChannels {
  int clip = 0;
  int stack_object = -1;  ///< -1 for takes.
  std::vector<NewChannels> channels;
  std::vector<NewPercent> percents;
  std::vector<int> baked_nodes;  ///< Nodes of which all curves on pivots and the like are left out.
  std::optional<std::pair<double, double>> span_s;
  std::optional<std::string> new_name;    ///< Set for a clip that the file does not have yet.
  std::optional<std::string> other_name;  ///< Set for one that has to be called otherwise.
};

/// A Take with its name and its time span in ticks.
NewElement takeElement(const std::string& name, std::int64_t start, std::int64_t end,
                       std::vector<NewElement> models = {});

inline constexpr std::string_view kChannelNames[] = {"Lcl Translation", "Lcl Rotation",
                                                     "Lcl Scaling"};

/// The channels of added morphs, by node, in their order.
using AddedChannels = std::map<int, std::vector<std::int64_t>>;

/// Adds blend shapes to `objects`. Errors: see patchDocument().
Result<AddedChannels> patchShapes(const Document& document, const ReadScene& read,
                                  const Skeleton& skeleton, std::span<const AddedMorph> morphs,
                                  NewObjects& objects);

/// Adds the edits of FBX 7 stacks to `objects` and `edits`.
Status patchStacks(const Document& document, const ReadScene& read,
                   std::span<const ClipChannels> clips, NewObjects& objects, TreeEdits& edits);

/// Gives `take` another name, and the mark of the current take where that is meant.
void renameTake(const Document& document, const Element& take, const std::string& name,
                TreeEdits& edits);

/// Adds the edits of FBX 5 and 6 takes; clips are counted like the takes.
Status patchTakes(const Document& document, const ReadScene& read,
                  std::span<const ClipChannels> clips, TreeEdits& edits);

}  // namespace clipmill::io::fbx
