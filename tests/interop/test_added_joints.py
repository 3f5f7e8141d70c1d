# SPDX-License-Identifier: MIT
"""Files with a new joint that takes over weights and moves, opened by other readers: the Khronos
validator, FBX2glTF, which carries the FBX SDK of Autodesk, and Blender."""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import unittest

import corpus
import glb
import joint_added
from clipmill_process import ProcessTest

HERE = pathlib.Path(__file__).resolve().parent
MODULES = pathlib.Path(os.environ['CLIPMILL_NODE_MODULES'])
CONVERTER = MODULES / 'fbx2gltf' / 'bin' / 'Linux' / 'FBX2glTF'
CHARACTER = 'maya_kenney_character_7700_binary.fbx'
GLTF = ['RiggedFigure.glb', 'Fox.glb', 'player.glb', 'Godette_vrm_v4.vrm']


def gap(a, b):
    """Largest distance from a position to the nearest one of the other set: converters split
    vertices."""
    import numpy

    gaps = numpy.linalg.norm(a[:, None] - b[None], axis=2)
    return float(max(gaps.min(0).max(), gaps.min(1).max()))


class AddedJointReaders(ProcessTest):
    def problems(self, *paths):
        process = subprocess.run(
            ['node', HERE / 'validate.cjs', MODULES, *paths],
            capture_output=True,
            text=True,
            check=True,
            timeout=600,
        )
        found = json.loads(process.stdout)
        return [collections.Counter(m['code'] for m in found[str(path)]) for path in paths]

    def test_the_khronos_validator_finds_nothing_new(self):
        files = 0
        for path in corpus.gltf_files():
            if not path.name.endswith(tuple(GLTF)):
                continue
            with self.subTest(path.name):
                output = self.folder / ('out' + path.suffix)
                joint_added.add(path, output)
                before, after = self.problems(path, output)
                self.assertEqual(after, before)
                files += 1
        self.assertGreaterEqual(files, 4)

    def test_the_fbx_sdk_sees_the_joint_at_work(self):
        # npm leaves the program without the right to run.
        converter = self.folder / 'FBX2glTF'
        shutil.copy(CONVERTER, converter)
        converter.chmod(0o755)
        done = joint_added.add(corpus.FBX / CHARACTER, self.folder / 'out.fbx')
        target = self.folder / 'converted'
        subprocess.run(
            [converter, '-i', self.folder / 'out.fbx', '-o', target, '--binary']
            + ['--anim-framerate', 'bake%d' % round(done['fps'])],
            capture_output=True,
            check=True,
            timeout=300,
        )
        target = target.with_suffix('.glb')
        names = [node.get('name') for node in glb.read(target)[0]['nodes']]
        self.assertIn('Extra', names)
        module = corpus.evaluator()
        times = [pose['time'] - done['start'] for pose in done['poses']]
        (clip, *_) = module.evaluate(
            module.Gltf(str(target)), times=times, vertices=True, max_vertices=1000000
        )['clips']
        (mesh,) = {part['mesh'] for part in clip['skinned']}
        seen = joint_added.positions_of(clip['skinned'], mesh, len(times))
        off = max(gap(a, b) for a, b in zip(joint_added.expected(done), seen))
        print('%s: a new joint, the SDK is off by %.2g m' % (CHARACTER, off))
        self.assertLess(off, 2e-5)

    def test_blender_sees_the_joint_at_work(self):
        import numpy

        done = joint_added.add(corpus.FBX / CHARACTER, self.folder / 'out.fbx')
        target = self.folder / 'seen.json'
        frames = [round((p['time'] - done['start']) * done['fps']) for p in done['poses']]
        subprocess.run(
            ['blender', '-b', '--factory-startup', '-noaudio', '-P', HERE / 'blender_vertices.py']
            + ['--', self.folder / 'out.fbx', target, ','.join(map(str, frames))],
            capture_output=True,
            check=True,
            timeout=600,
        )
        seen = json.loads(target.read_text())
        self.assertIn('Extra', seen['bones'])
        (mesh,) = seen['meshes'].values()
        off = abs(numpy.array(mesh) - joint_added.expected(done))
        print('%s: a new joint, Blender is off by %.2g m' % (CHARACTER, float(off.max())))
        self.assertLess(float(off.max()), 1e-4)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
