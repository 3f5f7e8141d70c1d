# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""The project's words: for each word that is not the field's, the word to write in its place.

check_style.py reports every hit. `python3 scripts/vocabulary.py [PATH...]` prints the hits of some
files or folders alone, relative to the current folder.
"""
import re
import sys
from pathlib import Path

FOLDERS = ("src", "tools", "docs", "samples", "tests", "scripts", "cmake", "integrations")
FILES = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md")
ENDINGS = (
    *(".h", ".cc", ".py", ".sh", ".md", ".js", ".mjs", ".cjs", ".css", ".html"),
    *(".cmake", ".toml", ".in", "CMakeLists.txt"),
)
# These files name the words themselves.
EXEMPT = ("scripts/vocabulary.py",)

# Whole words of prose, and parts of camelCase and snake_case names, in any case.
WORDS = {
    "way|ways": "root motion, root trajectory; in prose: method, direction",
    "figure|figures": "character (of a file: model); of numbers: value",
    "journey|journeys": "RootWarp, warp",
    "lever|levers": "error sensitivity",
    "bell|bells": "Gaussian",
    "flesh": "soft tissue",
    "bed|beds": "elastic foundation",
    "gate|gates|gated|gating": "fallback",
    "touch|touches|touched|touching|untouched": "contact; of tracks: modified",
    "freed|freeing|freer|frees": "depenetrate, resolve penetration",
    "deep|deeper|deepest|deeply": "penetration depth, max_penetration",
    "tell|tells|told|telling|said|says|say|saying": "report, state, identify",
    "place|places|placed|placing": "position, location; verb: put, set",
    "turn|turns|turned|turning|turnings": "rotation, rotate; become, convert",
    "begin|begins|began|begun|beginning|beginnings": "start",
    "house|houses|room|rooms|door|doors": "project, module, interface",
    "picture|pictures|pictured": "image, texture, contact sheet",
    "answer|answers|answered|answering": "response, result; return",
    "wire|wires|wired": "IPC message",
    "stand|stands|stood": "is planted (foot); is, represents",
    "carrier|carriers": "root-motion joint",
    "lost": "conversion_loss, dropped, missing",
    "words": "enum_names; tokens, names",
}
# Phrases, and parts of names that are wrong only together.
PHRASES = {
    r"few[ _]?worlds": "PartialPose",
    r"lower[ _]?rest\b": "lower-energy equilibrium",
    r"tip[ _]?(meter|reach)": "ErrorMetric, shell distance",
    r"cut weights": "clamp weights",
    r"go(es)? over into": "cross-fade into",
    r"(are|is) no numbers?\b": "NaN or infinity",
    r"hands? over": "transfer",
    r"(bones?|tets|tetrahedra) drives?\b": "binding (tetrahedra); animate, control",
    r"who uses us": "user, client code",
    r"\b(longest|most)_\w+": "max_*",
    r"\bvertices_inside|\binside_(vertices|share)|_inside\b": "penetrating",
}
# Names of other people's interfaces and fixed expressions of the field; a hit within is none.
ALLOWED = (
    r"\b(std::\w*|c?r?)begin\b *\(|[.>:]begin\b *\(|\bsource\(\)\.begin\b",  # C++, toml++
    r"\bTEST_SUITE_BEGIN\b",  # doctest
    r"\bHWY_(BEFORE|AFTER)_NAMESPACE\b|\bpng_image_begin\w*",
    r"\bWEBP_PRESET_PICTURE\b|\bWebPPicture\w*",
    r"\bTell\(\)",  # Assimp
    r"\bCOMP_WORDS\b|\$words\b|\bshift words\b",  # bash and zsh completion
    r"\bplaces=",  # unittest
    r"\bassert\.deepEqual\b",  # node
    r"\bhasTouch\b|\btouch-action\b|\bplace-(content|items|self)\b|['\"<]/?figure\b['\">]",  # web
    r"(?<![A-Za-z])RiggedFigure\b",  # a model of the Khronos samples
    r"\bplaceholder|\bplacement\b|\bin[ -]place\b|in_place(?![a-z])|[iI]nPlace(?![a-z])",
    r"\bdecimal places?\b",
    # Names that people give to joints and clips.
    r"\"(wires?|begin|stand|turn)\"|\"[A-Za-z|]*_?(Stand_?Up|In_Place)\"",
)

_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_WORD = re.compile("|".join(f"(?P<w{i}>{words})" for i, words in enumerate(WORDS)))
_PHRASE = [(re.compile(phrase, re.IGNORECASE), instead) for phrase, instead in PHRASES.items()]
_ALLOWED = re.compile("|".join(ALLOWED))
_INSTEAD = list(WORDS.values())


def hits(line):
    """Pairs of a word in `line` that is not the field's and what to write in its place."""
    rest = _ALLOWED.sub(" ", line)
    for part in _PART.finditer(rest):
        word = _WORD.fullmatch(part.group().lower())
        if word:
            yield part.group(), _INSTEAD[int(word.lastgroup[1:])]
    for phrase, instead in _PHRASE:
        for match in phrase.finditer(rest):
            yield match.group(), instead


def is_checked(name):
    """Whether the rule holds for the file `name`, a path relative to the root of the project."""
    in_scope = name.split("/")[0] in FOLDERS or name in FILES
    return in_scope and name.endswith(ENDINGS) and name not in EXEMPT


def faults(name, lines):
    """Pairs of a line number and a rule for all hits in a file's name (line 1) and lines."""
    for number, line in enumerate([name, *lines]):
        for word, instead in dict.fromkeys(hits(line)):
            yield max(number, 1), f"the word '{word}': write {instead}"


def main():
    found = False
    for argument in sys.argv[1:] or [*FOLDERS, *FILES]:
        top = Path(argument)
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            name = path.as_posix()
            if not is_checked(name) or "node_modules" in name or not path.is_file():
                continue
            for line, rule in faults(name, path.read_text(encoding="utf-8").split("\n")):
                print(f"{name}:{line}: {rule}")
                found = True
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
