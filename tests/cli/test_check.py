# SPDX-License-Identifier: MIT
"""What `clipmill check` measures and when it exits with 4; feet held by `clipmill stretch`."""
import json
import unittest

import glb
from clipmill_process import SAMPLES, ProcessTest

LEAP = SAMPLES / 'stretch' / 'humanoid.glb'
LEAP_FBX = SAMPLES / 'stretch' / 'humanoid.fbx'
FAT = SAMPLES / 'self-collision' / 'humanoid_fat.glb'
ELBOW = SAMPLES / 'tet-bake' / 'humanoid.glb'
WALK = SAMPLES / 'dynamic-bones' / 'humanoid.glb'


class Check(ProcessTest):
    def measures(self, *arguments):
        return self.run_json('check', *arguments, '--json')['clips'][0]['measures']

    def test_text_and_json_have_the_measures(self):
        text = self.run_clipmill('check', LEAP).stdout
        self.assertIn('Leap: root motion on Root', text)
        self.assertIn('foot_skate_cm', text)
        report = self.run_json('check', LEAP, '--json')
        self.assertEqual((report['schema'], report['limits']), (1, {}))
        self.assertEqual([clip['clip'] for clip in report['clips']], ['Leap', 'Lunge'])
        self.assertAlmostEqual(report['clips'][0]['measures']['root_net_m'], 3.0, 4)
        self.assertAlmostEqual(report['clips'][1]['measures']['root_net_m'], 0.3, 4)
        self.assertTrue(all(clip['exceeded'] == [] for clip in report['clips']))

    def test_fbx_and_glb_of_one_clip_have_the_same_measures(self):
        ours, theirs = self.measures(LEAP, '--clip', 'Leap'), self.measures(
            LEAP_FBX, '--clip', 'Leap'
        )
        for name, tolerance in (
            ('duration_s', 1e-3),
            ('root_path_m', 1e-3),
            ('foot_skate_cm', 0.01),
            ('planted_drift_mm', 0.2),
            ('airborne_gravity_mps2', 0.01),
        ):
            self.assertAlmostEqual(ours[name], theirs[name], delta=tolerance, msg=name)

    def test_an_exceeded_limit_is_named_and_ends_with_exit_code_4(self):
        walk = ('check', WALK, '--clip', 'WalkForward')
        self.run_clipmill(*walk, '--max-foot-skate-cm', '0.2', '--max-loop-seam-mm', '0.1')
        in_place = ('check', WALK, '--clip', 'Walk', '--max-treadmill-speed-mps', '0.2')
        text = self.run_clipmill(*in_place, exit_code=4).stdout
        self.assertIn('limit exceeded: treadmill_speed_mps', text)
        exceeded = self.run_json(*in_place, '--json', exit_code=4)['clips'][0]['exceeded']
        self.assertEqual([e['measure'] for e in exceeded], ['treadmill_speed_mps'])

    def flight(self):
        """The part of the leap in which both feet are in the air."""
        self.run_clipmill(
            'trim', LEAP, '--clip', 'Leap', '--start-s', '0.7', '--end-s', '1.3', '-o', 'air.glb'
        )
        return 'air.glb'

    def test_feet_without_contacts_are_not_measured_and_fail_their_limits(self):
        air = self.flight()
        clip = self.run_json('check', air, '--clip', 'Leap', '--json')['clips'][0]
        for name in ('foot_skate_cm', 'planted_drift_mm', 'treadmill_speed_mps'):
            self.assertIsNone(clip['measures'][name])
            self.assertEqual(clip['not_measured'][name], 'no contacts found')
            limit = '--max-' + name.replace('_', '-')
            text = self.run_clipmill(
                'check', air, '--clip', 'Leap', limit, '1000', exit_code=4
            ).stdout
            self.assertIn(f'{name} is not measured: no contacts found, the limit is 1000', text)
        text = self.run_clipmill('check', air, '--clip', 'Leap').stdout
        self.assertRegex(text, r'planted_drift_mm +not measured: no contacts found')

    def test_every_measure_without_a_value_has_a_reason(self):
        self.file('chain.glb', glb.swinging_chain())
        for path in ('chain.glb', LEAP, LEAP_FBX, WALK):
            for clip in self.run_json('check', path, '--json')['clips']:
                unset = {name for name, value in clip['measures'].items() if value is None}
                self.assertEqual(unset, set(clip['not_measured']))
                self.assertTrue(all(clip['not_measured'].values()))

    def test_reports_of_feet_without_contacts_have_null_and_a_warning(self):
        air, report = self.flight(), self.folder / 'report.json'
        stretch = ('stretch', air, '--clip', 'Leap', '--distance-m', '3', '-o', 'out.glb')
        self.run_clipmill(*stretch, '--report', report)
        clip = json.loads(report.read_text())['clips'][0]
        metrics = clip['stages'][0]['metrics']
        for side in ('before', 'after'):
            self.assertIsNone(metrics[side]['foot_skate_cm'])
            self.assertIsNone(metrics[side]['planted_drift_mm'])
        self.assertIn('no_contacts', report.read_text())
        process = self.run_clipmill(*stretch, '--feet', 'lock', exit_code=None)
        self.assertOneSentence(process.stderr, 'feet', 'no contact')

    def test_a_missing_measure_exceeds_its_limit(self):
        self.file('chain.glb', glb.swinging_chain())
        self.assertIn('no humanoid was found', self.run_clipmill('check', 'chain.glb').stdout)
        self.assertIsNone(self.measures('chain.glb')['foot_skate_cm'])
        self.run_clipmill('check', 'chain.glb', '--max-foot-skate-cm', '9', exit_code=4)

    def test_limb_penetration_of_a_large_belly_is_measured_for_each_pair(self):
        report = self.run_json('check', FAT, '--clip', 'ArmsThroughBelly', '--json')
        clip = report['clips'][0]
        measures = clip['measures']
        pairs = {pair['pair']: pair for pair in clip['limb_pairs']}
        self.assertEqual(len(pairs), 10)
        left, right = pairs['left arm - trunk'], pairs['right arm - trunk']
        # The wrists penetrate by 5 cm, nearly 3 % of the height, for a third of the clip.
        for arm in (left, right):
            self.assertGreater(arm['max_penetration_percent'], 2.8)
            self.assertGreater(arm['penetrating_frames_percent'], 33.0)
            self.assertGreater(arm['max_penetration_duration_s'], 0.6)
            # The arms go in, stay and come out again.
            self.assertTrue(0.3 < arm['max_penetration_at_s'] < 1.7, arm)
        self.assertEqual(pairs['left shin - right leg']['max_penetration_percent'], 0.0)
        largest = max(pair['max_penetration_percent'] for pair in pairs.values())
        self.assertEqual(measures['max_penetration_percent'], largest)
        self.assertGreaterEqual(
            measures['penetrating_frames_percent'], left['penetrating_frames_percent']
        )
        self.assertGreater(measures['penetrating_vertices_percent'], 1.0)
        text = self.run_clipmill('check', FAT, '--clip', 'ArmsThroughBelly').stdout
        self.assertIn('left arm - trunk: ', text)
        self.run_clipmill('check', FAT, '--max-penetrating-frames-percent', '1', exit_code=4)

    def test_joint_volumes_are_those_that_the_bake_reports(self):
        baked = self.folder / 'baked.glb'
        report = self.folder / 'report.json'
        self.run_clipmill('tet-bake', ELBOW, '-o', baked, '--report', report, '-q')
        reported = {c['clip']: c['stages'][0] for c in json.loads(report.read_text())['clips']}
        for path, side in ((ELBOW, 'before'), (baked, 'after')):
            for clip in self.run_json('check', path, '--json')['clips']:
                limbs = {limb['joint']: limb for limb in clip['limb_volumes']}
                arm = limbs['LeftForeArm']
                series = {
                    s['of']: s[side]
                    for s in reported[clip['clip']]['series']
                    if s['name'] == 'limb_volume_percent'
                }['LeftForeArm']
                self.assertAlmostEqual(arm['min_percent'], min(series), delta=0.05)
                frame = round(arm['min_at_s'] * 30)
                self.assertAlmostEqual(series[frame], min(series), delta=0.05)
                self.assertAlmostEqual(
                    clip['measures']['limb_volume_loss_percent'],
                    100 - min(limb['min_percent'] for limb in limbs.values()),
                    6,
                )
        text = self.run_clipmill('check', ELBOW, '--clip', 'ElbowBend').stdout
        self.assertIn('  LeftForeArm: 94.3 % of its volume at 1.33 s', text)
        self.run_clipmill('check', ELBOW, '--max-limb-volume-loss-percent', '4', exit_code=4)

    def test_a_file_without_a_skin_exceeds_limits_of_penetration(self):
        report = self.run_json('check', LEAP_FBX, '--json')
        self.assertNotIn('penetration_not_measured', report)
        self.file('chain.glb', glb.swinging_chain())
        report = self.run_json('check', 'chain.glb', '--json')
        self.assertIn('no mesh is skinned', report['penetration_not_measured'])
        self.run_clipmill('check', 'chain.glb', '--max-penetration-percent', '9', exit_code=4)

    def test_unreadable_meshes_leave_the_other_measures(self):
        value, _, binary = glb.read(FAT)
        value['meshes'][0]['primitives'][0]['attributes']['POSITION'] = 9999
        self.file('broken.glb', glb.assemble(value, binary))
        text = self.run_clipmill('check', 'broken.glb').stdout
        self.assertIn('arm_jerk_radps3', text)
        self.assertIn('limb penetration was not measured: ', text)
        self.assertRegex(text, r'max_penetration_percent +not measured: ')

    def test_wrong_usage_and_missing_files(self):
        self.run_clipmill('check', exit_code=2)
        self.run_clipmill('check', LEAP, '--max-foot-skate-cm', 'few', exit_code=2)
        self.assertOneSentence(
            self.run_clipmill('check', LEAP, '--clip', 'Leep', exit_code=3).stderr, 'Leep', 'Leap'
        )
        self.assertOneSentence(self.run_clipmill('check', 'no.glb', exit_code=3).stderr, 'no.glb')
        self.assertEqual(self.files(), [])


class StretchedFeet(ProcessTest):
    """Measures of stretched clips after they are written and read back."""

    def measures(self, *arguments):
        return self.run_json('check', *arguments, '--json')['clips'][0]['measures']

    def test_feet_of_a_stretched_leap_stay_planted(self):
        for source in (LEAP, LEAP_FBX):
            before = self.measures(source, '--clip', 'Leap')
            for distance, name in ((4, 'four'), (5, 'five')):
                held, free = (self.folder / (name + end + source.suffix) for end in ('', '_free'))
                stretch = ('stretch', source, '--clip', 'Leap', '--distance-m', str(distance))
                self.run_clipmill(*stretch, '-o', held)
                self.run_clipmill(*stretch, '--feet', 'off', '-o', free)
                after = self.measures(held, '--clip', 'Leap')
                slid = self.measures(free, '--clip', 'Leap')
                self.assertAlmostEqual(after['root_net_m'], distance, 3)
                self.assertLess(after['planted_drift_mm'], 5.0)
                self.assertLess(after['foot_skate_cm'], before['foot_skate_cm'] + 0.2)
                self.assertGreater(slid['planted_drift_mm'], 20.0)
                self.assertLess(
                    after['knee_acceleration_mps2'], 1.5 * before['knee_acceleration_mps2']
                )
                self.assertAlmostEqual(
                    after['airborne_gravity_mps2'],
                    before['airborne_gravity_mps2'],
                    delta=0.02 * before['airborne_gravity_mps2'],
                )

    def test_feet_of_an_fbx_in_centimetres_with_rrs_inheritance_are_locked(self):
        data = bytearray(LEAP_FBX.read_bytes())
        joints = 0
        start = data.find(b'InheritType')
        while start >= 0:
            # The value follows the type "enum" and two empty texts.
            value = data.index(b'I', data.index(b'enum', start)) + 1
            data[value : value + 4] = (2).to_bytes(4, 'little')
            joints += 1
            start = data.find(b'InheritType', value)
        self.assertGreater(joints, 15)
        (self.folder / 'rrs.fbx').write_bytes(data)
        self.run_clipmill('diff', LEAP_FBX, 'rrs.fbx', '--tolerance-mm', '0.001')
        report = self.folder / 'report.json'
        stretch = ('stretch', 'rrs.fbx', '--clip', 'Leap', '--distance-m', '5', '--feet', 'lock')
        self.run_clipmill(*stretch, '-o', 'five.fbx', '--report', report)
        after = self.measures('five.fbx', '--clip', 'Leap')
        self.assertAlmostEqual(after['root_net_m'], 5.0, 3)
        self.assertLess(after['planted_drift_mm'], 5.0)
        clip = json.loads(report.read_text())['clips'][0]
        # The root, and upper leg, lower leg and foot of both sides.
        self.assertGreaterEqual(clip['keys']['tracks'], 7)

    def test_a_stretched_walk_is_still_a_loop(self):
        self.run_clipmill(
            'stretch', WALK, '--clip', 'WalkForward', '--distance-m', '1.5', '-o', 'walk.glb'
        )
        after = self.measures('walk.glb', '--clip', 'WalkForward')
        self.assertAlmostEqual(after['root_net_m'], 1.5, 3)
        self.assertLess(after['planted_drift_mm'], 5.0)
        self.assertLess(after['loop_seam_mm'], 0.5)

    def test_locked_feet_without_a_humanoid_are_an_error(self):
        self.file('chain.glb', glb.swinging_chain())
        process = self.run_clipmill(
            'stretch',
            'chain.glb',
            '--distance-m',
            '1',
            '--still',
            'linear',
            '--feet',
            'lock',
            '-o',
            'out.glb',
            exit_code=None,
        )
        self.assertOneSentence(process.stderr, 'feet', 'no character')
        self.assertNotIn('out.glb', self.files())


if __name__ == '__main__':
    unittest.main()
