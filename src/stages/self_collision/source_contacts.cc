// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/source_contacts.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "anim/pose.h"
#include "core/to_size.h"
#include "locomotion/pose_cycle.h"
#include "mesh/closed_surface.h"
#include "mesh/outward_surface.h"
#include "mesh/triangle_bvh.h"
#include "stages/self_collision/exact/clip_measures.h"
#include "stages/self_collision/exact/clip_samples.h"
#include "stages/self_collision/settings.h"

namespace clipmill::stages::self_collision {
namespace {

using retarget::ContactGoal;
using retarget::SkinPoint;

constexpr double kSourceTolerance = 0.01;  // of the height
constexpr double kLeastShare = 0.3;        // of the largest share of a vertex in a contact
constexpr std::size_t kMaxContactVertices = 12;
constexpr double kMostDepth = 2.0;  // contact distances that count for a vertex

// A limb vertex of a contact in one pose.
struct VertexContact {
  double distance_m = 0.0;  // negative where it penetrates
  Vec3 position_m{0.0}, nearest_m{0.0};
  SkinPoint nearest;  // of the source
};

}  // namespace

struct SourceContacts::Model {
  Model(const Scene& the_source, const humanoid::HumanoidMap& map,
        penetration::SelfPenetration the_measure,
        std::shared_ptr<const penetration::BodySkin> source_skin, const Scene& target,
        const humanoid::HumanoidMap& target_map,
        std::shared_ptr<const penetration::BodySkin> the_target_skin,
        std::shared_ptr<const penetration::SelfPenetration> the_target_measure)
      : source(the_source),
        source_map(map),
        measure(std::move(the_measure)),
        skin(std::move(source_skin)),
        target_skin(std::move(the_target_skin)),
        target_measure(std::move(the_target_measure)),
        poser(source, source_map, movableLimbs(source.skeleton, source_map)),
        source_regions(source, source_map, skin),
        target_regions(target, target_map, target_skin),
        triangles(orientOutward(source_regions.bound_m(), skin->triangles()).triangles) {}

  const Scene& source;
  humanoid::HumanoidMap source_map;
  penetration::SelfPenetration measure;
  std::shared_ptr<const penetration::BodySkin> skin, target_skin;
  std::shared_ptr<const penetration::SelfPenetration> target_measure;
  LimbPoser poser;
  retarget::SkinRegions source_regions, target_regions;
  std::vector<std::uint32_t> triangles;  // of the source, facing outward

  std::vector<std::uint32_t> trianglesOf(const penetration::PartPair& pair) const;
  void addContact(const Motion& motion, const ClipMeasures& measures, std::size_t pair,
                  const Window& window, retarget::SkinMap& points,
                  std::vector<ContactGoal>& goals) const;
};

// Those with all corners in the parts that the limb of the pair is tested against.
std::vector<std::uint32_t> SourceContacts::Model::trianglesOf(
    const penetration::PartPair& pair) const {
  std::vector<std::uint32_t> found;
  for (std::size_t t = 0; t + 2 < triangles.size(); t += 3) {
    const auto corners = std::span(triangles).subspan(t, 3);
    const bool is_in = std::all_of(corners.begin(), corners.end(), [&](std::uint32_t v) {
      return std::find(pair.others.begin(), pair.others.end(), skin->partOf(v)) !=
             pair.others.end();
    });
    if (is_in) found.insert(found.end(), corners.begin(), corners.end());
  }
  return found;
}

namespace {

// The contact of each vertex of a limb that is in contact or penetrates; the others are far.
class ContactPose {
 public:
  ContactPose(const Scene& scene, const penetration::BodySkin& skin,
              std::vector<std::uint32_t> triangles, double reach_m)
      : scene_(scene), skin_(skin), triangles_(std::move(triangles)), reach_m_(reach_m) {}

  void set(const PoseSpans& pose) {
    computeWorlds(scene_.skeleton, pose.locals, Affine(), worlds_);
    skin_.pose(worlds_, pose.weights, pose_);
    if (surface_.empty()) {
      surface_ = TriangleBvh(pose_.positions_m, triangles_);
    } else {
      surface_.refit(pose_.positions_m);
    }
  }

  VertexContact of(std::uint32_t vertex) const {
    VertexContact contact;
    contact.position_m = pose_.positions_m[vertex];
    contact.distance_m = reach_m_;
    const bool is_within = surface_.box().holds(contact.position_m) &&
                           surface_.windingNumber(contact.position_m) > kInsideWinding;
    if (!is_within && !surface_.isNear(contact.position_m, reach_m_)) return contact;
    const NearestPoint nearest = surface_.nearest(contact.position_m);
    contact.distance_m = is_within ? -nearest.distance : std::min(reach_m_, nearest.distance);
    contact.nearest_m = nearest.point;
    for (std::size_t i = 0; i < 3; ++i) {
      contact.nearest.push_back({triangles_[3 * toSize(static_cast<int>(nearest.triangle)) + i],
                                 nearest.barycentric[static_cast<int>(i)]});
    }
    return contact;
  }

 private:
  const Scene& scene_;
  const penetration::BodySkin& skin_;
  std::vector<std::uint32_t> triangles_;
  double reach_m_;
  std::vector<Affine> worlds_;
  penetration::BodySkin::Pose pose_;
  TriangleBvh surface_;
};

// Vertices and their shares of a contact, of those that are nearest to the other part or in it.
std::vector<retarget::VertexShare> sharesOf(std::map<std::uint32_t, double> scores) {
  std::vector<retarget::VertexShare> shares;
  for (const auto& [vertex, score] : scores) shares.push_back({vertex, score});
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.weight > b.weight; });
  if (shares.size() > kMaxContactVertices) shares.resize(kMaxContactVertices);
  double sum = 0.0;
  const double least = shares.empty() ? 0.0 : kLeastShare * shares.front().weight;
  std::erase_if(shares, [&](const auto& share) { return share.weight < least; });
  for (const auto& share : shares) sum += share.weight;
  for (auto& share : shares) share.weight /= sum;
  return shares;
}

// The part of most of the point.
humanoid::BodyPart partOf(const SkinPoint& point, const penetration::BodySkin& skin) {
  std::array<double, humanoid::kBodyPartCount + 1> weight{};
  for (const auto& share : point) weight[toSize(skin.partOf(share.vertex))] += share.weight;
  return static_cast<humanoid::BodyPart>(std::max_element(weight.begin(), weight.end()) -
                                         weight.begin());
}

}  // namespace

void SourceContacts::Model::addContact(const Motion& motion, const ClipMeasures& measures,
                                       std::size_t pair, const Window& window,
                                       retarget::SkinMap& points,
                                       std::vector<ContactGoal>& goals) const {
  const penetration::PartPair& of_pair = measure.pairs()[pair];
  ClipSamples samples(source, motion);
  ContactGoal goal;
  goal.parts = of_pair.name;
  goal.start_s = samples.timeOf(window.first);
  goal.end_s = samples.timeOf(window.last);
  const double reach_m = measures.contact_distance_m;
  ContactPose pose(source, *skin, trianglesOf(of_pair), reach_m);
  const auto range = skin->verticesOf(of_pair.limb);
  std::map<std::uint32_t, double> scores;
  for (std::size_t s = window.first; s <= window.last; ++s) {
    pose.set(samples.at(s));
    for (std::size_t v = range.start; v < range.end; ++v) {
      const auto vertex = static_cast<std::uint32_t>(v);
      const double nearness_m = reach_m - pose.of(vertex).distance_m;
      if (nearness_m > 0.0) scores[vertex] += std::min(nearness_m, kMostDepth * reach_m);
    }
  }
  const std::vector<retarget::VertexShare> shares = sharesOf(std::move(scores));
  if (auto limb = points.pointOf(shares); limb && !shares.empty()) goal.limb = std::move(*limb);
  const auto limb_index = [&] {
    for (std::size_t i = 0; i < poser.limbCount(); ++i) {
      if (poser.limb(i).parts[1] == of_pair.limb) return i;
    }
    return std::size_t{0};
  }();
  std::vector<Affine> worlds;
  std::array<double, humanoid::kBodyPartCount + 1> votes{};
  for (std::size_t s = window.first; s <= window.last && !goal.limb.empty(); ++s) {
    const PoseSpans at = samples.at(s);
    pose.set(at);
    retarget::ContactMoment moment;
    moment.time_s = samples.timeOf(s);
    Vec3 gap_m(0.0);
    double weight = 0.0;
    for (const auto& share : shares) {
      const VertexContact contact = pose.of(share.vertex);
      if (contact.nearest.empty()) continue;
      const auto other = points.pointOf(contact.nearest);
      if (!other) continue;
      retarget::addPoint(*other, share.weight, moment.other);
      weight += share.weight;
      if (contact.distance_m > 0.0) {
        gap_m += share.weight * (contact.position_m - contact.nearest_m);
      }
    }
    if (!(weight > 0.0)) continue;
    for (auto& share : moment.other) share.weight /= weight;
    retarget::mergeVertices(moment.other);
    computeWorlds(source.skeleton, at.locals, source.metric_from_file, worlds);
    if (const auto axes = poser.axesOf(limb_index, worlds)) {
      moment.gap = glm::transpose(*axes) * gap_m / (weight * measures.height_m);
    }
    votes[toSize(partOf(moment.other, *target_skin))] += 1.0;
    goal.moments.push_back(std::move(moment));
  }
  goal.other_part =
      static_cast<humanoid::BodyPart>(std::max_element(votes.begin(), votes.end()) - votes.begin());
  goals.push_back(std::move(goal));
}

Result<SourceContacts> SourceContacts::make(const Scene& source,
                                            const humanoid::HumanoidMap& source_map,
                                            const Scene& target,
                                            const humanoid::HumanoidMap& target_map) {
  for (const humanoid::HumanoidMap* map : {&source_map, &target_map}) {
    if (map->origin == humanoid::HumanoidMap::Origin::kNone ||
        map->confidence < SelfCollisionSettings().min_confidence) {
      return Error{ErrorCode::kUnsupported, "", "no humanoid was found on both characters",
                   "clipmill info lists the humanoid roles that were found"};
    }
  }
  CLIPMILL_TRY(auto measure, penetration::SelfPenetration::make(source, source_map));
  CLIPMILL_TRY(auto skin, penetration::BodySkin::make(source, source_map));
  CLIPMILL_TRY(auto target_skin, penetration::BodySkin::make(target, target_map));
  CLIPMILL_TRY(auto target_measure, penetration::SelfPenetration::make(target, target_map, true));
  return SourceContacts(std::make_shared<const Model>(
      source, source_map, std::move(measure),
      std::make_shared<const penetration::BodySkin>(std::move(skin)), target, target_map,
      std::make_shared<const penetration::BodySkin>(std::move(target_skin)),
      std::make_shared<const penetration::SelfPenetration>(std::move(target_measure))));
}

retarget::ClipContacts SourceContacts::of(const Motion& motion) const {
  const Model& model = *model_;
  retarget::SkinMap points(model.source_regions, model.target_regions);
  SkinTrial trial(model.source, model.measure, model.poser);
  const bool is_cycle =
      motion.grid.frame_count > 1 &&
      locomotion::isCycle(model.source.skeleton, model.source_map[humanoid::HumanoidRole::kHips],
                          motion);
  const ClipMeasures measures =
      measureClip(model.source, model.measure, model.poser, motion,
                  kSourceTolerance * model.measure.height_m(), is_cycle, trial);
  ClipSamples samples(model.source, motion);
  retarget::ClipContacts contacts;
  contacts.clip = motion.clip_name;
  contacts.start_s = motion.grid.start_s;
  contacts.end_s = motion.grid.end_s;
  contacts.skin = model.target_skin;
  contacts.with_upper_arms = model.target_measure;
  for (const Window& window : findWindows(measures.is_gripped, samples.step_s(), 0.0, false)) {
    ContactGoal grip;
    grip.is_grip = true;
    grip.parts = "left hand - right hand";
    grip.start_s = samples.timeOf(window.first);
    grip.end_s = samples.timeOf(window.last);
    contacts.goals.push_back(std::move(grip));
  }
  for (std::size_t pair = 0; pair < measures.contacts.size(); ++pair) {
    for (const Window& window :
         findWindows(measures.contacts[pair], samples.step_s(), 0.0, false)) {
      model.addContact(motion, measures, pair, window, points, contacts.goals);
    }
  }
  return contacts;
}

}  // namespace clipmill::stages::self_collision
