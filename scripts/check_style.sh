#!/bin/sh
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# Checks layering, portable arithmetic, headers and formatting: one "file:line: rule" a fault. Then
# checks the table of modules in CONTRIBUTING.md.
scripts="$(dirname "$0")"
python3 "$scripts/check_style.py" && exec python3 "$scripts/module_table.py" --check
