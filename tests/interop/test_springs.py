# SPDX-License-Identifier: MIT
"""Springs of VRM files, moved by @pixiv/three-vrm-springbone as by us."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

import corpus

HERE = pathlib.Path(__file__).resolve().parent
MODULES = pathlib.Path(os.environ.get('CLIPMILL_NODE_MODULES', ''))
PROGRAM = os.environ.get('CLIPMILL_SPRING_MOTION', '')


def compared(*arguments):
    """What springs.mjs finds on one scene; nothing where it has no springs."""
    ours = subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=600)
    if ours.returncode == 77:
        return None
    if ours.returncode:
        raise AssertionError(ours.stderr.decode())
    theirs = subprocess.run(
        ['node', HERE / 'springs.mjs', MODULES],
        input=ours.stdout,
        capture_output=True,
        timeout=600,
    )
    if theirs.returncode:
        raise AssertionError(theirs.stderr.decode())
    return json.loads(theirs.stdout)


class SpringsTest(unittest.TestCase):
    def check(self, found):
        self.assertGreater(found['swing'], 0.1, 'nothing swings')
        self.assertLess(found['largest'], 1e-6)

    def test_the_scene_on_which_speed_is_compared_moves_alike(self):
        found = compared('peer')
        self.assertEqual(found['joints'], 200)
        self.check(found)

    def test_scenes_of_all_sorts_move_alike(self):
        for seed in range(1, 13):
            with self.subTest(seed=seed):
                self.check(compared('random', str(seed)))

    def test_real_files_move_alike(self):
        checked = 0
        for path in corpus.gltf_files():
            if 'vrm' not in path.parts[-3:]:
                continue
            with self.subTest(file=path.name):
                found = compared(str(path))
                if found:
                    self.check(found)
                    checked += 1
        print(f'springs of {checked} real files')


if __name__ == '__main__':
    if not (MODULES / '@pixiv/three-vrm-springbone').is_dir() or not PROGRAM:
        print('skipped: no three-vrm-springbone; scripts/interop.sh installs it')
        sys.exit(77)
    unittest.main()
