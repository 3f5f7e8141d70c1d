# SPDX-License-Identifier: MIT
"""All 76 clips of a stout figure whose arms rest inside its body, in one run."""
import json
import unittest

import corpus
from clipmill_process import ProcessTest

BARBARIAN = corpus.CORPUS / 'gltf/KayKit-Game-Assets__Barbarian.glb'

DEPTHS = (
    'limb_vertices_inside_percent',
    'frames_deeper_percent',
    'midpoints_deeper_percent',
    'deepest_percent',
    'deep_runs',
)
JERKS = ('shoulder_jerk_radps3', 'hip_jerk_radps3')


class Barbarian(ProcessTest):
    def free(self, output, threads):
        self.run_clipmill(
            'self-collision', BARBARIAN, '-o', output, '--report', 'report.json', '-q',
            '-j', threads,
        )  # fmt: skip
        report = json.loads((self.folder / 'report.json').read_text())
        return report['clips'], (self.folder / output).read_bytes()

    def test_no_clip_gets_worse_and_hardly_a_frame_stays_deep(self):
        clips, two_threads = self.free('two.glb', 2)
        self.assertEqual(len(clips), 76)
        deep_before = deep_after = 0.0
        for clip in clips:
            metrics = clip['stages'][0]['metrics']
            before, after = metrics['before'], metrics['after']
            deep_before += clip['frames'] * before['frames_deeper_percent'] / 100.0
            deep_after += clip['frames'] * after['frames_deeper_percent'] / 100.0
            codes = [warning['code'] for warning in clip['stages'][0]['warnings']]
            with self.subTest(clip=clip['clip']):
                for name in DEPTHS:
                    self.assertLessEqual(after[name], before[name], name)
                for name in JERKS:
                    self.assertLessEqual(after[name], 1.1 * before[name] + 1e-6, name)
                self.assertNotIn('jerk_above_limit', codes)
                kept = after.get('contacts_kept_percent', 100.0)
                self.assertGreaterEqual(kept, 95.0)
                # A contact that is given up is told.
                self.assertEqual(kept < 100.0, 'contact_given_up' in codes)
        self.assertGreater(deep_before, 2000.0)
        self.assertLessEqual(deep_after, deep_before / 20.0)

        _, one_thread = self.free('one.glb', 1)
        self.assertEqual(one_thread, two_threads)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
