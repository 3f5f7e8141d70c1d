// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "io/face_csv/face_csv_format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/file.h"
#include "core/text.h"
#include "core/to_size.h"
#include "io/imported/imported_document.h"
#include "scene/face_shapes.h"

namespace clipmill::io::face_csv {
namespace {

constexpr std::array<std::string_view, 1> kExtensions = {".csv"};
constexpr std::array<std::string_view, 3> kSeconds = {"time", "time_s", "timestamp"};
constexpr std::array<std::string_view, 3> kHead = {"HeadYaw", "HeadPitch", "HeadRoll"};
constexpr double kUsualFps = 60.0, kHalfFps = 30.0;
constexpr std::size_t kFewestShapes = 10;
constexpr double kBytesOfWeight = 5.0 * sizeof(double);  // of a row, of a key and its time

std::string_view withoutMark(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

// Takes the first line off `text`.
std::string_view takeLine(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::vector<std::string_view> cellsOf(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::size_t shapesIn(const std::vector<std::string_view>& names) {
  std::size_t count = 0;
  for (const std::string_view name : names) count += faceShapeOf(name).has_value();
  return count;
}

template <std::size_t N>
bool isOneOf(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// What the columns of a table are.
struct Columns {
  std::size_t count = 0;
  std::vector<std::pair<std::size_t, std::string_view>> shapes;  // column, ARKit name
  std::optional<std::size_t> timecode, seconds;
  std::vector<std::size_t> head;
};

Columns columnsOf(const std::vector<std::string_view>& names) {
  Columns columns;
  columns.count = names.size();
  for (std::size_t c = 0; c < names.size(); ++c) {
    const auto shape = faceShapeOf(names[c]);
    const bool is_new = std::none_of(columns.shapes.begin(), columns.shapes.end(),
                                     [&](const auto& known) { return known.second == shape; });
    if (shape && is_new) columns.shapes.emplace_back(c, *shape);
    if (names[c] == "Timecode") columns.timecode = c;
    if (isOneOf(names[c], kSeconds)) columns.seconds = c;
    if (isOneOf(names[c], kHead)) columns.head.push_back(c);
  }
  return columns;
}

// "HH:MM:SS:FF.FF"
struct Timecode {
  double seconds = 0.0;  // whole ones
  double frames = 0.0;
};

std::optional<Timecode> timecodeOf(std::string_view text) {
  std::array<double, 4> parts{};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::size_t colon = text.find(':');
    if ((colon == std::string_view::npos) != (i + 1 == parts.size())) return std::nullopt;
    const auto number = parseNumber(text.substr(0, colon));
    if (!number || !(*number >= 0.0 && *number < 1e6)) return std::nullopt;
    parts[i] = *number;
    text.remove_prefix(colon == std::string_view::npos ? text.size() : colon + 1);
  }
  return Timecode{3600.0 * parts[0] + 60.0 * parts[1] + parts[2], parts[3]};
}

// The rows of a table, before they are keys.
struct Rows {
  std::vector<Timecode> timecodes;
  std::vector<double> seconds;
  std::vector<double> weights;  // rows x shapes
  std::size_t count = 0;
  bool moves_head = false;
};

Error malformed(std::size_t line, const std::string& message) {
  return Error{ErrorCode::kMalformed, "line " + std::to_string(line), message,
               "export the table again"};
}

Status addRow(const Columns& columns, const std::vector<std::string_view>& cells, std::size_t line,
              Rows& rows) {
  if (cells.size() != columns.count) {
    return malformed(line, "has " + counted(cells.size(), "cell") + " where the first line has " +
                               std::to_string(columns.count));
  }
  for (const auto& [column, shape] : columns.shapes) {
    const auto weight = parseNumber(cells[column]);
    if (!weight || !std::isfinite(*weight)) {
      return malformed(line, "has no number for " + std::string(shape));
    }
    rows.weights.push_back(*weight);
  }
  if (columns.timecode) {
    const auto time = timecodeOf(cells[*columns.timecode]);
    if (!time) return malformed(line, "has no timecode of the form HH:MM:SS:FF");
    rows.timecodes.push_back(*time);
  } else if (columns.seconds) {
    const auto time = parseNumber(cells[*columns.seconds]);
    if (!time || !std::isfinite(*time)) return malformed(line, "has no time");
    rows.seconds.push_back(*time);
  }
  for (const std::size_t column : columns.head) {
    const auto angle = parseNumber(cells[column]);
    rows.moves_head = rows.moves_head || (angle && *angle != 0.0);
  }
  ++rows.count;
  return {};
}

Result<Rows> readRows(const Columns& columns, std::string_view text, const Limits& limits) {
  Rows rows;
  std::size_t line = 1;
  while (!text.empty()) {
    const std::string_view row = takeLine(text);
    ++line;
    if (trimmed(row).empty()) continue;
    CLIPMILL_CHECK(addRow(columns, cellsOf(row), line, rows));
    const double bytes = static_cast<double>(rows.weights.size()) * kBytesOfWeight;
    if (bytes > static_cast<double>(limits.max_decoded_bytes)) {
      return Error{ErrorCode::kLimit, "line " + std::to_string(line),
                   "needs more memory than --max-decoded-mb allows", "raise --max-decoded-mb"};
    }
  }
  if (rows.count == 0) return malformed(line, "is the last one, and there is no row of weights");
  return rows;
}

// Frames of timecodes are of 60 Hz where any is above the 29th, or the recording is too short to
// show that.
double frameRateOf(const Rows& rows, const ArraySettings& settings, Warnings& warnings) {
  if (settings.array_fps) return *settings.array_fps;
  double last = 0.0;
  for (const Timecode& time : rows.timecodes) last = std::max(last, time.frames);
  const bool lasts_a_second = !rows.timecodes.empty() &&
                              rows.timecodes.back().seconds > rows.timecodes.front().seconds + 1.0;
  if (!rows.timecodes.empty() && lasts_a_second) return last >= kHalfFps ? kUsualFps : kHalfFps;
  if (!rows.seconds.empty()) return kUsualFps;
  warnings.add("face_fps",
               "the table does not show its frame rate; it is assumed to be 60 Hz (set array_fps)",
               "");
  return kUsualFps;
}

// Ascending times from 0 on.
Result<KeyTimes> timesOf(const Rows& rows, double fps) {
  auto times = std::make_shared<std::vector<double>>();
  for (std::size_t r = 0; r < rows.count; ++r) {
    double time_s = static_cast<double>(r) / fps;
    if (!rows.seconds.empty()) time_s = rows.seconds[r] - rows.seconds.front();
    if (!rows.timecodes.empty()) {
      const Timecode &first = rows.timecodes.front(), &at = rows.timecodes[r];
      time_s = at.seconds - first.seconds + (at.frames - first.frames) / fps;
    }
    if (!times->empty() && !(time_s > times->back())) {
      return malformed(r + 2, "is not later than the line before");
    }
    times->push_back(time_s);
  }
  return KeyTimes(std::move(times));
}

// A node and a track for each shape.
void addShapes(const Columns& columns, const Rows& rows, const KeyTimes& times,
               imported::ImportedScene& made, imported::ImportedClip& clip) {
  Skeleton& skeleton = made.scene.skeleton;
  Node root;
  root.name = "Face";
  skeleton.nodes.push_back(root);
  for (std::size_t s = 0; s < columns.shapes.size(); ++s) {
    const int index = static_cast<int>(skeleton.size());
    Node node;
    node.name = columns.shapes[s].second;
    node.parent = 0;
    node.source_id = index;
    skeleton.nodes.push_back(node);
    Expression expression;
    expression.name = node.name;
    expression.is_custom = true;
    expression.weight_node = index;
    made.scene.face.expressions.push_back(std::move(expression));
    Track track{index, TrackPath::kTranslation, Interpolation::kLinear, 3, times, {}};
    for (std::size_t r = 0; r < rows.count; ++r) {
      const double weight = rows.weights[r * columns.shapes.size() + s];
      track.values.insert(track.values.end(), {weight, 0.0, 0.0});
    }
    clip.keys.tracks.push_back(std::move(track));
  }
}

Status loadFaceCsv(Bytes bytes, const LoadOptions& options, Asset& asset) {
  CLIPMILL_TRY(imported::ImportedScene made, readFaceCsv(asText(bytes), asset.path.stem().string(),
                                                         options.arrays, options.limits));
  CLIPMILL_CHECK(imported::checkImported(made));
  imported::fillAsset(std::move(made), options, asset);
  return {};
}

}  // namespace

bool looksLikeFaceCsv(std::string_view text) {
  text = withoutMark(text);
  constexpr std::size_t kMostOfHeader = 1 << 14;
  text = text.substr(0, kMostOfHeader);
  return shapesIn(cellsOf(takeLine(text))) >= kFewestShapes;
}

Result<imported::ImportedScene> readFaceCsv(std::string_view text, const std::string& name,
                                            const ArraySettings& settings, const Limits& limits) {
  text = withoutMark(text);
  const Columns columns = columnsOf(cellsOf(takeLine(text)));
  CLIPMILL_TRY(const Rows rows, readRows(columns, text, limits));
  imported::ImportedScene made;
  made.format = "face weights (CSV)";
  const double fps = frameRateOf(rows, settings, made.scene.warnings);
  CLIPMILL_TRY(const KeyTimes times, timesOf(rows, fps));
  if (rows.moves_head) {
    made.scene.warnings.add("head_rotation_left_out",
                            "the rotation of the head is not read from a table of face weights",
                            name);
  }
  made.scene.face.is_animation = true;
  imported::ImportedClip clip;
  clip.keys.name = name;
  clip.end_s = times->back();
  clip.fps = fps;
  addShapes(columns, rows, times, made, clip);
  made.clips.push_back(std::move(clip));
  return made;
}

FormatType faceCsvFormat() {
  return {"face weights (CSV)", kExtensions,
          [](std::span<const std::byte> bytes, const std::filesystem::path&) {
            return looksLikeFaceCsv(asText(bytes));
          },
          loadFaceCsv};
}

}  // namespace clipmill::io::face_csv
