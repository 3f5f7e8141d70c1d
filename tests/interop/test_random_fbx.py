# SPDX-License-Identifier: MIT
"""FBX files made at random (random_fbx.py) against FBX2glTF, which carries the FBX SDK of Autodesk:
world transforms as we read them, as we convert them to GLB, and as we write them to FBX again."""
import os
import pathlib
import subprocess
import unittest

import numpy as np
import pose_evaluator
import random_fbx
from clipmill_process import ProcessTest

FBX2GLTF = (
    pathlib.Path(os.environ['CLIPMILL_NODE_MODULES']) / 'fbx2gltf' / 'bin' / 'Linux' / 'FBX2glTF'
)
COUNT = 60
# Of a chain 0.2 to 1 m long; FBX2glTF writes floats. Keys of converted files are within 0.1 mm.
TOLERANCE_M, CONVERTED_M = 1e-5, 1.5e-4
AXES = 1e-5
METRES = 0.01


class RandomFbx(ProcessTest):
    def autodesk(self, path):
        """{name: 4 x 4 matrices, one a frame} as FBX2glTF bakes them."""
        target = self.folder / 'autodesk.glb'
        target.unlink(missing_ok=True)
        subprocess.run(
            [FBX2GLTF, '-b', '-i', path, '-o', target, '--anim-framerate', 'bake30'],
            capture_output=True, check=True, timeout=60,
        )
        return self.evaluated(target)

    @staticmethod
    def evaluated(path):
        file = pose_evaluator._Gltf(path)
        # Where nothing is animated there is no clip.
        clip = file.json.get('animations', [{'channels': []}])[0]
        frames = [file.worlds(clip, k / random_fbx.FPS) for k in range(random_fbx.KEYS)]
        names = [node.get('name') for node in file.nodes]
        return {name: np.array([f[i] for f in frames]) for i, name in enumerate(names)}

    def ours(self, path):
        times = ','.join(str(k / random_fbx.FPS) for k in range(random_fbx.KEYS))
        poses = self.run_json('poses', path, '--times', times, '--json')
        world = np.array(poses['clips'][0]['world']).reshape(random_fbx.KEYS, -1, 3, 4)
        return {p.split('/')[-1]: world[:, i] for i, p in enumerate(poses['nodes'])}

    def compare(self, expected, found, metres, axes):
        """Largest differences of positions [m] and of axes."""
        position = direction = 0.0
        for number in range(4):
            a, b = expected['Joint%d' % number], found['Joint%d' % number]
            step = a[:, :3, 3] - metres * b[:, :3, 3]
            position = max(position, float(abs(step).max()))
            difference = a[:, :3, :3] - axes * b[:, :3, :3]
            direction = max(direction, float(abs(difference).max()))
        return position, direction

    def test_worlds_are_those_of_autodesk(self):
        os.chmod(FBX2GLTF, 0o755)
        worst, spheric = np.zeros(4), 0
        for seed in range(COUNT):
            with self.subTest(seed):
                made = random_fbx.RandomFbx(seed, spheric=seed % 2 == 1)
                spheric += any(t['RotationOrder'] == 6 for t in made.traits)
                path = self.file('a.fbx', made.text())
                expected = self.autodesk(path)
                position, axes = self.compare(expected, self.ours(path), METRES, 1.0)
                self.assertLess(position, TOLERANCE_M, made.traits)
                self.assertLess(axes, AXES, made.traits)
                self.run_clipmill('convert', path, '-o', 'b.glb', '-q')
                converted, _ = self.compare(
                    expected, self.evaluated(self.folder / 'b.glb'), 1.0, METRES
                )
                self.run_clipmill('convert', 'b.glb', '-o', 'c.fbx', '-q')
                again, _ = self.compare(expected, self.autodesk(self.folder / 'c.fbx'), 1.0, 1.0)
                self.assertLess(max(converted, again), CONVERTED_M, made.traits)
                worst = np.maximum(worst, (position, axes, converted, again))
        print('%d files, %d with the spheric order: read %.2g m, axes %.2g, as GLB %.2g m, as FBX '
              'again %.2g m' % (COUNT, spheric, *worst))  # fmt: skip
        self.assertGreater(spheric, 10)


if __name__ == '__main__':
    unittest.main(warnings='ignore')
