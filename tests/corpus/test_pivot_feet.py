# SPDX-License-Identifier: MIT
"""Feet of an FBX file with inherit type Rrs, pivots and centimetres, held when it is stretched."""
import json
import unittest

import corpus
from clipmill_process import SAMPLES, ProcessTest

SOURCE = SAMPLES / 'dynamic-bones' / 'humanoid.glb'
CLIP = 'WalkForward'
FPS = 30
FRAMES = 32
NET_M = 1.2
JOINTS = [
    *('Head', 'LeftHand', 'RightHand', 'LeftToeBase', 'RightToeBase'),
    *('LeftFoot', 'RightFoot'),
]
LEGS = [side + joint for side in ('Left', 'Right') for joint in ('UpLeg', 'Leg', 'Foot')]
# Frames in which the ball is flat on the ground, from labels/walks.csv.
FLAT = {'Left': (4, 12), 'Right': (20, 28)}


class PivotFeet(ProcessTest):
    def setUp(self):
        super().setUp()
        import numpy

        import pivot_fbx
        from joint_paths import GltfPaths

        self.times = numpy.arange(FRAMES + 1) / FPS
        self.joints = pivot_fbx.joints_of(SOURCE, CLIP, self.times, JOINTS)
        self.source = self.folder / 'walk.fbx'
        pivot_fbx.write(self.source, self.joints, self.times)
        self.gltf, self.fbx = GltfPaths(SOURCE), pivot_fbx.PivotFbx

    def test_the_made_file_is_the_walk(self):
        """By its evaluator and by the program, at every frame."""
        import numpy

        names = [joint.name for joint in self.joints]
        expected = self.gltf.positions(CLIP, self.times, names)
        file = self.fbx(self.source)
        times = ','.join(f'{t:.9f}' for t in self.times)
        poses = self.run_json('poses', self.source, '--times', times, '--space', 'metric', '--json')
        paths = [n.split('/')[-1] for n in poses['nodes']]
        world = numpy.array(poses['clips'][0]['world'])[:, :, 3::4]
        for name in names:
            made = numpy.abs(file.positions_m(name, self.times) - expected[name]).max()
            ours = numpy.abs(world[:, paths.index(name)] - expected[name]).max()
            self.assertLess(made, 1e-6, name)
            self.assertLess(ours, 1e-5, name)

    def test_both_legs_are_written_and_planted_feet_hold(self):
        import numpy

        for factor in (0.7, 1.5):
            with self.subTest(factor=factor):
                out, report = self.folder / 'out.fbx', self.folder / 'report.json'
                self.run_clipmill(
                    *('stretch', self.source, '--distance-m', repr(factor * NET_M)),
                    *('--feet', 'lock', '--fps', FPS, '-o', out, '--report', report, '-q'),
                )
                clip = json.loads(report.read_text())['clips'][0]
                before, after = self.fbx(self.source), self.fbx(out)
                for name in LEGS:
                    keys = [f.models[f.id_of(name)][3]['Lcl Rotation'] for f in (before, after)]
                    changed = any(
                        len(a[1]) != len(b[1]) or numpy.abs(a[1] - b[1]).max() > 0.1
                        for a, b in zip(keys[0].values(), keys[1].values())
                    )
                    self.assertTrue(changed, name)
                # Both sides' upper leg, lower leg and foot, and the root.
                self.assertGreaterEqual(clip['keys']['tracks'], 7)
                drifts = {}
                for side, (first, last) in FLAT.items():
                    for joint in ('ToeBase', 'Foot'):
                        span = numpy.linspace(first / FPS, last / FPS, 65)
                        path = after.positions_m(side + joint, span)[:, [0, 2]]
                        apart = numpy.linalg.norm(path - path.mean(axis=0), axis=1)
                        drifts[side + joint] = 1e3 * apart.max()
                net = numpy.diff(after.positions_m('Hips', self.times[[0, -1]]), axis=0)[0]
                reported = clip['stages'][0]['metrics']['after']['planted_drift_mm']
                print(f'x{factor}:', {k: round(v, 2) for k, v in drifts.items()}, reported)
                self.assertLess(abs(numpy.hypot(net[0], net[2]) - factor * NET_M), 0.002)
                self.assertLess(max(drifts.values()), 5.0)
                self.assertLess(reported, 5.0)

    def test_a_lock_that_holds_nothing_is_an_error(self):
        """A stretched flight has no contact: `lock` refuses it, `auto` reports it."""
        flight = ('stretch', corpus.CORPUS / 'gltf' / 'KayKit-Game-Assets__Barbarian.glb')
        flight += ('--clip', 'Jump_Idle', '--distance-m', 2, '--still', 'linear', '-o', 'out.glb')
        refused = self.run_clipmill(*flight, '--feet', 'lock', exit_code=2)
        self.assertOneSentence(refused.stderr, 'no contact of a foot')
        self.assertEqual(self.files(), ['walk.fbx'])
        self.assertIn('no contact of a foot', self.run_clipmill(*flight).stderr)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
