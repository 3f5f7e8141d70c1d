#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# Unpacks a package for arm64, and the packages of Debian that apt would install with it, into a new
# folder, for `qemu-aarch64-static -L FOLDER`. Nothing is installed on this machine.
#   scripts/unpack_arm64.sh PACKAGE.deb FOLDER
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: scripts/unpack_arm64.sh PACKAGE.deb FOLDER" >&2; exit 2; }
package="$(realpath "$1")"
mkdir "$2"
folder="$(realpath "$2")"
cd "$(dirname "$0")/.."
apt="$(mktemp -d)"
trap 'rm -rf "$apt"' EXIT
# shellcheck source=scripts/private_apt.sh
. scripts/private_apt.sh
private_apt "$apt" arm64
apt-get install -y -qq --download-only "$package" >/dev/null
cp "$package" "$apt/archives/"
unpack_archives "$apt" "$folder"
