# SPDX-License-Identifier: MIT
"""Walks that get longer by whole cycles of steps, measured on the written files by an independent
evaluator."""
import json
import math
import unittest

import corpus
from clipmill_process import SAMPLES, ProcessTest

HUMANOID = SAMPLES / 'dynamic-bones' / 'humanoid.glb'
CLIP = 'WalkForward'
SAMPLES_PER_SECOND = 30
SHARE_OF_STEPS = 0.02


class AddedSteps(ProcessTest):
    def stretched(self, source, distance_m, *more):
        """The stretched file, and the report of the stage."""
        target = self.folder / f'{source.stem}_{distance_m}.glb'
        arguments = ('--distance-m', str(distance_m), *more, '--report', 'report.json', '-q')
        self.run_clipmill('stretch', source, '--clip', CLIP, '-o', target, *arguments)
        report = json.loads((self.folder / 'report.json').read_text())
        return target, report['clips'][0]['stages'][0]

    def uneven_walk(self):
        """Two and a half cycles whose later steps are longer, with no frame like another one."""
        walk, _ = self.stretched(HUMANOID, 3.6, '--add-steps')
        part, uneven = self.folder / 'part.glb', self.folder / 'uneven.glb'
        cut = ('--start-s', '0.3', '--end-s', '2.9')
        self.run_clipmill('trim', walk, '--clip', CLIP, *cut, '-o', part, '-q')
        window = ('--window', 'distance_m=1.6;start_s=1.3;end_s=2.5')
        self.run_clipmill('stretch', part, '--clip', CLIP, *window, '-o', uneven, '-q')
        return uneven

    def worlds(self, path):
        """{joint name: positions}, and the local rotations, 30 times a second."""
        import numpy

        module = corpus.evaluator()
        info = self.run_json('info', path, '--json')
        index = [c['name'] for c in info['clips']].index(CLIP)
        span = info['clips'][index]
        count = round((span['end_s'] - span['start_s']) * SAMPLES_PER_SECOND)
        times = [span['start_s'] + k / SAMPLES_PER_SECOND for k in range(count + 1)]
        poses = module.evaluate(module.Gltf(str(path)), clip=str(index), times=times)
        world = numpy.array(poses['clips'][0]['world'])
        names = [node.split('/')[-1] for node in poses['nodes']]
        return {name: world[:, n, 3::4] for n, name in enumerate(names)}

    def strides(self, path):
        """(duration, length) from each whole contact of a ball to the next one of the same foot."""
        clip = self.run_json('check', path, '--clip', CLIP, '--json')['clips'][0]
        worlds = self.worlds(path)
        strides = []
        for side, joint in (('left', 'LeftToeBase'), ('right', 'RightToeBase')):
            end_s = (len(worlds[joint]) - 1) / SAMPLES_PER_SECOND
            falls = [
                0.5 * (contact['start_s'] + contact['end_s'])
                for contact in clip['contacts']
                if contact['part'] == f'{side} ball'
                and contact['start_s'] > 0.01
                and contact['end_s'] < end_s - 0.01
            ]
            for first, second in zip(falls, falls[1:]):
                at = [worlds[joint][round(t * SAMPLES_PER_SECOND)] for t in (first, second)]
                strides.append((second - first, math.dist(*at)))
        return strides

    def test_thirty_metres_have_the_cadence_and_the_step_length_of_three(self):
        source = self.uneven_walk()
        target, stage = self.stretched(source, 30, '--add-steps')
        few, many = self.strides(source), self.strides(target)
        self.assertGreaterEqual(len(few), 2)
        self.assertGreater(len(many), 40)
        for k, unit in enumerate(('s', 'm')):
            low, high = min(s[k] for s in few), max(s[k] for s in few)
            least, most = min(s[k] for s in many), max(s[k] for s in many)
            print(f'{low:.3f} to {high:.3f} {unit}, then {least:.3f} to {most:.3f} {unit}')
            self.assertGreater(least, (1 - SHARE_OF_STEPS) * low)
            self.assertLess(most, (1 + SHARE_OF_STEPS) * high)
        root = self.worlds(target)['Root']
        self.assertLess(abs(math.dist(root[0], root[-1]) - 30.0), 1e-3)
        codes = [warning['code'] for warning in stage['warnings']]
        self.assertIn('steps_added', codes)
        self.assertNotIn('step_length_changed', codes)

    def test_contacts_hold_and_no_joint_jumps_at_a_seam(self):
        import numpy

        source = self.uneven_walk()
        target, stage = self.stretched(source, 30, '--add-steps')
        metrics = stage['metrics']
        drift_mm = metrics['after']['planted_drift_mm']
        self.assertLess(drift_mm, metrics['before']['planted_drift_mm'] + 5.0)

        def largest_changes(path):
            return {
                name: numpy.linalg.norm(numpy.diff(p, 2, axis=0), axis=1).max()
                for name, p in self.worlds(path).items()
            }

        before, after = largest_changes(source), largest_changes(target)
        # A change of speed within one frame; 1 mm where a joint hardly has one.
        for name, change in after.items():
            self.assertLess(change, 1.5 * before[name] + 1e-3, name)

    def test_all_joints_repeat(self):
        import numpy

        target, _ = self.stretched(HUMANOID, 12, '--add-steps')
        worlds = self.worlds(target)
        frames = 32  # of one cycle
        self.assertEqual(len(worlds['Root']), 10 * frames + 1)
        for name, path in worlds.items():
            if math.dist(path[0], path[-1]) > 0.1:  # not a mesh beside the skeleton
                path = path - worlds['Root']
            self.assertLess(numpy.abs(path[frames:] - path[:-frames]).max(), 5e-4, name)

    def test_walks_and_runs_of_a_real_character_get_ten_times_as_long(self):
        barbarian = corpus.CORPUS / 'gltf' / 'KayKit-Game-Assets__Barbarian.glb'
        for clip in ('Walking_A', 'Walking_C', 'Running_B'):
            check = self.run_json('check', barbarian, '--clip', clip, '--json')['clips'][0]
            measures = check['measures']
            stride_m = measures['treadmill_speed_mps'] * measures['duration_s']
            walk, long = self.folder / 'walk.glb', self.folder / 'long.glb'
            self.run_clipmill(
                *('stretch', barbarian, '--clip', clip, '--distance-m', repr(stride_m)),
                *('--still', 'linear', '-o', walk, '-q'),
            )
            self.run_clipmill(
                *('stretch', walk, '--clip', clip, '--distance-m', repr(10 * stride_m)),
                *('--add-steps', '-o', long, '--report', 'report.json', '-q'),
            )
            report = json.loads((self.folder / 'report.json').read_text())
            metrics = report['clips'][0]['stages'][0]['metrics']
            self.assertEqual(metrics['after']['cycles_added'], 9)
            drifts = [
                self.run_json('check', p, '--clip', clip, '--json')['clips'][0]['measures']
                for p in (walk, long)
            ]
            before, after = (d['planted_drift_mm'] for d in drifts)
            print(f'{clip}: {stride_m:.2f} m, ten times: {before:.1f} -> {after:.1f} mm')
            self.assertLess(after, before + 5.0)
            # A cycle is found to one of 60 samples a second, and repeats nine times.
            longer_s = drifts[1]['duration_s'] - measures['duration_s']
            self.assertLess(abs(longer_s - 9 * measures['duration_s']), 9 / 60 + 1 / 30)
            self.assertLess(abs(drifts[1]['root_net_m'] - 10 * stride_m), 1e-3)

    def test_a_clip_without_a_cycle_is_refused(self):
        leap = SAMPLES / 'stretch' / 'humanoid.glb'
        cases = ((leap, 'Leap'), (leap, 'Lunge'), (HUMANOID, 'Idle'))
        for path, clip in cases:
            arguments = ('--clip', clip, '--distance-m', '12', '--still', 'linear', '--add-steps')
            run = self.run_clipmill('stretch', path, *arguments, '-o', 'out.glb', exit_code=None)
            self.assertNotEqual(run.returncode, 0)
            self.assertIn('cycle of steps', run.stderr)
            self.assertFalse((self.folder / 'out.glb').exists())


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
