#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What submit.sh lets run after the array: PROGRAM PLAN REPORT.
set -euo pipefail
exec "$1" batch merge "$2" -o "$3"
