// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/humanoid_names.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "core/name_words.h"

namespace clipmill::humanoid {
namespace {

using Words = std::set<std::string_view>;

// Names without their side, prefixes, numbers and separators. Conventions: Mixamo and Ready Player
// Me, Unreal, 3ds Max Biped, Rigify, VRoid, Daz, Character Creator, CMU, SMPL, MMD.
const std::map<std::string_view, BodyPart>& partTable() {
  using enum BodyPart;
  static const std::map<std::string_view, BodyPart> table = {
      {"hips", kHips},
      {"hip", kHips},
      {"pelvis", kHips},
      {"lowerbody", kHips},
      {"腰", kHips},
      {"下半身", kHips},
      {"spine", kTrunk},
      {"spinelower", kTrunk},
      {"spinemiddle", kTrunk},
      {"spineupper", kTrunk},
      {"torso", kTrunk},
      {"trunk", kTrunk},
      {"abdomen", kTrunk},
      {"abdomenlower", kTrunk},
      {"abdomenupper", kTrunk},
      {"waist", kTrunk},
      {"belly", kTrunk},
      {"tummy", kTrunk},
      {"stomach", kTrunk},
      {"back", kTrunk},
      {"lowerback", kTrunk},
      {"upperbody", kTrunk},
      {"上半身", kTrunk},
      {"chest", kChest},
      {"chestlower", kChest},
      {"ribcage", kChest},
      {"thorax", kChest},
      {"upperchest", kUpperChest},
      {"chestupper", kUpperChest},
      {"neck", kNeck},
      {"neckbase", kNeck},
      {"necklower", kNeck},
      {"neckupper", kNeck},
      {"首", kNeck},
      {"head", kHead},
      {"skull", kHead},
      {"頭", kHead},
      {"clavicle", kCollar},
      {"clav", kCollar},
      {"collar", kCollar},
      {"collarbone", kCollar},
      {"scapula", kCollar},
      {"shoulder", kShoulder},
      {"shldr", kShoulder},
      {"shldrbend", kShoulder},
      {"肩", kShoulder},
      {"arm", kArm},
      {"upperarm", kUpperArm},
      {"uparm", kUpperArm},
      {"armupper", kUpperArm},
      {"bicep", kUpperArm},
      {"humerus", kUpperArm},
      {"腕", kUpperArm},
      {"forearm", kLowerArm},
      {"forearmbend", kLowerArm},
      {"lowerarm", kLowerArm},
      {"lowarm", kLowerArm},
      {"loarm", kLowerArm},
      {"armlower", kLowerArm},
      {"elbow", kLowerArm},
      {"ひじ", kLowerArm},
      {"肘", kLowerArm},
      {"hand", kHand},
      {"wrist", kHand},
      {"palm", kHand},
      {"手首", kHand},
      {"hipjoint", kSideHip},
      {"leg", kLeg},
      {"upperleg", kUpperLeg},
      {"upleg", kUpperLeg},
      {"legupper", kUpperLeg},
      {"thigh", kUpperLeg},
      {"thighbend", kUpperLeg},
      {"femur", kUpperLeg},
      {"足", kUpperLeg},
      {"lowerleg", kLowerLeg},
      {"lowleg", kLowerLeg},
      {"loleg", kLowerLeg},
      {"leglower", kLowerLeg},
      {"calf", kLowerLeg},
      {"shin", kLowerLeg},
      {"shinbend", kLowerLeg},
      {"knee", kLowerLeg},
      {"tibia", kLowerLeg},
      {"ひざ", kLowerLeg},
      {"膝", kLowerLeg},
      {"foot", kFoot},
      {"ankle", kFoot},
      {"足首", kFoot},
      {"toe", kToes},
      {"toes", kToes},
      {"toebase", kToes},
      {"ball", kToes},
      {"つま先", kToes},
      {"足先ex", kToes},
  };
  return table;
}

const Words& fingerWords() {
  static const Words words = {"thumb",  "index",      "pinky", "pinkie", "finger", "fingers",
                              "carpal", "metacarpal", "親指",  "人指",   "中指",   "薬指",
                              "小指",   "人差指",     "人差",  "fingera"};
  return words;
}

// Finger names that are words of other things too: only as the whole of a name, or beside "hand".
const Words& fingerNames() {
  static const Words words = {"middle",     "ring",     "little",     "handmiddle",
                              "handring",   "small",    "middlefing", "middleproximal",
                              "littledist", "ringdist", "mid"};
  return words;
}

const Words& helperWords() {
  static const Words words = {
      "twist",  "twists",     "roll",   "ik",     "fk",       "pole",   "target", "ctrl",
      "ctl",    "control",    "cntrl",  "org",    "mch",      "tweak",  "end",    "nub",
      "tip",    "sec",        "adj",    "helper", "effector", "eff",    "slot",   "socket",
      "orient", "null",       "drv",    "driver", "wgt",      "widget", "vis",    "aim",
      "goal",   "attachment", "attach", "prop",   "weapon",   "holder", "corr",   "corrective",
      "site",   "endsite",    "master", "goal",   "dummy",    "mesh",   "geo",    "controller"};
  return words;
}

// Prefixes of rigs, and words for "joint".
const Words& noiseWords() {
  static const Words words = {"mixamorig", "bip",  "biped", "valve",    "cc",       "base",
                              "def",       "j",    "b",     "c",        "m",        "s",
                              "sk",        "skel", "jnt",   "joint",    "joints",   "bone",
                              "bn",        "bind", "rig",   "armature", "skeleton", "character",
                              "char",      "node", "human", "humanoid", "avatar",   "deform",
                              "sknd",      "bnd",  "jt",    "skinned",  "unity",    "smpl"};
  return words;
}

Side sideOfWord(std::string_view word) {
  if (word == "l" || word == "left" || word == "lft" || word == "lt" || word == "hidari") {
    return Side::kLeft;
  }
  if (word == "r" || word == "right" || word == "rgt" || word == "rt" || word == "migi") {
    return Side::kRight;
  }
  return Side::kNone;
}

bool takePrefix(std::string& word, std::string_view prefix) {
  if (word.size() <= prefix.size() || !std::string_view(word).starts_with(prefix)) return false;
  word.erase(0, prefix.size());
  return true;
}

std::optional<BodyPart> lookUp(std::string_view word) {
  const auto found = partTable().find(word);
  if (found == partTable().end()) return std::nullopt;
  return found->second;
}

// The part that `word` names, with its side fused to it where it has none: "leftarm", "rthigh".
BodyPart partOfWord(std::string word, Side& side) {
  if (const auto part = lookUp(word)) return *part;
  if (side != Side::kNone) return BodyPart::kNone;
  constexpr std::array<std::pair<std::string_view, Side>, 4> kPrefixes = {
      {{"left", Side::kLeft}, {"right", Side::kRight}, {"l", Side::kLeft}, {"r", Side::kRight}}};
  for (const auto& [prefix, prefix_side] : kPrefixes) {
    std::string rest = word;
    if (!takePrefix(rest, prefix)) continue;
    if (const auto part = lookUp(rest)) {
      side = prefix_side;
      return *part;
    }
  }
  return BodyPart::kNone;
}

bool isTrunk(BodyPart part) { return part >= BodyPart::kHips && part <= BodyPart::kHead; }

// A trunk has no sides and a limb has one; where the name says otherwise it means something else.
BodyName agreed(BodyPart part, Side side) {
  if (part == BodyPart::kHips && side != Side::kNone) return {BodyPart::kSideHip, side};
  const bool is_limb = part >= BodyPart::kCollar && part <= BodyPart::kToes;
  if (isTrunk(part) == (side == Side::kNone) && (isTrunk(part) || is_limb)) return {part, side};
  return {BodyPart::kNone, side};
}

// "左足" is one word: the side stands before it.
void splitForeignSide(std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (const auto& [sign, side] : {std::pair{"左", "left"}, std::pair{"右", "right"}}) {
      if (!takePrefix(words[i], sign)) continue;
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(i), side);
      ++i;
      break;
    }
  }
}

std::vector<std::string> wordsWithoutNamespace(std::string_view name) {
  const std::size_t last = name.find_last_of(":|");
  if (last != std::string_view::npos && last + 1 < name.size()) name.remove_prefix(last + 1);
  std::vector<std::string> words = wordsOfName(name);
  splitForeignSide(words);
  return words;
}

bool isHelper(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return helperWords().contains(word) || word.find("捩") != std::string::npos ||
           word.ends_with("control") || word.ends_with("orient");
  });
}

bool isFinger(const std::vector<std::string>& words, std::string_view joined) {
  return fingerNames().contains(joined) ||
         std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return fingerWords().contains(word); });
}

// Words that say something by themselves are not noise, however often they occur.
bool hasMeaning(const std::string& word) {
  static const Words parts_of_names = {"upper", "lower", "up", "low", "lo", "fore", "toe", "bend"};
  return isNumberWord(word) || sideOfWord(word) != Side::kNone || helperWords().contains(word) ||
         fingerWords().contains(word) || fingerNames().contains(word) ||
         parts_of_names.contains(word) || lookUp(word).has_value();
}

// Words that 2 of 5 names share, at least 8.
std::vector<std::string> commonWords(const Skeleton& skeleton) {
  std::map<std::string, std::size_t> counts;
  for (const Node& node : skeleton.nodes) {
    const std::vector<std::string> words = wordsWithoutNamespace(node.name);
    for (const std::string& word : std::set<std::string>(words.begin(), words.end())) {
      ++counts[word];
    }
  }
  const std::size_t enough = std::max<std::size_t>(8, skeleton.size() * 2 / 5);
  std::vector<std::string> common;
  for (const auto& [word, count] : counts) {
    if (count >= enough && !hasMeaning(word)) common.push_back(word);
  }
  return common;
}

}  // namespace

BodyName bodyNameOf(std::string_view name, std::span<const std::string> noise) {
  const std::vector<std::string> words = wordsWithoutNamespace(name);
  Side side = Side::kNone;
  std::string joined;
  for (const std::string& word : words) {
    const Side here = sideOfWord(word);
    if (here != Side::kNone) {
      side = here;
    } else if (!isNumberWord(word) && !noiseWords().contains(word) &&
               std::find(noise.begin(), noise.end(), word) == noise.end()) {
      joined += word;
    }
  }
  if (isHelper(words)) return {BodyPart::kHelper, side};
  if (isFinger(words, joined)) return {BodyPart::kFinger, side};
  const BodyPart part = partOfWord(joined, side);
  return agreed(part, side);
}

std::vector<BodyName> bodyNamesOf(const Skeleton& skeleton) {
  const std::vector<std::string> noise = commonWords(skeleton);
  std::vector<BodyName> names;
  names.reserve(skeleton.size());
  for (const Node& node : skeleton.nodes) names.push_back(bodyNameOf(node.name, noise));
  return names;
}

}  // namespace clipmill::humanoid
