#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Springs of VRM files: clipmill and @pixiv/three-vrm-springbone, in alternating rounds on the same
# scene: 100 chains of 10 joints, 8 colliders, 1000 frames at 60 Hz. Simulation only, wall time; one
# thread where nothing else is stated (the library has one). The library is not modified; it is run
# by springbone_bench.mjs in the folder named by CLIPMILL_PEERS, or ../shared/peers beside the
# project.
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
bake() { bench "bake_of_peer_scene/rod:1/report:$1/threads:$2/real_time" real_time; }
for ((round = 0; round < rounds; ++round)); do
  echo "$(bench 'vrm_springs/colliders:8/real_time' items_per_second)" "$(theirs)" \
    "$(bake 0 1)" "$(bake 1 1)" "$(bake 0 2)" "$(bake 1 2)"
done | python3 -c '
import statistics, sys
JOINT_STEPS = 1e6  # of the clip at 60 Hz
BAKES = ("rod", "rod with its report", "rod, two threads", "rod with its report, two threads")
ratios = {}
for line in sys.stdin:
    steps_per_s, other_per_s, *bakes_ms = map(float, line.split())
    plays_ms = 1e3 * JOINT_STEPS / other_per_s
    row = {"vrm1": steps_per_s / other_per_s}
    row.update({name: plays_ms / ms for name, ms in zip(BAKES, bakes_ms)})
    print(f"three-vrm plays {plays_ms:.0f} ms;",
          ", ".join(f"{name} {ratio:.2f} times as fast" for name, ratio in row.items()))
    for name, ratio in row.items():
        ratios.setdefault(name, []).append(ratio)
for name, values in ratios.items():
    middle = statistics.median(values)
    print(f"{name}: median {middle:.2f}, {min(values):.2f} to {max(values):.2f}")'
