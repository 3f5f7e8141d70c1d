# SPDX-License-Identifier: MIT
"""`preview` and `--preview` as a process: what is written, and what is refused."""
import base64
import json
import pathlib
import re
import shutil
import subprocess
import unittest

import glb
from clipmill_process import PROGRAM, ProcessTest


def block(page, name):
    return re.search(rf' id="{name}">(.*?)</script>', page, re.S)[1]


class Preview(ProcessTest):
    def setUp(self):
        super().setUp()
        self.original = glb.swinging_chain()
        self.file('in.glb', self.original)

    def bake(self, *arguments, **options):
        return self.run_clipmill(
            'dynamic-bones', 'in.glb', '--chain', 'Bone0', *arguments, **options
        )

    def page(self, name='p.html'):
        return (self.folder / name).read_text()

    def model(self, index, name='p.html'):
        return base64.b64decode(block(self.page(name), f'model{index}'))

    def test_a_page_holds_both_files_and_the_report(self):
        self.bake('-o', 'out.glb', '--report', 'r.json')
        process = self.run_clipmill(
            'preview', 'in.glb', 'out.glb', '--report', 'r.json', '-o', 'p.html'
        )
        self.assertEqual(process.stdout, '')
        self.assertIn('p.html', process.stderr)
        self.assertEqual(self.files(), ['in.glb', 'out.glb', 'p.html', 'r.json'])
        self.assertEqual(self.model(0), self.original)
        self.assertEqual(self.model(1), (self.folder / 'out.glb').read_bytes())
        report = json.loads(block(self.page(), 'report'))
        self.assertEqual(report, json.loads((self.folder / 'r.json').read_text()))
        names = [s['name'] for s in report['clips'][0]['stages'][0]['series']]
        self.assertEqual(names, ['tip_speed_mps', 'angle_to_rest_deg'])
        header = json.loads(block(self.page(), 'preview'))
        self.assertEqual([f['name'] for f in header['models']], ['in.glb', 'out.glb'])

    def test_the_page_allows_no_network_and_no_script_but_its_own(self):
        self.run_clipmill('preview', 'in.glb', '-o', 'p.html')
        policy = re.search(r'Content-Security-Policy" content="([^"]+)"', self.page())[1]
        rules = dict(rule.split(' ', 1) for rule in policy.split('; '))
        self.assertEqual(rules['default-src'], "'none'")
        self.assertRegex(rules['script-src'], r"^'sha256-[A-Za-z0-9+/=]+' 'wasm-unsafe-eval'$")
        self.assertEqual(set(rules['connect-src'].split()), {'blob:', 'data:'})
        self.assertLess(self.page().index('Content-Security-Policy'), self.page().index('<script'))
        self.assertNotRegex(self.page(), r'(?i)<(script|link|img|iframe)[^>]+(src|href)="(?!data:)')

    def test_a_page_opens_with_a_close_up_that_the_camera_follows(self):
        self.run_clipmill('preview', 'in.glb', '-o', 'p.html', '--focus', 'Bone3', '--follow')
        header = json.loads(block(self.page(), 'preview'))
        nodes = json.loads(self.run_clipmill('info', 'in.glb', '--json').stdout)['nodes']
        ids = {node['name']: node['id'] for node in nodes}
        self.assertEqual(header['focus'], [ids['Bone3']])
        self.assertIs(header['follow'], True)
        self.run_clipmill('preview', 'in.glb', '-o', 'p.html')
        header = json.loads(block(self.page(), 'preview'))
        self.assertEqual((header['focus'], header['follow']), ([], False))

    def test_a_page_is_the_same_whenever_it_is_made(self):
        self.run_clipmill('preview', 'in.glb', '-o', 'p.html')
        self.run_clipmill('preview', 'in.glb', '-o', 'q.html')
        self.assertEqual(self.page('p.html'), self.page('q.html'))

    def test_a_run_makes_the_page_too_also_over_its_own_input(self):
        self.bake('-o', 'in.glb', '--preview', 'p.html')
        self.assertEqual(self.model(0), self.original)
        self.assertEqual(self.model(1), (self.folder / 'in.glb').read_bytes())
        self.assertNotEqual(self.model(0), self.model(1))
        self.assertEqual(len(json.loads(block(self.page(), 'report'))['clips']), 1)

    def test_a_run_that_writes_nothing_or_fails_makes_no_page(self):
        self.bake('-o', 'out.glb', '--preview', 'p.html', '--dry-run')
        self.assertEqual(self.files(), ['in.glb'])
        self.file('broken.glb', b'glTF')
        process = self.run_clipmill(
            *('dynamic-bones', 'broken.glb', '--chain', 'Bone0', '-o', 'out.glb'),
            *('--preview', 'p.html', '--report', 'r.json'),
            exit_code=3,
        )
        self.assertOneSentence(process.stderr, 'broken.glb')
        self.assertEqual(self.files(), ['broken.glb', 'in.glb', 'r.json'])
        self.assertEqual(json.loads((self.folder / 'r.json').read_text())['status'], 'failed')

    def test_a_page_with_the_path_of_another_file_is_an_error(self):
        for name in ('in.glb', 'out.glb', './out.glb'):
            process = self.bake('-o', 'out.glb', '--preview', name, exit_code=2)
            self.assertOneSentence(process.stderr, '--preview')
        self.assertEqual(self.files(), ['in.glb'])

    def test_a_preview_that_fails_is_one_sentence_and_no_page(self):
        self.file('not.json', '{}')
        for arguments, part, code in (
            (['none.glb'], 'none.glb', 3),
            (['in.glb', 'none.glb'], 'none.glb', 3),
            (['in.glb', '--clip', 'Swaz'], 'Sway', 3),
            (['in.glb', '--report', 'not.json'], 'not.json', 3),
        ):
            process = self.run_clipmill('preview', *arguments, '-o', 'p.html', exit_code=code)
            self.assertOneSentence(process.stderr, part)
        self.run_clipmill('preview', 'in.glb', exit_code=2)
        process = self.run_clipmill('preview', 'in.glb', '-o', 'no/p.html', exit_code=3)
        self.assertOneSentence(process.stderr, 'no/p.html')
        self.assertEqual(self.files(), ['in.glb', 'not.json'])

    def test_a_missing_viewer_page_is_an_error_with_a_remedy(self):
        lonely = self.folder / 'bin' / 'clipmill'
        lonely.parent.mkdir()
        shutil.copy(PROGRAM, lonely)
        process = subprocess.run(
            [lonely, 'preview', 'in.glb', '-o', 'p.html'],
            cwd=self.folder,
            capture_output=True,
            text=True,
        )
        self.assertEqual(process.returncode, 3)
        self.assertOneSentence(process.stderr, 'viewer.html', 'scripts/viewer.sh')
        share = self.folder / 'share' / 'clipmill'
        share.mkdir(parents=True)
        installed = pathlib.Path(PROGRAM).resolve().parents[1] / 'share/clipmill/viewer.html'
        shutil.copy(installed, share)
        subprocess.run([lonely, 'preview', 'in.glb', '-o', 'p.html'], cwd=self.folder, check=True)
        self.assertEqual(self.model(0), self.original)


if __name__ == '__main__':
    unittest.main(warnings='ignore')
