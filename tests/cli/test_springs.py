# SPDX-License-Identifier: MIT
"""`clipmill springs`: a recipe on stdout, what was found on stderr."""
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
