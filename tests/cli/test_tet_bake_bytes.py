# SPDX-License-Identifier: MIT
"""`clipmill tet-bake` as a process: its output does not depend on the number of threads."""
import json
import unittest

import glb
from clipmill_process import SAMPLES, ProcessTest

SAMPLE = SAMPLES / 'tet-bake' / 'humanoid.glb'


class TetBakeBytes(ProcessTest):
    def test_the_output_has_the_same_bytes_for_any_number_of_threads(self):
        for suffix in ('.glb', '.fbx'):
            written = set()
            for threads in (1, 2, 8):
                output = self.folder / f'baked{threads}{suffix}'
                self.run_clipmill('tet-bake', SAMPLE, '-o', output, '-j', threads, '-q')
                written.add(output.read_bytes())
            self.assertEqual(len(written), 1, suffix)
            self.assertGreater(len(written.pop()), SAMPLE.stat().st_size)

    def test_the_report_compares_the_bake_with_plain_and_dual_quaternion_skinning(self):
        self.run_clipmill('tet-bake', SAMPLE, '-o', 'baked.glb', '--report', 'report.json', '-q')
        for clip in json.loads((self.folder / 'report.json').read_text())['clips']:
            metrics = clip['stages'][0]['metrics']
            dual = metrics['after']['dual_quaternion_error_rms_mm']
            # Baked skin is much nearer to the solved one than dual quaternions are.
            self.assertLess(4 * metrics['after']['skin_error_rms_mm'], dual)
            self.assertLess(dual, 10.0)
            for side in ('before', 'after'):
                self.assertGreater(metrics[side]['min_limb_volume_percent'], 90.0)
            self.assertGreater(
                metrics['after']['dual_quaternion_min_limb_volume_percent'],
                metrics['before']['min_limb_volume_percent'],
            )

    def test_a_file_without_a_skin_is_refused(self):
        self.file('chain.glb', glb.swinging_chain())
        process = self.run_clipmill('tet-bake', 'chain.glb', '-o', 'out.glb', exit_code=None)
        self.assertOneSentence(process.stderr, 'skin')
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(self.files(), ['chain.glb'])


if __name__ == '__main__':
    unittest.main()
