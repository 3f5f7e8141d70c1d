# SPDX-License-Identifier: MIT
"""The line for GNU parallel in the documentation, exactly as documented."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import glb
from clipmill_process import PROGRAM, ROOT, ProcessTest

RECIPE = '[[stage]]\ntype = "dynamic-bones"\n[[stage.chain]]\nroot = "Bone0"\n'


class Parallel(ProcessTest):
    def setUp(self):
        super().setUp()
        self.file('recipe.toml', RECIPE)
        for k in range(20):
            self.file(f'clips/clip{k:02}.glb', glb.swinging_chain(joints=3 + k))
        page = (ROOT / 'docs' / 'batch-cluster.md').read_text()
        blocks = re.findall(r'```(?:sh|text)\n(.*?)```', page, re.S)
        lines = [line for block in blocks for line in block.splitlines()]
        (self.plan_line,) = [line for line in lines if ' batch plan ' in line]
        (self.line,) = [line for line in lines if '| parallel ' in line]

    def shell(self, line, exit_code=0):
        path = f'{pathlib.Path(PROGRAM).parent}:{os.environ["PATH"]}'
        process = subprocess.run(
            ['bash', '-c', line],
            cwd=self.folder,
            env={**os.environ, 'PATH': path},
            capture_output=True,
            text=True,
        )
        self.assertEqual(process.returncode, exit_code, process.stderr)

    def test_the_documented_line_gives_the_bytes_of_one_process(self):
        self.shell(self.plan_line)
        self.shell(self.line)
        report = (self.folder / 'report.json').read_bytes()
        made = {p.name: p.read_bytes() for p in (self.folder / 'baked').glob('*.glb')}
        self.assertEqual(len(made), 20)
        shutil.rmtree(self.folder / 'baked')
        self.shell(self.plan_line.replace('-o plan --shards 8', '-o one --shards 1'))
        self.run_clipmill('batch', 'run', 'one', '--shard', '1/1')
        self.run_clipmill('batch', 'merge', 'one', '-o', 'one.json')
        self.assertEqual((self.folder / 'one.json').read_bytes(), report)
        for name, content in made.items():
            self.assertEqual((self.folder / 'baked' / name).read_bytes(), content)

    def test_the_same_line_again_processes_failed_shards_only(self):
        broken = self.folder / 'clips' / 'clip07.glb'
        whole = broken.read_bytes()
        broken.write_bytes(b'glTF')
        self.shell(self.plan_line)
        self.shell(self.line, exit_code=1)
        broken.write_bytes(whole)
        self.shell(self.line)
        log = (self.folder / 'plan' / 'parallel.log').read_text().splitlines()[1:]
        codes = [int(line.split('\t')[6]) for line in log]
        self.assertEqual(sorted(codes), [0] * 8 + [1])


if __name__ == '__main__':
    if not shutil.which('parallel'):
        print('skipped: no parallel; scripts/setup.sh interop installs it')
        sys.exit(77)
    unittest.main()
