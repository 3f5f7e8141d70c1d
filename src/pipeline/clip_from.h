// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/metric.h"
#include "core/result.h"
#include "humanoid/joint_confidence.h"
#include "io/io.h"
#include "locomotion/foot_lock.h"
#include "penetration/self_penetration.h"
#include "pipeline/report.h"
#include "retarget/clip_transfer.h"
#include "retarget/contact_goals.h"
#include "retarget/joint_mapping.h"
#include "stages/self_collision/source_contacts.h"

namespace clipmill::pipeline {

/// How clips are retargeted onto the character of another file.
struct TransferSettings {
  std::vector<std::string> map;  ///< See parsePairs().
  /// By matchSoleHeights() and lockFeet(). kAuto: where legs are found, and the clip is not copied
  /// joint by joint.
  locomotion::FeetPolicy feet = locomotion::FeetPolicy::kOff;
  bool keep_hands = false;  ///< By keepHands().
  /// Contacts of the source character are found on its skin, for the stage self-collision.
  bool find_contacts = false;
  const io::Asset* rest = nullptr;   ///< File with the rest pose of the clips; none: found.
  std::string rest_clip;             ///< A clip of it by selectClips(); empty: its bind pose.
  double rest_s = 0.0;               ///< Time in that clip.
  std::optional<double> facing_deg;  ///< See RestChoice; unset: found.
};

/// A character that clips are put on, and what is found on it once.
struct ClipTarget {
  const Scene& scene;  ///< Outlives this.
  humanoid::HumanoidMap map;
  humanoid::JointConfidences confidences;
};
ClipTarget clipTargetOf(const Scene& scene);

/// A clip of another file on a character.
struct CarriedClip {
  retarget::TransferredClip clip;
  retarget::JointMapping mapping;
  std::vector<Metric> metrics;  ///< FootLockReport::metrics where feet are held, else empty.
  std::optional<retarget::ClipContacts> contacts;  ///< Of the source, where they are known.
};

/// Retargets the clips of one file onto a character, one by one; for use by several threads. All
/// that it is made of must outlive it.
class ClipTransfer {
 public:
  /// Errors: those of parsePairs; kUnsupported where the file of the rest pose has other units,
  /// axes or joints than that of the clips. They name the file.
  static Result<ClipTransfer> make(const io::Asset& source, const ClipTarget& target,
                                   const TransferSettings& settings);

  /// The clip with that index on the character, by transferClip() at `fps`, or its own frames where
  /// that is 0. Errors: those of matchNodes and transferClip, with the file and the clip as
  /// their location; kLimit; kUnsupported where feet or hands are to be kept and there are none.
  /// Warnings: hand_out_of_reach, hands_in_body and those of lockFeet() too.
  Result<CarriedClip> carry(int clip, double fps, const io::Limits& limits) const;

  /// Why contacts of the source are not found although they are asked for; empty where they are.
  const std::string& contactsNote() const { return contacts_note_; }

 private:
  ClipTransfer(const io::Asset& source, const ClipTarget& target, const TransferSettings& settings)
      : source_(&source), target_(&target), settings_(&settings) {}

  Result<CarriedClip> carried(int clip, double fps, const io::Limits& limits) const;
  Status holdFeet(const Motion& motion, CarriedClip& carried) const;
  Status holdHands(const Motion& motion, retarget::TransferredClip& clip) const;
  void warnOfHandsInBody(const Motion& before, retarget::TransferredClip& clip) const;

  const io::Asset* source_;
  const ClipTarget* target_;
  const TransferSettings* settings_;
  humanoid::HumanoidMap map_;  // of the source
  humanoid::JointConfidences confidences_{};
  std::vector<retarget::NodePair> given_;
  retarget::RestChoice rest_;
  /// Of the target, where hands are kept and it has one.
  std::optional<penetration::SelfPenetration> skin_;
  std::optional<stages::self_collision::SourceContacts> contacts_;
  std::string contacts_note_;
};

/// Notes of several clips, each listed once.
class NotesOfClips {
 public:
  void add(const std::string& clip, const std::string& note);
  /// "Walk and 3 more from clips.fbx: 22 nodes by role"
  std::vector<std::string> lines(const std::string& file) const;

 private:
  struct Note {
    std::string text, first;
    std::size_t clips = 0;
  };
  std::vector<Note> notes_;
};

/// Clips of another file as clips of a scene that does not have them yet.
struct ClipsFrom {
  std::vector<Clip> clips;  ///< Named apart from each other and the scene's own.
  std::vector<std::string> notes;
  std::vector<MappingReport> mappings;
  Warnings warnings;
  std::vector<retarget::ClipContacts> contacts;  ///< Of clips of which they are known.
};

/// The clips of `source` that `selector` matches (all for an empty one; see selectClips),
/// retargeted onto the character of `target` by ClipTransfer. Errors: those of selectClips and
/// ClipTransfer; kNotFound for a file without clips.
Result<ClipsFrom> clipsFrom(const io::Asset& source, const std::string& selector, double fps,
                            const io::Limits& limits, const Scene& target,
                            const TransferSettings& settings = {});

/// The name of a clip, else that of its file.
std::string clipNameOf(const io::Asset& source, int clip);

/// The names of clips in use.
class ClipNames {
 public:
  explicit ClipNames(const Scene& scene);
  /// `wanted`, or with a number behind it where that name is in use; it is from now on.
  std::string unique(const std::string& wanted);

 private:
  std::set<std::string> taken_;
};

/// `wanted`, or with a number behind it where a clip of the scene has that name.
std::string freeClipName(const Scene& scene, const std::string& wanted);

}  // namespace clipmill::pipeline
