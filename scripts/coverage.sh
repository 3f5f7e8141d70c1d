#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# How much of a reader its fuzz target reaches, with what scripts/fuzz.sh has learned:
#   scripts/coverage.sh TARGET FOLDER [INPUTS..]
# Runs the target once on each of its inputs, and on the files up to 8 MB in the folders INPUTS..,
# in a build without sanitizers in build/coverage. Prints lines and branches of the sources below
# FOLDER, such as src/io/gltf.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -lt 2 ]; then
  echo "usage: scripts/coverage.sh TARGET FOLDER [INPUTS..]" >&2
  exit 2
fi
target="$1" folder="$2"
shift 2
command -v llvm-cov-14 >/dev/null || scripts/setup.sh build test

work=build/coverage
cmake --preset fuzz -B "$work" -DCLIPMILL_SANITIZE= -DCLIPMILL_UNITY=ON \
  -DCMAKE_CXX_FLAGS="-fprofile-instr-generate -fcoverage-mapping" \
  -DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 >/dev/null
cmake --build "$work" --target "fuzz_$target" >/dev/null

inputs=()
for learned in "build/fuzz/corpus/$target" "build/fuzz/seeds/$target"; do
  [ -d "$learned" ] && inputs+=("$learned")
done
fuzzer="$work/tests/fuzz/fuzz_$target"
profile="$work/$target"
LLVM_PROFILE_FILE="$profile.profraw" "$fuzzer" -runs=0 -max_len=8388608 -verbosity=0 \
  "${inputs[@]}" "$@"
llvm-profdata-14 merge -o "$profile.profdata" "$profile.profraw"
find "$folder" -name '*.cc' -print0 |
  xargs -0 llvm-cov-14 report "$fuzzer" -instr-profile="$profile.profdata" \
    -show-region-summary=false -show-functions=false
