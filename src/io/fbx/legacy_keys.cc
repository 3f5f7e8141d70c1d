// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT

// The layout of the list is not documented. What is here was read from files of Maya, 3ds Max and
// Blender, and for KeyVer other than 4005 and the letters p, q, t and d taken from what ufbx found.
#include "io/fbx/legacy_keys.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "core/text.h"

namespace clipmill::io::fbx {
namespace {

using namespace key_flags;

// Auto keys before FBX 7 have no parameters; ufbx reads them as these.
constexpr std::uint32_t kLegacyAuto = kCubic | kAuto | kTimeIndependent | kClampProgressive;

// What follows the letter for the tangents of a cubic key.
struct Tangents {
  std::uint32_t flags;
  int numbers;        // of which
  bool are_used;      // as slopes, or as tension, continuity and bias
  int weight_blocks;  // the second holds velocities, which slopes and weights have in already
};

std::optional<Tangents> tangentsOf(char letter, std::int64_t key_version) {
  const int later = key_version <= 4004 ? 0 : 1;
  switch (letter) {
    case 's':
      return Tangents{kCubic | kUser, 2, true, key_version == 4003 ? 0 : 1};
    case 'b':
      return Tangents{kCubic | kUser | kBreak, 2, true, key_version == 4003 ? 0 : 1};
    case 'a':
      return Tangents{kLegacyAuto, 0, false, later};
    // Perhaps pulls to one side, which time-independent tangents do not feel.
    case 'p':
    case 'q':
      return Tangents{kLegacyAuto, 2, false, 1 + later};
    case 'd':
      return Tangents{kLegacyAuto, 1, false, 1};
    case 't':
      return Tangents{kCubic | kTcb, 3, true, 0};
    default:
      return std::nullopt;
  }
}

// KeyVer, or where there is none what files of that version have.
std::int64_t keyVersionOf(const Element& channel) {
  if (const auto element = channel.child("KeyVer")) {
    const auto version = element->integer(0);
    if (version && *version > 0) return *version;
  }
  return channel.tree().version < 6000 ? 4004 : 4005;
}

// Walks over the list. The first error is kept; later reads return default values.
class KeyList {
 public:
  KeyList(const Element& list, std::int64_t key_version)
      : list_(list), size_(list.values().size()), version_(key_version) {}

  bool atEnd() const { return at_ >= size_; }
  Result<RawKey> next();

 private:
  Status readCubic(RawKey& key);
  Status readWeights(RawKey& key);
  Result<double> number();
  Result<char> letter();
  Error malformed(const std::string& message) const {
    return {ErrorCode::kMalformed, "Key, value " + std::to_string(at_ + 1), message, ""};
  }
  // The last letter is of an unknown kind.
  Error unknown(const std::string& what, char letter) const {
    return {ErrorCode::kUnsupported, "Key, value " + std::to_string(at_),
            what + " of the kind " + printable(std::string(1, letter)) + " are not known", ""};
  }

  Element list_;
  std::size_t size_;
  std::int64_t version_;
  std::size_t at_ = 0;
};

Result<double> KeyList::number() {
  if (atEnd()) return malformed("the list of keys ends within a key");
  const auto value = list_.number(at_);
  if (!value || !std::isfinite(*value)) return malformed("is not a finite number");
  ++at_;
  return *value;
}

Result<char> KeyList::letter() {
  if (atEnd()) return malformed("the list of keys ends within a key");
  const auto text = list_.text(at_);
  if (!text || text->size() != 1) return malformed("is not a letter");
  ++at_;
  return text->front();
}

Result<RawKey> KeyList::next() {
  RawKey key;
  const auto ticks = list_.integer(at_);
  if (!ticks) return malformed("is not a key time");
  ++at_;
  key.ticks = *ticks;
  CLIPMILL_TRY(key.value, number());
  CLIPMILL_TRY(const char interpolation, letter());
  if (interpolation == 'L') {
    key.flags = kLinear;
  } else if (interpolation == 'C') {
    key.flags = kConstant;
    if (version_ < 4004) return key;
    CLIPMILL_TRY(const char side, letter());
    if (side == 'n') key.flags |= kConstantNext;
  } else if (interpolation == 'U') {
    CLIPMILL_CHECK(readCubic(key));
  } else {
    return unknown("keys", interpolation);
  }
  return key;
}

Status KeyList::readCubic(RawKey& key) {
  CLIPMILL_TRY(const char letter_of_tangents, letter());
  const auto tangents = tangentsOf(letter_of_tangents, version_);
  if (!tangents) return unknown("tangents", letter_of_tangents);
  key.flags = tangents->flags;
  double* const targets[] = {&key.right_slope, &key.next_left_slope, &key.bias};
  for (int i = 0; i < tangents->numbers; ++i) {
    CLIPMILL_TRY(const double value, number());
    if (tangents->are_used) *targets[i] = value;
  }
  if (tangents->weight_blocks > 0) CLIPMILL_CHECK(readWeights(key));
  RawKey velocities;
  if (tangents->weight_blocks > 1) CLIPMILL_CHECK(readWeights(velocities));
  return {};
}

Status KeyList::readWeights(RawKey& key) {
  CLIPMILL_TRY(const char weights, letter());
  if (weights == 'n' || weights == 'c') return {};
  // All, the next key's left one, the right one.
  if (weights != 'a' && weights != 'l' && weights != 'r') return unknown("weights", weights);
  if (weights != 'l') {
    CLIPMILL_TRY(key.right_weight, number());
    key.flags |= kWeightedRight;
  }
  if (weights != 'r') {
    CLIPMILL_TRY(key.next_left_weight, number());
    key.flags |= kWeightedNextLeft;
  }
  return {};
}

}  // namespace

Result<std::vector<RawKey>> legacyKeys(const Element& channel) {
  std::vector<RawKey> keys;
  const auto count_element = channel.child("KeyCount");
  const auto count = count_element ? count_element->integer(0) : std::nullopt;
  if (const auto list = channel.child("Key")) {
    KeyList walk(*list, keyVersionOf(channel));
    while (!walk.atEnd()) {
      CLIPMILL_TRY(const RawKey key, walk.next());
      keys.push_back(key);
    }
  }
  if (count_element && count != static_cast<std::int64_t>(keys.size()))
    return Error{ErrorCode::kMalformed, "KeyCount",
                 "does not count the " + std::to_string(keys.size()) + " keys of the channel", ""};
  return keys;
}

}  // namespace clipmill::io::fbx
