// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/source_contacts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "anim/pose.h"
#include "core/to_size.h"
#include "locomotion/pose_cycle.h"
#include "mesh/outward_surface.h"
#include "stages/self_collision/contact_pose.h"
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

constexpr double kWristAlong = 0.9;  // of the forearm; beyond it is the hand
constexpr double kPalmAlong = 1.6;   // of the hand half is the palm, then come fingers
constexpr double kMinHandContact_s = 0.15;
constexpr double kHandReach = 0.5;      // of the contact distance
constexpr double kHangingCosine = 0.8;  // of the direction of a bone and straight down

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
  std::size_t limbOf(humanoid::BodyPart lower) const;
  bool isHanging(std::size_t limb, std::span<const Affine> metric_worlds) const;
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

// The arm of which this is the forearm.
std::size_t SourceContacts::Model::limbOf(humanoid::BodyPart lower) const {
  for (std::size_t i = 0; i < poser.limbCount(); ++i) {
    if (poser.limb(i).parts[1] == lower) return i;
  }
  return poser.limbCount();
}

// Arms that hang are near a stout body without a purpose.
bool SourceContacts::Model::isHanging(std::size_t limb,
                                      std::span<const Affine> metric_worlds) const {
  const auto axes = poser.axesOf(limb, metric_worlds);
  if (!axes) return false;
  const auto at = [&](int node) { return metric_worlds[toSize(node)].translation; };
  const MovableLimb& arm = poser.limb(limb);
  const Vec3 down = -(*axes)[1];
  return glm::dot(down, unitOrZero(at(arm.lower) - at(arm.upper))) > kHangingCosine &&
         glm::dot(down, unitOrZero(at(arm.end) - at(arm.lower))) > kHangingCosine;
}

namespace {

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

// The vertices of a hand, or of a part of it, by their location along the bone of the forearm.
std::vector<std::uint32_t> handVertices(const retarget::SkinRegions& regions,
                                        humanoid::BodyPart forearm, double from, double to) {
  std::vector<std::uint32_t> found;
  const auto range = regions.skin().verticesOf(forearm);
  for (std::size_t v = range.start; v < range.end; ++v) {
    const auto vertex = static_cast<std::uint32_t>(v);
    const auto location = regions.locationOf(vertex);
    if (location && location->along >= from && location->along <= to) found.push_back(vertex);
  }
  return found;
}

// The mean of the vertices of a palm; none without such vertices.
SkinPoint palmOf(const retarget::SkinRegions& regions, humanoid::BodyPart forearm) {
  SkinPoint point;
  const auto vertices = handVertices(regions, forearm, 1.0, kPalmAlong);
  for (const std::uint32_t vertex : vertices) {
    point.push_back({vertex, 1.0 / static_cast<double>(vertices.size())});
  }
  return point;
}

}  // namespace

// The contacts of one clip of the source.
class SourceContacts::Finder {
 public:
  Finder(const Model& model, const Motion& motion, const ClipMeasures& measures)
      : model_(model),
        measures_(measures),
        samples_(model.source, motion),
        points_(model.source_regions, model.target_regions) {}

  void addGrip(const Window& window, std::vector<ContactGoal>& goals);
  void addContacts(std::size_t pair, std::span<const Window> windows,
                   std::vector<ContactGoal>& goals);

 private:
  // The distances of the vertices of a hand from the other part in one sample.
  using Distances = std::vector<double>;

  std::vector<Window> handWindows(std::size_t limb, const Window& window, ContactPose& pose);
  ContactGoal contactOf(const penetration::PartPair& pair, const Window& window, ContactPose& pose);
  std::optional<retarget::ContactMoment> momentAt(std::size_t sample, std::size_t limb,
                                                  std::span<const retarget::VertexShare> shares,
                                                  ContactPose& pose);
  VertexContact contactAt(std::uint32_t vertex, const ContactPose& pose) const;
  ContactGoal goalOf(const std::string& parts, const Window& window) {
    ContactGoal goal;
    goal.parts = parts;
    goal.start_s = samples_.timeOf(window.first);
    goal.end_s = samples_.timeOf(window.last);
    return goal;
  }

  const Model& model_;
  const ClipMeasures& measures_;
  ClipSamples samples_;
  retarget::SkinMap points_;
  std::vector<Affine> worlds_;
  std::vector<std::uint32_t> hand_;   // vertices of the hand of a pair
  std::vector<Distances> distances_;  // [sample], of these; empty outside of windows
};

// Both palms keep the vector from one to the other.
void SourceContacts::Finder::addGrip(const Window& window, std::vector<ContactGoal>& goals) {
  ContactGoal grip = goalOf("left hand - right hand", window);
  grip.is_grip = true;
  grip.other_part = humanoid::BodyPart::kRightForearm;
  const SkinPoint left = palmOf(model_.source_regions, humanoid::BodyPart::kLeftForearm),
                  right = palmOf(model_.source_regions, humanoid::BodyPart::kRightForearm),
                  other = palmOf(model_.target_regions, humanoid::BodyPart::kRightForearm);
  grip.limb = palmOf(model_.target_regions, humanoid::BodyPart::kLeftForearm);
  const bool is_known = !left.empty() && !right.empty() && !other.empty() && !grip.limb.empty();
  ContactPose pose(model_.source, *model_.skin, {}, measures_.contact_distance_m);
  for (std::size_t s = window.first; is_known && s <= window.last; ++s) {
    const PoseSpans at = samples_.at(s);
    pose.set(at);
    computeWorlds(model_.source.skeleton, at.locals, model_.source.metric_from_file, worlds_);
    const auto axes = model_.poser.axesOf((*model_.poser.hands())[0], worlds_);
    if (!axes) continue;
    const Vec3 apart_m =
        positionOf(left, pose.positions_m()) - positionOf(right, pose.positions_m());
    grip.moments.push_back(
        {samples_.timeOf(s), other, glm::transpose(*axes) * apart_m / measures_.height_m});
  }
  goals.push_back(std::move(grip));
}

// Where the hand itself is in contact, holds nothing with the other one, and its arm does not hang.
std::vector<Window> SourceContacts::Finder::handWindows(std::size_t limb, const Window& window,
                                                        ContactPose& pose) {
  std::vector<bool> is_in(samples_.count(), false);
  for (std::size_t s = window.first; s <= window.last; ++s) {
    const PoseSpans at = samples_.at(s);
    pose.set(at);
    Distances& distances = distances_[s];
    for (const std::uint32_t vertex : hand_) distances.push_back(pose.of(vertex).distance_m);
    computeWorlds(model_.source.skeleton, at.locals, model_.source.metric_from_file, worlds_);
    is_in[s] = !hand_.empty() && !measures_.is_gripped[s] && !model_.isHanging(limb, worlds_) &&
               *std::min_element(distances.begin(), distances.end()) <
                   kHandReach * measures_.contact_distance_m;
  }
  std::vector<Window> windows = findWindows(is_in, samples_.step_s(), 0.0, false);
  std::erase_if(windows, [&](const Window& one) {
    return static_cast<double>(one.last - one.first) * samples_.step_s() < kMinHandContact_s;
  });
  return windows;
}

void SourceContacts::Finder::addContacts(std::size_t pair, std::span<const Window> windows,
                                         std::vector<ContactGoal>& goals) {
  const penetration::PartPair& of_pair = model_.measure.pairs()[pair];
  const std::size_t limb = model_.limbOf(of_pair.limb);
  if (windows.empty() || limb == model_.poser.limbCount()) return;
  hand_ = handVertices(model_.source_regions, of_pair.limb, kWristAlong, 2.0);
  distances_.assign(samples_.count(), {});
  ContactPose pose(model_.source, *model_.skin, model_.trianglesOf(of_pair),
                   measures_.contact_distance_m);
  for (const Window& window : windows) {
    for (const Window& one : handWindows(limb, window, pose)) {
      goals.push_back(contactOf(of_pair, one, pose));
    }
  }
}

ContactGoal SourceContacts::Finder::contactOf(const penetration::PartPair& pair,
                                              const Window& window, ContactPose& pose) {
  ContactGoal goal = goalOf(pair.name, window);
  const double reach_m = measures_.contact_distance_m;
  std::map<std::uint32_t, double> scores;
  for (std::size_t s = window.first; s <= window.last; ++s) {
    for (std::size_t i = 0; i < hand_.size(); ++i) {
      const double nearness_m = reach_m - distances_[s][i];
      if (nearness_m > 0.0) scores[hand_[i]] += nearness_m;
    }
  }
  const std::vector<retarget::VertexShare> shares = sharesOf(std::move(scores));
  if (auto limb = points_.pointOf(shares); limb && !shares.empty()) goal.limb = std::move(*limb);
  std::array<double, humanoid::kBodyPartCount + 1> votes{};
  for (std::size_t s = window.first; s <= window.last && !goal.limb.empty(); ++s) {
    auto moment = momentAt(s, model_.limbOf(pair.limb), shares, pose);
    if (!moment) continue;
    votes[toSize(partOf(moment->other, *model_.target_skin))] += 1.0;
    goal.moments.push_back(std::move(*moment));
  }
  goal.other_part =
      static_cast<humanoid::BodyPart>(std::max_element(votes.begin(), votes.end()) - votes.begin());
  return goal;
}

// In the pose of `worlds_`.
VertexContact SourceContacts::Finder::contactAt(std::uint32_t vertex,
                                                const ContactPose& pose) const {
  using humanoid::HumanoidRole;
  const humanoid::HumanoidMap& map = model_.source_map;
  VertexContact contact = pose.of(vertex);
  const int hips = map[HumanoidRole::kHips],
            neck = map[map[HumanoidRole::kNeck] >= 0 ? HumanoidRole::kNeck : HumanoidRole::kHead];
  if (!(contact.distance_m < 0.0) || hips < 0 || neck < 0) return contact;
  if (partOf(contact.nearest, *model_.skin) != humanoid::BodyPart::kTrunk) return contact;
  const auto out =
      pose.outward(vertex, worlds_[toSize(hips)].translation, worlds_[toSize(neck)].translation);
  return out ? *out : contact;
}

std::optional<retarget::ContactMoment> SourceContacts::Finder::momentAt(
    std::size_t sample, std::size_t limb, std::span<const retarget::VertexShare> shares,
    ContactPose& pose) {
  const PoseSpans at = samples_.at(sample);
  pose.set(at);
  computeWorlds(model_.source.skeleton, at.locals, model_.source.metric_from_file, worlds_);
  retarget::ContactMoment moment;
  moment.time_s = samples_.timeOf(sample);
  Vec3 gap_m(0.0);
  double weight = 0.0;
  for (const auto& share : shares) {
    const VertexContact contact = contactAt(share.vertex, pose);
    if (contact.nearest.empty()) continue;
    const auto other = points_.pointOf(contact.nearest);
    if (!other) continue;
    retarget::addPoint(*other, share.weight, moment.other);
    weight += share.weight;
    if (contact.distance_m > 0.0) gap_m += share.weight * (contact.position_m - contact.nearest_m);
  }
  if (!(weight > 0.0)) return std::nullopt;
  for (auto& share : moment.other) share.weight /= weight;
  retarget::mergeVertices(moment.other);
  if (const auto axes = model_.poser.axesOf(limb, worlds_)) {
    moment.gap = glm::transpose(*axes) * gap_m / (weight * measures_.height_m);
  }
  return moment;
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
  SkinTrial trial(model.source, model.measure, model.poser);
  const bool is_cycle =
      motion.grid.frame_count > 1 &&
      locomotion::isCycle(model.source.skeleton, model.source_map[humanoid::HumanoidRole::kHips],
                          motion);
  const ClipMeasures measures =
      measureClip(model.source, model.measure, model.poser, motion,
                  kSourceTolerance * model.measure.height_m(), is_cycle, trial);
  ClipSamples samples(model.source, motion);
  Finder finder(model, motion, measures);
  retarget::ClipContacts contacts;
  contacts.clip = motion.clip_name;
  contacts.start_s = motion.grid.start_s;
  contacts.end_s = motion.grid.end_s;
  contacts.skin = model.target_skin;
  contacts.with_upper_arms = model.target_measure;
  for (const Window& window : findWindows(measures.is_gripped, samples.step_s(), 0.0, false)) {
    finder.addGrip(window, contacts.goals);
  }
  for (std::size_t pair = 0; pair < measures.contacts.size(); ++pair) {
    finder.addContacts(pair, findWindows(measures.contacts[pair], samples.step_s(), 0.0, false),
                       contacts.goals);
  }
  return contacts;
}

}  // namespace clipmill::stages::self_collision
