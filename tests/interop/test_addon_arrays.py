# SPDX-License-Identifier: MIT
"""The parts of the add-on for Blender that need no Blender: transforms, GLB files, processes."""
import importlib
import sys
import time
import types
import unittest

import corpus
import numpy as np
from clipmill_process import PROGRAM, ROOT, SAMPLES, ProcessTest

FOLDER = ROOT / 'integrations' / 'blender' / 'clipmill_addon'


def modules():
    """The add-on's modules without its __init__.py, which needs Blender."""
    package = types.ModuleType('addon')
    package.__path__ = [str(FOLDER)]
    sys.modules['addon'] = package
    return [importlib.import_module(f'addon.{n}') for n in ('transforms', 'glb', 'engine')]


transforms, glb, engine = modules()


class AddonArrays(ProcessTest):
    def setUp(self):
        super().setUp()
        self.random = np.random.default_rng(3)

    def rotations(self, count):
        values = self.random.normal(size=(count, 4))
        return values / np.linalg.norm(values, axis=1, keepdims=True)

    def test_transforms_are_composed_and_decomposed(self):
        t, r = self.random.normal(size=(200, 3)), self.rotations(200)
        s = self.random.uniform(0.2, 3.0, size=(200, 3))
        s *= np.sign(self.random.normal(size=(200, 1)))
        matrices = transforms.compose(t, r, s)
        again = transforms.compose(*transforms.decompose(matrices))
        self.assertLess(np.abs(again - matrices).max(), 1e-12)
        positive = transforms.decompose(transforms.compose(t, r, np.abs(s)))
        dots = np.abs(np.einsum('nk,nk->n', positive[1], r))
        self.assertLess(np.abs(dots - 1).max(), 1e-12)
        self.assertLess(np.abs(positive[2] - np.abs(s)).max(), 1e-12)

    def test_rotations_by_180_degrees_have_quaternions(self):
        for axis in np.eye(3):
            matrix = 2 * np.outer(axis, axis) - np.eye(3)
            found = transforms.quaternions(matrix)
            self.assertLess(np.abs(np.abs(found) - [*axis, 0]).max(), 1e-12)

    def test_rotations_are_continuous_and_interpolated_along_the_shorter_arc(self):
        angles = np.linspace(0, 12, 50)
        wanted = np.stack([0 * angles, np.sin(angles / 2), 0 * angles, np.cos(angles / 2)], axis=1)
        signs = np.where(self.random.normal(size=50) < 0, -1, 1)[:, None]
        found = transforms.continuous(wanted * signs)
        self.assertLess(min(np.abs(found - wanted).max(), np.abs(found + wanted).max()), 1e-12)
        halves = transforms.slerp(wanted[:-1], -wanted[1:], np.full(49, 0.5))
        middles = (angles[1:] + angles[:-1]) / 2
        dots = halves[:, 1] * np.sin(middles / 2) + halves[:, 3] * np.cos(middles / 2)
        self.assertLess(np.abs(np.abs(dots) - 1).max(), 1e-12)

    def test_poses_and_local_transforms_are_inverse(self):
        parents = [-1, 0, 1, 1, -1]
        local = transforms.compose(
            self.random.normal(size=(7, 5, 3)), self.rotations(35).reshape(7, 5, 4),
            self.random.uniform(0.5, 2.0, size=(7, 5, 3)),
        )
        poses = transforms.poses_from_local(local, parents)
        self.assertLess(np.abs(poses[:, 3] - local[:, 0] @ local[:, 1] @ local[:, 3]).max(), 1e-12)
        self.assertLess(np.abs(transforms.local_from_poses(poses, parents) - local).max(), 1e-12)

    def test_files_are_read_as_they_were_written(self):
        writer = glb.Writer()
        points = self.random.normal(size=(11, 3)).astype('f4')
        joints = self.random.integers(0, 60000, size=(11, 4)).astype('u2')
        indices = [writer.accessor(points, 'VEC3', True), writer.accessor(joints, 'VEC4')]
        sparse = writer.accessor(np.array([2, 7], 'u4'), 'SCALAR')
        values = writer.accessor(points[:2], 'VEC3')
        views = [writer.json['accessors'][i]['bufferView'] for i in (sparse, values)]
        writer.json['accessors'].append({
            'componentType': 5126, 'type': 'VEC3', 'count': 9,
            'sparse': {
                'count': 2, 'indices': {'bufferView': views[0], 'componentType': 5125},
                'values': {'bufferView': views[1]},
            },
        })
        writer.write(self.folder / 'a.glb')
        reader = glb.Reader(self.folder / 'a.glb')
        np.testing.assert_array_equal(reader.array(indices[0]), points)
        np.testing.assert_array_equal(reader.array(indices[1]), joints)
        wanted = np.zeros((9, 3), 'f4')
        wanted[[2, 7]] = points[:2]
        np.testing.assert_array_equal(reader.array(len(reader.json['accessors']) - 1), wanted)
        (self.folder / 'b.glb').write_bytes(b'no model at all ')
        with self.assertRaisesRegex(ValueError, 'no GLB file'):
            glb.Reader(self.folder / 'b.glb')

    def test_clips_are_sampled_as_the_evaluator_samples_them(self):
        if not corpus.CORPUS.is_dir():
            self.skipTest('needs the corpus')
        path = SAMPLES / 'dynamic-bones' / 'humanoid.glb'
        other, reader = corpus.evaluator().Gltf(str(path)), glb.Reader(path)
        compared = 0
        for mine, theirs in zip(reader.json['animations'], other.json['animations'], strict=True):
            channels = reader.channels(mine)
            for time_s in (0.0, 0.31, 0.5):
                locals_ = other.sample(theirs, time_s)
                for (node, path_), channel in channels.items():
                    value = glb.sample(channel, path_ == 'rotation', np.array([time_s]))[0]
                    wanted = np.array(locals_[node][path_])
                    sign = np.sign(value @ wanted) if path_ == 'rotation' else 1.0
                    self.assertLess(np.abs(sign * value - wanted).max(), 1e-6)
                    compared += 1
        self.assertGreater(compared, 200)

    def test_a_cancelled_run_ends_at_once_and_writes_nothing(self):
        recipe = '{"stage": [{"type": "retime", "duration_s": 2000},'
        recipe += ' {"type": "dynamic-bones", "auto": true}]}'
        self.file('r.json', recipe)
        source, target = SAMPLES / 'dynamic-bones' / 'humanoid.glb', self.folder / 'o.glb'
        run = engine.Run([
            *(PROGRAM, 'run', source, '--recipe', self.folder / 'r.json', '-o', target),
            *('--progress', 'json'),
        ])
        time.sleep(1.0)
        self.assertTrue(run.poll(), 'the run is too short for this test')
        start = time.monotonic()
        run.cancel()
        self.assertLess(time.monotonic() - start, 5.0)
        self.assertFalse(run.poll())
        self.assertEqual(self.files(), ['r.json'])

    def test_errors_of_the_program_are_its_sentences(self):
        run = engine.Run([PROGRAM, 'check', self.folder / 'none.glb', '--json'])
        run.wait()
        with self.assertRaisesRegex(engine.EngineError, 'none.glb'):
            run.check()
        with self.assertRaisesRegex(engine.EngineError, 'does not run'):
            engine.Run([str(self.folder / 'nothing')])
        self.assertIn('stage', engine.schema(PROGRAM)['properties'])


if __name__ == '__main__':
    unittest.main(warnings='ignore')
