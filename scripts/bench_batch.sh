#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a batch costs beyond its work, on small clips: milliseconds a file, how much faster two files
# at a time are than one, and seconds for ten thousand files of which none changed.
#   scripts/bench_batch.sh [REPEATS]
set -euo pipefail
cd "$(dirname "$0")/.."
repeats=${1:-5}
cmake --preset release >/dev/null
cmake --build --preset release --target clipmill_bench -- --quiet
for ((repeat = 0; repeat < repeats; ++repeat)); do
  build/release/tests/bench/clipmill_bench --benchmark_format=json \
    --benchmark_filter='filesOneByOne|batchCold|batchUnchanged' 2>/dev/null
done | python3 -c '
import json, statistics, sys

text, at, runs = sys.stdin.read(), 0, []
while at < len(text.rstrip()):
    run, end = json.JSONDecoder().raw_decode(text[at:].lstrip())
    at = len(text) - len(text[at:].lstrip()) + end
    runs.append({b["name"].removesuffix("/real_time"): b for b in run["benchmarks"]})

def median(value):
    values = [value(run) for run in runs]
    return f"{statistics.median(values):8.2f}  ({min(values):.2f} to {max(values):.2f})"

def per_file_ms(run, name):
    return 1000.0 / run[name]["items_per_second"]

def alone_ms(run):
    return per_file_ms(run, "filesOneByOne")

def batch_ms(run, jobs=1):
    return per_file_ms(run, f"batchCold/jobs:{jobs}")

print("a file alone            ms", median(alone_ms))
print("more in a batch         ms", median(lambda run: batch_ms(run) - alone_ms(run)))
print("two at a time        times", median(lambda run: batch_ms(run) / batch_ms(run, 2)))
print("10000 files unchanged    s", median(lambda run: run["batchUnchanged"]["real_time"] / 1e3))
'
