// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "humanoid/fingers.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/name_tokens.h"
#include "core/portable_math.h"
#include "core/to_size.h"
#include "humanoid/joint_layout.h"
#include "humanoid/joint_names.h"

namespace clipmill::humanoid {
namespace {

using NameTokens = std::vector<std::string>;

constexpr std::size_t kThumb = 0;
// The thumb points away from the mean of the other fingers by more than this.
constexpr double kMinThumb_rad = 18.0 * kDegree;
constexpr std::size_t kFewestChains = 2, kFewestChainJoints = 2;

HandFingers noFingers() {
  HandFingers hand;
  for (auto& finger : hand) finger.fill(-1);
  return hand;
}

// -- Names

struct FingerToken {
  std::string_view word;
  std::size_t finger;
};
constexpr FingerToken kFingerTokens[] = {
    {"thumb", 0},   {"pollex", 0}, {"親指", 0},   {"first", 0}, {"index", 1},  {"point", 1},
    {"pointer", 1}, {"人指", 1},   {"人差指", 1}, {"人差", 1},  {"second", 1}, {"middle", 2},
    {"mid", 2},     {"中指", 2},   {"third", 2},  {"ring", 3},  {"薬指", 3},   {"fourth", 3},
    {"little", 4},  {"pinky", 4},  {"pinkie", 4}, {"small", 4}, {"小指", 4},   {"fifth", 4},
};

bool isMetacarpal(const NameTokens& tokens) {
  const auto has = [&](std::string_view word) {
    return std::find(tokens.begin(), tokens.end(), word) != tokens.end();
  };
  return has("metacarpal") || has("carpal") || has("palm") || has("mc") ||
         (has("in") && has("hand"));
}

// "left", "l" and the like in front of a word, and "hand".
std::string_view withoutSide(std::string_view token) {
  for (const std::string_view prefix : {"lefthand", "righthand", "left", "right", "左", "右"}) {
    if (token.size() > prefix.size() && token.starts_with(prefix)) {
      return token.substr(prefix.size());
    }
  }
  return token;
}

std::optional<std::size_t> fingerOfTokens(const NameTokens& tokens) {
  for (const std::string& token : tokens) {
    const std::string_view word = withoutSide(token);
    for (const FingerToken& known : kFingerTokens) {
      const bool is_fused = word.size() == known.word.size() + 1 && word.ends_with(known.word) &&
                            (word[0] == 'l' || word[0] == 'r');  // "lthumb"
      if (word == known.word || is_fused) return known.finger;
    }
  }
  return std::nullopt;
}

// The number behind "finger": its first digit is that of the finger, a second one that of the
// joint.
std::optional<std::size_t> numberOfFinger(const NameTokens& tokens) {
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    const std::string_view word = withoutSide(tokens[i]);
    if ((word == "finger" || word == "lfinger" || word == "rfinger") &&
        isNumberToken(tokens[i + 1])) {
      return toSize(tokens[i + 1][0] - '0');
    }
  }
  return std::nullopt;
}

// -- Hands

class HandReader {
 public:
  HandReader(const JointLayout& layout, std::span<const BodyName> names, int hand)
      : layout_(layout), names_(names), hand_(hand) {
    for (const Node& node : layout.scene->skeleton.nodes)
      tokens_.push_back(tokensOfName(node.name));
  }

  HandFingers read() const {
    HandFingers named = byNames();
    return countOf(named) >= kFewestChains ? named : byShape();
  }

 private:
  static std::size_t countOf(const HandFingers& hand) {
    return toSize(
        std::count_if(hand.begin(), hand.end(), [](const auto& finger) { return finger[0] >= 0; }));
  }

  bool isBone(int node) const { return names_[toSize(node)].part != NamedPart::kHelper; }

  // Nodes below the hand, parents first.
  std::vector<int> below() const {
    std::vector<int> nodes = layout_.childrenOf(hand_);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::vector<int>& children = layout_.childrenOf(nodes[i]);
      nodes.insert(nodes.end(), children.begin(), children.end());
    }
    return nodes;
  }

  static void append(std::array<int, kFingerJoints>& finger, int node) {
    const auto free = std::find(finger.begin(), finger.end(), -1);
    if (free != finger.end()) *free = node;
  }

  HandFingers byNames() const {
    const std::vector<int> nodes = below();
    bool has_zero = false;
    for (const int node : nodes) {
      has_zero = has_zero || numberOfFinger(tokens_[toSize(node)]) == std::size_t{0};
    }
    HandFingers hand = noFingers();
    for (const int node : nodes) {
      const NameTokens& tokens = tokens_[toSize(node)];
      std::optional<std::size_t> finger = fingerOfTokens(tokens);
      if (const auto number = numberOfFinger(tokens); !finger && number) {
        finger = has_zero ? *number : *number - 1;  // counted from 0, or from 1
      }
      if (!finger || *finger >= kFingerCount || !isBone(node)) continue;
      if (*finger != kThumb && isMetacarpal(tokens)) continue;
      append(hand[*finger], node);
    }
    return hand;
  }

  using Chain = std::vector<int>;

  // Below the last fork that leads to each end.
  std::vector<Chain> chains() const {
    std::vector<Chain> found;
    for (const int start : below()) {
      const int parent = layout_.parentOf(start);
      const bool is_start = parent == hand_ || bonesBelow(parent).size() > 1;
      if (!is_start || !isBone(start)) continue;
      Chain chain = {start};
      while (bonesBelow(chain.back()).size() == 1) chain.push_back(bonesBelow(chain.back())[0]);
      const bool forks = bonesBelow(chain.back()).size() > 1;
      if (!forks && chain.size() >= kFewestChainJoints) found.push_back(std::move(chain));
    }
    return found;
  }

  std::vector<int> bonesBelow(int node) const {
    std::vector<int> bones;
    for (const int child : layout_.childrenOf(node)) {
      if (isBone(child)) bones.push_back(child);
    }
    return bones;
  }

  Vec3 directionOf(const Chain& chain) const {
    const Vec3 along = layout_.positionOf(chain.back()) - layout_.positionOf(chain.front());
    const double length = lengthOf(along);
    return length > 0.0 && isFinite(along) ? along / length : Vec3(0.0);
  }

  // The chain that points away from the mean of the others the most, if by enough.
  std::optional<std::size_t> thumbOf(std::span<const Chain> chains) const {
    std::optional<std::size_t> thumb;
    double largest_rad = kMinThumb_rad;
    for (std::size_t i = 0; i < chains.size(); ++i) {
      const Vec3 own = directionOf(chains[i]), mean = meanDirection(chains, i);
      const double angle_rad =
          portable::atan2(lengthOf(glm::cross(own, mean)), glm::dot(own, mean));
      if (!(angle_rad > largest_rad)) continue;
      largest_rad = angle_rad;
      thumb = i;
    }
    return thumb;
  }

  Vec3 meanDirection(std::span<const Chain> chains, std::size_t without) const {
    Vec3 sum(0.0);
    for (std::size_t i = 0; i < chains.size(); ++i) {
      if (i != without) sum += directionOf(chains[i]);
    }
    return sum;
  }

  HandFingers byShape() const {
    HandFingers hand = noFingers();
    std::vector<Chain> all = chains();
    if (all.size() <= kFewestChains || all.size() > kFingerCount) return hand;
    const std::optional<std::size_t> thumb = thumbOf(all);
    if (!thumb) return hand;
    const Vec3 thumb_m = layout_.positionOf(all[*thumb].front());
    const Vec3 along = meanDirection(all, *thumb) / lengthOf(meanDirection(all, *thumb));
    const auto across_m = [&](const Chain& chain) {
      const Vec3 from_thumb = layout_.positionOf(chain.front()) - thumb_m;
      return lengthOf(from_thumb - glm::dot(from_thumb, along) * along);
    };
    std::swap(all[0], all[*thumb]);
    std::stable_sort(all.begin() + 1, all.end(),
                     [&](const Chain& a, const Chain& b) { return across_m(a) < across_m(b); });
    for (std::size_t finger = 0; finger < all.size(); ++finger) {
      for (const int node : all[finger]) append(hand[finger], node);
    }
    return hand;
  }

  const JointLayout& layout_;
  std::span<const BodyName> names_;
  int hand_;
  std::vector<NameTokens> tokens_;
};

// -- Declared

struct FingerRoles {
  const char* finger;
  std::array<const char*, kFingerJoints> joints;
};
constexpr FingerRoles kDeclared[kFingerCount] = {
    {"Thumb", {"Metacarpal", "Proximal", "Distal"}},
    {"Index", {"Proximal", "Intermediate", "Distal"}},
    {"Middle", {"Proximal", "Intermediate", "Distal"}},
    {"Ring", {"Proximal", "Intermediate", "Distal"}},
    {"Little", {"Proximal", "Intermediate", "Distal"}},
};

HandFingers declaredFingers(const Scene& scene, const std::string& side) {
  HandFingers hand = noFingers();
  for (std::size_t finger = 0; finger < kFingerCount; ++finger) {
    for (std::size_t joint = 0; joint < kFingerJoints; ++joint) {
      const std::string role = side + kDeclared[finger].finger + kDeclared[finger].joints[joint];
      for (const DeclaredRole& declared : scene.humanoid) {
        if (declared.role == role) hand[finger][joint] = declared.node;
      }
    }
  }
  return hand;
}

bool isEmpty(const HandFingers& hand) {
  return std::all_of(hand.begin(), hand.end(), [](const auto& finger) {
    return std::all_of(finger.begin(), finger.end(), [](int node) { return node < 0; });
  });
}

}  // namespace

Fingers findFingers(const Scene& scene, const HumanoidMap& map) {
  const JointLayout layout = jointLayoutOf(scene);
  const std::vector<BodyName> names = bodyNamesOf(scene.skeleton);
  const std::pair<const char*, HumanoidRole> sides[] = {{"left", HumanoidRole::kLeftHand},
                                                        {"right", HumanoidRole::kRightHand}};
  Fingers fingers;
  for (std::size_t side = 0; side < 2; ++side) {
    fingers[side] = declaredFingers(scene, sides[side].first);
    const int hand = map[sides[side].second];
    if (hand >= 0 && isEmpty(fingers[side])) fingers[side] = HandReader(layout, names, hand).read();
  }
  return fingers;
}

}  // namespace clipmill::humanoid
