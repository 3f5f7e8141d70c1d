# SPDX-License-Identifier: MIT
"""Runs of the Python module: against the command line byte for byte, stages in Python, errors,
progress, interrupts and threads."""
import json
import signal
import subprocess
import threading
import time
import unittest

import numpy as np
from clipmill_process import SAMPLES
from python_module import HUMANOID, ModuleTest

# Some tenths of a second for a clip.
RECIPE = {'stage': [{'type': 'dynamic-bones', 'chain': [{'root': 'Tail1', 'preset': 'tail'}]}]}
LONG = {
    'stage': [{'type': 'retime', 'duration_s': 2000}, {'type': 'dynamic-bones', 'auto': True}]
}


class PythonRuns(ModuleTest):
    def test_runs_write_the_bytes_of_the_command_line(self):
        recipes = sorted(SAMPLES.glob('*/recipe.toml'))
        pairs = [(r, f) for r in recipes for f in r.parent.glob('humanoid*.[gf][lb]*')]
        self.assertGreaterEqual(len(pairs), 6)
        for recipe, source in pairs:
            with self.subTest(recipe=recipe.parent.name, source=source.name):
                theirs = self.folder / ('a' + source.suffix)
                ours = self.folder / ('b' + source.suffix)
                asset = self.clipmill.load(source)
                clips = [clip.name for clip in asset.clips[-1:]]
                flags = [f'--clip={clip}' for clip in clips]
                self.run_clipmill('run', source, '--recipe', recipe, '-o', theirs, '-q', *flags)
                report = self.clipmill.run(asset, recipe, ours, clips=clips)
                self.assertEqual(theirs.read_bytes(), ours.read_bytes())
                self.assertEqual(report['status'], 'ok')
        print(f'{len(pairs)} files with their recipes: equal bytes')

    def test_recipes_are_dictionaries_and_texts_too(self):
        recipe = {'stage': [{'type': 'stretch', 'distance_m': 5.0}], 'output': {'keys': 'all'}}
        source = SAMPLES / 'stretch' / 'humanoid.glb'
        self.file('r.json', json.dumps(recipe))
        flags = ('--clip', 'Leap', '-o', 'theirs.glb', '-q')
        self.run_clipmill('run', source, '--recipe', 'r.json', *flags)
        theirs = (self.folder / 'theirs.glb').read_bytes()
        for kind in (recipe, json.dumps(recipe), self.folder / 'r.json'):
            self.clipmill.run(source, kind, self.folder / 'ours.glb', clips=['Leap'])
            self.assertEqual((self.folder / 'ours.glb').read_bytes(), theirs)

    def test_clips_are_retargeted_as_by_the_command_line(self):
        character = SAMPLES / 'tet-bake' / 'humanoid.glb'
        source = SAMPLES / 'stretch' / 'humanoid.glb'
        self.run_clipmill(
            *('run', character, '--clip-from', source, '--keep-feet', '-o', 'theirs.glb', '-q')
        )
        report = self.clipmill.retarget(
            character, self.clipmill.load(source), self.folder / 'ours.glb', keep_feet=True
        )
        self.assertEqual(report['status'], 'ok')
        self.assertEqual(
            (self.folder / 'ours.glb').read_bytes(), (self.folder / 'theirs.glb').read_bytes()
        )
        self.clipmill.retarget(
            character, source, self.folder / 'ours.glb', recipe={'input': {'keep_feet': True}}
        )
        self.assertEqual(
            (self.folder / 'ours.glb').read_bytes(), (self.folder / 'theirs.glb').read_bytes()
        )
        chosen = {'input': {'clip_from_clip': 'Leap'}}
        report = self.clipmill.retarget(
            character, source, self.folder / 'leap.glb', recipe=chosen, dry_run=True
        )
        self.assertEqual([clip['clip'] for clip in report['clips']], ['Leap'])
        self.assertFalse((self.folder / 'leap.glb').exists())

    def test_check_diff_and_schema_are_those_of_the_command_line(self):
        source = SAMPLES / 'self-collision' / 'humanoid_fat.glb'
        self.assertEqual(
            self.clipmill.check(source), self.run_json('check', source, '--json')
        )
        clip = 'ArmsThroughBelly'
        self.assertEqual(
            self.clipmill.check(self.clipmill.load(source), [clip])['clips'],
            self.run_json('check', source, '--clip', clip, '--json')['clips'],
        )
        changed = self.folder / 'changed.glb'
        self.run_clipmill('self-collision', source, '-o', changed, '-q')
        theirs = self.run_json('diff', source, changed, '--json', exit_code=None)
        self.assertEqual(self.clipmill.diff(source, changed), theirs)
        self.assertGreater(max(clip['max_mm'] for clip in theirs['clips']), 1.0)
        self.assertEqual(self.clipmill.schema(), self.run_json('--schema'))

    def test_a_stage_in_python_runs_between_others(self):
        @self.clipmill.stage
        def lift(motion, height):
            motion.translations[:, 0, 1] += height
            return {'lifted_m': height}

        target = self.folder / 'lifted.glb'
        recipe = {'stage': [{'type': 'mirror'}, lift(height=0.25), {'type': 'mirror'}]}
        report = self.clipmill.run(HUMANOID, recipe, target, clips=['Walk'])
        stages = report['clips'][0]['stages']
        self.assertEqual([s['type'] for s in stages], ['mirror', 'lift', 'mirror'])
        self.assertEqual(stages[1]['metrics']['after'], {'lifted_m': 0.25})
        before = self.clipmill.load(HUMANOID).sample('Walk').worlds()
        after = self.clipmill.load(target).sample('Walk').worlds()
        moved = after[:, 0, :3, 3] - before[:, 0, :3, 3]
        self.assertLess(np.abs(moved - [0, 0.25, 0]).max(), 1e-3)

        @self.clipmill.stage
        def broken(motion):
            raise KeyError('no such thing')

        with self.assertRaisesRegex(KeyError, 'no such thing'):
            self.clipmill.run(HUMANOID, {'stage': [broken()]}, self.folder / 'broken.glb')

        @self.clipmill.stage
        def spoil(motion):
            motion.translations[:] = float('nan')

        with self.assertRaisesRegex(self.clipmill.Error, 'not finite'):
            self.clipmill.run(HUMANOID, {'stage': [spoil()]}, self.folder / 'broken.glb')
        self.assertFalse((self.folder / 'broken.glb').exists())

    def test_errors_have_code_location_and_remedy(self):
        with self.assertRaises(self.clipmill.Error) as raised:
            self.clipmill.load(self.folder / 'none.glb')
        self.assertEqual(raised.exception.code, 'not_found')
        self.assertIn('none.glb', raised.exception.location)
        with self.assertRaises(self.clipmill.Error) as raised:
            self.clipmill.run(HUMANOID, {'stage': [{'type': 'strech'}]}, self.folder / 'o.glb')
        self.assertEqual(raised.exception.code, 'recipe')
        self.assertIn("'stretch'", raised.exception.remedy)
        asset = self.clipmill.load(HUMANOID)
        motion = self.clipmill.load(SAMPLES / 'stretch' / 'humanoid.glb').sample()
        with self.assertRaises(self.clipmill.Error) as raised:
            asset.save(self.folder / 'o.glb', motion)
        self.assertEqual(raised.exception.code, 'usage')
        with self.assertRaisesRegex(LookupError, 'Walk'):
            asset.sample('Wolk')

    def test_progress_is_called_and_what_it_raises_ends_the_run(self):
        steps = []
        target = self.folder / 'o.glb'

        def record(*step):
            steps.append(step)

        self.clipmill.run(HUMANOID, RECIPE, target, clips=['Walk'], progress=record)
        self.assertEqual([s[0] for s in steps][:2], ['load', 'sample'])
        self.assertIn('dynamic-bones', {s[0] for s in steps})

        def stop(step, done, total):
            if step == 'dynamic-bones':
                raise RuntimeError('enough')

        target.unlink()
        with self.assertRaisesRegex(RuntimeError, 'enough'):
            self.clipmill.run(HUMANOID, RECIPE, target, progress=stop)
        self.assertFalse(target.exists())
        # The next run is not ended by it.
        self.clipmill.run(HUMANOID, RECIPE, target, clips=['Idle'])

    def test_an_interrupt_ends_a_run_and_nothing_is_written(self):
        self.assert_interrupted(f'{LONG}')

    def test_an_interrupt_ends_a_stage_in_python(self):
        self.assert_interrupted('{"stage": [endless()]}')

    def assert_interrupted(self, recipe):
        """A process with a run of this recipe, Python code, ends soon after SIGINT."""
        script = self.folder / 'long.py'
        script.write_text(
            'import clipmill, signal, time\n'
            # Shells start background jobs with the signal ignored.
            'signal.signal(signal.SIGINT, signal.default_int_handler)\n'
            '@clipmill.stage\n'
            'def endless(motion):\n'
            '    while True:\n'
            '        time.sleep(0.01)\n'
            'print("ready", flush=True)\n'
            'try:\n'
            f'    clipmill.run({str(HUMANOID)!r}, {recipe}, "o.glb")\n'
            'except KeyboardInterrupt:\n'
            '    print("interrupted", flush=True)\n'
            # Nothing is left of it that would end the next run.
            f'clipmill.run({str(HUMANOID)!r}, {{"stage": [{{"type": "mirror"}}]}}, "next.glb")\n'
            'print("next", flush=True)\n'
        )
        process = subprocess.Popen(
            [self.python, script], cwd=self.folder, stdout=subprocess.PIPE, text=True
        )
        self.assertEqual(process.stdout.readline().strip(), 'ready')
        time.sleep(1.0)
        self.assertIsNone(process.poll(), 'the run is too short for this test')
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        self.assertEqual(process.stdout.readline().strip(), 'interrupted')
        print(f'ended {time.monotonic() - start:.2f} s after the signal')
        self.assertEqual(process.communicate(timeout=60)[0].strip(), 'next')
        self.assertTrue((self.folder / 'next.glb').is_file())
        self.assertEqual(list(self.folder.glob('*o.glb*')), [])

    def test_other_threads_work_during_runs(self):
        results, ticks, is_done = {}, [], threading.Event()

        def work(name):
            target = self.folder / f'{name}.glb'
            self.clipmill.run(HUMANOID, RECIPE, target, threads=1)
            results[name] = target.read_bytes()

        def tick():
            while not is_done.wait(0.001):
                ticks.append(time.monotonic())

        ticker = threading.Thread(target=tick)
        threads = [threading.Thread(target=work, args=(name,)) for name in 'abcd']
        ticker.start()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        is_done.set()
        ticker.join()
        self.assertEqual(len(results), 4)
        self.assertEqual(len(set(results.values())), 1)
        self.assertGreater(len(ticks), 10)

    def test_a_run_that_ends_early_leaves_others_alone(self):
        has_started, reports = threading.Event(), []

        def work():
            reports.append(
                self.clipmill.run(
                    HUMANOID, RECIPE, self.folder / 'whole.glb', threads=1,
                    progress=lambda *_: has_started.set(),
                )
            )

        def stop(step, done, total):
            raise RuntimeError('enough')

        thread = threading.Thread(target=work)
        thread.start()
        self.assertTrue(has_started.wait(60))
        stopped = 0
        while thread.is_alive():
            with self.assertRaisesRegex(RuntimeError, 'enough'):
                self.clipmill.run(HUMANOID, RECIPE, self.folder / 'part.glb', progress=stop)
            stopped += 1
        thread.join()
        self.assertGreater(stopped, 0)
        self.assertEqual([report['status'] for report in reports], ['ok'])
        self.assertFalse((self.folder / 'part.glb').exists())


if __name__ == '__main__':
    unittest.main(warnings='ignore')
