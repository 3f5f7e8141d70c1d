#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# Makes the libraries for the preset `windows-mingw` in build/sysroot/windows-mingw, from Debian's
# source packages; some are headers alone. Debian packages zlib for mingw. Quick when the folder is
# complete.
#   scripts/cross_libraries.sh windows-mingw
set -euo pipefail
cd "$(dirname "$0")/.."
target="${1:-}"
sources=(libpng1.6 xxhash highway meshoptimizer libwebp spdlog fmtlib)
headers=(libglm-dev libcli11-dev nlohmann-json3-dev libeigen3-dev doctest-dev libtomlplusplus-dev)
[ "$target" = windows-mingw ] || {
  echo "usage: scripts/cross_libraries.sh windows-mingw" >&2
  exit 2
}
project="$PWD"
root="$project/build/sysroot/$target"
complete="$root/complete"
wanted="$(printf '%s\n' "${sources[@]}" "${headers[@]}"
  sha256sum <"$0"; sha256sum <"cmake/toolchains/$target.cmake")"
[ "$(cat "$complete" 2>/dev/null)" = "$wanted" ] && exit 0

apt="$project/build/sysroot/apt-$target"
rm -rf "$root"
mkdir -p "$root/usr"
# shellcheck source=scripts/private_apt.sh
. scripts/private_apt.sh
private_apt "$apt" "$(dpkg --print-architecture)"
cd "$apt/source"
apt-get source -qq "${sources[@]}" >/dev/null 2>&1
apt-get download -qq "${headers[@]}"
for archive in *.deb; do dpkg-deb -x "$archive" "$root"; done
# Of these packages the headers serve; a library of theirs is one for Linux.
rm -rf "$root"/usr/lib/*-linux-gnu "$root/usr/share/doc"

# library FOLDER OPTION..: builds and installs what is in the folder with CMake.
library() {
  local folder="$1"
  shift
  cmake -S "$folder" -B "$folder/build-$target" -G Ninja -Wno-dev \
    -DCMAKE_TOOLCHAIN_FILE="$project/cmake/toolchains/$target.cmake" \
    -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX=/usr \
    -DCMAKE_INSTALL_LIBDIR=lib "$@" >"$folder/log" 2>&1 &&
    DESTDIR="$root" cmake --build "$folder/build-$target" --target install \
      >>"$folder/log" 2>&1 ||
    { tail -20 "$folder/log" >&2; exit 1; }
}
library libpng1.6-*/ -DPNG_SHARED=OFF -DPNG_TESTS=OFF
library xxhash-*/cmake_unofficial -DXXHASH_BUILD_XXHSUM=OFF
library highway-*/ -DBUILD_TESTING=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_TESTS=OFF \
  -DHWY_ENABLE_CONTRIB=OFF
library meshoptimizer-*/
library libwebp-*/ -DWEBP_BUILD_ANIM_UTILS=OFF -DWEBP_BUILD_CWEBP=OFF -DWEBP_BUILD_DWEBP=OFF \
  -DWEBP_BUILD_GIF2WEBP=OFF -DWEBP_BUILD_IMG2WEBP=OFF -DWEBP_BUILD_VWEBP=OFF \
  -DWEBP_BUILD_WEBPINFO=OFF -DWEBP_BUILD_WEBPMUX=OFF -DWEBP_BUILD_EXTRAS=OFF \
  -DWEBP_BUILD_LIBWEBPMUX=ON
library fmtlib-*/ -DFMT_TEST=OFF -DFMT_DOC=OFF
library spdlog-*/ -DSPDLOG_FMT_EXTERNAL=ON -DSPDLOG_BUILD_EXAMPLE=OFF
cd "$project"
rm -rf "$apt"
echo "$wanted" >"$complete"
