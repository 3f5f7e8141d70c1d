# SPDX-License-Identifier: MIT
"""Skins whose joints hang below a moving node that is no joint, and sparse morph targets: vertices
by numpy against those of the program, and of a file that went through FBX and back."""
import copy
import math
import struct
import unittest

import numpy as np

import glb
import pose_evaluator as evaluator
from clipmill_process import ProcessTest

VERTICES = 12
KEYS = 13
TIMES = [0.0, 0.041667, 0.25, 0.4, 0.77, 1.0]


def quaternion(axis, degrees):
    half = math.radians(degrees) / 2
    unit = np.array(axis, float) / np.linalg.norm(axis)
    return [*(unit * math.sin(half)), math.cos(half)]


class File:
    """A skin of two joints below the node Armature, which moves and is no joint."""

    def __init__(self):
        random = np.random.default_rng(3)
        self.binary, self.views, self.accessors = b'', [], []
        positions = random.uniform(-1, 1, (VERTICES, 3)) + [0, 1, 0]
        second = random.uniform(0.1, 0.9, VERTICES).astype('f4')
        weights = np.stack([1 - second, second, 0 * second, 0 * second], 1)
        joints = np.tile([0, 1, 0, 0], (VERTICES, 1))
        self.primitive = {
            'attributes': {
                'POSITION': self.add(positions, 'VEC3'),
                'JOINTS_0': self.add(joints, 'VEC4', 5123, '<u2'),
                'WEIGHTS_0': self.add(weights, 'VEC4'),
            },
            'indices': self.add(range(VERTICES), 'SCALAR', 5123, '<u2'),
        }
        binds = [evaluator.moved((0, -0.5 * j, 0)).T.ravel() for j in (1, 2)]
        self.mesh = {'name': 'Body', 'primitives': [self.primitive]}
        self.skin = {'joints': [1, 2], 'inverseBindMatrices': self.add(binds, 'MAT4')}
        self.nodes = [
            {'name': 'Armature', 'scale': [1.3, 1.3, 1.3], 'children': [1]},
            {'name': 'Lower', 'translation': [0, 0.5, 0], 'children': [2],
             'rotation': quaternion((0, 0, 1), 20)},
            {'name': 'Upper', 'translation': [0, 0.5, 0]},
            {'name': 'Body', 'mesh': 0, 'skin': 0},
            {'name': 'Holder', 'translation': [5, 6, 7], 'scale': [2, 2, 2],
             'rotation': quaternion((0, 1, 0), 70)},
        ]  # fmt: skip
        self.roots = [0, 3, 4]
        self.times = self.add(np.linspace(0, 1, KEYS), 'SCALAR')
        self.samplers, self.channels = [], []
        phases = 6 * np.linspace(0, 1, KEYS)
        self.animate(
            2, 'rotation', [quaternion((0.2, 1, 0.3), 90 * math.sin(p)) for p in phases], 'VEC4'
        )
        self.animate(0, 'translation', [(0.3 + 0.2 * p, 0.1, -0.2) for p in phases], 'VEC3')
        self.animate(0, 'rotation', [quaternion((1, 2, 3), 40 + 20 * p) for p in phases], 'VEC4')

    def view(self, data):
        self.binary += b'\0' * (-len(self.binary) % 4)
        self.views.append(
            {'buffer': 0, 'byteOffset': len(self.binary), 'byteLength': len(data)}
        )
        self.binary += data
        return len(self.views) - 1

    def add(self, values, kind, component=5126, dtype='<f4'):
        values = np.asarray(list(values)).astype(dtype)
        accessor = {
            'bufferView': self.view(values.tobytes()),
            'componentType': component,
            'count': len(values),
            'type': kind,
        }
        accessor['min'] = np.atleast_1d(values.min(0)).tolist()
        accessor['max'] = np.atleast_1d(values.max(0)).tolist()
        self.accessors.append(accessor)
        return len(self.accessors) - 1

    def add_sparse(self, deltas):
        """Displacements of some vertices; there is no bufferView for the others."""
        full = np.zeros((VERTICES, 3), 'f4')
        for vertex, delta in deltas.items():
            full[vertex] = delta
        vertices = sorted(deltas)
        values = b''.join(struct.pack('<3f', *deltas[v]) for v in vertices)
        indices = self.view(struct.pack(f'<{len(vertices)}H', *vertices))
        self.accessors.append({
            'componentType': 5126, 'count': VERTICES, 'type': 'VEC3',
            'min': full.min(0).tolist(), 'max': full.max(0).tolist(),
            'sparse': {
                'count': len(vertices),
                'indices': {'bufferView': indices, 'componentType': 5123},
                'values': {'bufferView': self.view(values)},
            },
        })  # fmt: skip
        return len(self.accessors) - 1

    def animate(self, node, path, values, kind):
        self.samplers.append({'input': self.times, 'output': self.add(values, kind)})
        target = {'node': node, 'path': path}
        self.channels.append({'sampler': len(self.samplers) - 1, 'target': target})

    def bytes(self):
        binary = self.binary + b'\0' * (-len(self.binary) % 4)
        return glb.assemble(copy.deepcopy({
            'asset': {'version': '2.0'}, 'scene': 0, 'scenes': [{'nodes': self.roots}],
            'nodes': self.nodes, 'meshes': [self.mesh], 'skins': [self.skin],
            'animations': [
                {'name': 'Move', 'samplers': self.samplers, 'channels': self.channels}
            ],
            'accessors': self.accessors, 'bufferViews': self.views,
            'buffers': [{'byteLength': len(binary)}],
        }), binary)  # fmt: skip


class Skins(ProcessTest):
    def assertVertices(self, file):
        (self.folder / 'in.glb').write_bytes(file.bytes())
        expected = evaluator.skinned_vertices(self.folder / 'in.glb', TIMES)
        moved = max(np.abs(points - expected[0]).max() for points in expected)
        self.assertGreater(moved, 0.1)  # The clip moves the skin, so that a still one is noticed.
        times = ','.join(map(str, TIMES))
        poses = self.run_json('poses', 'in.glb', '--times', times, '--vertices', '--json')
        skinned = poses['clips'][0]['skinned']
        self.assertEqual([part['time'] for part in skinned], TIMES)
        for part, points in zip(skinned, expected):
            ours = np.array(part['positions']).reshape(-1, 3)
            self.assertLess(np.abs(ours - points).max(), 2e-6)
        self.run_clipmill('convert', 'in.glb', '-o', 'there.fbx')
        self.run_clipmill('convert', 'there.fbx', '-o', 'back.glb')
        back = evaluator.skinned_vertices(self.folder / 'back.glb', TIMES)
        for points, others in zip(expected, back):
            # Converted vertices may have another order; each has one at its position.
            far = np.linalg.norm(points[:, None] - others[None], axis=2)
            self.assertLess(max(far.min(1).max(), far.min(0).max()), 1e-4)

    def test_joints_below_a_moving_node_that_is_no_joint(self):
        self.assertVertices(File())

    def test_the_skin_names_that_node_as_its_skeleton(self):
        file = File()
        file.skin['skeleton'] = 0
        self.assertVertices(file)

    def test_that_node_scales_each_axis_by_another_factor(self):
        file = File()
        file.nodes[0]['scale'] = [1.0, 1.6, 0.8]
        self.assertVertices(file)

    def test_the_transform_of_the_mesh_node_has_no_effect(self):
        file = File()
        file.nodes[4]['children'] = [3]
        file.roots = [0, 4]
        self.assertVertices(file)

    def test_the_mesh_node_is_beside_the_joints(self):
        file = File()
        file.nodes[0]['children'] = [1, 3]
        file.roots = [0, 4]
        self.assertVertices(file)

    def test_sparse_morph_targets_with_animated_weights(self):
        file = File()
        file.primitive['targets'] = [
            {'POSITION': file.add_sparse({1: (0.3, 0, 0.1), 4: (0, 0.2, 0), 7: (0, -0.1, 0.3)})},
            {'POSITION': file.add_sparse({0: (0.1, 0.1, 0), 11: (-0.2, 0, 0.3)})},
        ]
        file.mesh['weights'] = [0.25, 0.0]
        values = [math.sin(0.7 * k + j) ** 2 for k in range(KEYS) for j in range(2)]
        file.animate(3, 'weights', values, 'SCALAR')
        self.assertVertices(file)


if __name__ == '__main__':
    unittest.main()
