# SPDX-License-Identifier: MIT
"""Pages opened from disk in a real browser."""
import json
import os
import pathlib
import shutil
import subprocess

from clipmill_process import ROOT, ProcessTest

MODULES = pathlib.Path(os.environ['CLIPMILL_NODE_MODULES'])
BROWSER = os.environ.get('CLIPMILL_BROWSER') or shutil.which('chromium')
ARTIFACTS = pathlib.Path(os.environ.get('CLIPMILL_ARTIFACTS', ROOT / 'build/interop/artifacts'))
STILL = {'reducedMotion': 'reduce'}


class BrowserTest(ProcessTest):
    def open(self, page, steps=(), **options):
        """What the page did: {ready, opened_ms, console, requests, results}."""
        ARTIFACTS.mkdir(parents=True, exist_ok=True)
        program = ROOT / 'tests/interop/open_page.cjs'
        process = subprocess.run(
            ['node', program, MODULES, BROWSER, page, json.dumps(STILL | options)],
            input=json.dumps(list(steps)),
            capture_output=True,
            text=True,
            timeout=300,
        )
        self.assertEqual(process.returncode, 0, process.stderr)
        seen = json.loads(process.stdout)
        self.assertTrue(seen['ready'], seen['console'])
        self.assertEqual(seen['console'], [])
        self.assertEqual([r for r in seen['requests'] if not r.startswith('file:')], [])
        self.assertEqual(len(seen['requests']), 1, 'the page alone is read')
        return seen

    def results(self, page, *steps, **options):
        return self.open(page, steps, **options)['results']
