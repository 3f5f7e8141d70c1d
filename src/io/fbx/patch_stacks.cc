// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <set>

#include "core/to_size.h"
#include "io/fbx/file_builder.h"
#include "io/fbx/new_curve.h"
#include "io/fbx/patch_parts.h"

namespace clipmill::io::fbx {
namespace {

constexpr std::string_view kAxes[] = {"X", "Y", "Z"};
constexpr std::string_view kPercentAxis[] = {"DeformPercent"};
constexpr const char* kNodeNames[] = {"T", "R", "S"};
// What current writers put; readers look at the arrays that follow.
constexpr std::int32_t kUsualKeyVersion = 4009;

class StackPatcher {
 public:
  StackPatcher(const Document& document, const ReadScene& read, NewObjects& objects,
               TreeEdits& edits)
      : document_(document), read_(read), objects_(objects), edits_(edits) {}

  Status patch(const ClipChannels& clip) {
    stack_ = clip.stack_object;
    if (clip.new_name) {
      layer_id_ = addStack(clip);
    } else {
      CLIPMILL_TRY(layer_id_, layerOfStack());
    }
    for (const NewChannels& channels : clip.channels) CLIPMILL_CHECK(writeChannels(channels));
    for (const NewPercent& percent : clip.percents) CLIPMILL_CHECK(writePercent(percent));
    for (const int node : clip.baked_nodes) CLIPMILL_CHECK(detachPivots(node));
    if (clip.span_s && !clip.new_name) writeSpan(*clip.span_s);
    if (clip.other_name) rename(*clip.other_name);
    return {};
  }

  // Curves that only removed curve nodes used, and all connections of what is removed.
  void removeOrphans() {
    const std::set<int> curve_nodes = removed_objects_;
    for (const int curve_node : curve_nodes) {
      for (const int c : document_.children[toSize(curve_node)]) {
        const int child = document_.connections[toSize(c)].child;
        if (document_.object(child).type != "AnimationCurve") continue;
        const auto& uses = document_.parents[toSize(child)];
        const bool is_orphan = std::all_of(uses.begin(), uses.end(), [&](int use) {
          return removed_objects_.contains(document_.connections[toSize(use)].parent);
        });
        if (is_orphan) removed_objects_.insert(child);
      }
    }
    for (const int object : removed_objects_) {
      const auto o = toSize(object);
      objects_.countRemoved(document_.object(object).type);
      edits_.removed.insert(document_.object(object).element.index());
      for (const int c : document_.children[o]) removeConnection(c);
      for (const int c : document_.parents[o]) removeConnection(c);
    }
  }

 private:
  // -- What is there

  std::vector<int> layers() const { return document_.childrenOf(stack_, "AnimationLayer", ""); }

  bool isMuted(int layer) const {
    return document_.properties(layer).integer("Mute").value_or(0) != 0;
  }

  // The layer that gets the new curves: the lowest that is heard. A stack without any gets one.
  Result<std::int64_t> layerOfStack() {
    const std::vector<int> all = layers();
    std::vector<int> solo, heard;
    for (const int layer : all) {
      CLIPMILL_CHECK(checkOwner(layer));
      if (isMuted(layer)) continue;
      heard.push_back(layer);
      if (document_.properties(layer).integer("Solo").value_or(0) != 0) solo.push_back(layer);
    }
    if (!solo.empty()) return document_.object(solo.front()).id;
    if (!heard.empty()) return document_.object(heard.front()).id;
    if (!all.empty()) {
      return Error{ErrorCode::kUnsupported, document_.object(stack_).name, "has only muted layers",
                   "unmute one and export again"};
    }
    return addLayer(document_.object(stack_).id);
  }

  std::int64_t addLayer(std::int64_t stack_id) {
    const std::int64_t id = objects_.newId();
    objects_.add(
        {"AnimationLayer", {id, classedName("BaseLayer", "AnimLayer"), std::string()}, {}, true});
    objects_.connect(id, stack_id);
    return id;
  }

  // Returns the layer of the new stack.
  std::int64_t addStack(const ClipChannels& clip) {
    const std::int64_t start = ticksOf(clip.span_s->first), end = ticksOf(clip.span_s->second);
    NewElement properties{"Properties70", {}, {}, true};
    for (const auto& [name, ticks] : spanProperties(start, end)) {
      properties.children.push_back(timeProperty(name, ticks));
    }
    const std::int64_t id = objects_.newId();
    NewElement stack{
        "AnimationStack", {id, classedName(*clip.new_name, "AnimStack"), std::string()}, {}, true};
    stack.children.push_back(std::move(properties));
    objects_.add(std::move(stack));
    if (const auto takes = document_.tree->root("Takes")) {
      edits_.appended[takes->index()].push_back(takeElement(*clip.new_name, start, end));
    }
    widenTimeSpan(start, end);
    return addLayer(id);
  }

  Status checkOwner(int layer) const {
    const auto& uses = document_.parents[toSize(layer)];
    const auto is_stack = [&](int c) {
      const int parent = document_.connections[toSize(c)].parent;
      return parent >= 0 && document_.object(parent).type == "AnimationStack";
    };
    if (std::count_if(uses.begin(), uses.end(), is_stack) == 1) return {};
    return Error{ErrorCode::kUnsupported, document_.object(stack_).name,
                 "shares a layer with another stack", "export it with its own layers"};
  }

  // -- Unlinking what is replaced

  bool belongsToStack(int layer_object) const {
    return document_.object(layer_object).type == "AnimationLayer" &&
           document_.parentOf(layer_object, "AnimationStack") == stack_;
  }

  struct Uses {
    std::vector<int> own_layers, other_layers, properties;  // connections of a curve node
  };

  Uses usesOf(int curve_node) const {
    Uses uses;
    for (const int c : document_.parents[toSize(curve_node)]) {
      if (removed_connections_.contains(c)) continue;
      const Connection& connection = document_.connections[toSize(c)];
      if (connection.parent < 0) continue;
      if (!connection.property.empty()) {
        uses.properties.push_back(c);
      } else if (belongsToStack(connection.parent)) {
        uses.own_layers.push_back(c);
      } else if (document_.object(connection.parent).type == "AnimationLayer") {
        uses.other_layers.push_back(c);
      }
    }
    return uses;
  }

  // Takes every curve node of this stack off one property of an object.
  Status detach(int object, std::string_view property) {
    if (stack_ < 0) return {};  // a new one, which has none
    for (const int c : document_.children[toSize(object)]) {
      const Connection& connection = document_.connections[toSize(c)];
      if (connection.property != property || removed_connections_.contains(c) ||
          document_.object(connection.child).type != "AnimationCurveNode") {
        continue;
      }
      const Uses uses = usesOf(connection.child);
      if (uses.own_layers.empty()) continue;
      if (uses.other_layers.empty()) {
        removeConnection(c);
        if (uses.properties.size() == 1) removed_objects_.insert(connection.child);
      } else if (uses.properties.size() == 1) {
        for (const int own : uses.own_layers) removeConnection(own);
      } else {
        return Error{ErrorCode::kUnsupported, document_.object(object).name,
                     "has a curve node that several stacks and properties share",
                     "export it with its own animation"};
      }
    }
    return {};
  }

  Status detachPivots(int node) {
    constexpr std::string_view kPivots[] = {"RotationOffset", "RotationPivot", "ScalingOffset",
                                            "ScalingPivot",   "PreRotation",   "PostRotation"};
    const int model = read_.nodes.object_of_node[toSize(node)];
    for (const std::string_view pivot : kPivots) CLIPMILL_CHECK(detach(model, pivot));
    return {};
  }

  void removeConnection(int connection) {
    removed_connections_.insert(connection);
    edits_.removed.insert(document_.connections[toSize(connection)].element.index());
  }

  // -- Writing what is new

  std::int32_t keyVersion() const {
    for (const Object& object : document_.objects) {
      if (object.type != "AnimationCurve") continue;
      const auto version = object.element.child("KeyVer");
      const std::int64_t number = version ? version->integer(0).value_or(0) : 0;
      if (number >= 4001 && number <= kUsualKeyVersion) return static_cast<std::int32_t>(number);
    }
    return kUsualKeyVersion;
  }

  void addCurveNode(const std::string& name, std::span<const std::string_view> axes,
                    std::span<const NewCurve> curves, std::int64_t target,
                    const std::string& property) {
    std::vector<double> defaults;
    for (const NewCurve& curve : curves) defaults.push_back(curve.values.front());
    const std::int64_t node_id = objects_.newId();
    objects_.add(curveNodeElement(node_id, name, axes, defaults));
    objects_.connect(node_id, layer_id_);
    objects_.connect(node_id, target, property);
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const std::int64_t curve_id = objects_.newId();
      objects_.add(curveElement(curve_id, curves[i], keyVersion(), document_.tree->encoding));
      objects_.connect(curve_id, node_id, "d|" + std::string(axes[i]));
    }
  }

  Status writeChannels(const NewChannels& channels) {
    const auto which = toSize(channels.property);
    const std::string property(kChannelNames[which]);
    const int model = read_.nodes.object_of_node[toSize(channels.node)];
    CLIPMILL_CHECK(detach(model, property));
    addCurveNode(kNodeNames[which], kAxes, channels.axes, document_.object(model).id, property);
    return {};
  }

  Status writePercent(const NewPercent& percent) {
    std::int64_t id = percent.added_id;
    if (percent.channel >= 0) {
      const int object = read_.shapes.channels[toSize(percent.channel)].object;
      id = document_.object(object).id;
      // Nodes that show the same mesh share its channels.
      if (!written_channels_.emplace(layer_id_, id).second) return {};
      CLIPMILL_CHECK(detach(object, "DeformPercent"));
    }
    addCurveNode("DeformPercent", kPercentAxis, std::span(&percent.curve, 1), id, "DeformPercent");
    return {};
  }

  // -- Time spans

  void writeSpan(const std::pair<double, double>& span_s) {
    const std::int64_t start = ticksOf(span_s.first), end = ticksOf(span_s.second);
    const Element stack = document_.object(stack_).element;
    const Properties properties(stack);
    for (const auto& [name, ticks] : spanProperties(start, end)) {
      writeTime(properties, stack, name, ticks);
    }
    writeTakeSpan(start, end);
    widenTimeSpan(start, end);
  }

  static std::array<std::pair<const char*, std::int64_t>, 4> spanProperties(std::int64_t start,
                                                                            std::int64_t end) {
    return {{{"LocalStart", start},
             {"LocalStop", end},
             {"ReferenceStart", start},
             {"ReferenceStop", end}}};
  }

  void writeTime(const Properties& properties, const Element& owner, const char* name,
                 std::int64_t ticks) {
    NewElement property = timeProperty(name, ticks);
    if (const auto own = properties.own(name)) {
      edits_.replaced[own->index()] = std::move(property);
    } else if (const auto block = owner.child("Properties70")) {
      edits_.appended[block->index()].push_back(std::move(property));
    } else {
      edits_.appended[owner.index()].push_back({"Properties70", {}, {std::move(property)}, true});
    }
  }

  void writeTakeSpan(std::int64_t start, std::int64_t end) {
    const auto takes = document_.tree->root("Takes");
    if (!takes) return;
    for (const Element take : takes->children()) {
      if (take.name() != "Take" || take.text(0) != document_.object(stack_).name) continue;
      for (const char* name : {"LocalTime", "ReferenceTime"}) {
        if (const auto time = take.child(name)) edits_.values[time->index()] = {start, end};
      }
    }
  }

  // -- Names

  void rename(const std::string& name) {
    const Object& stack = document_.object(stack_);
    edits_.values[stack.element.index()] = {stack.id, classedName(name, "AnimStack"),
                                            std::string()};
    if (const auto takes = document_.tree->root("Takes")) {
      for (const Element take : takes->children()) {
        if (take.name() == "Take" && take.text(0) == stack.name) {
          renameTake(document_, take, name, edits_);
        }
      }
    }
    renameActive(stack.name, name);
  }

  // The stack that applications open with.
  void renameActive(const std::string& from, const std::string& to) {
    constexpr std::size_t kValue = 4;  // of name, type, label, flags, value
    const auto documents = document_.tree->root("Documents");
    if (!documents) return;
    for (const Element document : documents->children()) {
      const auto active = Properties(document).own("ActiveAnimStackName");
      if (active && active->text(kValue) == from) {
        edits_.replaced[active->index()] = textProperty("ActiveAnimStackName", to);
      }
    }
  }

  // The span that applications open with covers the clip.
  void widenTimeSpan(std::int64_t start, std::int64_t end) {
    const auto settings = document_.tree->root("GlobalSettings");
    if (!settings) return;
    const Properties properties(*settings);
    const auto old_start = properties.integer("TimeSpanStart"),
               stop = properties.integer("TimeSpanStop");
    if (old_start && start < *old_start) writeTime(properties, *settings, "TimeSpanStart", start);
    if (stop && end > *stop) writeTime(properties, *settings, "TimeSpanStop", end);
  }

  const Document& document_;
  const ReadScene& read_;
  NewObjects& objects_;
  TreeEdits& edits_;
  int stack_ = -1;
  std::int64_t layer_id_ = 0;
  std::set<int> removed_objects_, removed_connections_;
  std::set<std::pair<std::int64_t, std::int64_t>> written_channels_;  // layer, blend shape channel
};

}  // namespace

Status patchStacks(const Document& document, const ReadScene& read,
                   std::span<const ClipChannels> clips, NewObjects& objects, TreeEdits& edits) {
  StackPatcher patcher(document, read, objects, edits);
  for (const ClipChannels& clip : clips) CLIPMILL_CHECK(patcher.patch(clip));
  patcher.removeOrphans();
  return {};
}

}  // namespace clipmill::io::fbx
