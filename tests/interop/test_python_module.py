# SPDX-License-Identifier: MIT
"""The Python module, from its wheel: arrays against an independent evaluator, runs against the
command line byte for byte, stages in Python, errors, interrupts and memory."""
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import corpus
from clipmill_process import PROGRAM, ROOT, SAMPLES, ProcessTest

WHEELS = ROOT / 'build/python/wheel'
HUMANOID = SAMPLES / 'dynamic-bones' / 'humanoid.glb'
HUMANOID_FBX = SAMPLES / 'dynamic-bones' / 'humanoid.fbx'
TOLERANCE = 1e-6


def install_wheel():
    """Installs the wheel into a fresh environment without a network, and imports it from there."""
    wheels = sorted(WHEELS.glob('clipmill-*.whl'))
    if not wheels:
        print('skipped: there is no wheel (scripts/wheel.sh)')
        sys.exit(77)
    holder = tempfile.TemporaryDirectory(prefix='clipmill-venv-')
    subprocess.run(
        [sys.executable, '-m', 'venv', '--system-site-packages', holder.name], check=True
    )
    python = pathlib.Path(holder.name) / 'bin' / 'python'
    subprocess.run(
        [python, '-m', 'pip', 'install', '--quiet', '--no-index', wheels[-1]], check=True
    )
    where = subprocess.run(
        [python, '-c', 'import clipmill; print(clipmill.__path__[0])'],
        check=True,
        text=True,
        capture_output=True,
        cwd=holder.name,
    ).stdout.strip()
    if not where.startswith(holder.name):
        raise AssertionError(where)
    sys.path.insert(0, str(pathlib.Path(where).parent))
    return holder, python


def processor_time_s(command):
    """What a process takes of the processors, which others on the machine do not change much."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class PythonModule(ProcessTest):
    @classmethod
    def setUpClass(cls):
        cls.holder, cls.python = install_wheel()
        cls.addClassCleanup(cls.holder.cleanup)
        global clipmill, np
        import numpy as np

        import clipmill

    def check_worlds(self, path):
        """The largest difference of a matrix at the frames of all clips; of how many matrices."""
        asset = clipmill.load(path, meshes=False)
        gltf = corpus.evaluator().Gltf(str(path))
        ids = [node['id'] for node in asset.info()['nodes']]
        worst, count = 0.0, 0
        for clip, animation in zip(asset.clips, gltf.json.get('animations', [])):
            motion = asset.sample(clip)
            worlds, times = motion.worlds(), motion.times
            for frame in {0, len(times) // 3, len(times) // 2, len(times) - 1}:
                expected = gltf.worlds(gltf.sample(animation, times[frame]))
                for node, source in enumerate(ids):
                    other = np.array(expected[source])
                    size = max(1.0, np.abs(other).max())
                    worst = max(worst, np.abs(worlds[frame, node] - other).max() / size)
                    count += 1
        return worst, count

    def test_worlds_are_those_of_the_independent_evaluator(self):
        if not corpus.CORPUS:
            self.skipTest('needs the corpus')
        paths = [HUMANOID, *corpus.gltf_files()]
        total, worst = 0, 0.0
        for path in paths:
            with self.subTest(path=path.name):
                if b'"EXT_meshopt_compression"' in path.read_bytes():
                    continue  # which the evaluator does not decode
                error, count = self.check_worlds(path)
                self.assertLess(error, TOLERANCE)
                worst, total = max(worst, error), total + count
        print(f'{total} matrices of {len(paths)} files: {worst:.1e} apart')
        self.assertGreater(total, 1000)

    def test_runs_write_the_bytes_of_the_command_line(self):
        recipes = [
            (HUMANOID, SAMPLES / 'dynamic-bones' / 'recipe.toml'),
            (HUMANOID_FBX, SAMPLES / 'dynamic-bones' / 'recipe.toml'),
            (SAMPLES / 'stretch' / 'humanoid.glb', SAMPLES / 'stretch' / 'recipe.toml'),
        ]
        for source, recipe in recipes:
            with self.subTest(source=source):
                theirs = self.folder / ('a' + source.suffix)
                ours = self.folder / ('b' + source.suffix)
                self.run_clipmill('run', source, '--recipe', recipe, '-o', theirs, '-q')
                report = clipmill.run(clipmill.load(source), recipe, ours)
                self.assertEqual(theirs.read_bytes(), ours.read_bytes())
                self.assertEqual(report['status'], 'ok')
        as_dict = {'stage': [{'type': 'stretch', 'distance_m': 5.0}], 'output': {'keys': 'all'}}
        source = SAMPLES / 'stretch' / 'humanoid.glb'
        clipmill.run(source, as_dict, self.folder / 'c.glb', clips=['Leap'])
        (self.folder / 'r.json').write_text(json.dumps(as_dict))
        self.run_clipmill(
            *('run', source, '--recipe', 'r.json', '--clip', 'Leap', '-o', 'd.glb', '-q')
        )
        self.assertEqual(
            (self.folder / 'c.glb').read_bytes(), (self.folder / 'd.glb').read_bytes()
        )

    def test_what_numpy_changes_is_written_and_nothing_else(self):
        for source in (HUMANOID, HUMANOID_FBX):
            with self.subTest(source=source.suffix):
                target = self.folder / ('out' + source.suffix)
                asset = clipmill.load(source)
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
                again = clipmill.load(target).sample('Walk')
                self.assertLess(np.abs(again.worlds() - motion.worlds()).max(), 1e-6)
                others = [c.name for c in asset.clips if c.name != 'Walk']
                for clip in clipmill.diff(source, target)['clips']:
                    if clip['clip'] in others:
                        self.assertEqual(clip['max_mm'], 0.0)

    def test_arrays_keep_their_file_in_memory_and_are_no_copies(self):
        asset = clipmill.load(HUMANOID)
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
        asset = clipmill.load(HUMANOID)
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

    def test_a_stage_in_python_runs_between_others(self):
        @clipmill.stage
        def lift(motion, height):
            motion.translations[:, 0, 1] += height
            return {'lifted_m': height}

        target = self.folder / 'lifted.glb'
        recipe = {'stage': [{'type': 'mirror'}, lift(height=0.25), {'type': 'mirror'}]}
        report = clipmill.run(HUMANOID, recipe, target, clips=['Walk'])
        stages = report['clips'][0]['stages']
        self.assertEqual([s['type'] for s in stages], ['mirror', 'lift', 'mirror'])
        self.assertEqual(stages[1]['metrics']['after'], {'lifted_m': 0.25})
        before = clipmill.load(HUMANOID).sample('Walk').worlds()
        after = clipmill.load(target).sample('Walk').worlds()
        moved = after[:, 0, :3, 3] - before[:, 0, :3, 3]
        self.assertLess(np.abs(moved - [0, 0.25, 0]).max(), 1e-3)

        @clipmill.stage
        def broken(motion):
            raise KeyError('no such thing')

        with self.assertRaisesRegex(KeyError, 'no such thing'):
            clipmill.run(HUMANOID, {'stage': [broken()]}, self.folder / 'broken.glb')

        @clipmill.stage
        def spoil(motion):
            motion.translations[:] = float('nan')

        with self.assertRaisesRegex(clipmill.Error, 'not finite'):
            clipmill.run(HUMANOID, {'stage': [spoil()]}, self.folder / 'broken.glb')
        self.assertFalse((self.folder / 'broken.glb').exists())

    def test_errors_have_code_location_and_remedy(self):
        with self.assertRaises(clipmill.Error) as raised:
            clipmill.load(self.folder / 'none.glb')
        self.assertEqual(raised.exception.code, 'not_found')
        self.assertIn('none.glb', raised.exception.location)
        with self.assertRaises(clipmill.Error) as raised:
            clipmill.run(HUMANOID, {'stage': [{'type': 'strech'}]}, self.folder / 'o.glb')
        self.assertEqual(raised.exception.code, 'recipe')
        self.assertIn("'stretch'", raised.exception.remedy)
        asset = clipmill.load(HUMANOID)
        motion = clipmill.load(SAMPLES / 'stretch' / 'humanoid.glb').sample()
        with self.assertRaises(clipmill.Error) as raised:
            asset.save(self.folder / 'o.glb', motion)
        self.assertEqual(raised.exception.code, 'usage')
        with self.assertRaisesRegex(LookupError, 'Walk'):
            asset.sample('Wolk')

    def test_progress_is_called_and_what_it_raises_ends_the_run(self):
        steps = []
        recipe = SAMPLES / 'dynamic-bones' / 'recipe.toml'
        target = self.folder / 'o.glb'
        clipmill.run(HUMANOID, recipe, target, progress=lambda *step: steps.append(step))
        self.assertEqual([s[0] for s in steps][:2], ['load', 'sample'])
        self.assertIn('dynamic-bones', {s[0] for s in steps})

        def stop(step, done, total):
            if step == 'dynamic-bones':
                raise RuntimeError('enough')

        target.unlink()
        with self.assertRaisesRegex(RuntimeError, 'enough'):
            clipmill.run(HUMANOID, recipe, target, progress=stop)
        self.assertFalse(target.exists())
        # The next run is not ended by it.
        clipmill.run(HUMANOID, recipe, target, clips=['Idle'])

    def test_an_interrupt_ends_a_run_and_nothing_is_written(self):
        script = self.folder / 'long.py'
        script.write_text(
            'import clipmill, signal\n'
            # Shells start background jobs with the signal ignored.
            'signal.signal(signal.SIGINT, signal.default_int_handler)\n'
            'print("ready", flush=True)\n'
            'try:\n'
            f'    clipmill.run({str(HUMANOID)!r}, {{"stage": [{{"type": "retime", '
            '"duration_s": 2000}, {"type": "dynamic-bones", "auto": True}]}, "o.glb")\n'
            'except KeyboardInterrupt:\n'
            '    print("interrupted", flush=True)\n'
        )
        process = subprocess.Popen(
            [self.python, script], cwd=self.folder, stdout=subprocess.PIPE, text=True
        )
        self.assertEqual(process.stdout.readline().strip(), 'ready')
        time.sleep(1.0)
        self.assertIsNone(process.poll(), 'the run is too short for this test')
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        rest = process.communicate(timeout=60)[0]
        self.assertEqual(rest.strip(), 'interrupted')
        print(f'ended {time.monotonic() - start:.2f} s after the signal')
        self.assertEqual(list(self.folder.glob('*o.glb*')), [])

    def test_other_threads_work_during_a_run(self):
        results, ticks, is_done = {}, [], threading.Event()

        def work(name):
            target = self.folder / f'{name}.glb'
            clipmill.run(HUMANOID, SAMPLES / 'dynamic-bones' / 'recipe.toml', target, threads=1)
            results[name] = target.read_bytes()

        def tick():
            while not is_done.wait(0.005):
                ticks.append(time.monotonic())

        ticker = threading.Thread(target=tick)
        threads = [threading.Thread(target=work, args=(name,)) for name in ('a', 'b')]
        ticker.start()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        is_done.set()
        ticker.join()
        self.assertEqual(results['a'], results['b'])
        self.assertGreater(len(ticks), 10)

    def test_a_thousand_loads_leave_no_memory_behind(self):
        def load_all(count):
            for _ in range(count):
                asset = clipmill.load(HUMANOID)
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

    def test_stubs_name_what_the_module_has(self):
        stub = (ROOT / 'bindings/python/clipmill/_clipmill.pyi').read_text()
        native = clipmill._clipmill
        for name in re.findall(r'^class (\w+)', stub, re.M):
            members = re.search(rf'^class {name}.*?(?=^class |^def |\Z)', stub, re.S | re.M).group()
            for member in re.findall(r'    def (\w+)\(', members):
                self.assertTrue(hasattr(getattr(native, name), member), f'{name}.{member}')
        for name in re.findall(r'^def (\w+)', stub, re.M):
            self.assertTrue(callable(getattr(native, name)), name)


if __name__ == '__main__':
    unittest.main(warnings='ignore')
