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

#include "core/to_size.h"
#include "core/units.h"
#include "stages/tet_bake/skin_fallback.h"

namespace clipmill::stages::tet_bake {
namespace {

constexpr double kHelperP99OverRms = 4.0;
// A translation and a rotation as floats.
constexpr std::size_t kKeyBytes = 28;

bool isStill(const Affine& map) { return map.linear == Mat3(1.0) && map.translation == Vec3(0.0); }

// A helper below its owner, without animation.
Transform restOf(const SkinSurface& surface, const HelperBone& bone) {
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
    const bool is_fit = mesh.skin >= 0 && !scene.skins[toSize(mesh.skin)].joints.empty() &&
                        namesJointsOnce(scene.skins[toSize(mesh.skin)]);
    (is_fit ? nodes : others).insert(mesh.node);
  }
  for (const int node : others) nodes.erase(node);
  return nodes;
}

// Collects the weights of one node.
class WeightsMaker {
 public:
  WeightsMaker(const Scene& scene, const SkinSurface& surface, const BonesFit& fit)
      : scene_(scene), surface_(surface), fit_(fit) {
    for (const SurfacePart& part : surface.parts) {
      points_[part.mesh] = &part.point_of_vertex;
    }
  }

  // True if any vertex of the node follows a helper.
  bool make(int node, AddedWeights& added) {
    added.node = node;
    added.influence_start = {0};
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
    const Skin& skin = scene_.skins[toSize(mesh.skin)];
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
      added.influence_start.push_back(added.influences.size());
    }
  }

  // A vertex without a surface point keeps its weights.
  static void addOwn(const SkinnedMesh& mesh, const Skin& skin, std::size_t vertex,
                     AddedWeights& added) {
    std::vector<Influence> own;
    if (!mesh.influence_start.empty()) {
      for (std::size_t i = mesh.influence_start[vertex]; i < mesh.influence_start[vertex + 1];
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
    const auto& owner_from_bind = skin.joint_from_bind[toSize(owner - skin.joints.begin())];
    helpers_[helper] = inverse(toAffine(restOf(surface_, bone))) * owner_from_bind;
  }

  const Scene& scene_;
  const SkinSurface& surface_;
  const BonesFit& fit_;
  std::map<std::size_t, const std::vector<std::uint32_t>*> points_;  // by mesh
  std::map<std::size_t, Affine> helpers_;  // of the node, with their inverse bind matrices
};

// A part of a rigid motion: of its rotation about a point, and of the path of that point.
Affine partOf(const Affine& moved, const Vec3& pivot, double share) {
  if (share == 1.0) return moved;
  if (share == 0.0) return {};
  const Quat rotation = slerp(kIdentityRotation, rotationOf(moved), share);
  const Vec3 shown = pivot + share * (transformPoint(moved, pivot) - pivot);
  return toAffine({shown - rotation * pivot, rotation, Vec3(1.0)});
}

// The motions of helpers in one clip, as they were at first.
class ClipHelpers {
 public:
  ClipHelpers(BonesFit& fit, std::size_t start, std::size_t frames) : fit_(fit), start_(start) {
    for (const HelperBone& bone : fit.bones) {
      const auto own = std::span(bone.moved).subspan(start, frames);
      first_.emplace_back(own.begin(), own.end());
    }
  }

  // Shows shares of the motions of a region's helpers. True if any was animated before.
  bool show(int region, std::span<const double> shares) {
    bool has_moved = false;
    for (std::size_t b = 0; b < fit_.bones.size(); ++b) {
      HelperBone& bone = fit_.bones[b];
      if (bone.region != region) continue;
      for (std::size_t f = 0; f < shares.size(); ++f) {
        Affine& moved = bone.moved[start_ + f];
        has_moved = has_moved || !isStill(moved);
        moved = partOf(first_[b][f], bone.pivot, shares[f]);
      }
    }
    return has_moved;
  }

 private:
  BonesFit& fit_;
  std::size_t start_;
  std::vector<std::vector<Affine>> first_;
};

// Fits helpers to all clips, applies the fallback to each, and reports.
class BonesBake {
 public:
  BonesBake(const StageInput& input, const TetBakeSettings& settings, const BakeRig& rig,
            const Baked& baked)
      : input_(input), rig_(rig), baked_(baked) {
    kept_ = keptPoints(input.scene, rig.surface);
    const BonesTarget target{rig.surface, baked.world,
                             [this](std::size_t column) { return worldsOf(column); }, kept_};
    fit_ = fitBones(target, rig.regions, bonesFitSettings(settings, input.threads));
  }

  StageOutput output() {
    StageOutput output;
    output.additions = helperAdditions(input_.scene, rig_.surface, fit_, measure::kBakePrefix);
    const Skeleton after = withAdditions(input_.scene.skeleton, output.additions);
    for (std::size_t m = 0; m < input_.motions.size(); ++m) {
      output.results.push_back(resultOf(m, after));
    }
    if (!output.results.empty()) reportStillPoints(kept_, fit_, output.results.front());
    return output;
  }

 private:
  // worldsAt() of a column of the bake.
  std::vector<Affine> worldsOf(std::size_t column) const {
    const std::size_t clip = motionOf(baked_, column);
    return worldsAt(input_.scene, rig_, input_.motions[clip], column - baked_.start[clip]);
  }

  StageResult resultOf(std::size_t index, const Skeleton& after) {
    const Motion& motion = input_.motions[index];
    const Skeleton& before = input_.scene.skeleton;
    const std::size_t start = baked_.start[index];
    StageResult result;
    SkinFallback fallback;
    fallback.regions = rig_.regions;
    fallback.quality = &rig_.quality;
    fallback.skin_of = [&](std::size_t frame) {
      return skinWithHelpers(rig_.surface, fit_, worldsOf(start + frame), start + frame);
    };
    ClipHelpers helpers(fit_, start, motion.grid.frame_count);
    fallback.show = [&](int node, std::span<const double> shares) {
      return helpers.show(node, shares);
    };
    const FallbackSkin fallback_skin =
        applySkinFallback(input_.scene, rig_, motion, baked_, index, fallback, input_.threads);
    reportHeldBack(fallback_skin, motion, before, result);
    result.motion = keyedHelpers(before, after, rig_.surface, motion, fit_, start);
    reportClip(rig_, baked_, index, fallback_skin.errors, result);
    reportHelpers(fit_, result);
    return result;
  }

  const StageInput& input_;
  const BakeRig& rig_;
  const Baked& baked_;
  std::vector<char> kept_;
  BonesFit fit_;
};

}  // namespace

std::vector<char> keptPoints(const Scene& scene, const SkinSurface& surface) {
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

Additions helperAdditions(const Scene& scene, const SkinSurface& surface, const BonesFit& fit,
                          const std::string& prefix) {
  Additions additions;
  std::map<int, std::size_t> numbers;
  for (const HelperBone& bone : fit.bones) {
    const std::string& joint = scene.skeleton.nodes[toSize(bone.region)].name;
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

void keyHelpers(const SkinSurface& surface, const BonesFit& fit, std::size_t start,
                std::size_t first, Motion& motion) {
  for (std::size_t b = 0; b < fit.bones.size(); ++b) {
    const HelperBone& bone = fit.bones[b];
    const auto from = bone.moved.begin() + static_cast<std::ptrdiff_t>(start);
    const auto to = from + static_cast<std::ptrdiff_t>(motion.grid.frame_count);
    if (std::all_of(from, to, isStill)) continue;
    const Affine& bind = surface.bind_world_from_node[bone.owner];
    const Affine bind_from_world = inverse(bind);
    const Affine rest = toAffine(restOf(surface, bone));
    const std::size_t node = first + b;
    for (std::size_t f = 0; f < motion.grid.frame_count; ++f) {
      const Affine local = bind_from_world * bone.moved[start + f] * bind * rest;
      Transform& key = motion.frame(f).locals[node];
      key.translation = local.translation;
      key.rotation = rotationOf(local);
    }
    motion.modified.set(static_cast<int>(node), TrackPath::kTranslation);
    motion.modified.set(static_cast<int>(node), TrackPath::kRotation);
  }
}

Motion keyedHelpers(const Skeleton& before, const Skeleton& after, const SkinSurface& surface,
                    const Motion& motion, const BonesFit& fit, std::size_t start) {
  Motion result = withAdditions(before, after, motion);
  keyHelpers(surface, fit, start, before.size(), result);
  return result;
}

BonesFitSettings bonesFitSettings(const TetBakeSettings& settings, int threads) {
  BonesFitSettings fit;
  fit.rms_m = toleranceMm(settings) * kMetresInMillimetre;
  fit.p99_m = kHelperP99OverRms * fit.rms_m;
  fit.max_per_region = toSize(settings.max_joints);
  fit.threads = threads;
  return fit;
}

MorphedSkin skinWithHelpers(const SkinSurface& surface, const BonesFit& fit,
                            std::span<const Affine> worlds, std::size_t column) {
  MorphedSkin skin;
  skin.plain.resize(surface.pointCount());
  skin.morphed.resize(surface.pointCount());
  skinSurface(surface, worlds, skin.plain);
  skinByHelpers(surface, fit, worlds, column, skin.morphed);
  return skin;
}

void reportHelpers(const BonesFit& fit, StageResult& result) {
  const std::size_t count = fit.bones.size();
  const std::size_t bytes = count * result.motion.grid.frame_count * kKeyBytes;
  result.metrics.push_back({"helper_joints", std::nullopt, static_cast<double>(count)});
  result.metrics.push_back({"joint_bytes", std::nullopt, static_cast<double>(bytes)});
}

void reportStillPoints(std::span<const char> is_kept, const BonesFit& fit, StageResult& result) {
  const auto kept = toSize(std::count(is_kept.begin(), is_kept.end(), 1));
  if (kept > 0) {
    result.warnings.add("weights_kept",
                        "a vertex keeps its weights, because its skin lists a joint twice or its "
                        "node also has a mesh without a skin",
                        "skinned meshes", kept);
  }
  if (fit.held.empty()) return;
  result.warnings.add("helpers_held_back",
                      "a vertex follows no helper joint, because it would be farther from the "
                      "solved surface than with plain skinning",
                      "skinned meshes", fit.held.size());
}

StageOutput bakeToBones(const StageInput& input, const TetBakeSettings& settings,
                        const BakeRig& rig, const Baked& baked) {
  return BonesBake(input, settings, rig, baked).output();
}

}  // namespace clipmill::stages::tet_bake
