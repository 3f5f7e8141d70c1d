// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/stage_motions.h"

#include <stdexcept>
#include <vector>

#include "checks.h"
#include "core/parallel.h"

TEST_SUITE_BEGIN("pipeline.stage_motions");

namespace {

using namespace clipmill;
using namespace clipmill::stages;

std::vector<Motion> motionsOf(std::size_t count) {
  std::vector<Motion> motions(count);
  for (std::size_t i = 0; i < count; ++i) {
    motions[i].clip_index = static_cast<int>(i);
    motions[i].locals.resize(3);
  }
  return motions;
}

}  // namespace

TEST_CASE("A motion that may only be read is copied when it is taken, and stays") {
  const std::vector<Motion> motions = motionsOf(2);
  const StageMotions read_only(motions);
  CHECK(read_only.take(1).locals.size() == 3);
  CHECK(read_only.take(1).clip_index == 1);
  CHECK(read_only[1].locals.size() == 3);
}

TEST_CASE("A motion that may be taken is moved, and the others can be read") {
  std::vector<Motion> motions = motionsOf(3);
  const Transform* numbers = motions[1].locals.data();
  const StageMotions to_take = StageMotions::toTake(motions);
  const Motion taken = to_take.take(1);
  CHECK(taken.locals.data() == numbers);
  CHECK(to_take[0].locals.size() == 3);
  CHECK(to_take[2].clip_index == 2);
}

TEST_CASE("A motion that was taken can neither be read nor taken again") {
  std::vector<Motion> motions = motionsOf(2);
  const StageMotions to_take = StageMotions::toTake(motions);
  const StageMotions same = to_take;
  static_cast<void>(to_take.take(0));
  CHECK_THROWS_AS(static_cast<void>(to_take[0]), std::logic_error);
  CHECK_THROWS_AS(static_cast<void>(same[0]), std::logic_error);
  CHECK_THROWS_AS(static_cast<void>(to_take.take(0)), std::logic_error);
  CHECK_THROWS_AS(static_cast<void>(std::span<const Motion>(to_take)), std::logic_error);
  CHECK_THROWS_AS(for (const Motion& motion
                       : to_take) static_cast<void>(motion.clip_index),
                  std::logic_error);
}

TEST_CASE("Motions that were handed out all at once are copied from then on") {
  std::vector<Motion> motions = motionsOf(2);
  const StageMotions to_take = StageMotions::toTake(motions);
  const std::span<const Motion> all = to_take;
  CHECK(to_take.take(0).locals.size() == 3);
  CHECK(all[0].locals.size() == 3);
  CHECK(to_take[0].locals.size() == 3);
}

TEST_CASE("Each motion is read and taken once by any number of threads") {
  for (int threads : {1, 4}) {
    std::vector<Motion> motions = motionsOf(64);
    const StageMotions to_take = StageMotions::toTake(motions);
    std::vector<Motion> taken(64);
    parallelFor(64, 1, threads, [&](std::size_t i, std::size_t) {
      if (to_take[i].clip_index == static_cast<int>(i)) taken[i] = to_take.take(i);
    });
    for (std::size_t i = 0; i < 64; ++i) CHECK(taken[i].clip_index == static_cast<int>(i));
    for (const Motion& motion : taken) CHECK(motion.locals.size() == 3);
  }
}

TEST_SUITE_END();
