# SPDX-License-Identifier: MIT
"""The page of `clipmill preview`, opened from disk in a real browser."""
import base64
import functools
import json
import math
import pathlib
import tempfile
import unittest

import corpus
import glb
from browser import ARTIFACTS, BrowserTest
from clipmill_process import PROGRAM, SAMPLES, run

SAMPLE = SAMPLES / 'dynamic-bones'
HOSTILE = '</script><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
PHONE = {'width': 360, 'height': 740}

# Controls that can be seen, with their positions and accessible names.
CONTROLS = '''[...document.querySelectorAll('button, select, input, #canvas')]
  .filter((e) => e.checkVisibility())
  .map((e) => {
    const { left, top, right, bottom } = e.getBoundingClientRect();
    const label = e.ariaLabel || e.textContent.trim();
    const name = e.labels?.[0]?.textContent.trim() || label;
    return { tag: e.tagName, name, box: [left, top, right, bottom], tab: e.tabIndex };
  })'''


def seek(time):
    return {'eval': f'window.clipmill.seek({time})'}


def ask(expression):
    return {'eval': f'window.clipmill.{expression}'}


def overlap(a, b):
    """More than the border that the buttons of a row share."""
    return min(a[2], b[2]) - max(a[0], b[0]) > 1.5 and min(a[3], b[3]) - max(a[1], b[1]) > 1.5


@functools.cache
def baked_sample():
    """The folder of the baked sample, its file and its report; gone when the program ends."""
    holder = tempfile.TemporaryDirectory(prefix='clipmill-preview-')
    baked = pathlib.Path(holder.name) / 'baked.glb'
    report = baked.with_suffix('.json')
    flags = ('--recipe', SAMPLE / 'recipe.toml', '-o', baked, '--report', report, '-q')
    run(PROGRAM, 'run', SAMPLE / 'humanoid.glb', *flags)
    return holder, baked, report


class Preview(BrowserTest):
    def sample_page(self):
        """A page of the sample before and after, with its report."""
        baked, report = baked_sample()[1:]
        return self.page_of(SAMPLE / 'humanoid.glb', baked, '--report', report)

    def page_of(self, *arguments):
        page = self.folder / 'page.html'
        self.run_clipmill('preview', *arguments, '-o', page, '-q')
        return page


class Image(Preview):
    def test_the_models_are_drawn_and_scrubbing_moves_them(self):
        image = ask('image()')
        *images, shot = self.results(
            self.sample_page(),
            *(seek(0.1), image, seek(0.6), image, seek(0.1), image),
            {'screenshot': str(ARTIFACTS / 'preview.png')},
        )
        first, other, again = images[1::2]
        self.assertGreater(first['colors'], 500)
        self.assertNotEqual(first['hash'], other['hash'])
        self.assertEqual(first['hash'], again['hash'])

    def test_both_models_have_the_poses_that_clipmill_poses_prints(self):
        page = self.sample_page()
        times = [0.0, 0.2, 0.31, 0.7]
        bones = ['Hips', 'RightHand', 'Tail6', 'Whip9', 'HairBack2_4']
        steps = [
            step
            for time in times
            for step in (
                seek(time),
                {
                    'eval': f'[0, 1].map((side) => {json.dumps(bones)}.map('
                    '(bone) => window.clipmill.bonePosition(side, bone)))'
                },
            )
        ]
        shown = self.results(page, ask('setClip(2)'), *steps)[2::2]
        for side, path in enumerate((SAMPLE / 'humanoid.glb', baked_sample()[1])):
            poses = self.run_json(
                *('poses', path, '--clip', '2', '--times', ','.join(map(str, times))),
                *('--space', 'metric', '--json'),
            )
            names = [node.split('/')[-1] for node in poses['nodes']]
            for t, frame in enumerate(poses['clips'][0]['world']):
                for b, bone in enumerate(bones):
                    expected = frame[names.index(bone)][3::4]
                    distance = math.dist(shown[t][side][b], expected)
                    self.assertLess(distance, 1e-4, f'{path} {bone} at {times[t]} s')
        # In sync: what the stage left alone is at the same position, what it moved is not.
        for before, after in shown:
            self.assertEqual(before[0], after[0])
        self.assertGreater(max(math.dist(b[2], a[2]) for b, a in shown), 0.01)

    def test_shadows_lie_on_the_ground_along_the_light_and_darken_it(self):
        page = self.page_of(SAMPLE / 'humanoid.glb')
        count = 40
        found = self.results(
            page,
            ask('setClip(2)'),
            seek(0.3),
            ask('state()'),
            {
                'eval': f'''(() => {{
                  const c = window.clipmill;
                  const stride = Math.floor(c.vertexCount(0, 0) / {count});
                  const shadows = Array.from({{ length: {count} }},
                    (_, i) => c.shadowOf(0, 0, i * stride));
                  const look = (on) => {{
                    c.toggle('shadow', on);
                    return shadows.map((s) => c.pixel(...s.screen));
                  }};
                  c.toggle('grid', false);
                  c.toggle('path', false);
                  return {{ shadows, lit: look(false), dark: look(true) }};
                }})()'''
            },
        )
        state, seen = found[2], found[3]
        light = state['light'][:3]
        for shadow in seen['shadows']:
            self.assertAlmostEqual(shadow['shadow'][1], state['level'], delta=1e-6)
            offset = [a - b for a, b in zip(shadow['vertex'], shadow['shadow'])]
            along = sum(a * b for a, b in zip(offset, light)) / math.hypot(*light)
            self.assertAlmostEqual(along, math.hypot(*offset), delta=1e-5)
        # Where the ground is seen it is darker by the shadow; the model may be in front of it.
        darker = [sum(a) - sum(b) for a, b in zip(seen['lit'], seen['dark'])]
        self.assertGreaterEqual(min(darker), 0)
        self.assertGreater(sum(d > 60 for d in darker), count // 4)

    def test_each_switch_changes_the_image(self):
        switches = ['mesh', 'skeleton', 'wireframe', 'shadow', 'grid', 'path', 'trails']
        switches += ['colliders', 'contacts']
        steps = [ask('setClip(1)'), seek(0.5), ask('image()')]
        for name in switches:
            steps += [ask(f'toggle("{name}")'), ask('image()'), ask(f'toggle("{name}")')]
        steps += [ask('setLayout("overlay")'), ask('image()')]
        steps += [{'screenshot': str(ARTIFACTS / 'preview-overlay.png')}]
        page = self.folder / 'page.html'
        self.run_clipmill(
            *('dynamic-bones', SAMPLE / 'humanoid.glb', '--auto', '--colliders', 'auto'),
            *('-o', 'baked.glb', '--preview', page, '-q'),
        )
        results = self.results(page, *steps)
        plain = results[2]['hash']
        changed = [r['hash'] for r in results[3:] if isinstance(r, dict)]
        self.assertEqual(len(changed), len(switches) + 1)
        self.assertEqual(len({plain, *changed}), len(switches) + 2, dict(zip(switches, changed)))

    def test_morphs_play(self):
        path = corpus.CORPUS / 'gltf' / 'arkavo-org__AnimatedMorphCube.glb'
        if not path.is_file():
            self.skipTest('no corpus')
        image = ask('image()')
        a, b = self.results(self.page_of(path), seek(0.5), image, seek(1.5), image)[1::2]
        self.assertNotEqual(a['hash'], b['hash'])

    def test_tetrahedra_are_a_switch_of_their_own(self):
        value, _, binary = glb.read(SAMPLES / 'tet-bake' / 'humanoid.glb')
        node = next(n for n in value['nodes'] if 'mesh' in n)
        value['nodes'].append(dict(node, name='Tetrahedra', extras={'clipmill': 'tetrahedra'}))
        value['nodes'][-1].pop('children', None)
        value['scenes'][0]['nodes'].append(len(value['nodes']) - 1)
        path = self.file('tets.glb', glb.assemble(value, binary))
        shown, toggled, hidden = self.results(
            self.page_of(path), ask('image()'), ask('toggle("tetrahedra")'), ask('image()')
        )
        self.assertNotEqual(shown['hash'], hidden['hash'])

    def test_tetrahedra_of_a_bake_are_cut_open_and_match_the_report(self):
        report = self.folder / 'report.json'
        page = self.folder / 'page.html'
        self.run_clipmill(
            *('tet-bake', SAMPLES / 'tet-bake' / 'humanoid.glb', '-o', 'full.glb', '-q'),
            *('--keep-tets', 'true', '--report', report, '--preview', page),
        )
        clip = json.loads(report.read_text())['clips'][0]
        (stage,) = clip['stages']
        series = {s['name']: s['after'] for s in stage['series']}
        frames = [0, 20, series['inverted_tets'].index(max(series['inverted_tets'])), 60]
        state, image, steps = ask('state()'), ask('image()'), []
        for frame in frames:
            steps += [seek(frame / 30), state]
        steps += [image, ask('cut("front", 0.5)'), state, image]
        steps += [{'screenshot': str(ARTIFACTS / 'preview-tets.png')}]
        steps += [ask('toggle("tetrahedra")'), state, image, ask('setClip(1)')]
        steps += [ask('toggle("tetrahedra")'), state]
        seen = [r for r in self.results(page, *steps) if r]
        for frame, state in zip(frames, seen):
            tets = state['tets']
            self.assertEqual(tets['count'], stage['metrics']['after']['tets'])
            self.assertAlmostEqual(tets['least'], series['min_j'][frame], delta=5e-3)
            self.assertEqual(tets['inverted'], series['inverted_tets'][frame])
        whole, cut, opened, closed, plain, other = seen[len(frames) :]
        self.assertEqual(len({p['hash'] for p in (whole, opened, plain)}), 3)
        self.assertLess(cut['tets']['kept'], cut['tets']['count'])
        self.assertIsNone(closed['tets'])
        self.assertNotEqual(other['tets']['least'], cut['tets']['least'])
        # Limb volumes are what is plotted first.
        limbs = [s for s in stage['series'] if s['name'] == 'limb_volume_percent']
        self.assertEqual(len(cut['charts']), len(limbs))


class Controls(Preview):
    def test_plots_follow_the_scrubber_and_the_scrubber_the_plots(self):
        state = ask('state()')
        results = self.results(
            self.sample_page(),
            *(seek(0.25), state, {'key': 'ArrowRight'}, state),
            *({'click': '.chart .u-over', 'at': [0.5, 0.5]}, {'wait': 100}, state),
        )
        sought, stepped, clicked = (r for r in results if r)
        self.assertGreaterEqual(len(sought['charts']), 2)
        for seen in (sought, stepped, clicked):
            for chart in seen['charts']:
                self.assertAlmostEqual(chart['time'], seen['time'], delta=0.01)
        self.assertAlmostEqual(sought['time'], 0.25, delta=1e-9)
        self.assertEqual(stepped['frame'], sought['frame'] + 1)
        length = (clicked['frames'] - 1) / 30
        self.assertAlmostEqual(clicked['time'], length / 2, delta=0.02)

    def test_keys_play_step_and_orbit(self):
        image, state = ask('image()'), ask('state()')
        results = self.results(
            self.sample_page(),
            *(seek(0.0), image, state, {'key': 'ArrowLeft'}, state, {'key': 'ArrowRight'}),
            *({'key': 'Shift+ArrowLeft'}, image, {'key': ' '}, {'wait': 600}, state),
            *({'key': ' '}, state),
        )
        before, first, back, orbited, playing, stopped = (r for r in results if r)
        self.assertEqual((first['frame'], first['playing']), (0, False))
        self.assertEqual(back['frame'], first['frames'] - 1)
        self.assertNotEqual(before['hash'], orbited['hash'])
        self.assertTrue(playing['playing'])
        self.assertGreater(playing['time'], 0.0)
        self.assertFalse(stopped['playing'])

    def test_it_plays_at_once_unless_motion_is_to_be_reduced(self):
        page = self.sample_page()
        still = self.results(page, ask('state().playing'))
        moving = self.results(page, ask('state().playing'), reducedMotion='no-preference')
        self.assertEqual((still, moving), ([False], [True]))

    def test_every_control_has_a_name_and_a_position_of_its_own(self):
        page = self.sample_page()
        width = {'eval': '[document.documentElement.scrollWidth, innerWidth]'}
        for name, options in {
            'desk': {},
            'dark': {'colorScheme': 'dark'},
            'phone': {'viewport': PHONE, 'hasTouch': True, 'isMobile': True},
        }.items():
            with self.subTest(name):
                shot = {'screenshot': str(ARTIFACTS / f'preview-{name}.png'), 'full': True}
                controls, (scroll, inner), _ = self.results(
                    page, {'eval': CONTROLS}, width, {'screenshot': shot['screenshot']}, **options
                )
                self.assertEqual(scroll, inner, 'nothing sticks out')
                self.assertGreater(len(controls), 15)
                for control in controls:
                    self.assertTrue(control['name'], control)
                    self.assertGreaterEqual(control['tab'], 0, control)
                for i, a in enumerate(controls):
                    for b in controls[:i]:
                        self.assertFalse(overlap(a['box'], b['box']), (a, b))

    def test_the_clip_that_was_asked_for_is_shown_first(self):
        page = self.page_of(SAMPLE / 'humanoid.glb', '--clip', 'Run')
        state, text = self.results(
            page, ask('state()'), {'eval': 'clip.selectedOptions[0].textContent'}
        )
        self.assertEqual((state['clip'], text), (2, 'Run'))


class Hostile(Preview):
    def test_names_that_are_markup_are_shown_as_text(self):
        value, _, binary = glb.read(SAMPLE / 'humanoid.glb')
        for list_name in ('nodes', 'animations', 'meshes', 'materials', 'skins'):
            for element in value.get(list_name, []):
                element['name'] = HOSTILE + element.get('name', '')
        path = self.file('a.glb', glb.assemble(value, binary))
        stage = {
            'type': HOSTILE,
            'metrics': {'before': {}, 'after': {HOSTILE: 1, 'x_mm': HOSTILE}},
            'series': [
                {'name': HOSTILE, 'of': HOSTILE, 'after': [1, 2, HOSTILE]},
                {'name': 1, 'after': 'x'},
                None,
            ],
            'shapes': [{'node': HOSTILE}, {'node': 1, 'radius_m': -1}, 5],
            'points': [{'node': -1}, {'node': 2, 'offset': HOSTILE}],
            'warnings': [{'text': HOSTILE, 'first': HOSTILE}],
        }
        clip = {'index': 0, 'frames': 3, 'fps': 30, 'stages': [stage, 7]}
        report = self.file('r.json', json.dumps({'clips': [clip]}))
        hacked, images, option, table = self.results(
            self.page_of(path, path, '--report', report),
            {'eval': 'window.hacked === undefined'},
            {'eval': 'document.images.length'},
            {'eval': 'clip.options[0].textContent'},
            {'eval': 'tables.textContent'},
        )
        self.assertEqual((hacked, images), (True, 0))
        self.assertIn(HOSTILE, option)
        self.assertIn(HOSTILE, table)

    def test_an_image_on_a_network_is_not_loaded(self):
        value, _, binary = glb.read(SAMPLE / 'humanoid.glb')
        value['images'] = [{'uri': 'data:,'}]
        value['textures'] = [{'source': 0}]
        for material in value['materials']:
            material['pbrMetallicRoughness']['baseColorTexture'] = {'index': 0}
        self.file('a.glb', glb.assemble(value, binary))
        page = self.page_of('a.glb')
        # The program embeds or refuses what a file refers to; a page made by hand need not.
        text = page.read_text()
        inner = base64.b64decode(text.split('id="model0">')[1].split('<')[0])
        outer = inner.replace(b'"data:,"', b'"//x/y" ')
        self.assertNotEqual(inner, outer)
        page.write_text(
            text.replace(base64.b64encode(inner).decode(), base64.b64encode(outer).decode())
        )
        self.assertTrue(self.open(page)['ready'])


def with_twins(path, target):
    """The file with every primitive twice, each with vertices of its own."""
    value, _, binary = glb.read(path)
    binary = bytearray(binary)

    def twin(index):
        accessor = dict(value['accessors'][index])
        view = dict(value['bufferViews'][accessor['bufferView']])
        start = view.get('byteOffset', 0)
        binary.extend(b'\0' * (-len(binary) % 4))
        view['byteOffset'] = len(binary)
        binary.extend(binary[start : start + view['byteLength']])
        value['bufferViews'].append(view)
        accessor['bufferView'] = len(value['bufferViews']) - 1
        value['accessors'].append(accessor)
        return len(value['accessors']) - 1

    for mesh in value['meshes']:
        for primitive in list(mesh['primitives']):
            copy = dict(primitive, indices=twin(primitive['indices']))
            copy['attributes'] = {k: twin(i) for k, i in primitive['attributes'].items()}
            mesh['primitives'].append(copy)
    value['buffers'][0]['byteLength'] = len(binary)
    target.write_bytes(glb.assemble(value, bytes(binary)))
    return target


class Size(Preview):
    def test_a_large_file_opens_soon_and_stays_small(self):
        source = corpus.CORPUS / 'gltf' / 'KayKit-Game-Assets__Barbarian.glb'
        if not source.is_file():
            self.skipTest('no corpus')
        path = with_twins(source, self.folder / 'Barbarian_twice.glb')
        info = self.run_json('info', path, '--json')
        self.assertEqual(len(info['clips']), 76)
        self.assertGreaterEqual(sum(m['vertices'] for m in info['meshes']), 10000)
        single = self.open(self.page_of(source), countWork=True)['work']
        page = self.page_of(path)
        size, data = page.stat().st_size, path.stat().st_size
        self.assertLessEqual(size, 1.5 * data + (1 << 20))
        # Counted: a time would measure the machine. Twice the meshes, at most twice the work.
        twice = self.open(page, countWork=True)['work']
        print(f'{path.name}: {size / data:.2f} x data, blocks run: {single} -> {twice}')
        self.assertLess(twice, 2 * single)


if __name__ == '__main__':
    unittest.main(warnings='ignore')
