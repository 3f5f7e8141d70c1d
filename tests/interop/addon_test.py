# SPDX-License-Identifier: MIT
"""What tests of the add-on for Blender have in common: scenes in Blender (blender_scenes.py), and
the command line's bakes of the same files."""
import json
import math
import os
import pathlib
import subprocess
import tempfile

import corpus
import numpy as np
from clipmill_process import PROGRAM, ROOT, SAMPLES, ProcessTest

HERE = pathlib.Path(__file__).resolve().parent
DYNAMIC = SAMPLES / 'dynamic-bones' / 'humanoid.glb'
STRETCH = SAMPLES / 'stretch' / 'humanoid.glb'
SKIN = SAMPLES / 'tet-bake' / 'humanoid.glb'
TOLERANCE_M = 1e-4
TOLERANCE_DEG = 0.01
FPS = 30


class AddonTest(ProcessTest):
    """`results` is what the script of the class, in Blender, saw in each scene."""

    script = ''

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        packed = subprocess.run(
            [ROOT / 'scripts' / 'blender_addon.sh'], check=True, text=True, capture_output=True
        )
        cls.results_folder = pathlib.Path(
            cls.enterClassContext(tempfile.TemporaryDirectory(prefix='clipmill-addon-'))
        )
        scripts = cls.results_folder / 'scripts'
        scripts.mkdir()
        process = subprocess.run(
            ['blender', '-b', '--factory-startup', '-noaudio', '--python-exit-code', '1']
            + ['-P', HERE / cls.script, '--']
            + [ROOT / packed.stdout.strip(), pathlib.Path(PROGRAM).resolve(), SAMPLES]
            + [cls.results_folder],
            env={
                **os.environ, 'BLENDER_USER_SCRIPTS': str(scripts),
                'CLIPMILL_CORPUS': str(corpus.CORPUS),
            },
            capture_output=True, text=True, timeout=600,
        )
        if process.returncode != 0:
            raise AssertionError(process.stdout[-3000:] + process.stderr[-3000:])
        cls.results = json.loads((cls.results_folder / 'results.json').read_text())

    def baked(self, source, stage, settings, clip, fps=FPS, **recipe):
        """Heads at every frame of a clip of the command line's bake: [{name: [x, y, z]}]."""
        recipe = {'stage': [{'type': stage, **settings}] if stage else [], **recipe}
        recipe['output'] = {'keys': 'all', 'fps': fps}
        self.file('recipe.json', json.dumps(recipe))
        output = 'baked' + source.suffix
        selected = () if 'input' in recipe else ('--clip', clip)
        self.run_clipmill('run', source, '--recipe', 'recipe.json', '-o', output, '-q', *selected)
        return self.heads(output, clip, fps)

    def heads(self, path, clip, fps=FPS):
        return [
            {name: matrix[:, 3].tolist() for name, matrix in frame.items()}
            for frame in self.worlds(path, clip, fps)
        ]

    def worlds(self, path, clip, fps=FPS):
        """World matrices (3, 4) at every frame of a clip: [{name: matrix}]."""
        flags = ('--clip', clip, '--fps', str(fps), '--space', 'metric', '--json')
        poses = self.run_json('poses', path, *flags)
        names = [name.split('/')[-1] for name in poses['nodes']]
        return [
            {name: np.reshape(matrix, (3, 4)) for name, matrix in zip(names, frame)}
            for frame in poses['clips'][0]['world']
        ]

    def assert_near(self, what, seen, expected):
        self.assertEqual(len(seen), len(expected), what)
        distances = [
            (math.dist(point, wanted[name]), name, frame)
            for frame, (shown, wanted) in enumerate(zip(seen, expected))
            for name, point in shown.items()
        ]
        worst = max(distances)
        print(f'{what}: {len(distances)} heads, at most {worst[0]:.1e} m apart')
        self.assertLess(worst[0], TOLERANCE_M, (what, worst))

    def assert_rotations(self, what, result, source, clip, fps=FPS):
        """The rotation of each bone since the first frame of the clip as it was, which does not
        depend on the axes of bones, is that of the command line's last bake of `source`."""
        before = {n: rotation_of(m) for n, m in self.worlds(source, clip, fps)[0].items()}
        worst = (0.0, '')
        for seen, wanted in zip(
            result['rotations'], self.worlds('baked' + source.suffix, clip, fps), strict=True
        ):
            for name, matrix in seen.items():
                reference = np.reshape(result['reference'][name], (3, 3))
                ours = np.reshape(matrix, (3, 3)) @ reference.T
                theirs = rotation_of(wanted[name]) @ before[name].T
                # The Frobenius norm is sqrt(8) times the sine of half the angle.
                sine = min(float(np.linalg.norm(ours - theirs)) / math.sqrt(8), 1.0)
                worst = max(worst, (math.degrees(2 * math.asin(sine)), name))
        print(f'{what}: rotations at most {worst[0]:.1e} degrees apart')
        self.assertLess(worst[0], TOLERANCE_DEG, (what, worst))

    def assert_vertices(self, path, clip, time_s, points):
        """Vertices that Blender shows are those of a file. glTF meshes have them in an order of
        their own."""
        flags = ('--clip', clip, '--times', str(time_s), '--space', 'metric', '--json')
        flags += ('--vertices', '--max-vertices', '100000')
        (seen,) = self.run_json('poses', path, *flags)['clips']
        numbers = [n for mesh in seen['skinned'] for n in mesh['positions']]
        worst = largest_gap(np.array(points), np.reshape(numbers, (-1, 3)))
        print(f'{clip}, {time_s:.3f} s: {len(points)} vertices, at most {worst:.1e} m apart')
        self.assertLess(worst, TOLERANCE_M)

    def assert_moved(self, source, clip, seen, least_m):
        """The bake is not the clip as it was."""
        before = self.heads(source, clip)
        moved = max(
            math.dist(point, was[name])
            for shown, was in zip(seen, before) for name, point in shown.items()
        )
        self.assertGreater(moved, least_m)


def rotation_of(matrix):
    """The rotation of a matrix (3, 4) whose columns may be scaled."""
    return matrix[:, :3] / np.linalg.norm(matrix[:, :3], axis=0)


def largest_gap(points, others):
    """The largest distance from a point to the nearest one of `others`."""
    return max(np.sqrt(((others - point) ** 2).sum(axis=1).min()) for point in points)
