#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# Runs what scripts/release.sh made in build/release-files: sums and bill of materials, the package
# for arm64 with the packages that it depends on (in qemu), the program for Linux in an older
# system, the one for Windows (in wine), and the steps of action.yml. The package for amd64 is
# installed by scripts/interop.sh; scripts/targets.sh uses the npm package and the playground.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh arm64 windows interop
python=/usr/bin/python3
[ -x "$python" ] || python=python3
export PYTHONPATH="$PWD/tests/support" PYTHONDONTWRITEBYTECODE=1
for test in tests/release/test_*.py; do "$python" "$test"; done
