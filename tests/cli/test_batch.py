# SPDX-License-Identifier: MIT
"""`clipmill batch`: many files, each once, none twice, and one that fails alone."""
import json
import os
import shutil
import unittest

import glb
from clipmill_process import PROGRAM, ProcessTest

RECIPE = '[[stage]]\ntype = "dynamic-bones"\n[[stage.chain]]\nroot = "Bone0"\nfrequency_hz = %s\n'


class Batch(ProcessTest):
    def setUp(self):
        super().setUp()
        self.recipe = self.file('recipe.toml', RECIPE % 2)
        for k, name in enumerate(('a', 'walk/a', 'walk/b', 'walk/slow/c')):
            path = self.folder / 'in' / (name + '.glb')
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(glb.swinging_chain(joints=4 + k))

    def batch(self, *arguments, out='out', exit_code=0):
        report = self.folder / 'report.json'
        process = self.run_clipmill(
            *('batch', self.folder / 'in', '--recursive', '--recipe', self.recipe),
            *('--out-dir', self.folder / out, '--report', report, *arguments),
            exit_code=exit_code,
        )
        return (json.loads(report.read_text()) if report.is_file() else None), process

    def outputs(self, out='out'):
        root = self.folder / out
        return {
            path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob('*.glb')
        }

    def test_outputs_of_a_batch_are_those_of_single_runs(self):
        report, _ = self.batch('-j', '2')
        self.assertEqual((report['done'], report['failed']), (4, 0))
        made = self.outputs()
        self.assertEqual(set(made), {'a.glb', 'walk/a.glb', 'walk/b.glb', 'walk/slow/c.glb'})
        for name, content in made.items():
            alone = self.folder / 'alone.glb'
            self.run_clipmill(
                'run', self.folder / 'in' / name, '--recipe', self.recipe, '-o', alone, '-q'
            )
            self.assertEqual(content, alone.read_bytes(), name)

    def test_any_number_of_parallel_files_gives_the_same_bytes(self):
        (one, _), (four, _) = self.batch('-j', '1', out='one'), self.batch('-j', '4', out='four')
        self.assertEqual(self.outputs('one'), self.outputs('four'))
        del one['run'], four['run']
        self.assertEqual(one, four)

    def test_unchanged_files_are_not_processed_again(self):
        self.assertEqual(self.batch()[0]['run']['from_record'], 0)
        times = {name: os.stat(self.folder / 'out' / name).st_mtime_ns for name in self.outputs()}
        first = self.outputs()

        def changed():
            return {
                name
                for name, time in times.items()
                if os.stat(self.folder / 'out' / name).st_mtime_ns != time
            }

        self.assertEqual(self.batch()[0]['run']['from_record'], 4)
        self.assertEqual(changed(), set())
        (self.folder / 'in' / 'walk' / 'b.glb').write_bytes(glb.swinging_chain(joints=9))
        self.assertEqual(self.batch()[0]['run']['from_record'], 3)
        self.assertEqual(changed(), {'walk/b.glb'})
        (self.folder / 'out' / 'a.glb').unlink()
        self.assertEqual(self.batch()[0]['run']['from_record'], 3)
        self.assertEqual(self.outputs()['a.glb'], first['a.glb'])
        self.recipe = self.file('recipe.toml', '# only a comment\n' + RECIPE % 2)
        self.assertEqual(self.batch()[0]['run']['from_record'], 4)
        self.recipe = self.file('recipe.toml', RECIPE % 3)
        self.assertEqual(self.batch()[0]['run']['from_record'], 0)
        self.assertEqual(self.batch('--force')[0]['run']['from_record'], 0)

    def test_a_broken_file_fails_alone_and_is_recorded_until_it_changes(self):
        broken = self.folder / 'in' / 'walk' / 'b.glb'
        whole = broken.read_bytes()
        broken.write_bytes(whole[:100])
        for known in (0, 4):
            report, process = self.batch(exit_code=1)
            self.assertEqual((report['done'], report['failed']), (3, 1))
            self.assertEqual(report['run']['from_record'], known)
            failures = [line for line in process.stderr.splitlines() if 'error: ' in line]
            self.assertEqual(failures, process.stderr.splitlines()[-1:])
            self.assertEqual(failures[0].count('walk/b.glb'), 1, 'its name, and only once')
            self.assertEqual(set(self.outputs()), {'a.glb', 'walk/a.glb', 'walk/slow/c.glb'})
        (failed,) = [job for job in report['jobs'] if job['status'] == 'failed']
        self.assertEqual(failed['error']['code'], 'malformed')
        broken.write_bytes(whole)
        report, _ = self.batch()
        self.assertEqual((report['done'], report['run']['from_record']), (4, 3))

    def test_fail_fast_starts_no_more_files(self):
        (self.folder / 'in' / 'a.glb').write_bytes(b'glTF')
        report, _ = self.batch('-j', '1', '--fail-fast', exit_code=1)
        self.assertEqual((report['done'], report['failed'], report['skipped']), (0, 1, 3))
        self.assertEqual(self.outputs(), {})

    def test_two_inputs_with_one_output_are_an_error_before_any_work(self):
        report, process = self.batch('--name', '{stem}{ext}', exit_code=2)
        self.assertIsNone(report)
        self.assertOneSentence(process.stderr, 'walk/a.glb')
        self.assertFalse((self.folder / 'out').exists())

    def test_names_in_any_script_stay_and_those_alike_but_for_case_get_numbers(self):
        for name in ('歩く.glb', '走る.glb', 'Höhe.glb', 'höhe.glb'):
            self.file('in/' + name, glb.swinging_chain(joints=5))
        report, _ = self.batch()
        self.assertEqual((report['done'], report['failed']), (8, 0))
        made = {'歩く.glb', '走る.glb', 'Höhe.glb', 'höhe_2.glb'}
        self.assertEqual({name for name in self.outputs() if not name.isascii()}, made)
        self.assertEqual(self.batch()[0]['run']['from_record'], 8)

    def test_a_batch_that_is_killed_goes_on_where_it_was(self):
        import random
        import subprocess
        import time

        whole, _ = self.batch(out='whole')
        wanted = self.outputs('whole')
        random.seed(5)
        for _ in range(8):
            shutil.rmtree(self.folder / 'out', ignore_errors=True)
            arguments = ['batch', self.folder / 'in', '--recursive', '--recipe', self.recipe]
            arguments += ['--out-dir', self.folder / 'out', '-j', '1', '-q']
            process = subprocess.Popen([PROGRAM, *map(str, arguments)])
            time.sleep(random.uniform(0.0, 0.05))
            process.kill()
            process.wait()
            for name, content in self.outputs().items():
                self.assertEqual(content, wanted[name], 'a whole file or none')
            report, _ = self.batch()
            self.assertEqual(self.outputs(), wanted)
            self.assertEqual(report['jobs'], whole['jobs'])

    def test_a_signal_ends_a_batch_between_files_and_the_next_run_continues(self):
        import signal
        import subprocess
        import time

        chain = (self.folder / 'in' / 'a.glb').read_bytes()
        for k in range(400):
            (self.folder / 'in' / ('chain%03d.glb' % k)).write_bytes(chain)
        arguments = ['batch', self.folder / 'in', '--recursive', '--recipe', self.recipe]
        arguments += ['--out-dir', self.folder / 'out', '-j', '1', '-q']
        process = subprocess.Popen([PROGRAM, *map(str, arguments)])
        while not self.outputs() and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(), 75)
        started = len(self.outputs())
        self.assertLess(started, 404)
        report, _ = self.batch()
        self.assertEqual((report['done'], report['run']['from_record']), (404, started))

    def test_an_output_folder_that_cannot_be_written_is_no_error_of_a_file(self):
        self.file('taken', 'a file')
        self.batch(out='taken', exit_code=3)

    def test_a_dry_run_prints_the_inputs_and_outputs(self):
        _, process = self.batch('--dry-run')
        self.assertEqual(len(process.stdout.splitlines()), 4)
        self.assertIn('walk/slow/c.glb -> ', process.stdout)
        self.assertFalse((self.folder / 'out').exists())

    def test_a_changed_rule_affects_only_the_files_that_it_applies_to(self):
        def recipe(walk_hz, fps, other=''):
            rules = '[[rule]]\nclips = "walk/*"\nset."dynamic-bones.chain.frequency_hz" = %s\n'
            rules += '[[rule]]\nclips = "*/b.*"\nset.output.fps = %s\n' + other
            return RECIPE % 2 + rules % (walk_hz, fps)

        def known(*arguments):
            report = self.batch(*arguments)[0]
            ours = {job['name'] for job in report['run']['jobs']}
            self.assertEqual(len(ours) + report['run']['from_record'], 4)
            return {job['name'] for job in report['jobs']} - ours

        every = {'a.glb', 'walk/a.glb', 'walk/b.glb', 'walk/slow/c.glb'}
        self.recipe = self.file('recipe.toml', recipe(3, 30))
        self.assertEqual(known(), set())
        self.assertEqual(known(), every)
        self.recipe = self.file('recipe.toml', recipe(3, 60))
        self.assertEqual(known(), every - {'walk/b.glb'})
        self.recipe = self.file('recipe.toml', recipe(4, 60))
        self.assertEqual(known(), {'a.glb'})
        unused = '[[rule]]\nclips = "run/*"\nset.output.fps = 24\n'
        self.recipe = self.file('recipe.toml', recipe(4, 60, unused))
        self.assertEqual(known(), every)
        # A key that a rule sets anyway reaches the others alone.
        self.assertEqual(known('--set', 'output.fps=60'), {'walk/b.glb'})

    def test_run_and_batch_give_the_same_bytes_with_rules(self):
        rule = '[[rule]]\nclips = "walk/*"\nset."dynamic-bones.chain.frequency_hz" = 7\n'
        self.recipe = self.file('recipe.toml', RECIPE % 2 + rule)
        self.batch()
        arguments = ['run', self.folder / 'in' / 'walk' / 'a.glb', '--recipe', self.recipe, '-q']
        self.run_clipmill(*arguments, '-o', 'ruled.glb', '--relative-name', 'walk/a.glb')
        self.run_clipmill(*arguments, '-o', 'plain.glb')
        made = self.outputs()['walk/a.glb']
        self.assertEqual(made, (self.folder / 'ruled.glb').read_bytes())
        self.assertNotEqual(made, (self.folder / 'plain.glb').read_bytes())

    def test_the_rules_of_a_file_are_explained(self):
        rules = '[[rule]]\nclips = "walk/*"\nset.output.fps = 24\n'
        rules += '[[rule]]\nclips = ["*/b.glb", "x"]\nset.output.fps = 60\n'
        self.recipe = self.file('recipe.toml', RECIPE % 2 + rules)
        process = self.run_clipmill(
            *('batch', 'explain', 'in', '--recursive', '--recipe', self.recipe)
        )
        self.assertEqual(
            process.stdout,
            'a.glb: no rule\n'
            'walk/a.glb\n  rule[0] (walk/*)\n    output.fps = 24.0\n'
            'walk/b.glb\n  rule[0] (walk/*)\n    output.fps = 24.0  # overridden by rule[1]\n'
            '  rule[1] (*/b.glb, x)\n    output.fps = 60.0\n'
            'walk/slow/c.glb\n  rule[0] (walk/*)\n    output.fps = 24.0\n',
        )
        self.assertFalse((self.folder / 'out').exists())

    def test_missing_arguments_are_an_error(self):
        process = self.run_clipmill('batch', 'in', '--recipe', self.recipe, exit_code=2)
        self.assertOneSentence(process.stderr, '--out-dir')

    def test_the_depfile_has_a_rule_for_each_output(self):
        self.run_clipmill('convert', 'in/a.glb', '-o', 'in/b c.gltf')
        self.batch('--depfile', 'batch.d')
        rules = (self.folder / 'batch.d').read_text().splitlines()
        folder = str(self.folder)
        self.assertEqual(len(rules), 5)
        self.assertEqual(
            rules[1],
            f'{folder}/out/b\\ c.gltf: {folder}/in/b\\ c.gltf {folder}/in/b\\ c.bin {self.recipe}',
        )
        # The same from records.
        self.batch('--depfile', 'again.d')
        self.assertEqual((self.folder / 'again.d').read_text().splitlines(), rules)

    def test_progress_is_lines_a_bar_or_json(self):
        _, plain = self.batch()
        self.assertRegex(plain.stderr, r'2 of 4, [\d.]+ files/s, \d+:\d\d left\n')
        self.assertNotIn('\r', plain.stderr)
        _, bar = self.batch('--progress', 'bar', '--force')
        self.assertIn('[####################] 4 of 4', bar.stderr)
        _, off = self.batch('--progress', 'off', '--force')
        self.assertEqual(len(off.stderr.splitlines()), 1)
        _, quiet = self.batch('-q', '--force')
        self.assertEqual(quiet.stderr, '')
        (self.folder / 'in' / 'walk' / 'b.glb').write_bytes(b'glTF')
        _, process = self.batch('--progress', 'json', exit_code=1)
        *files, end = map(json.loads, process.stderr.splitlines())
        self.assertEqual([line['done'] for line in files], [1, 2, 3, 4])
        (failed,) = [line for line in files if line['status'] == 'failed']
        self.assertEqual((failed['name'], failed['from_record']), ('walk/b.glb', False))
        self.assertTrue(failed['error']['message'])
        self.assertEqual(
            end, {'event': 'end', 'done': 3, 'failed': 1, 'skipped': 0, 'from_record': 3}
        )

    def test_one_broken_file_among_a_thousand_fails_alone(self):
        chain = (self.folder / 'in' / 'a.glb').read_bytes()
        for k in range(996):
            (self.folder / 'in' / ('chain%03d.glb' % k)).write_bytes(chain)
        broken = self.folder / 'in' / 'chain500.glb'
        broken.write_bytes(chain[:300] + b'\xff' * 40 + chain[340:])
        report, process = self.batch(exit_code=1)
        self.assertEqual((report['done'], report['failed']), (999, 1))
        self.assertIn('error: ' + str(broken), process.stderr.splitlines()[-1])
        self.assertLess(len(process.stderr.splitlines()), 30)
        self.assertEqual(len(self.outputs()), 999)


if __name__ == '__main__':
    unittest.main()
