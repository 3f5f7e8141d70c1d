// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/self_collision/exact/smooth_envelope.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "checks.h"

TEST_SUITE_BEGIN("self_collision.smooth_envelope");

using namespace clipmill::stages::self_collision;

namespace {

// Numbers in 0..1 that repeat from run to run.
class Noise {
 public:
  double next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state_ >> 40) / static_cast<double>(1ULL << 24);
  }

 private:
  std::uint64_t state_ = 7;
};

}  // namespace

TEST_CASE("the envelope never falls below what is required") {
  Noise noise;
  for (const bool is_cycle : {false, true}) {
    for (int run = 0; run < 50; ++run) {
      std::vector<double> required(97, 0.0);
      for (double& value : required) value = noise.next() < 0.8 ? 0.0 : noise.next();
      required.back() = required.front();
      const auto envelope = clipmill::stages::self_collision::smoothEnvelope(
          required, 1.0 / 60.0, 0.02 + 0.3 * noise.next(), is_cycle);
      for (std::size_t i = 0; i < required.size(); ++i) CHECK(envelope[i] >= required[i]);
    }
  }
}

TEST_CASE("an impulse becomes one bump, and nothing an ease away from it") {
  std::vector<double> required(101, 0.0);
  required[50] = 2.0;
  const double step_s = 0.01, ease_s = 0.1;
  const auto envelope =
      clipmill::stages::self_collision::smoothEnvelope(required, step_s, ease_s, false);
  for (std::size_t i = 0; i < required.size(); ++i) {
    const double away_s = std::abs(static_cast<double>(i) - 50.0) * step_s;
    const double cosine = away_s < ease_s ? std::cos(0.5 * clipmill::kPi * away_s / ease_s) : 0.0;
    const double bump = 2.0 * cosine * cosine * cosine * cosine;
    CHECK(std::abs(envelope[i] - bump) < 0.003 * 2.0);
    if (away_s > ease_s + 1e-9) CHECK(envelope[i] == 0.0);
  }
}

TEST_CASE("where something is required for long, little more is given") {
  std::vector<double> required(201, 0.0);
  for (std::size_t i = 60; i <= 140; ++i) required[i] = 1.0;
  const auto envelope =
      clipmill::stages::self_collision::smoothEnvelope(required, 0.01, 0.2, false);
  for (std::size_t i = 0; i < required.size(); ++i) {
    CHECK(envelope[i] >= required[i]);
    CHECK(envelope[i] <= 1.35);
  }
  CHECK(envelope[100] == clipmill::test::nearTo(1.0, 0.1));
  CHECK(envelope[39] == 0.0);
}

TEST_CASE("a constant requirement is a constant envelope") {
  const std::vector<double> required(31, 0.7);
  for (const double value :
       clipmill::stages::self_collision::smoothEnvelope(required, 0.02, 0.2, false)) {
    CHECK(value == doctest::Approx(0.7));
  }
}

TEST_CASE("a cycle has the same envelope on both sides of its seam") {
  std::vector<double> required(61, 0.0);
  required[2] = 1.0;
  const auto envelope = clipmill::stages::self_collision::smoothEnvelope(required, 0.02, 0.1, true);
  CHECK(envelope.front() == envelope.back());
  CHECK(envelope[59] > 0.0);
  for (std::size_t k = 1; k < 5; ++k) {
    CHECK(envelope[2 + k] == doctest::Approx(envelope[(2 + 60 - k) % 60]));
  }
  CHECK(clipmill::stages::self_collision::smoothEnvelope(required, 0.02, 0.1, false)[59] == 0.0);
}

TEST_CASE("the envelope of the same requirement is nearly the same at any rate") {
  const auto required = [](double time_s) { return time_s >= 0.8 && time_s <= 1.2 ? 1.0 : 0.0; };
  const auto sampled = [&](double rate) {
    std::vector<double> values;
    for (int i = 0; i <= static_cast<int>(2.0 * rate); ++i) values.push_back(required(i / rate));
    return clipmill::stages::self_collision::smoothEnvelope(values, 1.0 / rate, 0.2, false);
  };
  const auto coarse = sampled(60.0), fine = sampled(240.0);
  for (std::size_t i = 0; i < coarse.size(); ++i) {
    CHECK(coarse[i] == clipmill::test::nearTo(fine[4 * i], 0.08).scale(1.0));
  }
}

TEST_CASE("no samples and no time to ease in give the requirement itself") {
  CHECK(clipmill::stages::self_collision::smoothEnvelope({}, 0.01, 0.1, false).empty());
  const std::vector<double> required = {0.0, 1.0, 0.0};
  CHECK(clipmill::stages::self_collision::smoothEnvelope(required, 0.01, 0.0, true) == required);
  CHECK(clipmill::stages::self_collision::smoothEnvelope(std::vector<double>{0.5}, 0.01, 0.1,
                                                         true) == std::vector<double>{0.5});
}
