# SPDX-License-Identifier: MIT
"""Exit codes, what goes to stdout and stderr, and what is on disk afterwards."""
import json
import os
import resource
import signal
import subprocess
import threading
import unittest

import glb
from clipmill_process import PROGRAM, ProcessTest

RECIPE = '''
[output]
keys = "all"
[[stage]]
type = "dynamic-bones"
[[stage.chain]]
root = "Bone0"
'''


class Contract(ProcessTest):
    def setUp(self):
        super().setUp()
        self.file('in.glb', glb.swinging_chain())
        self.file('empty.toml', '')
        self.file('recipe.toml', RECIPE)

    def test_help_is_payload_and_no_command_is_usage(self):
        self.assertIn('dynamic-bones', self.run_clipmill('--help').stdout)
        for command in (
            'info',
            'poses',
            'check',
            'diff',
            'convert',
            'run',
            'dynamic-bones',
            'preview',
            'springs',
        ):
            self.assertIn('--max-file-mb', self.run_clipmill(command, '--help').stdout)
        self.assertEqual(self.run_clipmill(exit_code=2).stdout, '')

    def test_wrong_usage_is_exit_2_and_prints_no_payload(self):
        for arguments in (
            ['frobnicate'],
            ['info'],
            ['info', 'in.glb', '--frob'],
            ['poses', 'in.glb', '--fps', 'many'],
            ['poses', 'in.glb', '--times', '0', '--fps', '3'],
            ['run', 'in.glb', '-o', 'out.glb'],
            ['dynamic-bones', 'in.glb', '-o', 'out.glb', '--method', 'magic', '--chain', 'Bone0'],
        ):
            self.assertEqual(self.run_clipmill(*arguments, exit_code=2).stdout, '')

    def test_version_and_schema_are_payload(self):
        self.assertRegex(self.run_clipmill('--version').stdout, r'clipmill \d+\.\d+\.\d+')
        schema = self.run_json('--schema')
        stage = schema['properties']['stage']['items']['oneOf'][0]
        self.assertEqual(stage['properties']['type']['const'], 'dynamic-bones')
        self.assertIn(
            'default', stage['properties']['chain']['items']['properties']['frequency_hz']
        )

    def test_missing_input_is_exit_3_and_named(self):
        for command in (
            ['info', 'no.glb'],
            ['poses', 'no.glb'],
            ['diff', 'in.glb', 'no.glb'],
            ['convert', 'no.glb', '-o', 'out.glb'],
            ['run', 'no.glb', '--recipe', 'empty.toml', '-o', 'out.glb'],
        ):
            process = self.run_clipmill(*command, exit_code=3)
            self.assertOneSentence(process.stderr, 'no.glb', 'no such file')
        self.assertNotIn('out.glb', self.files())

    def test_a_folder_a_text_and_an_empty_file_are_refused(self):
        self.file('text.glb', 'no glTF')
        self.file('empty.glb', '')
        for name in ('.', 'text.glb', 'empty.glb'):
            process = self.run_clipmill(
                'run', name, '--recipe', 'empty.toml', '-o', 'out.glb', exit_code=3
            )
            self.assertOneSentence(process.stderr, name)
        self.assertNotIn('out.glb', self.files())

    def test_a_faulty_recipe_is_exit_2_and_names_the_key(self):
        cases = [
            ('[outptu]\n', 'outptu', "'output'"),
            ('[output]\nkey = "all"', 'output.key', "'keys'"),
            ('[[stage]]\ntype = "dynamic-bone"', 'stage[0].type', "'dynamic-bones'"),
            (RECIPE + 'frequncy_hz = 2', 'stage[0].chain[0].frequncy_hz', "'frequency_hz'"),
            (RECIPE + 'damping_ratio = -1', 'stage[0].chain[0].damping_ratio', 'outside'),
            ('[output', 'bad.toml:1', 'TOML'),
            ('{"output": ', 'bad.toml', 'JSON'),
        ]
        for text, *parts in cases:
            self.file('bad.toml', text)
            process = self.run_clipmill(
                'run', 'in.glb', '--recipe', 'bad.toml', '-o', 'out.glb', exit_code=2
            )
            self.assertOneSentence(process.stderr, *parts)
        self.run_clipmill('run', 'in.glb', '--recipe', 'none.toml', '-o', 'out.glb', exit_code=2)
        self.assertNotIn('out.glb', self.files())

    def test_a_chain_that_matches_nothing_is_named(self):
        process = self.run_clipmill(
            'dynamic-bones', 'in.glb', '-o', 'out.glb', '--chain', 'Bome0', exit_code=3
        )
        self.assertOneSentence(process.stderr, 'Bome0', 'Bone0')

    def test_an_unknown_clip_is_named_with_the_nearest(self):
        process = self.run_clipmill(
            'dynamic-bones',
            'in.glb',
            '-o',
            'out.glb',
            '--chain',
            'Bone0',
            '--clip',
            'Swya',
            exit_code=3,
        )
        self.assertOneSentence(process.stderr, 'Swya', 'Sway')

    def test_an_invalid_output_is_an_error_before_any_work(self):
        cases = [('out.obj', 2), ('nowhere/out.glb', 3), ('.', 2)]
        for output, code in cases:
            self.assertOneSentence(
                self.run_clipmill('convert', 'in.glb', '-o', output, exit_code=code).stderr
            )

    def test_a_run_without_stages_gives_the_same_bytes(self):
        self.run_clipmill('run', 'in.glb', '--recipe', 'empty.toml', '-o', 'out.glb')
        self.assertEqual(
            (self.folder / 'in.glb').read_bytes(), (self.folder / 'out.glb').read_bytes()
        )

    def test_a_run_in_place_is_allowed(self):
        self.run_clipmill('dynamic-bones', 'in.glb', '-o', 'in.glb', '--chain', 'Bone0')
        self.assertEqual(len(self.run_json('info', 'in.glb', '--json')['clips']), 1)
        self.assertEqual(self.files(), ['empty.toml', 'in.glb', 'recipe.toml'])

    def test_a_dry_run_works_and_writes_nothing(self):
        before = self.files()
        self.run_clipmill('run', 'in.glb', '--recipe', 'recipe.toml', '-o', 'out.glb', '--dry-run')
        self.assertEqual(self.files(), before)

    def test_success_leaves_the_output_and_nothing_else(self):
        process = self.run_clipmill('run', 'in.glb', '--recipe', 'recipe.toml', '-o', 'out.glb')
        self.assertEqual(process.stdout, '')
        self.assertEqual(self.files(), ['empty.toml', 'in.glb', 'out.glb', 'recipe.toml'])

    def test_quiet_prints_nothing_and_verbose_is_accepted(self):
        process = self.run_clipmill(
            'run', 'in.glb', '--recipe', 'recipe.toml', '-o', 'out.glb', '-q'
        )
        self.assertEqual(process.stderr, '')
        self.run_clipmill('run', 'in.glb', '--recipe', 'recipe.toml', '-o', 'out.glb', '-v')

    def test_the_report_has_what_was_done(self):
        self.run_clipmill(
            'run', 'in.glb', '--recipe', 'recipe.toml', '-o', 'out.glb', '--report', 'r.json'
        )
        report = json.loads((self.folder / 'r.json').read_text())
        self.assertEqual((report['schema'], report['status']), (1, 'ok'))
        clip = report['clips'][0]
        self.assertEqual((clip['clip'], clip['fps'], clip['frames']), ('Sway', 30.0, 31))
        self.assertEqual(clip['keys']['before'], clip['keys']['after'])
        self.assertGreater(clip['stages'][0]['metrics']['after']['joint_steps'], 0)
        self.assertGreaterEqual(report['run']['ms'], 0)

    def test_the_report_of_a_failure_has_its_error(self):
        self.file('cut.glb', glb.swinging_chain()[:-8])
        self.run_clipmill(
            'run',
            'cut.glb',
            '--recipe',
            'recipe.toml',
            '-o',
            'out.glb',
            '--report',
            'r.json',
            exit_code=3,
        )
        report = json.loads((self.folder / 'r.json').read_text())
        self.assertEqual((report['status'], report['error']['code']), ('failed', 'malformed'))
        self.assertIn('cut.glb', report['error']['location'])
        self.assertNotIn('out.glb', self.files())

    def test_reports_are_equal_but_for_time_and_memory(self):
        reports = []
        for threads in ('1', '2', '8'):
            self.run_clipmill(
                'run',
                'in.glb',
                '--recipe',
                'recipe.toml',
                '-o',
                'out.glb',
                '-j',
                threads,
                '--report',
                'r.json',
            )
            report = json.loads((self.folder / 'r.json').read_text())
            del report['run']
            reports.append((report, (self.folder / 'out.glb').read_bytes()))
        self.assertEqual(reports[0], reports[1])
        self.assertEqual(reports[0], reports[2])

    def test_the_depfile_is_a_make_rule_with_escapes(self):
        self.file('in put.glb', glb.swinging_chain())
        self.run_clipmill(
            'run', 'in put.glb', '--recipe', 'recipe.toml', '-o', 'out.glb', '--depfile', 'out.d'
        )
        self.assertEqual((self.folder / 'out.d').read_text(), 'out.glb: in\\ put.glb recipe.toml\n')

    def test_the_depfile_names_what_a_text_refers_to(self):
        self.run_clipmill('convert', 'in.glb', '-o', 'in.gltf')
        arguments = ['--recipe', 'recipe.toml', '-o', 'out.glb', '--depfile', 'out.d']
        self.run_clipmill('run', 'in.gltf', *arguments)
        rule = (self.folder / 'out.d').read_text()
        self.assertEqual(rule, 'out.glb: in.gltf in.bin recipe.toml\n')

    def test_a_dumped_config_reads_back_as_itself(self):
        first = self.run_clipmill('run', '--recipe', 'recipe.toml', '--dump-config').stdout
        self.file('dumped.toml', first)
        self.assertEqual(
            self.run_clipmill('run', '--recipe', 'dumped.toml', '--dump-config').stdout, first
        )
        self.assertIn('frequency_hz = 2.0', first)

    def test_flags_and_recipe_give_the_same_file(self):
        self.run_clipmill(
            'run',
            'in.glb',
            '--recipe',
            'recipe.toml',
            '-o',
            'a.glb',
            '--set',
            'dynamic-bones.chain.frequency_hz=3',
            '--set',
            'output.keys=reduced',
        )
        self.run_clipmill(
            'dynamic-bones', 'in.glb', '-o', 'b.glb', '--chain', 'Bone0', '--frequency-hz', '3'
        )
        self.run_clipmill(
            'dynamic-bones', 'in.glb', '-o', 'c.glb', '--chain', 'root=Bone0;frequency_hz=3'
        )
        a = (self.folder / 'a.glb').read_bytes()
        self.assertEqual(a, (self.folder / 'b.glb').read_bytes())
        self.assertEqual(a, (self.folder / 'c.glb').read_bytes())

    def test_progress_goes_to_stderr_in_the_form_asked_for(self):
        plain = self.run_clipmill(
            'run', 'in.glb', '--recipe', 'recipe.toml', '-o', 'out.glb', '--progress', 'plain'
        )
        self.assertIn('dynamic-bones\n', plain.stderr)
        lines = self.run_clipmill(
            'run', 'in.glb', '--recipe', 'recipe.toml', '-o', 'out.glb', '--progress', 'json', '-q'
        ).stderr.splitlines()
        self.assertEqual(json.loads(lines[0])['step'], 'load')
        auto = self.run_clipmill('run', 'in.glb', '--recipe', 'recipe.toml', '-o', 'out.glb')
        self.assertNotIn('\r', auto.stderr)

    def test_diff_is_0_within_and_4_over_the_tolerance(self):
        self.run_clipmill('dynamic-bones', 'in.glb', '-o', 'out.glb', '--chain', 'Bone0')
        same = self.run_json('diff', 'in.glb', 'in.glb', '--tolerance-mm', '0', '--json')
        self.assertEqual(same['clips'][0]['max_mm'], 0.0)
        self.run_clipmill('diff', 'in.glb', 'out.glb')
        self.run_clipmill('diff', 'in.glb', 'out.glb', '--tolerance-mm', '1000')
        self.run_clipmill('diff', 'in.glb', 'out.glb', '--tolerance-mm', '1', exit_code=4)

    def test_convert_goes_to_text_and_back(self):
        self.run_clipmill('convert', 'in.glb', '-o', 'text.gltf')
        self.assertIn('text.bin', self.files())
        self.run_clipmill('convert', 'text.gltf', '-o', 'back.glb')
        self.run_clipmill('diff', 'in.glb', 'back.glb', '--tolerance-mm', '0')

    def test_a_limit_is_an_option_and_is_kept(self):
        self.file('big.glb', glb.swinging_chain(keys=50000))
        process = self.run_clipmill('info', 'big.glb', '--max-decoded-mb', '1', exit_code=3)
        self.assertOneSentence(process.stderr, 'big.glb', '--max-decoded-mb')
        endless = glb.swinging_chain(times=[0.0, 3e9])
        self.file('endless.glb', endless)
        process = self.run_clipmill(
            'dynamic-bones', 'endless.glb', '-o', 'out.glb', '--chain', 'Bone0', exit_code=3
        )
        self.assertOneSentence(process.stderr, 'endless.glb')

    def test_a_file_without_clips_is_refused_by_a_stage(self):
        value, _, binary = glb.read(self.folder / 'in.glb')
        del value['animations']
        self.file('still.glb', glb.assemble(value, binary))
        process = self.run_clipmill(
            'run', 'still.glb', '--recipe', 'recipe.toml', '-o', 'out.glb', exit_code=3
        )
        self.assertOneSentence(process.stderr, 'still.glb', 'no animation')

    def test_pipes_as_outputs_get_the_bytes_and_stay_pipes(self):
        pipes = {name: self.folder / name for name in ('pipe.glb', 'pipe.json')}
        received = {}

        def read(name):
            received[name] = pipes[name].read_bytes()

        for path in pipes.values():
            os.mkfifo(path)
        readers = [threading.Thread(target=read, args=[name], daemon=True) for name in pipes]
        for reader in readers:
            reader.start()
        flags = ['--chain', 'Bone0', '-q']
        self.run_clipmill('dynamic-bones', 'in.glb', '-o', 'file.glb', *flags)
        self.run_clipmill(
            'dynamic-bones', 'in.glb', '-o', 'pipe.glb', *flags, '--report', 'pipe.json'
        )
        for reader in readers:
            reader.join(20.0)
        self.assertEqual(received['pipe.glb'], (self.folder / 'file.glb').read_bytes())
        self.assertEqual(json.loads(received['pipe.json'])['clips'][0]['status'], 'ok')
        for path in pipes.values():
            self.assertTrue(path.is_fifo())

    def test_a_full_disk_leaves_no_half_file(self):
        def small_files_only():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        process = self.run_clipmill(
            'convert', 'in.glb', '-o', 'out.glb', exit_code=3, preexec_fn=small_files_only
        )
        self.assertOneSentence(process.stderr, 'out.glb')
        self.assertEqual(self.files(), ['empty.toml', 'in.glb', 'recipe.toml'])

    def test_a_payload_that_cannot_be_written_is_exit_3(self):
        with open('/dev/full', 'w') as full:
            process = subprocess.run(
                [PROGRAM, 'info', 'in.glb'],
                cwd=self.folder,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
            )
        self.assertEqual(process.returncode, 3)
        self.assertOneSentence(process.stderr)


if __name__ == '__main__':
    unittest.main(warnings="ignore")
