#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# One task of the array that submit.sh submits: PROGRAM PLAN SHARDS JOBS.
set -uo pipefail
program="$1" plan="$2" shards="$3" jobs="$4"
max_restarts=20

# USR1 comes a while before the time is over: what is in hand is finished or dropped, and the task
# queued again to do the rest. TERM ends it for good.
is_time_over=""
trap 'is_time_over=yes; kill -USR1 "$child" 2>/dev/null' USR1
trap 'kill -TERM "$child" 2>/dev/null' TERM

echo "shard $SLURM_ARRAY_TASK_ID of $shards on $(hostname), start ${SLURM_RESTART_COUNT:-0}"
"$program" batch run "$plan" --shard "$SLURM_ARRAY_TASK_ID/$shards" -j "$jobs" &
child=$!
# A signal ends `wait`, not the program.
while :; do
  wait "$child"
  code=$?
  kill -0 "$child" 2>/dev/null || break
done

if [ "$code" -eq 75 ] && [ -n "$is_time_over" ] &&
  [ "${SLURM_RESTART_COUNT:-0}" -lt "$max_restarts" ]; then
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
fi
exit "$code"
