# SPDX-License-Identifier: MIT
"""`clipmill springs`: a recipe on stdout, what was found on stderr; springs of engines for rods."""
import json
import math
import tomllib
import unittest

import glb
from clipmill_process import ProcessTest

PREFAB = '''%YAML 1.1
%TAG !u! tag:unity3d.com,2011:
--- !u!1 &1
GameObject:
  m_Name: Hips
--- !u!4 &2
Transform:
  m_GameObject: {fileID: 1}
  m_LocalPosition: {x: 0, y: 1, z: 0}
  m_Father: {fileID: 0}
--- !u!1 &3
GameObject:
  m_Name: "Tail\\u5C3E"
--- !u!4 &4
Transform:
  m_GameObject: {fileID: 3}
  m_LocalPosition: {x: 0, y: 0, z: -0.1}
  m_Father: {fileID: 2}
--- !u!114 &5
MonoBehaviour:
  m_GameObject: {fileID: 1}
  m_Root: {fileID: 4}
  m_Damping: 0.1
  m_Elasticity: 0.1
  m_Stiffness: 0.5
  m_Inert: 0
  m_EndLength: 1
'''


def vrm_steps(heads, length, stiffness, drag):
    """Positions of the end of a bone that hangs down from moving heads, a step of 1/60 s each."""
    now = before = (heads[0][0], heads[0][1] - length, heads[0][2])
    positions = [now]
    for head in heads[1:]:
        moved = [n + (n - b) * (1 - drag) for n, b in zip(now, before)]
        moved[1] -= stiffness / 60
        scale = length / math.dist(moved, head)
        before, now = now, tuple(h + (m - h) * scale for h, m in zip(head, moved))
        positions.append(now)
    return positions


def rms(distances):
    squares = [d * d for d in distances]
    return math.sqrt(sum(squares) / len(squares))


def unit(z):
    return z / abs(z)


class PlanarChain:
    """A straight chain that hangs down from a moving head, in the plane: points are complex
    numbers. Steps of 1/60 s by the rules of four engines, with the fields that they read."""

    def __init__(self, heads, lengths, uses_center):
        self.heads, self.lengths, self.uses_center = heads, lengths, uses_center

    def tips(self, step):
        ends = [self.heads[0] - 1j * sum(self.lengths[: i + 1]) for i in range(len(self.lengths))]
        move = 0 if self.uses_center else self.heads[1] - self.heads[0]
        before = [end - move for end in ends]
        tips = [ends[-1]]
        for k in range(1, len(self.heads)):
            move = self.heads[k] - self.heads[k - 1]
            if self.uses_center:
                ends, before = [e + move for e in ends], [b + move for b in before]
            ends, before = step(self.heads[k], move, ends, before)
            tips.append(ends[-1])
        return tips

    def spring_bone(self, joints, drag, gravity):
        """VRM and Godot; the rest direction of a bone is the direction of the bone above it."""

        def step(head, _, ends, before):
            new, above = [], -1j
            for joint, end, last, length in zip(joints, ends, before, self.lengths):
                free = end + (end - last) * (1 - joint[drag])
                free += (joint['stiffness'] * above - 1j * joint[gravity]) / 60
                above = unit(free - head)
                head += length * above
                new.append(head)
            return new, ends

        return self.tips(step)

    def along(self, keys, time, value):
        """A curve of two keys at the far ends of the bones."""
        first, last = keys
        assert (first[time], last[time]) == (0, 1)
        total = sum(self.lengths)
        depths = [sum(self.lengths[: i + 1]) / total for i in range(len(self.lengths))]
        return [first[value] + (last[value] - first[value]) * depth for depth in depths]

    def kawaii(self, node):
        settings = node['PhysicsSettings']
        keys = node['StiffnessCurveData']['EditorCurveData']['Keys']
        shares = [min(settings['Stiffness'] * c, 1) for c in self.along(keys, 'Time', 'Value')]
        fall = 1j * node['Gravity']['Z'] / 100 / 3600

        def step(head, _, ends, before):
            moved, parent = [], head
            for share, end, last, length in zip(shares, ends, before, self.lengths):
                free = end + (end - last) * (1 - settings['Damping']) + fall
                parent = free + (parent - 1j * length - free) * share
                moved.append(parent)
            new, parent = [], head
            for point, length in zip(moved, self.lengths):
                parent += length * unit(point - parent)
                new.append(parent)
            return new, ends

        return self.tips(step)

    def dynamic_bone(self, bone):
        """The chain hangs at rest and its parent does not rotate: gravity is cancelled."""
        curve = self.along(bone['m_ElasticityDistrib']['m_Curve'], 'time', 'value')
        shares = [min(bone['m_Elasticity'] * c, 1) for c in curve]

        def step(head, move, ends, before):
            new, last_ends, parent = [], [], head
            move *= bone['m_Inert']
            for share, end, last, length in zip(shares, ends, before, self.lengths):
                last_ends.append(end + move)
                point = end + (end - last) * (1 - bone['m_Damping']) + move
                rest = parent - 1j * length
                point += (rest - point) * share
                most = 2 * length * (1 - bone['m_Stiffness'])
                if abs(rest - point) > most:
                    point = rest + (point - rest) * most / abs(rest - point)
                parent += length * unit(point - parent)
                new.append(parent)
            return new, last_ends

        self.uses_center = False  # the component shares the translation by m_Inert
        return self.tips(step)


ROD = '''
[[stage]]
type = "dynamic-bones"
loop = "off"
[[stage.chain]]
root = "Bone0"
tip_length = 0.0
droop_deg = 40.0
damping_ratio = 0.3
'''


class FittedSprings(ProcessTest):
    def rod_in_plane(self):
        """Heads and tips of a rod that sways, frame by frame, as complex numbers."""
        self.file('in.glb', glb.swinging_chain(joints=4, keys=181, fps=60))
        self.file('rod.toml', ROD)
        self.run_clipmill(
            *('run', 'in.glb', '--recipe', 'rod.toml', '-o', 'rod.glb', '-q'),
            *('--set', 'output.keys=all'),
        )
        poses = self.run_json('poses', 'rod.glb', '--fps', '60', '--json')
        worlds = poses['clips'][0]['world']
        return ([complex(*pose[i][3:8:4]) for pose in worlds] for i in (0, 3))

    def test_the_tip_error_is_that_of_the_rules_of_the_engine(self):
        heads, rod = self.rod_in_plane()
        swing = rms(abs(tip - (head - 0.3j)) for tip, head in zip(rod, heads))
        self.assertGreater(swing, 0.02)
        for target in ('vrm1', 'godot', 'kawaii', 'unity'):
            report = self.run_json(
                'springs', 'in.glb', '--to', target, '--recipe', 'rod.toml', '--json', '-q'
            )
            (chain,) = report['chains']
            plane = PlanarChain(heads, [0.1] * 3, 'center' in chain)
            if target == 'vrm1':
                (spring,) = report['extensions']['VRMC_springBone']['springs']
                tips = plane.spring_bone(spring['joints'], 'dragForce', 'gravityPower')
                self.assertEqual([joint['node'] for joint in spring['joints']], [0, 1, 2, 3])
            elif target == 'godot':
                bone = chain['SpringBoneSimulator3D']
                tips = plane.spring_bone(bone['joints'], 'drag', 'gravity')
                names = (bone['root_bone_name'], bone['end_bone_name'])
                self.assertEqual(names, ('Bone0', 'Bone3'))
            elif target == 'kawaii':
                tips = plane.kawaii(chain['AnimNode_KawaiiPhysics'])
            else:
                tips = plane.dynamic_bone(chain['DynamicBone'])
            errors = [abs(a - b) * 1000 for a, b in zip(tips, rod)]
            stated = chain['tip_error']
            self.assertAlmostEqual(stated['rms_mm'], rms(errors), delta=0.01, msg=target)
            self.assertAlmostEqual(stated['max_mm'], max(errors), delta=0.05, msg=target)
            self.assertAlmostEqual(stated['swing_rms_mm'], swing * 1000, delta=0.01)
            self.assertAlmostEqual(
                stated['rms_percent'], 100 * rms(errors) / swing / 1000, delta=0.1
            )
            self.assertLess(stated['rms_percent'], 40, target)

    def test_text_and_file(self):
        self.file('in.glb', glb.swinging_chain())
        self.file('rod.toml', ROD)
        arguments = ('springs', 'in.glb', '--to', 'vrm1', '--recipe', 'rod.toml', '-q')
        text = self.run_clipmill(*arguments, '-o', 'out.json').stdout
        self.assertIn('Bone0 .. Bone3, 3 bones, 0.300 m', text)
        self.assertIn('% of the swing', text)
        report = json.loads((self.folder / 'out.json').read_text())
        self.assertEqual(report, self.run_json(*arguments, '--json', '-j', '1'))
        self.assertEqual([probe['clip'] for probe in report['probes']], ['Sway'])
        report = self.run_json(*arguments, '--json', '--probe', 'both')
        self.assertEqual([probe['clip'] for probe in report['probes']], ['Sway', 'made'])

    def test_a_file_without_clips_gets_the_made_motion(self):
        value, _, binary = glb.read(self.file('in.glb', glb.swinging_chain()))
        del value['animations']
        self.file('still.glb', glb.assemble(value, binary))
        self.file('rod.toml', ROD)
        arguments = ('springs', 'still.glb', '--to', 'unity', '--recipe', 'rod.toml', '--json')
        report = self.run_json(*arguments)
        self.assertEqual([probe['clip'] for probe in report['probes']], ['made'])
        self.run_clipmill(*arguments, '--probe', 'clips', exit_code=3)

    def test_a_virtual_tip_needs_a_node_in_vrm_alone(self):
        self.file('in.glb', glb.swinging_chain(joints=1))
        self.file('rod.toml', ROD.replace('tip_length = 0.0', 'tip_length = 1.0'))
        arguments = ('springs', 'in.glb', '--recipe', 'rod.toml', '--json', '-q')
        (chain,) = self.run_json(*arguments, '--to', 'vrm1')['chains']
        self.assertIn('needs a node', chain['not_fitted'])
        (chain,) = self.run_json(*arguments, '--to', 'godot')['chains']
        self.assertTrue(chain['SpringBoneSimulator3D']['extend_end_bone'])

    def test_errors(self):
        self.file('in.glb', glb.swinging_chain())
        self.file('other.toml', '[[stage]]\ntype = "stretch"\ndistance_m = 1.0\n')
        for code, arguments in (
            (2, ('--to', 'unreal')),
            (2, ('--probe', 'made')),
            (2, ('--to', 'vrm1', '--recipe', 'other.toml')),
            (3, ('--to', 'vrm1')),
            (3, ('--to', 'vrm1', '--recipe', 'rod.toml', '--clip', 'Run')),
        ):
            self.file('rod.toml', ROD)
            process = self.run_clipmill('springs', 'in.glb', *arguments, exit_code=code)
            self.assertEqual(process.stdout, '', arguments)


class Springs(ProcessTest):
    def chains(self, *arguments):
        process = self.run_clipmill('springs', *arguments)
        (stage,) = tomllib.loads(process.stdout)['stage']
        return stage['chain'], process.stderr

    def vrm(self, springs, extras=None):
        value = {
            'asset': {'version': '2.0'},
            'nodes': [
                {'name': 'A', 'children': [1]},
                {'name': 'B', 'translation': [0, -0.1, 0], 'children': [2]},
                {'name': 'C', 'translation': [0, -0.1, 0]},
            ],
            'extensions': {'VRMC_springBone': {'specVersion': '1.0', 'springs': springs}},
        }
        if extras is not None:
            value['nodes'][1]['extras'] = {'dynbone': extras}
        return self.file('in.vrm', glb.assemble(value))

    def test_springs_of_a_vrm_file(self):
        self.vrm([{'joints': [{'node': 0}, {'node': 1}, {'node': 2}]}])
        (chain,), notes = self.chains('in.vrm')
        self.assertEqual(chain['joints'], ['A', 'B', 'C'])
        self.assertIn('1 spring of VRM 1.0', notes)
        self.assertEqual(self.run_clipmill('springs', 'in.vrm', '-q').stderr, '')

    def test_an_ignored_spring_is_reported(self):
        self.vrm([{'joints': [{'node': 0}, {'node': 1}]}, {'joints': [{'node': 1}, {'node': 9}]}])
        self.assertIn('is ignored', self.chains('in.vrm')[1])

    def test_springs_of_extras(self):
        self.vrm([], {'frequency_hz': 3, 'damping_ratio': [[0, 0.5], [1, 0.25]]})
        (chain,), _ = self.chains('in.vrm')
        self.assertEqual(chain['root'], 'B')
        self.assertEqual(chain['frequency_hz'], 3.0)
        self.assertEqual(chain['damping_ratio'], [[0.0, 0.5], [1.0, 0.25]])

    def test_an_unknown_key_in_extras_is_named(self):
        self.vrm([], {'frequncy_hz': 3})
        process = self.run_clipmill('springs', 'in.vrm', exit_code=2)
        self.assertOneSentence(process.stderr, 'in.vrm', "node 'B'", "'frequency_hz'")

    def test_springs_of_a_unity_prefab(self):
        self.file('in.prefab', PREFAB)
        (chain,), notes = self.chains('in.prefab')
        self.assertEqual(chain['root'], 'Tail\u5c3e')
        self.assertAlmostEqual(chain['limit_deg'], 60.0)
        self.assertEqual(chain['tip_length'], 1.0)
        self.assertIn('1 chain of DynamicBone', notes)

    def test_the_recipe_runs(self):
        self.file('in.prefab', PREFAB.replace('"Tail\\u5C3E"', 'Bone0'))
        self.file('in.glb', glb.swinging_chain())
        self.file('recipe.toml', self.run_clipmill('springs', 'in.prefab', '--comments').stdout)
        self.run_clipmill('run', 'in.glb', '--recipe', 'recipe.toml', '-o', 'out.glb')
        self.assertIn('out.glb', self.files())

    def test_the_recipe_moves_a_bone_as_the_steps_of_vrm_do(self):
        """The pseudocode of VRMC_springBone 1.0 for one bone at 60 frames a second."""
        for stiffness, drag in ((1, 0.4), (0.3, 0.2), (2.5, 0.4), (1, 0.8)):
            value, _, binary = glb.read(
                self.file('in.glb', glb.swinging_chain(joints=2, keys=181, fps=60))
            )
            joints = [{'node': 0, 'stiffness': stiffness, 'dragForce': drag}, {'node': 1}]
            value['extensions'] = {'VRMC_springBone': {'springs': [{'joints': joints}]}}
            self.file('in.glb', glb.assemble(value, binary))
            self.file('recipe.toml', self.run_clipmill('springs', 'in.glb').stdout)
            self.run_clipmill(
                *('run', 'in.glb', '--recipe', 'recipe.toml', '-o', 'out.glb', '-q'),
                *('--set', 'dynamic-bones.loop=off', '--set', 'output.keys=all'),
            )
            poses = self.run_json('poses', 'out.glb', '--fps', '60', '--json')
            ends = [pose[1][3::4] for pose in poses['clips'][0]['world']]
            heads = [pose[0][3::4] for pose in poses['clips'][0]['world']]
            steps = vrm_steps(heads, 0.1, stiffness, drag)
            # VRM starts at rest, the recipe with the clip's speed: one second later both agree.
            heads, ends, steps = heads[60:], ends[60:], steps[60:]
            swing = rms(math.dist(s, (h[0], h[1] - 0.1, h[2])) for s, h in zip(steps, heads))
            difference = rms(map(math.dist, steps, ends))
            self.assertGreater(swing, 0.01)
            self.assertLess(difference, 0.05 * swing, (stiffness, drag))

    def test_files_without_springs_are_exit_3(self):
        self.file('in.glb', glb.swinging_chain())
        self.file('in.prefab', PREFAB.replace('m_Damping', 'm_Other'))
        self.file('in.txt', 'no springs')
        for name in ('in.glb', 'in.prefab', 'in.txt', 'none.prefab'):
            process = self.run_clipmill('springs', name, exit_code=3)
            self.assertOneSentence(process.stderr, name)
            self.assertEqual(process.stdout, '')


if __name__ == '__main__':
    unittest.main(warnings="ignore")
