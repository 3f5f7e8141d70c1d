# SPDX-License-Identifier: MIT
"""What clipmill writes, opened by other readers: the Khronos validator and Blender."""
import collections
import json
import math
import os
import pathlib
import subprocess
import unittest

import corpus
from clipmill_process import SAMPLES, ProcessTest

HERE = pathlib.Path(__file__).resolve().parent
MODULES = pathlib.Path(os.environ['CLIPMILL_NODE_MODULES'])

# Chains to bake on files that have something that swings; others get a chain of any two joints.
CHAINS = {
    'bevyengine__Fox.glb': ['b_Tail01_012'],
    'V-Sekai__Godette_vrm_v4.vrm': ['HairBall_*', 'Ribbon'],
}


def validate(*paths):
    """{path: Counter of (severity, code)} by the Khronos validator."""
    process = subprocess.run(
        ['node', HERE / 'validate.cjs', MODULES, *paths],
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    return {
        path: collections.Counter((m['severity'], m['code']) for m in messages)
        for path, messages in json.loads(process.stdout).items()
    }


def in_blender(path, folder):
    target = folder / (path.name + '.json')
    subprocess.run(
        [
            'blender',
            '-b',
            '--factory-startup',
            '-noaudio',
            '-P',
            HERE / 'blender_poses.py',
            '--',
            path,
            target,
        ],
        capture_output=True,
        check=True,
        timeout=600,
    )
    return json.loads(target.read_text())


def sample_files():
    return sorted(SAMPLES.rglob('*.glb'))


class Readers(ProcessTest):
    def chain_of(self, path):
        """Flags for a chain that the file has: its known one, a tail, or any node with a child."""
        known = CHAINS.get(path.name)
        if known is None:
            info = self.run_json('info', path, '--json')
            parents = {n['parent'] for n in info['nodes']}
            names = [n['name'] for n in info['nodes'] if n['id'] in parents]
            known = [n for n in names if n.startswith('Tail')][:1] or names[-1:]
        return [flag for chain in known for flag in ('--chain', chain)]

    def bake(self, path):
        output = self.folder / ('baked_' + path.name)
        self.run_clipmill('dynamic-bones', path, '-o', output, *self.chain_of(path), '-q')
        return output

    def test_samples_are_valid_without_a_warning(self):
        found = validate(*sample_files())
        self.assertGreaterEqual(len(found), 4)
        for path, problems in found.items():
            self.assertFalse(problems, path)

    def test_a_motion_capture_becomes_a_file_without_a_warning(self):
        channels = 'Xposition Yposition Zposition Zrotation Xrotation Yrotation'
        bones = f'OFFSET 0 0 0 CHANNELS 6 {channels}'
        for axis, tip in (('y', '0 150 0'), ('z', '0 0 150')):
            with self.subTest(axis):
                self.file(
                    'nod.bvh',
                    f'HIERARCHY ROOT Hips\n{{ {bones} End Site {{ OFFSET {tip} }} }}\n'
                    'MOTION Frames: 2 Frame Time: 0.5\n0 90 0 0 0 0\n0 95 0 0 10 0\n',
                )
                self.run_clipmill('convert', 'nod.bvh', '-o', 'nod.glb')
                path = self.folder / 'nod.glb'
                self.assertFalse(validate(path)[str(path)])

    def test_baked_files_have_no_problem_that_their_source_has_not(self):
        sources = sample_files()
        if (corpus.CORPUS / 'INDEX.tsv').is_file():
            sources += [
                p for p in corpus.gltf_files() if self.run_json('info', p, '--json')['clips']
            ]
        checked = 0
        for path in sources:
            with self.subTest(path.name):
                if not self.chain_of(path):
                    continue  # nodes without children: nothing can swing
                output = self.bake(path)
                before, after = (validate(path)[str(path)], validate(output)[str(output)])
                self.assertFalse(after - before)
                checked += 1
        print(checked, 'baked files validated')
        self.assertGreaterEqual(checked, 4)

    def test_morphs_as_integers_are_valid_without_a_warning(self):
        self.run_clipmill(
            *('tet-bake', SAMPLES / 'tet-bake' / 'humanoid.glb', '-o', 'int16.glb', '-q'),
            *('--fps', 6, '--max-tets', 4000, '--deltas', 'int16'),
        )
        path = self.folder / 'int16.glb'
        self.assertFalse(validate(path)[str(path)])

    def test_blender_reads_the_texture_of_a_clip(self):
        self.run_clipmill(
            *('tet-bake', SAMPLES / 'tet-bake' / 'humanoid.glb', '-o', 'out.glb', '-q'),
            *('--clip', 'ElbowBend', '--fps', 6, '--max-tets', 4000, '--bake-to', 'vat'),
        )
        table = json.loads((self.folder / 'out_ElbowBend_Body.vat.json').read_text())
        script = self.file(
            'read.py',
            'import bpy, json, sys\n'
            'image = bpy.data.images.load(sys.argv[-2])\n'
            'json.dump([list(image.size), image.pixels[:]], open(sys.argv[-1], "w"))\n',
        )
        subprocess.run(
            [
                *('blender', '-b', '--factory-startup', '-noaudio', '-P', script, '--'),
                self.folder / 'out_ElbowBend_Body.positions.exr',
                self.folder / 'pixels.json',
            ],
            capture_output=True,
            check=True,
            timeout=600,
        )
        size, pixels = json.loads((self.folder / 'pixels.json').read_text())
        self.assertEqual(size, [table['width'], table['height']])
        for channel in range(3):
            own = [p for i, p in enumerate(pixels) if i % 4 == channel and pixels[i | 3] == 1]
            self.assertAlmostEqual(min(own), table['positions']['min'][channel], 6)
            self.assertAlmostEqual(max(own), table['positions']['max'][channel], 6)

    def test_converted_files_are_valid(self):
        if not (corpus.CORPUS / 'INDEX.tsv').is_file():
            self.skipTest('no corpus')
        outputs = []
        for path in corpus.fbx_files():
            outputs.append(self.folder / (path.stem + '.glb'))
            self.run_clipmill('convert', path, '-o', outputs[-1], '-q')
        found = validate(*outputs)
        print(len(found), 'converted files validated')
        self.assertEqual(len(found), len(outputs))
        for path, problems in found.items():
            errors = {code: n for (severity, code), n in problems.items() if severity == 0}
            self.assertFalse(errors, path)

    def compare_in_blender(self, path, chain_names):
        output = self.bake(path)
        before, after = in_blender(path, self.folder), in_blender(output, self.folder)
        for key in ('bones', 'meshes', 'materials', 'images'):
            self.assertEqual(before[key], after[key], key)
        self.assertEqual(sorted(before['actions']), sorted(after['actions']))
        moved = others = size = 0.0
        for name, action in before['actions'].items():
            for a, b in zip(action['frames'], after['actions'][name]['frames']):
                size = max(size, max(math.dist(p, a[q]) for p in a.values() for q in list(a)[:1]))
                for bone in a:
                    distance = math.dist(a[bone], b[bone])
                    if any(c in bone for c in chain_names):
                        moved = max(moved, distance)
                    else:
                        others = max(others, distance)
        print(
            f'{path.name} in Blender: chain moved {moved:.4g}, others {others:.3g}, '
            f'skeleton {size:.4g}'
        )
        self.assertGreater(moved, 0.001 * size)
        self.assertLess(others, 1e-6 * size)
        return output, after

    def test_blender_sees_the_baked_tail_of_a_sample(self):
        path = SAMPLES / 'dynamic-bones' / 'humanoid.glb'
        output, seen = self.compare_in_blender(path, ['Tail'])
        # The same heads as ours: what Blender plays is what was baked.
        for name, action in seen['actions'].items():
            times = [(action['first'] + k) / seen['fps'] for k in range(len(action['frames']))]
            info = [
                c
                for c in self.run_json('info', output, '--json')['clips']
                if name.startswith(c['name'] + '_')
            ]
            self.assertEqual(len(info), 1, name)
            times = [t for t in times if t <= info[0]['end_s'] + 1e-6]
            poses = self.run_json(
                'poses', output, '--clip', info[0]['name'], '--times', ','.join(map(str, times))
            )
            names = [n.split('/')[-1] for n in poses['nodes']]
            worst = max(
                math.dist(frame[bone], poses['clips'][0]['world'][k][names.index(bone)][3::4])
                for k, frame in enumerate(action['frames'][: len(times)])
                for bone in frame
            )
            print(f'{name}: Blender and clipmill differ by at most {worst:.2g} m')
            self.assertLess(worst, 2e-5)

    def test_blender_sees_the_baked_tail_of_a_real_fox(self):
        path = corpus.CORPUS / 'gltf' / 'bevyengine__Fox.glb'
        if not path.is_file():
            self.skipTest('no corpus')
        self.compare_in_blender(path, ['Tail02', 'Tail03'])


if __name__ == '__main__':
    unittest.main(warnings='ignore')
