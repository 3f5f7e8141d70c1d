# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""The steps of action.yml that run scripts, as a runner of workflows runs them, with the released
program for Linux."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import textwrap
import unittest

from clipmill_process import ROOT, SAMPLES

ACTION = (ROOT / 'action.yml').read_text()
(PACKAGE,) = (ROOT / 'build' / 'release-files').glob('clipmill-*-linux-x86_64.tar.gz')
CHARACTER = SAMPLES / 'stretch' / 'humanoid.glb'


def step(name):
    """The part of the action from this step to the next one."""
    return ACTION.partition(f'    - name: {name}\n')[2].partition('\n    - name:')[0]


def script_of(text):
    """What the step runs: a block of lines, or one line."""
    block = re.search(r'^      run: \|\n((?:        .*\n?|\n)+)', text, re.M)
    return textwrap.dedent(block[1]) if block else re.search(r'^      run: (.*)$', text, re.M)[1]


def inputs_with_defaults():
    head = ACTION.partition('inputs:\n')[2].partition('outputs:\n')[0]
    found = re.findall(r"^  ([\w-]+):\n((?:    .*\n)+)", head, re.M)
    defaults = {}
    for name, text in found:
        default = re.search(r"default: '?([^'\n]*)'?", text)
        defaults[name] = default[1] if default else None
    return defaults


class Action(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix='clipmill-action-')
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        (self.folder / 'clips').mkdir()
        (self.folder / 'temp').mkdir()
        shutil.copy(CHARACTER, self.folder / 'clips' / 'a.glb')
        (self.folder / 'leap.toml').write_text('[[stage]]\ntype = "stretch"\ndistance_m = 5.0\n')
        self.path = os.environ['PATH']

    def run_step(self, name, inputs):
        values = {**inputs_with_defaults(), 'package': str(PACKAGE), **inputs}
        text = step(name)
        named = dict(re.findall(r'^        ([A-Z_]+): \$\{\{ inputs\.([\w-]+) \}\}$', text, re.M))
        environment = {
            **os.environ,
            **{variable: values[key] for variable, key in named.items()},
            'PATH': self.path,
            'RUNNER_TEMP': str(self.folder / 'temp'),
            'GITHUB_PATH': str(self.folder / 'temp' / 'path'),
            'GITHUB_ACTION_PATH': str(ROOT),
        }
        command = ['bash', '--noprofile', '--norc', '-eo', 'pipefail', '-c', script_of(text)]
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=300
        )

    def run_action(self, **inputs):
        done = self.run_step('Unpack clipmill', inputs)
        self.assertEqual(done.returncode, 0, done.stderr)
        added = (self.folder / 'temp' / 'path').read_text().split()[-1]
        self.path = f'{added}:{self.path}'
        return self.run_step('Run, check and draw', inputs)

    def comment(self):
        return (self.folder / 'temp' / 'clipmill-comment.md').read_text()

    def test_a_recipe_runs_and_sheets_are_named_in_the_comment(self):
        done = self.run_action(files='clips', recipe='leap.toml', sheet='true')
        self.assertEqual(done.returncode, 0, done.stderr)
        out = self.folder / 'clipmill-out'
        self.assertTrue((out / 'a.glb').is_file(), done.stdout)
        self.assertEqual((out / 'a.glb.png').read_bytes()[:4], b'\x89PNG')
        self.assertIn('clipmill-out/a.glb: a.glb.png', self.comment())

    def test_a_clip_over_a_limit_fails_the_step(self):
        done = self.run_action(files='clips/*.glb', check='--max-root-net-m 0.5')
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn('::error file=clips/a.glb::', done.stdout)
        self.assertIn('**clips/a.glb** is over a limit', self.comment())

    def test_a_clip_within_the_limits_passes(self):
        done = self.run_action(files='clips/*.glb', check='--max-root-net-m 50')
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.comment(), '')

    def test_a_broken_file_fails_the_step_and_the_others_are_done(self):
        (self.folder / 'clips' / 'b.glb').write_bytes(b'glTF')
        done = self.run_action(files='clips', recipe='leap.toml')
        self.assertNotEqual(done.returncode, 0)
        self.assertTrue((self.folder / 'clipmill-out' / 'a.glb').is_file())


if __name__ == '__main__':
    unittest.main()
