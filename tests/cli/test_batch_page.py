# SPDX-License-Identifier: MIT
"""The page of a batch as a file: who may write it, from what, and that it is the same again."""
import json
import pathlib
import re
import unittest

import glb
from clipmill_process import PROGRAM, ProcessTest

RECIPE = '[[stage]]\ntype = "dynamic-bones"\n[[stage.chain]]\nroot = "Bone0"\nfrequency_hz = 2\n'
TEMPLATE = pathlib.Path(PROGRAM).resolve().parent.parent / 'share/clipmill/batch.html'


@unittest.skipUnless(TEMPLATE.is_file(), 'no page: run scripts/viewer.sh and build again')
class BatchPage(ProcessTest):
    def setUp(self):
        super().setUp()
        self.file('recipe.toml', RECIPE)
        for k, name in enumerate(('a', 'walk/b')):
            self.file(f'in/{name}.glb', glb.swinging_chain(joints=4 + k))

    def batch(self, *arguments, **options):
        return self.run_clipmill(
            *('batch', 'in', '--recursive', '--recipe', 'recipe.toml', '--out-dir', 'out'),
            *arguments,
            **options,
        )

    def data(self, name='page.html'):
        text = (self.folder / name).read_text()
        (block,) = re.findall(r'<script type="application/json" id="batch">(.*?)</script>', text)
        return json.loads(block)

    def test_the_page_of_a_batch_has_the_data_of_its_report(self):
        self.batch('--report', 'report.json', '--report-html', 'page.html')
        self.run_clipmill('batch', 'show', 'report.json', '-o', 'again.html')
        page, again = (self.folder / name for name in ('page.html', 'again.html'))
        self.assertEqual(page.read_bytes(), again.read_bytes())
        self.assertEqual(self.data()['link_base'], 'out/')
        self.run_clipmill('batch', 'show', 'report.json', '-o', 'again.html', '--out-dir', 'x/y')
        self.assertEqual(self.data('again.html')['link_base'], 'x/y/')

    def test_pages_of_a_batch_differ_in_time_and_memory_only(self):
        pages = []
        for jobs in ('1', '4'):
            self.batch('--force', '-j', jobs, '--report-html', 'page.html')
            data = self.data()
            self.assertGreater(data['run'].pop('peak_mb'), 0)
            del data['run']
            for file in data['files']:
                self.assertGreaterEqual(file.pop('ms'), 0)
            pages.append(data)
        self.assertEqual(*pages)

    def test_unchanged_files_are_listed_with_all_their_numbers(self):
        self.batch('--report-html', 'page.html')
        first = self.data()
        self.batch('--report-html', 'page.html')
        again = self.data()
        self.assertEqual([f['status'] for f in first['files']], ['done', 'done'])
        self.assertEqual([f['status'] for f in again['files']], ['unchanged', 'unchanged'])
        self.assertEqual(first['rows'], again['rows'])
        self.assertEqual(first['columns'], again['columns'])

    def test_a_merged_page_has_the_time_and_memory_of_all_shards(self):
        self.run_clipmill(
            *('batch', 'plan', 'in', '--recursive', '--recipe', 'recipe.toml'),
            *('--out-dir', 'out', '-o', 'plan', '--shards', '2'),
        )
        for k in (1, 2):
            self.run_clipmill('batch', 'run', 'plan', '--shard', f'{k}/2', '--reports')
        self.run_clipmill(
            'batch', 'merge', 'plan', '-o', 'merged.json', '--report-html', 'page.html'
        )
        self.batch('--force', '--reports', '--report-html', 'whole.html')
        merged, whole = self.data(), self.data('whole.html')
        for data in (merged, whole):
            self.assertEqual([f['status'] for f in data['files']], ['done', 'done'])
            self.assertEqual([f['report'] for f in data['files']], [True, True])
            self.assertGreater(data.pop('run')['peak_mb'], 0)
            for file in data['files']:
                file.pop('ms')
        self.assertEqual(merged, whole)

    def test_reports_and_previews_of_single_files_are_those_of_run(self):
        self.batch('--reports', '--previews')
        report = json.loads((self.folder / 'out/walk/b.glb.report.json').read_text())
        self.run_clipmill(
            *('run', 'in/walk/b.glb', '--recipe', 'recipe.toml', '-o', 'b.glb'),
            *('--report', 'b.json', '--preview', 'b.html'),
        )
        alone = json.loads((self.folder / 'b.json').read_text())
        self.assertEqual(report['clips'][0]['stages'], alone['clips'][0]['stages'])
        text = (self.folder / 'out/walk/b.glb.preview.html').read_text()
        models = re.findall(r'id="model\d">([^<]*)<', text)
        self.assertEqual(
            models, re.findall(r'id="model\d">([^<]*)<', (self.folder / 'b.html').read_text())
        )
        (self.folder / 'out/a.glb.report.json').unlink()
        self.batch('--reports', '--previews', '--report', 'report.json')
        known = json.loads((self.folder / 'report.json').read_text())['run']['from_record']
        self.assertEqual(known, 1, 'what is gone is made again')
        self.assertTrue((self.folder / 'out/a.glb.report.json').is_file())

    def test_isolated_files_have_reports_and_previews(self):
        self.batch('--isolate', '--reports', '--previews', '--report-html', 'page.html')
        for file in self.data()['files']:
            self.assertTrue(file['report'])
            self.assertEqual(file['previews'], [file['name']])
            self.assertGreater(file['peak_mb'], 0)

    def test_a_page_with_the_path_of_another_file_is_an_error_before_any_work(self):
        process = self.batch('--report', 'x', '--report-html', './x', exit_code=2)
        self.assertOneSentence(process.stderr, '--report-html ./x')
        self.assertFalse((self.folder / 'out').exists())

    def test_a_file_that_is_no_report_is_an_error(self):
        self.file('r.json', '{"clips": []}')
        process = self.run_clipmill('batch', 'show', 'r.json', '-o', 'page.html', exit_code=3)
        self.assertOneSentence(process.stderr, 'r.json', 'batch')
        self.assertFalse((self.folder / 'page.html').exists())


if __name__ == '__main__':
    unittest.main()
