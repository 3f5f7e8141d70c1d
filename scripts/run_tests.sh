#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# Runs test files of Python, as many at a time as there are processors:
#   scripts/run_tests.sh LOGS TEST..
# Prints what each took. What a test prints is in the folder LOGS; that of a failed one is printed
# too. A test ends with 77 where it does not apply. Exit 1 if one failed, after all have run.
set -euo pipefail
export logs="$1"
shift
mkdir -p "$logs"
export PYTHONDONTWRITEBYTECODE=1
python=/usr/bin/python3  # which has the packages of Debian
[ -x "$python" ] || python=python3
export python

# shellcheck disable=SC2016  # for the shells that xargs starts
printf '%s\n' "$@" | xargs -P "$(nproc)" -I{} bash -c '
  name="$(basename {} .py)"
  code=0
  "$python" {} >"$logs/$name.log" 2>&1 || code=$?
  case $code in
    0 | 77) echo "$name: $SECONDS s: $(tail -1 "$logs/$name.log")" ;;
    *)
      cat "$logs/$name.log" >&2
      echo "$name: failed" >&2
      exit 1
      ;;
  esac' || exit 1
