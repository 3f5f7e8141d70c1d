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
PYTHONPATH="$PWD/tests/support" scripts/run_tests.sh build/release_logs tests/release/test_*.py
