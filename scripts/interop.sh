#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Opens what clipmill writes with programs of other projects: the Khronos glTF validator, FBX2glTF
# (which carries Autodesk's FBX SDK), Blender, and a browser for the preview, whose screenshots stay
# in build/interop/artifacts. Scripts for Godot run in its build for browsers. Springs of VRM files
# are moved by three-vrm beside us. Batches in shards run on a Slurm cluster that this machine
# plays, and under GNU parallel. Packages are judged by lintian, and installed into a Debian that
# has nothing else.
set -euo pipefail
cd "$(dirname "$0")/.."
# The same flags in every build, so that each source is compiled once.
export CLIPMILL_WERROR="${CLIPMILL_WERROR:-ON}"
scripts/setup.sh build test interop
scripts/viewer.sh
cmake --preset release -DCLIPMILL_TESTS=ON -DCLIPMILL_WERROR="$CLIPMILL_WERROR" \
  -DCLIPMILL_UNITY="${CLIPMILL_UNITY:-ON}" >/dev/null
cmake --build --preset release --target clipmill add_joint edit_joint spring_motion -- --quiet

scripts/package.sh
scripts/wheel.sh
scripts/blender_addon.sh

scripts/test_modules.sh

export CLIPMILL="$PWD/build/release/tools/clipmill/clipmill"
export CLIPMILL_ADD_JOINT="$PWD/build/release/tests/corpus/add_joint"
export CLIPMILL_EDIT_JOINT="$PWD/build/release/tests/corpus/edit_joint"
export CLIPMILL_SPRING_MOTION="$PWD/build/release/tests/corpus/spring_motion"
export CLIPMILL_NODE_MODULES="$PWD/build/interop/node_modules"
export PYTHONPATH="$PWD/tests/support"
first=(tests/interop/test_{package,preview}.py)  # which take the longest
mapfile -t others < <(printf '%s\n' tests/interop/test_*.py |
  grep --invert-match --line-regexp --fixed-strings "$(printf '%s\n' "${first[@]}")")
scripts/run_tests.sh build/interop/logs "${first[@]}" "${others[@]}"
