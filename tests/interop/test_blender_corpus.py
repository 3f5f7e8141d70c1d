# SPDX-License-Identifier: MIT
"""The add-on for Blender on characters of other projects, which Blender's importers brought in,
against the command line's bakes of their files."""
import math
import unittest

import corpus
from addon_test import DYNAMIC, AddonTest

BARBARIAN = corpus.CORPUS / 'gltf' / 'KayKit-Game-Assets__Barbarian.glb'
KENNEY = corpus.FBX / 'maya_kenney_character_7700_binary.fbx'
GODETTE = corpus.CORPUS / 'vrm' / 'V-Sekai__Godette_vrm_v4.vrm'


class BlenderCorpus(AddonTest):
    script = 'blender_corpus.py'

    def test_a_character_with_76_actions(self):
        result = self.results['barbarian']
        self.assertEqual(result['status'], [['FINISHED']] * 2)
        self.assertTrue([text for text in result['findings'] if 'arm - trunk' in text])
        expected = self.baked(BARBARIAN, 'self-collision', {}, 'Running_A')
        self.assert_near('self-collision', result['heads'], expected)
        self.assertEqual(result['actions'], 76)
        for clip, seen in result['batch'].items():
            expected = self.baked(BARBARIAN, 'mirror', {}, clip)
            self.assert_near(f'mirror, {clip}', seen, expected)
        print(f"76 actions in {result['batch_s']:.1f} s")

    def test_an_fbx_with_a_rig_of_controls(self):
        result = self.results['kenney']
        self.assertEqual(result['status'], ['FINISHED'])
        (clip,) = [c['name'] for c in self.run_json('info', KENNEY, '--json')['clips']]
        expected = self.baked(KENNEY, 'retime', {'time_scale': 0.5}, clip, fps=24)
        # Blender's importer ends the action at the last key, before the end of the clip, and its
        # rest pose is the bind pose, which this file's nodes are not in.
        self.assertEqual((len(result['heads']), len(expected)), (9, 11))
        self.assert_near('retime', result['heads'], expected[:9])

    def test_a_vrm_without_clips(self):
        result = self.results['godette']
        self.assertEqual(result['status'], [['FINISHED']] * 2)
        source = {'clip_from': str(DYNAMIC), 'clip_from_clip': 'Walk'}
        expected = self.baked(GODETTE, None, {}, 'Walk', input=source)
        self.assert_near('retarget', result['retargeted'], expected)
        settings = {'chain': [
            {'root': name, 'preset': 'ponytail'} for name in ('HairBall_L', 'HairBall_R')
        ]}
        expected = self.baked(GODETTE, 'dynamic-bones', settings, 'Walk', input=source)
        self.assert_near('hair', result['heads'], expected)
        moved = max(
            math.dist(was[name], point)
            for was, now in zip(result['retargeted'], result['heads'])
            for name, point in now.items()
        )
        self.assertGreater(moved, 1e-3)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings='ignore')
