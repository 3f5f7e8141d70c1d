#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# Makes build/playground/playground.html: one page that runs clipmill, in WebAssembly, on files that
# are dropped into it. It opens from disk and needs no server. The same sources give the same bytes.
#   scripts/playground.sh
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/npm.sh >/dev/null
out=build/playground
modules=build/viewer/node_modules
rm -rf "$out"
mkdir -p "$out/entry"
# The module is found beside the file that the worker imports.
cp build/npm/package/lib/clipmill.mjs build/npm/package/lib/clipmill-module.mjs "$out/entry/"
sed 's#[^'"'"']*bindings/wasm/package/clipmill.mjs#./clipmill.mjs#' tools/playground/src/worker.js \
  >"$out/entry/worker.js"

# bundle ENTRY OUT OPTION..
bundle() {
  "$modules/.bin/esbuild" "$1" --bundle --format=iife --target=es2022 --minify \
    --legal-comments=none --log-level=error --outfile="$2" "${@:3}"
}
bundle "$out/entry/worker.js" "$out/worker.js" '--define:import.meta.url="file:///"' --external:node:*
bundle tools/playground/src/main.js "$out/main.js"
node tools/playground/assemble.mjs tools/playground/page.html "$out/main.js" "$out/main.css" \
  "$out/worker.js" build/npm/package/lib/clipmill-module.wasm build/viewer/viewer.html \
  "$out/playground.html" LICENSE "$modules"/{three,uplot}/LICENSE
rm -r "$out/entry" "$out"/{main,worker}.js "$out/main.css"
ls "$out/playground.html"
