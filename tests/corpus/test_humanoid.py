# SPDX-License-Identifier: MIT
"""Real characters: which node has which role, with the names of the file and without them."""
import json
import os
import pathlib
import subprocess
import unittest

import corpus
from clipmill_process import PROGRAM, SAMPLES, ProcessTest

FIND = os.environ.get(
    'CLIPMILL_FIND_HUMANOID',
    str(pathlib.Path(PROGRAM).parents[2] / 'tests' / 'corpus' / 'find_humanoid'),
)

# The roles that VRM 1.0 requires.
CORE = (
    'hips spine head leftUpperArm leftLowerArm leftHand rightUpperArm rightLowerArm rightHand '
    'leftUpperLeg leftLowerLeg leftFoot rightUpperLeg rightLowerLeg rightFoot'
).split()


def sided(trunk, limbs, left='L', right='R'):
    """Roles from names of the trunk and patterns of the left limbs, the side being {}."""
    roles = dict(zip(('hips', 'spine', 'head'), trunk))
    parts = ('UpperArm', 'LowerArm', 'Hand', 'UpperLeg', 'LowerLeg', 'Foot')
    for side, word in (('left', left), ('right', right)):
        for part, pattern in zip(parts, limbs):
            if pattern:
                roles[side + part] = pattern.replace('{}', word)
    return roles


MIXAMO = sided(
    ('Hips', 'Spine', 'Head'),
    ('{}Arm', '{}ForeArm', '{}Hand', '{}UpLeg', '{}Leg', '{}Foot'),
    left='Left',
    right='Right',
)
# Written down from the node trees, by hand. Roles that a file has no node for are not in its table.
CHARACTERS = {
    'gltf/KayKit-Game-Assets__Barbarian.glb': sided(
        ('hips', 'spine', 'head'),
        ('upperarm.{}', 'lowerarm.{}', 'wrist.{}', 'upperleg.{}', 'lowerleg.{}', 'foot.{}'),
        left='l',
        right='r',
    ),
    'gltf/gdquest-demos__godot-csharp/mannequiny-0.3.0.glb': sided(
        ('pelvis', 'spine_01', 'head'),
        ('upperarm.{}', 'lowerarm.{}', 'hand.{}', 'thigh.{}', 'calf.{}', 'foot.{}'),
        left='l',
        right='r',
    ),
    'gltf/arkavo-org__RiggedFigure.glb': sided(
        ('torso_joint_1', 'torso_joint_2', 'neck_joint_2'),
        ('arm_joint_{}_1', 'arm_joint_{}_2', 'arm_joint_{}_3')
        + ('leg_joint_{}_1', 'leg_joint_{}_2', 'leg_joint_{}_3'),
    ),
    # Its arms have no hands.
    'gltf/godotengine__player.glb': sided(
        ('hip', 'waist', 'head'),
        ('{}-arm', '{}-forearm', '', '{}-thigh', '{}-leg', '{}-foot'),
        left='l',
        right='r',
    ),
    # Its feet hang on the root and are moved by IK; "Body" carries the legs and "Hips".
    'gltf/raysan5__robot.glb': sided(
        ('Body', 'Abdomen', 'Head'),
        ('UpperArm.{}', 'LowerArm.{}', 'Palm2.{}', 'UpperLeg.{}', 'LowerLeg.{}', 'Foot.{}'),
    ),
    'vrm/V-Sekai__Godette_vrm_v4.vrm': sided(
        ('pelvis_Armature', 'tummy_Armature', 'head_Armature'),
        ('upper_arm.{}_Armature', 'lowerarm.{}_Armature', 'hand.{}_Armature')
        + ('thigh.{}_Armature', 'shin.{}_Armature', 'foot.{}_Armature'),
        left='l',
        right='r',
    ),
    'vrm/saturday06__debug_robot.vrm': sided(
        ('hips', 'spine', 'head'),
        ('upper_arm.{}', 'lower_arm.{}', 'hand.{}', 'upper_leg.{}', 'lower_leg.{}', 'foot.{}'),
    ),
    'vrm/pixiv__test.vrma': sided(
        ('hips', 'spine', 'head'),
        ('{}UpperArm', '{}LowerArm', '{}Hand', '{}UpperLeg', '{}LowerLeg', '{}Foot'),
        left='left',
        right='right',
    ),
    'fbx/ufbx__data/maya_kenney_character_7700_binary.fbx': MIXAMO,
    'fbx/facebookincubator__simple_anim.fbx': sided(
        ('b_root', 'b_spine0', 'b_head'),
        ('b_{}_arm', 'b_{}_forearm', 'b_{}_wrist', 'b_{}_upleg', 'b_{}_leg', 'b_{}_foot'),
        left='l',
        right='r',
    ),
    'bvh/facebookresearch__fair1/jumping.bvh': MIXAMO,
    'dynamic-bones/humanoid.glb': MIXAMO,
    'dynamic-bones/humanoid.fbx': MIXAMO,
    'self-collision/humanoid_fat.glb': MIXAMO,
    'stretch/humanoid.glb': MIXAMO,
    'stretch/humanoid.fbx': MIXAMO,
    'tet-bake/humanoid.glb': MIXAMO,
}
# Seen from the front, its "l-" limbs are on its right: without names the sides are correct.
MIRRORED = 'gltf/godotengine__player.glb'
# What is at the same position is equally correct.
SAME_POSITION = {'Palm1.L', 'Palm2.L', 'Palm3.L'}, {'Palm1.R', 'Palm2.R', 'Palm3.R'}

NO_HUMANS = [
    'gltf/bevyengine__Fox.glb',
    'gltf/derived/fox_quantized.glb',
    'gltf/raysan5__greenman.glb',
    'gltf/bevyengine__SimpleSkin.gltf',
    'gltf/arkavo-org__AnimatedMorphCube.glb',
    'gltf/google__InterpolationTest/InterpolationTest.gltf',
    'fbx/electronicarts__Bone_All.fbx',
    'fbx/mosra__UfbxImporter/animation-space-z-up-m.fbx',
    'fbx/ufbx__data/max2009_blob_6100_binary.fbx',
    'fbx/ufbx__data/maya_game_sausage_7500_binary.fbx',
]


def path_of(name):
    return (SAMPLES if (SAMPLES / name).is_file() else corpus.CORPUS) / name


def find(name, *options):
    process = subprocess.run(
        [FIND, path_of(name), *options], capture_output=True, text=True, timeout=300
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def same(found, expected):
    return found == expected or any({found, expected} <= names for names in SAME_POSITION)


def swapped(roles):
    other = {'left': 'right', 'right': 'left'}
    result = {}
    for role, name in roles.items():
        side = next((s for s in other if role.startswith(s)), '')
        result[other.get(side, '') + role[len(side) :]] = name
    return result


class Humanoid(ProcessTest):
    def test_names_identify_all_core_roles(self):
        for name, expected in CHARACTERS.items():
            with self.subTest(name):
                found = find(name, '--undeclared')
                self.assertEqual(found['origin'], 'names')
                self.assertEqual({r: found['roles'].get(r) for r in expected}, expected)
                self.assertLessEqual(set(found['roles']) & set(CORE), set(expected))

    def test_sides_are_doubted_where_the_names_are_wrong(self):
        for name in CHARACTERS:
            doubts = ' '.join(find(name, '--undeclared')['doubts'])
            self.assertEqual('left and right' in doubts, name == MIRRORED, (name, doubts))

    def test_without_names_the_shape_identifies_nine_of_ten_roles(self):
        """The table: roles that are right, of those that the file has."""
        right = total = 0
        for name, expected in CHARACTERS.items():
            if name == MIRRORED:
                expected = swapped(expected)
            found = find(name, '--undeclared', '--numbered')
            self.assertEqual(found['origin'], 'topology', name)
            wrong = {
                role: (found['roles'].get(role), node)
                for role, node in expected.items()
                if not same(found['roles'].get(role), node)
            }
            right += len(expected) - len(wrong)
            total += len(expected)
            print('%-56s %2d of %2d' % (name, len(expected) - len(wrong), len(expected)), wrong)
            # A role may be missing, but never on the wrong side.
            other_side = swapped(expected)
            crossed = [r for r, (f, _) in wrong.items() if f and other_side.get(r) == f]
            self.assertEqual(crossed, [], name)
        print('%d of %d core roles without names' % (right, total))
        self.assertGreaterEqual(right, 0.9 * total)

    def test_a_file_without_a_human_has_no_map(self):
        for name in NO_HUMANS:
            for options in ([], ['--numbered']):
                found = find(name, *options)
                self.assertEqual((found['origin'], found['roles']), ('none', {}), name)

    def test_the_map_is_the_same_with_and_without_meshes(self):
        """`info` loads meshes, find_humanoid does not."""
        for name in [*CHARACTERS, *NO_HUMANS]:
            info = self.run_json('info', path_of(name), '--json')
            names = {node['id']: node['name'] for node in info['nodes']}
            roles = {r: names[i] for r, i in info['humanoid']['roles'].items()}
            self.assertEqual(roles, find(name)['roles'], name)

    def test_info_shows_the_map(self):
        path = path_of('gltf/gdquest-demos__godot-csharp/mannequiny-0.3.0.glb')
        info = self.run_json('info', path, '--json')
        names = {node['id']: node['name'] for node in info['nodes']}
        self.assertEqual(info['humanoid']['origin'], 'names')
        self.assertEqual(names[info['humanoid']['roles']['leftUpperArm']], 'upperarm.l')
        text = self.run_clipmill('info', path).stdout
        self.assertIn('humanoid, found by names, confidence 1.00\n', text)
        self.assertIn('\n  leftUpperArm  upperarm.l\n', text)
        fox = self.run_clipmill('info', path_of('gltf/bevyengine__Fox.glb')).stdout
        self.assertNotIn('human character', fox)


class ChainsToSwing(ProcessTest):
    def chains(self, name, *options):
        return {
            (chain['class'], len(chain['joints'])): chain['joints']
            for chain in find(name, *options)['chains']
        }

    def test_the_sample_has_hair_skirt_tail_and_whip(self):
        for name in ('dynamic-bones/humanoid.glb', 'dynamic-bones/humanoid.fbx'):
            found = find(name, '--with-meshes')
            sizes = {c['class']: len(c['joints']) for c in found['chains']}
            self.assertEqual(
                sizes, {'hair': 24, 'skirt': 24, 'tail': 6, 'accessory': 10}, found['notes']
            )
            self.assertEqual([c['cross'] for c in found['chains'] if c['class'] == 'skirt'], [True])

    def test_without_names_hair_and_skirt_are_found_by_position(self):
        found = find('dynamic-bones/humanoid.glb', '--numbered', '--with-meshes')
        names = {n for c in found['chains'] for n in c['joints']}
        self.assertFalse(any(c['by_name'] for c in found['chains']))
        self.assertEqual({n[:4] for n in names}, {'Hair', 'Skir', 'Tail'})
        self.assertEqual(len(names), 24 + 24 + 6)

    def test_hair_and_ribbon_of_a_vrm_character(self):
        found = find('vrm/V-Sekai__Godette_vrm_v4.vrm', '--with-meshes')
        joints = {c: set() for c in ('hair', 'ribbon')}
        for chain in found['chains']:
            joints[chain['class']] |= set(chain['joints'])
        hair = ['HairBall_Center', 'HairBall_R', 'HairBall_L', 'FrontHair_Center_R']
        hair += ['FrontHair_L', 'FrontHair_R', 'FrontHair_Center_L']
        self.assertEqual(joints['hair'], set(hair) | {h + '_End' for h in hair})
        self.assertEqual(joints['ribbon'], {'Ribbon', 'Ribbon_end'})

    def test_a_fox_has_a_tail_that_its_clips_move(self):
        found = find('gltf/bevyengine__Fox.glb')
        self.assertEqual(found['chains'], [])
        animated = "animated by 3 of 3 clips: 'Survey' (joint 'b_Tail01_012')"
        self.assertIn(animated, found['notes'][0])

    def test_characters_without_loose_parts_get_no_chains(self):
        for name in (
            'gltf/KayKit-Game-Assets__Barbarian.glb',
            'gltf/gdquest-demos__godot-csharp/mannequiny-0.3.0.glb',
            'gltf/arkavo-org__RiggedFigure.glb',
            'gltf/raysan5__robot.glb',
            'fbx/ufbx__data/maya_kenney_character_7700_binary.fbx',
            'fbx/facebookincubator__simple_anim.fbx',
            'bvh/facebookresearch__fair1/jumping.bvh',
            'self-collision/humanoid_fat.glb',
        ):
            self.assertEqual(find(name, '--with-meshes')['chains'], [], name)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
