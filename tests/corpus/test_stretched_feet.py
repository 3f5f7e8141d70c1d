# SPDX-License-Identifier: MIT
"""Feet and knees of clips that are stretched, measured on the written files by an independent
evaluator."""
import json
import math
import pathlib
import re
import tempfile
import unittest

import corpus
import foot_slide
from clipmill_process import SAMPLES, ProcessTest
from joint_paths import GltfPaths
from test_bvh import JUMP

GLTF = corpus.CORPUS / 'gltf'
MANNEQUINY = GLTF / 'gdquest-demos__godot-csharp' / 'mannequiny-0.3.0.glb'
BARBARIAN = GLTF / 'KayKit-Game-Assets__Barbarian.glb'
# Every clip of the corpus and of the samples in which a character with legs travels.
CLIPS = [
    (MANNEQUINY, 'dash'),
    (BARBARIAN, 'Dodge_Forward'),
    (BARBARIAN, 'Dodge_Backward'),
    (BARBARIAN, 'Dodge_Left'),
    (BARBARIAN, 'Dodge_Right'),
    (JUMP, 'jumping'),
    (SAMPLES / 'dynamic-bones' / 'humanoid.glb', 'WalkForward'),
    (SAMPLES / 'stretch' / 'humanoid.glb', 'Leap'),
    (SAMPLES / 'stretch' / 'humanoid.glb', 'Lunge'),
]
PLAYER = GLTF / 'godotengine__player.glb'
ROBOT = GLTF / 'raysan5__robot.glb'
# Every walk and run on the spot; they travel as far as their ground moves, times a factor.
ON_SPOT = [
    *((BARBARIAN, f'Walking_{kind}') for kind in ('A', 'B', 'C', 'Backwards')),
    *((BARBARIAN, f'Running_{kind}') for kind in ('A', 'B', 'Strafe_Left', 'Strafe_Right')),
    *((path, clip) for path in (MANNEQUINY, PLAYER) for clip in ('walk', 'run')),
    (ROBOT, 'Robot_Walking'),
    (ROBOT, 'Robot_Running'),
    (SAMPLES / 'dynamic-bones' / 'humanoid.glb', 'Walk'),
    (SAMPLES / 'dynamic-bones' / 'humanoid.glb', 'Run'),
]
FACTORS = (0.7, 1.5, 2.0)
KNEES = ('leftLowerLeg', 'rightLowerLeg')
SAMPLES_PER_SECOND = foot_slide.SAMPLES_PER_SECOND
STEPS_OF_ACCELERATION = SAMPLES_PER_SECOND // 30
LIMIT_OF_KNEES = 1.5
LIMIT_OF_DRIFT_MM = 5.0


class StretchedFeet(ProcessTest):
    """Each clip is converted, stretched and checked once for all tests."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix='clipmill-test-')
        cls.addClassCleanup(holder.cleanup)
        cls.shared, cls.known = pathlib.Path(holder.name), {}

    def once(self, make, *key):
        """What `make` returns for `key` (a function and its arguments)."""
        if key not in self.known:
            self.known[key] = make()
        return self.known[key]

    def paths(self, path, clip, roles):
        """The times, at 120 samples a second, and {role: positions}, by the evaluator."""
        info = self.once(lambda: self.run_json('info', path, '--json'), 'info', path)
        span = next(c for c in info['clips'] if c['name'] == clip)
        times = foot_slide.times_of(span['start_s'], span['end_s'])
        names = {node['id']: node['name'] for node in info['nodes']}
        joints = info['humanoid']['roles']
        wanted = {role: names[joints[role]] for role in roles if role in joints}
        found = GltfPaths(path).positions(clip, times, list(wanted.values()))
        return times, {role: found[name] for role, name in wanted.items()}

    def knee_acceleration(self, path, clip):
        _, knees = self.paths(path, clip, KNEES)
        return self.acceleration_of(knees)

    def acceleration_of(self, paths):
        """The largest acceleration of a knee over steps of 1/30 s."""
        import numpy

        knees = {role: paths[role] for role in KNEES}
        k = STEPS_OF_ACCELERATION
        step = (k / SAMPLES_PER_SECOND) ** 2
        return max(
            numpy.linalg.norm(p[2 * k :] - 2 * p[k:-k] + p[: -2 * k], axis=1).max() / step
            for p in knees.values()
        )

    def check(self, path, clip):
        def make():
            return self.run_json('check', path, '--clip', clip, '--json')['clips'][0]

        return self.once(make, 'check', path, clip)

    def stretched(self, path, clip, factor):
        """The stretched file, and the report of its clip."""

        def make():
            target = self.shared / f'{path.stem}-{clip}-{factor}.glb'
            net_m = self.check(path, clip)['measures']['root_net_m']
            distance = ('--distance-m', repr(factor * net_m), '--report', 'report.json', '-q')
            self.run_clipmill('stretch', path, '--clip', clip, '-o', target, *distance)
            report = json.loads((self.folder / 'report.json').read_text())
            return target, report['clips'][0]['stages'][0]

        return self.once(make, 'stretch', path, clip, factor)

    def as_glb(self, path):
        def make():
            target = self.shared / (path.stem + '.glb')
            self.run_clipmill('convert', path, '-o', target, '-q')
            return target

        return path if path.suffix == '.glb' else self.once(make, 'convert', path)

    def sources(self):
        """All clips, as GLB."""
        for path, clip in CLIPS:
            yield self.as_glb(path), clip

    def check_drifts(self, path, clip, check):
        """Drifts of the balls of the feet in the listed contacts, against the evaluator."""
        times, toes = self.paths(path, clip, ('leftToes', 'rightToes'))
        for span in check['contacts'] + check['ground_spans']:
            side, part = span['part'].split()
            if part != 'ball' or side + 'Toes' not in toes:
                continue
            drift_mm = foot_slide.drift_mm(toes[side + 'Toes'], times, span)
            self.assertLess(abs(drift_mm - span['drift_mm']), 0.5 + 0.05 * drift_mm, span)

    def test_check_report_and_evaluator_agree_about_planted_drift(self):
        for path, clip in self.sources():
            source = self.check(path, clip)
            for factor in FACTORS:
                with self.subTest(clip=clip, factor=factor):
                    target, stage = self.stretched(path, clip, factor)
                    result = self.check(target, clip)
                    for check, side in ((source, 'before'), (result, 'after')):
                        measured = check['measures']['planted_drift_mm']
                        reported = stage['metrics'][side]['planted_drift_mm']
                        self.assertEqual(measured is None, reported is None)
                        spans = check['contacts'] + check['ground_spans']
                        if measured is None:
                            self.assertEqual(spans, [])
                            continue
                        # Contacts may differ by a sample after keys are rounded and reduced.
                        self.assertLess(abs(measured - reported), 0.5 + 0.02 * measured)
                        self.assertEqual(measured, max(s['drift_mm'] for s in spans))
                    self.check_drifts(target, clip, result)

    def test_planted_feet_drift_no_more_than_in_the_source_or_a_warning_reports_it(self):
        for path, clip in self.sources():
            source = self.check(path, clip)['measures']['planted_drift_mm']
            for factor in FACTORS:
                with self.subTest(clip=clip, factor=factor):
                    target, stage = self.stretched(path, clip, factor)
                    after = self.check(target, clip)['measures']['planted_drift_mm']
                    codes = {warning['code'] for warning in stage['warnings']}
                    if source is None or after is None:
                        self.assertIn('no_contacts', codes)
                    elif after > source + LIMIT_OF_DRIFT_MM:
                        self.assertIn('feet_slide', codes)

    def test_knees_accelerate_no_more_than_limited_or_a_warning_reports_it(self):
        count = 0
        for path, clip in self.sources():
            source = self.knee_acceleration(path, clip)
            for factor in FACTORS:
                with self.subTest(clip=clip, factor=factor):
                    target, stage = self.stretched(path, clip, factor)
                    ratio = self.knee_acceleration(target, clip) / source
                    warned = [w for w in stage['warnings'] if w['code'] == 'knees_accelerate']
                    text = warned[0]['first'] if warned else ''
                    print(f'{clip} x{factor}: {source:.0f} m/s^2, x {ratio:.2f} {text}')
                    if ratio > LIMIT_OF_KNEES * 1.03:
                        self.assertRegex(text, r'frame \d+ \(\d')
                    if warned:
                        named = float(text.split(' times')[0].split()[-1])
                        self.assertLess(abs(named - ratio), 0.1 * ratio)
                    count += 1
        self.assertEqual(count, len(CLIPS) * len(FACTORS))

    def test_walks_on_the_spot_travel_on_planted_feet_or_warnings_report_it(self):
        import numpy

        held = 0
        for path, clip in ON_SPOT:
            before = self.check(path, clip)['measures']
            _, source = self.paths(path, clip, ('hips', *KNEES))
            for factor in FACTORS:
                with self.subTest(path=path.name, clip=clip, factor=factor):
                    distance_m = factor * before['treadmill_speed_mps'] * before['duration_s']
                    arguments = ('--distance-m', repr(distance_m), '--still', 'linear')
                    target = self.shared / f'{path.stem}-{clip}-{factor}-spot.glb'
                    self.run_clipmill(
                        *('stretch', path, '--clip', clip, *arguments),
                        *('-o', target, '--report', 'report.json', '-q'),
                    )
                    report = json.loads((self.folder / 'report.json').read_text())
                    codes = {w['code'] for w in report['clips'][0]['stages'][0]['warnings']}
                    after = self.check(target, clip)['measures']['planted_drift_mm']
                    _, result = self.paths(target, clip, ('hips', *KNEES))
                    ratio = self.acceleration_of(result) / self.acceleration_of(source)
                    limit = before['planted_drift_mm'] + LIMIT_OF_DRIFT_MM
                    text = 'none' if after is None else f'{after:.1f}'
                    print(f'{clip} x{factor}: {before["planted_drift_mm"]:.1f} -> {text} mm,')
                    print(f'  knees x {ratio:.2f}', *sorted(codes))
                    if after is None or after > limit:
                        self.assertTrue(codes & {'feet_slide', 'no_legs'})
                    if ratio > LIMIT_OF_KNEES * 1.03:
                        self.assertIn('knees_accelerate', codes)
                    self.assertFalse(codes & {'reversed_steps', 'stretched_far'})
                    held += after is not None and after <= limit and ratio <= LIMIT_OF_KNEES
                    # The body travels at one speed, apart from its sway on the spot.
                    travel = (result['hips'] - source['hips'])[:, [0, 2]]
                    even = numpy.linspace(0.0, 1.0, len(travel))[:, None] * travel[-1]
                    self.assertLess(numpy.abs(travel - even).max(), 0.002 + 0.001 * distance_m)
        print(f'{held} of {len(ON_SPOT) * len(FACTORS)} hold within the limits')
        self.assertGreaterEqual(held, 30)

    def test_a_jump_that_nets_little_has_a_window_to_type(self):
        self.run_clipmill('convert', JUMP, '-o', 'jump.glb', '-q')
        self.run_clipmill('stretch', 'jump.glb', '--distance-m', '0.06', '-o', 'tiny.glb', '-q')
        far = self.run_clipmill('stretch', 'tiny.glb', '--distance-m', '6', '-o', 'far.glb')
        window = re.search(r"--window '([^']*)'", far.stderr).group(1)
        self.run_clipmill('stretch', 'tiny.glb', '--window', window, '-o', 'far.glb', '-q')
        measures = self.check(self.folder / 'far.glb', 'jumping')['measures']
        self.assertLess(abs(measures['root_net_m'] - 6.0), 0.1)
        # Before the window nothing changes.
        start_s = float(re.search(r'start_s=([\d.]+)', window).group(1))
        self.assertGreater(start_s, 1.0)
        paths = [self.paths(self.folder / f, 'jumping', ('hips',)) for f in ('tiny.glb', 'far.glb')]
        for time, tiny, far in zip(paths[0][0], paths[0][1]['hips'], paths[1][1]['hips']):
            if time < start_s - 0.5:
                self.assertLess(math.dist(tiny, far), 1e-3)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
