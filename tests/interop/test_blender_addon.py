# SPDX-License-Identifier: MIT
"""The add-on for Blender: each operator on a sample that Blender's importer brought in, against the
command line's bake of the sample file; undo; rigs with constraints and drivers."""
import math
import shutil
import unittest

from addon_test import DYNAMIC, FPS, SKIN, STRETCH, TOLERANCE_M, AddonTest
from clipmill_process import SAMPLES

DYNAMIC_FBX = SAMPLES / 'dynamic-bones' / 'humanoid.fbx'
FAT = SAMPLES / 'self-collision' / 'humanoid_fat.glb'
TAIL = {'root': 'Tail1', 'preset': 'tail'}


class BlenderAddon(AddonTest):
    script = 'blender_addon.py'

    def test_dynamic_bones_of_chosen_chains_and_undo(self):
        result = self.results['dynamic_bones']
        self.assertEqual(result['status'], ['FINISHED'])
        self.assertEqual(sorted(result['roots']), ['Tail1', 'Whip1'])
        whip = {'root': 'Whip1', 'preset': 'rope', 'damping_ratio': 0.8}
        chains = {'Tail1': TAIL, 'Whip1': whip}
        settings = {'chain': [chains[root] for root in result['roots']]}
        expected = self.baked(DYNAMIC, 'dynamic-bones', settings, 'Walk')
        self.assert_near('dynamic bones', result['heads'], expected)
        self.assert_rotations('dynamic bones', result, DYNAMIC, 'Walk')
        self.assert_moved(DYNAMIC, 'Walk', result['heads'], 0.02)
        for path in result['changed']:
            self.assertRegex(path, r'^pose\.bones\["(Tail|Whip)\d+"\]\.rotation_quaternion')
        self.assertTrue(result['is_restored'])
        self.assertEqual(result['chains_left'], 2)

    def test_all_actions_at_once(self):
        result = self.results['batch']
        for clip in ('Walk', 'WalkForward', 'Run', 'Idle'):
            expected = self.baked(DYNAMIC, 'dynamic-bones', {'chain': [TAIL]}, clip)
            self.assert_near(f'batch, {clip}', result['heads'][clip], expected)

    def test_an_fbx_file_in_centimetres_with_euler_angles(self):
        result = self.results['fbx_in_euler']
        self.assertIn('XYZ', result['modes'])
        expected = self.baked(DYNAMIC_FBX, 'dynamic-bones', {'chain': [TAIL]}, 'Walk')
        self.assert_near('FBX', result['heads'], expected)
        self.assert_rotations('FBX', result, DYNAMIC_FBX, 'Walk')

    def test_stretch_to_an_empty_and_to_the_cursor(self):
        result = self.results['stretch']
        for name, point in (('empty', [1.0, 0.0, 4.0]), ('cursor', [0.0, 0.0, 5.0])):
            expected = self.baked(STRETCH, 'stretch', {'to_m': point}, 'Leap')
            self.assert_near(f'stretch to {name}', result[name], expected)
            if name == 'empty':
                self.assert_rotations('stretch', result, STRETCH, 'Leap')
            root = result[name][-1]['Root']
            self.assertLess(math.dist(root[::2], point[::2]), TOLERANCE_M)

    def test_self_collision_and_the_frames_of_a_check(self):
        result = self.results['self_collision']
        expected = self.baked(FAT, 'self-collision', {}, 'ArmsThroughBelly')
        self.assert_near('self-collision', result['heads'], expected)
        self.assert_rotations('self-collision', result, FAT, 'ArmsThroughBelly')
        arms = [f for f in result['findings'] if 'arm - trunk' in f[2]]
        self.assertEqual(len(arms), 2, result['findings'])
        for _, frame, text in arms:
            self.assertLess(abs(self.depth_at(frame, text.split(':')[0]) - 9.9), 0.1, text)
        self.assertEqual(result['jumped'], result['findings'][0][1])
        self.assertFalse([f for f in result['left'] if 'arm - trunk' in f[2]])

    def depth_at(self, frame, pair):
        """The largest depth within half a frame of a frame, in percent of the height. The arms are
        inside for many frames of nearly the same depth."""
        span = ('--start-s', str((frame - 0.5) / FPS), '--end-s', str((frame + 0.5) / FPS))
        self.run_clipmill('trim', FAT, '-o', 'part.glb', '--clip', 'ArmsThroughBelly', *span, '-q')
        check = self.run_json('check', 'part.glb', '--clip', 'ArmsThroughBelly', '--json')
        pairs = check['clips'][0]['limb_pairs']
        return next(p['max_penetration_percent'] for p in pairs if p['pair'] == pair)

    def test_shape_keys_of_a_skin(self):
        result = self.results['tet_bake']
        self.assertEqual(result['status'], [['FINISHED']] * 2)
        self.assertEqual(result['names'][0], 'Basis')
        self.assertEqual(result['curves'], len(result['names']) - 1)
        self.assertEqual(len(set(result['names'])), len(result['names']))
        self.assertTrue(result['is_restored'])
        settings = {'twist_joints': 'off', 'normals': False}
        self.baked(SKIN, 'tet-bake', settings, 'ForearmTwist')
        for frame, points in result['frames']:
            self.assert_vertices('baked.glb', 'ForearmTwist', frame / FPS, points)

    def test_a_check_sees_the_shape_keys_of_a_bake(self):
        self.baked(SKIN, 'tet-bake', {'twist_joints': 'off', 'normals': False}, 'ForearmTwist')
        volumes = [self.volumes_of(path) for path in (SKIN, 'baked.glb')]
        self.assertNotEqual(*volumes)
        self.assertEqual(sorted(self.results['tet_bake']['volumes']), volumes[1])

    def volumes_of(self, path):
        """Sentences of the panel for the joints of a file that lose volume."""
        (clip,) = self.run_json('check', path, '--clip', 'ForearmTwist', '--json')['clips']
        volumes = {limb['joint']: limb['min_percent'] for limb in clip['limb_volumes']}
        return sorted(
            f'{joint} has {percent:.0f} % of its volume'
            for joint, percent in volumes.items() if percent is not None and percent < 98.0
        )

    def test_clips_of_a_file(self):
        result = self.results['retarget']
        recipe = {'clip_from': str(STRETCH), 'clip_from_clip': 'Leap'}
        expected = self.baked(SKIN, None, {}, 'Leap', input=recipe)
        self.assert_near('retarget', result['heads'], expected)
        self.assertTrue(result['are_others_kept'])

    def test_constraints_and_drivers_stay(self):
        result = self.results['rigged']
        self.assertTrue(result['are_rules_kept'])
        for path in result['changed']:
            self.assertRegex(path, r'^pose\.bones\["Tail\d+"\]\.rotation_quaternion')
        # Blender's exporter samples the rig as it is shown.
        shutil.copy(self.results_folder / 'rigged.glb', self.folder)
        expected = self.baked(
            self.folder / 'rigged.glb', 'dynamic-bones', {'chain': [TAIL]}, '0'
        )
        self.assert_near('rig', result['heads'], expected)

    def test_motion_of_the_object_is_root_motion(self):
        result = self.results['moving_object']
        self.assertEqual({path.split('[')[0] for path in result['changed']}, {'location'})
        start, end = result['worlds']
        self.assertAlmostEqual(math.dist(start, end), 5.0, delta=TOLERANCE_M)
        # Down the y axis of a parent that is rotated by 0.5 about z.
        along = [5 * math.sin(0.5), -5 * math.cos(0.5), 0.0]
        self.assertLess(math.dist([e - s for s, e in zip(start, end)], along), TOLERANCE_M)
        self.assertEqual(result['messages'], [])

    def test_a_driver_that_overrides_the_bake_is_reported(self):
        messages = self.results['driven_chain']['messages']
        overridden = [m for m in messages if 'drivers override the keys of Tail2' in m]
        self.assertTrue(overridden, messages)

    def test_errors_are_sentences_and_change_nothing(self):
        result = self.results['errors']
        self.assertIn("'Tail1'", result['refused'])
        self.assertIn('nowhere', result['missing'])
        self.assertTrue(result['is_kept'])


if __name__ == '__main__':
    unittest.main(warnings='ignore')
