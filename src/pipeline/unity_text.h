// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/math.h"
#include "core/result.h"

/// The text form of Unity's scenes, prefabs and assets: a stream of YAML documents, one an object,
/// of which this reads what Unity writes. What it does not understand it passes over.
namespace clipmill::unity {

struct Member;

/// A value: a text, named members, or items in a row.
struct Value {
  std::string text;
  std::vector<Member> members;
  std::vector<Value> items;

  /// The member of that name; an empty value where there is none.
  const Value& operator[](std::string_view name) const;
  bool has(std::string_view name) const;
  /// The finite number that the text spells, or `fallback`.
  double number(double fallback = 0.0) const;
  /// Members x, y, z; `fallback` where none is there.
  Vec3 vector(const Vec3& fallback = Vec3(0.0)) const;
  Quat quaternion() const;
  /// The id in "{fileID: 123}" of an object of the same text; empty for none.
  std::string fileId() const;
};

struct Member {
  std::string name;
  Value value;
};

/// One document: "--- !u!114 &123".
struct Object {
  int class_id = 0;          ///< 1 GameObject, 4 Transform, 114 MonoBehaviour, ..
  std::string id;            ///< Decimal digits, with a sign.
  bool is_stripped = false;  ///< It stands for an object of another file.
  Value fields;
};

inline constexpr int kGameObject = 1;
inline constexpr int kTransform = 4;
inline constexpr int kMonoBehaviour = 114;
inline constexpr int kRectTransform = 224;

/// True where the text begins as Unity's do, or holds one of its document marks.
bool looksLikeUnityText(std::string_view text);

/// The objects of the kinds above, in the order of the text. Errors: kMalformed for nesting that no
/// object has, kLimit where they would take more than `max_bytes` of memory.
Result<std::vector<Object>> readObjects(std::string_view text, std::uint64_t max_bytes);

}  // namespace clipmill::unity
