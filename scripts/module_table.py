#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the table of includes between modules (folders of src) into CONTRIBUTING.md.

  module_table.py           rewrites the table
  module_table.py --check   writes nothing; exit code 1 if the table is not up to date

Exit code 1, and one line a fault, for an include that runs up (MODULES_SEEN_BY of check_style.py)
or a cycle of includes between folders, also between the folders within io and stages.
"""
import collections
import re
import sys
from pathlib import Path

from check_style import MODULES_SEEN_BY

ROOT = Path(__file__).resolve().parent.parent
START, END = "<!-- modules -->\n", "<!-- /modules -->"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
# Modules whose folders are shown on their own. Their own files, such as the registry, name all of
# their folders and come after them.
DIVIDED = ("io", "stages")
# What the folders of a divided module share: files of the module itself, named by their headers.
SHARED = ("stages/stage", "stages/stage_motions", "io/document")


def folder_of(name):
    """The folder that a file (path below src) is counted with: "mesh", "io/gltf", "io"."""
    parts = name.split("/")
    if parts[0] not in DIVIDED:
        return parts[0]
    if len(parts) > 2:
        return "/".join(parts[:2])
    stem = re.sub(r"\.\w+$", "", name)
    return parts[0] + " (shared)" if stem in SHARED else parts[0]


def counted_includes():
    """counts[folder][other]: how many includes of files of `other` the files of `folder` have."""
    counts = collections.defaultdict(collections.Counter)
    source = ROOT / "src"
    for path in sorted(source.rglob("*")):
        if path.suffix not in (".h", ".cc", ".inc"):
            continue
        folder = folder_of(path.relative_to(source).as_posix())
        counts[folder].update()
        for target in INCLUDE.findall(path.read_text()):
            # Includes without a folder, and Highway's of the file itself, are not between modules.
            if (source / target).exists() and folder_of(target) != folder:
                counts[folder][folder_of(target)] += 1
    return counts


def upward(counts):
    for folder, others in counts.items():
        module = re.split("[/ ]", folder)[0]
        for other in others:
            if re.split("[/ ]", other)[0] not in MODULES_SEEN_BY[module]:
                yield f"{folder} includes {other}: dependencies run down only"


def in_cycles(counts):
    """The folders that include each other in a circle, or lie between two circles."""
    left = set(counts)
    while True:
        free = {f for f in left if not set(counts[f]) & left}
        free |= {f for f in left if not any(f in counts[g] for g in left)}
        if not free:
            return sorted(left)
        left -= free


def layer_of(folder):
    """Sorts from the lowest up; within a module: shared files, folders, its own files."""
    module = re.split("[/ ]", folder)[0]
    order = list(MODULES_SEEN_BY)
    within = 0 if "(shared)" in folder else 1 if "/" in folder else 2
    return len(MODULES_SEEN_BY[module]), order.index(module), within, folder


def table(counts):
    lines = ["| folder of src | folders that it includes (number of includes) |", "|---|---|"]
    for folder in sorted(counts, key=layer_of):
        others = sorted(counts[folder].items(), key=lambda item: layer_of(item[0]))
        text = ", ".join(f"{other} {count}" for other, count in others)
        lines.append(f"| `{folder}` | {text or 'none'} |")
    return "\n".join(lines) + "\n"


def main():
    counts = counted_includes()
    faults = list(upward(counts))
    circle = in_cycles(counts)
    if circle:
        faults.append("cycle of includes between: " + ", ".join(circle))
    page = ROOT / "CONTRIBUTING.md"
    text = page.read_text()
    start, end = text.index(START) + len(START), text.index(END)
    fresh = text[:start] + "\n" + table(counts) + "\n" + text[end:]
    if "--check" not in sys.argv:
        page.write_text(fresh)
    elif fresh != text:
        faults.append("CONTRIBUTING.md: old table of modules: run scripts/module_table.py")
    print("".join(fault + "\n" for fault in faults), end="")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
