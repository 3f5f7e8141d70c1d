# SPDX-License-Identifier: MIT
"""Skins that go from glTF to FBX, as Autodesk's library sees their vertices. Not judged: joints
that have shear at bind, because a node above scales each axis by another factor. FBX2glTF keeps
bind matrices as translation, rotation and scale, whatever the file has."""
import os
import pathlib
import subprocess
import sys
import unittest

import numpy as np
import pose_evaluator
from clipmill_process import ROOT, ProcessTest

sys.path.insert(0, str(ROOT / 'tests/corpus'))
import test_skins as skins  # noqa: E402

FBX2GLTF = (
    pathlib.Path(os.environ['CLIPMILL_NODE_MODULES']) / 'fbx2gltf' / 'bin' / 'Linux' / 'FBX2glTF'
)
# Of a size of 3; at frames, where FBX2glTF's result is not interpolated.
TIMES = [0.0, 0.1, 0.3, 0.5, 0.8, 1.0]
TOLERANCE = 1e-4


class Skins(ProcessTest):
    def worst(self, file):
        (self.folder / 'in.glb').write_bytes(file.bytes())
        self.run_clipmill('convert', 'in.glb', '-o', 'there.fbx', '--keys', 'all', '-q')
        subprocess.run(
            [FBX2GLTF, '-b', '-i', self.folder / 'there.fbx', '-o', self.folder / 'seen.glb']
            + ['--anim-framerate', 'bake30'],
            capture_output=True, check=True, timeout=60,
        )
        expected = pose_evaluator.skinned_vertices(self.folder / 'in.glb', TIMES)
        seen = pose_evaluator.skinned_vertices(self.folder / 'seen.glb', TIMES)
        worst = 0.0
        for points, others in zip(expected, seen):
            far = np.linalg.norm(points[:, None] - others[None], axis=2)
            worst = max(worst, float(far.min(1).max()))
        return worst

    def test_vertices_are_those_of_the_source(self):
        os.chmod(FBX2GLTF, 0o755)
        for scale in (1.0, 1.3, 0.2):
            with self.subTest(scale):
                file = skins.File()
                file.nodes[0]['scale'] = [scale] * 3
                worst = self.worst(file)
                print('scale %g above the joints: %.2g' % (scale, worst))
                self.assertLess(worst, TOLERANCE)


if __name__ == '__main__':
    unittest.main(warnings='ignore')
