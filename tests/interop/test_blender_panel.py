# SPDX-License-Identifier: MIT
"""The panel of the add-on for Blender on a display of its own: a bake that is cancelled, one that
runs in the background, its undo and redo. Screenshots stay in build/interop/artifacts."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from clipmill_process import PROGRAM, ROOT, SAMPLES, ProcessTest

HERE = pathlib.Path(__file__).resolve().parent
ARTIFACTS = ROOT / 'build' / 'interop' / 'artifacts'
SIZE = (1280, 900)


class BlenderPanel(ProcessTest):
    def test_a_bake_in_the_background_is_shown_cancelled_and_undone(self):
        packed = subprocess.run(
            [ROOT / 'scripts' / 'blender_addon.sh'], check=True, text=True, capture_output=True
        )
        scripts = self.folder / 'scripts'
        scripts.mkdir()
        width, height = map(str, SIZE)
        process = subprocess.run(
            ['xvfb-run', '-a', '-s', f'-screen 0 {width}x{height}x24', 'blender']
            + ['--enable-event-simulate', '--factory-startup', '-noaudio']
            + ['--window-geometry', '0', '0', width, height, '-P', HERE / 'blender_panel.py', '--']
            + [ROOT / packed.stdout.strip(), pathlib.Path(PROGRAM).resolve(), SAMPLES, self.folder],
            env={**os.environ, 'BLENDER_USER_SCRIPTS': str(scripts), 'LIBGL_ALWAYS_SOFTWARE': '1'},
            capture_output=True, text=True, timeout=600,
        )
        results_file = self.folder / 'panel.json'
        self.assertTrue(results_file.is_file(), process.stdout[-2000:] + process.stderr[-2000:])
        results = json.loads(results_file.read_text())
        self.assertNotIn('error', results)
        self.assertEqual(results['cancelled'], ['RUNNING_MODAL'])
        facts = ('was_running', 'is_kept_after_cancel', 'is_baked', 'is_restored', 'is_redone')
        for fact in (*facts, 'has_findings'):
            self.assertTrue(results[fact], fact)
        self.assertGreater(len(results['progress']), 0)
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        for name in ('object', 'panel', 'running', 'baked', 'check'):
            shutil.copy(self.folder / f'{name}.png', ARTIFACTS / f'blender-{name}.png')
        self.assert_panel_is_drawn(self.folder / 'panel.png')

    def assert_panel_is_drawn(self, path):
        """The sidebar has the white letters of the panel, which an empty one has not."""
        import matplotlib.image

        image = matplotlib.image.imread(path)[..., :3]
        self.assertEqual(image.shape[:2], SIZE[::-1])
        letters = (image[90:860, 1060:1250].min(axis=2) > 0.8).mean()
        self.assertGreater(letters, 0.01)


if __name__ == '__main__':
    if shutil.which('xvfb-run') is None:
        print('skipped: needs a display (package xvfb)')
        sys.exit(77)
    unittest.main(warnings='ignore')
