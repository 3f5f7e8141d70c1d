# SPDX-License-Identifier: MIT
"""The add-on for Blender on characters of other projects, which Blender's importers brought in,
against the command line's bakes of their files."""
import math
import unittest

import corpus
from addon_test import DYNAMIC, AddonTest

BARBARIAN = corpus.CORPUS / 'gltf' / 'KayKit-Game-Assets__Barbarian.glb'
KENNEY = corpus.FBX / 'maya_kenney_character_7700_binary.fbx'
MANNEQUIN = corpus.CORPUS / 'gltf' / 'gdquest-demos__godot-csharp' / 'mannequiny-0.3.0.glb'
FOX = corpus.CORPUS / 'gltf' / 'bevyengine__Fox.glb'
PLAYER = corpus.CORPUS / 'gltf' / 'godotengine__player.glb'
SAUSAGE = corpus.FBX / 'maya_game_sausage_7500_binary_wiggle.fbx'
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

    def test_clips_that_start_at_the_second_frame_and_three_meshes(self):
        result = self.results['mannequin']
        self.assertEqual(result['status'], [['FINISHED']] * 2)
        expected = self.baked(MANNEQUIN, 'stretch', {'to_m': [0.0, 0.0, 2.0], 'feet': 'off'}, 'run')
        self.assert_near('stretch', result['heads'], expected)
        settings = {'twist_joints': 'off', 'normals': False}
        self.baked(MANNEQUIN, 'tet-bake', settings, 'fight_punch')
        self.assertGreater(len(result['vertices']), 5000)
        self.assert_vertices('baked.glb', 'fight_punch', 9 / 30, result['vertices'])

    def test_a_fox_of_150_units(self):
        result = self.results['fox']
        self.assertEqual(result['status'], ['FINISHED'])
        lengths = [m for m in result['messages'] if 'changes its length' in m]
        self.assertEqual(lengths, [])
        chain = {'root': 'b_Tail01_012', 'preset': 'tail'}
        for clip, seen in result['heads'].items():
            expected = self.baked(FOX, 'dynamic-bones', {'chain': [chain]}, clip, fps=24)
            self.assert_near(f'tail, {clip}', seen, expected)

    def test_a_walk_of_another_project_on_a_robot(self):
        result = self.results['player']
        self.assertEqual(result['status'], ['FINISHED'])
        source = {'clip_from': str(BARBARIAN), 'clip_from_clip': 'Walking_A', 'keep_feet': True}
        expected = self.baked(PLAYER, None, {}, 'Walking_A', input=source)
        # A knee of a leg that is nearly straight lies on either side of it by rounding.
        self.assert_near('retarget', without_knees(result['heads']), expected)

    def test_joints_of_an_fbx_file_swing(self):
        result = self.results['sausage']
        self.assertEqual(result['status'], ['FINISHED'])
        (clip,) = [c['name'] for c in self.run_json('info', SAUSAGE, '--json')['clips']]
        # The add-on sends whole frames; the curves of the file are not linear between them.
        self.run_clipmill(
            *('convert', SAUSAGE, '-o', 'linear.glb', '--keys', 'all', '--fps', '24', '-q')
        )
        settings = {'chain': [{'root': 'joint1', 'preset': 'antenna'}]}
        linear = self.folder / 'linear.glb'
        expected = self.baked(linear, 'dynamic-bones', settings, clip, fps=24)
        self.assert_near('swing', result['heads'], expected)


def without_knees(frames):
    return [{n: p for n, p in heads.items() if n not in ('l-leg', 'r-leg')} for heads in frames]


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings='ignore')
