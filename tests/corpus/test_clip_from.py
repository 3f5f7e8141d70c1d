# SPDX-License-Identifier: MIT
"""Clips of real files on characters of other real files: limbs, feet and positions."""
import json
import struct
import unittest

import corpus
from clipmill_process import SAMPLES, ProcessTest
from test_bvh import JUMP, BvhFile

VRM = corpus.CORPUS / 'vrm'
GLTF = corpus.CORPUS / 'gltf'
CHARACTERS = {
    SAMPLES / 'dynamic-bones' / 'humanoid.glb': 'jump.glb',
    SAMPLES / 'dynamic-bones' / 'humanoid.fbx': 'jump.fbx',
    GLTF / 'gdquest-demos__godot-csharp' / 'mannequiny-0.3.0.glb': 'jump.glb',
    GLTF / 'KayKit-Game-Assets__Barbarian.glb': 'jump.glb',
    corpus.FBX / 'maya_kenney_character_7700_binary.fbx': 'jump.fbx',
    VRM / 'V-Sekai__Godette_vrm_v4.vrm': 'jump.vrm',
}
LIMBS = [
    (side + part, side + end, bvh.replace('?', side.title()), bvh_end.replace('?', side.title()))
    for side in ('left', 'right')
    for part, end, bvh, bvh_end in (
        ('UpperArm', 'LowerArm', '?Arm', '?ForeArm'),
        ('LowerArm', 'Hand', '?ForeArm', '?Hand'),
        ('UpperLeg', 'LowerLeg', '?UpLeg', '?Leg'),
        ('LowerLeg', 'Foot', '?Leg', '?Foot'),
    )
]
FRAMES = range(0, 654, 13)


class ClipFrom(ProcessTest):
    def positions_of(self, path, clip, times):
        """{role: times x 3} in metres, y up."""
        import numpy as np

        poses = self.run_json(
            *('poses', path, '--clip', clip, '--space', 'metric', '--json'),
            *('--times', ','.join(map(repr, times))),
        )
        world = np.array(poses['clips'][0]['world'])[:, :, 3::4]
        roles = self.run_json('info', path, '--json')['humanoid']['roles']
        return {role: world[:, node] for role, node in roles.items()}

    def test_limbs_point_where_those_of_the_motion_capture_do(self):
        import numpy as np

        bvh = BvhFile(JUMP)
        # The file has z up and the character walks roughly along -y: the comparison does not
        # depend on that.
        source = bvh.positions()[list(FRAMES)][:, :, [0, 2, 1]] * [1, 1, -1]
        times = [k * bvh.frame_s for k in FRAMES]
        for character, output in CHARACTERS.items():
            with self.subTest(character.name):
                arguments = ['run', character, '--clip-from', JUMP, '-o', output]
                self.run_clipmill(*arguments, '--key-tolerance-mm', '0.02', '-q')
                got = self.positions_of(output, 'jumping', times)
                self.check_limbs(source, bvh.names, got)
                self.check_feet(character, got)

    def check_limbs(self, source, names, got):
        import numpy as np

        def direction(points, a, b):
            offset = points[b] - points[a]
            return offset / np.linalg.norm(offset, axis=-1, keepdims=True)

        by_name = {name: source[:, k] for k, name in enumerate(names)}
        wanted = np.stack([direction(by_name, a, b) for _, _, a, b in LIMBS], axis=1)
        found = np.stack([direction(got, a, b) for a, b, _, _ in LIMBS], axis=1)
        # Angles between every two limbs, and of each with the vertical.
        relative = np.einsum('fak,fbk->fab', wanted, wanted)
        self.assertLess(np.abs(relative - np.einsum('fak,fbk->fab', found, found)).max(), 2e-3)
        self.assertLess(np.abs(wanted[..., 1] - found[..., 1]).max(), 2e-3)

    def check_feet(self, character, got):
        """Both feet on the floor before and after the jump, and in the air in between."""
        import numpy as np

        feet = np.minimum(got['leftFoot'][:, 1], got['rightFoot'][:, 1])
        leg = np.linalg.norm(got['leftUpperLeg'] - got['leftLowerLeg'], axis=1)[0]
        leg += np.linalg.norm(got['leftLowerLeg'] - got['leftFoot'], axis=1)[0]
        height = np.abs(feet[0] - feet[-1]) / leg
        print('%s: legs of %.2f m, ankles at %.3f m' % (character.name, leg, feet[0]))
        self.assertLess(height, 0.05)
        self.assertLess(abs(feet.min() - np.median(feet)), 0.1 * leg)
        self.assertGreater(feet.max() - feet[0], 0.2 * leg)
        self.assertGreater(feet[0], -0.02 * leg)

    def test_planted_feet_are_held_and_hands_keep_their_positions(self):
        import numpy as np

        character = GLTF / 'gdquest-demos__godot-csharp' / 'mannequiny-0.3.0.glb'
        times = [k / 30 for k in range(0, 150)]
        bvh = BvhFile(JUMP)
        arguments = ['run', character, '--clip-from', JUMP]
        arguments += ['--key-tolerance-mm', '0.02', '-q', '-o']
        self.run_clipmill(*arguments, 'plain.glb')
        self.run_clipmill(*arguments, 'kept.glb', '--keep-feet', '--keep-hands')
        source = bvh.positions()[:, :, [0, 2, 1]] * [1, 1, -1]
        by_name = {name: source[:, k] for k, name in enumerate(bvh.names)}
        frames = [round(t / bvh.frame_s) for t in times]
        arm = np.linalg.norm(by_name['LeftArm'] - by_name['LeftForeArm'], axis=1)[0]
        arm += np.linalg.norm(by_name['LeftForeArm'] - by_name['LeftHand'], axis=1)[0]
        wanted = np.linalg.norm(by_name['LeftHand'] - by_name['RightHand'], axis=1)[frames] / arm
        apart, skate = {}, {}
        for name in ('plain', 'kept'):
            got = self.positions_of(name + '.glb', 'jumping', times)
            reach = np.linalg.norm(got['leftUpperArm'] - got['leftLowerArm'], axis=1)[0]
            reach += np.linalg.norm(got['leftLowerArm'] - got['leftHand'], axis=1)[0]
            found = np.linalg.norm(got['leftHand'] - got['rightHand'], axis=1) / reach
            apart[name] = np.abs(found - wanted).max()
            check = self.run_json('check', name + '.glb', '--clip', 'jumping', '--json', '-q')
            skate[name] = check['clips'][0]['measures']['planted_drift_mm']
        print('hands off by %s arms, feet drift %s mm' % (apart, skate))
        self.assertLess(apart['kept'], 0.25 * apart['plain'])
        self.assertLess(skate['kept'], 0.5 * skate['plain'])

    def test_feet_that_hang_on_the_root_are_at_the_ends_of_legs(self):
        import numpy as np

        robot = GLTF / 'raysan5__robot.glb'
        bvh = BvhFile(JUMP)
        source = bvh.positions()[list(FRAMES)][:, :, [0, 2, 1]] * [1, 1, -1]
        times = [k * bvh.frame_s for k in FRAMES]
        drift = {}
        for output, options in (('plain.glb', ()), ('kept.glb', ('--keep-feet',))):
            self.run_clipmill(
                *('run', robot, '--clip-from', JUMP, '-o', output, '-q', *options),
                *('--key-tolerance-mm', '0.02'),
            )
            got = self.positions_of(output, 'jumping', times)
            for side in ('left', 'right'):
                shin = np.linalg.norm(got[side + 'LowerLeg'] - got[side + 'Foot'], axis=1)
                self.assertLess(np.ptp(shin) / shin.mean(), 1e-3)
            if not options:
                self.check_limbs(source, bvh.names, got)
            check = self.run_json('check', output, '--clip', 'jumping', '--json', '-q')
            drift[output] = check['clips'][0]['measures']['planted_drift_mm']
        print('robot: feet drift %s mm' % drift)
        self.assertLess(drift['kept.glb'], 0.5 * drift['plain.glb'])

    def test_hands_kept_in_a_stout_body_are_reported_with_the_numbers_of_check(self):
        barbarian = GLTF / 'KayKit-Game-Assets__Barbarian.glb'
        frames, stderr = {}, {}
        for output, options in (('plain.glb', ()), ('kept.glb', ('--keep-hands',))):
            stderr[output] = self.run_clipmill(
                *('run', barbarian, '--clip-from', JUMP, '-o', output, '--keys', 'all', *options)
            ).stderr
            check = self.run_json('check', output, '--clip', 'jumping', '--json', '-q')
            pairs = check['clips'][0]['limb_pairs']
            frames[output] = {p['pair']: p['penetrating_frames_percent'] for p in pairs}
        plain, kept = frames['plain.glb'], frames['kept.glb']
        worse = [pair for pair in plain if kept[pair] > plain[pair] + 0.01]
        self.assertTrue(worse)
        first = worse[0]
        self.assertIn(
            f'first at jumping: {first}, in {plain[first]:.0f} % of the frames before '
            f'and {kept[first]:.0f} % after',
            stderr['kept.glb'],
        )
        self.assertNotIn('keep_hands', stderr['plain.glb'])

    def test_a_clip_of_the_file_itself_is_unchanged(self):
        import numpy as np

        barbarian = GLTF / 'KayKit-Game-Assets__Barbarian.glb'
        humanoid = SAMPLES / 'stretch' / 'humanoid.fbx'
        for character, clip in ((barbarian, 'Cheer'), (humanoid, 'Leap')):
            with self.subTest(character.name):
                output = 'self' + character.suffix
                self.run_clipmill(
                    *('run', character, '--clip-from', character, '--clip-from-clip', clip),
                    *('--keys', 'all', '-o', output, '-q'),
                )
                a, b = (
                    np.array(
                        self.run_json(
                            *('poses', output, '--clip', name, '--space', 'metric', '--fps', '30'),
                            '--json',
                        )['clips'][0]['world']
                    ).reshape(-1, 3, 4)
                    for name in (clip, clip + '_2')
                )
                self.assertEqual(a.shape, b.shape)
                size = np.ptp(a[:, :, 3], axis=0).max()
                self.assertLess(np.abs(a[:, :, 3] - b[:, :, 3]).max() / size, 1e-5)
                axes = a[:, :, :3] / np.linalg.norm(a[:, :, :3], axis=1, keepdims=True)
                other_axes = b[:, :, :3] / np.linalg.norm(b[:, :, :3], axis=1, keepdims=True)
                self.assertLess(np.degrees(np.abs(axes - other_axes).max()), 1e-4)

    def test_a_vrm_animation_moves_characters_of_both_versions(self):
        import numpy as np

        vrma = VRM / 'pixiv__test.vrma'
        times = np.linspace(0.0, 3.0, 31).tolist()
        source = self.positions_of(vrma, '0', times)
        # The expression 'happy' of the first moves no morph.
        left_out = 'its motion is left out (1x, first at happy)'
        characters = {
            'saturday06__debug_robot.vrm': (1, left_out, 0.0),
            # Its arms droop by 0.0409 in its declared T-pose; players add this too.
            'V-Sekai__Godette_vrm_v4.vrm': (-1, '', 0.041),
        }
        for character, (sign, warning, droop) in characters.items():
            with self.subTest(character):
                arguments = ['run', VRM / character, '--clip-from', vrma, '-o', 'out.vrm']
                warnings = self.run_clipmill(*arguments, '--key-tolerance-mm', '0.02').stderr
                self.assertIn(warning, warnings)
                self.assertEqual('left out' in warnings, bool(warning))
                got = self.positions_of('out.vrm', '0', times)
                for a, b in (('rightUpperArm', 'rightHand'), ('leftUpperArm', 'leftHand')):
                    wanted = source[b] - source[a]
                    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
                    found = got[b] - got[a]
                    found /= np.linalg.norm(found, axis=1, keepdims=True)
                    # Characters of VRM 0.x face the other offset.
                    found = found * [sign, 1, sign]
                    self.assertLess(np.abs(wanted - found).max(), 5e-3 + droop)
                moved = np.ptp(source['rightHand'], axis=0).max()
                self.assertGreater(moved, 0.1)
                # All the rest of the file is unchanged.
                self.check_members(VRM / character, self.folder / 'out.vrm')

    def check_members(self, before, after):
        a, b = (self.json_of(path) for path in (before, after))
        for member in ('nodes', 'meshes', 'materials', 'extensions', 'scenes', 'skins'):
            self.assertEqual(a.get(member), b.get(member), member)
        self.assertEqual(len(b['animations']), 1 + len(a.get('animations', [])))

    def json_of(self, path):
        content = path.read_bytes()
        (length,) = struct.unpack_from('<I', content, 12)
        return json.loads(content[20 : 20 + length])

    def test_a_source_without_a_human_character_is_refused(self):
        fox = GLTF / 'bevyengine__Fox.glb'
        stderr = self.run_clipmill(
            'run', fox, '--clip-from', JUMP, '-o', 'x.glb', '-q', exit_code=3
        ).stderr
        self.assertIn('no human character', stderr)
        self.assertIn('a human character with 22 roles', stderr)
        self.assertEqual(self.files(), [])


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
