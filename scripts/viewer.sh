#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the page of `clipmill preview`, build/viewer/viewer.html, from tools/viewer with packages
# from npm. The next build takes it up. Quick when nothing has changed.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh build

out=build/viewer
mkdir -p "$out"
newest="$(find tools/viewer -type f -newer "$out/viewer.html" 2>/dev/null || echo none)"
[ -n "$newest" ] || exit 0

if ! cmp -s tools/viewer/package-lock.json "$out/package-lock.json" ||
  [ ! -d "$out/node_modules/three" ]; then
  cp tools/viewer/package.json tools/viewer/package-lock.json "$out"
  npm ci --prefix "$out" --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
fi
NODE_PATH="$PWD/$out/node_modules" "$out/node_modules/.bin/esbuild" tools/viewer/src/main.js \
  --bundle --format=iife --target=es2022 --minify --legal-comments=eof \
  --outfile="$out/viewer.js" --log-level=warning
node tools/viewer/assemble.mjs tools/viewer/template.html "$out/viewer.js" "$out/viewer.css" \
  "$out/viewer.html" "$out"/node_modules/{three,uplot}/LICENSE
