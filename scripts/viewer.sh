#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the pages of `clipmill preview` and `clipmill batch`, build/viewer/viewer.html and
# batch.html, from tools/viewer with packages from npm. The next build takes them up. Quick when
# nothing has changed.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh build

out=build/viewer
mkdir -p "$out"
newest="$(find tools/viewer -type f -newer "$out/batch.html" 2>/dev/null || echo none)"
[ -n "$newest" ] || [ ! -f "$out/viewer.html" ] || exit 0

if ! cmp -s tools/viewer/package-lock.json "$out/package-lock.json" ||
  [ ! -d "$out/node_modules/three" ]; then
  cp tools/viewer/package.json tools/viewer/package-lock.json "$out"
  npm ci --prefix "$out" --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
fi

# page NAME ENTRY TEMPLATE LICENCE..
page() {
  local name="$1" entry="$2" template="$3"
  shift 3
  NODE_PATH="$PWD/$out/node_modules" "$out/node_modules/.bin/esbuild" "tools/viewer/src/$entry" \
    --bundle --format=iife --target=es2022 --minify --legal-comments=eof \
    --outfile="$out/$name.js" --log-level=warning
  node tools/viewer/assemble.mjs "tools/viewer/$template" "$out/$name.js" "$out/$name.css" \
    "$out/$name.html" "$@"
}
page viewer main.js template.html "$out"/node_modules/{three,uplot}/LICENSE
page batch batch/main.js batch.html
