#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# Fails if a Windows program needs a DLL that Windows does not have: scripts/check_dlls.sh PROGRAM
# Wine has more, such as zlib1.dll, so that a run in wine does not show it.
set -euo pipefail
objdump=x86_64-w64-mingw32-objdump
needed="$($objdump -p "$1" | sed -n 's/.*DLL Name: //p' | tr '[:upper:]' '[:lower:]' | sort)"
[ -n "$needed" ] || { echo "check_dlls.sh: $1 names no DLL" >&2; exit 1; }
others="$(grep -vxE '(kernel32|msvcrt|shell32)\.dll' <<<"$needed" || true)"
[ -z "$others" ] || { echo "check_dlls.sh: $1 needs $others" >&2; exit 1; }
echo "check_dlls.sh: DLLs of Windows alone: ${needed//$'\n'/ }"
