# SPDX-License-Identifier: MIT
"""The example for Unity's importer, compiled by Mono with substitutes for Unity's types: it bakes
models that have a recipe, as the command line does, and shows errors."""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

from clipmill_process import PROGRAM, ROOT, SAMPLES, ProcessTest, run

HERE = pathlib.Path(__file__).resolve().parent
SCRIPT = ROOT / 'integrations' / 'unity' / 'ClipmillPostprocessor.cs'
SAMPLE = SAMPLES / 'stretch'


class UnityScript(ProcessTest):
    def setUp(self):
        super().setUp()
        run('mcs', '-out:import.exe', SCRIPT, HERE / 'unity_substitutes.cs', cwd=self.folder)
        shutil.copy(SAMPLE / 'humanoid.fbx', self.folder / 'Hero.fbx')
        shutil.copy(SAMPLE / 'humanoid.glb', self.folder / 'Other.glb')

    def imported(self, *paths, program=PROGRAM):
        """What the script prints after an import of these paths."""
        environment = {**os.environ, 'clipmill.program': str(pathlib.Path(program).resolve())}
        return subprocess.run(
            ['mono', 'import.exe', *paths], cwd=self.folder, env=environment, text=True,
            capture_output=True, check=True, timeout=100,
        ).stdout.strip()

    def test_a_model_with_a_recipe_is_baked(self):
        shutil.copy(SAMPLE / 'recipe.toml', self.folder / 'Hero.clipmill.toml')
        flags = ('--recipe', 'Hero.clipmill.toml', '-o', 'theirs.fbx', '-q')
        self.run_clipmill('run', 'Hero.fbx', *flags)
        theirs = (self.folder / 'theirs.fbx').read_bytes()
        for path in ('Hero.fbx', 'Hero.clipmill.toml'):
            self.assertEqual(self.imported(path, 'Other.glb'), 'import Hero_baked.fbx')
            self.assertEqual((self.folder / 'Hero_baked.fbx').read_bytes(), theirs)
            (self.folder / 'Hero_baked.fbx').unlink()
        self.assertEqual(self.imported('Other.glb'), '')
        self.assertFalse((self.folder / 'Other_baked.glb').exists())

    def test_errors_are_shown_and_nothing_is_imported(self):
        self.file('Hero.clipmill.toml', '[[stage]]\ntype = "strech"\n')
        self.assertRegex(self.imported('Hero.fbx'), "^error clipmill, Hero.fbx: .*'stretch'")
        self.assertRegex(
            self.imported('Hero.fbx', program='/nowhere/clipmill'), 'error clipmill was not found'
        )
        self.assertFalse((self.folder / 'Hero_baked.fbx').exists())


if __name__ == '__main__':
    if not shutil.which('mcs') or not shutil.which('mono'):
        print('skipped: needs Mono (package mono-mcs)')
        sys.exit(77)
    unittest.main(warnings='ignore')
