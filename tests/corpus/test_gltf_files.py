# SPDX-License-Identifier: MIT
"""Every real glTF file: read right, left alone when nothing is asked for, refused when broken."""
import json
import unittest

import corpus
from clipmill_process import ProcessTest


class GltfFiles(ProcessTest):
    def test_poses_agree_with_an_independent_evaluator(self):
        compared = 0
        for path in corpus.gltf_files():
            with self.subTest(path.name):
                expected = corpus.expected_poses(path, self.folder)
                if expected is None:
                    continue
                actual = corpus.poses_at_fractions(self, path)
                agrees, line = corpus.compare_poses(expected, actual, 1e-6)
                print(path.name, line)
                self.assertTrue(agrees, line)
                compared += 1
        self.assertGreaterEqual(compared, 15)

    def test_a_run_without_stages_gives_the_same_bytes(self):
        self.file('empty.toml', '')
        for path in corpus.gltf_files():
            with self.subTest(path.name):
                output = 'out' + path.suffix
                self.run_clipmill('run', path, '--recipe', 'empty.toml', '-o', output, '-q')
                self.assertEqual((self.folder / output).read_bytes(), path.read_bytes())
                for name in self.files():
                    if name != 'empty.toml':
                        (self.folder / name).unlink()

    def test_broken_files_are_refused_with_one_sentence(self):
        broken = sorted(
            p
            for p in (corpus.CORPUS / 'malformed').glob('Khronos*/*')
            if p.suffix in ('.glb', '.gltf')
        )
        self.assertGreaterEqual(len(broken), 7)
        self.file('empty.toml', '')
        for path in broken:
            with self.subTest(path.name):
                process = self.run_clipmill(
                    'run', path, '--recipe', 'empty.toml', '-o', 'out' + path.suffix, exit_code=3
                )
                self.assertOneSentence(process.stderr, path.name)
                self.assertEqual(self.files(), ['empty.toml'])

    def test_every_truncation_of_a_file_is_refused(self):
        whole = (corpus.CORPUS / 'gltf' / 'arkavo-org__AnimatedMorphCube.glb').read_bytes()
        self.file('empty.toml', '')
        for size in range(0, len(whole), 64):
            self.file('cut.glb', whole[:size])
            process = self.run_clipmill(
                'run', 'cut.glb', '--recipe', 'empty.toml', '-o', 'out.glb', exit_code=3
            )
            self.assertOneSentence(process.stderr, 'cut.glb')
        self.assertEqual(self.files(), ['cut.glb', 'empty.toml'])

    def test_info_counts_what_is_there(self):
        info = self.run_json(
            'info', corpus.CORPUS / 'gltf' / 'KayKit-Game-Assets__Barbarian.glb', '--json'
        )
        self.assertEqual(
            (len(info['clips']), len(info['nodes']), sum(m['vertices'] for m in info['meshes'])),
            (76, 55, 5922),
        )


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
