# SPDX-License-Identifier: MIT
"""Clips of many files on one character: names, feet, root motion, report, sheet and page."""
import json
import pathlib
import unittest

import mixamo_character
import png
from clipmill_process import PROGRAM, ROOT, SAMPLES, ProcessTest

HERO = SAMPLES / 'tet-bake' / 'humanoid.glb'
WALK = ROOT / 'tests' / 'corpus' / 'files' / 'walk.vrma'


class Merge(ProcessTest):
    def setUp(self):
        super().setUp()
        self.file('mixamo.glb', mixamo_character.character())
        self.run_clipmill('split', 'mixamo.glb', '-o', 'Ch@{}.glb')

    def added(self, *arguments, exit_code=0):
        """Names of the clips that a merge adds; its messages are in self.messages."""
        own = [c['name'] for c in self.run_json('info', HERO, '--json')['clips']]
        process = self.run_clipmill(
            'merge', HERO, *arguments, '-o', 'all.glb', exit_code=exit_code
        )
        self.messages = process.stderr
        names = [c['name'] for c in self.run_json('info', 'all.glb', '--json')['clips']]
        self.assertEqual(names[: len(own)], own)
        return names[len(own) :]

    def test_clips_are_named_after_files_by_a_pattern(self):
        files = ['Ch@Walk.glb', 'Ch@Idle.glb']
        self.assertEqual(self.added(*files), ['Ch@Walk', 'Ch@Idle'])
        self.assertEqual(self.added(*files, '--strip-prefix', '*@'), ['Walk', 'Idle'])
        self.assertEqual(self.added(*files, 'Ch@Walk.glb'), ['Ch@Walk', 'Ch@Idle', 'Ch@Walk_2'])
        self.assertIn('name of another one', self.messages)
        self.assertEqual(
            self.added(*files, '--names', 'M_{file}_{clip}', '--strip-prefix', 'Ch@'),
            ['M_Walk_Walk', 'M_Idle_Idle'],
        )
        self.assertEqual(self.added('mixamo.glb'), ['mixamo_Walk', 'mixamo_Idle'])

    def test_a_merge_is_a_run_with_clip_from_byte_for_byte(self):
        for source in ('Ch@Walk.glb', WALK):
            for feet, keep in (('auto', ['--keep-feet']), ('off', [])):
                with self.subTest((source, feet)):
                    self.added(source, '--names', 'clip', '--feet', feet)
                    self.run_clipmill(
                        *('run', HERO, '--clip-from', source, *keep, '-o', 'run.glb')
                    )
                    self.assertEqual(
                        (self.folder / 'run.glb').read_bytes(),
                        (self.folder / 'all.glb').read_bytes(),
                    )

    def test_the_summary_has_feet_before_and_after_and_penetration(self):
        self.added(WALK, '--report', 'merge.json')
        stage = json.loads((self.folder / 'merge.json').read_text())['clips'][0]['stages'][0]
        self.assertEqual(stage['type'], 'merge')
        before, after = (stage['metrics'][when] for when in ('before', 'after'))
        self.assertLess(after['planted_drift_mm'], before['planted_drift_mm'])
        self.assertIn('max_penetration_percent', after)
        self.assertIn('drift of planted feet', self.messages)
        self.assertIn('largest penetration depth', self.messages)
        self.added(WALK, '--no-penetration')
        self.assertNotIn('largest penetration depth', self.messages)

    def test_the_report_maps_every_joint_with_its_confidence(self):
        self.added('Ch@Walk.glb', 'Ch@Idle.glb', '--report', 'merge.json')
        report = json.loads((self.folder / 'merge.json').read_text())
        self.assertEqual(len(report['mappings']), 1)
        mapping = report['mappings'][0]
        self.assertEqual((mapping['by'], mapping['files']), ('roles', 2))
        joints = {j['role']: j for j in mapping['joints'] if j['role']}
        self.assertEqual(joints['leftLowerArm']['source'], 'mixamorig:LeftForeArm')
        self.assertEqual(joints['leftLowerArm']['joint'], 'LeftForeArm')
        self.assertGreater(min(j['confidence'] for j in joints.values()), 0.7)
        self.assertIn('2 files mapped by roles', self.messages)

    def test_root_motion_stays_or_is_removed_as_by_the_stage_root(self):
        self.added('Ch@Walk.glb', '--names', 'clip', '--in-place')
        self.file('root.toml', '[[stage]]\ntype = "root"\nroot_motion = "in_place"\n')
        self.run_clipmill(
            *('run', HERO, '--clip-from', 'Ch@Walk.glb', '--keep-feet'),
            *('--recipe', 'root.toml', '-o', 'run.glb'),
        )
        self.assertEqual(
            (self.folder / 'run.glb').read_bytes(), (self.folder / 'all.glb').read_bytes()
        )
        check = self.run_json('check', 'all.glb', '--clip', 'Walk', '--json')['clips'][0]
        self.assertLess(check['measures']['root_net_m'], 0.05)
        error = self.run_clipmill(
            *('merge', HERO, 'Ch@Walk.glb', '-o', 'x.glb'),
            *('--in-place', '--root-motion', 'extract'),
            exit_code=2,
        )
        self.assertIn('--root-motion', error.stderr)

    def test_self_collision_in_the_same_pass_is_the_stage(self):
        self.added('Ch@Idle.glb', '--names', 'clip', '--self-collision', '--report', 'r.json')
        self.file('free.toml', '[[stage]]\ntype = "self-collision"\n')
        self.run_clipmill(
            *('run', HERO, '--clip-from', 'Ch@Idle.glb', '--keep-feet'),
            *('--recipe', 'free.toml', '-o', 'run.glb'),
        )
        self.assertEqual(
            (self.folder / 'run.glb').read_bytes(), (self.folder / 'all.glb').read_bytes()
        )
        report = json.loads((self.folder / 'r.json').read_text())
        kinds = [stage['type'] for stage in report['clips'][0]['stages']]
        self.assertEqual(kinds, ['merge', 'self-collision'])

    def test_a_sheet_has_a_row_for_each_clip(self):
        files = ['Ch@Walk.glb', 'Ch@Idle.glb']
        self.added(*files, '--sheet', 'all.png')
        self.added(files[0], '--sheet', 'one.png')
        heights = [png.size(self.folder / name)[1] for name in ('one.png', 'all.png')]
        self.assertGreater(heights[1], 1.6 * heights[0])
        process = self.run_clipmill(
            'merge', HERO, files[0], '-o', 'x.glb', '--sheet', 'x.jpg', exit_code=2
        )
        self.assertOneSentence(process.stderr, 'x.jpg')
        self.assertNotIn('x.glb', self.files())

    def test_a_page_plays_the_clips(self):
        viewer = pathlib.Path(PROGRAM).resolve().parents[1] / 'share/clipmill/viewer.html'
        if not viewer.is_file():
            self.skipTest('the viewer page is not built')
        self.added('Ch@Walk.glb', 'Ch@Idle.glb', '--preview', 'all.html')
        self.assertGreater((self.folder / 'all.html').stat().st_size, 10000)

    def test_files_that_fail_are_left_out_on_demand(self):
        self.file('broken.glb', b'glTF')
        process = self.run_clipmill(
            'merge', HERO, 'broken.glb', 'Ch@Walk.glb', '-o', 'x.glb', exit_code=3
        )
        self.assertOneSentence(process.stderr, 'broken.glb')
        names = self.added('broken.glb', 'Ch@Walk.glb', '--keep-going', exit_code=1)
        self.assertEqual(names, ['Ch@Walk'])
        self.assertIn('broken.glb', self.messages)

    def test_progress_counts_files(self):
        process = self.run_clipmill(
            *('merge', HERO, 'Ch@Walk.glb', 'Ch@Idle.glb', '-o', 'x.glb'),
            *('--progress', 'json', '-j', 1, '-q'),
        )
        steps = [json.loads(line) for line in process.stderr.splitlines()]
        merge = [(s['done'], s['total']) for s in steps if s['step'] == 'merge']
        self.assertEqual(merge, [(0, 2), (1, 2)])

    def test_a_hero_of_another_format_becomes_that_of_the_output(self):
        hero = SAMPLES / 'stretch' / 'humanoid.fbx'
        self.run_clipmill('merge', hero, 'Ch@Walk.glb', '-o', 'hero.glb', '--names', 'clip')
        self.run_clipmill('convert', hero, '-o', 'plain.glb')
        self.run_clipmill('merge', 'plain.glb', 'Ch@Walk.glb', '-o', 'two.glb', '--names', 'clip')
        self.run_clipmill('diff', 'hero.glb', 'two.glb', '--fps', 30, '--tolerance-mm', 0.5)
        self.run_clipmill('run', hero, '--clip-from', 'Ch@Walk.glb', '--keep-feet', '-o', 'r.glb')
        self.run_clipmill('diff', 'hero.glb', 'r.glb', '--fps', 30, '--tolerance-mm', 0.5)


if __name__ == '__main__':
    unittest.main(warnings='ignore')
