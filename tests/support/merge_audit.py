# SPDX-License-Identifier: MIT
"""Clips on another character against their source, by numpy alone: directions of limbs, facing, and
how far the lowest point of the skin is from the ground. Both files are read by the independent
evaluators; which joint has which role is given."""
import gzip
import json

import corpus

LIMBS = [
    (side + part, side + end)
    for side in ('left', 'right')
    for part, end in (
        ('UpperArm', 'LowerArm'),
        ('LowerArm', 'Hand'),
        ('UpperLeg', 'LowerLeg'),
        ('LowerLeg', 'Foot'),
    )
]
FRACTIONS = (0, 0.11, 0.25, 0.37, 0.5, 0.63, 0.77, 0.9, 1)
NEAR_GROUND_M = 0.01


def rests(path):
    """Steps between samples in which an ankle rests near the ground, and in those beside them."""
    import numpy as np

    steps_m = np.linalg.norm(np.diff(path, axis=0), axis=1)
    low = path[1:, 1] < np.percentile(path[:, 1], 5) + 0.005
    still = (steps_m < 5e-4) & low
    inner = still.copy()
    inner[1:] &= still[:-1]
    inner[:-1] &= still[1:]
    inner[:1] = inner[-1:] = False
    return inner


class GltfClips:
    """A glTF, VRM or VRMA file by oracle/gltf_eval.py."""

    def __init__(self, path, roles):
        self.file = corpus.evaluator().Gltf(str(path))
        names = [node.get('name', '') for node in self.file.nodes]
        self.nodes = {role: names.index(name) for role, name in roles.items() if name in names}

    def clips(self):
        return self.file.json.get('animations', [])

    def positions(self, clip, times):
        """{role: times x 3} in metres, y up, at times from the start of the clip."""
        import numpy as np

        worlds = [self.file.worlds(pose) for pose in self.poses(clip, times)]
        return {
            role: np.array([world[node][:3, 3] for world in worlds])
            for role, node in self.nodes.items()
        }

    def poses(self, clip, times):
        start = self.file.clip_range(clip)[0]
        return [self.file.sample(clip, start + t) for t in times]

    def hips_m(self):
        """Height of the hips in the rest pose."""
        return self.file.worlds({})[self.nodes['hips']][1, 3]

    def lowest_m(self, clip, times):
        """Height of the lowest vertex of skinned meshes at times."""
        import numpy as np

        skinned = {self.file.path(i) for i, n in enumerate(self.file.nodes) if 'skin' in n}
        heights = []
        for pose in self.poses(clip, times):
            parts = self.file.vertices(pose, self.file.worlds(pose))
            low = [p[:, 1].min() for path, _, p in parts if path in skinned]
            heights.append(min(low, default=np.nan))
        return np.array(heights)


def frame_times(clip):
    """About FRACTIONS of a clip of a report, at its frames: [s] from its start."""
    last = clip['frames'] - 1
    return sorted({round(f * last) / clip['fps'] for f in FRACTIONS})


def stored_positions(name, roles, metres):
    """Positions of an FBX file with y up and stored poses of ufbx, at FRACTIONS of each stack:
    [(stack, {role: 9 x 3}, times)]."""
    import numpy as np

    stored = corpus.CORPUS / 'expected_poses' / (name + '.json.gz')
    poses = json.loads(gzip.decompress(stored.read_bytes()))
    ends = [path.split('/')[-1] for path in poses['nodes']]
    clips = []
    for clip in poses['clips']:
        world = np.array(clip['world'])[:, :, 3::4] * metres
        clips.append(
            (
                clip['name'],
                {r: world[:, ends.index(node)] for r, node in roles.items() if node in ends},
                [time - clip['times'][0] for time in clip['times']],
            )
        )
    return clips


def steps_near_ground(positions, times, hips_m):
    """(weights, horizontal velocities) of ankles and toes in hip heights a second; a weight is
    2 - 2^(h/H) up to the height H = 2.6 % of the hips over the level of a joint, then 0."""
    import numpy as np

    weights, velocities = [], []
    for role in ('leftFoot', 'leftToes', 'rightFoot', 'rightToes'):
        if role not in positions:
            continue
        path = positions[role]
        level = np.sort(path[:, 1])[int(0.05 * len(path))]
        height = np.clip((path[:, 1] - level) / (0.026 * hips_m), 0, 1)
        weights.append(np.where(height < 1, 2 - 2**height, 0))
        velocities.append(np.gradient(path[:, [0, 2]], times, axis=0) / hips_m)
    return np.concatenate(weights), np.concatenate(velocities)


def skate(weights, velocities):
    """Mean weighted speed, relative to the ground: that moves at the weighted mean velocity."""
    import numpy as np

    ground = (weights[:, None] * velocities).sum(axis=0) / max(weights.sum(), 1e-9)
    return (weights * np.linalg.norm(velocities - ground, axis=1)).sum() / len(weights)


def down_in_both(weights, other_weights):
    """Weights of feet that are near the ground on both characters: a foot that one of them has in
    the air does not skate."""
    import numpy as np

    return np.minimum(weights, other_weights)


def directions(positions, limbs):
    import numpy as np

    offsets = [positions[end] - positions[start] for start, end in limbs]
    return np.stack([o / np.linalg.norm(o, axis=-1, keepdims=True) for o in offsets], axis=1)


def yaw_between(a, b):
    """The rotation about the vertical that brings the directions `a` nearest to `b`."""
    import numpy as np

    return np.arctan2(
        (a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]).sum(),
        (a[..., 0] * b[..., 0] + a[..., 2] * b[..., 2]).sum(),
    )


def about_vertical(vectors, angle):
    import numpy as np

    c, s = np.cos(angle), np.sin(angle)
    return vectors @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]).T


def compared(source, result):
    """{'limbs_deg', 'facing_deg', ..}: the largest angle between limbs of both, after the one
    rotation about the vertical that all poses of a clip have in common, and how far that of a
    single pose is from it."""
    import numpy as np

    limbs = [l for l in LIMBS if all(r in source and r in result for r in l)]
    a, b = directions(source, limbs), directions(result, limbs)
    yaw = yaw_between(a, b)
    rotated = about_vertical(a, yaw)
    angles = 2 * np.arcsin(np.clip(np.linalg.norm(rotated - b, axis=-1) / 2, 0, 1))
    yaws = [yaw_between(rotated[k], b[k]) for k in range(len(a))]
    return {
        'limbs_deg': round(float(np.degrees(angles.max())), 3),
        'worst_limb': limbs[int(angles.max(axis=0).argmax())],
        'facing_deg': round(float(np.degrees(np.abs(yaws).max())), 3),
        'yaw_deg': round(float(np.degrees(yaw)), 1),
        'limbs': len(limbs),
    }
