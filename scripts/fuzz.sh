#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Fuzzes a parser from the project's own small files:
#   scripts/fuzz.sh TARGET [RUNS] [SEED_FOLDER..]
# Targets: gltf, recipe, fbx_tree, fbx, fbx_odd (valid trees with odd values), bvh, arrays,
# face_csv, import_message, tets, tet_motion, batch_page.
# 100000 runs by default.
# It starts from the seeds, and from what earlier runs learned: tests/fuzz/corpus/TARGET.tar.gz.
# What it learns stays in build/fuzz/corpus/TARGET; scripts/fuzz_corpus.sh keeps the least of that.
# An input that breaks it is left in build/fuzz/found. FUZZ_SECONDS limits the time.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${1:-}"
case "$target" in
  gltf | recipe | fbx_tree | fbx | fbx_odd | bvh | arrays | import_message | tets | tet_motion) ;;
  face_csv | batch_page) ;;
  *)
    echo "usage: scripts/fuzz.sh TARGET [RUNS] [SEED_FOLDER..]   (targets: see its head)" >&2
    exit 2
    ;;
esac
runs="${2:-100000}"
command -v clang++-14 >/dev/null || scripts/setup.sh build test
shift $(($# < 2 ? $# : 2))

cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target "fuzz_$target" fuzz_seeds -- ${FUZZ_JOBS:+-j"$FUZZ_JOBS"}

work=build/fuzz
corpus="$work/corpus/$target"
mkdir -p "$corpus" "$work/found"
kind="$target"
[ "$target" = fbx_odd ] && kind=fbx
"$work/tests/fuzz/fuzz_seeds" "$kind" "$work/seeds/$target"
seeds=("$work/seeds/$target")
dict="$kind"
[ "$kind" = fbx ] && dict=fbx_tree
# The samples are seeds too, those that are small enough to change quickly.
if [ "$target" = gltf ] && [ -d samples ]; then
  find samples -name '*.gl*' -size -64k -exec cp {} "$work/seeds/$target" \;
fi

if [ -f "tests/fuzz/corpus/$target.tar.gz" ]; then
  mkdir -p "$work/learned/$target"
  tar -xzf "tests/fuzz/corpus/$target.tar.gz" -C "$work/learned/$target"
  seeds+=("$work/learned/$target")
fi

# The entropic schedule costs up to two thirds of the time with thousands of inputs.
exec "$work/tests/fuzz/fuzz_$target" -runs="$runs" -max_total_time="${FUZZ_SECONDS:-0}" \
  -entropic=0 -max_len=65536 -rss_limit_mb=2048 -malloc_limit_mb=512 -timeout=10 \
  -dict="tests/fuzz/$dict.dict" \
  -artifact_prefix="$work/found/$target-" -print_final_stats=1 "$corpus" "${seeds[@]}" "$@"
