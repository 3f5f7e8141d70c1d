#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs what is missing, builds, and runs all tests. Ends with ctest's summary.
#   scripts/test.sh [PRESET]      release (default), debug, asan, tsan
set -euo pipefail
cd "$(dirname "$0")/.."
preset="${1:-release}"

scripts/setup.sh build test
scripts/viewer.sh
cmake --preset "$preset" -DCLIPMILL_TESTS=ON >/dev/null
cmake --build --preset "$preset" -- --quiet
ctest --preset "$preset" --parallel "$(nproc)" --no-tests=error
