#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# Installs the packages of npm that tests use, tests/interop/package.json, in build/interop. Quick
# when they are there.
set -euo pipefail
cd "$(dirname "$0")/.."
modules=build/interop
mkdir -p "$modules"
if ! cmp -s tests/interop/package.json "$modules/package.json" ||
  [ ! -d "$modules/node_modules" ]; then
  cp tests/interop/package.json "$modules/package.json"
  npm install --prefix "$modules" --no-audit --no-fund --no-package-lock --loglevel=error >/dev/null
fi
