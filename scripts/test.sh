#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what is missing, builds, and runs the tests. Ends with the summary of ctest.
#   scripts/test.sh [PRESET]      release (default), debug, asan, tsan
# Release and debug run all tests. Sanitized presets run the unit tests of what parses bytes and of
# the solvers: the other tests run the same code and take much longer there.
# CLIPMILL_UNITY=OFF compiles each source by itself: slower from scratch, faster after an edit.
set -euo pipefail
cd "$(dirname "$0")/.."
preset="${1:-release}"

scripts/setup.sh build test
scripts/viewer.sh
cmake --preset "$preset" -DCLIPMILL_TESTS=ON -DCLIPMILL_WERROR="${CLIPMILL_WERROR:-ON}" \
  -DCLIPMILL_UNITY="${CLIPMILL_UNITY:-ON}" >/dev/null
case "$preset" in
  asan | tsan)
    cmake --build --preset "$preset" --target clipmill_unit_tests -- --quiet
    tests=(core anim mesh scene gltf fbx bvh arrays imported io pipeline dynamic_bones stretch
      self_collision tet_bake blend edit)
    selected=(--tests-regex "^unit\\.($(IFS='|'; echo "${tests[*]}"))\$")
    ;;
  *)
    cmake --build --preset "$preset" -- --quiet
    selected=()
    ;;
esac
ctest --preset "$preset" --parallel "$(nproc)" --no-tests=error "${selected[@]}"
