#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# Fails where a program for Windows has a move of 32 or 64 bytes that faults unless its address is
# aligned: the stack of mingw's GCC may not be (GCC bug 54412), and wine does not show it.
#   scripts/check_vector_moves.sh PROGRAM
set -euo pipefail
x86_64-w64-mingw32-objdump -d --no-show-raw-insn "$1" |
  awk '/[ \t]vmov(aps|apd|dqa|dqa32|dqa64)[ \t].*%[yz]mm/ && /\(/ {
         if (++count <= 5) print "check_vector_moves.sh: " $0
       }
       END {
         print "check_vector_moves.sh: " count + 0 " aligned moves of wide vectors"
         exit count > 0
       }'
