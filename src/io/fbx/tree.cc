// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/fbx/tree.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/text.h"
#include "io/fbx/byte_order.h"
#include "io/fbx/tree_read.h"

namespace clipmill::io::fbx {
namespace {

// Where a text file must show that it is FBX.
constexpr std::size_t kLookBytes = 4096;
// Files before 5800 keep skins and poses in other elements, which nothing here reads.
constexpr int kOldestVersion = 5800, kFirstUnknownVersion = 8000;

bool isBinary(std::span<const std::byte> bytes) {
  // Byte 22 is the byte order.
  return asText(bytes).starts_with(kBinaryMagic.substr(0, 22));
}

std::string unescaped(std::string_view text) {
  constexpr std::string_view kQuote = "&quot;";
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t next = std::min(text.find(kQuote, at), text.size());
    result += text.substr(at, next - at);
    if (next < text.size()) result += '"';
    at = std::min(next + kQuote.size(), text.size());
  }
  return result;
}

// The version in FBXHeaderExtension, or 0.
int statedVersion(const Tree& tree) {
  const auto header = tree.root("FBXHeaderExtension");
  const auto version = header ? header->child("FBXVersion") : std::nullopt;
  const auto number = version ? version->integer(0) : std::nullopt;
  return number && *number > 0 && *number < 1000000 ? static_cast<int>(*number) : 0;
}

// The first comment, "; FBX 7.5.0 project file", as 7500; or 0.
int commentVersion(std::string_view text) {
  const std::size_t mark = text.substr(0, kLookBytes).find("; FBX ");
  if (mark == std::string_view::npos) return 0;
  int version = 0, digits = 0;
  for (std::size_t at = mark + 6; at < text.size() && digits < 3; ++at) {
    if (text[at] == '.') continue;
    if (text[at] < '0' || text[at] > '9') break;
    version = version * 10 + (text[at] - '0');
    ++digits;
  }
  return digits == 3 ? version * 10 : 0;
}

Status checkVersion(int version) {
  if (version >= kOldestVersion && version < kFirstUnknownVersion) return {};
  const std::string named = "FBX version " + std::to_string(version);
  return Error{ErrorCode::kUnsupported, "",
               version == 0               ? "an FBX file without a version"
               : version < kOldestVersion ? named + " is too old to be read"
                                          : named + " is not known",
               "save it as FBX 7 (2014 or later) in the application that it comes from"};
}

Status parseBinary(Tree& tree, TreeBuilder& builder) {
  tree.encoding = Encoding::kBinary;
  if (tree.source.size() < kBinaryHeaderBytes)
    return Error{ErrorCode::kMalformed, "", "the file ends within its header", ""};
  tree.is_big_endian = tree.source[22] == std::byte{1};
  tree.version = headerVersion(tree);
  // 5800 has 3000 in its header, and shows in FBXHeaderExtension.
  const bool is_stated_elsewhere = tree.version < kOldestVersion;
  if (!is_stated_elsewhere) CLIPMILL_CHECK(checkVersion(tree.version));
  CLIPMILL_TRY(tree.roots_end, parseBinaryElements(builder, layoutOf(tree), kBinaryHeaderBytes));
  if (const int stated = statedVersion(tree); is_stated_elsewhere && stated > 0) {
    tree.version = stated;
  }
  return checkVersion(tree.version);
}

Status parseText(Tree& tree, TreeBuilder& builder) {
  tree.encoding = Encoding::kText;
  CLIPMILL_CHECK(parseTextElements(builder));
  tree.roots_end = tree.source.size();
  tree.version = statedVersion(tree);
  if (tree.version == 0) tree.version = commentVersion(asText(tree.source));
  return checkVersion(tree.version);
}

bool isLetter(std::int64_t c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

std::optional<Element> firstNamed(const ElementRange& elements, std::string_view name) {
  for (const Element element : elements)
    if (element.name() == name) return element;
  return std::nullopt;
}

}  // namespace

int headerVersion(const Tree& tree) {
  const auto version = loadNumber<std::uint32_t>(tree.source.data() + 23, tree.is_big_endian);
  return static_cast<int>(std::min<std::uint32_t>(version, std::numeric_limits<int>::max()));
}

BinaryLayout layoutOf(const Tree& tree) {
  return {tree.is_big_endian, headerVersion(tree) >= 7500};
}

Status TreeBuilder::claim(std::uint64_t bytes) {
  claimed_bytes_ += bytes;  // Of at most 2^35 a time, from files of at most 2^32: no overflow.
  if (claimed_bytes_ <= limits_.max_decoded_bytes) return {};
  return Error{ErrorCode::kLimit, "",
               "its elements and arrays need more than " +
                   std::to_string(limits_.max_decoded_bytes) + " bytes when decompressed",
               ""};
}

Status TreeBuilder::add(const Tree::Record& record) {
  CLIPMILL_CHECK(claim(sizeof record));
  tree_.records.push_back(record);
  return {};
}

Status TreeBuilder::add(const Value& value) {
  CLIPMILL_CHECK(claim(sizeof value));
  tree_.values.push_back(value);
  return {};
}

Status TreeBuilder::claimNumbers(std::uint64_t count) { return claim(count * sizeof(double)); }

std::string_view Element::name() const {
  const Tree::Record& record = tree_->records[index_];
  return asText(tree_->source).substr(record.name_offset, record.name_size);
}

std::span<const Value> Element::values() const {
  const Tree::Record& record = tree_->records[index_];
  return std::span(tree_->values).subspan(record.first_value, record.value_count);
}

ElementRange Element::children() const {
  return {{*tree_, index_ + 1}, {*tree_, tree_->records[index_].subtree_end}};
}

std::optional<Element> Element::child(std::string_view name) const {
  return firstNamed(children(), name);
}

std::optional<std::string> Element::text(std::size_t i) const {
  if (i >= values().size()) return std::nullopt;
  const Value& value = values()[i];
  if (value.type == ValueType::kBool && isLetter(value.integer))
    return std::string(1, static_cast<char>(value.integer));
  if (value.type != ValueType::kString && value.type != ValueType::kWord) return std::nullopt;
  const std::string_view text = asText(tree_->source).substr(value.offset, value.size);
  return tree_->encoding == Encoding::kText ? unescaped(text) : std::string(text);
}

std::span<const std::byte> Element::bytes(std::size_t i) const {
  if (i >= values().size()) return {};
  const Value& value = values()[i];
  if (value.type != ValueType::kString && value.type != ValueType::kRaw) return {};
  return std::span(tree_->source).subspan(value.offset, value.size);
}

ElementRange::Iterator& ElementRange::Iterator::operator++() {
  index_ = tree_->records[index_].subtree_end;
  return *this;
}

ElementRange Tree::roots() const {
  return {{*this, 0}, {*this, static_cast<std::uint32_t>(records.size())}};
}

std::optional<Element> Tree::root(std::string_view name) const { return firstNamed(roots(), name); }

bool looksLikeFbx(std::span<const std::byte> bytes) {
  if (isBinary(bytes)) return true;
  const std::string_view start = asText(bytes).substr(0, kLookBytes);
  // Other binary formats may contain this text, but not before a zero byte.
  const std::string_view text = start.substr(0, start.find('\0'));
  return text.find("FBXHeaderExtension:") != std::string_view::npos ||
         text.find("; FBX ") != std::string_view::npos;
}

Result<std::shared_ptr<const Tree>> parseTree(Bytes source, const io::Limits& limits) {
  if (source.size() > std::numeric_limits<std::uint32_t>::max())
    return Error{ErrorCode::kLimit, "", "is larger than 4 GiB", ""};
  auto tree = std::make_shared<Tree>();
  tree->source = std::move(source);
  TreeBuilder builder(*tree, tree->source, limits);
  if (isBinary(tree->source)) {
    CLIPMILL_CHECK(parseBinary(*tree, builder));
  } else if (looksLikeFbx(tree->source)) {
    CLIPMILL_CHECK(parseText(*tree, builder));
  } else {
    return Error{ErrorCode::kMalformed, "", "it does not start with an FBX signature", ""};
  }
  tree->records.shrink_to_fit();
  tree->values.shrink_to_fit();
  return std::shared_ptr<const Tree>(std::move(tree));
}

}  // namespace clipmill::io::fbx
