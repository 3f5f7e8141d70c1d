# SPDX-License-Identifier: MIT
"""Every command of the README runs, and its tables say what the program says."""
import os
import pathlib
import re
import subprocess
import sys
import unittest

from clipmill_process import PROGRAM, ROOT, SAMPLES, ProcessTest


class Readme(ProcessTest):
    def commands(self, path):
        for block in re.findall(r'```sh\n(.*?)```', path.read_text(), re.S):
            yield from (line for line in block.splitlines() if line.strip())

    def run_all(self, path):
        """The commands of one page in a row, in a folder that has only the samples."""
        (self.folder / 'samples').symlink_to(SAMPLES)
        environment = dict(
            os.environ, PATH=str(pathlib.Path(PROGRAM).parent) + ':' + os.environ['PATH']
        )
        count = 0
        for command in self.commands(path):
            process = subprocess.run(
                ['bash', '-c', command],
                cwd=self.folder,
                env=environment,
                text=True,
                capture_output=True,
                timeout=300,
            )
            self.assertEqual(process.returncode, 0, command + '\n' + process.stderr)
            count += 1
        return count

    def test_every_command_runs(self):
        self.assertGreaterEqual(self.run_all(ROOT / 'README.md'), 8)

    def test_the_settings_tables_are_those_of_the_program(self):
        process = subprocess.run(
            [sys.executable, ROOT / 'scripts' / 'readme_tables.py', PROGRAM, '--check'],
            capture_output=True,
            text=True,
        )
        self.assertEqual(process.returncode, 0, process.stderr)

    def test_every_picture_and_page_that_is_named_is_there(self):
        for page in ('README.md', 'CONTRIBUTING.md'):
            for link in re.findall(r'\]\(([^)#:]+)\)', (ROOT / page).read_text()):
                self.assertTrue((ROOT / link).exists(), link)


class SamplePages(Readme):
    def test_every_command_runs(self):
        pages = sorted(SAMPLES.glob('*/README.md'))
        self.assertGreaterEqual(len(pages), 4)
        for page in pages:
            with self.subTest(page.parent.name):
                self.run_all(page)
                (self.folder / 'samples').unlink()

    test_the_settings_tables_are_those_of_the_program = None
    test_every_picture_and_page_that_is_named_is_there = None


if __name__ == '__main__':
    unittest.main(warnings="ignore")
