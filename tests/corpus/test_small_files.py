# SPDX-License-Identifier: MIT
"""The small files of this folder, which every clone has: read with the stored poses, left alone
when nothing is asked for, processed by each stage, and converted without loss."""
import json
import math
import pathlib
import unittest

from clipmill_process import ProcessTest
from world_motion import worst_differences

FILES = pathlib.Path(__file__).resolve().parent / 'files'
ENDING = '.poses.json'
# Poses are stored with nine digits, and keys are floats.
TOLERANCE = 1e-6
# Of a character 1.6 m high: keys of converted files are within 0.1 mm.
CONVERSION_TOLERANCE_M = 1e-4
# Recipes for every stage; {joint} is the last joint of a chain, {clip} the file's clip.
CHARACTER_STAGES = {
    'dynamic-bones': '[[stage.chain]]\nroot = "Tail1"',
    'stretch': 'distance_m = 2.0',
    'self-collision': '',
    'tet-bake': '',
    'loop': '',
    'mirror': '',
    'root': 'root_motion = "in_place"',
    'retime': 'time_scale = 0.5',
    'trim': 'end_s = 0.5',
    'rename': 'to = "{}2"',
    'blend': '[[stage.with]]\nclip = "0"',
    'concat': '[[stage.with]]\nclip = "0"',
}
CHARACTERS = (
    'hips_root.glb',
    'root_joint.glb',
    'quantised.glb',
    'springs_vrm0.vrm',
    'springs_vrm1.vrm',
    'hips_root_blender.fbx',
)
ANY_STAGES = {
    'retime': 'time_scale = 0.5',
    'trim': 'end_s = 0.5',
    'rename': 'to = "{}2"',
    'concat': '[[stage.with]]\nclip = "0"',
    'dynamic-bones': '[[stage.chain]]\nroot = "%s"',
}
CHAINS = {
    'sparse_keys.gltf': 'Bone1', 'cubic_keys.glb': 'Bone1', 'joint_scale.glb': 'Bone1',
    'morph_weights.glb': 'Bone0', 'pivots_cm.fbx': 'Thigh', 'walk.vrma': 'Tail1',
    'z_up_cm.bvh': 'Spine',
}  # fmt: skip


def motion_files():
    return sorted(p for p in FILES.iterdir() if not p.name.endswith(('.json', '.md')))


def largest_difference(expected, actual):
    """Over all nodes of `expected`, by path, in all numbers of their transforms."""
    indices = [actual['nodes'].index(node) for node in expected['nodes']]
    worst = 0.0
    for a, b in zip(expected['clips'], actual['clips']):
        if len(a['world']) != len(b['world']):
            raise ValueError('other times')
        for pose, other in zip(a['world'], b['world']):
            for node, index in enumerate(indices):
                for x, y in zip(pose[node], other[index]):
                    worst = max(worst, abs(x - y))
    return worst


def positions_by_name(poses):
    """[{last part of the path: position} for each time] of the first clip."""
    names = [node.split('/')[-1] for node in poses['nodes']]
    return [
        {name: world[3::4] for name, world in zip(names, pose)}
        for pose in poses['clips'][0]['world']
    ]


class SmallFiles(ProcessTest):
    def poses(self, path, *options):
        return self.run_json('poses', path, *options, '--json')

    def test_poses_are_those_of_an_independent_evaluator(self):
        compared = 0
        for path in motion_files():
            stored = path.with_name(path.name + ENDING)
            if not stored.is_file():
                continue
            with self.subTest(path.name):
                expected = json.loads(stored.read_text())
                self.assertEqual(len(expected['clips']), 1)
                times = ','.join(map(str, expected['clips'][0]['times']))
                actual = self.poses(path, '--times', times)
                self.assertEqual(
                    [clip['name'] for clip in actual['clips']],
                    [clip['name'] for clip in expected['clips']],
                )
                size = max(abs(x) for p in expected['clips'][0]['world'] for w in p for x in w)
                worst = largest_difference(expected, actual)
                print(f'{path.name}: {worst:.1e}')
                self.assertLess(worst, TOLERANCE * max(size, 1.0))
                compared += 1
        self.assertEqual(compared, 12)

    def test_a_file_that_blender_wrote_has_the_joints_of_its_source(self):
        times = ','.join('%.9f' % (k / 30) for k in range(31))
        source, written = (
            positions_by_name(self.poses(FILES / name, '--times', times, '--space', 'metric'))
            for name in ('hips_root.glb', 'hips_root_blender.fbx')
        )
        worst = 0.0
        for a, b in zip(source, written):
            joints = [name for name in a if name != 'Body']
            self.assertEqual(len(joints), 25)
            for name in joints:
                worst = max(worst, math.dist(a[name], b[name]))
        print(f'hips_root_blender.fbx: {worst:.1e} m')
        self.assertLess(worst, 1e-5)

    def test_a_run_without_stages_gives_the_same_bytes(self):
        self.file('empty.toml', '')
        for path in motion_files():
            if path.suffix == '.bvh':  # is read, not written
                continue
            with self.subTest(path.name):
                output = 'out' + path.suffix
                self.run_clipmill('run', path, '--recipe', 'empty.toml', '-o', output, '-q')
                self.assertEqual((self.folder / output).read_bytes(), path.read_bytes())

    def run_stage(self, path, stage, settings):
        self.file('recipe.toml', f'[[stage]]\ntype = "{stage}"\n{settings}\n')
        output = 'staged' + ('.glb' if path.suffix == '.bvh' else path.suffix)
        self.run_clipmill('run', path, '--recipe', 'recipe.toml', '-o', output, '-q')
        poses = self.poses(output, '--fractions', '0,.5,1')
        self.assertGreaterEqual(len(poses['clips']), 1)
        numbers = [x for clip in poses['clips'] for p in clip['world'] for w in p for x in w]
        self.assertTrue(all(math.isfinite(x) for x in numbers))
        return poses

    def test_each_stage_runs_on_characters(self):
        for name in CHARACTERS:
            for stage, settings in CHARACTER_STAGES.items():
                with self.subTest(f'{name}: {stage}'):
                    self.run_stage(FILES / name, stage, settings)

    def test_each_stage_that_needs_no_character_runs_on_the_others(self):
        self.assertEqual(
            sorted([*CHARACTERS, *CHAINS]), [path.name for path in motion_files()]
        )
        for name, root in CHAINS.items():
            for stage, settings in ANY_STAGES.items():
                with self.subTest(f'{name}: {stage}'):
                    self.run_stage(FILES / name, stage, settings.replace('%s', root))

    def test_a_stretched_walk_ends_where_it_is_asked_to(self):
        # However the file spells its root motion: 1.2 m of the source become 2 m.
        for name in ('hips_root.glb', 'root_joint.glb', 'quantised.glb', 'hips_root_blender.fbx'):
            with self.subTest(name):
                self.file('recipe.toml', '[[stage]]\ntype = "stretch"\ndistance_m = 2.0\n')
                output = 'out' + pathlib.Path(name).suffix
                self.run_clipmill(
                    'run', FILES / name, '--recipe', 'recipe.toml', '-o', output, '-q'
                )
                poses = self.poses(output, '--fractions', '0,1', '--space', 'metric')
                start, end = (position['Hips'] for position in positions_by_name(poses))
                self.assertLess(abs(math.hypot(end[0] - start[0], end[2] - start[2]) - 2), 1e-3)

    def test_root_motion_of_the_hips_goes_to_the_joint_above_them(self):
        self.file('recipe.toml', '[[stage]]\ntype = "root"\n')
        for name in ('hips_root.glb', 'hips_root_blender.fbx'):
            with self.subTest(name):
                output = 'out' + pathlib.Path(name).suffix
                self.run_clipmill(
                    'run', FILES / name, '--recipe', 'recipe.toml', '-o', output, '-q'
                )
                options = ('--fractions', '0,.3,1', '--space', 'metric')
                before = positions_by_name(self.poses(FILES / name, *options))
                after = positions_by_name(self.poses(output, *options))
                self.assertLess(math.dist(after[-1]['Root'], [0, 0, 1.2]), 1e-3)
                for a, b in zip(before, after):
                    self.assertLess(math.dist(a['Hips'], b['Hips']), 1e-3)

    def test_conversions_keep_the_poses(self):
        fractions = ('--fractions', '0,.11,.25,.37,.5,.63,.77,.9,1', '--space', 'metric')
        for path in motion_files():
            with self.subTest(path.name):
                before = self.poses(path, *fractions)
                self.run_clipmill('convert', path, '-o', 'out.glb', '-q')
                self.run_clipmill('convert', 'out.glb', '-o', 'back.fbx', '-q')
                for output in ('out.glb', 'back.fbx'):
                    worst = self.position_difference(before, self.poses(output, *fractions))
                    print(f'{path.name} as {output}: {worst:.1e} m')
                    self.assertLess(worst, CONVERSION_TOLERANCE_M, output)

    def position_difference(self, before, after):
        if before['nodes'] == after['nodes']:
            return worst_differences(before, after)[0]
        # Helper nodes that carry a scale are beside the joints.
        pairs = zip(positions_by_name(before), positions_by_name(after))
        return max(math.dist(a[name], b[name]) for a, b in pairs for name in a)


if __name__ == '__main__':
    unittest.main(warnings="ignore")
