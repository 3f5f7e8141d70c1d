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
        self.check_independently(ROBOT, self.folder / 'all.glb')

    def check_independently(self, before, after):
        """The same channels, and the same poses, in the eyes of another reader."""
        import numpy as np

        evaluator = corpus.evaluator()
        files = [evaluator.Gltf(str(path)) for path in (before, after)]
        channels = [self.channels(file) for file in files]
        self.assertEqual(channels[0], channels[1])
        poses = [evaluator.evaluate(file) for file in files]
        paths = [file['nodes'] for file in poses]
        self.assertEqual(sorted(paths[0]), sorted(paths[1]))
        # The merged file has its nodes in another order.
        order = [paths[1].index(path) for path in paths[0]]
        others = {clip['name']: clip for clip in poses[1]['clips']}
        worst = 0.0
        for clip in poses[0]['clips']:
            other = others[clip['name']]
            self.assertEqual(len(clip['times']), len(other['times']))
            apart = np.array(clip['world']) - np.array(other['world'])[:, order]
            worst = max(worst, float(np.abs(apart).max()))
        size = float(np.ptp(np.array(poses[0]['clips'][0]['world'])[0, :, 3::4]))
        print('%d clips, %.3g of the size apart' % (len(others), worst / size))
        self.assertLess(worst / size, 1e-5)

    def channels(self, file):
        """{clip: {(node, path)}}"""
        return {
            animation['name']: {
                (file.path(channel['target']['node']), channel['target']['path'])
                for channel in animation['channels']
            }
            for animation in file.json['animations']
        }

    def test_a_fox_mirrored_twice_is_the_fox(self):
        self.run_clipmill('mirror', FOX, '-o', 'once.glb', '-q', '--keys', 'all')
        self.run_clipmill('diff', FOX, 'once.glb', '--tolerance-mm', 100, exit_code=4)
        self.run_clipmill('mirror', 'once.glb', '-o', 'twice.glb', '-q', '--keys', 'all')
        self.run_clipmill('diff', FOX, 'twice.glb', '--fps', 30, '--tolerance-mm', 0.05)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
