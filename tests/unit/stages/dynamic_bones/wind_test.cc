// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/dynamic_bones/springs/wind.h"

#include <cmath>
#include <cstdint>

#include "stages/dynamic_bones/dice.h"

using namespace clipmill;
using namespace clipmill::stages::dynamic_bones;
using clipmill::test::Dice;
using clipmill::test::distance;

TEST_SUITE_BEGIN("dynamic_bones.wind");

TEST_CASE("the noise is bounded, smooth, without mean, and not constant") {
  double sum = 0.0, square = 0.0;
  const int count = 100000;
  for (int i = 0; i < count; ++i) {
    const double x = 0.01 * i - 300.0;
    const double y = gradientNoise(7, x);
    CHECK(std::abs(y) <= 1.0);
    CHECK(std::abs(gradientNoise(7, x + 1e-4) - y) < 1e-3);
    sum += y;
    square += y * y;
  }
  CHECK(std::abs(sum / count) < 0.02);
  CHECK(square / count > 0.02);
}

TEST_CASE("the noise is zero at whole numbers and differs by seed") {
  CHECK(gradientNoise(3, -4.0) == 0.0);
  CHECK(gradientNoise(3, 0.4) != gradientNoise(4, 0.4));
  CHECK(gradientNoise(3, 1e300) == 0.0);
  CHECK(gradientNoise(3, std::nan("")) == 0.0);
}

TEST_CASE("wind without noise is its mean, at any position and time") {
  Wind wind;
  wind.mean_mps2 = Vec3(1, 2, 3);
  CHECK(wind.at(Vec3(4, 5, 6), 7.0) == Vec3(1, 2, 3));
  wind.mean_mps2 = Vec3(0);
  wind.noise = 1.0;
  CHECK(wind.at(Vec3(4, 5, 6), 7.0) == Vec3(0));
}

TEST_CASE("gusts drift with the wind, one gust length in one period") {
  Wind wind;
  wind.mean_mps2 = Vec3(0, 0, 5);
  wind.noise = 1.0;
  wind.period_s = 0.5;
  wind.gust_m = 3.0;
  const Vec3 here = wind.at(Vec3(9, 9, 1.0), 0.2);
  CHECK(distance(wind.at(Vec3(0, 0, 1.0 + 3.0), 0.2 + 0.5), here) < 1e-12);
  CHECK(distance(wind.at(Vec3(0, 0, 1.0 + 0.6), 0.2 + 0.1), here) < 1e-12);
  CHECK(distance(wind.at(Vec3(0, 0, 1.0), 0.3), here) > 1e-3);
}

namespace {

// Everything that a wind can have.
Wind fullWind() {
  Wind wind;
  wind.mean_mps2 = Vec3(3, 0.5, -1);
  wind.noise = 0.8;
  wind.period_s = 0.7;
  wind.gust_m = 1.5;
  wind.across_m = 0.9;
  wind.swell = 0.5;
  wind.ripple = 0.6;
  wind.seed = 12;
  return wind;
}

double sizeOf(const Vec3& v) { return std::sqrt(glm::dot(v, v)); }

}  // namespace

TEST_CASE("without fronts, swells, ripples and loops a wind is the sum of three noises") {
  Wind wind;
  wind.mean_mps2 = Vec3(0, 3, 4);
  wind.noise = 0.5;
  wind.period_s = 0.8;
  wind.gust_m = 2.0;
  wind.seed = 9;
  for (int i = 0; i < 200; ++i) {
    const Vec3 position(0.3 * i, 0.1 * i, -0.2 * i);
    const double phase = 0.05 * i / 0.8 - (3.0 * position.y + 4.0 * position.z) / 5.0 / 2.0;
    const Vec3 gust(gradientNoise(27, phase), gradientNoise(28, phase + 1.0 / 3.0),
                    gradientNoise(29, phase + 2.0 / 3.0));
    CHECK(distance(wind.at(position, 0.05 * i), wind.mean_mps2 + gust * 2.5) < 1e-12);
    CHECK(wind.at(position, 0.05 * i, 0.7) == wind.at(position, 0.05 * i));
  }
}

TEST_CASE("a wind's mean over a long time is its mean") {
  const Wind wind = fullWind();
  Vec3 sum(0.0);
  const int count = 200000;
  for (int i = 0; i < count; ++i) sum += wind.at(Vec3(0.2, 1.4, 0.1), 0.05 * i, 1.0);
  // 10 000 s are 14 286 gusts of strength 2.6 and 43 000 ripples.
  CHECK(distance(sum / static_cast<double>(count), wind.mean_mps2) < 0.03);
}

TEST_CASE("gusts and ripples stay within their bounds and use most of their range") {
  const Wind wind = fullWind();
  const double strength = sizeOf(wind.mean_mps2);
  const double bound = strength * (std::sqrt(3.0) * 0.8 * 1.5 + std::sqrt(2.0) * 0.6);
  Dice dice(8);
  double largest = 0.0;
  for (int i = 0; i < 100000; ++i) {
    const Vec3 position = dice.vector() * 20.0;
    const double away = sizeOf(wind.at(position, 500.0 * dice.roll(), 1.0) - wind.mean_mps2);
    CHECK(away <= bound);
    largest = std::max(largest, away);
  }
  CHECK(largest > 0.4 * bound);
}

TEST_CASE("a looped wind gives the same bits one loop later at any position and depth") {
  for (double loop_s : {0.25, 1.0, 2.5, 7.75}) {
    Wind wind = fullWind();
    wind.loop_s = loop_s;
    Dice dice(4);
    for (int i = 0; i < 2000; ++i) {
      const Vec3 position = dice.vector() * 5.0;
      const double time_s = static_cast<double>(dice.below(1u << 20)) * 0x1p-17;
      const Vec3 here = wind.at(position, time_s, 0.8);
      CHECK(wind.at(position, time_s + loop_s, 0.8) == here);
      CHECK(wind.at(position, time_s + 3.0 * loop_s, 0.8) == here);
    }
  }
}

TEST_CASE("a looped wind varies about its mean within its loop") {
  Wind wind = fullWind();
  wind.loop_s = 0.5;  // shorter than a gust
  Vec3 sum(0.0);
  double widest = 0.0;
  for (int i = 0; i < 500; ++i) {
    const Vec3 now = wind.at(Vec3(0.0), 0.001 * i, 1.0);
    sum += now;
    widest = std::max(widest, sizeOf(now - wind.at(Vec3(0.0), 0.0, 1.0)));
  }
  CHECK(widest > 0.1);
  wind.noise = 0.0;
  wind.ripple = 0.0;
  CHECK(wind.at(Vec3(1, 2, 3), 0.3, 1.0) == wind.mean_mps2);
}

TEST_CASE("a noise with a period repeats on both sides of 0, and is smooth where it repeats") {
  const NoiseLine noise(5, 4);
  for (int i = -64; i < 64; ++i) {
    const double x = i / 16.0;
    CHECK(noise.at(x + 4.0) == noise.at(x));
    CHECK(noise.at(x - 12.0) == noise.at(x));
  }
  // At whole numbers the slope is twice the number of the cell, from either side.
  const double h = 1e-4;
  for (double x : {0.0, 4.0, -4.0, 8.0}) {
    CHECK(std::abs(noise.at(x)) == 0.0);
    CHECK(std::abs(noise.at(x + h) + noise.at(x - h)) < 1e-9);
    CHECK(std::abs(noise.at(x + h)) > 1e-6);
  }
  CHECK(NoiseLine(5).at(0.3) == gradientNoise(5, 0.3));
}

TEST_CASE("two derivatives in time and space are continuous, also where a loop closes") {
  for (double loop_s : {0.0, 2.0}) {
    Wind wind = fullWind();
    wind.loop_s = loop_s;
    const auto at = [&](double s) {
      return wind.at(Vec3(0.4, 1.1, -0.3) + Vec3(0.2, 0.7, 0.5) * s, 2.0 + s, 0.5 + 0.1 * s);
    };
    // The largest change of a difference quotient from a step to the next falls with the step.
    const auto worst = [&](double h, bool second) {
      double largest = 0.0;
      for (double s = -0.02; s < 0.02; s += h) {
        const Vec3 first = at(s + h) - at(s), next = at(s + 2 * h) - at(s + h);
        const Vec3 third = (at(s + 3 * h) - at(s + 2 * h)) - next;
        const Vec3 change = second ? (third - (next - first)) / (h * h) : (next - first) / h;
        largest = std::max(largest, sizeOf(change));
      }
      return largest;
    };
    for (bool second : {false, true}) {
      const double coarse = worst(2e-3, second), fine = worst(2.5e-4, second);
      CHECK(coarse > 0.0);
      CHECK(fine < 0.25 * coarse);
    }
  }
}

TEST_CASE(
    "gusts reach lateral positions at other times, and nearby positions at nearly the same time") {
  Wind wind = fullWind();
  wind.ripple = 0.0;
  const Vec3 across = glm::cross(Vec3(0, 1, 0), wind.mean_mps2) / 3.2;
  double apart = 0.0, near = 0.0;
  for (int i = 0; i < 400; ++i) {
    const Vec3 here = wind.at(Vec3(0.0), 0.1 * i);
    apart += sizeOf(wind.at(across * 0.45, 0.1 * i) - here);
    near += sizeOf(wind.at(across * 0.005, 0.1 * i) - here);
  }
  CHECK(apart / 400 > 0.3);
  CHECK(near / 400 < 0.1 * apart / 400);
}

TEST_CASE("ripples run down the chain and grow towards its tip") {
  Wind wind = fullWind();
  wind.noise = 0.0;
  wind.ripple = 1.0;
  const Vec3 position(0.1, 1.2, 0.3);
  const double delay_s = wind.period_s * Wind::kRipplesPerChain / Wind::kRipplesPerGust * 0.5;
  for (int i = 0; i < 50; ++i) {
    const Vec3 middle = wind.at(position, 0.1 * i, 0.5) - wind.mean_mps2;
    const Vec3 tip = wind.at(position, 0.1 * i + delay_s, 1.0) - wind.mean_mps2;
    CHECK(distance(tip, middle * 2.0) < 1e-11);
    CHECK(std::abs(glm::dot(tip, wind.mean_mps2)) < 1e-12);  // across the wind
    CHECK(wind.at(position, 0.1 * i, 0.0) == wind.mean_mps2);
  }
}

TEST_CASE("another seed is another wind, the same seed the same") {
  const Wind wind = fullWind();
  Wind other = wind;
  other.seed = 13;
  int same = 0;
  for (int i = 0; i < 100; ++i) {
    CHECK(wind.at(Vec3(1, 2, 3), 0.1 * i, 1.0) == fullWind().at(Vec3(1, 2, 3), 0.1 * i, 1.0));
    same += wind.at(Vec3(1, 2, 3), 0.1 * i) == other.at(Vec3(1, 2, 3), 0.1 * i);
  }
  CHECK(same == 0);
}

TEST_CASE("a wind evaluated step by step equals that of position and time") {
  const Wind wind = fullWind();
  const WindAt now = wind.at(1.25);
  for (int i = 0; i < 50; ++i) {
    const Vec3 position(0.1 * i, 0.2, -0.1 * i);
    CHECK(now.at(position, 0.4) == wind.at(position, 1.25, 0.4));
  }
}

TEST_CASE("a vertical wind has gusts too, and extreme input gives finite results") {
  Wind wind = fullWind();
  for (double up : {5.0, -5.0}) {
    wind.mean_mps2 = Vec3(0, up, 0);
    const Vec3 here = wind.at(Vec3(0.3, 0.2, 0.1), 0.4, 1.0);
    CHECK(isFinite(here));
    CHECK(distance(here, wind.mean_mps2) > 1e-3);
  }
  const double nan = std::nan("");
  CHECK(isFinite(wind.at(Vec3(nan, 0, 0), 0.4, 1.0)));
  CHECK(isFinite(wind.at(Vec3(1e300, 0, 0), 1e300, 1.0)));
}

TEST_CASE("the noise over the plane is bounded, without mean, and zero at its corners") {
  const NoisePlane noise(5);
  double sum = 0.0, square = 0.0;
  for (int i = 0; i < 300; ++i) {
    for (int j = 0; j < 300; ++j) {
      const double value = noise.at(0.171 * i - 20.0, 0.193 * j - 31.0);
      CHECK(std::abs(value) <= 1.0);
      sum += value;
      square += value * value;
    }
  }
  CHECK(std::abs(sum) / 90000 < 0.02);
  CHECK(square / 90000 > 0.02);
  CHECK(noise.at(-3.0, 7.0) == 0.0);
  CHECK(noise.at(1e300, 0.0) == 0.0);
}

TEST_SUITE_END();
