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
/// of which this reads the subset that Unity writes. Other constructs are skipped.
namespace clipmill::stages::dynamic_bones::unity {

struct Member;

/// A value: a text, named members, or items in a row.
struct Value {
  std::string text;
  std::vector<Member> members;
  std::vector<Value> items;

  /// The member of that name; an empty value where there is none.
  const Value& operator[](std::string_view name) const;
  bool has(std::string_view name) const;
  /// The text as a finite number, or `fallback`.
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
  bool is_stripped = false;  ///< It represents an object of another file.
  Value fields;
};

inline constexpr int kGameObject = 1;
inline constexpr int kTransform = 4;
inline constexpr int kMonoBehaviour = 114;
inline constexpr int kRectTransform = 224;

/// True where the text starts as Unity files do, or contains one of their document marks.
bool looksLikeUnityText(std::string_view text);

/// The objects of the kinds above, in the order of the text. Errors: kMalformed for nesting that no
/// object has, kLimit where they would take more than `max_bytes` of memory.
Result<std::vector<Object>> readObjects(std::string_view text, std::uint64_t max_bytes);

}  // namespace clipmill::stages::dynamic_bones::unity
