# SPDX-License-Identifier: MIT
"""Runs the program under test as a process, in a folder of its own."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLES = ROOT / 'samples'
PROGRAM = os.environ.get('CLIPMILL', str(ROOT / 'build/release/tools/clipmill/clipmill'))


def _skipped_tests():
    """Tests that do not apply to the target, FILE.METHOD and the reason: a line each."""
    listed = os.environ.get('CLIPMILL_SKIPPED')
    lines = pathlib.Path(listed).read_text().splitlines() if listed else []
    return dict(line.split(' ', 1) for line in lines if line and not line.startswith('#'))


SKIPPED = _skipped_tests()


def is_sanitized():
    """Whether the program was built with a sanitizer."""
    content = pathlib.Path(PROGRAM).read_bytes()
    return b'__asan_init' in content or b'__tsan_init' in content


def run(*command, timeout=600, **options):
    """What a program printed on stdout; fails with its messages unless its exit code is 0."""
    process = subprocess.run(
        [str(c) for c in command], text=True, capture_output=True, timeout=timeout, **options
    )
    if process.returncode != 0:
        raise AssertionError(f'{command}\n{process.stdout}\n{process.stderr}')
    return process.stdout


class ProcessTest(unittest.TestCase):
    """Each test has an empty folder `self.folder`, where the program runs."""

    def setUp(self):
        name = f'{pathlib.Path(sys.argv[0]).stem}.{self._testMethodName}'
        if name in SKIPPED:
            self.skipTest(SKIPPED[name])
        holder = tempfile.TemporaryDirectory(prefix='clipmill-test-')
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_clipmill(self, *arguments, exit_code=0, **options):
        """The finished process; fails unless it ended with `exit_code`, None standing for any."""
        process = subprocess.run(
            [PROGRAM, *map(str, arguments)],
            cwd=self.folder,
            text=True,
            capture_output=True,
            timeout=300,
            **options,
        )
        self.assertIn(
            process.returncode,
            (process.returncode if exit_code is None else exit_code,),
            f'{arguments}\nstdout: {process.stdout[:2000]}\nstderr: {process.stderr[:2000]}',
        )
        return process

    def run_json(self, *arguments, **options):
        """What the program printed on stdout, which must be JSON."""
        return json.loads(self.run_clipmill(*arguments, **options).stdout)

    def file(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content)
        return path

    def files(self):
        return sorted(
            str(p.relative_to(self.folder)) for p in self.folder.rglob('*') if p.is_file()
        )

    def assertOneSentence(self, stderr, *parts):
        """stderr ends with one error that names all of `parts`, after notes of stages."""
        error = stderr.strip().splitlines()[-1]
        self.assertEqual(stderr.count('clipmill: '), 1, stderr)
        self.assertTrue(error.startswith('clipmill: error: '), stderr)
        self.assertLess(len(error), 500, stderr)
        for part in parts:
            self.assertIn(part, error)
