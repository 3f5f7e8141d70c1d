#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# What action.yml runs: the recipe RECIPE over FILES into OUT_DIR, `clipmill check` with the flags
# CHECK, and contact sheets where SHEET is true. Without a recipe, FILES are checked as they are.
# Fails where a file failed or is over a limit, after all files were seen. Writes a comment of the
# results to RUNNER_TEMP/clipmill-comment.md.
set -uo pipefail
read -r -a files <<<"$FILES"
read -r -a limits <<<"$CHECK"
comment="$RUNNER_TEMP/clipmill-comment.md"
status=0
mkdir -p "$OUT_DIR"
: >"$comment"

# check_limits FILE
check_limits() {
  local code=0
  clipmill check "$1" "${limits[@]}" >"$RUNNER_TEMP/check.txt" 2>&1 || code=$?
  cat "$RUNNER_TEMP/check.txt"
  [ "$code" -ne 0 ] || return 0
  status=$code
  echo "::error file=$1::clipmill check: exit code $code"
  { printf '**%s** is over a limit:\n\n' "$1"; sed 's/^/    /' "$RUNNER_TEMP/check.txt"; echo; } \
    >>"$comment"
}

# draw_sheet FILE: files of one name in several folders have sheets of their own.
draw_sheet() {
  local name="${1#"$OUT_DIR"/}"
  name="${name//\//_}.png"
  clipmill preview "$1" --sheet "$OUT_DIR/$name" || { status=$?; return; }
  printf -- '- %s: %s in the artifact clipmill of this run\n' "$1" "$name" >>"$comment"
}

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
  [ ${#limits[@]} -eq 0 ] || check_limits "$result"
  [ "$SHEET" != true ] || draw_sheet "$result"
done
exit "$status"
