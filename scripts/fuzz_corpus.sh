#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Keeps the least inputs that reach what fuzzing a target has reached (scripts/fuzz.sh):
#   scripts/fuzz_corpus.sh TARGET
# writes tests/fuzz/corpus/TARGET.tar.gz. Inputs are made by the project's own seeds alone.
set -euo pipefail
cd "$(dirname "$0")/.."

target="${1:?usage: scripts/fuzz_corpus.sh TARGET}"
program="build/fuzz/tests/fuzz/fuzz_$target"
if ! [ -x "$program" ]; then
  echo "$program: not built; run scripts/fuzz.sh $target first" >&2
  exit 1
fi
kept="build/fuzz/kept/$target"
rm -rf "$kept"
mkdir -p "$kept" tests/fuzz/corpus
"$program" -set_cover_merge=1 -max_len=4096 -verbosity=0 "$kept" "build/fuzz/corpus/$target"
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf - -C "$kept" . |
  gzip -9n >"tests/fuzz/corpus/$target.tar.gz"
echo "$target: $(find "$kept" -type f | wc -l) inputs"
