// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "mesh/tet_motion.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/text.h"
#include "core/to_size.h"

namespace clipmill {
namespace {

constexpr std::string_view kMark = "CLIPTETS";
constexpr std::uint32_t kVersion = 1;
constexpr double kMaxBytes = 2e9;
constexpr double kMaxSteps = 65535.0;
constexpr std::size_t kBytesPerPosition = 3 * sizeof(std::uint16_t);
constexpr std::size_t kBytesPerTet = 4 * sizeof(std::uint32_t) + 1;
constexpr std::size_t kMaxName = 4096;

// Appends numbers, little-endian.
class Writer {
 public:
  template <class Integer>
  void integer(Integer value) {
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
      bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
    }
  }
  void number(float value) { integer(std::bit_cast<std::uint32_t>(value)); }
  void number(double value) { integer(std::bit_cast<std::uint64_t>(value)); }
  void text(std::string_view text) {
    for (const char c : text) bytes_.push_back(static_cast<std::byte>(c));
  }
  void fillUp() {
    while (bytes_.size() % 4 != 0) bytes_.push_back(std::byte{0});
  }
  void reserve(std::size_t size) { bytes_.reserve(size); }
  Bytes take() { return std::move(bytes_); }

 private:
  Bytes bytes_;
};

// Reads them back; past the end come zeros, and `is_whole` reports it.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class Integer>
  Integer integer() {
    Integer value = 0;
    for (std::size_t i = 0; i < sizeof(Integer); ++i) {
      value = static_cast<Integer>(value |
                                   static_cast<Integer>(static_cast<Integer>(next()) << (8 * i)));
    }
    return value;
  }
  float single() { return std::bit_cast<float>(integer<std::uint32_t>()); }
  double number() { return std::bit_cast<double>(integer<std::uint64_t>()); }
  std::string text(std::size_t length) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += static_cast<char>(next());
    return text;
  }
  void skipFill() {
    while (at_ % 4 != 0) next();
  }
  void skip(std::size_t count) { at_ += count; }
  std::size_t at() const { return at_; }
  bool isWhole() const { return at_ <= bytes_.size(); }

 private:
  std::uint8_t next() {
    const std::size_t at = at_++;
    return at < bytes_.size() ? static_cast<std::uint8_t>(bytes_[at]) : std::uint8_t{0};
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

// The numbers that positions are written as.
struct Steps {
  std::array<float, 3> low{}, step{};

  std::uint16_t of(double position, std::size_t axis) const {
    const double size = static_cast<double>(step[axis]);
    if (!(size > 0.0)) return 0;
    const double steps = (position - static_cast<double>(low[axis])) / size;
    return static_cast<std::uint16_t>(std::floor(std::clamp(steps, 0.0, kMaxSteps) + 0.5));
  }
};

using Frames = std::span<const std::vector<float>>;

bool isFinite(const TetMotion& motion, Frames frames) {
  for (const Vec3& position : motion.rest) {
    if (!std::isfinite(position.x + position.y + position.z)) return false;
  }
  for (const std::vector<float>& frame : frames) {
    if (frame.size() != 3 * motion.rest.size()) return false;
    for (const float number : frame) {
      if (!std::isfinite(number)) return false;
    }
  }
  return motion.is_held.size() == motion.tets.size();
}

Steps stepsOf(const TetMotion& motion, Frames frames) {
  Steps steps;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    const auto add = [&](double position) {
      low = std::min(low, position);
      high = std::max(high, position);
    };
    for (const Vec3& position : motion.rest) add(position[static_cast<int>(axis)]);
    for (const std::vector<float>& frame : frames) {
      for (std::size_t i = axis; i < frame.size(); i += 3) add(static_cast<double>(frame[i]));
    }
    if (!(low <= high)) continue;
    steps.low[axis] = static_cast<float>(low);
    // A last digit that single precision rounds down would be out of reach of its own step.
    const double range = high - static_cast<double>(steps.low[axis]);
    steps.step[axis] = std::nextafter(static_cast<float>(range / kMaxSteps),
                                      std::numeric_limits<float>::infinity());
  }
  return steps;
}

double sizeOf(const TetMotion& motion, std::size_t frames) {
  return static_cast<double>(motion.tets.size() * kBytesPerTet + motion.clip.size()) +
         static_cast<double>(motion.rest.size() * kBytesPerPosition) *
             static_cast<double>(frames + 1);
}

void writeHead(const TetMotion& motion, std::size_t frames, const Steps& steps, Writer& writer) {
  writer.text(kMark);
  writer.integer(kVersion);
  for (const std::size_t count : {motion.rest.size(), motion.tets.size(), frames}) {
    writer.integer(static_cast<std::uint32_t>(count));
  }
  for (const double number : {motion.start_s, motion.end_s, motion.fps}) writer.number(number);
  for (const float low : steps.low) writer.number(low);
  for (const float step : steps.step) writer.number(step);
  const std::string_view name = std::string_view(motion.clip).substr(0, kMaxName);
  writer.integer(static_cast<std::uint32_t>(name.size()));
  writer.text(name);
  writer.fillUp();
}

Error malformed(const char* what) {
  return {ErrorCode::kMalformed, "", what, "give a file that tet-bake wrote with keep_tets"};
}

}  // namespace

Result<Bytes> tetMotionFile(const TetMotion& motion, Frames frames) {
  const double size = sizeOf(motion, frames.size());
  if (size > kMaxBytes) {
    return Error{ErrorCode::kLimit, "clip " + motion.clip,
                 "has tetrahedra for a file of " + fixedText(size / 1e6, 0) + " MB",
                 "choose a lower --fps or fewer tetrahedra, or leave keep_tets off"};
  }
  if (!isFinite(motion, frames)) {
    return Error{ErrorCode::kInternal, "clip " + motion.clip,
                 "has tetrahedra without positions, or with positions that are not finite", ""};
  }
  const Steps steps = stepsOf(motion, frames);
  Writer writer;
  writer.reserve(toSize(size) + kMaxName);
  writeHead(motion, frames.size(), steps, writer);
  for (const auto& tet : motion.tets) {
    for (const std::uint32_t corner : tet) writer.integer(corner);
  }
  for (const char is_held : motion.is_held) writer.integer<std::uint8_t>(is_held ? 1 : 0);
  writer.fillUp();
  for (const Vec3& position : motion.rest) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      writer.integer(steps.of(position[static_cast<int>(axis)], axis));
    }
  }
  for (const std::vector<float>& frame : frames) {
    for (std::size_t i = 0; i < frame.size(); ++i) {
      writer.integer(steps.of(static_cast<double>(frame[i]), i % 3));
    }
  }
  return writer.take();
}

Result<TetMotionInfo> checkTetMotion(std::span<const std::byte> file) {
  Reader reader(file);
  if (reader.text(kMark.size()) != kMark || reader.integer<std::uint32_t>() != kVersion) {
    return malformed("is no file of tetrahedra in a clip");
  }
  TetMotionInfo info;
  info.corners = reader.integer<std::uint32_t>();
  info.tets = reader.integer<std::uint32_t>();
  info.frames = reader.integer<std::uint32_t>();
  bool is_finite = true;
  for (int i = 0; i < 3; ++i) is_finite = is_finite && std::isfinite(reader.number());
  for (int i = 0; i < 6; ++i) is_finite = is_finite && std::isfinite(reader.single());
  const std::size_t name = reader.integer<std::uint32_t>();
  if (!is_finite || name > kMaxName || !reader.isWhole()) {
    return malformed("is damaged at its start");
  }
  info.clip = reader.text(name);
  reader.skipFill();
  // Counts of 32 bits: products of them and a few bytes fit 64 bits, but for frames times corners.
  const std::size_t tet_bytes = (info.tets * kBytesPerTet + 3) / 4 * 4;
  const double position_bytes = static_cast<double>(info.corners * kBytesPerPosition) *
                                (static_cast<double>(info.frames) + 1.0);
  const double whole = static_cast<double>(reader.at() + tet_bytes) + position_bytes;
  if (whole != static_cast<double>(file.size()))
    return malformed("has another length than its header states");
  if (info.frames == 0) return malformed("has no frames");
  for (std::size_t i = 0; i < 4 * info.tets; ++i) {
    if (reader.integer<std::uint32_t>() >= info.corners) {
      return malformed("has a tetrahedron with a corner that does not exist");
    }
  }
  return info;
}

}  // namespace clipmill
