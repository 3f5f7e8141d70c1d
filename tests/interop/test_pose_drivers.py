# SPDX-License-Identifier: MIT
"""Pose drivers of tet-bake in three.js: the same skin as by the keys of the file."""
import json
import os
import pathlib
import sys
import unittest

from clipmill_process import SAMPLES, ProcessTest, run

HERE = pathlib.Path(__file__).resolve().parent
MODULES = pathlib.Path(os.environ.get('CLIPMILL_NODE_MODULES', ''))
FPS = 30
MAX_DIFFERENCE_M = 1e-4


class PoseDriversInThree(ProcessTest):
    def check(self, *options):
        sample = SAMPLES / 'tet-bake' / 'humanoid.glb'
        self.run_clipmill(
            'tet-bake', sample, '-o', 'driven.glb', '-q', '--drive', 'pose', '--keys', 'all',
            *options,
        )
        player = HERE / 'pose_drivers.mjs'
        found = json.loads(run('node', player, MODULES, self.folder / 'driven.glb', FPS))
        print(found)
        self.assertGreater(found['clips'], 1)
        self.assertGreater(found['moved'], 0.005)
        self.assertLess(found['apart'], MAX_DIFFERENCE_M)

    def test_the_player_shows_what_the_keys_of_morphs_show(self):
        self.check()

    def test_the_player_shows_what_the_keys_of_morphs_as_integers_show(self):
        self.check('--deltas', 'int16')

    def test_the_player_shows_what_the_keys_of_helper_joints_show(self):
        self.check('--bake-to', 'bones')


if __name__ == '__main__':
    if not (MODULES / 'three').is_dir():
        print('skipped: no three.js; scripts/interop.sh installs it')
        sys.exit(77)
    unittest.main(warnings='ignore')
