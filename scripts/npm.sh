#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# Makes the npm package of the program in WebAssembly: build/npm/clipmill-VERSION.tgz, and the
# folder build/npm/package, from which node and pages can use it. It is not published. The same
# sources give the same bytes.
#   scripts/npm.sh
set -euo pipefail
cd "$(dirname "$0")/.."
python=/usr/bin/python3  # that of Debian, for emscripten
export EMSDK_PYTHON=$python
scripts/setup.sh build wasm
scripts/viewer.sh
cmake --preset wasm -DCLIPMILL_TESTS=OFF >/dev/null
cmake --build --preset wasm --target clipmill-node clipmill-module -- --quiet

version="$(sed -n 's/^project(clipmill VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)"
released="$(sed -n 's/^set(CLIPMILL_RELEASE_DATE \([0-9-]*\)).*/\1/p' CMakeLists.txt)"
folder=build/npm/package
rm -rf build/npm
mkdir -p "$folder"/{bin,lib,share/clipmill}
made=build/wasm/bindings/wasm
cp "$made"/clipmill-node.wasm "$made"/clipmill-module.{mjs,wasm} "$folder/lib/"
# In this package, what ends in .js would be an ES module.
cp "$made/clipmill-node.js" "$folder/lib/clipmill-node.cjs"
cp bindings/wasm/package/clipmill.mjs bindings/wasm/package/clipmill.d.mts "$folder/lib/"
cp bindings/wasm/package/clipmill.cjs "$folder/bin/"
cp build/viewer/viewer.html build/viewer/batch.html "$folder/share/clipmill/"
cp LICENSE bindings/wasm/package/README.md "$folder/"
"$python" scripts/third_party.py npm >"$folder/THIRD-PARTY.txt"
sed "s/@VERSION@/$version/" bindings/wasm/package/package.json >"$folder/package.json"
chmod 755 "$folder/bin/clipmill.cjs"
find "$folder" -type f ! -name clipmill.cjs -exec chmod 644 {} +

# As `npm pack` would, with the time of the release in place of now.
tar --sort=name --mtime="$released UTC" --owner=0 --group=0 --numeric-owner --format=ustar \
  -C build/npm -cf - package | gzip --best --no-name >"build/npm/clipmill-$version.tgz"
ls "build/npm/clipmill-$version.tgz"
