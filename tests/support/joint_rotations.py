# SPDX-License-Identifier: MIT
"""Rotations of the joints of a clip by numpy, at its frames and at the midpoints between them,
and what differs between two files: angles, jerk, positions. It shares no code with the program."""
import numpy as np

import pose_evaluator


def _world(matrices, parents, order):
    worlds = np.empty_like(matrices)
    for i in order:
        worlds[:, i] = worlds[:, parents[i]] @ matrices[:, i] if i in parents else matrices[:, i]
    return worlds


class ClipPoses:
    """Locals and worlds (sample, node, 4, 4) of one clip of a glTF file."""

    def __init__(self, path, clip_name, fps=30.0):
        gltf = pose_evaluator._Gltf(path)
        clip = next(a for a in gltf.json['animations'] if a.get('name') == clip_name)
        inputs = [gltf.accessor(s['input'])[:, 0] for s in clip['samplers']]
        start_s = min(t[0] for t in inputs)
        frames = int(round((max(t[-1] for t in inputs) - start_s) * fps)) + 1
        times = start_s + np.arange(2 * frames - 1) / (2 * fps)
        self.fps = fps
        self.names = [node.get('name', '') for node in gltf.nodes]
        tracks = [{} for _ in times]
        outputs = {}
        for channel in clip['channels']:
            sampler, path_name = clip['samplers'][channel['sampler']], channel['target']['path']
            node = channel['target']['node']
            key = (sampler['input'], sampler['output'], path_name)
            if key not in outputs:
                outputs[key] = _sampled(gltf, sampler, path_name, times)
            for k, value in enumerate(outputs[key]):
                tracks[k].setdefault(node, {})[path_name] = value
        self.locals = np.array(
            [[gltf.local(i, t.get(i, {})) for i in range(len(gltf.nodes))] for t in tracks]
        )
        order, todo = [], [i for i in range(len(gltf.nodes)) if i not in gltf.parents]
        while todo:
            order.append(todo.pop())
            todo += gltf.nodes[order[-1]].get('children', [])
        self.worlds = _world(self.locals, gltf.parents, order)

    def rotations(self, name):
        """Local rotation matrices of a node, without scale."""
        linear = self.locals[:, self.names.index(name), :3, :3]
        return linear / np.linalg.norm(linear, axis=1, keepdims=True)

    def positions(self, name):
        return self.worlds[:, self.names.index(name), :3, 3]


def _sampled(gltf, sampler, path, times):
    keys = gltf.accessor(sampler['input'])[:, 0]
    values = gltf.accessor(sampler['output'])
    if len(keys) < 2 or sampler.get('interpolation', 'LINEAR') != 'LINEAR':
        if len(keys) < 2:
            return [values[0]] * len(times)
        return [gltf.sampled(sampler, path, t) for t in times]
    at = np.clip(np.searchsorted(keys, times, 'right') - 1, 0, len(keys) - 2)
    share = np.clip((times - keys[at]) / (keys[at + 1] - keys[at]), 0, 1)[:, None]
    a, b = values[at], values[at + 1]
    if path != 'rotation':
        return a + share * (b - a)
    b = np.where((a * b).sum(1, keepdims=True) < 0, -b, b)
    angle = 2 * np.arctan2(
        np.linalg.norm(a - b, axis=1, keepdims=True), np.linalg.norm(a + b, axis=1, keepdims=True)
    )
    near = np.maximum(angle, 1e-9)
    slerp = (np.sin((1 - share) * near) * a + np.sin(share * near) * b) / np.sin(near)
    return np.where(angle < 1e-9, a, slerp)


def angles_deg(before, after):
    """The angle between rotation matrices, sample by sample."""
    apart = np.linalg.norm(before - after, axis=(1, 2))  # = sqrt(8) sin(angle / 2)
    return np.degrees(2 * np.arcsin(np.minimum(apart / np.sqrt(8), 1)))


def rms_jerk(rotations, fps):
    """Of the frames of (sample, 3, 3): root mean square of the third derivative, rad/s^3: second
    difference of the angular velocity in the frame of the parent."""
    frames = rotations[::2]
    steps = frames[1:] @ np.transpose(frames[:-1], (0, 2, 1))
    axis = np.stack(
        [steps[:, 2, 1] - steps[:, 1, 2], steps[:, 0, 2] - steps[:, 2, 0],
         steps[:, 1, 0] - steps[:, 0, 1]], 1) / 2  # fmt: skip
    sine = np.linalg.norm(axis, axis=1)
    angle = np.arctan2(sine, (np.trace(steps, axis1=1, axis2=2) - 1) / 2)
    velocity = axis * (angle / np.maximum(sine, 1e-12))[:, None] * fps
    jerk = np.diff(velocity, 2, axis=0) * fps * fps
    return float(np.sqrt((jerk**2).sum(1).mean())) if len(jerk) else 0.0
