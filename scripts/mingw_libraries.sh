#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# Makes the libraries for the preset `windows-mingw` in build/sysroot/mingw. Debian packages zlib
# for mingw; the others are built from Debian's source packages, or are headers alone. apt downloads
# and verifies them with lists of its own; nothing is installed on this machine. Quick when the
# folder is complete.
set -euo pipefail
cd "$(dirname "$0")/.."
sources=(libpng1.6 xxhash highway meshoptimizer libwebp spdlog fmtlib)
headers=(libglm-dev libcli11-dev nlohmann-json3-dev libeigen3-dev doctest-dev libtomlplusplus-dev)
root="$PWD/build/sysroot/mingw"
complete="$root/complete"
wanted="$(printf '%s\n' "${sources[@]}" "${headers[@]}"; sha256sum <"$0")"
[ "$(cat "$complete" 2>/dev/null)" = "$wanted" ] && exit 0

apt="$PWD/build/sysroot/apt"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
rm -rf "$root" "$apt"
mkdir -p "$root/usr" "$apt/lists/partial" "$apt/archives/partial" "$apt/none" "$apt/source"
cp /var/lib/dpkg/status "$apt/status"
cat >"$apt/sources.list" <<END
deb [signed-by=$keyring] http://deb.debian.org/debian bookworm main
deb-src [signed-by=$keyring] http://deb.debian.org/debian bookworm main
END
cat >"$apt/apt.conf" <<END
APT::Sandbox::User "";
Acquire::Languages "none";
Debug::NoLocking "true";
Dir::State "$apt";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "$apt/none";
Dir::Etc::parts "$apt/none";
Dir::Etc::preferencesparts "$apt/none";
END
export APT_CONFIG="$apt/apt.conf"
apt-get update -qq
cd "$apt/source"
apt-get source -qq "${sources[@]}" >/dev/null 2>&1
apt-get download -qq "${headers[@]}"
for archive in *.deb; do dpkg-deb -x "$archive" "$root"; done
# Of this package the headers serve; its library is one for Linux.
rm -rf "$root"/usr/lib/*-linux-gnu "$root/usr/share/doc"

# library FOLDER OPTION..: builds and installs what is in the folder with CMake.
library() {
  local folder="$1"
  shift
  cmake -S "$folder" -B "$folder/build-mingw" -G Ninja -Wno-dev \
    -DCMAKE_TOOLCHAIN_FILE="$OLDPWD/cmake/toolchains/windows-mingw.cmake" \
    -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX=/usr \
    -DCMAKE_INSTALL_LIBDIR=lib "$@" >"$folder/log" 2>&1 &&
    DESTDIR="$root" cmake --build "$folder/build-mingw" --target install >>"$folder/log" 2>&1 ||
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
cd - >/dev/null
rm -rf "$apt"
echo "$wanted" >"$complete"
