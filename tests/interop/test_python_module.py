# SPDX-License-Identifier: MIT
"""Arrays of the Python module: against an independent evaluator, changed and written back, in
memory, and their types."""
import gzip
import json
import os
import re
import resource
import subprocess
import unittest

import corpus
import numpy as np
from clipmill_process import PROGRAM, ROOT, SAMPLES
from python_module import HUMANOID, HUMANOID_FBX, ModuleTest

TOLERANCE = 1e-6


def processor_time_s(command):
    """What a process takes of the processors, which others on the machine do not change much."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class EvaluatorPoses:
    """World matrices of a glTF file by the independent evaluator."""

    def __init__(self, path):
        self.gltf = corpus.evaluator().Gltf(str(path))
        self.clip_count = len(self.gltf.json.get('animations', []))

    def rest(self):
        return self.gltf.worlds({})

    def at(self, clip, motion):
        """(frame, matrices by node) at the frames of a motion."""
        animation = self.gltf.json['animations'][clip]
        for frame, time_s in enumerate(motion.times):
            yield frame, self.gltf.worlds(self.gltf.sample(animation, time_s))


def has_meshopt(path):
    """Whether a file has the compression that the evaluator does not decode."""
    return b'"EXT_meshopt_compression"' in path.read_bytes()


def largest_error(matrices, ids, expected):
    """The largest difference of a matrix [m], relative where numbers are above 1."""
    wanted = np.array([expected[node] for node in ids])
    sizes = np.maximum(1.0, np.abs(wanted).max(axis=(1, 2), keepdims=True))
    return float((np.abs(matrices - wanted) / sizes).max())


class PythonModule(ModuleTest):
    def compare_worlds(self, path):
        """(largest error, number of clips, number of matrices): rest pose and frames of all
        clips; the rest pose alone where the evaluator does not decode the keys."""
        asset = self.clipmill.load(path, meshes=False)
        poses = EvaluatorPoses(path)
        self.assertEqual(len(asset.clips), poses.clip_count)
        ids = [node['id'] for node in asset.info()['nodes']]
        errors = [largest_error(asset.rest_worlds(), ids, poses.rest())]
        clip_count = 0 if has_meshopt(path) else poses.clip_count
        for index in range(clip_count):
            motion = asset.sample(index)
            worlds = motion.worlds()
            for frame, expected in poses.at(index, motion):
                errors.append(largest_error(worlds[frame], ids, expected))
        return max(errors), clip_count, len(errors) * len(ids)

    def test_worlds_are_those_of_the_independent_evaluator(self):
        if not corpus.CORPUS.is_dir():
            self.skipTest('needs the corpus')
        paths = [HUMANOID, *corpus.gltf_files()]
        compared, clips, matrices, worst = 0, 0, 0, 0.0
        for path in paths:
            if has_meshopt(path):
                print(f'{path.name}: rest pose alone, the evaluator does not decode its keys')
            with self.subTest(path=path.name):
                error, clip_count, count = self.compare_worlds(path)
                self.assertLess(error, TOLERANCE)
                worst = max(worst, error)
                compared, clips, matrices = compared + 1, clips + clip_count, matrices + count
        print(f'{compared} of {len(paths)} files, {clips} clips, {matrices} matrices: {worst:.1e}')
        self.assertEqual(compared, len(paths))
        self.assertGreater(compared, 15)
        self.assertGreater(matrices, 100000)

    def test_worlds_of_a_compressed_file_are_the_stored_ones(self):
        stored = corpus.CORPUS / 'expected_poses' / 'fox_meshopt.glb.json.gz'
        if not stored.is_file():
            self.skipTest('needs the corpus')
        expected = json.loads(gzip.decompress(stored.read_bytes()))
        asset = self.clipmill.load(corpus.CORPUS / 'gltf' / 'derived' / 'fox_meshopt.glb')
        ids = [node['id'] for node in asset.info()['nodes']]
        self.assertEqual(len(ids), len(expected['nodes']))
        for clip in expected['clips']:
            motion = asset.sample(clip['name'])
            rows = {0: clip['world'][0], len(motion.times) - 1: clip['world'][-1]}
            for frame, matrices in rows.items():
                wanted = np.reshape(matrices, (-1, 3, 4))  # the last row is 0 0 0 1
                ours = motion.worlds('file')[frame, :, :3]
                error = largest_error(ours, ids, wanted)
                self.assertLess(error, TOLERANCE)

    def test_what_numpy_changes_is_written_and_nothing_else(self):
        for source in (HUMANOID, HUMANOID_FBX):
            with self.subTest(source=source.suffix):
                target = self.folder / ('out' + source.suffix)
                asset = self.clipmill.load(source)
                motion = asset.sample('Walk')
                asset.save(target, motion)
                self.assertEqual(target.read_bytes(), source.read_bytes())
                head = motion.node('Head')
                angles = 0.3 * np.sin(2 * np.pi * motion.times / motion.times[-1])
                motion.rotations[:, head] = np.stack(
                    [0 * angles, np.sin(angles / 2), 0 * angles, np.cos(angles / 2)], axis=1
                )
                saved = asset.save(target, motion, keys='all')
                self.assertEqual(saved.tracks, 1)
                again = self.clipmill.load(target).sample('Walk')
                self.assertLess(np.abs(again.worlds() - motion.worlds()).max(), 1e-6)
                others = [c.name for c in asset.clips if c.name != 'Walk']
                for clip in self.clipmill.diff(source, target)['clips']:
                    if clip['clip'] in others:
                        self.assertEqual(clip['max_mm'], 0.0)

    def test_arrays_keep_their_file_in_memory_and_are_no_copies(self):
        asset = self.clipmill.load(HUMANOID)
        positions = asset.meshes[0].positions
        rest = asset.rest_rotations
        motion = asset.sample('Walk')
        first, second = motion.rotations, motion.rotations
        del asset
        self.assertTrue(np.shares_memory(first, second))
        first[0, 0] = [0, 0, 0, 2]
        self.assertEqual(list(second[0, 0]), [0, 0, 0, 2])
        self.assertTrue(np.isfinite(positions).all() and len(positions) > 100)
        np.testing.assert_allclose(np.linalg.norm(rest, axis=1), 1.0, atol=1e-9)
        with self.assertRaises(ValueError):
            positions[0, 0] = 1.0

    def test_meshes_skin_to_the_vertices_of_poses(self):
        asset = self.clipmill.load(HUMANOID)
        motion = asset.sample('Walk')
        worlds = motion.worlds()
        poses = self.run_json(
            'poses', HUMANOID, '--clip', 'Walk', '--vertices', '--times', '0.5', '--json'
        )
        frame = int(np.argmin(np.abs(motion.times - 0.5)))
        compared = 0
        for mesh, expected in zip(asset.meshes, poses['clips'][0]['skinned']):
            self.assertEqual(asset.node_names[mesh.node], expected['mesh'])
            if mesh.joints is None:
                continue
            starts, joints, weights = mesh.influences
            matrices = worlds[frame][mesh.joints] @ mesh.joint_from_bind
            vertex = np.repeat(np.arange(len(mesh.positions)), np.diff(starts.astype(int)))
            homogeneous = np.concatenate([mesh.positions, np.ones((len(mesh.positions), 1))], 1)
            moved = np.einsum('kij,kj->ki', matrices[joints], homogeneous[vertex])[:, :3]
            skinned = np.zeros_like(mesh.positions)
            np.add.at(skinned, vertex, moved * weights[:, None])
            other = np.array(expected['positions']).reshape(-1, 3)
            self.assertLess(np.abs(skinned - other).max(), 1e-3)
            compared += len(other)
        self.assertGreater(compared, 100)

    def test_a_thousand_loads_leave_no_memory_behind(self):
        def load_all(count):
            for _ in range(count):
                asset = self.clipmill.load(HUMANOID)
                motion = asset.sample('Walk')
                motion.worlds()
                self.assertGreater(len(asset.meshes[0].positions), 0)

        load_all(100)
        before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        load_all(1000)
        grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb
        print(f'grown by {grown_kb} kB')
        self.assertLess(grown_kb, 8000)

    def test_the_commands_of_the_guide_work(self):
        guide = (ROOT / 'docs' / 'python.md').read_text()
        os.symlink(SAMPLES, self.folder / 'samples')
        blocks = re.findall(r'```python\n(.*?)```', guide, re.S)
        self.assertGreater(len(blocks), 3)
        script = self.folder / 'guide.py'
        script.write_text('\n'.join(blocks))
        subprocess.run([self.python, script], cwd=self.folder, check=True)
        import matplotlib.image

        plot = matplotlib.image.imread(self.folder / 'tail.png')
        # Two curves in two colours on white.
        colours = np.unique(np.round(plot[..., :3].reshape(-1, 3), 1), axis=0)
        self.assertGreater(np.ptp(colours, axis=1).max(), 0.5)

    def test_76_clips_are_sampled_in_less_than_twice_the_time_of_the_command_line(self):
        path = corpus.CORPUS / 'gltf' / 'KayKit-Game-Assets__Barbarian.glb'
        if not path.is_file():
            self.skipTest('needs the corpus')
        script = self.folder / 'sample.py'
        script.write_text(
            'import clipmill, sys\n'
            'asset = clipmill.load(sys.argv[1], meshes=False)\n'
            'motions = [asset.sample(clip) for clip in asset.clips]\n'
            'arrays = [(m.translations, m.rotations, m.scales, m.worlds()) for m in motions]\n'
            'assert len(arrays) == 76 and all(a.size for motion in arrays for a in motion)\n'
        )
        export = [PROGRAM, 'export', path, '--joints', self.folder / '{}.npz', '-q']
        module = [self.python, script, path]
        start_up = [self.python, '-c', 'import clipmill']
        times_s = {'export': [], 'module': [], 'start': []}
        for _ in range(3):
            for name, command in (('export', export), ('module', module), ('start', start_up)):
                times_s[name].append(processor_time_s(command))
        seen = {name: min(values) for name, values in times_s.items()}
        print('sampled in ' + ', '.join(f'{n} {t:.2f} s' for n, t in seen.items()))
        self.assertLess(seen['module'] - seen['start'], 2 * seen['export'])


if __name__ == '__main__':
    unittest.main(warnings='ignore')
