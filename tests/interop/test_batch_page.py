# SPDX-License-Identifier: MIT
"""The page of a batch, opened from disk in a real browser: it shows what the report has."""
import json
import math
import unittest
import urllib.parse

import glb
from browser import ARTIFACTS, BrowserTest

RECIPE = '[[stage]]\ntype = "dynamic-bones"\n[[stage.chain]]\nroot = "Bone0"\nfrequency_hz = 2\n'
HOSTILE = "<img src=x onerror='window.hacked=1'>&amp;"
PHONE = {'width': 360, 'height': 740}
FAILED = {
    'code': 'malformed',
    'location': 'f: x',
    'message': 'is <b>broken</b>',
    'remedy': 'mend it',
}


def ask(expression):
    return {'eval': f'window.clipmill.{expression}'}


def number_text(value):
    """A number as field_names.js formats it."""
    size = abs(value)
    if size >= 100 or float(value).is_integer():
        return '%.0f' % value
    if size >= 10:
        return '%.1f' % value
    if size >= 0.01:
        return '%.2f' % value
    return '0.00' if size < 1e-6 else None


def synthetic(count):
    """A report of many clips, of which every thousandth is far away from the others."""
    jobs, costs = [], []
    for i in range(count):
        name = f'group{i % 7}/clip_{i:05}.glb'
        job = {'name': name, 'input': 'in/' + name, 'status': 'done', 'clips': 1, 'warnings': 0}
        if i % 500 == 499:
            job |= {'status': 'failed', 'clips': 0, 'error': FAILED}
            jobs.append(job)
            continue
        wave = ''.join('%x' % round(7 + 6 * math.sin(0.3 * k + i)) for k in range(48))
        depth = 80.0 if i % 1000 == 500 else 2 + math.sin(i)
        after = {f'measure_{k}_mm': math.sin(i * (k + 1)) + k for k in range(16)}
        stage = {
            'type': 'self-collision',
            'metrics': {'before': {'depth_mm': depth + 9}, 'after': {'depth_mm': depth} | after},
            'series': [{'name': s, 'low': 0.0, 'high': depth, 'levels': wave} for s in 'ab'],
        }
        clip = {'clip': f'Clip {i}', 'output': name.split('/')[1], 'fps': 30.0, 'frames': 60}
        clip |= {'stages': [stage], 'warnings': []}
        job |= {'outputs': [name], 'input_bytes': 5000 + i, 'output_bytes': 9000 + i}
        jobs.append(job | {'outcomes': {'clips': [clip], 'warnings': []}})
        costs.append({'name': name, 'ms': 100 + i % 50, 'peak_mb': 60.5})
    counts = {'done': len(costs), 'failed': count - len(costs), 'skipped': 0}
    run = {'from_record': 0, 'out_dir': 'out', 'peak_mb': 70.0, 'jobs': costs}
    return {'version': '1', **counts, 'jobs': jobs, 'run': run}


class BatchPage(BrowserTest):
    def batch(self, *arguments, exit_code=0):
        """A page of three files that are done, of one that failed, and the report."""
        self.file('recipe.toml', RECIPE)
        for k, name in enumerate(('a', 'walk/b', 'walk/' + HOSTILE.replace('/', ''))):
            path = self.folder / 'in' / (name + '.glb')
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(glb.swinging_chain(joints=4 + k))
        self.file('in/broken.glb', b'glTF')
        self.run_clipmill(
            *('batch', 'in', '--recursive', '--recipe', 'recipe.toml', '--out-dir', 'out'),
            *('--report', 'report.json', '--report-html', 'page.html', *arguments),
            exit_code=exit_code,
        )
        return json.loads((self.folder / 'report.json').read_text())

    def shown(self, report_value):
        """A page of a report that was made up."""
        self.file('made.json', json.dumps(report_value))
        self.run_clipmill('batch', 'show', 'made.json', '-o', 'made.html', '-q')
        return self.folder / 'made.html'

    def test_every_number_of_the_report_is_in_the_table(self):
        report = self.batch(exit_code=1)
        page = self.folder / 'page.html'
        state = self.results(page, ask('state()'))[0]
        every = json.dumps([name for name, _ in state['columns']])
        _, _, texts, order = self.results(
            page, ask('sortBy("", 0)'), ask(f'showColumns({every})'), ask('texts()'), ask('order()')
        )
        done = [job for job in report['jobs'] if job['status'] == 'done']
        self.assertEqual(
            order, [[j['name'], c['clip']] for j in done for c in j['outcomes']['clips']]
        )
        costs = {cost['name']: cost for cost in report['run']['jobs']}
        rows = iter(texts['rows'])
        checked = 0
        for job in done:
            for clip in job['outcomes']['clips']:
                row = dict(zip(texts['titles'], next(rows)))
                self.assertIn(job['name'], row['name'])
                self.assertIn(clip['clip'], row['name'])
                self.assertEqual(row['frames'], str(clip['frames']))
                self.assertEqual(row['status'], 'done')
                self.assertEqual(row['ms'], f"{costs[job['name']]['ms']} ms")
                for stage in clip['stages']:
                    before, after = stage['metrics']['before'], stage['metrics']['after']
                    for name, value in after.items():
                        text = row[f"{stage['type']}/{name}"]
                        wanted = number_text(value)
                        if wanted is None or (name in before and number_text(before[name]) is None):
                            continue
                        if name in before:
                            wanted = f'{number_text(before[name])} → {wanted}'
                        self.assertEqual(text, wanted, name)
                        checked += 1
        self.assertGreater(checked, 10)

    def test_failed_files_are_last_with_what_to_do(self):
        report = self.batch(exit_code=1)
        (error,) = [job['error'] for job in report['jobs'] if job['status'] == 'failed']
        below = 'failed.getBoundingClientRect().top >= grid.getBoundingClientRect().bottom'
        failures, is_below = self.results(
            self.folder / 'page.html', ask('failures()'), {'eval': below}
        )
        ((name, what, location, remedy),) = failures
        self.assertIn('broken.glb', name)
        self.assertEqual(what, f"{error['code']} {error['message']}")
        self.assertEqual((location, remedy), (error['location'], error['remedy']))
        self.assertTrue(is_below)

    def test_links_lead_to_files_that_are_there(self):
        self.batch('--reports', '--previews', exit_code=1)
        links, hacked, images = self.results(
            self.folder / 'page.html',
            {'eval': '[...document.querySelectorAll("#body a")].map((a) => a.href)'},
            {'eval': 'window.hacked === undefined'},
            {'eval': 'document.images.length'},
        )
        self.assertEqual((hacked, images), (True, 0))
        paths = [urllib.parse.unquote(urllib.parse.urlparse(link).path) for link in links]
        wanted = [
            str(self.folder / 'out' / (name + ending))
            for name in ('a.glb', 'walk/b.glb', f"walk/{HOSTILE.replace('/', '')}.glb")
            for ending in ('', '.report.json', '.preview.html')
        ]
        self.assertEqual(sorted(paths), sorted(wanted))
        for path in wanted:
            self.assertIn(path, [str(p) for p in self.folder.rglob('*')])
        self.assertTrue(self.open(self.folder / 'out/a.glb.preview.html')['ready'])

    def test_headers_sort_by_mouse_and_by_keys(self):
        page = self.shown(synthetic(40))
        id = 'self-collision/measure_3_mm'
        first = ask(f'texts().rows.map((r) => r[window.clipmill.texts().titles.indexOf("{id}")])')
        head = f'[data-column="{id}"] button'
        mark = {'eval': f"document.querySelector('{head}').parentElement.ariaSort"}
        click = {'eval': f"document.querySelector('{head}').click()"}
        focus = {'eval': f"document.querySelector('{head}').focus()"}
        results = self.results(
            page,
            *(click, first, mark, focus, {'key': 'Enter'}, first, mark),
            *({'key': 'Enter'}, first, mark),
        )
        down, down_mark, up, up_mark, plain, no_mark = (results[i] for i in (1, 2, 5, 6, 8, 9))
        values = [float(text) for text in down]
        self.assertEqual(values, sorted(values, reverse=True))
        self.assertEqual([float(text) for text in up], sorted(values))
        self.assertEqual((down_mark, up_mark, no_mark), ('descending', 'ascending', None))
        self.assertEqual(sorted(plain), sorted(down))
        self.assertNotIn(plain, (down, up))

    def test_text_and_status_narrow_it_down(self):
        report = synthetic(600)
        report['jobs'][7]['status'] = 'skipped'
        warning = {'code': 'jerk', 'text': 'an arm is jerked', 'count': 3, 'first': 'LeftArm'}
        report['jobs'][9]['outcomes']['clips'][0]['warnings'] = [warning]
        page = self.shown(report)
        names = ask('order().map(([file]) => file)')

        def find(text):
            value, box = json.dumps(text), 'document.getElementById("find")'
            typed = f'box.value = {value}; box.dispatchEvent(new Event("input"));'
            return {'eval': f'(box => {{ {typed} }})({box})'}

        def filter_to(key):
            return ask(f'setFilter("{key}")')

        results = self.results(
            page,
            *(find('CLIP_0012'), names, find('leftarm'), names, find('')),
            *(filter_to('skipped'), names, filter_to('warned'), names, filter_to('failed')),
            *(ask('failures().length'), {'eval': 'getComputedStyle(main).display'}),
            *(filter_to('all'), {'eval': 'count.textContent'}, find('no such'), names),
            {'eval': 'message.checkVisibility()'},
        )
        self.assertEqual(
            sorted(results[1]), sorted(f'group{i % 7}/clip_{i:05}.glb' for i in range(120, 130))
        )
        self.assertEqual(results[3], [report['jobs'][9]['name']])
        self.assertEqual(results[6], [report['jobs'][7]['name']])
        self.assertEqual(results[8], [report['jobs'][9]['name']])
        self.assertEqual((results[10], results[11]), (1, 'none'))
        self.assertEqual(results[15], [])
        self.assertTrue(results[16])

    def test_the_most_unusual_clip_is_first(self):
        page = self.shown(synthetic(3000))
        order, unusual = self.results(
            page,
            ask('order()[0]'),
            {'eval': 'document.querySelector("#body b.far").parentElement.textContent'},
        )
        self.assertIn(order[1], ('Clip 500', 'Clip 1500', 'Clip 2500'))
        self.assertIn('Depth', unusual)

    def test_a_clip_opens_and_closes_by_keys(self):
        page = self.shown(synthetic(30))
        name = {'eval': 'document.querySelector("#body button.name").focus()'}
        text = {'eval': 'details.checkVisibility() ? details.textContent : null'}
        back = {'eval': 'document.activeElement.className'}
        results = self.results(page, name, {'key': 'Enter'}, text, {'key': 'Escape'}, text, back)
        self.assertIn('Measure 3 (mm)', results[2])
        self.assertIsNone(results[4])
        self.assertEqual(results[5], 'name')

    def test_the_work_to_open_a_page_grows_with_its_clips_alone(self):
        # Counted: a time would measure the machine and the browser. A sort takes n log n.
        few, many = (
            self.open(self.shown(synthetic(clips)), countWork=True)['work']
            for clips in (2500, 10000)
        )
        print(f'blocks run: {few} for 2,500 clips, {many} for 10,000')
        self.assertLess(many, 4 * math.log(10000) / math.log(2500) * few)

    def test_ten_thousand_clips_open_and_print_whole(self):
        page = self.shown(synthetic(10000))
        size = page.stat().st_size
        print(f"10,000 clips: {size / 1e6:.1f} MB, {self.open(page)['opened_ms']:.0f} ms")
        self.assertLess(size, 10e6)
        drawn = ask('state().drawn')
        results = self.results(
            page,
            *(drawn, {'eval': 'dispatchEvent(new Event("beforeprint"))'}, drawn),
            *({'eval': 'dispatchEvent(new Event("afterprint"))'}, drawn),
            *({'eval': 'grid.scrollTop = 1e9'}, {'wait': 2000}, ask('texts().rows.at(-1)[0]')),
            {'eval': 'grid.scrollHeight'},
        )
        self.assertLess(results[0], 100)
        self.assertEqual(results[2], 9980)
        self.assertLess(results[4], 100)
        last = self.results(page, ask('order().at(-1)'))[0]
        self.assertIn(last[0], results[7])

    def test_it_fits_every_screen_and_its_controls_have_names(self):
        self.batch(exit_code=1)
        controls = '''[...document.querySelectorAll('button, input, summary')]
          .filter((e) => e.checkVisibility())
          .map((e) => e.ariaLabel || e.labels?.[0]?.textContent.trim() || e.textContent.trim())'''
        width = {'eval': '[document.documentElement.scrollWidth, innerWidth]'}
        looks = {'desk': {}, 'dark': {'colorScheme': 'dark'}}
        looks['phone'] = {'viewport': PHONE, 'hasTouch': True, 'isMobile': True}
        for name, options in looks.items():
            with self.subTest(name):
                shot = {'screenshot': str(ARTIFACTS / f'batch-{name}.png')}
                page = self.folder / 'page.html'
                names, (scroll, inner), _ = self.results(
                    page, {'eval': controls}, width, shot, **options
                )
                self.assertGreater(len(names), 8)
                self.assertNotIn('', names)
                self.assertEqual(scroll, inner, 'nothing sticks out')

    def test_markup_in_a_report_is_shown_as_text(self):
        report = synthetic(3)
        value = json.loads(json.dumps(report).replace('"in/', '"' + HOSTILE.replace('"', '')))
        value['version'] = HOSTILE
        value['jobs'][0]['outcomes']['clips'][0]['clip'] = HOSTILE
        value['jobs'][1]['outcomes']['clips'][0]['stages'][0]['type'] = HOSTILE
        value['jobs'].append(dict(value['jobs'][2], name='j', status='failed', error=FAILED))
        page = self.shown(value)
        hacked, images, bold, text = self.results(
            page,
            {'eval': 'window.hacked === undefined'},
            {'eval': 'document.images.length'},
            {'eval': 'document.querySelectorAll("td:nth-child(2) > b:not(.code)").length'},
            {'eval': 'document.body.textContent'},
        )
        self.assertEqual((hacked, images, bold), (True, 0, 0))
        self.assertIn(HOSTILE, text)
        self.assertIn(FAILED['message'], text)


if __name__ == '__main__':
    unittest.main(warnings='ignore')
