# SPDX-License-Identifier: MIT
"""What tests of stretched clips share: runs that are made once, and paths by the evaluator."""
import json
import pathlib
import tempfile

import foot_slide
from clipmill_process import ProcessTest
from joint_paths import GltfPaths

FACTORS = (0.7, 1.5, 2.0)
KNEES = ('leftLowerLeg', 'rightLowerLeg')
SAMPLES_PER_SECOND = foot_slide.SAMPLES_PER_SECOND
STEPS_OF_ACCELERATION = SAMPLES_PER_SECOND // 30
LIMIT_OF_KNEES = 1.5
LIMIT_OF_DRIFT_MM = 5.0


class StretchedClips(ProcessTest):
    """Each clip is converted, stretched and checked once for all tests."""

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix='clipmill-test-')
        cls.addClassCleanup(holder.cleanup)
        cls.shared, cls.known = pathlib.Path(holder.name), {}

    def once(self, make, *key):
        """What `make` returns for `key` (a function and its arguments)."""
        if key not in self.known:
            self.known[key] = make()
        return self.known[key]

    def paths(self, path, clip, roles):
        """The times, at 120 samples a second, and {role: positions}, by the evaluator."""
        info = self.once(lambda: self.run_json('info', path, '--json'), 'info', path)
        span = next(c for c in info['clips'] if c['name'] == clip)
        times = foot_slide.times_of(span['start_s'], span['end_s'])
        names = {node['id']: node['name'] for node in info['nodes']}
        joints = info['humanoid']['roles']
        wanted = {role: names[joints[role]] for role in roles if role in joints}
        found = GltfPaths(path).positions(clip, times, list(wanted.values()))
        return times, {role: found[name] for role, name in wanted.items()}

    def knee_acceleration(self, path, clip):
        _, knees = self.paths(path, clip, KNEES)
        return self.acceleration_of(knees)

    def acceleration_of(self, paths):
        """The largest acceleration of a knee over steps of 1/30 s."""
        import numpy

        knees = {role: paths[role] for role in KNEES}
        k = STEPS_OF_ACCELERATION
        step = (k / SAMPLES_PER_SECOND) ** 2
        return max(
            numpy.linalg.norm(p[2 * k :] - 2 * p[k:-k] + p[: -2 * k], axis=1).max() / step
            for p in knees.values()
        )

    def check(self, path, clip):
        def make():
            return self.run_json('check', path, '--clip', clip, '--json')['clips'][0]

        return self.once(make, 'check', path, clip)

    def stretched(self, path, clip, distances, *arguments):
        """[(stretched file, report of its clip)] for each distance, by one run."""

        def make():
            number = sum(key[0] == 'stretch' for key in self.known)
            numbers = ','.join(map(repr, distances))
            self.run_clipmill(
                *('stretch', path, '--clip', clip, '--distance-m', numbers, *arguments),
                *('-o', self.shared / f'{number}.glb', '--report', 'report.json', '-q'),
            )
            outputs = json.loads((self.folder / 'report.json').read_text())['outputs']
            self.assertEqual(len(outputs), len(distances))
            return [
                (self.folder / output['output'], output['clips'][0]['stages'][0])
                for output in outputs
            ]

        return self.once(make, 'stretch', path, clip, distances, arguments)

    def as_glb(self, path):
        def make():
            target = self.shared / (path.stem + '.glb')
            self.run_clipmill('convert', path, '-o', target, '-q')
            return target

        return path if path.suffix == '.glb' else self.once(make, 'convert', path)
