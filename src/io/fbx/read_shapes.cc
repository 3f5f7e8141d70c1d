// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/read_shapes.h"

#include <algorithm>
#include <cmath>

#include "core/to_size.h"

namespace clipmill::io::fbx {
namespace {

struct FoundShape {
  double full_percent;
  ShapeSource source;
};

// How many control points a shape moves.
std::size_t pointCount(const Element& shape) {
  const auto indices = shape.child("Indexes");
  return indices ? indices->numberCount() : 0;
}

class ShapeReader {
 public:
  ShapeReader(const Document& document, Nodes& nodes) : document_(document), nodes_(nodes) {}

  Status readNode(int node) {
    const int model = nodes_.object_of_node[toSize(node)];
    const int geometry = geometryOf(document_, model);
    if (geometry < 0) return {};
    node_ = node;
    nodes_.skeleton.nodes[toSize(node)].weights_start = static_cast<int>(shapes_.of_weight.size());
    if (document_.isModern()) {
      for (const int blend : document_.childrenOf(geometry, "Deformer", "BlendShape")) {
        for (const int c : document_.childrenOf(blend, "Deformer", "BlendShapeChannel")) {
          CLIPMILL_CHECK(readChannel(c));
        }
      }
    } else {
      for (const Element element : document_.object(model).element.children()) {
        if (element.name() != "Shape") continue;
        const std::string name = plainName(element.text(0).value_or(""));
        addChannel({model, name, 0.0, {}}, {{100.0, {element, name, {}}}});
      }
    }
    return {};
  }

  Shapes take() { return std::move(shapes_); }

 private:
  Status readChannel(int object) {
    std::vector<double> full;
    if (const auto weights = document_.object(object).element.child("FullWeights")) {
      auto read = weights->numbers();
      if (!read) return within(document_.object(object).name, read.error());
      full = std::move(*read);
      if (!std::all_of(full.begin(), full.end(), [](double w) { return std::isfinite(w); })) {
        return Error{ErrorCode::kMalformed, document_.object(object).name,
                     "has a weight of a blend shape that is not a finite number", ""};
      }
    }
    std::vector<FoundShape> found;
    const std::vector<int> shapes = document_.childrenOf(object, "Geometry", "Shape");
    const bool is_of_points = shapes.size() == 1 && full.size() > 1 &&
                              full.size() == pointCount(document_.object(shapes[0]).element);
    for (const int shape : shapes) {
      const bool has_percent = !is_of_points && found.size() < full.size();
      const double percent = has_percent ? full[found.size()] : 100.0;
      found.push_back(
          {percent, {document_.object(shape).element, document_.object(shape).name, {}}});
    }
    if (is_of_points) found[0].source.point_percents = std::move(full);
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.full_percent < b.full_percent; });
    const Properties properties = document_.properties(object);
    double percent = properties.number("DeformPercent").value_or(0.0);
    if (const auto own = document_.object(object).element.child("DeformPercent")) {
      percent = properties.own("DeformPercent") ? percent : own->number(0).value_or(percent);
    }
    const std::string& name = document_.object(object).name;
    // A channel with one shape is known by its own name, which is what users see.
    if (found.size() == 1) found[0].source.name = name;
    addChannel({object, name, percent, {}}, std::move(found));
    return {};
  }

  void addChannel(ShapeChannel channel, std::vector<FoundShape> found) {
    Skeleton& skeleton = nodes_.skeleton;
    for (FoundShape& shape : found) {
      channel.shapes.push_back({shape.full_percent, static_cast<int>(shapes_.of_weight.size())});
      shapes_.of_weight.push_back(std::move(shape.source));
      shapes_.node_of_weight.push_back(node_);
      skeleton.rest_weights.push_back(0.0);
      ++skeleton.nodes[toSize(node_)].weights_count;
    }
    setShapeWeights(channel, channel.percent, skeleton.rest_weights);
    shapes_.channels.push_back(std::move(channel));
  }

  const Document& document_;
  Nodes& nodes_;
  Shapes shapes_;
  int node_ = 0;
};

}  // namespace

int geometryOf(const Document& document, int model) {
  const auto geometries = document.childrenOf(model, "Geometry", "Mesh");
  if (!geometries.empty()) return geometries.front();
  return document.object(model).element.child("Vertices") ? model : -1;
}

Result<Shapes> readShapes(const Document& document, Nodes& nodes) {
  ShapeReader reader(document, nodes);
  for (int n = 0; n < static_cast<int>(nodes.skeleton.size()); ++n) {
    CLIPMILL_CHECK(reader.readNode(n));
  }
  return reader.take();
}

}  // namespace clipmill::io::fbx
