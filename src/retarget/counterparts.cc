// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "retarget/counterparts.h"

#include <cmath>
#include <map>

#include "core/name_tokens.h"
#include "core/text.h"
#include "core/to_size.h"

namespace clipmill::retarget {
namespace {

constexpr int kUnknown = -2;
constexpr int kNone = -1;

std::string exchanged(const std::string& token) {
  static const std::pair<const char*, const char*> kSides[] = {{"left", "right"}, {"l", "r"}};
  for (const auto& [left, right] : kSides) {
    if (token == left) return right;
    if (token == right) return left;
  }
  // Tokens of other scripts are not split, and have their side in front.
  static const std::string kLeft = "\u5de6", kRight = "\u53f3";
  if (token.starts_with(kLeft)) return kRight + token.substr(kLeft.size());
  if (token.starts_with(kRight)) return kLeft + token.substr(kRight.size());
  return token;
}

// Finds counterparts from the surest evidence to the weakest.
class Matcher {
 public:
  Matcher(const Scene& scene, const humanoid::HumanoidMap& map)
      : scene_(scene), map_(map), found_(scene.skeleton.size(), kUnknown) {
    for (const Node& node : scene.skeleton.nodes) tokens_.push_back(tokensOfName(node.name));
  }

  void matchRoles() {
    for (std::size_t r = 0; r < humanoid::kHumanoidRoleCount; ++r) {
      const std::string name = humanoid::humanoidRoleName(static_cast<humanoid::HumanoidRole>(r));
      if (!name.starts_with("left")) {
        if (!name.starts_with("right")) pair(map_.nodes[r], map_.nodes[r]);
        continue;
      }
      const auto other = humanoid::humanoidRoleOfName("right" + name.substr(4));
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
        if (found_[toSize(nodes[side])] != kUnknown) {
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
    std::map<std::vector<std::string>, std::vector<int>> by_tokens;
    std::vector<std::vector<std::string>> tokens = tokens_;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const bool ends_in_number = tokens[i].size() > 1 && isNumberToken(tokens[i].back());
      if (!with_last_number && ends_in_number) tokens[i].pop_back();
      by_tokens[tokens[i]].push_back(static_cast<int>(i));
    }
    for (std::size_t i = 0; i < found_.size(); ++i) {
      if (found_[i] != kUnknown) continue;
      const std::vector<std::string> other = otherSideOf(tokens[i]);
      if (other == tokens[i]) continue;
      const auto there = by_tokens.find(other);
      if (there != by_tokens.end() && there->second.size() == 1 &&
          by_tokens[tokens[i]].size() == 1) {
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
      const int above = parent < 0 ? kUnknown : found_[toSize(parent)];
      if (parent < 0 || above == parent) {
        found_[i] = otherSideOf(tokens_[i]) == tokens_[i] ? node : kNone;
      } else if (above < 0) {
        found_[i] = kNone;
      } else {
        pair(node, onlyNamesake(node, children[toSize(parent)], children[toSize(above)]));
      }
      if (found_[i] == kUnknown) found_[i] = kNone;
    }
  }

  std::vector<int> take() { return std::move(found_); }

 private:
  void pair(int a, int b) {
    if (a < 0 || b < 0) return;
    int &of_a = found_[toSize(a)], &of_b = found_[toSize(b)];
    if (of_a != kUnknown || of_b != kUnknown) return;
    of_a = b;
    of_b = a;
  }

  int onlyNamesake(int node, const std::vector<int>& beside, const std::vector<int>& others) const {
    const auto& tokens = tokens_[toSize(node)];
    int namesake = kNone, count = 0, own = 0;
    for (int other : others) {
      if (tokens_[toSize(other)] != tokens) continue;
      namesake = other;
      ++count;
    }
    for (int other : beside) own += tokens_[toSize(other)] == tokens ? 1 : 0;
    return count == 1 && own == 1 ? namesake : kNone;
  }

  const Scene& scene_;
  const humanoid::HumanoidMap& map_;
  std::vector<int> found_;
  std::vector<std::vector<std::string>> tokens_;
};

// Horizontal, from one side to the other; x where it is undefined.
Vec3 lateralAxis(std::span<const int> counterparts, const RestPose& rest) {
  constexpr double kAlong = 0.9994;
  const Vec3 sum = acrossOf(counterparts, rest, Vec3(1.0, 0.0, 1.0));
  const double length = std::sqrt(glm::dot(sum, sum));
  if (!(length > 0.0) || !isFinite(sum)) return Vec3(1, 0, 0);
  const Vec3 axis = sum / length;
  if (std::abs(axis.x) > kAlong) return Vec3(1, 0, 0);
  if (std::abs(axis.z) > kAlong) return Vec3(0, 0, 1);
  return axis;
}

}  // namespace

std::vector<std::string> otherSideOf(const std::vector<std::string>& tokens) {
  std::vector<std::string> other;
  for (const std::string& token : tokens) other.push_back(exchanged(token));
  return other;
}

Result<std::vector<int>> findCounterparts(const Scene& scene, const humanoid::HumanoidMap& map,
                                          std::span<const std::string> pairs) {
  Matcher matcher(scene, map);
  matcher.matchRoles();
  CLIPMILL_CHECK(matcher.matchGiven(pairs));
  matcher.matchSides(true);
  matcher.matchSides(false);
  matcher.matchBelow();
  return matcher.take();
}

Vec3 acrossOf(std::span<const int> counterparts, const RestPose& rest, const Vec3& factors) {
  Vec3 sum(0.0);
  for (std::size_t n = 0; n < counterparts.size(); ++n) {
    if (counterparts[n] <= static_cast<int>(n)) continue;
    const Vec3 across =
        (rest.positionOf(counterparts[n]) - rest.positionOf(static_cast<int>(n))) * factors;
    sum += glm::dot(across, sum) < 0.0 ? -across : across;
  }
  return sum;
}

Mat3 reflectionOfSides(std::span<const int> counterparts, const RestPose& rest) {
  const Vec3 axis = lateralAxis(counterparts, rest);
  return Mat3(1.0) - 2.0 * glm::outerProduct(axis, axis);
}

}  // namespace clipmill::retarget
