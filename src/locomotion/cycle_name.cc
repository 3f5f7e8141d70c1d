// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "locomotion/cycle_name.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "core/name_tokens.h"

namespace clipmill::locomotion {
namespace {

using NameTokens = std::set<std::string_view>;

struct TokenClass {
  CycleName meaning;
  NameTokens tokens;
};

// The first class with a token of the name counts.
const std::array<TokenClass, 5>& tokenClasses() {
  static const std::array<TokenClass, 5> classes = {{
      {CycleName::kCycle,
       {"loop", "looped", "looping", "cycle", "cyclic", "walkcycle", "runcycle", "walkloop",
        "runloop", "idleloop"}},
      {CycleName::kOneShot,
       {"to", "start", "starts", "stop", "stops", "begin", "end", "enter", "exit", "transition",
        "land", "landing"}},
      {CycleName::kCycle, {"idle", "idles", "idling", "breathe", "breathing"}},
      {CycleName::kOneShot,
       {"jump",    "jumping",   "leap",      "attack", "attacking", "death",    "die",   "dying",
        "dead",    "hit",       "hurt",      "damage", "stand",     "standup",  "getup", "throw",
        "punch",   "kick",      "slash",     "slice",  "stab",      "chop",     "shoot", "fire",
        "reload",  "cast",      "spellcast", "pickup", "pick",      "open",     "close", "equip",
        "unequip", "draw",      "sheathe",   "dodge",  "dash",      "roll",     "block", "fall",
        "turn",    "knockback", "knockdown", "vault",  "use",       "interact", "wave",  "yes",
        "no",      "taunt",     "cheer",     "spawn",  "bow",       "thumbsup", "react", "reaction",
        "pose"}},
      {CycleName::kCycle,
       {"walk",     "walking",   "walks",     "run",      "running",  "runs",   "jog",
        "jogging",  "sprint",    "sprinting", "strafe",   "strafing", "sneak",  "sneaking",
        "crawl",    "crawling",  "swim",      "swimming", "fly",      "flying", "hover",
        "hovering", "float",     "floating",  "climb",    "climbing", "ride",   "riding",
        "gallop",   "galloping", "trot",      "trotting", "canter",   "march",  "marching",
        "tread",    "treading",  "skate",     "skating",  "patrol"}},
  }};
  return classes;
}

}  // namespace

CycleName cycleNameOf(std::string_view clip_name) {
  const std::vector<std::string> tokens = tokensOfName(clip_name);
  for (const TokenClass& candidate : tokenClasses()) {
    const bool has_token = std::any_of(tokens.begin(), tokens.end(), [&](const std::string& token) {
      return candidate.tokens.contains(token);
    });
    if (has_token) return candidate.meaning;
  }
  return CycleName::kNone;
}

}  // namespace clipmill::locomotion
