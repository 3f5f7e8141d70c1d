#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""Copyrights and licences of what is linked into the programs of a release, as Debian records them:

    scripts/third_party.py linux|windows|npm

writes them to standard output. scripts/sbom.py reads the same lists.
"""
import pathlib
import sys

# Package of Debian: licence as SPDX spells it. Compiled into every program, or linked to it.
LIBRARIES = {
    'libcli11-dev': 'BSD-3-Clause',
    'libeigen3-dev': 'MPL-2.0',
    'libfmt-dev': 'MIT',
    'libglm-dev': 'MIT',
    'libhwy-dev': 'Apache-2.0',
    'libmeshoptimizer-dev': 'MIT',
    'libpng-dev': 'libpng-2.0',
    'libspdlog-dev': 'MIT',
    'libtomlplusplus-dev': 'MIT',
    'libwebp-dev': 'BSD-3-Clause',
    'libxxhash-dev': 'BSD-2-Clause',
    'nlohmann-json3-dev': 'MIT',
    'zlib1g-dev': 'Zlib',
}
# The helper program alone, which packages of Debian have.
IMPORTER_LIBRARIES = {'libassimp-dev': 'BSD-3-Clause'}
# Libraries of a system and of a compiler, which programs without shared libraries contain.
GCC_RUNTIME = 'GPL-3.0-or-later WITH GCC-exception-3.1'
RUNTIMES = {
    'linux': {'libc6-dev': 'LGPL-2.1-or-later', 'libstdc++-12-dev': GCC_RUNTIME},
    'windows': {
        'mingw-w64-x86-64-dev': 'LicenseRef-mingw-w64',
        'gcc-mingw-w64-x86-64-posix-runtime': GCC_RUNTIME,
    },
    'npm': {'emscripten': 'MIT AND Apache-2.0 WITH LLVM-exception'},
}
# Licences that those records name and do not hold.
TEXTS = ('Apache-2.0', 'GPL-3', 'LGPL-2.1', 'MPL-2.0')
RULE = '=' * 78


def copyright_of(package):
    return pathlib.Path(f'/usr/share/doc/{package}/copyright').read_text().rstrip()


def text_of(licence):
    return pathlib.Path(f'/usr/share/common-licenses/{licence}').read_text().rstrip()


def notices(part):
    packages = sorted([*LIBRARIES, *RUNTIMES[part]])
    head = (
        'This program contains parts of the packages below. Their copyrights and licences are as\n'
        'Debian records them; some of these records name files that are not part of the program.'
    )
    texts = {package: copyright_of(package) for package in packages}
    texts |= {licence: text_of(licence) for licence in TEXTS}
    sections = [f'{RULE}\n{name}\n{RULE}\n{text}' for name, text in texts.items()]
    return '\n\n'.join([head, *sections]) + '\n'


if __name__ == '__main__':
    if len(sys.argv) != 2 or sys.argv[1] not in RUNTIMES:
        sys.exit('usage: scripts/third_party.py ' + '|'.join(RUNTIMES))
    sys.stdout.write(notices(sys.argv[1]))
