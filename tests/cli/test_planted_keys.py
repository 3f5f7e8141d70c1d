# SPDX-License-Identifier: MIT
"""Planted feet keep their own tolerance of keys."""
import json
import math
import unittest

from clipmill_process import SAMPLES, ProcessTest

WALKS = SAMPLES / 'dynamic-bones' / 'humanoid.glb'
PLANTED_MM = 0.1


class PlantedKeys(ProcessTest):
    def poses(self, path, times):
        """{joint: [position in metres at each time]}"""
        poses = self.run_json(
            *('poses', path, '--clip', 'WalkForward', '--space', 'metric', '--json'),
            *('--times', ','.join(map(repr, times))),
        )
        world = poses['clips'][0]['world']
        return {
            path.split('/')[-1]: [[row[node][3], row[node][7], row[node][11]] for row in world]
            for node, path in enumerate(poses['nodes'])
        }

    def walk(self, output, *options):
        self.run_clipmill(
            *('stretch', WALKS, '--clip', 'WalkForward', '--distance-m', 2, '-o', output),
            *('--report', 'r.json', *options),
        )
        clip = json.loads((self.folder / 'r.json').read_text())['clips'][0]
        return clip['keys']

    def test_planted_feet_keep_their_position_in_a_clip_of_five_millimetres(self):
        self.walk('all.glb', '--keys', 'all')
        loose = self.walk('loose.glb', '--key-tolerance-mm', 5, '--planted-tolerance-mm', 5)
        held = self.walk('held.glb', '--key-tolerance-mm', 5)
        tight = self.walk('tight.glb', '--key-tolerance-mm', PLANTED_MM)
        self.assertNotIn('planted_error_mm', loose)
        self.assertLessEqual(held['planted_error_mm'], PLANTED_MM)
        self.assertGreater(held['worst_error_mm'], 1.0)
        self.assertLess(loose['after'], held['after'])
        self.assertLess(held['after'], tight['after'])
        self.assertEqual(len(held['error_histogram']), 10)
        spans = self.run_json('check', 'all.glb', '--clip', 'WalkForward', '--json')['clips'][0][
            'contacts'
        ]
        worst = {'loose.glb': 0.0, 'held.glb': 0.0}
        for span in spans:
            if 'ball' not in span['part']:
                continue
            joint = ('Left' if 'left' in span['part'] else 'Right') + 'ToeBase'
            first, last = math.ceil(span['start_s'] * 60), math.floor(span['end_s'] * 60)
            times = [k / 60 for k in range(first, last + 1)]
            exact = self.poses('all.glb', times)[joint]
            for name in worst:
                off = [math.dist(a, b) for a, b in zip(exact, self.poses(name, times)[joint])]
                worst[name] = max(worst[name], 1e3 * max(off))
        print('balls of planted feet are off by %s mm' % worst)
        self.assertLess(worst['held.glb'], 1.05 * PLANTED_MM)
        self.assertGreater(worst['loose.glb'], 5 * PLANTED_MM)


if __name__ == '__main__':
    unittest.main(warnings='ignore')
