# SPDX-License-Identifier: MIT
"""Planted feet of blended, appended and retimed clips drift no more than those of the clips
that they are made of, or a warning reports it."""
import json
import unittest

import corpus
from clipmill_process import SAMPLES, ProcessTest

GLTF = corpus.CORPUS / 'gltf'
MANNEQUINY = GLTF / 'gdquest-demos__godot-csharp' / 'mannequiny-0.3.0.glb'
BARBARIAN = GLTF / 'KayKit-Game-Assets__Barbarian.glb'
HUMANOID = SAMPLES / 'dynamic-bones' / 'humanoid.glb'
PAIRS = [
    (MANNEQUINY, 'idle', 'fight_idle'),
    (BARBARIAN, 'Walking_A', 'Running_A'),
    (MANNEQUINY, 'walk', 'run'),
    (MANNEQUINY, 'idle', 'dash'),
    (HUMANOID, 'WalkForward', 'Idle'),
]
MORE_MM = 5.0


class BlendedFeet(ProcessTest):
    def drift(self, path, clip):
        check = self.run_json('check', path, '--clip', clip, '--json')['clips'][0]
        return check['measures']['planted_drift_mm']

    def stage_of(self, *command):
        self.run_clipmill(*command, '-o', 'out.glb', '--report', 'report.json', '-q')
        report = json.loads((self.folder / 'report.json').read_text())
        return report['clips'][0]['stages'][0]

    def check_pair(self, path, first, second, *command):
        before = max(self.drift(path, clip) or 0.0 for clip in (first, second))
        stage = self.stage_of(*command)
        after = self.drift('out.glb', first)
        reported = stage['metrics']['after']['planted_drift_mm']
        codes = {warning['code'] for warning in stage['warnings']}
        print(f'{command[0]} {first} {second}: {before:.1f} -> {after:.1f} mm {sorted(codes)}')
        self.assertLess(abs(reported - after), 0.5 + 0.02 * after)
        self.assertEqual(reported > before + MORE_MM, 'feet_slide' in codes)
        return before, after

    def check_lock(self, command):
        """The lock holds most pairs, and never makes one worse than without it."""
        held = drifting = 0
        for path, first, second in PAIRS:
            with self.subTest(first=first, second=second):
                line = (command, path, '--clip', first, '--with', second)
                before, after = self.check_pair(path, first, second, *line)
                self.run_clipmill(*line, '--feet', 'off', '-o', 'out.glb', '-q')
                without = self.drift('out.glb', first)
                self.assertLessEqual(after, max(before + MORE_MM, without))
                held += after <= before + MORE_MM
                drifting += without > before + MORE_MM and after < without
        self.assertGreaterEqual(held, 3)
        self.assertGreaterEqual(drifting, 1)  # pairs that drift without the lock

    def test_fades(self):
        self.check_lock('blend')

    def test_clips_that_are_appended(self):
        self.check_lock('concat')

    def test_clips_that_are_retimed(self):
        for path, first, _ in PAIRS:
            before = self.drift(path, first)
            for scale in ('0.7', '1.5', '2'):
                with self.subTest(clip=first, scale=scale):
                    retime = ('retime', path, '--clip', first, '--time-scale', scale)
                    self.run_clipmill(*retime, '-o', 'out.glb', '-q')
                    self.assertLess(self.drift('out.glb', first), before + MORE_MM)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
