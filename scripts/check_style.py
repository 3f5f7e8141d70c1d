# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""Checks the rules of the project that no compiler checks; run by check_style.sh.

Prints one "file:line: rule" a fault; exit code 1 where there is one, 2 where the check cannot run.
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

import vocabulary

ROOT = Path(__file__).resolve().parent.parent
CODE_FOLDERS = ("src", "tools", "tests")
MAX_COLUMNS = 100

# Modules (folders of src) that a module may include besides itself: layers, from the lowest.
_ANIM = {"core", "anim"}
_MESH = _ANIM | {"mesh"}
_SCENE = _MESH | {"scene"}
_HUMANOID = _SCENE | {"humanoid"}
_RETARGET = _HUMANOID | {"locomotion", "penetration", "retarget"}
_MEASURE = _RETARGET | {"measure"}
_IO = _HUMANOID | {"io"}
_PIPELINE = _MEASURE | {"io", "stages", "pipeline"}
_PAGES = _PIPELINE | {"pages"}
MODULES_SEEN_BY = {
    "core": {"core"},
    "anim": _ANIM,
    "mesh": _MESH,
    "scene": _SCENE,
    "render": _HUMANOID | {"locomotion", "render"},
    "humanoid": _HUMANOID,
    "locomotion": _HUMANOID | {"locomotion"},
    "penetration": _HUMANOID | {"penetration"},
    "retarget": _RETARGET,
    "measure": _MEASURE,
    "io": _IO,
    "stages": _MEASURE | {"stages"},
    "pipeline": _PIPELINE,
    "pages": _PAGES,
    "batch": _PAGES | {"batch"},
}

# Library headers: the pattern of the include, the files that may have it, the rule as text.
LIBRARIES = [
    (r"spdlog/|fmt/", r"src/core/log\.cc", "only src/core/log.cc includes spdlog"),
    (r"CLI/", r"tools/.*", "only tools include CLI11"),
    (
        r"toml\+\+/|nlohmann/(?!json_fwd)",
        r"(src/(pipeline|io|batch|pages)|tools|tests)/.*\.cc",
        "TOML and JSON stay in .cc files of pipeline, io, batch, pages, tools and tests",
    ),
    (r"assimp/", r"(src/io/assimp|tests)/.*", "only src/io/assimp includes Assimp"),
    (r"glm/", r"src/core/math\.(h|cc)|tests/.*", "glm comes through core/math.h"),
    (r"png\.h$", r"src/render/png\.cc|tests/.*", "only src/render/png.cc includes libpng"),
    (r"webp/", r"src/render/webp\.cc|tests/.*", "only src/render/webp.cc includes libwebp"),
    (r"doctest/", r"tests/.*", "doctest is for tests"),
    (
        r"hwy/",
        r"src/.*_simd\.(h|cc)|tests/(bench|instruction_sets)/.*",
        "hwy is for files named *_simd",
    ),
    (
        r"sys/|(unistd|fcntl|dirent|poll|pthread|dlfcn|termios|spawn|windows)\.h$",
        r"src/core/system_[a-z_]+\.(cc|h)|tests/.*",
        "only src/core/system_* include system headers",
    ),
]

# Functions of the C library and of glm whose last bits differ between machines. `log::note` and
# members are not meant; functions that a file defines under one of these names would be.
ELEMENTARY = (
    "a?(sin|cos|tan)[hfl]?|atan2[fl]?|exp[fl2]?|expm1|log[fl2]?|log10|log1p|pow[fl]?|"
    "cbrt|hypot|fma"
)
GLM_ONLY = "slerp|mix|angleAxis|rotate|angle|axis|eulerAngles|pitch|yaw|roll|rotation|orientation"
NOT_PORTABLE = re.compile(
    rf"(std::|(?<![\w:])::|(?<![\w:.>]))({ELEMENTARY})\s*\(|"
    rf"using std::({ELEMENTARY});|"
    rf"\bglm::({ELEMENTARY}|{GLM_ONLY})\s*\("
)
INCLUDE = re.compile(r'\s*#\s*include\s+([<"])([^>"]+)[>"]')
# Not where the path goes on from a variable or from another folder.
MACHINE_PATH = re.compile(r"(?<![\w.}>/])/(work|tmp|home|root|mnt|Users)/\w")
SPDX_LICENCE = "SPDX-License-Identifier: MIT"
SPDX_AUTHORS = "SPDX-FileCopyrightText: 2026 the clipmill authors"

faults = []


def fault(path, line, rule):
    faults.append(f"{path}:{line}: {rule}")


def project_files():
    """Paths of the project's files relative to the root, without what builds leave behind."""
    skipped = re.compile(r"(^|/)(\.git|build[^/]*|node_modules|__pycache__)(/|$)")
    names = (path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file())
    return sorted(name for name in names if not skipped.search(name))


def without_comments(lines):
    """The lines with // and /* */ comments and string contents blanked; good enough for greps."""
    in_block = False
    for line in lines:
        if in_block:
            end = line.find("*/")
            if end < 0:
                yield ""
                continue
            line, in_block = line[end + 2 :], False
        line = re.sub(r'"(\\.|[^"\\])*"', '""', line)
        line = re.sub(r"/\*.*?\*/", "", line)
        line = line.split("//")[0]
        if "/*" in line:
            line, in_block = line[: line.index("/*")], True
        yield line


def check_include(name, number, target, is_quoted):
    for pattern, users, rule in LIBRARIES:
        if re.match(pattern, target) and not re.fullmatch(users, name):
            fault(name, number, rule)
    parts = name.split("/")
    if parts[0] != "src" or not is_quoted:
        return
    module, seen = parts[1], target.split("/")[0]
    if module not in MODULES_SEEN_BY:
        fault(name, number, f"the module src/{module} is not in the layering")
    elif seen not in MODULES_SEEN_BY[module]:
        fault(name, number, f"{module} must not include {target}: dependencies run down only")


def check_code(name, lines):
    is_once = "#pragma once" in lines
    is_toggled = name.endswith("_simd.h") and any("HWY_TARGET_TOGGLE" in line for line in lines)
    if name.endswith(".h") and not is_once and not is_toggled:
        fault(name, 1, "a header needs #pragma once")
    if lines[:2] != [f"// {SPDX_AUTHORS}", f"// {SPDX_LICENCE}"]:
        fault(name, 1, "the file must start with the two SPDX lines")
    is_product = name.startswith(("src/", "tools/")) and "core/portable_math." not in name
    for number, (line, code) in enumerate(zip(lines, without_comments(lines)), start=1):
        include = INCLUDE.match(line)
        if include:
            check_include(name, number, include[2], include[1] == '"')
        elif is_product and NOT_PORTABLE.search(code):
            fault(name, number, "differs between machines: use core/portable_math.h, core/math.h")


def check_text(name, lines):
    for number, line in enumerate(lines, start=1):
        if line != line.rstrip():
            fault(name, number, "blanks at the end of the line")
        if "\t" in line and not name.endswith((".tsv", "Makefile")):
            fault(name, number, "tab")
        if name.endswith((".h", ".cc", ".py", ".sh")) and len(line) > MAX_COLUMNS:
            fault(name, number, f"longer than {MAX_COLUMNS} columns")
        if MACHINE_PATH.search(line) and name != "scripts/check_style.py":
            fault(name, number, "names a path of one machine")


def check_vocabulary(name, lines):
    if vocabulary.is_checked(name):
        for number, rule in vocabulary.faults(name, lines):
            fault(name, number, rule)


def check_test(name, lines):
    # A file of tests that does not run them passes.
    if re.fullmatch(r"tests/.*/test_\w+\.py", name) and "    unittest.main(" not in [
        line[: len("    unittest.main(")] for line in lines
    ]:
        fault(name, len(lines), "does not run its tests: end it with unittest.main()")


def check_format(names):
    formatter = shutil.which("clang-format-14")
    if not formatter:
        print("check_style: no clang-format-14: formatting is not checked", file=sys.stderr)
        return
    result = subprocess.run(
        [formatter, "--dry-run", *names], cwd=ROOT, text=True, capture_output=True, check=False
    )
    if result.returncode != 0:
        sys.exit(f"check_style: clang-format-14 failed: {result.stderr.strip()}")
    unformatted = re.findall(r"^(.+?):(\d+):\d+: warning: code should be", result.stderr, re.M)
    for path, line in dict.fromkeys(unformatted):
        fault(path, line, "not as clang-format-14 would write it (scripts/format.sh)")


def main():
    code_names = []
    for name in project_files():
        try:
            text = (ROOT / name).read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue  # an image or another binary
        lines = text.split("\n")
        if lines[-1] == "":
            lines.pop()
        check_test(name, lines)
        check_vocabulary(name, lines)
        if name.split("/")[0] in CODE_FOLDERS and name.endswith((".h", ".cc")):
            code_names.append(name)
            check_code(name, lines)
        elif name.endswith((".py", ".sh", ".cmake", "CMakeLists.txt")) and SPDX_LICENCE not in text:
            fault(name, 1, "the file needs an SPDX licence line")
        if not name.startswith("samples/"):
            check_text(name, lines)
    check_format(code_names)
    print("\n".join(faults) if faults else f"check_style: {len(code_names)} source files, no fault")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
