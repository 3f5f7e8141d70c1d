#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# Builds clipmill for other targets, and runs it there: outputs must have the bytes of
# tests/golden.sha256, then the unit tests. Prints what each step took.
#   scripts/targets.sh [--bytes] arm64 [windows-mingw]
#   --bytes: the program and its outputs alone
# arm64 runs in qemu, windows-mingw in wine.
set -euo pipefail
cd "$(dirname "$0")/.."
is_bytes_alone=false
[ "${1:-}" = --bytes ] && { is_bytes_alone=true; shift; }
[ $# -gt 0 ] || { echo "usage: scripts/targets.sh [--bytes] arm64 [windows-mingw]" >&2; exit 2; }

# timed WHAT COMMAND..
timed() {
  local start=$SECONDS
  "${@:2}" || { echo "targets.sh: failed: $1" >&2; exit 1; }
  echo "targets.sh: $1: $((SECONDS - start)) s"
}

for target in "$@"; do
  case "$target" in
    arm64)
      scripts/setup.sh arm64
      run="qemu-aarch64-static -L $PWD/build/sysroot/arm64" ending=""
      ;;
    windows-mingw)
      scripts/setup.sh windows
      run="$PWD/scripts/wine.sh" ending=.exe
      ;;
    *) echo "targets.sh: unknown target '$target'" >&2; exit 2 ;;
  esac
  build="build/$target"
  cmake --preset "$target" -DCLIPMILL_TESTS=ON -DCLIPMILL_UNITY=ON -DCLIPMILL_PREVIEW=OFF >/dev/null
  timed "$target program built" cmake --build "$build" --target clipmill -- --quiet
  timed "$target outputs" env CLIPMILL_RUN="$run" \
    scripts/golden.sh --check "$build/tools/clipmill/clipmill$ending"
  $is_bytes_alone && continue
  timed "$target unit tests built" cmake --build "$build" --target clipmill_unit_tests -- --quiet
  # shellcheck disable=SC2086  # a program and its arguments
  timed "$target unit tests" $run "$build/tests/unit/clipmill_unit_tests$ending" --minimal
done
