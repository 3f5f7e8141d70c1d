# SPDX-License-Identifier: MIT
"""Skins that tet-bake has baked, in other programs: FBX2glTF, which carries the FBX SDK of
Autodesk, then the independent glTF evaluator; Blender; and the Khronos validator."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

import corpus
from clipmill_process import SAMPLES, ProcessTest

HERE = pathlib.Path(__file__).resolve().parent
MODULES = pathlib.Path(os.environ['CLIPMILL_NODE_MODULES'])
CONVERTER = MODULES / 'fbx2gltf' / 'bin' / 'Linux' / 'FBX2glTF'
SAMPLE = SAMPLES / 'tet-bake' / 'humanoid.glb'
CLIPS = ('ElbowBend', 'ForearmTwist')
FPS = 30.0


class BakedSkins(ProcessTest):
    def bake(self, output, *arguments):
        """The stage's metrics, one dictionary a clip."""
        report = self.folder / (output + '.json')
        self.run_clipmill('tet-bake', SAMPLE, '-o', output, '--report', report, '-q', *arguments)
        clips = json.loads(report.read_text())['clips']
        return {c['clip']: c['stages'][0]['metrics'] for c in clips}

    def wanted(self):
        """(solved skin, plain skinning), each a list of frames x vertices x 3, one a clip."""
        import baked_skin

        self.bake('cached.glb', '--bake-to', 'pc2')
        solved = [baked_skin.read_pc2(self.folder / f'cached_{c}_Body.pc2') for c in CLIPS]
        skin = baked_skin.GltfSkin(SAMPLE)
        times = [frame / FPS for frame in range(len(solved[0]))]
        return solved, [skin.positions(c, times) for c in CLIPS]

    def judge(self, program, positions, solved, plain, metrics):
        import baked_skin

        for clip, (rms, largest) in zip(CLIPS, baked_skin.errors_mm(positions, solved, plain)):
            after = metrics[clip]['after']
            print('%s, %s: rms %.3f mm, largest %.2f' % (program, clip, rms, largest))
            self.assertLess(rms, after['skin_error_rms_mm'] + 0.05)
            self.assertLess(largest, after['skin_error_max_mm'] + 1.0)

    def in_blender(self, path):
        import numpy

        target = self.folder / 'takes.json'
        subprocess.run(
            ['blender', '-b', '--factory-startup', '-noaudio', '-P', HERE / 'blender_skin.py']
            + ['--', path, target, self.folder],
            capture_output=True,
            check=True,
            timeout=600,
        )
        frames = json.loads(target.read_text())
        self.assertEqual(sorted(frames), sorted(CLIPS))
        return [
            numpy.fromfile(self.folder / f'{c}.f32', '<f4').reshape(frames[c], -1, 3) for c in CLIPS
        ]

    def test_the_fbx_sdk_sees_the_solved_skin(self):
        import baked_skin

        metrics = self.bake('full.fbx')
        solved, plain = self.wanted()
        # npm leaves the program without the right to run.
        converter = self.folder / 'FBX2glTF'
        shutil.copy(CONVERTER, converter)
        converter.chmod(0o755)
        subprocess.run(
            [converter, '-i', self.folder / 'full.fbx', '-o', self.folder / 'converted']
            + ['--binary', '--anim-framerate', 'bake30'],
            capture_output=True,
            check=True,
            timeout=300,
        )
        skin = baked_skin.GltfSkin(self.folder / 'converted.glb')
        self.assertEqual(skin.targets(), metrics[CLIPS[0]]['after']['morphs'])
        # The converter has vertices in an order of its own.
        same, gap = baked_skin.same_vertices(baked_skin.GltfSkin(SAMPLE).rest(), skin.rest())
        self.assertLess(gap, 1e-5)
        self.assertEqual(len(set(same)), len(set(baked_skin.welded(plain[0][0]))))
        times = [frame / FPS for frame in range(len(solved[0]))]
        positions = [skin.positions(c, times) for c in CLIPS]
        solved, plain = ([side[:, same] for side in sides] for sides in (solved, plain))
        self.judge('FBX2glTF', positions, solved, plain, metrics)

    def test_blender_sees_the_solved_skin(self):
        metrics = self.bake('full.fbx')
        solved, plain = self.wanted()
        positions = self.in_blender(self.folder / 'full.fbx')
        self.judge('Blender', positions, solved, plain, metrics)

    def test_baked_files_are_valid(self):
        outputs = ['full.glb', 'web.glb']
        self.bake(outputs[0])
        self.bake(outputs[1], '--preset', 'web8')
        process = subprocess.run(
            ['node', HERE / 'validate.cjs', MODULES, *(self.folder / o for o in outputs)],
            capture_output=True,
            text=True,
            check=True,
            timeout=600,
        )
        for path, problems in json.loads(process.stdout).items():
            self.assertEqual(problems, [], path)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
