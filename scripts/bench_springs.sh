#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Springs of VRM files: clipmill and @pixiv/three-vrm-springbone, in alternating rounds on the same
# scene: 100 chains of 10 joints, 8 colliders, 1000 frames at 60 Hz. One thread each, simulation
# only, wall time; the library is not modified. It is run by springbone_bench.mjs in the folder
# named by CLIPMILL_PEERS, or ../shared/peers beside the project.
#   scripts/bench_springs.sh [ROUNDS]
set -euo pipefail
cd "$(dirname "$0")/.."
rounds=${1:-5}
peer=${CLIPMILL_PEERS:-../shared/peers}/springbone_bench.mjs
if [ ! -f "$peer" ] || ! command -v npm >/dev/null; then
  echo 'skipped: needs springbone_bench.mjs (set CLIPMILL_PEERS to its folder), node and npm'
  exit 0
fi
cmake --preset release >/dev/null
cmake --build --preset release --target clipmill_bench -- --quiet

modules=build/springs
mkdir -p "$modules"
[ -d "$modules/node_modules/three" ] ||
  npm install --prefix "$modules" --no-audit --no-fund --no-package-lock --loglevel=error \
    three@0.187.0 @pixiv/three-vrm-springbone@3.5.5 >/dev/null

# bench NAME MEMBER: one number of one of our benchmarks.
bench() {
  build/release/tests/bench/clipmill_bench --benchmark_filter="$1" --benchmark_format=json \
    2>/dev/null | python3 -c "import json, sys; print(json.load(sys.stdin)['benchmarks'][0]['$2'])"
}
theirs() {
  PEER_MODULES="$PWD/$modules/node_modules" node "$peer" 100 10 8 1000 60 3 --json |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["joint_steps_per_s"])'
}
for ((round = 0; round < rounds; ++round)); do
  echo "$(bench 'vrm_springs/colliders:8/real_time' items_per_second)" \
    "$(bench 'bake_of_peer_scene/rod:1/report:0/real_time' real_time)" \
    "$(bench 'bake_of_peer_scene/rod:1/report:1/real_time' real_time)" "$(theirs)"
done | python3 -c '
import statistics, sys
JOINT_STEPS = 1e6  # of the clip at 60 Hz
rounds = [tuple(map(float, line.split())) for line in sys.stdin]
for steps, bake_ms, stage_ms, other in rounds:
    plays_ms = 1e3 * JOINT_STEPS / other
    print(f"vrm1 {steps / 1e6:6.2f} M joint steps/s, three-vrm {other / 1e6:5.3f} M, "
          f"ratio {steps / other:5.1f}; rod bakes in {bake_ms:5.0f} ms "
          f"({stage_ms:5.0f} with its report), three-vrm plays {plays_ms:5.0f} ms")
print(f"median ratio of vrm1 {statistics.median(a / d for a, b, c, d in rounds):.1f},"
      f" of rod {statistics.median(1e9 / d / b for a, b, c, d in rounds):.2f}"
      f" ({statistics.median(1e9 / d / c for a, b, c, d in rounds):.2f} with its report)")'
