#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds and runs the benchmarks. Arguments go to the benchmark program, e.g.
#   scripts/bench.sh --benchmark_filter=spring
# Without arguments the whole process is measured too, against FBX2glTF where scripts/interop.sh has
# installed it.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh build
cmake --preset release >/dev/null
cmake --build --preset release --target clipmill clipmill_bench make_baked_fbx -- --quiet
bench=build/release/tests/bench
"$bench/clipmill_bench" "$@"
[ $# -eq 0 ] || exit 0
if [ ! -d build/interop/node_modules/fbx2gltf ]; then
  echo 'no FBX2glTF to compare with: run scripts/interop.sh once'
  exit 0
fi
"$bench/make_baked_fbx" "$bench/baked.fbx"
PYTHONPATH=tests/support PYTHONDONTWRITEBYTECODE=1 \
  python3 tests/bench/whole_process.py "$bench/baked.fbx"
