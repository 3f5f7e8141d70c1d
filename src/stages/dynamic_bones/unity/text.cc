// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/unity/text.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/text.h"
#include "core/to_size.h"

namespace clipmill::stages::dynamic_bones::unity {
namespace {

constexpr int kMaxNesting = 64;
constexpr std::string_view kDocumentMark = "--- !u!";

struct Line {
  std::size_t indent = 0;
  std::string_view text;  // without indent and trailing blanks
};

bool isItem(std::string_view text) { return text == "-" || text.starts_with("- "); }

// Position of the colon in "name: value"; npos where the text is no member.
std::size_t colonOf(std::string_view text) {
  if (text.empty() || text[0] == '"' || text[0] == '\'' || text[0] == '{' || text[0] == '[') {
    return std::string_view::npos;
  }
  for (std::size_t i = text.find(':'); i != std::string_view::npos; i = text.find(':', i + 1)) {
    if (i + 1 == text.size() || text[i + 1] == ' ') return i;
  }
  return std::string_view::npos;
}

std::uint32_t hexNumber(std::string_view digits) {
  std::uint32_t number = 0;
  for (char c : digits) {
    const bool is_digit = c >= '0' && c <= '9';
    const char letter = static_cast<char>(c | 0x20);
    if (!is_digit && !(letter >= 'a' && letter <= 'f')) break;
    number = number * 16 + static_cast<std::uint32_t>(is_digit ? c - '0' : letter - 'a' + 10);
  }
  return number;
}

// Half a surrogate pair, or a number beyond Unicode, becomes the replacement character.
void addUtf8(std::uint32_t code, std::string& text) {
  constexpr std::uint32_t kReplacement = 0xFFFD, kLast = 0x10FFFF;
  if (code > kLast || (code >= 0xD800 && code < 0xE000)) code = kReplacement;
  const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) {
    add(0xC0 | (code >> 6));
  } else {
    if (code < 0x10000) {
      add(0xE0 | (code >> 12));
    } else {
      add(0xF0 | (code >> 18));
      add(0x80 | ((code >> 12) & 0x3F));
    }
    add(0x80 | ((code >> 6) & 0x3F));
  }
  add(0x80 | (code & 0x3F));
}

// "{..}" and "[..]" on one line, and texts in quotes.
class FlowParser {
 public:
  explicit FlowParser(std::string_view text) : text_(text) {}

  Value parse(int depth) {
    skipBlanks();
    if (at_ >= text_.size()) return {};
    if (depth > kMaxNesting) {
      at_ = text_.size();
      return {};
    }
    if (text_[at_] == '{') return parseMembers(depth);
    if (text_[at_] == '[') return parseItems(depth);
    Value value;
    value.text = parseScalar(",}]");
    return value;
  }

 private:
  void skipBlanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(char c) {
    skipBlanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::string parseScalar(std::string_view ends) {
    skipBlanks();
    if (at_ < text_.size() && text_[at_] == '\'') return parseSingleQuoted();
    if (at_ < text_.size() && text_[at_] == '"') return parseDoubleQuoted();
    const std::size_t end = std::min(text_.find_first_of(ends, at_), text_.size());
    const std::string_view scalar = trimmed(text_.substr(at_, end - at_));
    at_ = end;
    return std::string(scalar);
  }

  // A quote inside is written twice.
  std::string parseSingleQuoted() {
    std::string result;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\'') {
        const bool is_twice = at_ + 1 < text_.size() && text_[at_ + 1] == '\'';
        ++at_;
        if (!is_twice) break;
      }
      result += text_[at_];
    }
    return result;
  }

  // Letters beyond ASCII are written as escapes of UTF-16.
  std::string parseDoubleQuoted() {
    std::string result;
    std::uint32_t high = 0;
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\' || at_ + 1 == text_.size()) {
        result += text_[at_];
        continue;
      }
      const char kind = text_[++at_];
      const std::size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
      if (digits == 0) {
        result += kind == 'n' ? '\n' : kind == 't' ? '\t' : kind;
        continue;
      }
      const std::uint32_t unit = hexNumber(text_.substr(at_ + 1, digits));
      at_ = std::min(at_ + digits, text_.size() - 1);
      if (unit >= 0xD800 && unit < 0xDC00) {
        high = unit;
        continue;
      }
      const bool is_low = unit >= 0xDC00 && unit < 0xE000 && high != 0;
      addUtf8(is_low ? 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00) : unit, result);
      high = 0;
    }
    at_ = std::min(at_ + 1, text_.size());
    return result;
  }

  Value parseMembers(int depth) {
    Value value;
    ++at_;
    while (at_ < text_.size() && !take('}')) {
      const std::size_t start = at_;
      std::string name = parseScalar(":,}");
      Value inner;
      if (take(':')) inner = parse(depth + 1);
      value.members.push_back({std::move(name), std::move(inner)});
      if (!take(',') && at_ == start) ++at_;
    }
    return value;
  }

  Value parseItems(int depth) {
    Value value;
    ++at_;
    while (at_ < text_.size() && !take(']')) {
      const std::size_t start = at_;
      value.items.push_back(parse(depth + 1));
      if (!take(',') && at_ == start) ++at_;
    }
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// The lines of one document, by their indentation.
class BlockParser {
 public:
  explicit BlockParser(std::vector<Line> lines) : lines_(std::move(lines)) {}

  Result<Value> parse() {
    Value value;
    if (!lines_.empty()) value = parseBlock(lines_[0].indent, 0);
    if (is_over_limit_) {
      return Error{ErrorCode::kMalformed, "", "an object has too many nested levels",
                   "save the file again in Unity"};
    }
    return value;
  }

 private:
  bool atEnd() const { return at_ >= lines_.size(); }
  const Line& line() const { return lines_[at_]; }

  Value parseBlock(std::size_t indent, int depth) {
    if (depth > kMaxNesting) {
      is_over_limit_ = true;
      at_ = lines_.size();
      return {};
    }
    return isItem(line().text) ? parseItems(indent, depth) : parseMembers(indent, depth);
  }

  Value parseMembers(std::size_t indent, int depth) {
    Value value;
    while (!atEnd() && line().indent >= indent) {
      if (line().indent == indent && isItem(line().text)) break;
      const std::size_t colon = colonOf(line().text);
      if (line().indent > indent || colon == std::string_view::npos) {
        ++at_;  // nothing that Unity writes
        continue;
      }
      std::string name(trimmed(line().text.substr(0, colon)));
      const std::string_view rest = trimmed(line().text.substr(colon + 1));
      ++at_;
      value.members.push_back({std::move(name), parseValue(rest, indent, depth)});
    }
    return value;
  }

  Value parseItems(std::size_t indent, int depth) {
    Value value;
    while (!atEnd() && line().indent == indent && isItem(line().text)) {
      const std::string_view rest = trimmed(line().text.substr(1));
      if (isItem(rest) || colonOf(rest) != std::string_view::npos) {
        // The members of an item are indented as its first one.
        const auto inset = toSize(rest.data() - line().text.data());
        lines_[at_] = {indent + inset, rest};
        value.items.push_back(parseBlock(indent + inset, depth + 1));
        continue;
      }
      ++at_;
      value.items.push_back(parseValue(rest, indent, depth));
    }
    return value;
  }

  // The value after a colon or a dash, with its continuation lines.
  Value parseValue(std::string_view rest, std::size_t indent, int depth) {
    if (rest.empty()) {
      const bool is_nested =
          !atEnd() && (line().indent > indent || (line().indent == indent && isItem(line().text)));
      return is_nested ? parseBlock(line().indent, depth + 1) : Value{};
    }
    std::string joined(rest);
    while (!atEnd() && line().indent > indent) {
      joined += " ";
      joined += line().text;
      ++at_;
    }
    if (std::string_view("{['\"").find(joined[0]) != std::string_view::npos) {
      return FlowParser(joined).parse(depth);
    }
    Value value;
    value.text = std::move(joined);
    return value;
  }

  std::vector<Line> lines_;
  std::size_t at_ = 0;
  bool is_over_limit_ = false;
};

std::string_view nextLine(std::string_view text, std::size_t& at) {
  const std::size_t end = std::min(text.find('\n', at), text.size());
  std::string_view line = text.substr(at, end - at);
  at = std::min(end + 1, text.size());
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  return line;
}

// "--- !u!114 &123 stripped"
std::optional<Object> headOf(std::string_view line) {
  const auto tokens = splitText(line.substr(kDocumentMark.size()), ' ');
  if (tokens.size() < 2 || !tokens[1].starts_with('&')) return std::nullopt;
  const auto class_id = parseNumber(tokens[0]);
  if (!class_id || !(*class_id >= 0.0 && *class_id < 1e9)) return std::nullopt;
  Object object;
  object.class_id = static_cast<int>(*class_id);
  object.id = tokens[1].substr(1);
  object.is_stripped = tokens.size() > 2 && tokens[2] == "stripped";
  return object;
}

bool isWanted(int class_id) {
  return class_id == kGameObject || class_id == kTransform || class_id == kMonoBehaviour ||
         class_id == kRectTransform;
}

// A line of a few characters may become a value of its own.
double memoryOf(const std::vector<Line>& lines) {
  double bytes = 0.0;
  for (const Line& line : lines) {
    const auto parts = std::count_if(line.text.begin(), line.text.end(),
                                     [](char c) { return c == ',' || c == '{' || c == '['; });
    bytes += static_cast<double>(line.text.size()) +
             static_cast<double>(parts + 1) * static_cast<double>(sizeof(Line) + sizeof(Member));
  }
  return bytes;
}

}  // namespace

const Value& Value::operator[](std::string_view name) const {
  static const Value none;
  for (const Member& member : members) {
    if (member.name == name) return member.value;
  }
  return none;
}

bool Value::has(std::string_view name) const {
  return std::any_of(members.begin(), members.end(),
                     [&](const Member& member) { return member.name == name; });
}

double Value::number(double fallback) const {
  const auto value = parseNumber(text);
  return value && std::isfinite(*value) ? *value : fallback;
}

Vec3 Value::vector(const Vec3& fallback) const {
  const Value& self = *this;
  return {self["x"].number(fallback.x), self["y"].number(fallback.y), self["z"].number(fallback.z)};
}

Quat Value::quaternion() const {
  const Value& self = *this;
  return normalizedOrIdentity(
      Quat(self["w"].number(1.0), self["x"].number(), self["y"].number(), self["z"].number()));
}

std::string Value::fileId() const {
  const Value& self = *this;
  const std::string& id = self["fileID"].text;
  return id == "0" || self.has("guid") ? std::string() : id;
}

bool looksLikeUnityText(std::string_view text) {
  constexpr std::size_t kHead = 4096;
  const std::string_view head = text.substr(0, kHead);
  return head.find(kDocumentMark) != std::string_view::npos;
}

Result<std::vector<Object>> readObjects(std::string_view text, std::uint64_t max_bytes) {
  std::vector<Object> objects;
  std::vector<Line> lines;
  std::optional<Object> open;
  double bytes = 0.0;
  const auto close = [&]() -> Status {
    if (open) {
      bytes += memoryOf(lines) + static_cast<double>(sizeof(Object));
      if (bytes > static_cast<double>(max_bytes)) {
        return Error{ErrorCode::kLimit, "object " + open->id, "takes more memory than the limit",
                     "raise --max-decoded-mb if the text is meant to be that large"};
      }
      auto value = BlockParser(std::move(lines)).parse();
      if (!value) return within("object " + open->id, value.error());
      // The only member of a document is the name of its type.
      if (!value->members.empty()) open->fields = std::move(value->members[0].value);
      objects.push_back(std::move(*open));
    }
    open.reset();
    lines.clear();
    return {};
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view whole = nextLine(text, at);
    if (whole.starts_with(kDocumentMark)) {
      CLIPMILL_CHECK(close());
      open = headOf(whole);
      if (open && !isWanted(open->class_id)) open.reset();
      continue;
    }
    if (!open) continue;
    const std::size_t indent = std::min(whole.find_first_not_of(' '), whole.size());
    if (indent < whole.size()) lines.push_back({indent, whole.substr(indent)});
  }
  CLIPMILL_CHECK(close());
  return objects;
}

}  // namespace clipmill::stages::dynamic_bones::unity
