# SPDX-License-Identifier: MIT
"""Real files get a joint that takes over weights and moves: where the vertices are then, as the
independent evaluator of glTF sees it, and as we read FBX back."""
import json
import unittest

import corpus
import glb
import joint_added
from clipmill_process import ProcessTest

CHARACTER = 'maya_kenney_character_7700_binary.fbx'
# Positions are read back from 32-bit floats.
TOLERANCE = 1e-5


class AddedJoints(ProcessTest):
    def added(self, source, output):
        """What add_joint did, or None for files that have no skin or cannot get a joint."""
        try:
            return joint_added.add(source, self.folder / output)
        except AssertionError as refusal:
            known = (
                'no skinned mesh', 'FBX 6 or older', 'shared with other meshes', 'several skins'
            )
            self.assertTrue(any(k in str(refusal) for k in known), (source.name, str(refusal)))
            return None

    @staticmethod
    def json_of(path):
        is_text = path.suffix == '.gltf'
        return json.loads(path.read_text('utf-8-sig')) if is_text else glb.read(path)[0]

    def check(self, done, seen):
        should = joint_added.expected(done)
        self.assertEqual(seen.shape, should.shape)
        off = float(abs(seen - should).max())
        self.assertLess(off, TOLERANCE * max(1.0, float(abs(should).max())))
        return off

    def read_back(self, path, done):
        poses = self.run_json(
            'poses', path, '--clip', 0, '--times', joint_added.times(done),
            '--vertices', '--max-vertices', 1000000, '--space', 'metric', '--json',
        )  # fmt: skip
        skinned = poses['clips'][0]['skinned']
        return joint_added.positions_of(skinned, done['mesh'], len(done['poses']))

    def evaluated(self, path, done):
        if 'EXT_meshopt_compression' in self.json_of(path).get('extensionsUsed', []):
            return self.read_back(path, done)  # the evaluator does not unpack it
        module = corpus.evaluator()
        poses = module.evaluate(
            module.Gltf(str(path)),
            clip='0',
            times=[pose['time'] for pose in done['poses']],
            vertices=True,
            max_vertices=1000000,
        )
        skinned = poses['clips'][0]['skinned']
        return joint_added.positions_of(skinned, done['mesh'], len(done['poses']))

    def test_the_evaluator_of_gltf_sees_the_joint_at_work(self):
        worst, files = 0.0, 0
        for path in corpus.gltf_files():
            with self.subTest(path.name):
                # Texts bring files along, which must not meet those of another one.
                folder = self.folder / (path.parent.name + '_' + path.stem)
                folder.mkdir()
                output = folder / ('out' + path.suffix)
                done = self.added(path, output)
                if done is None:
                    continue
                before, after = (self.json_of(p) for p in (path, output))
                self.assertEqual(len(after['nodes']), len(before['nodes']) + 1)
                self.assertEqual(after.get('materials'), before.get('materials'))
                self.assertEqual(after.get('extensions'), before.get('extensions'))
                worst = max(worst, self.check(done, self.evaluated(output, done)))
                files += 1
        print('%d glTF files with a new joint, off by %.2g m' % (files, worst))
        self.assertGreaterEqual(files, 5)

    def test_fbx_files_are_read_back_with_the_joint_at_work(self):
        worst, files = 0.0, 0
        for path in corpus.fbx_files():
            with self.subTest(path.name):
                done = self.added(path, 'out.fbx')
                if done is None:
                    continue
                worst = max(worst, self.check(done, self.read_back('out.fbx', done)))
                files += 1
        print('%d FBX files with a new joint, off by %.2g m' % (files, worst))
        self.assertGreaterEqual(files, 5)

    def test_fbx_becomes_gltf_with_the_joint_at_work(self):
        done = self.added(corpus.FBX / CHARACTER, 'out.glb')
        value = self.json_of(self.folder / 'out.glb')
        self.assertIn('Extra', [node.get('name') for node in value['nodes']])
        poses = self.evaluated(self.folder / 'out.glb', done)
        # The writer cuts vertices apart where their corners differ.
        import numpy

        for a, b in zip(joint_added.expected(done), poses):
            gaps = numpy.linalg.norm(a[:, None] - b[None], axis=2)
            self.assertLess(float(max(gaps.min(0).max(), gaps.min(1).max())), 1e-4)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
