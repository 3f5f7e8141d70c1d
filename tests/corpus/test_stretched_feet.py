# SPDX-License-Identifier: MIT
"""Feet and knees of clips that are stretched, measured on the written files by an independent
evaluator."""
import math
import re
import unittest

import corpus
import foot_slide
from clipmill_process import SAMPLES
from stretched_clips import FACTORS, KNEES, LIMIT_OF_DRIFT_MM, LIMIT_OF_KNEES, StretchedClips
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


class StretchedFeet(StretchedClips):
    """Each clip is converted, stretched and checked once for all tests."""

    def results(self, path, clip):
        """(factor, stretched file, report of its clip), in one run."""
        net_m = self.check(path, clip)['measures']['root_net_m']
        results = self.stretched(path, clip, tuple(factor * net_m for factor in FACTORS))
        return [(factor, *result) for factor, result in zip(FACTORS, results)]

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
            for factor, target, stage in self.results(path, clip):
                with self.subTest(clip=clip, factor=factor):
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
            for factor, target, stage in self.results(path, clip):
                with self.subTest(clip=clip, factor=factor):
                    after = self.check(target, clip)['measures']['planted_drift_mm']
                    codes = {warning['code'] for warning in stage['warnings']}
                    if source is None or after is None:
                        self.assertIn('no_contacts', codes)
                    elif after > source + LIMIT_OF_DRIFT_MM:
                        self.assertIn('feet_slide', codes)

    def test_knees_accelerate_no_more_than_limited(self):
        count = 0
        for path, clip in self.sources():
            source = self.knee_acceleration(path, clip)
            for factor, target, stage in self.results(path, clip):
                with self.subTest(clip=clip, factor=factor):
                    ratio = self.knee_acceleration(target, clip) / source
                    print(f'{clip} x{factor}: {source:.0f} m/s^2, x {ratio:.2f}')
                    self.assertLess(ratio, LIMIT_OF_KNEES)
                    count += 1
        self.assertEqual(count, len(CLIPS) * len(FACTORS))

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
