// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/normalize.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "anim/motion.h"
#include "anim/pose.h"
#include "core/text.h"
#include "core/to_size.h"
#include "humanoid/humanoid.h"
#include "retarget/clip_transfer.h"
#include "retarget/rest_alignment.h"
#include "scene/plain_scene.h"

namespace clipmill::retarget {
namespace {

using Role = humanoid::HumanoidRole;

constexpr double kSame = 1e-4;  // of scales

// How transforms of nodes change: rotations of roots, scales that move down the hierarchy.
struct NodeChanges {
  Quat root_rotation = kIdentityRotation;
  std::vector<double> translation_factor, scale_factor;  // of each node

  void apply(const Skeleton& skeleton, std::span<Transform> locals) const {
    for (std::size_t n = 0; n < skeleton.size(); ++n) {
      Transform& local = locals[n];
      local.translation *= translation_factor[n];
      local.scale *= scale_factor[n];
      local.rotation = normalizedOrIdentity(local.rotation);
      if (skeleton.nodes[n].parent >= 0) continue;
      local.translation = root_rotation * local.translation;
      local.rotation = root_rotation * local.rotation;
    }
  }
};

class ChangedCursor : public PoseCursor {
 public:
  ChangedCursor(const Skeleton& before, std::shared_ptr<const NodeChanges> changes,
                const std::vector<bool>& drops_scale, std::unique_ptr<PoseCursor> source)
      : skeleton_(before),
        changes_(std::move(changes)),
        drops_scale_(drops_scale),
        rest_(restPose(before)),
        source_(std::move(source)) {}

  void sample(double time_s, PoseView pose) override {
    std::copy(rest_.locals.begin(), rest_.locals.end(), pose.locals.begin());
    source_->sample(time_s, pose);
    for (std::size_t n = 0; n < drops_scale_.size(); ++n) {
      if (drops_scale_[n]) pose.locals[n].scale = rest_.locals[n].scale;
    }
    changes_->apply(skeleton_, pose.locals);
  }

 private:
  const Skeleton& skeleton_;
  std::shared_ptr<const NodeChanges> changes_;
  const std::vector<bool>& drops_scale_;
  Pose rest_;
  std::unique_ptr<PoseCursor> source_;
};

// A clip of the scene as it was, in the one with the changes.
class ChangedSource : public PoseSource {
 public:
  ChangedSource(std::shared_ptr<const Skeleton> before, std::shared_ptr<const NodeChanges> changes,
                std::vector<bool> drops_scale, std::shared_ptr<const PoseSource> source)
      : before_(std::move(before)),
        changes_(std::move(changes)),
        drops_scale_(std::move(drops_scale)),
        source_(std::move(source)) {}
  std::unique_ptr<PoseCursor> cursor() const override {
    return std::make_unique<ChangedCursor>(*before_, changes_, drops_scale_, source_->cursor());
  }

 private:
  std::shared_ptr<const Skeleton> before_;
  std::shared_ptr<const NodeChanges> changes_;
  std::vector<bool> drops_scale_;
  std::shared_ptr<const PoseSource> source_;
};

// The axis of the scene that is nearest to a direction, as a unit vector.
Vec3 nearestAxis(const Vec3& direction) {
  int axis = 0;
  for (const int other : {1, 2}) {
    if (std::abs(direction[other]) > std::abs(direction[axis])) axis = other;
  }
  Vec3 unit(0.0);
  unit[axis] = direction[axis] < 0.0 ? -1.0 : 1.0;
  return unit;
}

class Normalizer {
 public:
  Normalizer(const Scene& scene, const NormalizeSettings& settings)
      : settings_(settings), scene_(plainScene(scene)) {
    // Readers see what they have normalised.
    for (const Warning& warning : scene.warnings.all()) {
      if (warning.code == "rotation_not_unit" || warning.code == "channel_without_node")
        found_.add(warning.code, warning.text, warning.first, warning.count);
    }
  }

  Result<NormalizedScene> run(const io::Limits& limits) {
    const std::size_t count = scene_.skeleton.size();
    changes_.translation_factor.assign(count, 1.0);
    changes_.scale_factor.assign(count, 1.0);
    for (const Clip& clip : scene_.clips) {
      const double bytes =
          motionBytes(scene_.skeleton, makeGrid(clip.start_s, clip.end_s, clip.fps));
      if (bytes > static_cast<double>(limits.max_decoded_bytes)) {
        return Error{ErrorCode::kLimit, clip.name, "needs more memory than --max-decoded-mb allows",
                     "raise --max-decoded-mb"};
      }
    }
    if (settings_.armature_scale) moveScales();
    rotateCharacter();
    const auto before = std::make_shared<const Skeleton>(scene_.skeleton);
    const auto changes = std::make_shared<const NodeChanges>(changes_);
    changeRest();
    for (std::size_t c = 0; c < scene_.clips.size(); ++c) changeClip(before, changes, c);
    return NormalizedScene{std::move(scene_), std::move(found_)};
  }

 private:
  std::string nameOf(std::size_t node) const { return scene_.skeleton.nodes[node].name; }

  // Joints of skins, and whether there is one at or below each node.
  std::pair<std::vector<bool>, std::vector<bool>> findJoints() const {
    const std::vector<Node>& nodes = scene_.skeleton.nodes;
    std::vector<bool> is_joint(nodes.size(), false);
    for (const Skin& skin : scene_.skins) {
      for (const int joint : skin.joints) is_joint[toSize(joint)] = true;
    }
    std::vector<bool> has_joint = is_joint;
    for (std::size_t n = nodes.size(); n-- > 0;) {
      if (has_joint[n] && nodes[n].parent >= 0) has_joint[toSize(nodes[n].parent)] = true;
    }
    return {is_joint, has_joint};
  }

  // Nodes whose mesh is not skinned keep their size.
  std::vector<bool> findRigidMeshes() const {
    std::vector<bool> is_rigid(scene_.skeleton.size(), false);
    for (const SkinnedMesh& mesh : scene_.meshes) {
      if (mesh.skin < 0) is_rigid[toSize(mesh.node)] = true;
    }
    return is_rigid;
  }

  void moveScales() {
    const std::vector<Node>& nodes = scene_.skeleton.nodes;
    const auto [is_joint, has_joint] = findJoints();
    const std::vector<bool> is_rigid = findRigidMeshes();
    // Of each node: what was taken from the scales up to it, and what is kept of that.
    std::vector<double> taken(nodes.size(), 1.0), kept(nodes.size(), 1.0);
    std::vector<bool> below_joint(nodes.size(), false);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const int parent = nodes[n].parent;
      const double taken_above = parent < 0 ? 1.0 : taken[toSize(parent)];
      const double kept_above = parent < 0 ? 1.0 : kept[toSize(parent)];
      below_joint[n] = parent >= 0 && (below_joint[toSize(parent)] || is_joint[toSize(parent)]);
      const Vec3& s = nodes[n].rest.scale;
      const bool is_uniform =
          s.x > 0.0 && std::abs(s.y - s.x) < kSame * s.x && std::abs(s.z - s.x) < kSame * s.x;
      const bool takes =
          has_joint[n] && !below_joint[n] && is_uniform && std::abs(s.x - 1.0) > kSame;
      if (takes) {
        found_.add(
            "armature_scale",
            "the armature is scaled by " + numberText(s.x) + "; the scale belongs into the joints",
            nameOf(n));
      }
      taken[n] = taken_above * (takes ? s.x : 1.0);
      kept[n] = is_rigid[n] ? taken[n] : 1.0;
      changes_.translation_factor[n] = taken_above / kept_above;
      changes_.scale_factor[n] = (takes ? 1.0 / s.x : 1.0) * kept[n] / kept_above;
    }
    for (Skin& skin : scene_.skins) {
      for (std::size_t j = 0; j < skin.joints.size(); ++j) {
        const std::size_t joint = toSize(skin.joints[j]);
        const double factor = taken[joint] / kept[joint];
        skin.joint_from_bind[j].linear *= factor;
        skin.joint_from_bind[j].translation *= factor;
      }
    }
  }

  // From the feet to the head; zero without a humanoid.
  Vec3 bodyUp(const humanoid::HumanoidMap& map, std::span<const Affine> worlds) const {
    if (map[Role::kHead] < 0 || map[Role::kLeftFoot] < 0 || map[Role::kRightFoot] < 0) {
      return Vec3(0.0);
    }
    const auto at = [&](Role role) { return worlds[toSize(map[role])].translation; };
    return at(Role::kHead) - 0.5 * (at(Role::kLeftFoot) + at(Role::kRightFoot));
  }

  // The mean over a few times of all clips; the rest pose where there are none.
  Vec3 clipsUp(const humanoid::HumanoidMap& map, const Vec3& rest_up) const {
    constexpr int kTimes = 9;
    Vec3 sum(0.0);
    for (const Clip& clip : scene_.clips) {
      const auto cursor = clip.source->cursor();
      for (int i = 0; i < kTimes; ++i) {
        Pose pose = restPose(scene_.skeleton);
        cursor->sample(clip.start_s + (clip.end_s - clip.start_s) * i / (kTimes - 1), pose.view());
        std::vector<Affine> worlds;
        computeWorlds(scene_.skeleton, pose.locals, Affine{}, worlds);
        const Vec3 up = bodyUp(map, worlds);
        const double length = lengthOf(up);
        if (length > 0.0) sum += up * (1.0 / length);
      }
    }
    return scene_.clips.empty() ? rest_up : sum;
  }

  void rotateCharacter() {
    const humanoid::HumanoidMap map = humanoid::findHumanoid(scene_);
    const RestPose rest(scene_);
    const Vec3 rest_up = bodyUp(map, rest.worlds);
    if (!(lengthOf(rest_up) > 0.0)) return;
    const Vec3 up = nearestAxis(rest_up);
    if (settings_.up_axis && up != kUp && nearestAxis(clipsUp(map, rest_up)) == up) {
      changes_.root_rotation = rotationBetween(up, kUp, Vec3(1, 0, 0));
      found_.add("up_axis", "the up axis of the character is not y",
                 nameOf(toSize(map[Role::kHead])));
    } else if (up != kUp) {
      return;  // a lying pose does not show the direction in which the character faces
    }
    if (!settings_.facing || map[Role::kLeftUpperLeg] < 0 || map[Role::kRightUpperLeg] < 0) return;
    Vec3 left = changes_.root_rotation * (rest.positionOf(map[Role::kLeftUpperLeg]) -
                                          rest.positionOf(map[Role::kRightUpperLeg]));
    left.y = 0.0;
    if (!(lengthOf(left) > 0.0)) return;
    const Vec3 front = nearestAxis(glm::cross(left, kUp));
    if (front == Vec3(0, 0, 1)) return;
    changes_.root_rotation = rotationBetween(front, Vec3(0, 0, 1), kUp) * changes_.root_rotation;
    found_.add("facing", "the character does not face +z", nameOf(toSize(map[Role::kHead])));
  }

  void changeRest() {
    std::vector<Transform> rest;
    for (const Node& node : scene_.skeleton.nodes) rest.push_back(node.rest);
    changes_.apply(scene_.skeleton, rest);
    for (std::size_t n = 0; n < rest.size(); ++n) scene_.skeleton.nodes[n].rest = rest[n];
  }

  // Scales that the clip animates and that stay those of the rest pose.
  std::vector<bool> constantScales(const Skeleton& before, const Clip& clip, const Motion& motion) {
    std::vector<bool> drops(before.size(), false);
    for (std::size_t n = 0; n < before.size(); ++n) {
      if (!settings_.scale_tracks || !clip.animated.has(static_cast<int>(n), TrackPath::kScale))
        continue;
      const Vec3& rest = before.nodes[n].rest.scale;
      double largest = 0.0;
      for (std::size_t f = 0; f < motion.grid.frame_count; ++f)
        largest = std::max(largest, lengthOf(motion.localsOf(f)[n].scale - rest));
      drops[n] = largest <= kSame * lengthOf(rest);
      if (drops[n]) {
        found_.add("constant_scale_track", "a track of scales has one value, that of the rest pose",
                   clip.name + ": " + nameOf(n));
      }
    }
    return drops;
  }

  static bool isSameFrame(const Motion& motion, std::size_t a, std::size_t b) {
    constexpr double kEqual = 1e-9;
    const auto of_a = motion.localsOf(a), of_b = motion.localsOf(b);
    for (std::size_t n = 0; n < of_a.size(); ++n) {
      const double rotated_square = std::min(
          glm::dot(of_a[n].rotation - of_b[n].rotation, of_a[n].rotation - of_b[n].rotation),
          glm::dot(of_a[n].rotation + of_b[n].rotation, of_a[n].rotation + of_b[n].rotation));
      if (lengthOf(of_a[n].translation - of_b[n].translation) > kEqual ||
          rotated_square > kEqual * kEqual || lengthOf(of_a[n].scale - of_b[n].scale) > kEqual) {
        return false;
      }
    }
    return true;
  }

  // Frames that repeat the one before, between frames that differ.
  static std::vector<std::size_t> duplicates(const Motion& motion) {
    std::vector<std::size_t> found;
    const std::size_t count = motion.grid.frame_count;
    for (std::size_t f = 2; f + 1 < count; ++f) {
      if (isSameFrame(motion, f, f - 1) && !isSameFrame(motion, f - 1, f - 2) &&
          !isSameFrame(motion, f + 1, f)) {
        found.push_back(f);
      }
    }
    return found;
  }

  // The pose of the cubic through two frames on either side; between the neighbours at the ends.
  static void replaceFrame(std::size_t frame, Motion& motion) {
    const bool has_four = frame >= 2 && frame + 2 < motion.grid.frame_count;
    const std::size_t reach = has_four ? 2 : 1;
    const double inner = has_four ? 9.0 / 16.0 : 0.5, outer = has_four ? -1.0 / 16.0 : 0.0;
    const PoseView pose = motion.frame(frame);
    for (std::size_t n = 0; n < motion.node_count; ++n) {
      const Transform& a = motion.localsOf(frame - reach)[n];
      const Transform& b = motion.localsOf(frame - 1)[n];
      const Transform& c = motion.localsOf(frame + 1)[n];
      const Transform& d = motion.localsOf(frame + reach)[n];
      const auto near_b = [&](const Quat& q) { return glm::dot(q, b.rotation) < 0.0 ? -q : q; };
      pose.locals[n].translation =
          outer * (a.translation + d.translation) + inner * (b.translation + c.translation);
      pose.locals[n].scale = outer * (a.scale + d.scale) + inner * (b.scale + c.scale);
      pose.locals[n].rotation =
          normalizedOrIdentity((near_b(a.rotation) + near_b(d.rotation)) * outer +
                               (b.rotation + near_b(c.rotation)) * inner);
    }
  }

  void changeClip(const std::shared_ptr<const Skeleton>& before,
                  const std::shared_ptr<const NodeChanges>& changes, std::size_t index) {
    Clip& clip = scene_.clips[index];
    const TimeGrid grid = makeGrid(clip.start_s, clip.end_s, clip.fps);
    const Motion as_it_was = sampleClip(*before, clip, static_cast<int>(index), grid);
    std::vector<bool> drops = constantScales(*before, clip, as_it_was);
    const std::vector<std::size_t> repeated =
        settings_.duplicate_frames ? duplicates(as_it_was) : std::vector<std::size_t>();
    TrackMask animated(before->size());
    for (std::size_t n = 0; n < before->size(); ++n) {
      for (const TrackPath path : kTrackPaths) {
        const int node = static_cast<int>(n);
        if (clip.animated.has(node, path) && !(path == TrackPath::kScale && drops[n]))
          animated.set(node, path);
      }
    }
    clip.source = std::make_shared<ChangedSource>(before, changes, std::move(drops), clip.source);
    clip.animated = animated;
    if (repeated.empty()) return;
    found_.add("duplicate_frame", "a frame repeats the one before in a movement",
               clip.name + " at " + fixedText(grid.timeOf(repeated.front()), 3) + " s",
               repeated.size());
    Motion motion = sampleClip(scene_.skeleton, clip, static_cast<int>(index), grid);
    for (const std::size_t frame : repeated) replaceFrame(frame, motion);
    motion.modified = animated;
    clip.source = keyframeSource(scene_.skeleton, tracksOf(scene_.skeleton, motion));
  }

  const NormalizeSettings& settings_;
  Scene scene_;
  NodeChanges changes_;
  Warnings found_;
};

}  // namespace

Result<Warnings> findIrregularities(const Scene& scene, const io::Limits& limits) {
  CLIPMILL_TRY(NormalizedScene mended, normalizeScene(scene, {}, limits));
  return std::move(mended.found);
}

Result<NormalizedScene> normalizeScene(const Scene& scene, const NormalizeSettings& settings,
                                       const io::Limits& limits) {
  return Normalizer(scene, settings).run(limits);
}

}  // namespace clipmill::retarget
