#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# Makes what is released, in build/release-files: packages for Debian 12 (amd64, arm64), a program
# for Linux x86-64 that needs no library of the system, one for Windows, the npm package, the
# playground, a bill of materials and the SHA-256 sums of all. The same sources give the same bytes.
#   scripts/release.sh [PART..]      PART: deb deb-arm64 linux windows npm; all without
# scripts/check_release.sh runs what was made.
set -euo pipefail
cd "$(dirname "$0")/.."
python=/usr/bin/python3  # which has the packages of Debian
[ -x "$python" ] || python=python3
parts=("$@")
[ $# -gt 0 ] || parts=(deb deb-arm64 linux windows npm)
out="$PWD/build/release-files"
[ $# -gt 0 ] || rm -rf "$out"
mkdir -p "$out"

version="$(sed -n 's/^project(clipmill VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)"
released="$(sed -n 's/^set(CLIPMILL_RELEASE_DATE \([0-9-]*\)).*/\1/p' CMakeLists.txt)"
SOURCE_DATE_EPOCH="$(date --utc --date="$released" +%s)"
export SOURCE_DATE_EPOCH
umask 022

# program PRESET PART: builds and installs the component `runtime` into build/PRESET/tree, with the
# licences of what is linked into PART.
program() {
  local tree="build/$1/tree"
  cmake --preset "$1" -DCLIPMILL_TESTS=OFF -DCLIPMILL_UNITY=ON \
    -DCLIPMILL_WERROR="${CLIPMILL_WERROR:-OFF}" >/dev/null
  cmake --build "build/$1" -- --quiet
  rm -rf "$tree"
  cmake --install "build/$1" --component runtime --strip --prefix "$tree" >/dev/null
  "$python" scripts/third_party.py "$2" >"$tree/share/doc/clipmill/THIRD-PARTY.txt"
}

deb() {
  scripts/package.sh >/dev/null
  cp build/package/*.deb "$out/"
}

# The packages of both architectures depend on the same packages of Debian: those that are found for
# amd64 are taken over.
deb_arm64() {
  scripts/setup.sh arm64
  ls build/package/clipmill_*_amd64.deb >/dev/null 2>&1 || deb
  local depends
  depends="$(dpkg-deb --field build/package/clipmill_*_amd64.deb Depends)"
  cmake --preset arm64-package -DCLIPMILL_UNITY=ON \
    -DCLIPMILL_WERROR="${CLIPMILL_WERROR:-OFF}" \
    -DCPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS="$depends" >/dev/null
  cmake --build build/arm64-package -- --quiet
  rm -f build/arm64-package/*.deb
  cpack --config build/arm64-package/CPackConfig.cmake -B build/arm64-package >/dev/null
  cp build/arm64-package/*.deb "$out/"
}

linux() {
  scripts/setup.sh linux-static
  scripts/viewer.sh
  program linux-static linux
  local name="clipmill-$version-linux-x86_64"
  tar --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner --format=ustar \
    --transform "s,^\.,$name," -C build/linux-static/tree -cf - . |
    gzip --best --no-name >"$out/$name.tar.gz"
}

windows() {
  scripts/setup.sh windows
  scripts/viewer.sh
  program windows-mingw windows
  scripts/check_vector_moves.sh build/windows-mingw/tree/bin/clipmill.exe
  local name="clipmill-$version-windows-x86_64"
  "$python" scripts/zip_folder.py build/windows-mingw/tree "$out/$name.zip"
}

npm_package() {
  scripts/playground.sh >/dev/null
  cp build/npm/clipmill-*.tgz build/playground/playground.html "$out/"
}

for part in "${parts[@]}"; do
  case "$part" in
    deb) deb ;;
    deb-arm64) deb_arm64 ;;
    linux) linux ;;
    windows) windows ;;
    npm) npm_package ;;
    *) echo "usage: scripts/release.sh [deb] [deb-arm64] [linux] [windows] [npm]" >&2; exit 2 ;;
  esac
  echo "release.sh: $part done"
done
rm -f "$out/SHA256SUMS" "$out/clipmill.spdx.json"
"$python" scripts/sbom.py "$out"/* >"$out/../clipmill.spdx.json"
mv "$out/../clipmill.spdx.json" "$out/"
(cd "$out" && sha256sum -- * >../SHA256SUMS && mv ../SHA256SUMS .)
ls "$out"
