# SPDX-License-Identifier: MIT
"""Cubic keys in place: fewer than linear ones, and as near to the motion, by evaluators of glTF and
FBX that do not know the program."""
import json
import unittest

import numpy as np

import fbx_paths
import glb
import pose_evaluator
from clipmill_process import SAMPLES, ProcessTest

SAMPLE = SAMPLES / 'dynamic-bones' / 'humanoid'
FPS = 30
TOLERANCE_MM = 0.5
ROUNDING_MM = 1e-3  # of the file with all keys
# Of one clip, so that the evaluators take seconds: frames and times between them.
TIMES = np.arange(0, 1.2, 1 / FPS / 4)[::3]


def curves(path):
    """[(interpolation, keys)] of the samplers of a glTF file, without constant ones."""
    document, _, _ = glb.read(path)
    samplers = [s for a in document['animations'] for s in a['samplers']]
    counts = [(s.get('interpolation', 'LINEAR'), document['accessors'][s['input']]['count'])
              for s in samplers]  # fmt: skip
    return [c for c in counts if c[1] > 1]


class CubicKeys(ProcessTest):
    def mirror(self, kind, output, *options):
        """Keys and the worst error in mm that the report states."""
        self.run_clipmill(
            *('mirror', SAMPLE.with_suffix(kind), '-o', output, '-q', '--fps', FPS),
            *('--report', 'r.json', *options),
        )
        clips = json.loads((self.folder / 'r.json').read_text())['clips']
        keys = [clip['keys'] for clip in clips]
        return sum(k['after'] for k in keys), max(k.get('worst_error_mm', 0.0) for k in keys)

    def mirror_both(self, kind):
        """Reduced keys, linear and cubic, after a file of all keys."""
        self.mirror(kind, 'all' + kind, '--keys', 'all')
        tolerance = ('--key-tolerance-mm', TOLERANCE_MM)
        linear, _ = self.mirror(kind, 'linear' + kind, *tolerance)
        cubic, worst = self.mirror(kind, 'cubic' + kind, *tolerance, '--cubic-keys')
        self.assertLessEqual(worst, TOLERANCE_MM)
        return linear, cubic

    def test_glb(self):
        linear, cubic = self.mirror_both('.glb')
        self.assertLess(cubic, linear)
        kinds = {kind for kind, _ in curves(self.folder / 'cubic.glb')}
        self.assertEqual(kinds, {'LINEAR', 'CUBICSPLINE'})
        self.assertEqual({kind for kind, _ in curves(self.folder / 'linear.glb')}, {'LINEAR'})
        sizes = [(self.folder / name).stat().st_size for name in ('linear.glb', 'cubic.glb')]
        self.assertLess(sizes[1], sizes[0])
        exact, found = (
            pose_evaluator.gltf_positions(self.folder / name, 0, TIMES)
            for name in ('all.glb', 'cubic.glb')
        )
        worst = 1e3 * np.linalg.norm(exact - found, axis=2).max()
        self.assertGreater(worst, 0.05 * TOLERANCE_MM)
        self.assertLess(worst, TOLERANCE_MM + ROUNDING_MM)

    def test_fbx(self):
        linear, cubic = self.mirror_both('.fbx')
        self.assertLess(cubic, 0.75 * linear)
        exact, found = (
            fbx_paths.FbxPaths(self.folder / name) for name in ('all.fbx', 'cubic.fbx')
        )
        self.assertTrue(any(curve.is_cubic() for curve in found.curves()))
        self.assertFalse(any(curve.is_cubic() for curve in exact.curves()))
        clip, worst = next(iter(exact.clips)), 0.0
        for time in TIMES:
            a, b = exact.positions(clip, time), found.positions(clip, time)
            worst = max(worst, *(10 * np.linalg.norm(a[name] - b[name]) for name in a))
        self.assertGreater(worst, 0.05 * TOLERANCE_MM)
        self.assertLess(worst, TOLERANCE_MM + ROUNDING_MM)

    def test_all_keys_stay_linear(self):
        self.mirror('.glb', 'all.glb', '--keys', 'all')
        self.mirror('.glb', 'cubic.glb', '--keys', 'all', '--cubic-keys')
        files = [(self.folder / name).read_bytes() for name in ('all.glb', 'cubic.glb')]
        self.assertEqual(*files)


if __name__ == '__main__':
    unittest.main(warnings='ignore')
