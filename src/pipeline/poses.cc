// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/poses.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include <nlohmann/json.hpp>

#include "anim/motion.h"
#include "core/cancel.h"
#include "core/float_text.h"
#include "core/to_size.h"
#include "mesh/skinning.h"

namespace clipmill::pipeline {
namespace {

constexpr double kDefaultFractions[] = {0, .11, .25, .37, .5, .63, .77, .9, 1};

// Written by hand, not as a JSON tree: a file may have millions of numbers.
class PosesWriter {
 public:
  PosesWriter(const Scene& scene, const PosesOptions& options) : scene_(scene), options_(options) {
    order_.resize(scene.skeleton.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) {
      return scene.skeleton.nodes[a].source_id < scene.skeleton.nodes[b].source_id;
    });
    if (options.space == PoseSpace::kMetric) root_ = scene.metric_from_file;
  }

  std::string write(const std::string& format) {
    text_ = "{\"format\":" + quoted(format) + ",\"space\":\"" +
            (options_.space == PoseSpace::kMetric ? "metric" : "file") + "\",\"nodes\":[";
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (i) text_ += ',';
      text_ += quoted(pathOf(scene_.skeleton, static_cast<int>(order_[i])));
    }
    text_ += "],\"clips\":[";
    const Clip rest;
    if (scene_.clips.empty()) writeClip(rest);
    for (std::size_t i = 0; i < options_.clips.size(); ++i) {
      if (i) text_ += ',';
      writeClip(scene_.clips[toSize(options_.clips[i])]);
    }
    text_ += "]}\n";
    return std::move(text_);
  }

 private:
  static std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  void writeClip(const Clip& clip) {
    const std::vector<double> times = timesOf(clip);
    text_ += "{\"name\":" + quoted(clip.name) + ",\"start\":";
    number(clip.start_s);
    text_ += ",\"end\":";
    number(clip.end_s);
    text_ += ",\"times\":";
    numbers(times);
    text_ += ",\"world\":[";
    std::string skinned;
    const auto cursor = clip.source ? clip.source->cursor() : nullptr;
    Pose pose = restPose(scene_.skeleton);
    std::vector<Affine> worlds;
    for (std::size_t i = 0; i < times.size(); ++i) {
      pollCancel();
      if (cursor) cursor->sample(times[i], pose.view());
      computeWorlds(scene_.skeleton, pose.locals, root_, worlds);
      if (i) text_ += ',';
      writeWorlds(worlds);
      if (options_.vertices) writeVertices(pose, worlds, times[i], skinned);
    }
    text_ += "],\"skinned\":[" + skinned + "]}";
  }

  std::vector<double> timesOf(const Clip& clip) const {
    if (!options_.times_s.empty()) return options_.times_s;
    if (!(clip.end_s > clip.start_s)) return {clip.start_s};
    std::vector<double> times;
    if (options_.fractions.empty() && options_.fps > 0.0) {
      const TimeGrid grid = makeGrid(clip.start_s, clip.end_s, options_.fps);
      for (std::size_t i = 0; i < grid.frame_count; ++i) times.push_back(grid.timeOf(i));
      return times;
    }
    const auto at = [&](double f) {
      times.push_back(clip.start_s + (clip.end_s - clip.start_s) * f);
    };
    for (double fraction : options_.fractions) at(fraction);
    if (options_.fractions.empty()) {
      for (double fraction : kDefaultFractions) at(fraction);
    }
    return times;
  }

  void writeWorlds(const std::vector<Affine>& worlds) {
    text_ += '[';
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const Affine& w = worlds[order_[i]];
      text_ += i ? ",[" : "[";
      for (int row = 0; row < 3; ++row) {
        for (int column = 0; column < 3; ++column) {
          number(w.linear[column][row]);
          text_ += ',';
        }
        number(w.translation[row]);
        text_ += row < 2 ? "," : "]";
      }
    }
    text_ += ']';
  }

  void writeVertices(const Pose& pose, const std::vector<Affine>& worlds, double time_s,
                     std::string& skinned) {
    PosedVertices posed;
    for (const SkinnedMesh& mesh : scene_.meshes) {
      if (mesh.vertexCount() > options_.max_vertices) continue;
      const Node& node = scene_.skeleton.nodes[toSize(mesh.node)];
      const Skin* skin = mesh.skin < 0 ? nullptr : &scene_.skins[toSize(mesh.skin)];
      const auto weights =
          std::span(pose.weights).subspan(toSize(node.weights_start), toSize(node.weights_count));
      poseMesh(mesh, skin, worlds, weights, posed);
      std::swap(text_, skinned);
      if (!text_.empty()) text_ += ',';
      text_ += "{\"mesh\":" + quoted(pathOf(scene_.skeleton, mesh.node)) +
               ",\"primitive\":" + std::to_string(mesh.primitive) + ",\"time\":";
      number(time_s);
      text_ += ",\"positions\":[";
      for (std::size_t v = 0; v < posed.positions.size(); ++v) {
        for (int axis = 0; axis < 3; ++axis) {
          if (v + toSize(axis) > 0) text_ += ',';
          number(posed.positions[v][axis]);
        }
      }
      text_ += "]}";
      std::swap(text_, skinned);
    }
  }

  void numbers(const std::vector<double>& values) {
    text_ += '[';
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (i) text_ += ',';
      number(values[i]);
    }
    text_ += ']';
  }

  // Nine significant digits: more than a float holds, half the length of a double. JSON knows no
  // infinity: transforms that overflow are written as null.
  void number(double value) {
    if (!std::isfinite(value)) {
      text_ += "null";
      return;
    }
    text_ += significantDigitsText(value + 0.0, 9);
  }

  const Scene& scene_;
  const PosesOptions& options_;
  std::vector<std::size_t> order_;
  Affine root_;
  std::string text_;
};

std::size_t poseCount(const Clip& clip, const PosesOptions& options) {
  if (!options.times_s.empty()) return options.times_s.size();
  if (!options.fractions.empty()) return options.fractions.size();
  if (options.fps > 0.0) return makeGrid(clip.start_s, clip.end_s, options.fps).frame_count;
  return std::size(kDefaultFractions);
}

// The text grows with these, whatever the size of the file.
double pointCount(const Scene& scene, const PosesOptions& options) {
  double in_a_pose = static_cast<double>(scene.skeleton.size());
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (!options.vertices || mesh.vertexCount() > options.max_vertices) continue;
    in_a_pose += 1.0 + static_cast<double>(mesh.vertexCount());
  }
  double poses = scene.clips.empty() ? 1.0 : 0.0;
  for (int clip : options.clips) {
    poses += static_cast<double>(poseCount(scene.clips[toSize(clip)], options));
  }
  return poses * in_a_pose;
}

// A path repeats the names of all its ancestors.
double pathBytes(const Skeleton& skeleton) {
  std::vector<double> bytes(skeleton.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < skeleton.size(); ++i) {
    const int parent = skeleton.nodes[i].parent;
    bytes[i] = 1.0 + static_cast<double>(skeleton.nodes[i].name.size()) +
               (parent < 0 ? 0.0 : bytes[toSize(parent)]);
    sum += bytes[i];
  }
  return sum;
}

Error tooMuch(const std::string& location, const std::string& what) {
  return {ErrorCode::kLimit, location, "prints more than " + what,
          "choose fewer clips with --clip, lower --fps, or use --times"};
}

}  // namespace

Result<std::string> posesJson(const Scene& scene, const std::string& format,
                              const PosesOptions& options) {
  for (int clip : options.clips) {
    const Clip& c = scene.clips[toSize(clip)];
    if (poseCount(c, options) > options.max_poses) {
      return tooMuch(c.name, std::to_string(options.max_poses) + " poses");
    }
  }
  const double points = pointCount(scene, options);
  if (!(points <= static_cast<double>(options.max_points))) {
    return tooMuch("", std::to_string(options.max_points) + " nodes and vertices");
  }
  const double path_bytes = pathBytes(scene.skeleton) * (options.vertices ? 2.0 : 1.0);
  if (!(path_bytes <= static_cast<double>(options.max_points))) {
    return tooMuch("", std::to_string(options.max_points) + " bytes of node paths");
  }
  return PosesWriter(scene, options).write(format);
}

}  // namespace clipmill::pipeline
