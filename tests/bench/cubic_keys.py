#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Keys and bytes of reduced animation, linear and cubic, at three tolerances.

  cubic_keys.py FILE..

Each glTF file is merged onto itself without its clips, at 30 Hz; bytes are those of accessors that
animations use, each once, as in key_sizes.py. Each FBX file is mirrored, which keys all that it
animates; bytes are those of the file.
"""
import argparse
import json
import pathlib
import tempfile

import key_sizes

TOLERANCES_MM = (0.1, 0.5, 2)
FORMS = {
    'linear': [],
    'cubic_keys': ['--cubic-keys'],
    'short_rotations': ['--short-rotations'],
    'both': ['--short-rotations', '--cubic-keys'],
}


def command_of(source, folder):
    if source.suffix == '.fbx':
        return ['mirror', source]
    bare = folder / 'bare.glb'
    key_sizes.without_clips(source, bare)
    return ['merge', bare, source, '--names', 'clip', '--feet', 'off', '--no-penetration']


def measure(source, folder):
    command = [key_sizes.PROGRAM, *command_of(source, folder), '--fps', '30', '-q']
    output, report = folder / f'out{source.suffix}', folder / 'report.json'
    for tolerance in TOLERANCES_MM:
        print(f'{source.name} {tolerance} mm:', end='')
        for form, options in FORMS.items():
            if source.suffix == '.fbx' and '--short-rotations' in options:
                continue
            options = [*options, '--key-tolerance-mm', tolerance, '--report', report]
            key_sizes.run(*command, *options, '-o', output)
            clips = json.loads(report.read_text())['clips']
            keys = sum(clip['keys']['after'] for clip in clips)
            is_fbx = source.suffix == '.fbx'
            size = output.stat().st_size if is_fbx else key_sizes.animation_bytes(output)
            print(f'  {form} {keys} keys, {size} bytes', end='')
        print()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('files', nargs='+', type=pathlib.Path)
    for path in parser.parse_args().files:
        with tempfile.TemporaryDirectory(prefix='clipmill-keys-') as folder:
            measure(path.resolve(), pathlib.Path(folder))


if __name__ == '__main__':
    main()
