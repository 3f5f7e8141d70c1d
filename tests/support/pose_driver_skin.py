# SPDX-License-Identifier: MIT
"""Skins with the weights of the player for three.js, by the independent evaluator."""
import json

import baked_skin
import numpy
from clipmill_process import ROOT, run

PLAYER = ROOT / 'tests' / 'support' / 'play_drivers.mjs'


def played(skin, drivers, poses):
    """Weights of the morphs by name, one per pose, and transforms of the helper joints by name, for
    each pose; poses as of Gltf.sample()."""
    joints = sorted({j['name'] for d in drivers['drivers'] for j in d['joints']})
    number = {n.get('name'): i for i, n in enumerate(skin.gltf.nodes)}
    frames = []
    for pose in poses:
        frame = {}
        for name in joints:
            node = skin.gltf.nodes[number[name]]
            rest = node.get('rotation', [0, 0, 0, 1])
            frame[name] = [float(x) for x in pose.get(number[name], {}).get('rotation', rest)]
        frames.append(frame)
    text = json.dumps({'drivers': drivers, 'frames': frames})
    shown = json.loads(run('node', PLAYER, input=text))
    return dict(zip(shown['names'], numpy.array(shown['weights']).T)), shown['helpers']


def played_positions(skin, drivers, clip, times):
    """Positions of all skinned vertices with played weights and helpers: frames x vertices x 3."""
    gltf = skin.gltf
    skinned = {gltf.path(i) for i, n in enumerate(gltf.nodes) if 'mesh' in n and 'skin' in n}
    poses = [gltf.sample(skin.clips[clip], time) for time in times]
    weights, helpers = played(skin, drivers, poses)
    frames = []
    number = {n.get('name'): i for i, n in enumerate(gltf.nodes)}
    for f, pose in enumerate(poses):
        for name, transform in helpers[f].items():
            parts = {path: numpy.array(numbers) for path, numbers in transform.items()}
            pose.setdefault(number[name], {}).update(parts)
        for i, node in enumerate(gltf.nodes):
            if 'mesh' not in node:
                continue
            mesh = gltf.json['meshes'][node['mesh']]
            names = mesh.get('extras', {}).get('targetNames', [])
            own = pose.setdefault(i, {})
            rest = own.get('weights', mesh.get('weights', [0.0] * len(names)))
            own['weights'] = [
                weights[name][f] if name in weights else rest[k] for k, name in enumerate(names)
            ]
        parts = gltf.vertices(pose, gltf.worlds(pose))
        frames.append(numpy.concatenate([p for path, _, p in parts if path in skinned]))
    return numpy.array(frames)


def frame_times(skin, clip, fps):
    """Times of the frames of a clip, the last one at its end."""
    start, end = skin.gltf.clip_range(skin.clips[clip])
    count = max(1, int(numpy.ceil((end - start) * fps - 1e-3)) + 1)
    return [min(start + f / fps, end) for f in range(count)]


def moved_vertices(solved, plain):
    """Vertices that the solved surface moves anywhere; lists of frames x vertices x 3."""
    moved = numpy.zeros(solved[0].shape[1], bool)
    for a, b in zip(solved, plain):
        moved |= abs(a - b).max(axis=(0, 2)) > baked_skin.MOVED
    return moved


def rms_mm(positions, wanted, moved):
    """Root mean square distance over the vertices that move, all clips together."""
    squares = [((a - b)[:, moved] ** 2).sum(axis=2).ravel() for a, b in zip(positions, wanted)]
    return 1e3 * float(numpy.sqrt(numpy.concatenate(squares).mean()))
