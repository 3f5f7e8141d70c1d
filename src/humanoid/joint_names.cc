// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "humanoid/joint_names.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "core/name_tokens.h"

namespace clipmill::humanoid {
namespace {

using Tokens = std::set<std::string_view>;

// Names without their side, prefixes, numbers and separators. Conventions: Mixamo and Ready Player
// Me, Unreal, 3ds Max Biped, Rigify, VRoid, Daz, Character Creator, CMU, SMPL, MMD.
const std::map<std::string_view, NamedPart>& partTable() {
  using enum NamedPart;
  static const std::map<std::string_view, NamedPart> table = {
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

const Tokens& fingerTokens() {
  static const Tokens tokens = {"thumb",  "index",      "pinky", "pinkie", "finger", "fingers",
                                "carpal", "metacarpal", "親指",  "人指",   "中指",   "薬指",
                                "小指",   "人差指",     "人差",  "fingera"};
  return tokens;
}

// Finger names that denote other things too: only as the whole of a name, or beside "hand".
const Tokens& fingerNames() {
  static const Tokens tokens = {"middle",     "ring",     "little",     "handmiddle",
                                "handring",   "small",    "middlefing", "middleproximal",
                                "littledist", "ringdist", "mid"};
  return tokens;
}

const Tokens& helperTokens() {
  static const Tokens tokens = {
      "twist",  "twists",     "roll",   "ik",     "fk",       "pole",   "target", "ctrl",
      "ctl",    "control",    "cntrl",  "org",    "mch",      "tweak",  "end",    "nub",
      "tip",    "sec",        "adj",    "helper", "effector", "eff",    "slot",   "socket",
      "orient", "null",       "drv",    "driver", "wgt",      "widget", "vis",    "aim",
      "goal",   "attachment", "attach", "prop",   "weapon",   "holder", "corr",   "corrective",
      "site",   "endsite",    "master", "goal",   "dummy",    "mesh",   "geo",    "controller"};
  return tokens;
}

// Prefixes of rigs, and tokens for "joint".
const Tokens& noiseTokens() {
  static const Tokens tokens = {"mixamorig", "bip",  "biped", "valve",    "cc",       "base",
                                "def",       "j",    "b",     "c",        "m",        "s",
                                "sk",        "skel", "jnt",   "joint",    "joints",   "bone",
                                "bn",        "bind", "rig",   "armature", "skeleton", "character",
                                "char",      "node", "human", "humanoid", "avatar",   "deform",
                                "sknd",      "bnd",  "jt",    "skinned",  "unity",    "smpl"};
  return tokens;
}

Side sideOfToken(std::string_view token) {
  if (token == "l" || token == "left" || token == "lft" || token == "lt" || token == "hidari") {
    return Side::kLeft;
  }
  if (token == "r" || token == "right" || token == "rgt" || token == "rt" || token == "migi") {
    return Side::kRight;
  }
  return Side::kNone;
}

bool takePrefix(std::string& token, std::string_view prefix) {
  if (token.size() <= prefix.size() || !std::string_view(token).starts_with(prefix)) return false;
  token.erase(0, prefix.size());
  return true;
}

std::optional<NamedPart> lookUp(std::string_view token) {
  const auto found = partTable().find(token);
  if (found == partTable().end()) return std::nullopt;
  return found->second;
}

// The part that `token` names, with its side fused to it where it has none: "leftarm", "rthigh".
NamedPart partOfToken(std::string token, Side& side) {
  if (const auto part = lookUp(token)) return *part;
  if (side != Side::kNone) return NamedPart::kNone;
  constexpr std::array<std::pair<std::string_view, Side>, 4> kPrefixes = {
      {{"left", Side::kLeft}, {"right", Side::kRight}, {"l", Side::kLeft}, {"r", Side::kRight}}};
  for (const auto& [prefix, prefix_side] : kPrefixes) {
    std::string rest = token;
    if (!takePrefix(rest, prefix)) continue;
    if (const auto part = lookUp(rest)) {
      side = prefix_side;
      return *part;
    }
  }
  return NamedPart::kNone;
}

bool isTrunk(NamedPart part) { return part >= NamedPart::kHips && part <= NamedPart::kHead; }

// A trunk has no sides and a limb has one; where the name differs it means something else.
BodyName agreed(NamedPart part, Side side) {
  if (part == NamedPart::kHips && side != Side::kNone) return {NamedPart::kSideHip, side};
  const bool is_limb = part >= NamedPart::kCollar && part <= NamedPart::kToes;
  if (isTrunk(part) == (side == Side::kNone) && (isTrunk(part) || is_limb)) return {part, side};
  return {NamedPart::kNone, side};
}

// "左足" is one token: the side precedes it.
void splitForeignSide(std::vector<std::string>& tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    for (const auto& [sign, side] : {std::pair{"左", "left"}, std::pair{"右", "right"}}) {
      if (!takePrefix(tokens[i], sign)) continue;
      tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(i), side);
      ++i;
      break;
    }
  }
}

std::vector<std::string> tokensWithoutNamespace(std::string_view name) {
  const std::size_t last = name.find_last_of(":|");
  if (last != std::string_view::npos && last + 1 < name.size()) name.remove_prefix(last + 1);
  std::vector<std::string> tokens = tokensOfName(name);
  splitForeignSide(tokens);
  return tokens;
}

bool isHelper(const std::vector<std::string>& tokens) {
  return std::any_of(tokens.begin(), tokens.end(), [](const std::string& token) {
    return helperTokens().contains(token) || token.find("捩") != std::string::npos ||
           token.ends_with("control") || token.ends_with("orient");
  });
}

bool isFinger(const std::vector<std::string>& tokens, std::string_view joined) {
  return fingerNames().contains(joined) ||
         std::any_of(tokens.begin(), tokens.end(),
                     [](const std::string& token) { return fingerTokens().contains(token); });
}

// Tokens that mean something by themselves are not noise, however often they occur.
bool hasMeaning(const std::string& token) {
  static const Tokens parts_of_names = {"upper", "lower", "up", "low", "lo", "fore", "toe", "bend"};
  return isNumberToken(token) || sideOfToken(token) != Side::kNone ||
         helperTokens().contains(token) || fingerTokens().contains(token) ||
         fingerNames().contains(token) || parts_of_names.contains(token) ||
         lookUp(token).has_value();
}

// Tokens that 2 of 5 names share, at least 8.
std::vector<std::string> commonTokens(const Skeleton& skeleton) {
  std::map<std::string, std::size_t> counts;
  for (const Node& node : skeleton.nodes) {
    const std::vector<std::string> tokens = tokensWithoutNamespace(node.name);
    for (const std::string& token : std::set<std::string>(tokens.begin(), tokens.end())) {
      ++counts[token];
    }
  }
  const std::size_t enough = std::max<std::size_t>(8, skeleton.size() * 2 / 5);
  std::vector<std::string> common;
  for (const auto& [token, count] : counts) {
    if (count >= enough && !hasMeaning(token)) common.push_back(token);
  }
  return common;
}

}  // namespace

BodyName bodyNameOf(std::string_view name, std::span<const std::string> noise) {
  const std::vector<std::string> tokens = tokensWithoutNamespace(name);
  Side side = Side::kNone;
  std::string joined;
  for (const std::string& token : tokens) {
    const Side here = sideOfToken(token);
    if (here != Side::kNone) {
      side = here;
    } else if (!isNumberToken(token) && !noiseTokens().contains(token) &&
               std::find(noise.begin(), noise.end(), token) == noise.end()) {
      joined += token;
    }
  }
  if (isHelper(tokens)) return {NamedPart::kHelper, side};
  if (isFinger(tokens, joined)) return {NamedPart::kFinger, side};
  const NamedPart part = partOfToken(joined, side);
  return agreed(part, side);
}

std::vector<BodyName> bodyNamesOf(const Skeleton& skeleton) {
  const std::vector<std::string> noise = commonTokens(skeleton);
  std::vector<BodyName> names;
  names.reserve(skeleton.size());
  for (const Node& node : skeleton.nodes) names.push_back(bodyNameOf(node.name, noise));
  return names;
}

}  // namespace clipmill::humanoid
