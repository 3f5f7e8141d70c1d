#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# Makes the libraries for the presets `windows-mingw`, `wasm` and `linux-static` in
# build/sysroot/TARGET, from Debian's source packages; some are headers alone. Quick when the folder
# is complete.
#   scripts/cross_libraries.sh windows-mingw|wasm|linux-static
set -euo pipefail
cd "$(dirname "$0")/.."
target="${1:-}"
sources=(libpng1.6 xxhash highway meshoptimizer libwebp spdlog fmtlib)
headers=(libglm-dev libcli11-dev nlohmann-json3-dev libeigen3-dev doctest-dev libtomlplusplus-dev)
options=()
export EMSDK_PYTHON=/usr/bin/python3  # that of Debian, for emscripten
case "$target" in
  windows-mingw) ;;  # Debian packages zlib for it
  wasm)
    sources=(zlib "${sources[@]}")
    # Libraries of C leave the instruction sets of processors alone.
    options=(-DPNG_HARDWARE_OPTIMIZATIONS=OFF -DWEBP_ENABLE_SIMD=OFF)
    ;;
  # What Debian has as shared libraries alone.
  linux-static) sources=(highway meshoptimizer spdlog fmtlib) headers=() ;;
  *) echo "usage: scripts/cross_libraries.sh windows-mingw|wasm|linux-static" >&2; exit 2 ;;
esac
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
if [ ${#headers[@]} -gt 0 ]; then
  apt-get download -qq "${headers[@]}"
  for archive in *.deb; do dpkg-deb -x "$archive" "$root"; done
  # The CMake files of this package name an absolute path.
  sed -i "s|\"/usr\"|\"$root/usr\"|" "$root/usr/lib/cmake/doctest/doctestTargets.cmake"
fi
# Of these packages the headers serve; a library of theirs is one for Linux.
rm -rf "$root"/usr/lib/*-linux-gnu "$root/usr/share/doc"

toolchain=()
[ "$target" = linux-static ] ||
  toolchain=(-DCMAKE_TOOLCHAIN_FILE="$project/cmake/toolchains/$target.cmake")
has() { [[ " ${sources[*]} " = *" $1 "* ]]; }
# library FOLDER OPTION..: builds and installs what is in the folder with CMake.
library() {
  local folder="$1"
  shift
  cmake -S "$folder" -B "$folder/build-$target" -G Ninja -Wno-dev \
    "${toolchain[@]}" \
    -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX=/usr \
    -DCMAKE_INSTALL_LIBDIR=lib "${options[@]}" "$@" >"$folder/log" 2>&1 &&
    DESTDIR="$root" cmake --build "$folder/build-$target" --target install \
      >>"$folder/log" 2>&1 ||
    { tail -20 "$folder/log" >&2; exit 1; }
}
# Debian's sources of zlib lack what its CMake project asks for.
zlib() {
  (cd zlib-*/ && emcc -O3 -msimd128 -DHAVE_UNISTD_H -c ./*.c && emar rcs libz.a ./*.o) \
    >zlib.log 2>&1 || { tail -20 zlib.log >&2; exit 1; }
  install -D -m 644 -t "$root/usr/include" zlib-*/zlib.h zlib-*/zconf.h
  install -D -m 644 -t "$root/usr/lib" zlib-*/libz.a
}
if [ "$target" = wasm ]; then
  zlib
  # Or emscripten would make another set of its own libraries for an example.
  sed -i 's/set(CMAKE_POSITION_INDEPENDENT_CODE TRUE)//' highway-*/CMakeLists.txt
fi
if has libpng1.6; then library libpng1.6-*/ -DPNG_SHARED=OFF -DPNG_TESTS=OFF; fi
if has xxhash; then library xxhash-*/cmake_unofficial -DXXHASH_BUILD_XXHSUM=OFF; fi
library highway-*/ -DBUILD_TESTING=OFF -DHWY_ENABLE_EXAMPLES=OFF -DHWY_ENABLE_TESTS=OFF \
  -DHWY_ENABLE_CONTRIB=OFF
sed -i 's/ -Werror//' meshoptimizer-*/CMakeLists.txt  # of other compilers than its authors'
library meshoptimizer-*/
if has libwebp; then
  library libwebp-*/ -DWEBP_BUILD_ANIM_UTILS=OFF -DWEBP_BUILD_CWEBP=OFF -DWEBP_BUILD_DWEBP=OFF \
    -DWEBP_BUILD_GIF2WEBP=OFF -DWEBP_BUILD_IMG2WEBP=OFF -DWEBP_BUILD_VWEBP=OFF \
    -DWEBP_BUILD_WEBPINFO=OFF -DWEBP_BUILD_WEBPMUX=OFF -DWEBP_BUILD_EXTRAS=OFF \
    -DWEBP_BUILD_LIBWEBPMUX=ON
fi
library fmtlib-*/ -DFMT_TEST=OFF -DFMT_DOC=OFF
library spdlog-*/ -DSPDLOG_FMT_EXTERNAL=ON -DSPDLOG_BUILD_EXAMPLE=OFF
cd "$project"
rm -rf "$apt"
echo "$wanted" >"$complete"
