# SPDX-License-Identifier: MIT
"""The stage tet-bake with drive pose and bake_to bones: helper joints that follow joint rotations,
in the written files and by an independent evaluator of their drivers."""
import json
import unittest

import driver_evaluator
import glb
import numpy as np
from clipmill_process import SAMPLES, ProcessTest

SAMPLE = SAMPLES / 'tet-bake' / 'humanoid.glb'
FPS = 30
QUICK = ('--clip', 'ElbowBend', '--max-tets', 4000, '--pose-samples', 64, '-q', '--keys', 'all')
MAX_DIFFERENCE_M = 1e-4
# Distance from a helper at which its rotation counts.
ARM_M = 0.1


def rotation_of(linear):
    """The quaternion x, y, z, w of a rotation matrix with a scale."""
    m = linear / np.cbrt(np.linalg.det(linear))
    q = np.array([m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], 1 + np.trace(m)])
    if q[3] < 1e-3:  # near 180 degrees
        values, vectors = np.linalg.eigh(m + m.T)
        q = np.append(vectors[:, values.argmax()], 0.0)
    return q / np.linalg.norm(q)


def weight_keys(value, binary, clip):
    """Nodes with morph weights in a clip, and their keys in succession."""
    (animation,) = [a for a in value['animations'] if a['name'] == clip]
    for channel in animation['channels']:
        if channel['target']['path'] == 'weights':
            sampler = animation['samplers'][channel['sampler']]
            yield channel['target']['node'], glb.rows(value, binary, sampler['output'])


class LocalPoses:
    """Local 4x4 matrices of the joints of a clip by name, and the metres in a unit of the file."""

    def __init__(self, test, file, clip):
        def world(space):
            return test.run_json(
                'poses', file, '--clip', clip, '--fps', FPS, '--space', space, '--json'
            )

        poses = world('file')
        paths = poses['nodes']
        self.names = [path.rsplit('/', 1)[-1] for path in paths]
        self.parents = [
            paths.index(path.rsplit('/', 1)[0]) if path.rsplit('/', 1)[0] in paths[:i] else -1
            for i, path in enumerate(paths)
        ]
        self.worlds = self.matrices(poses)
        a, b = (self.names.index(name) for name in ('LeftArm', 'LeftHand'))
        lengths = [
            np.linalg.norm(w[0, a, :3, 3] - w[0, b, :3, 3])
            for w in (self.matrices(world('metric')), self.worlds)
        ]
        self.unit_m = lengths[0] / lengths[1]

    @staticmethod
    def matrices(poses):
        rows = np.array(poses['clips'][0]['world'], float)
        rows = rows.reshape(*rows.shape[:2], -1, 4)
        full = np.zeros((*rows.shape[:2], 4, 4))
        full[..., : rows.shape[2], :] = rows
        full[..., 3, :] = [0, 0, 0, 1]
        return full

    def locals(self, frame):
        worlds, result = self.worlds[frame], {}
        for i, name in enumerate(self.names):
            parent = self.parents[i]
            result[name] = np.linalg.inv(worlds[parent]) @ worlds[i] if parent >= 0 else worlds[i]
        return result


class DrivenHelpers(ProcessTest):
    def bake(self, source, output):
        self.run_clipmill(
            'tet-bake', source, '-o', output, *QUICK, '--drive', 'pose', '--bake-to', 'bones',
            '--report', 'r.json',
        )
        clip = json.loads((self.folder / 'r.json').read_text())['clips'][0]
        drivers = (self.folder / output).with_suffix('.drivers.json')
        return clip['stages'][0]['metrics'], json.loads(drivers.read_text())

    def largest_distance(self, output, drivers):
        """Between helpers by their keys and by the evaluator: over all frames, of each helper and
        of points that follow it [m]. And how far the keys move any of these."""
        poses = LocalPoses(self, output, 'ElbowBend')
        arm = ARM_M / poses.unit_m
        corners = np.array([[0, 0, 0, 1], [arm, 0, 0, 1], [0, arm, 0, 1], [0, 0, arm, 1]]).T
        apart, moved, first = 0.0, 0.0, None
        for frame in range(len(poses.worlds)):
            keyed = poses.locals(frame)
            rotations = {name: rotation_of(local[:3, :3]) for name, local in keyed.items()}
            found = driver_evaluator.helper_maps(drivers, rotations)
            first = first or {name: keyed[name] for name in found}
            for name, local in found.items():
                away, still = (
                    poses.unit_m * np.linalg.norm(((keyed[name] - m) @ corners)[:3], axis=0).max()
                    for m in (local, first[name])
                )
                apart, moved = max(apart, away), max(moved, still)
        return apart, moved

    def check(self, source, output):
        metrics, drivers = self.bake(source, output)
        before, after = metrics['before'], metrics['after']
        self.assertLess(after['skin_error_rms_mm'], 0.7 * before['skin_error_rms_mm'])
        helpers = [h for d in drivers['drivers'] for h in d['helpers']]
        self.assertEqual((drivers['format'], drivers['version']), ('clipmill-drivers', 1))
        self.assertEqual(len(drivers['drivers']), after['drivers'])
        self.assertEqual(len(helpers), after['helper_joints'])
        self.assertEqual(len({h['name'] for h in helpers}), len(helpers))
        apart, moved = self.largest_distance(output, drivers)
        print(f'{output}: {len(helpers)} helpers, moved by {moved:.4f} m, {apart:.1e} m apart')
        self.assertGreater(moved, 0.005)
        self.assertLess(apart, MAX_DIFFERENCE_M)
        return drivers

    def test_keys_of_helpers_in_glb_are_those_of_the_drivers(self):
        drivers = self.check(SAMPLE, 'out.glb')
        value, _, _ = glb.read(self.folder / 'out.glb')
        self.assertEqual(value['extras']['clipmill_drivers'], drivers)

    def test_keys_of_helpers_in_fbx_are_those_of_the_drivers(self):
        self.run_clipmill('convert', SAMPLE, '-o', 'in.fbx', '-q')
        self.check('in.fbx', 'out.fbx')

    def test_drivers_of_morphs_as_integers_have_the_weights_of_the_file(self):
        sizes = {}
        for deltas in ('float', 'int16'):
            self.run_clipmill(
                'tet-bake', SAMPLE, '-o', f'{deltas}.glb', *QUICK, '--drive', 'pose', '--deltas',
                deltas, '--report', 'r.json',
            )
            clip = json.loads((self.folder / 'r.json').read_text())['clips'][0]
            sizes[deltas] = clip['stages'][0]['metrics']['after']['morph_bytes']
        self.assertLess(sizes['int16'], 0.7 * sizes['float'])
        value, _, binary = glb.read(self.folder / 'int16.glb')
        self.assertEqual(value['extensionsRequired'], ['KHR_mesh_quantization'])
        drivers = json.loads((self.folder / 'int16.drivers.json').read_text())
        poses = LocalPoses(self, 'int16.glb', 'ElbowBend')
        frames, largest = 0, 0.0
        for node, keys in weight_keys(value, binary, 'ElbowBend'):
            mesh = value['meshes'][value['nodes'][node]['mesh']]
            names = mesh['extras']['targetNames']
            keys = np.array(keys).reshape(-1, len(names))
            self.assertEqual(len(keys), len(poses.worlds))
            for frame, keyed in enumerate(keys):
                linear = {name: m[:3, :3] for name, m in poses.locals(frame).items()}
                rotations = {name: rotation_of(m) for name, m in linear.items()}
                found = driver_evaluator.morph_weights(drivers, rotations)
                wanted = np.array([found[name] for name in names])
                # Targets are in parts of 1 m.
                largest, frames = max(largest, np.abs(keyed - wanted).max()), frames + 1
        print(f'{frames} frames: weights at most {largest:.1e} apart')
        self.assertGreater(frames, 30)
        self.assertLess(largest, MAX_DIFFERENCE_M)

    def test_outputs_without_joints_are_refused(self):
        found = self.run_clipmill(
            'tet-bake', SAMPLE, '-o', 'none.glb', '--drive', 'pose', '--bake-to', 'pc2', exit_code=2
        )
        self.assertIn('bake_to', found.stderr)


if __name__ == '__main__':
    unittest.main()
