# SPDX-License-Identifier: MIT
"""The add-on for Blender on a rig with constraints, drivers, an NLA track and a shape key of its
own: each operator changes keys and shape keys of what was asked for and nothing else, and undo
restores them."""
import re
import unittest

from addon_test import AddonTest

BONE = r'pose\.bones\["[^"]+"\]\.(location|rotation_quaternion|scale)\[\d\]'
# By case: what may change, and what has to be among it.
ALLOWED = {
    'dynamic-bones': (r'Walk_\w+ pose\.bones\["Tail\d+"\]\.rotation_quaternion\[\d\]', 'Tail1'),
    'stretch': (rf'Leap_\w+ {BONE}', '"Root"'),
    'self-collision': (rf'ArmsThroughBelly_\w+ {BONE}', 'LeftArm'),
    'tet-bake': (r'shape key bake_\w+|action ForearmTwist_\w+ [\w.]+', 'shape key'),
    'retarget': (r'action (Leap|Lunge)', 'action Leap'),
    'mirror all': (rf'\w+ {BONE}', 'Run_'),
    'trim': (rf'Walk_\w+ {BONE}', 'Walk_'),
    'check': (r'^$', ''),
}


class BlenderRigs(AddonTest):
    script = 'blender_rigs.py'

    def test_operators_change_what_was_asked_for(self):
        for name, result in self.results['rigs'].items():
            with self.subTest(name):
                self.assertEqual(result['status'], ['FINISHED'])
                allowed, wanted = ALLOWED[name]
                others = [c for c in result['changed'] if not re.fullmatch(allowed, c)]
                self.assertEqual(others, [])
                if wanted:
                    self.assertTrue([c for c in result['changed'] if wanted in c])
                print(f"{name}: {len(result['changed'])} curves, actions or shape keys")

    def test_undo_restores_everything(self):
        self.assertEqual(set(self.results['rigs']), set(ALLOWED))
        for name, result in self.results['rigs'].items():
            with self.subTest(name):
                self.assertEqual(result['left'], [])


if __name__ == '__main__':
    unittest.main(warnings='ignore')
