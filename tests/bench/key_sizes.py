#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Bytes of reduced animation against gltfpack and gltf-transform at equal measured error.

  key_sizes.py FILE.glb.. --npm FOLDER     a folder in which both are installed by npm

Each file is baked to a key a frame by `clipmill merge --keys all`. The peers reduce that file; the
numpy evaluator measures what they made (largest distance of any joint at frames and between them).
clipmill reduces the same file with that error as its tolerance, with rotations of 32 and of 16
bits. Bytes are those of accessors that animations use, each once.
"""
import argparse
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[1] / 'support'))
import corpus  # noqa: E402
import glb  # noqa: E402
from clipmill_process import PROGRAM  # noqa: E402

RESAMPLE = """
import { NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { resample } from '@gltf-transform/functions';
const [input, output, tolerance] = process.argv.slice(2);
const io = new NodeIO().registerExtensions(ALL_EXTENSIONS);
const document = await io.read(input);
await document.transform(resample({ tolerance: Number(tolerance) }));
await io.write(output, document);
"""
SIZES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
WIDTHS = {'SCALAR': 1, 'VEC2': 2, 'VEC3': 3, 'VEC4': 4}


def run(*command, cwd=None):
    process = subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=cwd)
    if process.returncode != 0:
        raise SystemExit(f'{command}\n{process.stdout}\n{process.stderr}')


def without_clips(source, target):
    document, _, binary = glb.read(source)
    document.pop('animations', None)
    target.write_bytes(glb.assemble(document, binary))


def animation_bytes(path):
    document = glb.read(path)[0]
    used = set()
    for animation in document.get('animations', []):
        for sampler in animation['samplers']:
            used |= {sampler['input'], sampler['output']}
    total = 0
    for index in used:
        accessor = document['accessors'][index]
        size = SIZES[accessor['componentType']] * WIDTHS[accessor['type']]
        total += accessor['count'] * size
    return total


def paths_of(path, times_of_clip):
    """{clip: {joint name: times x 3}} of the nodes with a name of their own."""
    file = corpus.evaluator().Gltf(str(path))
    names = [node.get('name', '') for node in file.nodes]
    known = {n: i for i, n in enumerate(names) if n and names.count(n) == 1}
    result = {}
    for animation in file.json.get('animations', []):
        times = times_of_clip(file, animation)
        worlds = [file.worlds(file.sample(animation, t)) for t in times]
        result[animation.get('name')] = {
            n: np.array([w[i][:3, 3] for w in worlds]) for n, i in known.items()
        }
    return result


def error_mm(baked, reduced, times):
    others = paths_of(reduced, lambda file, animation: times[animation.get('name')])
    worst = 0.0
    for clip, joints in baked.items():
        for name, path in joints.items():
            if name in others[clip]:
                worst = max(worst, float(np.linalg.norm(path - others[clip][name], axis=1).max()))
    return 1e3 * worst


def times_of_baked(path):
    """{clip: frames and the middles between them}"""
    file = corpus.evaluator().Gltf(str(path))
    times = {}
    for animation in file.json['animations']:
        start, end = file.clip_range(animation)
        times[animation.get('name')] = np.linspace(start, end, 2 * round((end - start) * 30) + 1)
    return times


def compare(source, npm, folder):
    bare, baked = folder / 'bare.glb', folder / 'baked.glb'
    without_clips(source, bare)
    merge = [PROGRAM, 'merge', bare, source, '--names', 'clip', '--feet', 'off', '--fps', '30']
    merge += ['--no-penetration', '-q']
    run(*merge, '--keys', 'all', '-o', baked)
    times = times_of_baked(baked)
    exact = paths_of(baked, lambda file, animation: times[animation.get('name')])
    script = npm / 'resample.mjs'
    script.write_text(RESAMPLE)
    pack = ['node', npm / 'node_modules/gltfpack/cli.js', '-i', baked, '-kn', '-ke', '-af', '30']
    peers = {
        'gltfpack -noq': [*pack, '-noq', '-o', folder / 'p0.glb'],
        'gltfpack 16 bit': [*pack, '-ar', '16', '-at', '24', '-o', folder / 'p1.glb'],
        'gltfpack default': [*pack, '-o', folder / 'p2.glb'],
        'resample 1e-4': ['node', script, baked, folder / 'r0.glb', '1e-4'],
        'resample 1e-3': ['node', script, baked, folder / 'r1.glb', '1e-3'],
    }
    print(f'{source.name}: baked {animation_bytes(baked)} bytes')
    for name, command in peers.items():
        run(*command, cwd=npm)
        output = next(c for c in command if str(c).startswith(str(folder)) and c != baked)
        error = error_mm(exact, output, times)
        print('  %-18s %8d bytes, %8.4f mm' % (name, animation_bytes(output), error), end='')
        for title, options in (('clipmill', []), ('16-bit', ['--short-rotations'])):
            ours = folder / 'ours.glb'
            run(*merge, *options, '--key-tolerance-mm', max(error, 1e-4), '-o', ours)
            numbers = (title, animation_bytes(ours), error_mm(exact, ours, times))
            print('   %s %8d bytes, %8.4f mm' % numbers, end='')
        print()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('files', nargs='+', type=pathlib.Path)
    parser.add_argument('--npm', type=pathlib.Path, required=True)
    options = parser.parse_args()
    for path in options.files:
        with tempfile.TemporaryDirectory(prefix='clipmill-keys-') as folder:
            compare(path.resolve(), options.npm.resolve(), pathlib.Path(folder))


if __name__ == '__main__':
    main()
