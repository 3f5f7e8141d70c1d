# SPDX-License-Identifier: MIT
"""Reduced rotation keys as normalized 16-bit integers."""
import json
import unittest

import glb
from clipmill_process import SAMPLES, ProcessTest

HERO = SAMPLES / 'tet-bake' / 'humanoid.glb'
CLIPS = SAMPLES / 'stretch' / 'humanoid.glb'
FLOAT, SHORT = 5126, 5122


def rotations(path):
    """(bytes, component types) of the rotation keys of a file."""
    document, _, _ = glb.read(path)
    sizes = {FLOAT: 16, SHORT: 8}
    outputs = {
        animation['samplers'][channel['sampler']]['output']
        for animation in document['animations']
        for channel in animation['channels']
        if channel['target']['path'] == 'rotation'
    }
    accessors = [document['accessors'][index] for index in outputs]
    for accessor in accessors:
        assert accessor['type'] == 'VEC4'
        assert accessor.get('normalized', False) == (accessor['componentType'] == SHORT)
    size = sum(a['count'] * sizes[a['componentType']] for a in accessors)
    return size, {a['componentType'] for a in accessors}


class ShortRotations(ProcessTest):
    def merge(self, name, *options):
        self.run_clipmill(
            *('merge', HERO, CLIPS, '-o', name, '--no-penetration', '-q'),
            *('--report', 'r.json', *options),
        )
        report = json.loads((self.folder / 'r.json').read_text())
        return max(clip['keys']['worst_error_mm'] for clip in report['clips'])

    def test_they_take_fewer_bytes_at_the_same_tolerance(self):
        self.merge('floats.glb', '--key-tolerance-mm', 0.5)
        worst = self.merge('shorts.glb', '--key-tolerance-mm', 0.5, '--short-rotations')
        self.assertLessEqual(worst, 0.5)
        floats, float_types = rotations(self.folder / 'floats.glb')
        shorts, short_types = rotations(self.folder / 'shorts.glb')
        self.assertEqual(float_types, {FLOAT})
        self.assertIn(SHORT, short_types)
        self.assertLess(shorts, 0.75 * floats)
        # Two files that are each within 0.5 mm of the same motion.
        self.run_clipmill('diff', 'floats.glb', 'shorts.glb', '--tolerance-mm', 1.0)

    def test_a_tolerance_that_they_do_not_allow_keeps_floats(self):
        worst = self.merge('out.glb', '--key-tolerance-mm', 0.005, '--short-rotations')
        self.assertLessEqual(worst, 0.005)
        self.assertEqual(rotations(self.folder / 'out.glb')[1], {FLOAT})

    def test_joints_near_the_tips_have_them_where_others_keep_floats(self):
        worst = self.merge('out.glb', '--key-tolerance-mm', 0.08, '--short-rotations')
        self.assertLessEqual(worst, 0.08)
        self.assertEqual(rotations(self.folder / 'out.glb')[1], {FLOAT, SHORT})


class SingleKeys(ProcessTest):
    def test_equal_ones_are_stored_once(self):
        self.run_clipmill('mirror', CLIPS, '-o', 'out.glb', '-q')
        document, _, binary = glb.read(self.folder / 'out.glb')
        values = []
        used = {s['output'] for a in document['animations'] for s in a['samplers']}
        for index in used:
            accessor = document['accessors'][index]
            if accessor['count'] == 1:
                values.append((accessor['type'], str(glb.rows(document, binary, index))))
        self.assertGreater(len(values), 0)
        self.assertEqual(len(values), len(set(values)))


if __name__ == '__main__':
    unittest.main(warnings='ignore')
