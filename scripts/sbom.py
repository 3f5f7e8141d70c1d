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
import os
import pathlib
import re
import subprocess
import sys

from third_party import IMPORTER_LIBRARIES, LIBRARIES, RUNTIMES, copyright_of

ROOT = pathlib.Path(__file__).resolve().parent.parent


def project_value(pattern):
    return re.search(pattern, (ROOT / 'CMakeLists.txt').read_text()).group(1)


def debian_versions(packages):
    """The version of each package: the installed one, or the one that apt would install."""
    command = ['apt-cache', 'policy', *packages]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, 'LC_ALL': 'C'}
    )
    found = re.findall(r'^(\S+):\n  Installed: (\S+)\n  Candidate: (\S+)', done.stdout, re.M)
    return {name: other if here == '(none)' else here for name, here, other in found}


def identifier_of(name):
    """SPDX takes letters, digits, dots and hyphens."""
    return 'SPDXRef-' + re.sub(r'[^A-Za-z0-9.-]', '-', name)


def package(identifier, name, version, licence):
    return {
        'SPDXID': identifier_of(identifier),
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
        'SPDXID': identifier_of(path.name),
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
    linked = {**LIBRARIES, **IMPORTER_LIBRARIES}
    for runtime in RUNTIMES.values():
        linked |= runtime
    versions = debian_versions(linked)
    libraries = [package(name, name, versions[name], linked[name]) for name in sorted(linked)]
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
        'hasExtractedLicensingInfos': [
            {
                'licenseId': 'LicenseRef-mingw-w64',
                'name': 'licences of mingw-w64',
                'extractedText': copyright_of('mingw-w64-x86-64-dev'),
            }
        ],
        'relationships': [
            {'spdxElementId': a, 'relationshipType': kind, 'relatedSpdxElement': b}
            for a, kind, b in relations
        ],
    }


if __name__ == '__main__':
    if len(sys.argv) < 2:
        sys.exit('usage: scripts/sbom.py FILE..')
    print(json.dumps(bill(sys.argv[1:]), indent=2))
