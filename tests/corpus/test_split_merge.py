# SPDX-License-Identifier: MIT
"""Real files taken apart into clips, and put together again."""
import unittest

import corpus
from clipmill_process import ProcessTest

ROBOT = corpus.CORPUS / 'gltf' / 'raysan5__robot.glb'
FOX = corpus.CORPUS / 'gltf' / 'bevyengine__Fox.glb'
CLIPS = 14


class SplitAndMerge(ProcessTest):
    def test_fourteen_clips_split_off_and_merged_are_the_same(self):
        # Names of its joints repeat: three are called Foot.L.
        self.run_clipmill('split', ROBOT, '-o', '{}.glb', '-q', '--keys', 'all')
        parts = self.files()
        self.assertEqual(len(parts), CLIPS)
        self.run_clipmill('merge', *parts, '-o', 'all.glb', '-q', '--keys', 'all')
        clips = self.run_json('info', 'all.glb', '--json')['clips']
        self.assertEqual(len(clips), CLIPS)
        self.run_clipmill('diff', ROBOT, 'all.glb', '--fps', 24, '--tolerance-mm', 0.01)

    def test_a_fox_mirrored_twice_is_the_fox(self):
        self.run_clipmill('mirror', FOX, '-o', 'once.glb', '-q', '--keys', 'all')
        self.run_clipmill('diff', FOX, 'once.glb', '--tolerance-mm', 100, exit_code=4)
        self.run_clipmill('mirror', 'once.glb', '-o', 'twice.glb', '-q', '--keys', 'all')
        self.run_clipmill('diff', FOX, 'twice.glb', '--fps', 30, '--tolerance-mm', 0.05)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
