# SPDX-License-Identifier: MIT
"""Stages on FBX files: the sample's recipe, and the same swing as in a GLB of the same motion."""
import re
import unittest

import world_motion
from clipmill_process import SAMPLES, ProcessTest

SAMPLE = SAMPLES / 'dynamic-bones' / 'humanoid.fbx'
RECIPE = SAMPLES / 'dynamic-bones' / 'recipe.toml'


class FbxChains(ProcessTest):
    def poses(self, path):
        return self.run_json('poses', path, '--fps', '30', '--space', 'metric', '--json')

    def bake(self, path, output):
        self.run_clipmill(
            'run', path, '--recipe', RECIPE, '--set', 'output.keys=all', '--fps', '30', '-o', output
        )
        return self.poses(output)

    def swing(self, source, output):
        chains = ('--chain', 'Tail1', '--chain', 'Hair*_1')
        self.run_clipmill('dynamic-bones', source, *chains, '-o', output)
        return self.poses(output)

    def test_the_recipe_of_the_sample_runs_on_its_fbx(self):
        process = self.run_clipmill('run', SAMPLE, '--recipe', RECIPE, '-o', 'out.fbx')
        self.assertIn('4 clips, 271 tracks written', process.stderr)
        self.assertEqual(self.files(), ['out.fbx'])
        before, after = self.run_json('info', SAMPLE, '--json'), self.run_json(
            'info', 'out.fbx', '--json'
        )
        self.assertEqual(before['nodes'], after['nodes'])
        self.assertEqual(
            [(c['name'], c['start_s'], c['end_s']) for c in before['clips']],
            [(c['name'], c['start_s'], c['end_s']) for c in after['clips']],
        )

    def test_chains_swing_as_they_do_in_a_glb_of_the_file(self):
        # Without the whip and contacts, which make more of a small difference in a few cycles.
        self.run_clipmill('convert', SAMPLE, '-o', 'h.glb')
        plain, fbx = self.poses(SAMPLE), self.swing(SAMPLE, 'out.fbx')
        height = world_motion.height_of(plain)
        self.assertTrue(1.5 < height < 2.5, height)
        moved, _ = world_motion.worst_differences(plain, fbx)
        self.assertGreater(moved, 0.01 * height)
        distance, rotation = world_motion.worst_differences(fbx, self.swing('h.glb', 'out.glb'))
        print(f'{distance / height:.2g} of the height, axes {rotation:.2g}')
        print(f'swing {moved / height:.2g} of the height')
        # Converting may change the clip by 1/50,000 of its size between frames, where angles and
        # arcs differ; chains may make up to ten times that of it.
        self.assertLess(distance, 10 * height / 50000)
        self.assertLess(rotation, 0.01)  # that distance at the end of a bone of 4 cm

    def test_nodes_outside_the_chains_stay(self):
        plain, fbx = self.poses(SAMPLE), self.bake(SAMPLE, 'out.fbx')
        kept = [
            i for i, n in enumerate(plain['nodes']) if not re.search('Hair|Skirt|Tail|Whip', n)
        ]
        self.assertEqual(len(kept), 24)
        for clip, other in zip(plain['clips'], fbx['clips']):
            for pose, other_pose in zip(clip['world'], other['world']):
                self.assertEqual([pose[i] for i in kept], [other_pose[i] for i in kept])


if __name__ == '__main__':
    unittest.main(warnings="ignore")
