// SPDX-FileCopyrightText: 2026 the clipmill authors
// SPDX-License-Identifier: MIT
#include "anim/key_reduction.h"
#include "anim/make_motion.h"
#include "anim/reduction_checks.h"
#include "checks.h"
#include "core/to_size.h"

TEST_SUITE_BEGIN("anim.constant_keys");

using namespace clipmill;
using namespace clipmill::test;

namespace {

// The tip of a chain swings; all else trembles by `noise` about the rest pose.
Motion makeTremble(const Skeleton& skeleton, double noise) {
  Motion motion = makeSwing(skeleton, 90, 0.0, 2);
  MotionNoise random{std::mt19937(5)};
  for (std::size_t frame = 0; frame < motion.grid.frame_count; ++frame) {
    for (int node = 0; node + 1 < static_cast<int>(skeleton.size()); ++node) {
      Transform& local = localAt(motion, frame, node);
      const Transform& rest = skeleton.nodes[toSize(node)].rest;
      local = {rest.translation + random.vec(noise),
               normalizedOrIdentity(rest.rotation * random.rotation(noise)),
               rest.scale + random.vec(noise)};
    }
  }
  setAllModified(motion, {TrackPath::kTranslation, TrackPath::kRotation, TrackPath::kScale});
  return motion;
}

}  // namespace

TEST_CASE("Tracks that tremble less than the tolerance have one key, the rest pose") {
  const Skeleton skeleton = makeChain(4);
  const Motion motion = makeTremble(skeleton, 1e-6);
  checkReduction(skeleton, motion, 1e-3, 0.2);
  const ReducedKeys reduced = reduceWithReach(skeleton, motion, 1e-3, 0.2);
  for (const Track& track : reduced.tracks) {
    if (track.node == 3 && track.path == TrackPath::kRotation) continue;
    REQUIRE(track.times_s->size() == 1);
    const Transform& rest = skeleton.nodes[toSize(track.node)].rest;
    if (track.path == TrackPath::kRotation) {
      CHECK(quatAt(track.values.data()) == rest.rotation);
    } else {
      const Vec3 value(track.values[0], track.values[1], track.values[2]);
      CHECK(value == (track.path == TrackPath::kScale ? rest.scale : rest.translation));
    }
  }
}

TEST_CASE("A clip in which nothing moves keeps its length") {
  const Skeleton skeleton = makeChain(2);
  Motion motion = makeMotion(skeleton, 30);
  setAllModified(motion, {TrackPath::kTranslation, TrackPath::kRotation});
  const ReducedKeys reduced = reduceWithReach(skeleton, motion, 1e-3, 0.2);
  CHECK(reduced.keys_after == 5);
  CHECK(reduced.tracks[0].times_s->back() == motion.grid.end_s);
}

TEST_SUITE_END();
