# SPDX-License-Identifier: MIT
"""Where the real files are: CLIPMILL_CORPUS, or ../shared/corpora beside the project."""
import gzip
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

from clipmill_process import ROOT

CORPUS = pathlib.Path(os.environ.get('CLIPMILL_CORPUS', ROOT.parent / 'shared' / 'corpora'))
ORACLE = CORPUS.parent / 'oracle'
FBX = CORPUS / 'fbx' / 'ufbx__data'
FRACTIONS = '0,.11,.25,.37,.5,.63,.77,.9,1'


def skip_unless_present():
    """Ends the test program as skipped, with one line, where there is no corpus."""
    if not (CORPUS / 'INDEX.tsv').is_file():
        print('skipped: no corpus (set CLIPMILL_CORPUS to a folder of test files)')
        sys.exit(77)
    if importlib.util.find_spec('numpy') is None:
        print('skipped: the evaluators need numpy (python3-numpy)')
        sys.exit(77)


def gltf_files():
    """All valid glTF, GLB, VRM and VRMA files."""
    files = [p for folder in ('gltf', 'vrm') for p in (CORPUS / folder).rglob('*')]
    return sorted(p for p in files if p.suffix in ('.gltf', '.glb', '.vrm', '.vrma'))


def fbx_files():
    """All valid FBX files."""
    return sorted((CORPUS / 'fbx').rglob('*.fbx'))


def evaluator():
    """The independent glTF evaluator as a module."""
    spec = importlib.util.spec_from_file_location('gltf_eval', ORACLE / 'gltf_eval.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def expected_poses(path, folder):
    """A file with the poses that an independent evaluator sees, or None where it sees none."""
    stored = CORPUS / 'expected_poses' / (path.name + '.json.gz')
    target = folder / 'expected.json'
    if stored.is_file():
        target.write_bytes(gzip.decompress(stored.read_bytes()))
        return target
    module = evaluator()
    try:
        poses = module.evaluate(module.Gltf(str(path)), vertices=True, max_vertices=100000)
    except (TypeError, ValueError):  # meshopt-compressed views, which it does not decode
        return None
    target.write_text(json.dumps(poses))
    return target


def compare_poses(expected, actual, tolerance):
    """(agrees, the comparison's last line)."""
    process = subprocess.run(
        [
            sys.executable,
            ORACLE / 'compare_poses.py',
            expected,
            actual,
            '--tolerance',
            str(tolerance),
            '--quiet',
        ],
        capture_output=True,
        text=True,
    )
    return process.returncode == 0, process.stdout.strip()


def poses_at_fractions(test, path):
    """A file with our poses and vertices of a clip file, written by a ProcessTest."""
    target = test.folder / 'actual.json'
    poses = test.run_clipmill(
        'poses', path, '--fractions', FRACTIONS, '--vertices', '--max-vertices', 100000, '--json'
    )
    target.write_text(poses.stdout)
    return target
