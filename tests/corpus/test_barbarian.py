# SPDX-License-Identifier: MIT
"""All 76 clips of a stout character whose arms rest inside its body, in one run."""
import json
import unittest

import corpus
from clipmill_process import ProcessTest

BARBARIAN = corpus.CORPUS / 'gltf/KayKit-Game-Assets__Barbarian.glb'

DEPTHS = (
    'penetrating_vertices_percent',
    'penetrating_frames_percent',
    'penetrating_midpoints_percent',
    'max_penetration_percent',
    'penetration_intervals',
)
JERKS = tuple(joint + '_jerk_radps3' for joint in ('shoulder', 'elbow', 'hip', 'knee'))


class Barbarian(ProcessTest):
    def free(self, output, threads):
        self.run_clipmill(
            'self-collision', BARBARIAN, '-o', output, '--report', 'report.json', '-q',
            '-j', threads,
        )  # fmt: skip
        report = json.loads((self.folder / 'report.json').read_text())
        return report['clips'], (self.folder / output).read_bytes()

    def test_no_clip_is_worse_and_few_frames_still_penetrate(self):
        clips, two_threads = self.free('two.glb', 2)
        self.assertEqual(len(clips), 76)
        penetrating_before = penetrating_after = 0.0
        for clip in clips:
            metrics = clip['stages'][0]['metrics']
            before, after = metrics['before'], metrics['after']
            penetrating_before += clip['frames'] * before['penetrating_frames_percent'] / 100.0
            penetrating_after += clip['frames'] * after['penetrating_frames_percent'] / 100.0
            codes = [warning['code'] for warning in clip['stages'][0]['warnings']]
            with self.subTest(clip=clip['clip']):
                for name in DEPTHS:
                    self.assertLessEqual(after[name], before[name], name)
                for name in JERKS:
                    self.assertLessEqual(after[name], 1.1 * before[name] + 1e-6, name)
                for code in ('jerk_above_limit', 'rotation_limit', 'leg_move_limit'):
                    self.assertNotIn(code, codes)
                self.assertLessEqual(after['max_rotation_deg'], 60.0)
                kept = after.get('contacts_kept_percent', 100.0)
                self.assertGreaterEqual(kept, 95.0)
                # A contact that is dropped is reported.
                self.assertEqual(kept < 100.0, 'contact_dropped' in codes)
        self.assertGreater(penetrating_before, 2000.0)
        self.assertLessEqual(penetrating_after, penetrating_before / 20.0)

        _, one_thread = self.free('one.glb', 1)
        self.assertEqual(one_thread, two_threads)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
