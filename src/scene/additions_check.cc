// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/finite.h"
#include "core/parallel.h"
#include "core/to_size.h"
#include "scene/additions.h"

namespace clipmill {
namespace {

constexpr std::size_t kMaxInfluences = 4;
constexpr double kWeightSumTolerance = 1e-6;

Error unfit(std::string location, std::string message) {
  return {ErrorCode::kInternal, std::move(location), std::move(message), ""};
}

bool isNode(const Scene& scene, int node) {
  return node >= 0 && node < static_cast<int>(scene.skeleton.size());
}

std::size_t verticesOf(const Scene& scene, int node) {
  std::size_t count = 0;
  for (const SkinnedMesh& mesh : scene.meshes) {
    if (mesh.node == node) count += mesh.vertexCount();
  }
  return count;
}

bool isFit(const Scene& scene, const AddedMorph& morph) {
  const auto areFinite = [](const std::vector<Vec3>& deltas) {
    return std::all_of(deltas.begin(), deltas.end(), [](const Vec3& d) { return isFinite(d); });
  };
  const std::size_t vertices = verticesOf(scene, morph.node);
  return vertices > 0 && morph.position_deltas.size() == vertices &&
         (morph.normal_deltas.empty() || morph.normal_deltas.size() == vertices) &&
         areFinite(morph.position_deltas) && areFinite(morph.normal_deltas);
}

Status checkMorphs(const Scene& scene, std::span<const AddedMorph> morphs, int threads) {
  std::vector<char> is_fit(morphs.size(), 0);
  parallelFor(morphs.size(), 1, threads,
              [&](std::size_t m, std::size_t) { is_fit[m] = isFit(scene, morphs[m]) ? 1 : 0; });
  for (std::size_t m = 0; m < morphs.size(); ++m) {
    if (!isNode(scene, morphs[m].node)) {
      return unfit(morphs[m].name, "is a morph of a node that is not there");
    }
    if (!is_fit[m]) {
      return unfit(pathOf(scene.skeleton, morphs[m].node),
                   "has a new morph that does not fit its mesh");
    }
  }
  return {};
}

Status checkJoints(const Scene& scene, std::span<const AddedJoint> joints) {
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const AddedJoint& joint = joints[j];
    const int index = static_cast<int>(scene.skeleton.size() + j);
    if (joint.parent < 0 || joint.parent >= index) {
      return unfit(joint.name, "is a new joint whose parent does not precede it");
    }
    if (!isFinite(joint.rest.translation) || !isFinite(joint.rest.rotation) ||
        !isFinite(joint.rest.scale)) {
      return unfit(joint.name, "is a new joint whose position has NaN or infinity");
    }
  }
  return {};
}

bool isSame(const Affine& a, const Affine& b) {
  return a.linear == b.linear && a.translation == b.translation;
}

// The inverse bind matrices of the joints of every skin as it will be.
class SkinJoints {
 public:
  explicit SkinJoints(const Scene& scene) : joints_(scene.skins.size()) {
    for (std::size_t s = 0; s < scene.skins.size(); ++s) {
      const Skin& skin = scene.skins[s];
      for (std::size_t j = 0; j < skin.joints.size(); ++j) {
        if (!add(s, skin.joints[j], skin.joint_from_bind[j])) {
          ambiguous_.emplace(s, skin.joints[j]);
        }
      }
    }
  }

  /// False for a joint that has another matrix already.
  bool add(std::size_t skin, int node, const Affine& joint_from_bind) {
    const auto [known, is_new] = joints_[skin].emplace(node, joint_from_bind);
    return is_new || isSame(known->second, joint_from_bind);
  }
  /// Whether `node` is one joint of the skin.
  bool has(std::size_t skin, int node) const {
    return joints_[skin].count(node) > 0 && ambiguous_.count({skin, node}) == 0;
  }

 private:
  std::vector<std::map<int, Affine>> joints_;
  std::set<std::pair<std::size_t, int>> ambiguous_;
};

class WeightsCheck {
 public:
  WeightsCheck(const Scene& scene, const Additions& additions)
      : scene_(scene),
        node_count_(static_cast<int>(scene.skeleton.size() + additions.joints.size())),
        joints_(scene) {}

  Status check(std::span<const AddedWeights> weights) {
    std::set<int> nodes;
    for (const AddedWeights& added : weights) {
      if (!isNode(scene_, added.node)) return unfit("", "weights are of a node that is not there");
      if (!nodes.insert(added.node).second) return refused(added, "gets weights twice");
      CLIPMILL_CHECK(checkSkin(added));
    }
    for (const AddedWeights& added : weights) CLIPMILL_CHECK(checkInfluences(added));
    return {};
  }

 private:
  Error refused(const AddedWeights& added, std::string message) const {
    return unfit(pathOf(scene_.skeleton, added.node), std::move(message));
  }

  Status checkSkin(const AddedWeights& added) {
    if (added.joints.size() != added.joint_from_bind.size()) {
      return refused(added, "gets not as many inverse bind matrices as joints");
    }
    for (const SkinnedMesh& mesh : scene_.meshes) {
      if (mesh.node != added.node) continue;
      if (mesh.skin < 0) return refused(added, "gets weights but has a mesh without a skin");
      for (std::size_t j = 0; j < added.joints.size(); ++j) {
        const int joint = added.joints[j];
        const bool fits = joint >= 0 && joint < node_count_ && isFinite(added.joint_from_bind[j]);
        if (!fits) return refused(added, "gets a joint that is not there");
        if (!joints_.add(toSize(mesh.skin), joint, added.joint_from_bind[j])) {
          return refused(added, "gets a joint that its skin has with another inverse bind matrix");
        }
      }
    }
    return {};
  }

  Status checkInfluences(const AddedWeights& added) const {
    const std::vector<std::size_t>& start = added.influence_start;
    const std::size_t vertices = verticesOf(scene_, added.node);
    const bool fits = vertices > 0 && start.size() == vertices + 1 && start.front() == 0 &&
                      std::is_sorted(start.begin(), start.end()) &&
                      start.back() == added.influences.size();
    if (!fits) return refused(added, "has new weights that do not fit its mesh");
    std::size_t first = 0;
    for (const SkinnedMesh& mesh : scene_.meshes) {
      if (mesh.node != added.node) continue;
      for (std::size_t v = first; v < first + mesh.vertexCount(); ++v) {
        CLIPMILL_CHECK(checkVertex(added, toSize(mesh.skin), v));
      }
      first += mesh.vertexCount();
    }
    return {};
  }

  Status checkVertex(const AddedWeights& added, std::size_t skin, std::size_t vertex) const {
    const std::size_t start = added.influence_start[vertex];
    const auto influences =
        std::span(added.influences).subspan(start, added.influence_start[vertex + 1] - start);
    if (influences.size() > kMaxInfluences) {
      return refused(added, "has a vertex with more than four new influences");
    }
    std::set<int> nodes;
    double sum = 0.0;
    for (const NodeInfluence& influence : influences) {
      if (!joints_.has(skin, influence.node) || !nodes.insert(influence.node).second) {
        return refused(added, "has new weights of a joint that its skin does not have once");
      }
      if (!(influence.weight >= 0.0)) return refused(added, "has a new weight below 0");
      sum += influence.weight;
    }
    if (std::abs(sum - 1.0) <= kWeightSumTolerance) return {};
    return refused(added, "has new weights that do not sum to 1");
  }

  const Scene& scene_;
  int node_count_;
  SkinJoints joints_;
};

}  // namespace

Status checkAdditions(const Scene& scene, const Additions& additions, int threads) {
  CLIPMILL_CHECK(checkMorphs(scene, additions.morphs, threads));
  CLIPMILL_CHECK(checkJoints(scene, additions.joints));
  return WeightsCheck(scene, additions).check(additions.weights);
}

}  // namespace clipmill
