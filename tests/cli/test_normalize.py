# SPDX-License-Identifier: MIT
"""clipmill normalize, and the lines of check: damaged copies of a sample, posed by numpy."""
import sys
import unittest

import glb
from clipmill_process import SAMPLES, ProcessTest

try:
    import numpy as np
except ImportError:
    print('skipped: python3-numpy is not installed')
    sys.exit(77)

from pose_evaluator import _Gltf, skinned_vertices

SAMPLE = SAMPLES / 'stretch' / 'humanoid.glb'
TIMES = (0.0, 0.4, 1.1, 2.0)


class Glb:
    """A sample whose JSON and accessors are changed."""

    def __init__(self, path):
        self.json, _, binary = glb.read(path)
        self.binary = bytearray(binary)

    def floats(self, index):
        """The numbers of an accessor, which can be written."""
        accessor = self.json['accessors'][index]
        self_view = self.json['bufferViews'][accessor['bufferView']]
        width = {'SCALAR': 1, 'VEC3': 3, 'VEC4': 4, 'MAT4': 16}[accessor['type']]
        start = self_view.get('byteOffset', 0) + accessor.get('byteOffset', 0)
        count = accessor['count'] * width
        return np.frombuffer(self.binary, '<f4', count, start).reshape(-1, width)

    def append(self, values, kind):
        values = np.asarray(values, '<f4')
        self.binary += b'\0' * (-len(self.binary) % 4)
        view = {'buffer': 0, 'byteOffset': len(self.binary), 'byteLength': values.nbytes}
        self.binary += values.tobytes()
        self.json['bufferViews'].append(view)
        accessor = {'bufferView': len(self.json['bufferViews']) - 1, 'componentType': 5126,
                    'count': len(values), 'type': kind}  # fmt: skip
        if kind == 'SCALAR':
            accessor.update(min=[float(values.min())], max=[float(values.max())])
        self.json['accessors'].append(accessor)
        return len(self.json['accessors']) - 1

    def save(self, path):
        self.json['buffers'][0]['byteLength'] = len(self.binary)
        path.write_bytes(glb.assemble(self.json, bytes(self.binary)))

    def node(self, name):
        return next(i for i, n in enumerate(self.json['nodes']) if n.get('name') == name)

    def wrap(self, **transform):
        """A new node above all roots."""
        scene = self.json['scenes'][0]
        self.json['nodes'].append({'name': 'Armature', 'children': scene['nodes'], **transform})
        scene['nodes'] = [len(self.json['nodes']) - 1]

    def animate_scale(self, name, values):
        clip = self.json['animations'][0]
        times = self.append(np.linspace(0, 2, len(values))[:, None], 'SCALAR')
        clip['samplers'].append({'input': times, 'output': self.append(values, 'VEC3')})
        target = {'node': self.node(name), 'path': 'scale'}
        clip['channels'].append({'sampler': len(clip['samplers']) - 1, 'target': target})


def positions(path):
    """{name: positions at TIMES} in the first clip, by numpy."""
    file = _Gltf(path)
    clip = file.json['animations'][0]
    worlds = [file.worlds(clip, t) for t in TIMES]
    return {
        node['name']: np.array([pose[i][:3, 3] for pose in worlds])
        for i, node in enumerate(file.nodes) if 'name' in node
    }  # fmt: skip


def vertices(path):
    return np.array(skinned_vertices(path, TIMES))


class Normalize(ProcessTest):
    def setUp(self):
        super().setUp()
        self.before = positions(SAMPLE)
        self.skin = vertices(SAMPLE)

    def normalized(self, *flags, name='out.glb'):
        return self.run_clipmill('normalize', 'in.glb', '-o', name, '--keys', 'all', *flags).stderr

    def check_codes(self, *codes, file='in.glb'):
        found = [f['code'] for f in self.run_json('check', file, '--json')['irregularities']]
        self.assertEqual(sorted(found), sorted(codes))

    def check_same(self, expected, skin, tolerance=2e-5):
        made = positions(self.folder / 'out.glb')
        for name in ('Hips', 'Head', 'LeftHand', 'RightToeBase'):
            np.testing.assert_allclose(made[name], expected[name], atol=tolerance, err_msg=name)
        np.testing.assert_allclose(vertices(self.folder / 'out.glb'), skin, atol=tolerance)
        self.check_codes(file='out.glb')

    def test_a_file_in_order_is_copied(self):
        for extension in ('glb', 'fbx'):
            source = SAMPLES / 'stretch' / ('humanoid.' + extension)
            self.check_codes(file=source)
            text = self.run_clipmill('normalize', source, '-o', 'out.' + extension).stderr
            self.assertIn('nothing to mend', text)
            self.assertEqual((self.folder / ('out.' + extension)).read_bytes(), source.read_bytes())

    def test_a_scaled_armature(self):
        for scale in (100.0, 0.01):
            with self.subTest(scale):
                file = Glb(SAMPLE)
                file.wrap(scale=[scale] * 3)
                for name in [n['name'] for n in file.json['nodes'] if 'translation' in n]:
                    node = file.json['nodes'][file.node(name)]
                    node['translation'] = [x / scale for x in node['translation']]
                for clip in file.json['animations']:
                    for channel in clip['channels']:
                        if channel['target']['path'] == 'translation':
                            file.floats(clip['samplers'][channel['sampler']]['output'])[:] /= scale
                binds = file.floats(file.json['skins'][0]['inverseBindMatrices']).reshape(-1, 4, 4)
                binds[:, :, :3] /= scale
                file.save(self.folder / 'in.glb')
                scaled = positions(self.folder / 'in.glb')
                np.testing.assert_allclose(scaled['Head'], self.before['Head'], atol=1e-5)
                self.check_codes('armature_scale')
                self.assertIn('scaled by ' + f'{scale:g}', self.normalized())
                self.check_same(self.before, self.skin)
                made = _Gltf(self.folder / 'out.glb')
                for node in made.nodes:
                    np.testing.assert_allclose(node.get('scale', [1, 1, 1]), 1.0, atol=1e-6)
                # In the other format too.
                self.normalized(name='out.fbx')
                self.check_codes(file='out.fbx')
                a = self.run_json('poses', 'out.glb', '--space', 'metric', '--json')
                b = self.run_json('poses', 'out.fbx', '--space', 'metric', '--json')
                self.assert_poses_equal(a, b)

    def assert_poses_equal(self, a, b):
        def points(poses):
            names = [p.rsplit('/', 1)[-1] for p in poses['nodes']]
            return np.array(poses['clips'][0]['world'])[:, names.index('Head'), 3::4]

        np.testing.assert_allclose(points(a), points(b), atol=1e-4)

    def test_another_up_axis(self):
        half = np.sqrt(0.5)
        for quaternion, back in (
            ((half, 0, 0, half), lambda v: v),
            ((-half, 0, 0, half), lambda v: v),
            ((1, 0, 0, 0), lambda v: v),
        ):
            with self.subTest(quaternion):
                file = Glb(SAMPLE)
                file.wrap(rotation=list(quaternion))
                file.save(self.folder / 'in.glb')
                self.assertIn('up axis of the character', self.normalized())
                made = positions(self.folder / 'out.glb')
                # It is upright and faces +z again, where it was.
                self.check_same(self.before, self.skin)
                self.assertGreater(made['Head'][0, 1], made['Hips'][0, 1])

    def test_a_character_that_faces_away(self):
        file = Glb(SAMPLE)
        file.wrap(rotation=[0, 1, 0, 0])
        file.save(self.folder / 'in.glb')
        self.check_codes('facing')
        self.normalized()
        self.check_same(self.before, self.skin)
        self.assertIn('nothing to mend', self.normalized('--facing', 'false', name='kept.glb'))
        self.assertEqual(
            (self.folder / 'kept.glb').read_bytes(), (self.folder / 'in.glb').read_bytes()
        )

    def test_tracks_of_scales_that_do_nothing(self):
        file = Glb(SAMPLE)
        file.animate_scale('Spine', np.ones((4, 3)))
        file.animate_scale('Head', np.array([[1, 1, 1], [1.5, 1, 1], [1, 1, 1]]))
        file.save(self.folder / 'in.glb')
        expected, skin = positions(self.folder / 'in.glb'), vertices(self.folder / 'in.glb')
        self.check_codes('constant_scale_track')
        self.normalized()
        made = _Gltf(self.folder / 'out.glb')
        scaled = [
            made.nodes[c['target']['node']]['name']
            for c in made.json['animations'][0]['channels']
            if c['target']['path'] == 'scale'
        ]
        self.assertEqual(scaled, ['Head'])
        self.check_same(expected, skin, 2e-4)

    def test_frames_that_repeat_the_one_before(self):
        self.run_clipmill('trim', SAMPLE, '-o', 'all.glb', '--clip', 'Leap', '--keys', 'all')
        original = positions_of_frames(self.folder / 'all.glb')
        file = Glb(self.folder / 'all.glb')
        clip = file.json['animations'][0]
        done = set()
        for sampler in clip['samplers']:
            values = file.floats(sampler['output'])
            if sampler['output'] in done or len(values) < 60:
                continue
            done.add(sampler['output'])
            values[20] = values[19]
        file.save(self.folder / 'in.glb')
        damaged = positions_of_frames(self.folder / 'in.glb')
        text = self.normalized()
        self.assertIn('repeats the one before', text)
        made = positions_of_frames(self.folder / 'out.glb')
        error, error_before = np.abs(made - original).max(), np.abs(damaged - original).max()
        self.assertLess(error, 0.25 * error_before)
        others = [k for k in range(len(made)) if k != 20]
        np.testing.assert_allclose(made[others], original[others], atol=2e-5)

    def test_rotations_that_are_no_unit(self):
        file = Glb(SAMPLE)
        spine = file.json['nodes'][file.node('Spine')]
        spine['rotation'] = [1.7 * x for x in spine.get('rotation', [0, 0, 0, 1])]
        file.save(self.folder / 'in.glb')
        clip = file.json['animations'][0]
        rotation = next(c for c in clip['channels'] if c['target']['path'] == 'rotation')
        file.floats(clip['samplers'][rotation['sampler']]['output'])[:] *= 1.2
        clip['channels'].append({'sampler': 0, 'target': {'path': 'translation'}})
        file.save(self.folder / 'in.glb')
        self.check_codes('rotation_not_unit', 'channel_without_node')
        self.assertIn('length 1', self.normalized())
        self.check_codes(file='out.glb')
        made = _Gltf(self.folder / 'out.glb')
        for node in made.nodes:
            self.assertAlmostEqual(np.linalg.norm(node.get('rotation', [0, 0, 0, 1])), 1.0, 5)


def positions_of_frames(path):
    file = _Gltf(path)
    clip = file.json['animations'][0]
    index = [n.get('name') for n in file.nodes].index('LeftHand')
    return np.array([file.worlds(clip, f / 30)[index][:3, 3] for f in range(60)])


if __name__ == '__main__':
    unittest.main()
