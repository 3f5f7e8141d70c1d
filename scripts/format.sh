#!/bin/sh
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
# Formats every C++ file of the project in place.
set -eu
cd "$(dirname "$0")/.."
find src tools tests bindings -name '*.h' -o -name '*.cc' | sort | xargs clang-format-14 -i
