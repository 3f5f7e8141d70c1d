// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/helper_joints.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "stages/tet_bake/bake_report.h"
#include "stages/tet_bake/morph_gate.h"

namespace clipmill::tet_bake {
namespace {

constexpr double kMetresInMillimetre = 1e-3;
constexpr double kP99OverRms = 4.0;
// A place and a turn as floats.
constexpr std::size_t kKeyBytes = 28;

bool isStill(const Affine& map) { return map.linear == Mat3(1.0) && map.translation == Vec3(0.0); }

// A helper below its owner, without animation.
Transform restOf(const BakeSurface& surface, const HelperBone& bone) {
  Transform rest;
  rest.translation = transformPoint(inverse(surface.bind_world_from_node[bone.owner]), bone.pivot);
  return rest;
}

// Whether the vertices of a skin can get weights by node.
bool namesJointsOnce(const Skin& skin) {
  const std::set<int> joints(skin.joints.begin(), skin.joints.end());
  return joints.size() == skin.joints.size();
}

// Nodes whose meshes can get new weights.
std::set<int> changeableNodes(const Scene& scene) {
  std::set<int> nodes, others;
  for (const SkinnedMesh& mesh : scene.meshes) {
    const bool is_fit = mesh.skin >= 0 &&
                        !scene.skins[static_cast<std::size_t>(mesh.skin)].joints.empty() &&
                        namesJointsOnce(scene.skins[static_cast<std::size_t>(mesh.skin)]);
    (is_fit ? nodes : others).insert(mesh.node);
  }
  for (const int node : others) nodes.erase(node);
  return nodes;
}

// Collects the weights of one node.
class WeightsMaker {
 public:
  WeightsMaker(const Scene& scene, const BakeSurface& surface, const BonesFit& fit)
      : scene_(scene), surface_(surface), fit_(fit) {
    for (const SurfacePart& part : surface.parts) {
      points_[part.mesh] = &part.point_of_vertex;
    }
  }

  // True if any vertex of the node follows a helper.
  bool make(int node, AddedWeights& added) {
    added.node = node;
    added.influence_begin = {0};
    helpers_.clear();
    for (std::size_t m = 0; m < scene_.meshes.size(); ++m) {
      if (scene_.meshes[m].node == node) addMesh(m, added);
    }
    for (const auto& [helper, joint_from_bind] : helpers_) {
      added.joints.push_back(static_cast<int>(scene_.skeleton.size() + helper));
      added.joint_from_bind.push_back(joint_from_bind);
    }
    return !helpers_.empty();
  }

 private:
  void addMesh(std::size_t index, AddedWeights& added) {
    const SkinnedMesh& mesh = scene_.meshes[index];
    const Skin& skin = scene_.skins[static_cast<std::size_t>(mesh.skin)];
    const auto points = points_.find(index);
    for (std::size_t v = 0; v < mesh.vertexCount(); ++v) {
      const std::uint32_t point = points == points_.end() ? kNoPoint : (*points->second)[v];
      if (point == kNoPoint) {
        addOwn(mesh, skin, v, added);
      } else {
        for (const Influence& influence : fit_.influencesOf(point)) {
          added.influences.push_back({static_cast<int>(influence.joint), influence.weight});
          addHelper(influence.joint, skin);
        }
      }
      added.influence_begin.push_back(added.influences.size());
    }
  }

  // A vertex that takes no part keeps what it has.
  static void addOwn(const SkinnedMesh& mesh, const Skin& skin, std::size_t vertex,
                     AddedWeights& added) {
    std::vector<Influence> own;
    if (!mesh.influence_begin.empty()) {
      for (std::size_t i = mesh.influence_begin[vertex]; i < mesh.influence_begin[vertex + 1];
           ++i) {
        const Influence& influence = mesh.influences[i];
        const auto same = std::find_if(own.begin(), own.end(), [&](const Influence& known) {
          return known.joint == influence.joint;
        });
        if (!(influence.weight > 0.0) || !std::isfinite(influence.weight)) continue;
        if (same == own.end()) {
          own.push_back(influence);
        } else {
          same->weight += influence.weight;
        }
      }
    }
    if (own.empty()) own = {{0, 1.0}};
    for (const Influence& influence : ownersOf(own)) {
      added.influences.push_back({skin.joints[influence.joint], influence.weight});
    }
  }

  void addHelper(std::uint32_t node, const Skin& skin) {
    if (node < scene_.skeleton.size()) return;
    const std::size_t helper = node - scene_.skeleton.size();
    if (helpers_.count(helper) > 0) return;
    const HelperBone& bone = fit_.bones[helper];
    // The owner moves every vertex that its helpers move, and so is in their skins.
    const auto owner =
        std::find(skin.joints.begin(), skin.joints.end(), static_cast<int>(bone.owner));
    const auto& owner_from_bind =
        skin.joint_from_bind[static_cast<std::size_t>(owner - skin.joints.begin())];
    helpers_[helper] = inverse(toAffine(restOf(surface_, bone))) * owner_from_bind;
  }

  const Scene& scene_;
  const BakeSurface& surface_;
  const BonesFit& fit_;
  std::map<std::size_t, const std::vector<std::uint32_t>*> points_;  // by mesh
  std::map<std::size_t, Affine> helpers_;  // of the node, with their inverse bind matrices
};

// Leaves the helpers of a region where they rest in some frames. True if any was not there.
bool rest(BonesFit& fit, int region, std::size_t begin, std::size_t frames) {
  bool has_moved = false;
  for (HelperBone& bone : fit.bones) {
    if (bone.region != region) continue;
    for (std::size_t f = begin; f < begin + frames; ++f) {
      has_moved = has_moved || !isStill(bone.moved[f]);
      bone.moved[f] = {};
    }
  }
  return has_moved;
}

// Whether a name is one that helperAdditions() gives, for a joint of these names.
bool isHelperName(std::string_view name, const std::set<std::string_view>& joints) {
  for (const std::string_view prefix : {kBakePrefix, kTwistPrefix}) {
    if (!name.starts_with(prefix) || name.size() <= prefix.size() || name[prefix.size()] != '_') {
      continue;
    }
    const std::string_view rest = name.substr(prefix.size() + 1);
    const std::size_t end = rest.find_last_not_of("0123456789");
    const bool has_number = end != std::string_view::npos && end + 1 < rest.size();
    if (has_number && rest[end] == '_' && joints.count(rest.substr(0, end)) > 0) return true;
  }
  return false;
}

// The joint that each helper in a skeleton hangs on; others have themselves.
std::vector<std::uint32_t> ownersIn(const Skeleton& skeleton) {
  std::set<std::string_view> names;
  std::vector<char> has_child(skeleton.size(), 0);
  for (const Node& node : skeleton.nodes) {
    names.insert(node.name);
    if (node.parent >= 0) has_child[static_cast<std::size_t>(node.parent)] = 1;
  }
  std::vector<std::uint32_t> owners;
  for (std::size_t n = 0; n < skeleton.size(); ++n) {
    const Node& node = skeleton.nodes[n];
    const bool is_helper = node.parent >= 0 && !has_child[n] && isHelperName(node.name, names);
    owners.push_back(static_cast<std::uint32_t>(is_helper ? node.parent : static_cast<int>(n)));
  }
  return owners;
}

// Fits all clips, gates each, and tells of it.
class BonesBake {
 public:
  BonesBake(const StageInput& input, const TetBakeSettings& settings, const BakeRig& rig,
            const Baked& baked)
      : input_(input), rig_(rig), baked_(baked) {
    kept_ = keptPoints(input.scene, rig.surface);
    const BonesTarget target{rig.surface, baked.world,
                             [this](std::size_t column) { return worldsOf(column); }, kept_};
    BonesFitSettings fit;
    fit.rms_m = settings.tolerance_mm * kMetresInMillimetre;
    fit.p99_m = kP99OverRms * fit.rms_m;
    fit.most_per_region = static_cast<std::size_t>(settings.max_joints);
    fit.threads = input.threads;
    fit_ = fitBones(target, rig.regions, fit);
  }

  StageOutput output() {
    StageOutput output;
    output.additions = helperAdditions(input_.scene, rig_.surface, fit_, kBakePrefix);
    const Skeleton after = withAdditions(input_.scene.skeleton, output.additions);
    for (std::size_t m = 0; m < input_.motions.size(); ++m) {
      output.results.push_back(resultOf(m, after));
    }
    tellOfKept(output.results);
    tellOfHeld(output.results);
    return output;
  }

 private:
  // worldsAt() of a column of the bake.
  std::vector<Affine> worldsOf(std::size_t column) const {
    const auto above = std::upper_bound(baked_.begin.begin(), baked_.begin.end(), column);
    const auto clip = static_cast<std::size_t>(above - baked_.begin.begin()) - 1;
    return worldsAt(input_.scene, rig_, input_.motions[clip], column - baked_.begin[clip]);
  }

  MorphedSkin skinOf(std::size_t column) const {
    const std::vector<Affine> worlds = worldsOf(column);
    MorphedSkin skin;
    skin.plain.resize(rig_.surface.pointCount());
    skin.morphed.resize(rig_.surface.pointCount());
    skinSurface(rig_.surface, worlds, skin.plain);
    skinByHelpers(rig_.surface, fit_, worlds, column, skin.morphed);
    return skin;
  }

  StageResult resultOf(std::size_t index, const Skeleton& after) {
    const Motion& motion = input_.motions[index];
    const Skeleton& before = input_.scene.skeleton;
    const std::size_t begin = baked_.begin[index];
    StageResult result;
    SkinGate gate;
    gate.regions = rig_.regions;
    gate.skin_of = [&](std::size_t frame) { return skinOf(begin + frame); };
    gate.leave_to_skin = [&](int node) { return rest(fit_, node, begin, motion.grid.frame_count); };
    const GatedSkin gated =
        gateSkin(input_.scene, rig_, motion, baked_, index, gate, input_.threads);
    for (const int node : gated.nodes) {
      result.warnings.add(
          "worse_than_skinning",
          "the helper joints of a joint would be worse than plain skinning in a "
          "clip, and rest in it",
          motion.clip_name + ", " + before.nodes[static_cast<std::size_t>(node)].name);
    }
    result.motion = keyedHelpers(before, after, rig_.surface, motion, fit_, begin);
    reportClip(rig_, baked_, index, gated.errors, result);
    const std::size_t bytes = fit_.bones.size() * motion.grid.frame_count * kKeyBytes;
    result.metrics.push_back(
        {"helper_joints", std::nullopt, static_cast<double>(fit_.bones.size())});
    result.metrics.push_back({"joint_bytes", std::nullopt, static_cast<double>(bytes)});
    return result;
  }

  void tellOfKept(std::vector<StageResult>& results) const {
    const auto kept = static_cast<std::size_t>(std::count(kept_.begin(), kept_.end(), 1));
    if (kept == 0 || results.empty()) return;
    results.front().warnings.add("weights_kept",
                                 "a vertex cannot get new weights, for its skin names a joint "
                                 "twice or its node shows a mesh without a skin",
                                 "skinned meshes", kept);
  }

  void tellOfHeld(std::vector<StageResult>& results) const {
    if (fit_.held.empty() || results.empty()) return;
    results.front().warnings.add("helpers_held_back",
                                 "a vertex follows no helper joint, for these would be worse than "
                                 "plain skinning there",
                                 "skinned meshes", fit_.held.size());
  }

  const StageInput& input_;
  const BakeRig& rig_;
  const Baked& baked_;
  std::vector<char> kept_;
  BonesFit fit_;
};

}  // namespace

std::vector<char> keptPoints(const Scene& scene, const BakeSurface& surface) {
  const std::set<int> changeable = changeableNodes(scene);
  std::vector<char> kept(surface.pointCount(), 0);
  for (const SurfacePart& part : surface.parts) {
    if (changeable.count(scene.meshes[part.mesh].node) > 0) continue;
    for (const std::uint32_t point : part.point_of_vertex) {
      if (point != kNoPoint) kept[point] = 1;
    }
  }
  return kept;
}

Additions helperAdditions(const Scene& scene, const BakeSurface& surface, const BonesFit& fit,
                          const std::string& prefix) {
  Additions additions;
  std::map<int, std::size_t> numbers;
  for (const HelperBone& bone : fit.bones) {
    const std::string& joint = scene.skeleton.nodes[static_cast<std::size_t>(bone.region)].name;
    additions.joints.push_back({prefix + "_" + joint + "_" + std::to_string(++numbers[bone.region]),
                                static_cast<int>(bone.owner), restOf(surface, bone)});
  }
  WeightsMaker maker(scene, surface, fit);
  for (const int node : changeableNodes(scene)) {
    AddedWeights added;
    if (maker.make(node, added)) additions.weights.push_back(std::move(added));
  }
  return additions;
}

void giveBackHelpers(const Skeleton& skeleton, BakeSurface& surface) {
  const std::vector<std::uint32_t> owners = ownersIn(skeleton);
  std::vector<Influence> influences;
  std::vector<std::size_t> begin = {0};
  for (std::size_t p = 0; p < surface.pointCount(); ++p) {
    std::map<std::uint32_t, double> weights;
    for (const Influence& influence : surface.influencesOf(p)) {
      weights[owners[influence.joint]] += influence.weight;
    }
    for (const auto& [node, weight] : weights) influences.push_back({node, weight});
    begin.push_back(influences.size());
  }
  surface.influences = std::move(influences);
  surface.influence_begin = std::move(begin);
}

void keyHelpers(const BakeSurface& surface, const BonesFit& fit, std::size_t begin,
                std::size_t first, Motion& motion) {
  for (std::size_t b = 0; b < fit.bones.size(); ++b) {
    const HelperBone& bone = fit.bones[b];
    const auto from = bone.moved.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto to = from + static_cast<std::ptrdiff_t>(motion.grid.frame_count);
    if (std::all_of(from, to, isStill)) continue;
    const Affine& bind = surface.bind_world_from_node[bone.owner];
    const Affine bind_from_world = inverse(bind);
    const Affine rest = toAffine(restOf(surface, bone));
    const std::size_t node = first + b;
    for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
      const Affine local = bind_from_world * bone.moved[begin + f] * bind * rest;
      Transform& key = motion.frame(f).locals[node];
      key.translation = local.translation;
      key.rotation = rotationOf(local);
    }
    motion.touched.set(static_cast<int>(node), TrackPath::kTranslation);
    motion.touched.set(static_cast<int>(node), TrackPath::kRotation);
  }
}

Motion keyedHelpers(const Skeleton& before, const Skeleton& after, const BakeSurface& surface,
                    const Motion& motion, const BonesFit& fit, std::size_t begin) {
  Motion result = withAdditions(before, after, motion);
  keyHelpers(surface, fit, begin, before.size(), result);
  return result;
}

StageOutput bakeToBones(const StageInput& input, const TetBakeSettings& settings,
                        const BakeRig& rig, const Baked& baked) {
  return BonesBake(input, settings, rig, baked).output();
}

}  // namespace clipmill::tet_bake
