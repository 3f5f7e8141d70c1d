#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# Unpacks Debian's arm64 packages of the libraries into build/sysroot/arm64, for the preset `arm64`.
# No architecture is added to this machine. Quick when the folder is complete.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=(libstdc++-12-dev libc6-dev libglm-dev libcli11-dev libspdlog-dev libtomlplusplus-dev
  nlohmann-json3-dev libxxhash-dev libmeshoptimizer-dev libeigen3-dev zlib1g-dev libpng-dev
  libwebp-dev libassimp-dev doctest-dev libhwy-dev)
root="$PWD/build/sysroot/arm64"
complete="$root/complete"
wanted="$(printf '%s\n' "${packages[@]}")"
[ "$(cat "$complete" 2>/dev/null)" = "$wanted" ] && exit 0

apt="$PWD/build/sysroot/apt-arm64"
rm -rf "$root"
mkdir -p "$root"
# shellcheck source=scripts/private_apt.sh
. scripts/private_apt.sh
private_apt "$apt" arm64
apt-get install -y -qq --download-only "${packages[@]}" >/dev/null
unpack_archives "$apt" "$root"
# The CMake files of these packages name absolute paths.
sed -i "s|\([\":]\)/usr/|\1$root/usr/|g; s|;/usr/|;$root/usr/|g" \
  "$root"/usr/lib/aarch64-linux-gnu/cmake/{draco,assimp-*}/*.cmake
rm -rf "$apt"
echo "$wanted" >"$complete"
