# SPDX-License-Identifier: MIT
"""Root joints and IK bones that characters without them get."""
import math
import struct
import unittest

import glb
import mixamo_character
from clipmill_process import ProcessTest

TIMES = ','.join('%.9f' % (k / mixamo_character.FPS) for k in range(mixamo_character.FRAMES))
UNREAL = {  # bone: parent, and what it follows
    'ik_foot_root': ('root', 'root'),
    'ik_foot_l': ('ik_foot_root', 'mixamorig:LeftFoot'),
    'ik_foot_r': ('ik_foot_root', 'mixamorig:RightFoot'),
    'ik_hand_root': ('root', 'root'),
    'ik_hand_gun': ('ik_hand_root', 'mixamorig:RightHand'),
    'ik_hand_l': ('ik_hand_gun', 'mixamorig:LeftHand'),
    'ik_hand_r': ('ik_hand_gun', 'mixamorig:RightHand'),
}


class RootJoints(ProcessTest):
    def setUp(self):
        super().setUp()
        self.file('hero.glb', mixamo_character.character())
        self.run_clipmill('convert', 'hero.glb', '-o', 'hero.fbx')

    def worlds(self, path):
        """Paths of the nodes by name, and world matrices by clip and name."""
        poses = self.run_json(
            'poses', path, '--times', TIMES, '--space', 'metric', '--json'
        )  # fmt: skip
        names = [n.split('/')[-1] for n in poses['nodes']]
        clips = {
            clip['name']: [dict(zip(names, world)) for world in clip['world']]
            for clip in poses['clips']
        }
        return dict(zip(names, poses['nodes'])), clips

    @staticmethod
    def gap(a, b):
        return max(
            abs(x - y)
            for frame_a, frame_b in zip(a, b)
            for name in frame_a
            if name in frame_b
            for x, y in zip(frame_a[name], frame_b[name])
        )

    def test_a_root_joint_takes_the_root_motion_of_all_clips_and_worlds_stay(self):
        for source in ('hero.glb', 'hero.fbx'):
            with self.subTest(source):
                output = 'rooted_' + source
                self.run_clipmill('root', source, '-o', output, '--create', '--keys', 'all')
                paths, before = self.worlds(source)
                after_paths, after = self.worlds(output)
                self.assertEqual(len(after_paths), len(paths) + 1)
                self.assertTrue(after_paths['mixamorig:Hips'].endswith('root/mixamorig:Hips'))
                self.assertEqual(after.keys(), before.keys())
                for clip, frames in after.items():
                    self.assertLess(self.gap(before[clip], frames), 1e-5, clip)
                walk = [(frame['root'][3], frame['root'][7], frame['root'][11])
                        for frame in after['Walk']]  # fmt: skip
                self.assertLess(math.dist(walk[0], (0, 0, 0)), 1e-5)
                self.assertLess(math.dist(walk[-1], (0.5, 0.0, 2.0)), 0.02)
                # The hips do not move along the ground relative to the root.
                for frame in after['Walk']:
                    root, hips = frame['root'], frame['mixamorig:Hips']
                    offset = [hips[i] - root[i] for i in (3, 11)]
                    self.assertLess(math.hypot(*offset), 0.0101)

    def test_weights_and_inverse_binds_stay(self):
        self.run_clipmill('root', 'hero.glb', '-o', 'rooted.glb', '--create')
        a, _, bin_a = glb.read(self.folder / 'hero.glb')
        b, _, bin_b = glb.read(self.folder / 'rooted.glb')
        self.assertEqual(a['meshes'], b['meshes'])
        self.assertEqual(bin_b[: len(bin_a)], bin_a)
        count = len(mixamo_character.JOINTS)
        self.assertEqual(b['skins'][0]['joints'], [*range(count), len(a['nodes'])])
        self.assertEqual(b['skins'][0]['skeleton'], len(a['nodes']))

        def binds(value, binary):
            accessor = value['accessors'][value['skins'][0]['inverseBindMatrices']]
            view = value['bufferViews'][accessor['bufferView']]
            start = view.get('byteOffset', 0) + accessor.get('byteOffset', 0)
            return struct.unpack_from('<%df' % (16 * count), binary, start)

        self.assertEqual(binds(a, bin_a), binds(b, bin_b))

    def test_ik_bones_follow_hands_and_feet(self):
        for source in ('hero.glb', 'hero.fbx'):
            with self.subTest(source):
                output = 'ik_' + source
                flags = ('--create', '--ik-bones', 'unreal', '--keys', 'all')
                self.run_clipmill('root', source, '-o', output, *flags)
                paths, clips = self.worlds(output)
                for bone, (parent, _) in UNREAL.items():
                    self.assertEqual(paths[bone].split('/')[-2], parent)
                for frames in clips.values():
                    for frame in frames:
                        for bone, (_, followed) in UNREAL.items():
                            gap = max(abs(a - b) for a, b in zip(frame[bone], frame[followed]))
                            self.assertLess(gap, 1e-5, bone)
                # A second run finds the root and the bones, and adds none.
                again = 'again_' + source
                self.run_clipmill('root', output, '-o', again, '--ik-bones', 'unreal')
                self.assertEqual(self.worlds(again)[0], paths)

    def test_a_character_with_a_root_joint_is_refused(self):
        self.run_clipmill('root', 'hero.glb', '-o', 'rooted.glb', '--create')
        refusal = self.run_clipmill(
            'root', 'rooted.glb', '-o', 'twice.glb', '--create', '--root-joint', 'top', exit_code=2
        )
        self.assertOneSentence(refusal.stderr, "'root' above it")
        refusal = self.run_clipmill(
            'root', 'rooted.glb', '-o', 'twice.glb', '--create', exit_code=2
        )
        self.assertOneSentence(refusal.stderr, "has a node 'root' already")
        self.assertNotIn('twice.glb', self.files())


if __name__ == '__main__':
    unittest.main(warnings='ignore')
