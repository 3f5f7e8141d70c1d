# SPDX-License-Identifier: MIT
"""Springs and roles of real VRM files, counted by hand in their JSON."""
import cmath
import json
import math
import tomllib
import unittest

import corpus
import glb
from clipmill_process import ProcessTest
from test_bvh import JUMP


def json_of(path):
    return json.loads(path.read_text()) if path.suffix == '.gltf' else glb.read(path)[0]


def vrm1_counts(extension):
    springs = extension.get('springs', [])
    return {
        'kind': 'VRM 1.0',
        'chains': len(springs),
        'joints': sum(len(spring['joints']) for spring in springs),
        'colliders': len(extension.get('colliders', [])),
        'groups': len(extension.get('colliderGroups', [])),
    }


def vrm0_counts(animation, nodes):
    """Every node at or below a root is one joint, and every leaf the end of one chain."""
    joints, leaves = set(), set()
    open_nodes = [root for group in animation['boneGroups'] for root in group['bones']]
    while open_nodes:
        node = open_nodes.pop()
        joints.add(node)
        children = nodes[node].get('children', [])
        open_nodes += children
        if not children:
            leaves.add(node)
    return {
        'kind': 'VRM 0.x',
        'chains': len(leaves),
        'joints': len(joints),
        'colliders': sum(len(group['colliders']) for group in animation['colliderGroups']),
        'groups': len(animation['colliderGroups']),
    }


def counts(root):
    extensions = root.get('extensions', {})
    if 'VRMC_springBone' in extensions:
        return vrm1_counts(extensions['VRMC_springBone'])
    if 'secondaryAnimation' in extensions.get('VRM', {}):
        return vrm0_counts(extensions['VRM']['secondaryAnimation'], root['nodes'])
    return {'kind': '', 'chains': 0, 'joints': 0, 'colliders': 0, 'groups': 0}


def role_nodes(root):
    extensions = root.get('extensions', {})
    if 'VRM' in extensions:
        return sorted(bone['node'] for bone in extensions['VRM']['humanoid']['humanBones'])
    for name in ('VRMC_vrm', 'VRMC_vrm_animation'):
        if name in extensions:
            bones = extensions[name]['humanoid']['humanBones']
            return sorted(bone['node'] for bone in bones.values())
    return []


class Springs(ProcessTest):
    def files(self):
        return [path for path in corpus.gltf_files() if 'vrm' in path.parts]

    def test_every_spring_joint_collider_and_role_is_read(self):
        with_springs = 0
        for path in self.files():
            with self.subTest(path.name):
                root = json_of(path)
                info = self.run_json('info', path, '--json')
                self.assertEqual(info['springs'], counts(root))
                declared = [role['node'] for role in info['humanoid']['declared']]
                self.assertEqual(sorted(declared), role_nodes(root))
                self.assertEqual(info['warnings'], [])
                with_springs += info['springs']['chains'] > 0
        self.assertGreaterEqual(with_springs, 2)

    def test_the_recipe_names_the_joints_and_colliders_of_the_file(self):
        for path in self.files():
            root = json_of(path)
            expected = counts(root)
            if not expected['chains']:
                continue
            with self.subTest(path.name):
                process = self.run_clipmill('springs', path)
                self.assertIn(expected['kind'], process.stderr)
                (stage,) = tomllib.loads(process.stdout)['stage']
                self.assertEqual(len(stage['chain']), expected['chains'])
                joints = [joint for chain in stage['chain'] for joint in chain['joints']]
                self.assertEqual(len(joints), expected['joints'])
                names = {node['name'] for node in root['nodes']}
                self.assertLessEqual(set(joints), names)
                self.assertEqual(len(stage['collider']), expected['colliders'])
                self.file('recipe.toml', process.stdout)

    def test_godettes_hair_swings_as_the_steps_of_its_groups(self):
        path = corpus.CORPUS / 'vrm' / 'V-Sekai__Godette_vrm_v4.vrm'
        nodes = json_of(path)['nodes']
        length = {node['name']: math.hypot(*node.get('translation', (0, 0, 0))) for node in nodes}
        (stage,) = tomllib.loads(self.run_clipmill('springs', path).stdout)['stage']
        by_first = {chain['joints'][0]: chain for chain in stage['chain']}
        for first, stiffness, drag in (('FrontHair_R', 2.5, 0.4), ('HairBall_L', 4, 0.1)):
            chain = by_first[first]
            first_m = length[chain['joints'][1]]
            part = first_m / (first_m + 0.07)
            # x+ = (1 - e)(x + (1 - d)(x - x-)); its roots z are exp(s/60), and w^2 = s1 s2.
            e = stiffness / 60 / (first_m + stiffness / 60)
            half, product = (1 - e) * (2 - drag) / 2, (1 - e) * (1 - drag)
            root = cmath.sqrt(half * half - product)
            w2 = 3600 * (cmath.log(half + root) * cmath.log(half - root)).real
            depth, frequency = chain['frequency_hz'][0]
            self.assertAlmostEqual(depth, part, 6)
            self.assertAlmostEqual(frequency, math.sqrt(w2) / (2 * math.pi) * part, 6)
            self.assertAlmostEqual(
                chain['air_drag_per_s'][0][1], w2 * (1 - e) / e * drag / 60, 5
            )
        self.assertEqual(len(by_first['FrontHair_R']['colliders']), 2)
        self.assertEqual(by_first['HairBall_L']['colliders'], ['none'])

    def test_converted_springs_of_godettes_hair_move_as_her_own_do(self):
        """What the method `spring` is for: rods with these values do not."""
        import numpy

        path = corpus.CORPUS / 'vrm' / 'V-Sekai__Godette_vrm_v4.vrm'
        recipe = self.run_clipmill('springs', path).stdout
        (stage,) = tomllib.loads(recipe)['stage']
        tips = [chain['joints'][-1] for chain in stage['chain']]
        rod = recipe.replace('method = "spring"', 'method = "rod"')
        self.assertNotEqual(rod, recipe)
        runs = {
            'still': ('run', path),
            'vrm0': ('dynamic-bones', path, '--method', 'vrm0'),
            'spring': ('run', path, '--recipe', self.file('spring.toml', recipe)),
            'rod': ('run', path, '--recipe', self.file('rod.toml', rod)),
        }
        paths_m = {}
        for name, arguments in runs.items():
            self.run_clipmill(*arguments, '--clip-from', JUMP, '-o', f'{name}.vrm', '-q')
            file = corpus.evaluator().Gltf(str(self.folder / f'{name}.vrm'))
            clip = file.json['animations'][0]
            nodes = [k for k, node in enumerate(file.nodes) if node.get('name') in tips]
            worlds = [file.worlds(file.sample(clip, k / 30)) for k in range(15, 150)]
            paths_m[name] = numpy.array([[world[k][:3, 3] for k in nodes] for world in worlds])

        def apart_m(a, b):
            return math.sqrt(((paths_m[a] - paths_m[b]) ** 2).sum(2).mean())

        swing_m = apart_m('vrm0', 'still')
        print(
            'swing %.1f mm; error of spring %.1f, of rod %.1f'
            % tuple(1e3 * x for x in (swing_m, apart_m('vrm0', 'spring'), apart_m('vrm0', 'rod')))
        )
        self.assertGreater(swing_m, 0.004)
        self.assertLess(apart_m('vrm0', 'spring'), 0.35 * swing_m)
        self.assertGreater(apart_m('vrm0', 'rod'), 2.0 * apart_m('vrm0', 'spring'))


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
