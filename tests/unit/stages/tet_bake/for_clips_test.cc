// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "stages/tet_bake/for_clips.h"

#include <mutex>
#include <vector>

#include "checks.h"

using clipmill::stages::tet_bake::forClips;

namespace {

struct Call {
  std::size_t clip;
  int threads;
  bool operator==(const Call&) const = default;
};

std::vector<Call> callsOf(const std::vector<std::size_t>& start, int threads) {
  std::vector<Call> calls;
  std::mutex guard;
  forClips(start, threads, [&](std::size_t clip, int own) {
    const std::scoped_lock lock(guard);
    calls.push_back({clip, own});
  });
  return calls;
}

}  // namespace

TEST_SUITE_BEGIN("tet_bake.for_clips");

TEST_CASE("The longest clip goes first, equal ones in their order, each on one thread") {
  const std::vector<Call> expected = {{2, 1}, {0, 1}, {1, 1}, {3, 1}};
  CHECK(callsOf({0, 10, 20, 40, 45}, 1) == expected);
}

TEST_CASE("Every clip is worked on once, whatever the number of threads") {
  for (const int threads : {1, 2, 8}) {
    std::vector<int> visits(4, 0);
    for (const Call& call : callsOf({0, 10, 20, 40, 45}, threads)) ++visits[call.clip];
    CHECK(visits == std::vector<int>(4, 1));
  }
}

TEST_CASE("A clip that is longer than the share of a thread gets all threads") {
  const std::vector<Call> expected = {{1, 2}, {0, 2}};
  CHECK(callsOf({0, 10, 30}, 2) == expected);
  for (const Call& call : callsOf({0, 15, 30}, 2)) CHECK(call.threads == 1);
}

TEST_CASE("Nothing is done without clips") { CHECK(callsOf({0}, 2).empty()); }
