// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "pipeline/clip_from.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "core/text.h"
#include "core/to_size.h"
#include "core/units.h"
#include "locomotion/hand_lock.h"
#include "measure/limb_penetration.h"
#include "pipeline/clip_choice.h"
#include "retarget/sole_height.h"
#include "scene/face_shapes.h"

namespace clipmill::pipeline {
namespace {

// The node of the rest file for each node of the source: the same path, else the only namesake;
// -1 for none.
std::vector<int> namesakesIn(const Scene& rest, const Scene& source) {
  std::map<std::string, std::vector<int>> by_name;
  std::map<std::string, int> by_path;
  for (std::size_t n = 0; n < rest.skeleton.size(); ++n) {
    by_name[rest.skeleton.nodes[n].name].push_back(static_cast<int>(n));
    by_path.emplace(pathOf(rest.skeleton, static_cast<int>(n)), static_cast<int>(n));
  }
  std::vector<int> found;
  for (std::size_t n = 0; n < source.skeleton.size(); ++n) {
    const auto path = by_path.find(pathOf(source.skeleton, static_cast<int>(n)));
    const auto name = by_name.find(source.skeleton.nodes[n].name);
    const bool is_only = name != by_name.end() && name->second.size() == 1;
    found.push_back(path != by_path.end() ? path->second : is_only ? name->second.front() : -1);
  }
  return found;
}

// The pose that settings name in a file, of its own nodes.
Result<std::vector<Transform>> poseOf(const io::Asset& file, const TransferSettings& settings) {
  if (settings.rest_clip.empty()) return retarget::bindLocals(file.scene);
  CLIPMILL_TRY(const std::vector<int> clips,
               selectClips(file.scene, {settings.rest_clip}, "clip_from_rest_clip"));
  const Clip& clip = file.scene.clips[toSize(clips.front())];
  const double time_s = clip.start_s + settings.rest_s;
  if (time_s > clip.end_s) {
    return Error{ErrorCode::kRecipe, "clip_from_rest_s", "is after the end of the clip",
                 "give a time up to " + fixedText(clip.end_s - clip.start_s, 3) + " s"};
  }
  return sampleClip(file.scene.skeleton, clip, clips.front(), makeGrid(time_s, time_s, clip.fps))
      .locals;
}

Result<retarget::RestChoice> restChoiceOf(const Scene& source, const humanoid::HumanoidMap& map,
                                          const TransferSettings& settings) {
  retarget::RestChoice choice;
  if (settings.facing_deg) choice.facing_rad = *settings.facing_deg * kDegree;
  if (!settings.rest) return choice;
  const std::string file = settings.rest->path.string();
  const Scene& rest = settings.rest->scene;
  if (!(rest.metric_from_file.linear == source.metric_from_file.linear)) {
    return Error{ErrorCode::kUnsupported, file,
                 "has other units or axes than the file of the clips", "convert one of them first"};
  }
  auto pose = poseOf(*settings.rest, settings);
  if (!pose) return within(file, pose.error());
  const std::vector<int> namesake = namesakesIn(rest, source);
  for (const int node : map.nodes) {
    if (node < 0 || namesake[toSize(node)] >= 0) continue;
    return Error{ErrorCode::kUnsupported, file,
                 "has no joint '" + source.skeleton.nodes[toSize(node)].name + "' of the clips",
                 "use a file with the skeleton of the clips"};
  }
  choice.locals = retarget::bindLocals(source);
  for (std::size_t n = 0; n < choice.locals.size(); ++n) {
    if (namesake[n] >= 0) choice.locals[n] = (*pose)[toSize(namesake[n])];
  }
  choice.is_frame = !settings.rest_clip.empty();
  return choice;
}

}  // namespace

ClipTarget clipTargetOf(const Scene& scene) {
  const humanoid::HumanoidMap map = humanoid::findHumanoid(scene);
  return {scene, map, humanoid::jointConfidences(scene, map)};
}

Result<ClipTransfer> ClipTransfer::make(const io::Asset& source, const ClipTarget& target,
                                        const TransferSettings& settings) {
  ClipTransfer transfer(source, target, settings);
  // Pairs of face shapes are for addFaceShapes().
  std::vector<std::string> joint_pairs;
  std::copy_if(settings.map.begin(), settings.map.end(), std::back_inserter(joint_pairs),
               [](const std::string& pair) { return !isFacePair(pair); });
  auto given = retarget::parsePairs(source.scene, target.scene, joint_pairs);
  if (!given) return within(source.path.string(), given.error());
  transfer.given_ = std::move(*given);
  transfer.map_ = humanoid::findHumanoid(source.scene);
  transfer.confidences_ = humanoid::jointConfidences(source.scene, transfer.map_);
  CLIPMILL_TRY(transfer.rest_, restChoiceOf(source.scene, transfer.map_, settings));
  if (settings.keep_hands) {
    auto skin = penetration::SelfPenetration::make(target.scene, target.map);
    if (skin) transfer.skin_ = std::move(*skin);
  }
  if (settings.find_contacts) {
    auto contacts = stages::self_collision::SourceContacts::make(source.scene, transfer.map_,
                                                                 target.scene, target.map);
    if (contacts) {
      transfer.contacts_ = std::move(*contacts);
    } else {
      transfer.contacts_note_ =
          source.path.string() +
          ": contacts are found on the retargeted clips, not on the source: " +
          contacts.error().message;
    }
  }
  return transfer;
}

// Planted feet of the clip stay planted on the character, for any leg length.
Status ClipTransfer::holdFeet(const Motion& motion, CarriedClip& carried) const {
  using locomotion::FeetPolicy;
  retarget::TransferredClip& clip = carried.clip;
  const FeetPolicy policy = settings_->feet;
  const bool is_face = carried.mapping.joints.empty();
  if (policy == FeetPolicy::kOff || is_face) return {};
  if (policy == FeetPolicy::kAuto && clip.is_copy) return {};
  const retarget::ClipOnCharacter pair{source_->scene, map_,         motion,
                                       target_->scene, target_->map, clip.scale};
  if (!clip.is_copy) retarget::matchSoleHeights(pair, clip.motion);
  const Motion before = clip.motion;
  locomotion::FootLockSettings lock;
  lock.feet = policy;
  locomotion::FootLockSource view;
  view.may_skate = true;
  locomotion::ContactLimits limits;
  limits.may_skate = true;
  const locomotion::FeetTrace clip_feet =
      locomotion::traceFeet(source_->scene, map_, motion, limits);
  view.clip_feet = &clip_feet;
  view.clip_rotation = clip.rotation;
  double off_ground_m = 0.0;
  if (!clip.is_copy) {
    view.finish = [&](Motion& locked) { off_ground_m = retarget::settleSoles(pair, locked); };
  }
  locomotion::FootLockReport report =
      locomotion::lockFeet(target_->scene, target_->map, before, clip.motion, lock, view);
  carried.metrics = std::move(report.metrics);
  clip.warnings.merge(report.warnings);
  if (off_ground_m > 0.0) {
    clip.warnings.add(
        "soles_off_ground",
        "a sole that is planted in the clip is off the ground by more than 1 % of the "
        "height of the hips, where the leg or the trunk does not let it down",
        motion.clip_name + ", by up to " + fixedText(off_ground_m * kMillimetresInMetre, 0) +
            " mm");
  }
  if (report.found_limbs || policy == FeetPolicy::kAuto) return {};
  return Error{ErrorCode::kUnsupported, "keep_feet", "no legs were found on the character",
               "clipmill info lists the humanoid roles that were found"};
}

Status ClipTransfer::holdHands(const Motion& motion, retarget::TransferredClip& clip) const {
  constexpr double kReached_m = 0.005;
  const Motion before = clip.motion;
  const locomotion::HandKeepReport report = locomotion::keepHands(
      source_->scene, map_, motion, target_->scene, target_->map, clip.motion);
  if (!report.found_arms) {
    return Error{ErrorCode::kUnsupported, "keep_hands",
                 "two arms were not found on both characters",
                 "clipmill info lists the humanoid roles that were found"};
  }
  if (report.short_m > kReached_m) {
    clip.warnings.add(
        "hand_out_of_reach", "an arm is too short for the hand position of the source character",
        motion.clip_name + ", by " + fixedText(report.short_m * kMillimetresInMetre, 0) + " mm");
  }
  warnOfHandsInBody(before, clip);
  return {};
}

// The hands of a slim character may be in the body of a stout one.
void ClipTransfer::warnOfHandsInBody(const Motion& before, retarget::TransferredClip& clip) const {
  if (!skin_) return;
  const auto plain = measure::measureLimbPenetration(target_->scene, before, *skin_);
  const auto kept = measure::measureLimbPenetration(target_->scene, clip.motion, *skin_);
  for (std::size_t p = 0; p < kept.pairs.size(); ++p) {
    const measure::DepthMeasures &from = plain.pairs[p].depths, &to = kept.pairs[p].depths;
    if (!(to.penetrating_frames_percent > from.penetrating_frames_percent)) continue;
    clip.warnings.add("hands_in_body",
                      "keep_hands moves an arm into another part of the body; the stage "
                      "self-collision resolves it",
                      before.clip_name + ": " + kept.pairs[p].name + ", in " +
                          fixedText(from.penetrating_frames_percent, 0) +
                          " % of the frames before and " +
                          fixedText(to.penetrating_frames_percent, 0) + " % after, by " +
                          fixedText(to.max_penetration_percent, 1) + " % of the height");
  }
}

Result<CarriedClip> ClipTransfer::carried(int clip, double fps, const io::Limits& limits) const {
  const Scene& source = source_->scene;
  CLIPMILL_TRY(const retarget::NodeMatch match,
               retarget::matchNodes(source, source.clips[toSize(clip)].animated, map_,
                                    target_->scene, target_->map, given_));
  CLIPMILL_TRY(const std::vector<Motion> motions, sampleClips(source, {clip}, fps, 1, limits));
  const double bytes = motionBytes(target_->scene.skeleton, motions[0].grid);
  if (bytes > static_cast<double>(limits.max_decoded_bytes)) {
    return Error{ErrorCode::kLimit, "", "needs more memory than --max-decoded-mb allows",
                 "lower --fps, or raise --max-decoded-mb"};
  }
  CarriedClip result;
  CLIPMILL_TRY(result.clip,
               retarget::transferClip(source, motions[0], target_->scene, match, rest_));
  result.mapping =
      retarget::describeMatch(source, confidences_, target_->scene, target_->confidences, match);
  CLIPMILL_CHECK(holdFeet(motions[0], result));
  if (settings_->keep_hands) CLIPMILL_CHECK(holdHands(motions[0], result.clip));
  if (contacts_) result.contacts = contacts_->of(motions[0]);
  return result;
}

Result<CarriedClip> ClipTransfer::carry(int clip, double fps, const io::Limits& limits) const {
  auto result = carried(clip, fps, limits);
  if (result) return result;
  const std::string& name = source_->scene.clips[toSize(clip)].name;
  return within(source_->path.string() + ": clip " + (name.empty() ? std::to_string(clip) : name),
                result.error());
}

void NotesOfClips::add(const std::string& clip, const std::string& note) {
  for (Note& known : notes_) {
    if (known.text != note) continue;
    ++known.clips;
    return;
  }
  notes_.push_back({note, clip, 1});
}

std::vector<std::string> NotesOfClips::lines(const std::string& file) const {
  std::vector<std::string> lines;
  for (const Note& note : notes_) {
    const std::string more =
        note.clips > 1 ? " and " + std::to_string(note.clips - 1) + " more" : "";
    lines.push_back(note.first + more + " from " + file + ": " + note.text);
  }
  return lines;
}

std::string clipNameOf(const io::Asset& source, int clip) {
  const std::string& name = source.scene.clips[toSize(clip)].name;
  return name.empty() ? source.path.stem().string() : name;
}

ClipNames::ClipNames(const Scene& scene) {
  for (const Clip& clip : scene.clips) taken_.insert(clip.name);
}

std::string ClipNames::unique(const std::string& wanted) {
  std::string name = wanted;
  for (int n = 2; !taken_.insert(name).second; ++n) name = wanted + "_" + std::to_string(n);
  return name;
}

std::string freeClipName(const Scene& scene, const std::string& wanted) {
  return ClipNames(scene).unique(wanted);
}

Result<ClipsFrom> clipsFrom(const io::Asset& source, const std::string& selector, double fps,
                            const io::Limits& limits, const Scene& target,
                            const TransferSettings& settings) {
  const std::string file = source.path.string();
  std::vector<std::string> selectors;
  if (!selector.empty()) selectors.push_back(selector);
  const auto chosen = selectClips(source.scene, selectors, "clip_from_clip");
  if (!chosen) return within(file, chosen.error());
  if (chosen->empty()) {
    return Error{ErrorCode::kNotFound, file, "has no clips", "use a file with animation"};
  }
  const ClipTarget character = clipTargetOf(target);
  CLIPMILL_TRY(const ClipTransfer transfer, ClipTransfer::make(source, character, settings));
  ClipNames names(target);
  ClipsFrom result;
  NotesOfClips notes;
  for (const int c : *chosen) {
    CLIPMILL_TRY(CarriedClip carried, transfer.carry(c, fps, limits));
    retarget::TransferredClip& clip = carried.clip;
    clip.motion.clip_name = names.unique(clipNameOf(source, c));
    result.clips.push_back(retarget::clipOf(target.skeleton, clip.motion));
    notes.add(result.clips.back().name, clip.note);
    result.warnings.merge(clip.warnings);
    if (carried.contacts) {
      carried.contacts->clip = clip.motion.clip_name;
      result.contacts.push_back(std::move(*carried.contacts));
    }
    addMapping(file, std::move(carried.mapping), result.mappings);
  }
  result.notes = notes.lines(file);
  if (!transfer.contactsNote().empty()) result.notes.push_back(transfer.contactsNote());
  return result;
}

}  // namespace clipmill::pipeline
