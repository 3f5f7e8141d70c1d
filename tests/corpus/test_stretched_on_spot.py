# SPDX-License-Identifier: MIT
"""Feet and knees of walks and runs on the spot that get a distance, measured on the written files
by an independent evaluator."""
import unittest

import corpus
from clipmill_process import SAMPLES
from stretched_clips import FACTORS, KNEES, LIMIT_OF_DRIFT_MM, LIMIT_OF_KNEES, StretchedClips

GLTF = corpus.CORPUS / 'gltf'
MANNEQUINY = GLTF / 'gdquest-demos__godot-csharp' / 'mannequiny-0.3.0.glb'
BARBARIAN = GLTF / 'KayKit-Game-Assets__Barbarian.glb'
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


class StretchedOnSpot(StretchedClips):
    def test_walks_on_the_spot_travel_on_planted_feet_or_warnings_report_it(self):
        import numpy

        held = 0
        for path, clip in ON_SPOT:
            before = self.check(path, clip)['measures']
            _, source = self.paths(path, clip, ('hips', *KNEES))
            ground_m = before['treadmill_speed_mps'] * before['duration_s']
            distances = tuple(factor * ground_m for factor in FACTORS)
            results = self.stretched(path, clip, distances, '--still', 'linear')
            for factor, distance_m, (target, stage) in zip(FACTORS, distances, results):
                with self.subTest(path=path.name, clip=clip, factor=factor):
                    codes = {w['code'] for w in stage['warnings']}
                    after = self.check(target, clip)['measures']['planted_drift_mm']
                    _, result = self.paths(target, clip, ('hips', *KNEES))
                    ratio = self.acceleration_of(result) / self.acceleration_of(source)
                    limit = before['planted_drift_mm'] + LIMIT_OF_DRIFT_MM
                    text = 'none' if after is None else f'{after:.1f}'
                    print(f'{clip} x{factor}: {before["planted_drift_mm"]:.1f} -> {text} mm,')
                    print(f'  knees x {ratio:.2f}', *sorted(codes))
                    if after is None or after > limit:
                        self.assertTrue(codes & {'feet_slide', 'no_legs'})
                    self.assertLess(ratio, LIMIT_OF_KNEES)
                    self.assertFalse(codes & {'reversed_steps', 'stretched_far'})
                    # Its feet are beside its body.
                    self.assertFalse(path == ROBOT and 'left_behind' in codes)
                    held += after is not None and after <= limit and ratio <= LIMIT_OF_KNEES
                    # The body travels at one speed, apart from its sway on the spot.
                    travel = (result['hips'] - source['hips'])[:, [0, 2]]
                    even = numpy.linspace(0.0, 1.0, len(travel))[:, None] * travel[-1]
                    self.assertLess(numpy.abs(travel - even).max(), 0.002 + 0.001 * distance_m)
        print(f'{held} of {len(ON_SPOT) * len(FACTORS)} hold within the limits')
        self.assertGreaterEqual(held, 34)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
