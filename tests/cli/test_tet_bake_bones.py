# SPDX-License-Identifier: MIT
"""The stage tet-bake with bake_to bones: helper joints in the written files."""
import json
import math
import unittest

from clipmill_process import SAMPLES, ProcessTest

SAMPLE = SAMPLES / 'tet-bake' / 'humanoid.glb'
QUICK = ('--clip', 'ElbowBend', '--fps', 6, '--max-tets', 4000, '-q')
RESTS = 1e-4
BENDS = 0.01


class HelperJoints(ProcessTest):
    def bake(self, source, output):
        self.run_clipmill(
            'tet-bake', source, '-o', output, *QUICK, '--bake-to', 'bones', '--report', 'r.json'
        )
        clip = json.loads((self.folder / 'r.json').read_text())['clips'][0]
        return clip['stages'][0]['metrics']

    def helpers_of(self, file, clip):
        """Distances of every helper joint from its parent, one list per joint."""
        poses = self.run_json('poses', file, '--clip', clip, '--fps', 6, '--json')
        world = poses['clips'][0]['world']
        paths = poses['nodes']
        distances = {}
        for i, path in enumerate(paths):
            name = path.rsplit('/', 1)[-1]
            if not name.startswith('bake_'):
                continue
            parent = paths.index(path.rsplit('/', 1)[0])
            distances[name] = [
                math.dist(pose[i][3::4][:3], pose[parent][3::4][:3]) for pose in world
            ]
        return distances

    def assertBaked(self, source, output):
        metrics = self.bake(source, output)
        before, after = (metrics[when]['skin_error_rms_mm'] for when in ('before', 'after'))
        self.assertLess(after, 0.2 * before)
        helpers = self.helpers_of(output, 'ElbowBend')
        self.assertEqual(len(helpers), metrics['after']['helper_joints'])
        self.assertTrue(any(max(w) - min(w) > BENDS * max(w) for w in helpers.values()))
        # In the clip that was not baked they are not animated.
        for distances in self.helpers_of(output, 'ForearmTwist').values():
            self.assertLess(max(distances) - min(distances), RESTS * max(distances))

    def test_glb_gets_helper_joints_that_are_nearer_to_the_solved_skin(self):
        self.assertBaked(SAMPLE, 'out.glb')

    def test_fbx_gets_helper_joints_that_are_nearer_to_the_solved_skin(self):
        self.run_clipmill('convert', SAMPLE, '-o', 'in.fbx', '-q')
        self.assertBaked('in.fbx', 'out.fbx')


if __name__ == '__main__':
    unittest.main()
