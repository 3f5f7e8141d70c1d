#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Bytes of reduced animation against gltfpack and gltf-transform at equal measured error.

  key_sizes.py FILE.glb.. --npm FOLDER     a folder in which both are installed by npm

Each file is baked to a key a frame by `clipmill merge --keys all`. The peers reduce that file; the
numpy evaluator measures what they made: the largest distance of any joint, and of the points on its
axes as far away as its skin reaches (the shell distance of ACL), at frames and between them.
clipmill reduces the same file, with rotations of 32 and of 16 bits, with the tolerance that gives
the fewest bytes of those tried for which the evaluator measures no larger error. Bytes are those of
accessors that animations use, each once.
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
TRIES = 5
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


def shells_of(path):
    """{joint name: how far its joint's skin reaches from it at rest}, as ACL's shell distance."""
    file = corpus.evaluator().Gltf(str(path))
    shells = {}
    for node in file.nodes:
        if 'skin' not in node or 'mesh' not in node:
            continue
        skin = file.json['skins'][node['skin']]
        binds = file.accessor(skin['inverseBindMatrices']).reshape(-1, 4, 4).transpose(0, 2, 1)
        for primitive in file.json['meshes'][node['mesh']]['primitives']:
            read = {k: file.accessor(v) for k, v in primitive['attributes'].items()}
            points = np.hstack([read['POSITION'], np.ones((len(read['POSITION']), 1))])
            for slot, joint in enumerate(skin['joints']):
                own = ((read['JOINTS_0'] == slot) & (read['WEIGHTS_0'] > 0.01)).any(axis=1)
                if own.any():
                    reach = np.linalg.norm((points[own] @ binds[slot].T)[:, :3], axis=1).max()
                    name = file.nodes[joint].get('name', '')
                    shells[name] = max(shells.get(name, 0.0), float(reach))
    return shells


def paths_of(path, times_of_clip, shells):
    """{clip: {joint name: times x 4 points x 3}} of the nodes with a name of their own: the origin,
    and on each axis the point at the shell distance."""
    file = corpus.evaluator().Gltf(str(path))
    names = [node.get('name', '') for node in file.nodes]
    known = {n: i for i, n in enumerate(names) if n and names.count(n) == 1}
    result = {}
    for animation in file.json.get('animations', []):
        times = times_of_clip(file, animation)
        worlds = [file.worlds(file.sample(animation, t)) for t in times]
        result[animation.get('name')] = {
            n: np.array([shell_points(w[i], shells.get(n, 0.0)) for w in worlds])
            for n, i in known.items()
        }
    return result


def shell_points(world, shell):
    origin = world[:3, 3]
    return [origin, *(origin + shell * world[:3, axis] for axis in range(3))]


def error_mm(exact, reduced):
    baked, times, shells = exact
    others = paths_of(reduced, lambda file, animation: times[animation.get('name')], shells)
    worst = 0.0
    for clip, joints in baked.items():
        for name, path in joints.items():
            if name in others[clip]:
                worst = max(worst, float(np.linalg.norm(path - others[clip][name], axis=2).max()))
    return 1e3 * worst


def times_of_baked(path):
    """{clip: frames and the middles between them}"""
    file = corpus.evaluator().Gltf(str(path))
    times = {}
    for animation in file.json['animations']:
        start, end = file.clip_range(animation)
        times[animation.get('name')] = np.linspace(start, end, 2 * round((end - start) * 30) + 1)
    return times


def smallest_within(command, output, exact, error):
    """Bytes and measured error of the smallest output of clipmill that is not off by more."""
    tolerance, best = max(error, 1e-4), None
    for _ in range(TRIES):
        run(*command, '--key-tolerance-mm', tolerance, '-o', output)
        result = animation_bytes(output), error_mm(exact, output)
        if result[1] <= error and (best is None or result < best):
            best = result
        tolerance *= min(2.0, 0.98 * error / max(result[1], 1e-9))
    return best or result


def compare(source, npm, folder):
    bare, baked = folder / 'bare.glb', folder / 'baked.glb'
    without_clips(source, bare)
    merge = [PROGRAM, 'merge', bare, source, '--names', 'clip', '--feet', 'off', '--fps', '30']
    merge += ['--no-penetration', '-q']
    run(*merge, '--keys', 'all', '-o', baked)
    times = times_of_baked(baked)
    shells = shells_of(baked)
    paths = paths_of(baked, lambda file, animation: times[animation.get('name')], shells)
    exact = paths, times, shells
    script = npm / 'resample.mjs'
    script.write_text(RESAMPLE)
    pack = ['node', npm / 'node_modules/gltfpack/cli.js', '-i', baked, '-kn', '-ke', '-af', '30']
    peers = {
        'gltfpack': [*pack, '-noq', '-o', folder / 'p0.glb'],
        'resample 1e-4': ['node', script, baked, folder / 'r0.glb', '1e-4'],
        'resample 1e-3': ['node', script, baked, folder / 'r1.glb', '1e-3'],
    }
    print(f'{source.name}: baked {animation_bytes(baked)} bytes')
    for name, command in peers.items():
        run(*command, cwd=npm)
        output = next(c for c in command if str(c).startswith(str(folder)) and c != baked)
        error = error_mm(exact, output)
        print('  %-18s %8d bytes, %8.4f mm' % (name, animation_bytes(output), error), end='')
        for title, options in (('clipmill', []), ('16-bit', ['--short-rotations'])):
            command = [*merge, *options]
            ours = smallest_within(command, folder / 'ours.glb', exact, error)
            print('   %s %8d bytes, %8.4f mm' % (title, *ours), end='')
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
