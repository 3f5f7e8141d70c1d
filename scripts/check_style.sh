#!/bin/sh
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# Checks layering, portable arithmetic, headers and formatting: one "file:line: rule" a fault.
exec python3 "$(dirname "$0")/check_style.py"
