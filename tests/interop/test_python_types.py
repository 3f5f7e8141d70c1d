# SPDX-License-Identifier: MIT
"""Types of the Python module, by mypy: complete in the package, seen by code that uses it, and
those of what is compiled."""
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

from python_module import ModuleTest

MYPY = ['/usr/bin/python3', '-m', 'mypy', '--strict', '--no-incremental']
USE = """\
from __future__ import annotations

import clipmill
import numpy as np


@clipmill.stage
def lift(motion: clipmill.Motion, height: float) -> dict[str, float]:
    motion.translations[:, 0, 1] += height
    return {'lifted_m': height}


def show(step: str, done: int, total: int) -> None:
    print(step, done, total)


asset = clipmill.load('a.glb')
motion = asset.sample('Walk', fps=60.0)
head: int = motion.node('Head')
motion.rotations[:, head, 3] = np.cos(motion.times)
saved: int = asset.save('b.glb', motion).keys
recipe = {'stage': [lift(height=0.1), {'type': 'loop'}]}
report = clipmill.run(asset, recipe, 'c.glb', progress=show, clips=['Walk'])
try:
    print(report['status'], clipmill.check('c.glb'), asset.meshes[0].positions.shape)
except clipmill.Error as error:
    print(error.code, error.location, error.remedy)
"""


class PythonTypes(ModuleTest):
    def mypy(self, *targets):
        """The finished process of mypy, in the environment with the module."""
        return subprocess.run(
            [*MYPY, '--python-executable', self.python, *targets],
            cwd=self.folder, text=True, capture_output=True, timeout=300,
        )

    def test_the_package_has_types_throughout(self):
        process = self.mypy('-p', 'clipmill')
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)

    def test_code_that_uses_it_is_checked(self):
        self.file('use.py', USE)
        process = self.mypy('use.py')
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        self.file('misuse.py', USE.replace("node('Head')", 'node(3)'))
        process = self.mypy('misuse.py')
        self.assertIn('Argument 1 to "node" of "Motion" has incompatible type', process.stdout)

    def test_stubs_name_what_the_module_has(self):
        stub = (pathlib.Path(self.clipmill.__path__[0]) / '_clipmill.pyi').read_text()
        native = self.clipmill._clipmill
        for name in re.findall(r'^class (\w+)', stub, re.M):
            members = re.search(rf'^class {name}.*?(?=^class |^def |\Z)', stub, re.S | re.M).group()
            for member in re.findall(r'    def (\w+)\(', members):
                self.assertTrue(hasattr(getattr(native, name), member), f'{name}.{member}')
        for name in re.findall(r'^def (\w+)', stub, re.M):
            self.assertTrue(callable(getattr(native, name)), name)


if __name__ == '__main__':
    if not shutil.which('mypy'):
        print('skipped: needs mypy')
        sys.exit(77)
    unittest.main(warnings='ignore')
