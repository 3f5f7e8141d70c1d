// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "core/float_text.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include "checks.h"
#include "platform.h"

TEST_SUITE_BEGIN("core.float_text");

using namespace clipmill;

namespace {

template <class Float>
void checkShortest(Float value) {
  const std::string text = by_c_library::shortestText(value);
  if (text == shortestText(value)) return;
  CHECK(text == shortestText(value));
}

}  // namespace

TEST_CASE("The shortest text of a number is the same by the C library") {
  std::mt19937_64 random(5);
  for (int i = 0; i < 30000; ++i) {
    checkShortest(std::bit_cast<double>(random()));
    checkShortest(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
    // Numbers as settings and files have them.
    checkShortest(static_cast<double>(random() % 2000000) / 1000.0);
    checkShortest(
        std::ldexp(static_cast<double>(random() % 1000), static_cast<int>(random() % 80)));
  }
}

TEST_CASE("At powers of two, where numbers below are nearer, the shortest text is the same") {
  // Its C library does not round all numbers to the nearest, and is not used there.
  if (test::kIsWindows) return;
  for (int power = -1074; power < 1024; ++power) checkShortest(std::ldexp(1.0, power));
  for (int power = -149; power < 128; ++power) checkShortest(std::ldexp(1.0f, power));
}

TEST_CASE("Zero, infinity and the largest numbers have the same text by the C library") {
  using Limits = std::numeric_limits<double>;
  for (const double value :
       {0.0, -0.0, Limits::infinity(), -Limits::infinity(), Limits::max(), Limits::min(),
        Limits::denorm_min(), -Limits::max(), 100000.0, 1e5, 1e16, 1e22, 123456789012345680.0}) {
    checkShortest(value);
    for (const int digits : {0, 1, 3, 9, 17}) {
      CHECK(by_c_library::fixedDigitsText(value, digits) == fixedDigitsText(value, digits));
      CHECK(by_c_library::significantDigitsText(value, digits) ==
            significantDigitsText(value, digits));
    }
  }
}

TEST_CASE("Text is read as the same number by the C library, up to the same character") {
  for (const std::string_view text : {"0",
                                      "-0",
                                      "1.5",
                                      "-1.5e3",
                                      "1e",
                                      "1e+",
                                      "1e-5x",
                                      ".5",
                                      "5.",
                                      ".",
                                      "-",
                                      "",
                                      "+1",
                                      " 1",
                                      "0x10",
                                      "inf",
                                      "-Infinity",
                                      "nan",
                                      "infinite",
                                      "1e400",
                                      "-1e400",
                                      "1e-400",
                                      "4.9e-324",
                                      "1,5",
                                      "1_000",
                                      "179769313486231580793728971405301e276",
                                      "12345678901234567890123",
                                      "--1",
                                      "1.2.3",
                                      "e5",
                                      "0e999",
                                      "0.000000000000000000000000000000000001e-310"}) {
    CAPTURE(text);
    double expected = -7.0, read = -7.0;
    const auto by_library = readFloat(text, expected);
    const auto by_c = by_c_library::readFloat(text, read);
    CHECK(by_c.ec == by_library.ec);
    CHECK(by_c.ptr - text.data() == by_library.ptr - text.data());
    if (by_c.ec == std::errc()) {
      CHECK(std::isnan(read) == std::isnan(expected));
      if (!std::isnan(expected)) {
        CHECK(std::bit_cast<std::uint64_t>(read) == std::bit_cast<std::uint64_t>(expected));
      }
    }
  }
}
