# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""The npm package, installed as a project has it: the command line and the module give the bytes of
the native program, and its exit codes. Run by scripts/targets.sh."""
import base64
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from clipmill_process import SAMPLES, ProcessTest

PACKAGE = pathlib.Path(os.environ['CLIPMILL_NPM_PACKAGE'])
CHARACTER = SAMPLES / 'stretch/humanoid.glb'
RECIPE = SAMPLES / 'stretch/recipe.toml'

# Runs the module on what standard input describes; prints what came of it, files in base64.
MODULE = """
import clipmill from 'clipmill';
import { readFileSync } from 'node:fs';
const { files, args } = JSON.parse(readFileSync(0, 'utf8'));
const given = {};
for (const [name, text] of Object.entries(files)) given[name] = Buffer.from(text, 'base64');
const done = await clipmill({ files: given, args });
for (const [name, bytes] of Object.entries(done.files)) {
  done.files[name] = Buffer.from(bytes).toString('base64');
}
console.log(JSON.stringify(done));
"""


class NpmTest(ProcessTest):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory(prefix='clipmill-npm-')
        cls.project = pathlib.Path(cls.holder.name)
        (cls.project / 'package.json').write_text('{"name": "project", "private": true}')
        cls.npm('install', '--offline', '--no-audit', '--no-fund', PACKAGE)
        (cls.project / 'run.mjs').write_text(MODULE)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    @classmethod
    def npm(cls, *arguments):
        subprocess.run(
            ['npm', *map(str, arguments)], cwd=cls.project, check=True, capture_output=True
        )

    def npx(self, *arguments):
        return subprocess.run(
            ['npx', '--no-install', '--prefix', self.project, 'clipmill', *map(str, arguments)],
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=300,
        )

    def module(self, args, files):
        """What the ES module returned."""
        request = {'args': args}
        request['files'] = {n: base64.b64encode(b).decode() for n, b in files.items()}
        process = subprocess.run(
            ['node', 'run.mjs'],
            cwd=self.project,
            input=json.dumps(request),
            capture_output=True,
            text=True,
            timeout=300,
        )
        self.assertEqual(process.returncode, 0, process.stderr)
        done = json.loads(process.stdout)
        done['files'] = {n: base64.b64decode(t) for n, t in done['files'].items()}
        return done

    def native_stretch(self):
        """Bytes that the native program writes for RECIPE."""
        self.run_clipmill(
            'run', CHARACTER, '--recipe', RECIPE, '--clip', 'Leap', '-o', 'native.glb'
        )
        return (self.folder / 'native.glb').read_bytes()

    def test_the_command_line_runs_a_recipe(self):
        expected = self.native_stretch()
        done = self.npx('run', CHARACTER, '--recipe', RECIPE, '--clip', 'Leap', '-o', 'out.glb')
        self.assertEqual((done.returncode, done.stdout), (0, ''), done.stderr)
        self.assertEqual((self.folder / 'out.glb').read_bytes(), expected)
        self.assertEqual(self.files(), ['native.glb', 'out.glb'])

    def test_the_command_line_has_the_exit_codes(self):
        missing = self.npx('info', 'missing.glb')
        self.assertEqual(missing.returncode, 3, missing.stderr)
        self.assertIn('missing.glb', missing.stderr)
        self.assertEqual(self.npx('no-such-command').returncode, 2)
        native = self.run_clipmill('--version').stdout
        self.assertEqual(self.npx('--version').stdout, native)

    def test_the_preview_finds_its_page(self):
        done = self.npx('preview', CHARACTER, '-o', 'page.html')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.run_clipmill('preview', CHARACTER, '-o', 'native.html')
        self.assertEqual(
            (self.folder / 'page.html').read_bytes(), (self.folder / 'native.html').read_bytes()
        )

    def test_the_module_returns_files_report_and_exit_code(self):
        expected = self.native_stretch()
        files = {'in/humanoid.glb': CHARACTER.read_bytes(), 'recipe.toml': RECIPE.read_bytes()}
        args = ['run', 'in/humanoid.glb', '--recipe', 'recipe.toml', '--clip', 'Leap']
        done = self.module([*args, '-o', 'out.glb', '--report', 'report.json'], files)
        self.assertEqual(done['exitCode'], 0, done['stderr'])
        self.assertEqual(sorted(done['files']), ['out.glb', 'report.json'])
        self.assertEqual(done['files']['out.glb'], expected)
        self.assertEqual(done['report']['clips'][0]['stages'][0]['type'], 'stretch')

    def test_the_module_reports_errors_by_its_exit_code(self):
        done = self.module(['info', 'broken.glb'], {'broken.glb': b'no model'})
        self.assertEqual((done['exitCode'], done['files'], done['stdout']), (3, {}, ''))
        self.assertTrue(done['stderr'].startswith('clipmill: error: '), done['stderr'])

    def test_the_module_keeps_the_original_file(self):
        source = CHARACTER.read_bytes()
        done = self.module(['info', 'a.glb', '--json'], {'a.glb': source})
        self.assertEqual(done['files'], {})
        self.assertEqual(json.loads(done['stdout'])['format'], 'GLB')

    def test_names_of_files_stay_in_the_folder(self):
        request = json.dumps({'args': ['info', 'a.glb'], 'files': {'../a.glb': ''}})
        process = subprocess.run(
            ['node', 'run.mjs'], cwd=self.project, input=request, capture_output=True, text=True
        )
        self.assertNotEqual(process.returncode, 0)
        self.assertIn("not '../a.glb'", process.stderr)


if __name__ == '__main__':
    unittest.main()
