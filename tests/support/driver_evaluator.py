# SPDX-License-Identifier: MIT
"""Evaluates .drivers.json files as docs/tet-bake.md describes them, independent of clipmill."""
import numpy as np


def conjugate(q):
    return np.append(-q[:3], q[3])


def product(a, b):
    """a * b of quaternions x, y, z, w."""
    vector = a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])
    return np.append(vector, a[3] * b[3] - a[:3] @ b[:3])


def matrix(q):
    x, y, z, w = q
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + 2 * w * skew + 2 * skew @ skew


def rotation_matrix(vector):
    """Of a rotation vector, by Rodrigues' formula."""
    angle = np.linalg.norm(vector)
    if angle == 0:
        return np.eye(3)
    x, y, z = vector / angle
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * skew @ skew


def twist(q, axis):
    half = np.array([q[3], q[:3] @ axis])
    length = np.linalg.norm(half)
    return half / length if length > 0 else half


def distance2(given, a, b):
    axis = np.array(given.get('axis', [1, 0, 0]), float)
    if given['part'] == 'swing':
        return 2 - 2 * (matrix(a) @ axis) @ (matrix(b) @ axis)
    half = twist(a, axis) @ twist(b, axis) if given['part'] == 'twist' else a @ b
    return 4 * (1 - half * half)


def center_weights(driver, rotations):
    """Weights of the centers of a driver; rotations: local quaternions of the joints by name."""
    pose = []
    for joint in driver['joints']:
        q = product(conjugate(np.array(joint['bind'])), np.array(rotations[joint['name']]))
        pose.append(q / np.linalg.norm(q))
    squares = np.array([
        sum(
            i['weight'] * distance2(i, np.array(center[i['joint']]), pose[i['joint']])
            for i in driver['inputs']
        )
        for center in driver['centers']
    ])
    weights = np.exp(-(squares - squares.min()) / (2 * driver['width'] ** 2))
    return weights / weights.sum()


def morph_weights(drivers, rotations):
    """Weights of the morphs by name."""
    found = dict.fromkeys(drivers['constant'], 1.0)
    for driver in drivers['drivers']:
        weights = center_weights(driver, rotations)
        found.update({m['name']: weights @ np.array(m['values']) for m in driver['morphs']})
    return found


def helper_maps(drivers, rotations):
    """Local 4x4 matrices of the helper joints by name."""
    maps = {}
    for driver in drivers['drivers']:
        weights = center_weights(driver, rotations)
        for helper in driver.get('helpers', []):
            local = np.eye(4)
            local[:3, :3] = rotation_matrix(weights @ np.array(helper['rotations']))
            local[:3, 3] = weights @ np.array(helper['translations'])
            maps[helper['name']] = local
    return maps
