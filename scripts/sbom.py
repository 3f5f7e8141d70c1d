#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""Writes the software bill of materials of a release, in SPDX 2.3 JSON, to standard output:

    scripts/sbom.py FILE..

It names the files of the release with their SHA-256 sums, and the libraries that are linked into
them, with the versions of the packages that they were built from.
"""
import hashlib
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What is linked, or whose headers are compiled in: package of Debian, licence.
LIBRARIES = [
    ('libassimp-dev', 'BSD-3-Clause'),
    ('libcli11-dev', 'BSD-3-Clause'),
    ('libeigen3-dev', 'MPL-2.0'),
    ('libfmt-dev', 'MIT'),
    ('libglm-dev', 'MIT'),
    ('libhwy-dev', 'Apache-2.0'),
    ('libmeshoptimizer-dev', 'MIT'),
    ('libpng-dev', 'libpng-2.0'),
    ('libspdlog-dev', 'MIT'),
    ('libtomlplusplus-dev', 'MIT'),
    ('libwebp-dev', 'BSD-3-Clause'),
    ('libxxhash-dev', 'BSD-2-Clause'),
    ('nlohmann-json3-dev', 'MIT'),
    ('zlib1g-dev', 'Zlib'),
]


def project_value(pattern):
    return re.search(pattern, (ROOT / 'CMakeLists.txt').read_text()).group(1)


def debian_version(package):
    """The version of an installed package, or of the one that apt would install."""
    command = ['apt-cache', 'policy', package]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return re.search(r'Candidate: (\S+)', text).group(1)


def package(identifier, name, version, licence):
    return {
        'SPDXID': f'SPDXRef-{identifier}',
        'name': name,
        'versionInfo': version,
        'downloadLocation': 'NOASSERTION',
        'filesAnalyzed': False,
        'licenseConcluded': licence,
        'licenseDeclared': licence,
        'copyrightText': 'NOASSERTION',
    }


def npm_library(name, licence):
    lock = json.loads((ROOT / 'tools/viewer/package-lock.json').read_text())
    version = lock['packages'][f'node_modules/{name}']['version']
    return package(f'npm-{name}', name, version, licence)


def released_file(path):
    return {
        'SPDXID': 'SPDXRef-' + re.sub(r'[^A-Za-z0-9.-]', '-', path.name),
        'fileName': f'./{path.name}',
        'checksums': [
            {
                'algorithm': 'SHA256',
                'checksumValue': hashlib.sha256(path.read_bytes()).hexdigest(),
            }
        ],
        'licenseConcluded': 'MIT',
        'copyrightText': 'NOASSERTION',
    }


def bill(paths):
    version = project_value(r'project\(clipmill VERSION ([0-9.]+)')
    released = project_value(r'CLIPMILL_RELEASE_DATE ([0-9-]+)')
    libraries = [package(name, name, debian_version(name), licence) for name, licence in LIBRARIES]
    libraries += [npm_library('three', 'MIT'), npm_library('uplot', 'MIT')]
    program = package('clipmill', 'clipmill', version, 'MIT')
    files = [released_file(pathlib.Path(path)) for path in paths]
    digest = hashlib.sha256(json.dumps([files, libraries]).encode()).hexdigest()
    relations = [('SPDXRef-DOCUMENT', 'DESCRIBES', 'SPDXRef-clipmill')]
    relations += [('SPDXRef-clipmill', 'DEPENDS_ON', entry['SPDXID']) for entry in libraries]
    relations += [(entry['SPDXID'], 'GENERATED_FROM', 'SPDXRef-clipmill') for entry in files]
    return {
        'spdxVersion': 'SPDX-2.3',
        'dataLicense': 'CC0-1.0',
        'SPDXID': 'SPDXRef-DOCUMENT',
        'name': f'clipmill-{version}',
        'documentNamespace': f'https://clipmill.invalid/sbom/{version}/{digest}',
        'creationInfo': {'created': f'{released}T00:00:00Z', 'creators': ['Tool: scripts/sbom.py']},
        'packages': [program, *libraries],
        'files': files,
        'relationships': [
            {'spdxElementId': a, 'relationshipType': kind, 'relatedSpdxElement': b}
            for a, kind, b in relations
        ],
    }


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit('usage: scripts/sbom.py FILE..')
    print(json.dumps(bill(sys.argv[1:]), indent=2))
