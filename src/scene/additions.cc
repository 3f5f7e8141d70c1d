// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/additions.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "core/parallel.h"
#include "core/to_size.h"

namespace clipmill {
namespace {

// Where the weights of each node go when their rows get longer.
class WeightMoves {
 public:
  WeightMoves(const Skeleton& before, const Skeleton& after) {
    for (std::size_t n = 0; n < before.size(); ++n) {
      const Node& from = before.nodes[n];
      if (from.weights_count == 0) continue;
      moves_.push_back({from.weights_start, after.nodes[n].weights_start, from.weights_count});
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

// A clip that knows nothing of the new weights and joints.
class WidenedSource : public PoseSource {
 public:
  WidenedSource(std::shared_ptr<const PoseSource> source, const Skeleton& before,
                const Skeleton& after)
      : source_(std::move(source)),
        moves_(before, after),
        nodes_(before.size()),
        weights_(before.rest_weights.size()) {}

  std::unique_ptr<PoseCursor> cursor() const override {
    return std::make_unique<Cursor>(source_->cursor(), moves_, nodes_, weights_);
  }

 private:
  class Cursor : public PoseCursor {
   public:
    Cursor(std::unique_ptr<PoseCursor> cursor, const WeightMoves& moves, std::size_t nodes,
           std::size_t weights)
        : cursor_(std::move(cursor)), moves_(moves), nodes_(nodes), weights_(weights) {}

    void sample(double time_s, PoseView pose) override {
      // What the clip does not animate stays as the caller has it.
      moves_.narrow(pose.weights, weights_);
      cursor_->sample(time_s, {pose.locals.first(nodes_), weights_});
      moves_.widen(weights_, pose.weights);
    }
    void limitTo(std::span<const std::size_t> nodes) override {
      std::vector<std::size_t> known;
      std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(known),
                   [&](std::size_t node) { return node < nodes_; });
      cursor_->limitTo(known);
    }

   private:
    std::unique_ptr<PoseCursor> cursor_;
    const WeightMoves moves_;
    std::size_t nodes_;
    std::vector<double> weights_;
  };

  std::shared_ptr<const PoseSource> source_;
  WeightMoves moves_;
  std::size_t nodes_, weights_;
};

std::shared_ptr<const PoseSource> widened(std::shared_ptr<const PoseSource> source,
                                          const Skeleton& before, const Skeleton& after) {
  if (!source) return source;
  return std::make_shared<WidenedSource>(std::move(source), before, after);
}

TrackMask widened(const TrackMask& mask, std::size_t node_count) {
  TrackMask wide(node_count);
  for (int node = 0; node < static_cast<int>(mask.size()); ++node) {
    for (const TrackPath path : kTrackPaths) {
      if (mask.has(node, path)) wide.set(node, path);
    }
  }
  return wide;
}

void widenWeights(const Skeleton& skeleton, std::span<const AddedMorph> morphs, Skeleton& wide) {
  for (const AddedMorph& morph : morphs) {
    ++wide.nodes[toSize(morph.node)].weights_count;
  }
  std::size_t count = 0;
  for (Node& node : wide.nodes) {
    node.weights_start = static_cast<int>(count);
    count += toSize(node.weights_count);
  }
  wide.rest_weights.assign(count, 0.0);
  WeightMoves(skeleton, wide).widen(skeleton.rest_weights, wide.rest_weights);
}

void addJoints(std::span<const AddedJoint> joints, Skeleton& skeleton) {
  std::set<std::string> names;
  int next_id = 0;
  for (const Node& node : skeleton.nodes) {
    names.insert(node.name);
    next_id = std::max(next_id, node.source_id + 1);
  }
  for (const AddedJoint& joint : joints) names.insert(joint.name);
  int number = 0;
  for (const AddedJoint& joint : joints) {
    Node node;
    node.name = joint.name;
    while (node.name.empty() || (joint.name.empty() && !names.insert(node.name).second)) {
      node.name = "joint_" + std::to_string(number++);
    }
    node.parent = joint.parent;
    node.source_id = next_id++;
    node.rest = joint.rest;
    node.weights_start = static_cast<int>(skeleton.rest_weights.size());
    if (skeleton.nodes[toSize(joint.parent)].euler) node.euler.emplace();
    skeleton.nodes.push_back(std::move(node));
  }
}

std::vector<Vec3> slice(const std::vector<Vec3>& deltas, std::size_t start, std::size_t count) {
  if (deltas.empty()) return {};
  const auto first = deltas.begin() + static_cast<std::ptrdiff_t>(start);
  return {first, first + static_cast<std::ptrdiff_t>(count)};
}

// A part of a morph of one mesh.
struct MorphSlice {
  const AddedMorph* morph;
  std::size_t start;  // in the morph
  SkinnedMesh* mesh;
  std::size_t index;  // in the mesh
};

std::vector<MorphSlice> makeSlices(const Skeleton& before, std::span<const AddedMorph> morphs,
                                   std::vector<SkinnedMesh>& meshes) {
  std::vector<MorphSlice> slices;
  for (const AddedMorph& morph : morphs) {
    std::size_t start = 0;
    for (SkinnedMesh& mesh : meshes) {
      if (mesh.node != morph.node) continue;
      // A mesh that lacks some of the node's own morphs would give the new ones their weights.
      const int own = before.nodes[toSize(morph.node)].weights_count;
      if (mesh.morphs.size() < toSize(own)) {
        mesh.morphs.resize(toSize(own));
      }
      slices.push_back({&morph, start, &mesh, mesh.morphs.size()});
      mesh.morphs.emplace_back();
      start += mesh.vertexCount();
    }
  }
  return slices;
}

void addToMeshes(const Skeleton& before, std::span<const AddedMorph> morphs, int threads,
                 std::vector<SkinnedMesh>& meshes) {
  const std::vector<MorphSlice> slices = makeSlices(before, morphs, meshes);
  parallelFor(slices.size(), 1, threads, [&](std::size_t i, std::size_t) {
    const auto& [morph, start, mesh, index] = slices[i];
    mesh->morphs[index] = {morph->name, slice(morph->position_deltas, start, mesh->vertexCount()),
                           slice(morph->normal_deltas, start, mesh->vertexCount())};
  });
}

int indexIn(const Skin& skin, int node) {
  const auto found = std::find(skin.joints.begin(), skin.joints.end(), node);
  return found == skin.joints.end() ? -1 : static_cast<int>(found - skin.joints.begin());
}

void addToSkins(std::span<const AddedWeights> weights, Scene& scene) {
  for (const AddedWeights& added : weights) {
    for (const SkinnedMesh& mesh : scene.meshes) {
      if (mesh.node != added.node) continue;
      Skin& skin = scene.skins[toSize(mesh.skin)];
      for (std::size_t j = 0; j < added.joints.size(); ++j) {
        if (indexIn(skin, added.joints[j]) >= 0) continue;
        skin.joints.push_back(added.joints[j]);
        skin.joint_from_bind.push_back(added.joint_from_bind[j]);
      }
    }
  }
}

// Influences of the vertices [start, start + count) by joints of `skin`.
void replaceInfluences(const AddedWeights& added, std::size_t start, const Skin& skin,
                       SkinnedMesh& mesh) {
  mesh.influences.clear();
  mesh.influence_start.assign(1, 0);
  for (std::size_t v = start; v < start + mesh.vertexCount(); ++v) {
    for (std::size_t i = added.influence_start[v]; i < added.influence_start[v + 1]; ++i) {
      const NodeInfluence& influence = added.influences[i];
      mesh.influences.push_back(
          {static_cast<std::uint32_t>(indexIn(skin, influence.node)), influence.weight});
    }
    mesh.influence_start.push_back(mesh.influences.size());
  }
}

void addWeights(std::span<const AddedWeights> weights, Scene& scene) {
  addToSkins(weights, scene);
  for (const AddedWeights& added : weights) {
    std::size_t start = 0;
    for (SkinnedMesh& mesh : scene.meshes) {
      if (mesh.node != added.node) continue;
      replaceInfluences(added, start, scene.skins[toSize(mesh.skin)], mesh);
      start += mesh.vertexCount();
    }
  }
}

bool changesPoses(const Additions& additions) {
  return !additions.morphs.empty() || !additions.joints.empty();
}

}  // namespace

void append(Additions made, Additions& all) {
  const auto moveTo = [](auto& from, auto& to) {
    std::move(from.begin(), from.end(), std::back_inserter(to));
  };
  moveTo(made.morphs, all.morphs);
  moveTo(made.files, all.files);
  moveTo(made.joints, all.joints);
  for (AddedExtra& extra : made.extras) {
    std::erase_if(all.extras, [&](const AddedExtra& former) { return former.key == extra.key; });
    all.extras.push_back(std::move(extra));
  }
  for (AddedWeights& weights : made.weights) {
    const auto former =
        std::find_if(all.weights.begin(), all.weights.end(),
                     [&](const AddedWeights& known) { return known.node == weights.node; });
    if (former == all.weights.end()) {
      all.weights.push_back(std::move(weights));
      continue;
    }
    former->influence_start = std::move(weights.influence_start);
    former->influences = std::move(weights.influences);
    moveTo(weights.joints, former->joints);
    moveTo(weights.joint_from_bind, former->joint_from_bind);
  }
}

Skeleton withAdditions(const Skeleton& skeleton, const Additions& additions) {
  Skeleton wide = skeleton;
  if (!additions.morphs.empty()) widenWeights(skeleton, additions.morphs, wide);
  addJoints(additions.joints, wide);
  return wide;
}

Scene withAdditions(const Scene& scene, const Additions& additions, int threads) {
  Scene result = scene;
  addToMeshes(scene.skeleton, additions.morphs, threads, result.meshes);
  addWeights(additions.weights, result);
  if (!changesPoses(additions)) return result;
  result.skeleton = withAdditions(scene.skeleton, additions);
  for (Clip& clip : result.clips) {
    clip.source = widened(clip.source, scene.skeleton, result.skeleton);
    clip.animated = widened(clip.animated, result.skeleton.size());
  }
  return result;
}

Motion withAdditions(const Skeleton& before, const Skeleton& after, const Motion& motion) {
  Motion result = motion;
  const WeightMoves moves(before, after);
  const Pose rest = restPose(after);
  result.node_count = after.size();
  result.weight_count = after.rest_weights.size();
  result.locals.resize(motion.grid.frame_count * result.node_count);
  result.weights.assign(motion.grid.frame_count * result.weight_count, 0.0);
  for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
    const PoseView frame = result.frame(f);
    const auto known = motion.localsOf(f);
    const auto joints = std::copy(known.begin(), known.end(), frame.locals.begin());
    std::copy(rest.locals.begin() + static_cast<std::ptrdiff_t>(before.size()), rest.locals.end(),
              joints);
    moves.widen(motion.weightsOf(f), frame.weights);
  }
  result.modified = widened(motion.modified, after.size());
  result.source = widened(motion.source, before, after);
  return result;
}

}  // namespace clipmill
