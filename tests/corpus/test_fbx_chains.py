# SPDX-License-Identifier: MIT
"""A chain baked into a real FBX swings as it does in a GLB of the same motion."""
import unittest

import corpus
import world_motion
from clipmill_process import ProcessTest

CHARACTER = corpus.FBX / 'maya_kenney_character_7700_binary.fbx'
CHAINS = ['--chain', 'LeftArm', '--chain', 'RightForeArm', '--keys', 'all', '--fps', '24']


class FbxChains(ProcessTest):
    def poses(self, path):
        return self.run_json('poses', path, '--fps', '24', '--space', 'metric', '--json')

    def bake(self, path, output, *arguments):
        self.run_clipmill('dynamic-bones', path, '-o', output, *CHAINS, *arguments)
        return self.poses(output)

    def test_arms_swing_as_they_do_in_a_glb_of_the_file(self):
        self.run_clipmill('convert', CHARACTER, '-o', 'h.glb')
        plain = self.poses(CHARACTER)
        height = world_motion.height_of(plain)
        for method in ('spring', 'reference'):
            with self.subTest(method):
                fbx = self.bake(CHARACTER, 'out.fbx', '--method', method)
                glb = self.bake('h.glb', 'out.glb', '--method', method)
                swing, _ = world_motion.worst_differences(plain, fbx)
                distance, rotation = world_motion.worst_differences(fbx, glb)
                print(
                    f'{method}: {distance / height:.2g} of the height, axes {rotation:.2g}; '
                    f'swing {swing / height:.2g}'
                )
                self.assertGreater(swing, 0.01 * height)
                self.assertLess(distance, 1e-4 * height)
                self.assertLess(rotation, world_motion.CHAIN_ROTATION_RAD)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
