#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds and runs the benchmarks. Arguments go to the benchmark program, e.g.
#   scripts/bench.sh --benchmark_filter=spring
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh build
cmake --preset release >/dev/null
cmake --build --preset release --target clipmill_bench -- --quiet
exec build/release/tests/bench/clipmill_bench "$@"
