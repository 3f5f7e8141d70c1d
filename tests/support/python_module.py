# SPDX-License-Identifier: MIT
"""The Python module as users have it: its wheel in a fresh environment."""
import pathlib
import subprocess
import sys
import tempfile

from clipmill_process import ROOT, SAMPLES, ProcessTest

WHEELS = ROOT / 'build/python/wheel'
HUMANOID = SAMPLES / 'dynamic-bones' / 'humanoid.glb'
HUMANOID_FBX = SAMPLES / 'dynamic-bones' / 'humanoid.fbx'


def install_wheel():
    """Installs the wheel into a fresh environment without a network, and imports it from there.
    Ends the test program as skipped where there is no wheel."""
    wheels = sorted(WHEELS.glob('clipmill-*.whl'))
    if not wheels:
        print('skipped: there is no wheel (scripts/wheel.sh)')
        sys.exit(77)
    holder = tempfile.TemporaryDirectory(prefix='clipmill-venv-')
    subprocess.run(
        [sys.executable, '-m', 'venv', '--system-site-packages', holder.name], check=True
    )
    python = pathlib.Path(holder.name) / 'bin' / 'python'
    subprocess.run(
        [python, '-m', 'pip', 'install', '--quiet', '--no-index', wheels[-1]], check=True
    )
    where = subprocess.run(
        [python, '-c', 'import clipmill; print(clipmill.__path__[0])'],
        check=True,
        text=True,
        capture_output=True,
        cwd=holder.name,
    ).stdout.strip()
    if not where.startswith(holder.name):
        raise AssertionError(where)
    sys.path.insert(0, str(pathlib.Path(where).parent))
    return holder, python


class ModuleTest(ProcessTest):
    """`self.clipmill` is the module, `self.python` the interpreter that has it installed."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        holder, cls.python = install_wheel()
        cls.addClassCleanup(holder.cleanup)
        import clipmill

        cls.clipmill = clipmill
