// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/vrm/vrm_rig.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "anim/pose.h"
#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones {
namespace {

bool isIndex(int index, std::size_t count) { return index >= 0 && toSize(index) < count; }

template <class T>
const T& at(const std::vector<T>& all, int index) {
  return all[toSize(index)];
}

// Nodes below `above` down to above `below`; nothing where `above` is no ancestor.
std::optional<std::vector<int>> nodesBetween(const Skeleton& skeleton, int above, int below) {
  std::vector<int> between;
  for (int node = at(skeleton.nodes, below).parent; node != above;
       node = at(skeleton.nodes, node).parent) {
    if (node < 0) return std::nullopt;
    between.push_back(node);
  }
  std::reverse(between.begin(), between.end());
  return between;
}

bool isSane(const SpringJoint& joint) {
  return std::isfinite(joint.stiffness) && std::isfinite(joint.gravity_power) &&
         isFinite(joint.gravity_dir) && std::isfinite(joint.drag) &&
         std::isfinite(joint.hit_radius);
}

class RigMaker {
 public:
  RigMaker(const SpringSetup& springs, const Scene& scene)
      : springs_(springs),
        skeleton_(scene.skeleton),
        rotated_by_(scene.skeleton.size(), -1),
        bone_of_node_(scene.skeleton.size(), -1) {
    computeWorlds(skeleton_, restPose(skeleton_).locals, scene.metric_from_file, rest_worlds_);
  }

  VrmRig make() {
    rig_.colliders = springs_.colliders;
    for (const SpringChain& chain : springs_.chains) addChain(chain);
    orderChains();
    addNodes();
    return std::move(rig_);
  }

 private:
  void addChain(const SpringChain& from) {
    VrmChain chain;
    const bool has_tip = from.tail_length_m > 0.0;
    const std::size_t bone_count = from.joints.size() - (has_tip || from.joints.empty() ? 0 : 1);
    if (bone_count == 0) return;
    if (!joinsUp(from, chain)) {
      rig_.warnings.add("spring_dropped",
                        "a spring is dropped: its joints are not below each other, are missing, or "
                        "belong to two springs",
                        from.name);
      return;
    }
    chain.parent = at(skeleton_.nodes, from.joints[0].node).parent;
    if (isIndex(from.center, skeleton_.size())) chain.center = from.center;
    if (has_tip) setTip(chain.bones.back(), from.tail_length_m);
    chain.bones.resize(bone_count);
    for (std::size_t b = 0; b < bone_count; ++b) {
      const std::size_t node = toSize(chain.bones[b].joint.node);
      rotated_by_[node] = static_cast<int>(rig_.chains.size());
      bone_of_node_[node] = static_cast<int>(b);
    }
    addColliders(from, chain);
    rig_.bone_count += bone_count;
    rig_.chains.push_back(std::move(chain));
  }

  // Makes a bone of every joint; the last one has no length yet.
  bool joinsUp(const SpringChain& from, VrmChain& chain) const {
    for (std::size_t i = 0; i < from.joints.size(); ++i) {
      VrmBone bone;
      bone.joint = from.joints[i];
      if (!isIndex(bone.joint.node, skeleton_.size()) || !isSane(bone.joint)) return false;
      if (i + 1 < from.joints.size() || from.tail_length_m > 0.0) {
        if (at(rotated_by_, bone.joint.node) >= 0) return false;
      }
      if (i > 0) {
        auto between = nodesBetween(skeleton_, chain.bones.back().joint.node, bone.joint.node);
        if (!between) return false;
        bone.between = std::move(*between);
        setEnd(chain.bones.back(), bone);
      }
      chain.bones.push_back(std::move(bone));
    }
    return true;
  }

  void setEnd(VrmBone& bone, const VrmBone& next) const {
    const Vec3 path = at(rest_worlds_, next.joint.node).translation -
                      at(rest_worlds_, bone.joint.node).translation;
    Vec3 local = at(skeleton_.nodes, next.joint.node).rest.translation;
    for (std::size_t i = next.between.size(); i-- > 0;) {
      local = transformPoint(toAffine(at(skeleton_.nodes, next.between[i]).rest), local);
    }
    setBone(bone, local, std::sqrt(glm::dot(path, path)));
  }

  void setTip(VrmBone& bone, double length_m) const {
    const std::size_t node = toSize(bone.joint.node);
    setBone(bone, skeleton_.nodes[node].rest.translation, length_m);
    const double unit_m = std::sqrt(
        glm::dot(rest_worlds_[node].linear * bone.axis, rest_worlds_[node].linear * bone.axis));
    bone.tip = unit_m > 0.0 ? bone.axis * (length_m / unit_m) : Vec3(0.0);
  }

  static void setBone(VrmBone& bone, const Vec3& local, double length_m) {
    const double length = std::sqrt(glm::dot(local, local));
    if (!(length > 0.0) || !std::isfinite(length) || !std::isfinite(length_m)) return;
    bone.axis = local / length;
    bone.length_m = length_m;
    bone.tip = local;
  }

  void addColliders(const SpringChain& from, VrmChain& chain) {
    for (int group : from.collider_groups) {
      if (!isIndex(group, springs_.groups.size())) {
        dropCollider(from.name);
        continue;
      }
      for (int collider : at(springs_.groups, group).colliders) {
        if (isIndex(collider, springs_.colliders.size()) &&
            isIndex(at(springs_.colliders, collider).node, skeleton_.size())) {
          chain.colliders.push_back(collider);
        } else {
          dropCollider(from.name);
        }
      }
    }
  }

  void dropCollider(const std::string& chain) {
    rig_.warnings.add("spring_collider_dropped",
                      "a spring refers to a collider that does not exist", chain);
  }

  // The chain whose joint is the nearest at or above each node, or -1.
  void findOwners() {
    owners_.resize(skeleton_.size());
    for (std::size_t n = 0; n < owners_.size(); ++n) {
      const int parent = skeleton_.nodes[n].parent;
      owners_[n] = rotated_by_[n] >= 0 ? rotated_by_[n] : ownerOf(parent);
    }
  }

  int ownerOf(int node) const { return node < 0 ? -1 : at(owners_, node); }

  // The chains that must be simulated before this one; itself where it depends on itself.
  std::vector<int> needsOf(const VrmChain& chain) const {
    std::vector<int> needs = {ownerOf(chain.parent), ownerOf(chain.center)};
    for (int collider : chain.colliders) {
      needs.push_back(ownerOf(at(rig_.colliders, collider).node));
    }
    std::sort(needs.begin(), needs.end());
    needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
    if (needs.front() < 0) needs.erase(needs.begin());
    return needs;
  }

  // Chains by the index of their first joint: parents come before their children.
  std::vector<int> chainsFromTheTop() const {
    std::vector<int> chains(rig_.chains.size());
    std::iota(chains.begin(), chains.end(), 0);
    const auto root = [&](int c) { return at(rig_.chains, c).bones[0].joint.node; };
    std::sort(chains.begin(), chains.end(), [&](int a, int b) { return root(a) < root(b); });
    return chains;
  }

  void warnOfCycle(const VrmChain& chain) {
    rig_.warnings.add("spring_cycle",
                      "a spring depends on itself through its colliders or center, which are taken "
                      "from the step before",
                      at(skeleton_.nodes, chain.bones[0].joint.node).name);
  }

  // Waves of chain indices: each wave needs only earlier ones.
  std::vector<std::vector<int>> findWaves() {
    const std::size_t count = rig_.chains.size();
    std::vector<std::size_t> waits_for(count);
    std::vector<std::vector<int>> needed_by(count);
    std::vector<int> wave;
    for (std::size_t c = 0; c < count; ++c) {
      const std::vector<int> needs = needsOf(rig_.chains[c]);
      waits_for[c] = needs.size();
      for (int need : needs) {
        needed_by[toSize(need)].push_back(static_cast<int>(c));
      }
      if (needs.empty()) wave.push_back(static_cast<int>(c));
    }
    const std::vector<int> from_top = chainsFromTheTop();
    std::vector<bool> is_positioned(count, false);
    std::vector<std::vector<int>> waves;
    for (std::size_t positioned = 0, top = 0; positioned < count;
         positioned += waves.back().size()) {
      if (wave.empty()) {
        while (is_positioned[toSize(from_top[top])]) ++top;
        wave.push_back(from_top[top]);
        warnOfCycle(at(rig_.chains, from_top[top]));
      }
      std::vector<int> next;
      for (int c : wave) is_positioned[toSize(c)] = true;
      for (int c : wave) {
        for (int other : at(needed_by, c)) {
          const std::size_t o = toSize(other);
          if (--waits_for[o] == 0 && !is_positioned[o]) next.push_back(other);
        }
      }
      waves.push_back(std::move(wave));
      wave = std::move(next);
    }
    return waves;
  }

  void orderChains() {
    findOwners();
    std::vector<VrmChain> ordered;
    std::vector<int> new_index(rig_.chains.size());
    for (const std::vector<int>& wave : findWaves()) {
      rig_.waves.push_back({ordered.size(), ordered.size() + wave.size(), 0});
      for (int c : wave) {
        new_index[toSize(c)] = static_cast<int>(ordered.size());
        wave_of_chain_.push_back(static_cast<int>(rig_.waves.size()) - 1);
        ordered.push_back(std::move(rig_.chains[toSize(c)]));
      }
    }
    rig_.chains = std::move(ordered);
    for (int& chain : rotated_by_) chain = chain < 0 ? -1 : at(new_index, chain);
    for (int& chain : owners_) chain = chain < 0 ? -1 : at(new_index, chain);
  }

  // All parents, centers and collider nodes, with what is above them.
  std::vector<bool> neededNodes() const {
    std::vector<bool> needed(skeleton_.size(), false);
    const auto need = [&](int node) {
      for (; node >= 0 && !needed[toSize(node)]; node = at(skeleton_.nodes, node).parent) {
        needed[toSize(node)] = true;
      }
    };
    for (const VrmChain& chain : rig_.chains) {
      need(chain.parent);
      need(chain.center);
      for (int collider : chain.colliders) need(at(rig_.colliders, collider).node);
    }
    return needed;
  }

  // -1 for nodes that follow the clip.
  int waveOf(int node) const {
    const int owner = ownerOf(node);
    return owner < 0 ? -1 : at(wave_of_chain_, owner);
  }

  void addNodes() {
    const std::vector<bool> needed = neededNodes();
    std::vector<int> nodes;
    for (std::size_t n = 0; n < needed.size(); ++n) {
      if (needed[n]) nodes.push_back(static_cast<int>(n));
    }
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](int a, int b) { return waveOf(a) < waveOf(b); });
    rig_.slot_of_node.assign(skeleton_.size(), -1);
    for (int node : nodes) {
      const int parent = at(skeleton_.nodes, node).parent, chain = at(rotated_by_, node);
      rig_.slot_of_node[toSize(node)] = static_cast<int>(rig_.nodes.size());
      rig_.nodes.push_back({node, parent < 0 ? -1 : at(rig_.slot_of_node, parent), chain,
                            chain < 0 ? -1 : at(bone_of_node_, node)});
    }
    const auto countUpTo = [&](int wave) {
      return toSize(std::upper_bound(nodes.begin(), nodes.end(), wave,
                                     [&](int value, int node) { return value < waveOf(node); }) -
                    nodes.begin());
    };
    rig_.following_count = countUpTo(-1);
    for (std::size_t w = 0; w < rig_.waves.size(); ++w) {
      rig_.waves[w].nodes_end = countUpTo(static_cast<int>(w));
    }
  }

  const SpringSetup& springs_;
  const Skeleton& skeleton_;
  std::vector<int> rotated_by_;    // of every node: chain whose joint it is, or -1
  std::vector<int> bone_of_node_;  // and which bone of that chain
  std::vector<int> owners_;
  std::vector<int> wave_of_chain_;
  std::vector<Affine> rest_worlds_;
  VrmRig rig_;
};

}  // namespace

VrmRig makeVrmRig(const SpringSetup& springs, const Scene& scene) {
  return RigMaker(springs, scene).make();
}

}  // namespace clipmill::stages::dynamic_bones
