#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# What action.yml runs: the recipe RECIPE over FILES into OUT_DIR, `clipmill check` with the flags
# CHECK, and contact sheets where SHEET is true. Fails where a file failed or is over a limit.
# Writes a comment of the results to RUNNER_TEMP/clipmill-comment.md.
set -uo pipefail
read -r -a files <<<"$FILES"
read -r -a limits <<<"$CHECK"
comment="$RUNNER_TEMP/clipmill-comment.md"
status=0
mkdir -p "$OUT_DIR"
: >"$comment"

if [ -n "$RECIPE" ]; then
  clipmill batch "${files[@]}" --recipe "$RECIPE" --out-dir "$OUT_DIR" --progress plain ||
    status=$?
  mapfile -t results < <(find "$OUT_DIR" -type f | grep -E '\.(glb|gltf|fbx|vrm)$' | LC_ALL=C sort)
else
  # Patterns are expanded here, as the program would.
  shopt -s nullglob globstar
  # shellcheck disable=SC2206
  results=(${files[@]})
fi

for result in "${results[@]}"; do
  name="${result##*/}"
  if [ "${#limits[@]}" -gt 0 ]; then
    clipmill check "$result" "${limits[@]}" >"$RUNNER_TEMP/check.txt" 2>&1
    code=$?
    cat "$RUNNER_TEMP/check.txt"
    if [ "$code" -ne 0 ]; then
      status=$code
      echo "::error file=$result::clipmill check: exit code $code"
      { printf '**%s** is over a limit:\n\n' "$name"; sed 's/^/    /' "$RUNNER_TEMP/check.txt"; } \
        >>"$comment"
    fi
  fi
  if [ "$SHEET" = true ]; then
    clipmill preview "$result" --sheet "$OUT_DIR/$name.png" || status=$?
    printf -- '- %s: %s.png in the artifact clipmill of this run\n' "$name" "$name" >>"$comment"
  fi
done
exit "$status"
