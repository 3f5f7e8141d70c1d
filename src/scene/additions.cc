// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/additions.h"

#include <algorithm>
#include <utility>

namespace clipmill {
namespace {

// Where the weights of each node go when their rows get longer.
class WeightMoves {
 public:
  WeightMoves(const Skeleton& before, const Skeleton& after) {
    for (std::size_t n = 0; n < before.size(); ++n) {
      const Node& from = before.nodes[n];
      if (from.weights_count == 0) continue;
      moves_.push_back({from.weights_begin, after.nodes[n].weights_begin, from.weights_count});
    }
  }

  void widen(std::span<const double> narrow, std::span<double> wide) const {
    for (const Move& move : moves_) {
      std::copy_n(narrow.begin() + move.from, move.count, wide.begin() + move.to);
    }
  }
  void narrow(std::span<const double> wide, std::span<double> narrow) const {
    for (const Move& move : moves_) {
      std::copy_n(wide.begin() + move.to, move.count, narrow.begin() + move.from);
    }
  }

 private:
  struct Move {
    int from = 0, to = 0, count = 0;
  };
  std::vector<Move> moves_;
};

// A clip that knows nothing of the new weights.
class WidenedSource : public PoseSource {
 public:
  WidenedSource(std::shared_ptr<const PoseSource> source, const Skeleton& before,
                const Skeleton& after)
      : source_(std::move(source)), moves_(before, after), weights_(before.rest_weights.size()) {}

  std::unique_ptr<PoseCursor> cursor() const override {
    return std::make_unique<Cursor>(source_->cursor(), moves_, weights_);
  }

 private:
  class Cursor : public PoseCursor {
   public:
    Cursor(std::unique_ptr<PoseCursor> cursor, const WeightMoves& moves, std::size_t weights)
        : cursor_(std::move(cursor)), moves_(moves), weights_(weights) {}

    void sample(double time_s, PoseView pose) override {
      // What the clip does not animate stays as the caller has it.
      moves_.narrow(pose.weights, weights_);
      cursor_->sample(time_s, {pose.locals, weights_});
      moves_.widen(weights_, pose.weights);
    }
    void limitTo(std::span<const std::size_t> nodes) override { cursor_->limitTo(nodes); }

   private:
    std::unique_ptr<PoseCursor> cursor_;
    const WeightMoves moves_;
    std::vector<double> weights_;
  };

  std::shared_ptr<const PoseSource> source_;
  WeightMoves moves_;
  std::size_t weights_;
};

std::shared_ptr<const PoseSource> widened(std::shared_ptr<const PoseSource> source,
                                          const Skeleton& before, const Skeleton& after) {
  if (!source) return source;
  return std::make_shared<WidenedSource>(std::move(source), before, after);
}

Skeleton withWeights(const Skeleton& skeleton, std::span<const AddedMorph> morphs) {
  Skeleton wide = skeleton;
  for (const AddedMorph& morph : morphs) {
    ++wide.nodes[static_cast<std::size_t>(morph.node)].weights_count;
  }
  std::size_t count = 0;
  for (Node& node : wide.nodes) {
    node.weights_begin = static_cast<int>(count);
    count += static_cast<std::size_t>(node.weights_count);
  }
  wide.rest_weights.assign(count, 0.0);
  WeightMoves(skeleton, wide).widen(skeleton.rest_weights, wide.rest_weights);
  return wide;
}

std::vector<Vec3> slice(const std::vector<Vec3>& deltas, std::size_t begin, std::size_t count) {
  if (deltas.empty()) return {};
  const auto first = deltas.begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

std::size_t verticesOf(const Scene& scene, int node) {
  std::size_t count = 0;
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (mesh.node == node) count += mesh.vertexCount();
  }
  return count;
}

void addToMeshes(const Skeleton& before, std::span<const AddedMorph> morphs,
                 std::vector<SkinnedMesh>& meshes) {
  for (const AddedMorph& morph : morphs) {
    std::size_t begin = 0;
    for (SkinnedMesh& mesh : meshes) {
      if (mesh.node != morph.node) continue;
      // A mesh that lacks some of the node's own morphs would give the new ones their weights.
      const int own = before.nodes[static_cast<std::size_t>(morph.node)].weights_count;
      if (mesh.morphs.size() < static_cast<std::size_t>(own)) {
        mesh.morphs.resize(static_cast<std::size_t>(own));
      }
      mesh.morphs.push_back({morph.name, slice(morph.position_deltas, begin, mesh.vertexCount()),
                             slice(morph.normal_deltas, begin, mesh.vertexCount())});
      begin += mesh.vertexCount();
    }
  }
}

}  // namespace

Status checkMorphs(const Scene& scene, std::span<const AddedMorph> morphs) {
  const auto areFinite = [](const std::vector<Vec3>& deltas) {
    return std::all_of(deltas.begin(), deltas.end(), [](const Vec3& d) { return isFinite(d); });
  };
  for (const AddedMorph& morph : morphs) {
    if (morph.node < 0 || morph.node >= static_cast<int>(scene.skeleton.size())) {
      return Error{ErrorCode::kInternal, morph.name, "is a morph of a node that is not there", ""};
    }
    const std::size_t vertices = verticesOf(scene, morph.node);
    const bool fits = vertices > 0 && morph.position_deltas.size() == vertices &&
                      (morph.normal_deltas.empty() || morph.normal_deltas.size() == vertices);
    if (!fits || !areFinite(morph.position_deltas) || !areFinite(morph.normal_deltas)) {
      return Error{ErrorCode::kInternal, pathOf(scene.skeleton, morph.node),
                   "has a new morph that does not fit its mesh", ""};
    }
  }
  return {};
}

Scene withMorphs(const Scene& scene, std::span<const AddedMorph> morphs) {
  Scene result = scene;
  if (morphs.empty()) return result;
  result.skeleton = withWeights(scene.skeleton, morphs);
  addToMeshes(scene.skeleton, morphs, result.meshes);
  for (Clip& clip : result.clips) {
    clip.source = widened(clip.source, scene.skeleton, result.skeleton);
  }
  return result;
}

Motion withMorphs(const Skeleton& before, const Skeleton& after, const Motion& motion) {
  Motion result = motion;
  const WeightMoves moves(before, after);
  result.weight_count = after.rest_weights.size();
  result.weights.assign(motion.grid.frame_count * result.weight_count, 0.0);
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    moves.widen(motion.weightsOf(f), result.frame(f).weights);
  }
  result.source = widened(motion.source, before, after);
  return result;
}

}  // namespace clipmill
