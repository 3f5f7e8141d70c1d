#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# Runs a Windows program in wine, with a prefix of its own in build/wine: scripts/wine.sh PROGRAM ..
set -euo pipefail
export WINEPREFIX="${WINEPREFIX:-$(dirname "$(realpath "$0")")/../build/wine}"
mkdir -p "$WINEPREFIX"
WINEPREFIX="$(realpath "$WINEPREFIX")"
# No windows, no messages of wine itself, no installers of add-ons.
export WINEDEBUG=-all WINEARCH=win64 DISPLAY=
export WINEDLLOVERRIDES="mscoree,mshtml,winemenubuilder.exe=d"
wine=/usr/lib/wine/wine64 server=/usr/lib/wine/wineserver64
[ -x "$wine" ] || wine=wine64 server=wineserver
# Wine starts Windows for the first program, and ends it with the last one, unless its server stays.
# What is started then must not hold the output of the program.
if "$server" -p60 </dev/null >/dev/null 2>&1; then  # no server was running
  "$wine" wineboot </dev/null >/dev/null 2>&1 || echo "wine.sh: wineboot ended with $?" >&2
fi
exec "$wine" "$@"
