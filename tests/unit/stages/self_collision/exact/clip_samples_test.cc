// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/clip_samples.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "checks.h"
#include "core/to_size.h"

TEST_SUITE_BEGIN("self_collision.clip_samples");

using namespace clipmill;
using namespace clipmill::stages::self_collision;
using namespace clipmill::stages::self_collision;

namespace {

std::vector<bool> marks(const char* text) {
  std::vector<bool> found;
  for (; *text; ++text) found.push_back(*text == 'x');
  return found;
}

}  // namespace

TEST_CASE("runs that are nearer than the gap are one window") {
  const auto marked = marks("..xx.x....xx..");
  CHECK(findWindows(marked, 0.1, 0.05, false) == std::vector<Window>{{2, 3}, {5, 5}, {10, 11}});
  CHECK(findWindows(marked, 0.1, 0.25, false) == std::vector<Window>{{2, 5}, {10, 11}});
  CHECK(findWindows(marked, 0.1, 0.6, false) == std::vector<Window>{{2, 11}});
  CHECK(findWindows(marks("...."), 0.1, 1.0, false).empty());
}

TEST_CASE("a window of a cycle crosses the seam") {
  const auto marked = marks("xx......xx");  // the last sample is the first
  CHECK(findWindows(marked, 0.1, 0.05, false) == std::vector<Window>{{0, 1}, {8, 9}});
  const auto around = findWindows(marked, 0.1, 0.05, true);
  CHECK(around == std::vector<Window>{{8, 10}});
  CHECK(samplesOf(around[0], marked.size()) == std::vector<std::size_t>{8, 9, 1});
  CHECK(findWindows(marks("xxxx"), 0.1, 0.05, true) == std::vector<Window>{{0, 2}});
}

// A mark at the last sample of a cycle only once made a window without marked samples.
TEST_CASE("each window of a cycle has the marked samples of the moment at its seam") {
  const auto marked = [](const char* text) {
    const auto flags = marks(text);
    std::vector<std::vector<std::size_t>> samples;
    for (const Window& window : findWindows(flags, 0.1, 0.05, true)) {
      samples.push_back(markedSamplesOf(window, flags));
    }
    return samples;
  };
  using Samples = std::vector<std::vector<std::size_t>>;
  CHECK(marked("....x") == Samples{{4}});
  CHECK(marked("x....") == Samples{{0}});
  CHECK(marked("x...x") == Samples{{0}});
  CHECK(marked(".xx.x") == Samples{{4, 1, 2}});
  CHECK(marked("xx.x.") == Samples{{3, 0, 1}});
  CHECK(marked(".x...x.x") == Samples{{7, 1}, {5}});
  CHECK(marked("x") == Samples{{0}});
  CHECK(marked(".x") == Samples{{1}});
  for (unsigned bits = 0; bits < 1u << 7; ++bits) {
    std::string text;
    for (int i = 0; i < 7; ++i) text += bits >> i & 1u ? 'x' : '.';
    std::size_t found = 0;
    for (const auto& samples : marked(text.c_str())) {
      CHECK_FALSE(samples.empty());
      found += samples.size();
    }
    const std::size_t all = toSize(std::count(text.begin(), text.end(), 'x'));
    CHECK(found == all - (text.front() == 'x' && text.back() == 'x' ? 1 : 0));
  }
}

TEST_CASE(
    "the jerk of a constant rotation speed is 0, and that of a swing is its third derivative") {
  constexpr double kRate = 120.0, kSpeed = 3.0, kSwing = 0.4;
  std::vector<Quat> steady, swing;
  for (int i = 0; i <= 480; ++i) {
    const double time_s = i / kRate;
    steady.push_back(rotationAbout(Vec3(0, 1, 0), 2.0 * time_s));
    swing.push_back(rotationAbout(Vec3(1, 0, 0), kSwing * std::sin(kSpeed * time_s)));
  }
  CHECK(rmsJerk_radps3(steady, kRate) < 1e-6);
  // d3/dt3 of a sin(w t) is -a w^3 cos(w t); 12 radians are nearly four half waves.
  CHECK(rmsJerk_radps3(swing, kRate) ==
        test::nearTo(kSwing * kSpeed * kSpeed * kSpeed / std::sqrt(2.0), 0.03));
  CHECK(rmsJerk_radps3(std::span(swing).first(3), kRate) == 0.0);
}

TEST_CASE("the jerk by chords has the speed of a rotation too, and no sign of its quaternions") {
  constexpr double kRate = 120.0, kSpeed = 3.0, kSwing = 0.02;
  std::vector<Quat> steady, swing;
  for (int i = 0; i <= 480; ++i) {
    const double time_s = i / kRate;
    const Quat rotation = rotationAbout(Vec3(0, 1, 0), kSpeed * time_s);
    steady.push_back(i % 3 == 0 ? -rotation : rotation);
    swing.push_back(rotationAbout(Vec3(1, 0, 0), kSwing * std::sin(kSpeed * time_s)));
  }
  // Twice the third derivative of a point that goes round with half of the angle.
  CHECK(rmsQuaternionJerk_radps3(steady, kRate) ==
        test::nearTo(0.25 * kSpeed * kSpeed * kSpeed, 1e-3));
  // Of small rotations both are the same.
  CHECK(rmsQuaternionJerk_radps3(swing, kRate) ==
        test::nearTo(rmsJerk_radps3(swing, kRate), 1e-3 * rmsJerk_radps3(swing, kRate)));
  CHECK(rmsQuaternionJerk_radps3(std::span(swing).first(3), kRate) == 0.0);
}
