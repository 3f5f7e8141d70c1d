// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "mesh/tet_motion.h"

#include <bit>
#include <cmath>
#include <limits>

#include "checks.h"
#include "core/to_size.h"

using namespace clipmill;

TEST_SUITE_BEGIN("mesh.tet_motion");

namespace {

constexpr std::size_t kHead = 76;  // up to the clip's name

// One tetrahedron that grows from 1 m to 2 m in two frames.
TetMotion unitTet() {
  TetMotion motion;
  motion.clip = "Run";
  motion.start_s = 0.5;
  motion.end_s = 0.75;
  motion.fps = 30.0;
  motion.rest = {Vec3(0.0), Vec3(1.0, 0.0, 0.0), Vec3(0.0, 1.0, 0.0), Vec3(0.0, 0.0, 1.0)};
  motion.tets = {{0, 1, 2, 3}};
  motion.is_held = {1};
  return motion;
}

std::vector<std::vector<float>> growingFrames() {
  return {{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2}};
}

Bytes fileOf(const TetMotion& motion) {
  auto file = tetMotionFile(motion, growingFrames());
  CHECK_OK(file);
  return std::move(*file);
}

std::uint32_t numberAt(const Bytes& file, std::size_t at, std::size_t bytes) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value |= static_cast<std::uint32_t>(file[at + i]) << (8 * i);
  }
  return value;
}

}  // namespace

TEST_CASE("a file has the documented layout") {
  const Bytes file = fileOf(unitTet());
  // Head, "Run" and a zero, one tetrahedron, one byte and three zeros, 4 corners at 3 times.
  REQUIRE(file.size() == kHead + 4 + 16 + 4 + 3 * 4 * 6);
  CHECK(asText(file).substr(0, 8) == "CLIPTETS");
  CHECK(numberAt(file, 8, 4) == 1);
  CHECK(numberAt(file, 12, 4) == 4);
  CHECK(numberAt(file, 16, 4) == 1);
  CHECK(numberAt(file, 20, 4) == 2);
  CHECK(numberAt(file, 24 + 4, 4) == 0x3fe00000);  // 0.5 as a double: its upper half
  CHECK(asText(file).substr(kHead, 3) == "Run");
  CHECK(numberAt(file, kHead + 4 + 8, 4) == 2);
  CHECK(numberAt(file, kHead + 20, 1) == 1);
}

TEST_CASE("positions are restored within half a step") {
  const Bytes file = fileOf(unitTet());
  const float low = std::bit_cast<float>(numberAt(file, 48, 4));
  const float step = std::bit_cast<float>(numberAt(file, 60, 4));
  CHECK(low == 0.0f);
  CHECK(static_cast<double>(step) == test::nearTo(2.0 / 65535.0, 1e-6));
  const std::size_t positions = kHead + 4 + 16 + 4;
  const auto xOfCornerOne = [&](std::size_t frame) {
    return static_cast<double>(low) +
           static_cast<double>(step) * numberAt(file, positions + frame * 24 + 6, 2);
  };
  for (const auto& [frame, wanted] : {std::pair{0, 1.0}, {1, 1.0}, {2, 2.0}}) {
    CHECK(std::abs(xOfCornerOne(toSize(frame)) - wanted) <= 0.5 * static_cast<double>(step) + 1e-7);
  }
}

TEST_CASE("a file states its content") {
  const auto info = checkTetMotion(fileOf(unitTet()));
  CHECK_OK(info);
  CHECK(info->clip == "Run");
  CHECK(info->corners == 4);
  CHECK(info->tets == 1);
  CHECK(info->frames == 2);
}

TEST_CASE("a truncated, extended or corrupted file is refused") {
  const Bytes file = fileOf(unitTet());
  for (std::size_t size = 0; size < file.size(); ++size) {
    CHECK(!checkTetMotion(std::span(file).first(size)));
  }
  Bytes longer = file;
  longer.push_back(std::byte{0});
  CHECK(!checkTetMotion(longer));
  // Mark, version, the three counts, an infinite rate, the name's length, a corner.
  for (const std::size_t at : {0u, 8u, 12u, 16u, 20u, 15u, 19u, 23u, 72u, 75u, 80u, 83u}) {
    CAPTURE(at);
    Bytes changed = file;
    changed[at] = std::byte{0xee};
    const auto info = checkTetMotion(changed);
    REQUIRE(!info);
    CHECK(info.error().code == ErrorCode::kMalformed);
  }
  Bytes endless = file;
  for (const std::size_t at : {46u, 47u}) endless[at] = std::byte{0xff};
  CHECK(!checkTetMotion(endless));
}

TEST_CASE("a motion that cannot be written is refused") {
  TetMotion motion = unitTet();
  motion.rest[1].x = std::numeric_limits<double>::infinity();
  CHECK(!tetMotionFile(motion, growingFrames()));
  CHECK(!tetMotionFile(unitTet(), std::vector<std::vector<float>>{{1.0f, 2.0f}}));
  auto frames = growingFrames();
  frames[1][4] = std::numeric_limits<float>::quiet_NaN();
  CHECK(!tetMotionFile(unitTet(), frames));
}

TEST_CASE("a motion within a plane has steps of zero across it") {
  TetMotion motion = unitTet();
  for (Vec3& position : motion.rest) position.z = 3.0;
  const std::vector<std::vector<float>> frames = {{0, 0, 3, 1, 0, 3, 0, 1, 3, 0, 0, 3}};
  const auto file = tetMotionFile(motion, frames);
  CHECK_OK(file);
  CHECK(numberAt(*file, 56, 4) == std::bit_cast<std::uint32_t>(3.0f));
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(numberAt(*file, kHead + 24 + 6 * i + 4, 2) == 0);
  }
}

TEST_SUITE_END();
