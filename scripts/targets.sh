#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# Builds clipmill for other targets, and runs it there: outputs must have the bytes of
# tests/golden.sha256, then the unit tests and the tests of the command line. Prints what each step
# took.
#   scripts/targets.sh [--only PART] TARGET..
#   TARGET: arm64 (runs in qemu), windows-mingw (in wine), wasm (in node, and in Chromium), x86-64
#           (each instruction set of this machine: outputs alone, since every build runs the tests)
#   PART: outputs, unit (unit tests), cli (tests of the command line), web (npm package and
#         playground, of wasm); all without
# tests/cli/TARGET.skip names the tests of the command line that do not apply there, and why.
set -euo pipefail
cd "$(dirname "$0")/.."
part=all
[ "${1:-}" != --only ] || { part="${2:-none}"; shift $(($# > 1 ? 2 : 1)); }
case "$part $#" in
  all\ [1-9]* | outputs\ [1-9]* | unit\ [1-9]* | cli\ [1-9]* | web\ [1-9]*) ;;
  *)
    echo "usage: scripts/targets.sh [--only outputs|unit|cli|web]" \
      "arm64|windows-mingw|wasm|x86-64 .." >&2
    exit 2
    ;;
esac

# wants PART: whether PART was asked for.
wants() { [ "$part" = all ] || [ "$part" = "$1" ]; }

# timed WHAT COMMAND..
timed() {
  local start=$SECONDS
  "${@:2}" || { echo "targets.sh: failed: $1" >&2; exit 1; }
  echo "targets.sh: $1: $((SECONDS - start)) s"
}

# configure PRESET: with the settings of the tests, and of scripts/release.sh, which then compiles
# nothing twice.
configure() {
  cmake --preset "$1" -DCLIPMILL_TESTS=ON -DCLIPMILL_UNITY=ON \
    -DCLIPMILL_WERROR="${CLIPMILL_WERROR:-OFF}" >/dev/null
}

# Settings of TARGET: `run` starts a program of it, `program` is clipmill, `tests` the unit tests,
# `left_out` those that cannot run.
choose() {
  local build="build/$1"
  program="$build/tools/clipmill/clipmill" tests="$build/tests/unit/clipmill_unit_tests" left_out=""
  case "$1" in
    arm64)
      scripts/setup.sh arm64
      run="qemu-aarch64-static -L $PWD/build/sysroot/arm64"
      # The importer is a child with limits of memory and files, which would hold for the emulator.
      left_out="--test-suite-exclude=imported.import_child"
      ;;
    windows-mingw)
      scripts/setup.sh windows
      run="$PWD/scripts/wine.sh" program+=.exe tests+=.exe
      ;;
    wasm)
      scripts/setup.sh wasm interop
      run="node --no-experimental-fetch" program=build/npm/package/bin/clipmill.cjs tests+=.js
      ;;
    *) echo "targets.sh: unknown target '$1'" >&2; exit 2 ;;
  esac
}

# starter PROGRAM: a script in the folder `installed` that runs PROGRAM of the target.
starter() {
  local script="$installed/bin/$(basename "$1" | cut -d. -f1)"
  printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$run" "$(realpath "$1")" >"$script"
  chmod +x "$script"
}

# The tests of the command line with a program that starts clipmill on TARGET. It has its pages
# beside it, as an installed program has.
command_line_tests() {
  local installed="$PWD/build/$1/starter" test files=()
  mkdir -p "$installed/bin" "$installed/share/clipmill"
  cp build/viewer/viewer.html build/viewer/batch.html "$installed/share/clipmill/"
  if [ "$1" = windows-mingw ]; then
    cmake --build "build/$1" --target copy_arrays -- --quiet
    cp "$program" "build/$1/tests/cli/copy_arrays.exe" "$installed/bin/"
    starter "$installed/bin/clipmill.exe"
    starter "$installed/bin/copy_arrays.exe"
  else
    starter "$program"
  fi
  for test in tests/cli/test_*.py; do
    grep -q "^$(basename "$test" .py) " "tests/cli/$1.skip" || files+=("$test")
  done
  CLIPMILL="$installed/bin/clipmill" CLIPMILL_COPY_ARRAYS="$installed/bin/copy_arrays" \
    CLIPMILL_SKIPPED="$PWD/tests/cli/$1.skip" PYTHONPATH=tests/support \
    scripts/run_tests.sh "build/$1/cli_logs" "${files[@]}"
}

# The unit tests of TARGET, some at a time: emulators use one processor for most of them.
unit_tests() {
  local count piece=40 logs="build/$1/unit_tests"
  # shellcheck disable=SC2086  # a program and its arguments
  count="$($run "$tests" $left_out --count --no-colors=1 |
    sed -n 's/.*: *\([0-9]*\)\r*$/\1/p' | tail -1)"
  [ -n "$count" ] || { echo "targets.sh: $tests does not run" >&2; return 1; }
  mkdir -p "$logs"
  export run tests left_out piece logs
  # shellcheck disable=SC2016  # for the shells that xargs starts
  seq 1 "$piece" "$count" | xargs -P "$(nproc)" -I{} bash -c '
    $run "$tests" $left_out --minimal --first={} --last=$(({} + piece - 1)) >"$logs/{}.log" 2>&1 ||
      { echo "targets.sh: a unit test failed: $logs/{}.log" >&2; exit 1; }'
}

# The npm package and the playground, beside the native program.
web_tests() {
  configure release
  cmake --build --preset release --target clipmill -- --quiet
  CLIPMILL="$PWD/build/release/tools/clipmill/clipmill" PYTHONPATH=tests/support \
    CLIPMILL_NODE_MODULES="$PWD/build/interop/node_modules" \
    CLIPMILL_NPM_PACKAGE="$(realpath build/npm/clipmill-*.tgz)" \
    CLIPMILL_PLAYGROUND="$PWD/build/playground/playground.html" \
    scripts/run_tests.sh build/web_logs tests/web/test_*.py
}

# Outputs of the native program with each instruction set that its kernels were compiled for.
instruction_set_outputs() {
  local build=build/release set asked="$PWD/build/release/asked"
  scripts/setup.sh build
  configure release
  cmake --build "$build" --target clipmill instruction_sets only_instruction_set -- --quiet
  for set in $("$build/tests/instruction_sets/instruction_sets"); do
    rm -f "$asked"
    timed "x86-64 outputs, $set" env CLIPMILL_TEST_INSTRUCTION_SET="$set" \
      CLIPMILL_TEST_ASKED_FILE="$asked" \
      CLIPMILL_RUN="env LD_PRELOAD=$PWD/$build/tests/instruction_sets/libonly_instruction_set.so" \
      scripts/golden.sh --check "$build/tools/clipmill/clipmill"
    [ -s "$asked" ] || { echo "targets.sh: no kernel ran with $set" >&2; exit 1; }
  done
}

# Outputs of the program, in Chromium also, and what a Windows program must not have.
outputs() {
  timed "$1 outputs" env CLIPMILL_RUN="$run" scripts/golden.sh --check "$program"
  case "$1" in
    windows-mingw)
      timed "$1 DLLs" scripts/check_dlls.sh "$program"
      timed "$1 vector moves" scripts/check_vector_moves.sh "$program"
      ;;
    wasm)
      timed "Chromium outputs" env CLIPMILL_NODE_MODULES=build/interop/node_modules \
        CLIPMILL_RUN="node tests/web/browser_clipmill.cjs" \
        scripts/golden.sh --check build/playground/playground.html
      ;;
  esac
}

for target in "$@"; do
  [ "$target" != x86-64 ] || { instruction_set_outputs; continue; }
  choose "$target"
  build="build/$target"
  scripts/viewer.sh
  if [ "$target" = wasm ]; then
    scripts/test_modules.sh
    timed "$target program built" scripts/playground.sh
    cmake --preset wasm -DCLIPMILL_TESTS=ON >/dev/null
  else
    configure "$target"
    timed "$target program built" cmake --build "$build" --target clipmill -- --quiet
  fi
  ! wants outputs || outputs "$target"
  if wants unit; then
    timed "$target unit tests built" cmake --build "$build" --target clipmill_unit_tests -- --quiet
    timed "$target unit tests" unit_tests "$target"
  fi
  [ "$target" = arm64 ] || ! wants cli || timed "$target command line" command_line_tests "$target"
  [ "$target" != wasm ] || ! wants web || timed "npm package and playground" web_tests
done
