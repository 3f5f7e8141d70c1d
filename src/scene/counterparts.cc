// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "scene/counterparts.h"

#include <map>

#include "core/name_words.h"
#include "core/text.h"

namespace clipmill {
namespace {

constexpr int kUnknown = -2;
constexpr int kNone = -1;

std::string exchanged(const std::string& word) {
  static const std::pair<const char*, const char*> kSides[] = {{"left", "right"}, {"l", "r"}};
  for (const auto& [left, right] : kSides) {
    if (word == left) return right;
    if (word == right) return left;
  }
  // Words of other scripts are not split, and have their side in front.
  static const std::string kLeft = "\u5de6", kRight = "\u53f3";
  if (word.starts_with(kLeft)) return kRight + word.substr(kLeft.size());
  if (word.starts_with(kRight)) return kLeft + word.substr(kRight.size());
  return word;
}

// Finds counterparts from the surest evidence to the weakest.
class Matcher {
 public:
  Matcher(const Scene& scene, const HumanoidMap& map)
      : scene_(scene), map_(map), found_(scene.skeleton.size(), kUnknown) {
    for (const Node& node : scene.skeleton.nodes) words_.push_back(wordsOfName(node.name));
  }

  void matchRoles() {
    for (std::size_t r = 0; r < kHumanoidRoleCount; ++r) {
      const std::string name = humanoidRoleName(static_cast<HumanoidRole>(r));
      if (!name.starts_with("left")) {
        if (!name.starts_with("right")) pair(map_.nodes[r], map_.nodes[r]);
        continue;
      }
      const auto other = humanoidRoleOfName("right" + name.substr(4));
      if (other) pair(map_.nodes[r], map_[*other]);
    }
  }

  Status matchGiven(std::span<const std::string> pairs) {
    for (const std::string& text : pairs) {
      const auto parts = splitText(text, '=');
      if (parts.size() != 2) {
        return Error{ErrorCode::kRecipe, "pair", "'" + text + "' is no pair of nodes",
                     "write it as left=right"};
      }
      int nodes[2] = {};
      for (int side = 0; side < 2; ++side) {
        CLIPMILL_TRY(nodes[side],
                     findOneNode(scene_.skeleton, std::string(trimmed(parts[side])), "pair"));
        if (found_[static_cast<std::size_t>(nodes[side])] != kUnknown) {
          return Error{ErrorCode::kRecipe, "pair",
                       "'" + std::string(trimmed(parts[side])) + "' has a counterpart already",
                       "leave the pair out"};
        }
      }
      pair(nodes[0], nodes[1]);
    }
    return {};
  }

  // Exporters put a number of their own behind names: where these differ they are left out.
  void matchSides(bool with_last_number) {
    std::map<std::vector<std::string>, std::vector<int>> by_words;
    std::vector<std::vector<std::string>> words = words_;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool ends_in_number = words[i].size() > 1 && isNumberWord(words[i].back());
      if (!with_last_number && ends_in_number) words[i].pop_back();
      by_words[words[i]].push_back(static_cast<int>(i));
    }
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if (found_[i] != kUnknown) continue;
      const std::vector<std::string> other = otherSideOf(words[i]);
      if (other == words[i]) continue;
      const auto there = by_words.find(other);
      if (there != by_words.end() && there->second.size() == 1 && by_words[words[i]].size() == 1) {
        pair(static_cast<int>(i), there->second.front());
      }
    }
  }

  // What hangs on a pair is like what hangs on the other of it; what hangs in the middle is in the
  // middle, unless its name has a side. Parents come first.
  void matchBelow() {
    const std::vector<std::vector<int>> children = childrenOf(scene_.skeleton);
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if (found_[i] != kUnknown) continue;
      const int node = static_cast<int>(i), parent = scene_.skeleton.nodes[i].parent;
      const int above = parent < 0 ? kUnknown : found_[static_cast<std::size_t>(parent)];
      if (parent < 0 || above == parent) {
        found_[i] = otherSideOf(words_[i]) == words_[i] ? node : kNone;
      } else if (above < 0) {
        found_[i] = kNone;
      } else {
        pair(node, onlyNamesake(node, children[static_cast<std::size_t>(parent)],
                                children[static_cast<std::size_t>(above)]));
      }
      if (found_[i] == kUnknown) found_[i] = kNone;
    }
  }

  std::vector<int> take() { return std::move(found_); }

 private:
  void pair(int a, int b) {
    if (a < 0 || b < 0) return;
    int &of_a = found_[static_cast<std::size_t>(a)], &of_b = found_[static_cast<std::size_t>(b)];
    if (of_a != kUnknown || of_b != kUnknown) return;
    of_a = b;
    of_b = a;
  }

  int onlyNamesake(int node, const std::vector<int>& beside, const std::vector<int>& others) const {
    const auto& words = words_[static_cast<std::size_t>(node)];
    int namesake = kNone, count = 0, own = 0;
    for (int other : others) {
      if (words_[static_cast<std::size_t>(other)] != words) continue;
      namesake = other;
      ++count;
    }
    for (int other : beside) own += words_[static_cast<std::size_t>(other)] == words ? 1 : 0;
    return count == 1 && own == 1 ? namesake : kNone;
  }

  const Scene& scene_;
  const HumanoidMap& map_;
  std::vector<int> found_;
  std::vector<std::vector<std::string>> words_;
};

}  // namespace

std::vector<std::string> otherSideOf(const std::vector<std::string>& words) {
  std::vector<std::string> other;
  for (const std::string& word : words) other.push_back(exchanged(word));
  return other;
}

Result<std::vector<int>> findCounterparts(const Scene& scene, const HumanoidMap& map,
                                          std::span<const std::string> pairs) {
  Matcher matcher(scene, map);
  matcher.matchRoles();
  CLIPMILL_CHECK(matcher.matchGiven(pairs));
  matcher.matchSides(true);
  matcher.matchSides(false);
  matcher.matchBelow();
  return matcher.take();
}

}  // namespace clipmill
