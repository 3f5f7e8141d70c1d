// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/patch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/to_size.h"
#include "io/fbx/new_curve.h"
#include "io/fbx/new_shape.h"
#include "io/fbx/patch_parts.h"

namespace clipmill::io::fbx {
namespace {

// True where curves of the stack move a property of the node that is none of T, R, S.
bool movesPivots(const Document& document, int stack_object, int model) {
  for (const int c : document.children[toSize(model)]) {
    const Connection& connection = document.connections[toSize(c)];
    const std::string& property = connection.property;
    const bool is_pivot =
        property.starts_with("RotationPivot") || property.starts_with("RotationOffset") ||
        property.starts_with("ScalingPivot") || property.starts_with("ScalingOffset") ||
        property == "PreRotation" || property == "PostRotation";
    if (!is_pivot) continue;
    const int layer = document.parentOf(connection.child, "AnimationLayer");
    if (layer >= 0 && document.parentOf(layer, "AnimationStack") == stack_object) return true;
  }
  return false;
}

// The percentage that gives these weights to the shapes of a channel: that of the two in-betweens
// it lies between.
Result<double> percentOf(const ShapeChannel& channel, std::span<const double> weights, int start) {
  constexpr double kSameWeight = 1e-6;
  const auto weightOf = [&](std::size_t i) {
    return weights[toSize(channel.shapes[i].weight - start)];
  };
  if (channel.shapes.size() == 1) return channel.shapes[0].full_percent * weightOf(0);
  double percent = 0.0;
  for (std::size_t i = 0; i < channel.shapes.size(); ++i) {
    percent += channel.shapes[i].full_percent * weightOf(i);
  }
  int most = 0;
  for (const InBetween& shape : channel.shapes) most = std::max(most, shape.weight);
  std::vector<double> back(toSize(most) + 1, 0.0);
  setShapeWeights(channel, percent, back);
  for (std::size_t i = 0; i < channel.shapes.size(); ++i) {
    const auto w = toSize(channel.shapes[i].weight);
    if (std::fabs(back[w] - weightOf(i)) <= kSameWeight) continue;
    return Error{ErrorCode::kUnsupported, channel.name,
                 "has in-between shapes that no channel percentage can set to the new weights",
                 "write another format"};
  }
  return percent;
}

NewPercent percentOfAdded(std::int64_t channel_id, const Track& track, std::size_t column) {
  NewPercent percent{-1, {track.interpolation, track.times_s, {}, {}, {}}, channel_id};
  const auto width = toSize(track.width);
  for (std::size_t k = 0; k < track.times_s->size(); ++k) {
    percent.curve.values.push_back(kFullPercent * track.values[k * width + column]);
  }
  dropIdleKeys(percent.curve);
  return percent;
}

Result<std::vector<NewPercent>> percentsFor(const Shapes& shapes, const Node& node,
                                            std::span<const std::int64_t> added,
                                            const Track& track) {
  const auto own = toSize(node.weights_count);
  if (toSize(track.width) != own + added.size()) {
    return Error{ErrorCode::kInternal, node.name, "has a track with a different number of weights",
                 ""};
  }
  if (track.interpolation == Interpolation::kCubicSpline) {
    return Error{ErrorCode::kUnsupported, node.name, "has cubic keys for its morph weights", ""};
  }
  std::vector<NewPercent> percents;
  for (std::size_t c = 0; c < shapes.channels.size(); ++c) {
    const ShapeChannel& channel = shapes.channels[c];
    if (channel.shapes.empty()) continue;
    const int first = channel.shapes.front().weight;
    if (first < node.weights_start || first >= node.weights_start + node.weights_count) continue;
    NewPercent percent{static_cast<int>(c), {track.interpolation, track.times_s, {}, {}, {}}, 0};
    const auto width = toSize(track.width);
    for (std::size_t k = 0; k < track.times_s->size(); ++k) {
      CLIPMILL_TRY(const double value,
                   percentOf(channel, std::span(track.values).subspan(k * width, width),
                             node.weights_start));
      percent.curve.values.push_back(value);
    }
    percents.push_back(std::move(percent));
  }
  for (std::size_t i = 0; i < added.size(); ++i) {
    percents.push_back(percentOfAdded(added[i], track, own + i));
  }
  return percents;
}

// A zero byte would end the name.
std::string withoutZeros(std::string name) {
  std::replace(name.begin(), name.end(), '\0', '_');
  return name;
}

// FBX 7 stores keys as floats. What these do not hold is refused in older files too.
Status checkKeys(const NewCurve& curve, const Skeleton& skeleton, int node) {
  for (const double value : curve.values) {
    if (std::fabs(value) <= std::numeric_limits<float>::max()) continue;
    return Error{ErrorCode::kMalformed, pathOf(skeleton, node),
                 "has a new key with a value that is not a finite number", ""};
  }
  return {};
}

Result<ClipChannels> channelsOfEdit(const Document& document, const ReadScene& read,
                                    const Scene& scene, const AddedChannels& added,
                                    const ClipEdit& edit) {
  const Clip& clip = scene.clips[toSize(edit.clip)];
  ClipChannels result;
  result.clip = edit.clip;
  result.span_s = edit.span_s;
  if (toSize(edit.clip) < read.stack_of_clip.size()) {
    result.stack_object = read.stack_of_clip[toSize(edit.clip)];
    if (edit.name) result.other_name = withoutZeros(*edit.name);
  } else {
    result.new_name = withoutZeros(edit.name.value_or(clip.name));
    if (!result.span_s) result.span_s = std::pair(clip.start_s, clip.end_s);
  }
  std::map<int, std::vector<const Track*>> tracks_of_node;
  for (const Track& track : edit.tracks) tracks_of_node[track.node].push_back(&track);
  for (auto& [node, tracks] : tracks_of_node) {
    const auto n = toSize(node);
    std::vector<const Track*> locals;
    for (const Track* track : tracks) {
      if (track->path != TrackPath::kWeights) {
        locals.push_back(track);
        continue;
      }
      const auto found = added.find(node);
      std::span<const std::int64_t> ids;
      if (found != added.end()) ids = found->second;
      CLIPMILL_TRY(auto percents, percentsFor(read.shapes, scene.skeleton.nodes[n], ids, *track));
      for (NewPercent& percent : percents) {
        CLIPMILL_CHECK(checkKeys(percent.curve, scene.skeleton, node));
        result.percents.push_back(std::move(percent));
      }
    }
    if (locals.empty()) continue;
    const bool bake_all = result.stack_object >= 0 &&
                          movesPivots(document, result.stack_object, read.nodes.object_of_node[n]);
    if (bake_all) result.baked_nodes.push_back(node);
    for (NewChannels& channels :
         channelsFor(scene.skeleton, read.nodes.chains[n], node, locals, clip, bake_all)) {
      for (const NewCurve& curve : channels.axes) {
        CLIPMILL_CHECK(checkKeys(curve, scene.skeleton, channels.node));
      }
      result.channels.push_back(std::move(channels));
    }
  }
  return result;
}

}  // namespace

Result<Bytes> patchDocument(const Document& document, const ReadScene& read, const Scene& scene,
                            std::span<const ClipEdit> edits, std::span<const AddedMorph> morphs) {
  NewObjects objects(document);
  CLIPMILL_TRY(const AddedChannels added,
               patchShapes(document, read, scene.skeleton, morphs, objects));
  std::vector<ClipChannels> clips;
  for (const ClipEdit& edit : edits) {
    if (edit.tracks.empty() && !edit.span_s && !edit.name) continue;
    CLIPMILL_TRY(ClipChannels channels, channelsOfEdit(document, read, scene, added, edit));
    clips.push_back(std::move(channels));
  }
  TreeEdits tree_edits;
  if (document.isModern()) {
    CLIPMILL_CHECK(patchStacks(document, read, clips, objects, tree_edits));
    objects.finish(tree_edits);
  } else {
    CLIPMILL_CHECK(patchTakes(document, read, clips, tree_edits));
  }
  return writeTree(*document.tree, tree_edits);
}

Warnings constraintWarnings(const Document& document, const ReadScene& read, const Scene& scene,
                            std::span<const ClipEdit> edits) {
  std::set<int> nodes;
  for (const ClipEdit& edit : edits) {
    for (const Track& track : edit.tracks) nodes.insert(track.node);
  }
  Warnings warnings;
  for (const int node : nodes) {
    const int model = read.nodes.object_of_node[toSize(node)];
    for (const int c : document.parents[toSize(model)]) {
      const Connection& connection = document.connections[toSize(c)];
      if (connection.parent < 0 || document.object(connection.parent).type != "Constraint")
        continue;
      if (!connection.property.starts_with("Constrained")) continue;
      warnings.add("constrained_joint",
                   "a constraint controls a joint with new keys; programs that evaluate "
                   "constraints do not show them",
                   pathOf(scene.skeleton, node));
    }
  }
  return warnings;
}

}  // namespace clipmill::io::fbx
