// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/tets/tet_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/text.h"
#include "core/to_size.h"

namespace clipmill::stages::tet_bake {
namespace {

// Volumes below this share of the product of three edges count as none.
constexpr double kFlat = 1e-12;
constexpr std::uint64_t kGmshTet = 4, kGmshTetOfTen = 11;

// The lines of a text that have tokens, in order.
class WordLines {
 public:
  WordLines(std::string_view text, bool has_comments) : text_(text), has_comments_(has_comments) {}

  // Goes to the next line with a word in it; false at the end.
  bool next() {
    tokens_.clear();
    while (tokens_.empty() && !text_.empty()) {
      const std::size_t end = std::min(text_.find('\n'), text_.size());
      split(text_.substr(0, end));
      text_.remove_prefix(std::min(end + 1, text_.size()));
      ++line_;
    }
    return !tokens_.empty();
  }

  std::size_t line() const { return line_; }
  std::size_t left() const { return text_.size(); }
  const std::vector<std::string_view>& tokens() const { return tokens_; }

  std::optional<std::uint64_t> integer(std::size_t word) const {
    if (word >= tokens_.size()) return std::nullopt;
    const std::string_view text = tokens_[word];
    std::uint64_t value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
  }

  std::optional<Vec3> position(std::size_t first_word) const {
    Vec3 position(0.0);
    for (int axis = 0; axis < 3; ++axis) {
      const std::size_t word = first_word + toSize(axis);
      if (word >= tokens_.size()) return std::nullopt;
      const std::optional<double> value = parseNumber(tokens_[word]);
      if (!value || !std::isfinite(*value)) return std::nullopt;
      position[axis] = *value;
    }
    return position;
  }

 private:
  void split(std::string_view line) {
    if (has_comments_) line = line.substr(0, line.find('#'));
    std::size_t at = 0;
    const std::string_view blanks = " \t\r";
    while ((at = line.find_first_not_of(blanks, at)) != std::string_view::npos) {
      const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
      tokens_.push_back(line.substr(at, end - at));
      at = end;
    }
  }

  std::string_view text_;
  bool has_comments_;
  std::size_t line_ = 0;
  std::vector<std::string_view> tokens_;
};

Error malformed(const char* file, const WordLines& lines, std::string message) {
  return {ErrorCode::kMalformed, std::string(file) + ": line " + std::to_string(lines.line()),
          std::move(message), ""};
}

// Collects points by their numbers and tetrahedra of them.
class TetGatherer {
 public:
  // False where the number is taken, or there are too many.
  bool addPoint(std::uint64_t number, const Vec3& position) {
    const auto index = static_cast<std::uint32_t>(file_.positions.size());
    if (index == UINT32_MAX || !index_of_.try_emplace(number, index).second) return false;
    file_.positions.push_back(position);
    return true;
  }

  // The four numbers from `first_word` on; false where one is no point.
  bool addTet(const WordLines& lines, std::size_t first_word) {
    Tet tet;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::optional<std::uint64_t> number = lines.integer(first_word + k);
      const auto known = number ? index_of_.find(*number) : index_of_.end();
      if (known == index_of_.end()) return false;
      tet[k] = known->second;
    }
    addOriented(tet);
    return true;
  }

  bool hasPoints() const { return !file_.positions.empty(); }

  Result<TetFile> finish(const char* file) {
    if (file_.tets.empty()) {
      return Error{ErrorCode::kMalformed, file, "it has no tetrahedron with a volume", ""};
    }
    return std::move(file_);
  }

 private:
  void addOriented(Tet tet) {
    const Vec3& origin = file_.positions[tet[0]];
    const Mat3 edges(file_.positions[tet[1]] - origin, file_.positions[tet[2]] - origin,
                     file_.positions[tet[3]] - origin);
    const double volume = glm::determinant(edges);
    const double most = glm::length(edges[0]) * glm::length(edges[1]) * glm::length(edges[2]);
    if (!(std::abs(volume) > kFlat * most) || !std::isfinite(most)) {
      ++file_.flat_count;
      return;
    }
    if (volume < 0.0) {
      std::swap(tet[2], tet[3]);
      ++file_.inverted_count;
    }
    file_.tets.push_back(tet);
  }

  TetFile file_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_of_;  // looked up, never walked
};

constexpr const char* kNodeFile = ".node file";
constexpr const char* kEleFile = ".ele file";
constexpr const char* kMshFile = ".msh file";

Status readTetGenPoints(WordLines& lines, TetGatherer& gatherer) {
  if (!lines.next()) return malformed(kNodeFile, lines, "it is empty");
  const auto count = lines.integer(0), dimensions = lines.integer(1);
  if (dimensions != 3u) {
    return Error{ErrorCode::kUnsupported, kNodeFile, "its points do not have three coordinates",
                 ""};
  }
  if (!count || *count > lines.left()) {
    return malformed(kNodeFile, lines, "the number of points is wrong");
  }
  for (std::uint64_t i = 0; i < *count; ++i) {
    if (!lines.next()) return malformed(kNodeFile, lines, "points are missing");
    const auto number = lines.integer(0);
    const auto position = lines.position(1);
    if (!number || !position || !gatherer.addPoint(*number, *position)) {
      return malformed(kNodeFile, lines, "this is no new point");
    }
  }
  return {};
}

Status readTetGenTets(WordLines& lines, TetGatherer& gatherer) {
  if (!lines.next()) return malformed(kEleFile, lines, "it is empty");
  const auto count = lines.integer(0), corners = lines.integer(1);
  if (corners != 4u && corners != 10u) {
    return Error{ErrorCode::kUnsupported, kEleFile, "its elements have neither 4 nor 10 points",
                 ""};
  }
  if (!count || *count > lines.left()) {
    return malformed(kEleFile, lines, "the number of tetrahedra is wrong");
  }
  for (std::uint64_t i = 0; i < *count; ++i) {
    if (!lines.next()) return malformed(kEleFile, lines, "tetrahedra are missing");
    if (!gatherer.addTet(lines, 1)) {
      return malformed(kEleFile, lines, "a corner is no point of the .node file");
    }
  }
  return {};
}

// Reads the sections of a Gmsh file, in whichever of the two versions it is.
class GmshReader {
 public:
  explicit GmshReader(std::string_view text) : lines_(text, false) {}

  Result<TetFile> read() {
    CLIPMILL_CHECK(readFormat());
    while (lines_.next()) {
      const std::string_view section = lines_.tokens()[0];
      if (section == "$Nodes") {
        CLIPMILL_CHECK(is_old_ ? readOldNodes() : readNodes());
      } else if (section == "$Elements") {
        if (!gatherer_.hasPoints()) return fault("elements are before their nodes");
        CLIPMILL_CHECK(is_old_ ? readOldElements() : readElements());
      }
    }
    return gatherer_.finish(kMshFile);
  }

 private:
  Error fault(const char* message) const { return malformed(kMshFile, lines_, message); }

  Status readFormat() {
    if (!lines_.next() || lines_.tokens()[0] != "$MeshFormat" || !lines_.next()) {
      return fault("it does not start with $MeshFormat");
    }
    const std::string_view version = lines_.tokens()[0];
    is_old_ = version == "2.2" || version == "2";
    if (!is_old_ && version != "4.1") {
      return Error{ErrorCode::kUnsupported, kMshFile,
                   "version " + printable(version, 20) + " is not read",
                   "save it as version 2.2 or 4.1"};
    }
    if (lines_.integer(1) != 0u) {
      return Error{ErrorCode::kUnsupported, kMshFile, "binary files are not read",
                   "save it as text"};
    }
    return {};
  }

  // A count that the rest of the text can contain.
  std::optional<std::uint64_t> count(std::size_t word) const {
    const auto value = lines_.integer(word);
    return value && *value <= lines_.left() ? value : std::nullopt;
  }

  Status readOldNodes() {
    if (!lines_.next()) return fault("the nodes are missing");
    const auto nodes = count(0);
    if (!nodes) return fault("the number of nodes is wrong");
    for (std::uint64_t i = 0; i < *nodes; ++i) {
      if (!lines_.next()) return fault("nodes are missing");
      const auto number = lines_.integer(0);
      const auto position = lines_.position(1);
      if (!number || !position || !gatherer_.addPoint(*number, *position)) {
        return fault("this is no new node");
      }
    }
    return {};
  }

  Status readOldElements() {
    if (!lines_.next()) return fault("the elements are missing");
    const auto elements = count(0);
    if (!elements) return fault("the number of elements is wrong");
    for (std::uint64_t i = 0; i < *elements; ++i) {
      if (!lines_.next()) return fault("elements are missing");
      const auto type = lines_.integer(1), tags = lines_.integer(2);
      if (!type || !tags || *tags > lines_.tokens().size()) return fault("this is no element");
      if (*type != kGmshTet && *type != kGmshTetOfTen) continue;
      if (!gatherer_.addTet(lines_, toSize(3 + *tags))) {
        return fault("a corner is no node");
      }
    }
    return {};
  }

  Status readNodes() {
    if (!lines_.next()) return fault("the nodes are missing");
    const auto blocks = count(0);
    if (!blocks) return fault("the number of blocks is wrong");
    for (std::uint64_t b = 0; b < *blocks; ++b) {
      if (!lines_.next()) return fault("blocks of nodes are missing");
      const auto nodes = count(3);
      if (!nodes) return fault("the number of nodes is wrong");
      std::vector<std::uint64_t> numbers;
      for (std::uint64_t i = 0; i < *nodes; ++i) {
        const auto number = lines_.next() ? lines_.integer(0) : std::nullopt;
        if (!number) return fault("the number of a node is missing");
        numbers.push_back(*number);
      }
      for (const std::uint64_t number : numbers) {
        const auto position = lines_.next() ? lines_.position(0) : std::nullopt;
        if (!position || !gatherer_.addPoint(number, *position))
          return fault("this is no new node");
      }
    }
    return {};
  }

  Status readElements() {
    if (!lines_.next()) return fault("the elements are missing");
    const auto blocks = count(0);
    if (!blocks) return fault("the number of blocks is wrong");
    for (std::uint64_t b = 0; b < *blocks; ++b) {
      if (!lines_.next()) return fault("blocks of elements are missing");
      const auto type = lines_.integer(2);
      const auto elements = count(3);
      if (!type || !elements) return fault("the number of elements is wrong");
      for (std::uint64_t i = 0; i < *elements; ++i) {
        if (!lines_.next()) return fault("elements are missing");
        if (*type != kGmshTet && *type != kGmshTetOfTen) continue;
        if (!gatherer_.addTet(lines_, 1)) return fault("a corner is no node");
      }
    }
    return {};
  }

  WordLines lines_;
  bool is_old_ = false;
  TetGatherer gatherer_;
};

}  // namespace

Result<TetFile> parseTetGen(std::string_view node_text, std::string_view ele_text) {
  TetGatherer gatherer;
  WordLines node_lines(node_text, true), ele_lines(ele_text, true);
  CLIPMILL_CHECK(readTetGenPoints(node_lines, gatherer));
  CLIPMILL_CHECK(readTetGenTets(ele_lines, gatherer));
  return gatherer.finish(kEleFile);
}

Result<TetFile> parseGmsh(std::string_view text) { return GmshReader(text).read(); }

}  // namespace clipmill::stages::tet_bake
