#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Submits the shards of a plan (`clipmill batch plan`) to Slurm as one job array, and after them,
# whatever became of them, the merge. Options behind -- go to sbatch, of the array and the merge.
# Submitting again does what is left to do.
#   scripts/slurm/submit.sh PLAN [-o REPORT] [-j FILES] [-m SHARDS] [-- SBATCH_OPTION...]
# at most SHARDS at a time, in each FILES at a time.
# CLIPMILL names the program, where it is not the clipmill on the path.
set -euo pipefail

usage() {
  sed -n 's/^#   /usage: /p' "$0" >&2
  exit 2
}

here="$(cd "$(dirname "$0")" && pwd)"
[ $# -ge 1 ] || usage
plan="$1" && shift
report="" jobs=1 most=""
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  [ $# -ge 2 ] || usage
  case "$1" in
    -o) report="$2" ;;
    -j) jobs="$2" ;;
    -m) most="%$2" ;;
    *) usage ;;
  esac
  shift 2
done
[ $# -gt 0 ] && shift

# Absolute: what sbatch starts runs elsewhere.
plan="$(cd "$plan" && pwd)"
report="$(realpath -m "${report:-$plan/report.json}")"
program="$(command -v "${CLIPMILL:-clipmill}")" || {
  echo "submit.sh: no clipmill on the path; set CLIPMILL" >&2
  exit 3
}
program="$(realpath "$program")"

# The number of shards comes from the plan, not from the scheduler.
shards="$(sed -n 's/^ *"shards": *\([0-9][0-9]*\),*$/\1/p' "$plan/plan.json")"
[ -n "$shards" ] || {
  echo "submit.sh: $plan/plan.json names no number of shards" >&2
  exit 3
}
mkdir -p "$plan/logs"

array="$(sbatch --parsable --requeue --array="1-$shards$most" --cpus-per-task="$jobs" \
  --job-name=clipmill --open-mode=append --signal=B:USR1@60 --output="$plan/logs/shard-%a.log" \
  "$@" "$here/shard.sh" "$program" "$plan" "$shards" "$jobs")"
# Not afterok: a merge that cannot be made names the shards that are missing.
merge="$(sbatch --parsable --requeue --dependency="afterany:${array%%;*}" \
  --job-name=clipmill-merge --open-mode=append --output="$plan/logs/merge.log" \
  "$@" "$here/merge.sh" "$program" "$plan" "$report")"
echo "${array%%;*} ${merge%%;*}"
echo "submit.sh: $shards shards as job ${array%%;*}, then $report by job ${merge%%;*}" >&2
