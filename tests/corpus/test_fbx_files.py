# SPDX-License-Identifier: MIT
"""Every real FBX file: read right, left alone when nothing is asked for, refused when broken."""
import csv
import re
import unittest

import corpus
import obj
from clipmill_process import ProcessTest


def scene_name(path):
    """What the exports of one scene in several versions and encodings have in common."""
    return re.sub(r'_\d{4}_(ascii|binary)(_combined)?', '', path.stem)


def seconds(text):
    number, _, divisor = text.partition('/')
    return float(number) / float(divisor or 1)


class FbxFiles(ProcessTest):
    def test_poses_agree_with_an_independent_evaluator(self):
        compared, worst_world, worst_vertex = 0, 0.0, 0.0
        for path in corpus.fbx_files():
            with self.subTest(path.name):
                expected = corpus.expected_poses(path, self.folder)
                actual = corpus.poses_at_fractions(self, path)
                _, line = corpus.compare_poses(expected, actual, 1e-4)
                tokens = line.split()
                self.assertEqual((tokens[5], tokens[7]), ('0', '0'), line)
                self.assertLess(float(tokens[1]), 2e-5, line)
                self.assertLess(float(tokens[3]), 1e-5, line)
                worst_world = max(worst_world, float(tokens[1]))
                worst_vertex = max(worst_vertex, float(tokens[3]))
                compared += 1
        print('%d files, world %.3g vertex %.3g' % (compared, worst_world, worst_vertex))
        self.assertGreaterEqual(compared, 55)

    def test_posed_meshes_agree_with_the_applications_that_made_them(self):
        rows = csv.DictReader(open(corpus.CORPUS / 'EXPECTED_FRAMES.tsv'), delimiter='\t')
        compared, names = 0, set()
        for row in rows:
            expected = corpus.CORPUS / row['expected_obj']
            for path in self.exports_of(expected.stem, row['stack']):
                with self.subTest(path.name, mesh=expected.stem, stack=row['stack']):
                    if self.compare(path, expected, row['stack'], seconds(row['time_s'])):
                        compared += 1
                        names.add(expected.stem)
        print('%d comparisons with %d posed meshes' % (compared, len(names)))
        self.assertGreaterEqual(len(names), 41)
        self.assertGreaterEqual(compared, 110)

    def exports_of(self, mesh_name, stack):
        fitting = [
            p for p in corpus.fbx_files() if (mesh_name + '_').startswith(scene_name(p) + '_')
        ]
        if stack != 'NULL':
            return fitting
        longest = max(len(scene_name(p)) for p in fitting)
        return [p for p in fitting if len(scene_name(p)) == longest]

    # Maya and Blender write their meshes in centimetres, y up, in the order of the control points;
    # 3ds Max in the space of the file and in an order of its own, and poses them otherwise than by
    # the resampled keys that it exports (one mesh names its own tolerance, 0.01).
    def compare(self, path, expected, stack, time):
        import numpy

        is_max = path.name.startswith('max')
        poses = self.run_json(
            *('poses', path, '--times', time, '--vertices', '--max-vertices', 100000, '--json'),
            *('--space', 'file' if is_max else 'metric')
        )
        clips = [c for c in poses['clips'] if stack in ('NULL', c['name'])]
        if not clips:
            return False
        objects, digits = obj.objects(expected)
        self.assertTrue(objects)
        for tokens, points in objects:
            mesh = self.mesh_of(clips[0]['skinned'], tokens)
            actual = numpy.array(mesh['positions']).reshape(-1, 3) * (1 if is_max else 100)
            points = numpy.array(points)
            if is_max:
                apart = numpy.linalg.norm(actual[:, None] - points[None], axis=2)
                self.assertLess(max(apart.min(0).max(), apart.min(1).max()), 0.01)
                continue
            # Half a digit, and the rounding of the floats that the application computes with.
            allowed = 0.55 * 10.0**-digits + 2.5e-7 * float(abs(points).max())
            self.assertEqual(actual.shape, points.shape)
            self.assertLess(float(abs(actual - points).max()), allowed)
        return True

    # Groups carry the names of the mesh and of what is above it, or (Blender) object_mesh.
    def mesh_of(self, meshes, tokens):
        if len(meshes) == 1:
            return meshes[0]
        fitting = [
            m
            for m in meshes
            if any((token + '_').startswith(m['mesh'].split('/')[-1] + '_') for token in tokens)
        ]
        self.assertTrue(fitting, tokens)
        return max(fitting, key=lambda m: m['mesh'].count('/'))

    def test_a_run_without_stages_gives_the_same_bytes(self):
        self.file('empty.toml', '')
        for path in corpus.fbx_files():
            with self.subTest(path.name):
                self.run_clipmill('run', path, '--recipe', 'empty.toml', '-o', 'out.fbx', '-q')
                self.assertEqual((self.folder / 'out.fbx').read_bytes(), path.read_bytes())
                self.assertEqual(self.files(), ['empty.toml', 'out.fbx'])

    def test_broken_files_are_refused_with_one_sentence(self):
        broken = sorted((corpus.CORPUS / 'malformed').glob('ufbx__*/*_fail_*.fbx'))
        self.assertGreaterEqual(len(broken), 3)
        for path in broken:
            with self.subTest(path.name):
                process = self.run_clipmill('poses', path, '--vertices', '--json', exit_code=3)
                self.assertOneSentence(process.stderr, path.name)
                self.assertEqual(process.stdout, '')
        self.file('empty.toml', '')
        for path in broken:
            # Broken meshes are no concern of a run that does not look at any.
            if 'inf_nan' in path.name:
                continue
            with self.subTest(path.name):
                process = self.run_clipmill(
                    'run', path, '--recipe', 'empty.toml', '-o', 'out.fbx', exit_code=3
                )
                self.assertOneSentence(process.stderr, path.name)
                self.assertEqual(self.files(), ['empty.toml'])

    def test_a_file_found_by_fuzzing_another_reader_is_valid(self):
        path = corpus.CORPUS / 'malformed/ufbx__fuzz/fuzz_0001.fbx'
        self.assertEqual(self.run_json('poses', path, '--json')['nodes'], ['pointLight1'])

    def test_every_truncation_of_a_binary_file_is_refused(self):
        whole = (corpus.FBX / 'maya_game_sausage_7500_binary_spin.fbx').read_bytes()
        # Without its footer a file still has all its elements and ends with a null record.
        self.check_truncations(whole, lambda size: size >= len(whole) - 176)

    def test_every_truncation_of_a_text_file_is_refused(self):
        whole = (corpus.FBX / 'maya_game_sausage_6100_ascii_spin.fbx').read_bytes()
        # A text ends anywhere between two elements of the top level, which no reader can detect.
        self.check_truncations(whole, lambda size: self.is_whole_text(whole[:size]))

    @staticmethod
    def is_whole_text(text):
        lines = [l.split(b';')[0] if l.startswith(b';') else l for l in text.split(b'\n')]
        depth = sum(l.count(b'{') - l.count(b'}') for l in lines)
        return depth == 0 and b'FBXHeaderExtension' in text

    def check_truncations(self, whole, may_pass):
        self.file('empty.toml', '')
        refused, passed = 0, []
        for size in range(0, len(whole), 256):
            self.file('cut.fbx', whole[:size])
            process = self.run_clipmill(
                *('run', 'cut.fbx', '--recipe', 'empty.toml', '-o', 'out.fbx', '-q'),
                exit_code=None
            )
            if process.returncode == 0 and may_pass(size):
                passed.append(size)
                (self.folder / 'out.fbx').unlink()
                continue
            self.assertEqual(process.returncode, 3, (size, process.stderr))
            self.assertOneSentence(process.stderr, 'cut.fbx')
            refused += 1
        print('%d of %d bytes long, refused %d, passed %s' % (size, len(whole), refused, passed))
        self.assertGreater(refused, 50)
        self.assertLess(len(passed), 8)
        self.assertEqual(self.files(), ['cut.fbx', 'empty.toml'])

    def test_info_counts_what_is_there(self):
        path = corpus.CORPUS / 'fbx' / 'facebookincubator__simple_anim.fbx'
        info = self.run_json('info', path, '--json')
        self.assertEqual(
            (len(info['clips']), len(info['nodes']), sum(m['vertices'] for m in info['meshes'])),
            (1, 160, 7324),
        )


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
