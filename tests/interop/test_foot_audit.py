# SPDX-License-Identifier: MIT
"""Drift of planted feet of FBX clips as FBX2glTF sees them, which carries the FBX SDK of Autodesk,
against `check`: a run with keys at 24 a second, as it is and stretched, and samples."""
import os
import pathlib
import shutil
import subprocess
import unittest

import corpus
import foot_slide
from clipmill_process import SAMPLES, ProcessTest
from joint_paths import GltfPaths

CONVERTER = (
    pathlib.Path(os.environ['CLIPMILL_NODE_MODULES']) / 'fbx2gltf' / 'bin' / 'Linux' / 'FBX2glTF'
)
RUN = corpus.FBX / 'maya_kenney_character_7700_binary.fbx'
WALK = SAMPLES / 'dynamic-bones' / 'humanoid.fbx'
LEAP = SAMPLES / 'stretch' / 'humanoid.fbx'
# Source, clip, distance [m] and more arguments of stretch; no distance: as it is.
CLIPS = [
    (RUN, 'Take 001', 4.0, ('--still', 'linear', '--feet', 'lock')),
    (WALK, 'WalkForward', None, ()),
    (WALK, 'WalkForward', 1.8, ()),
    (LEAP, 'Leap', None, ()),
    (LEAP, 'Leap', 2.1, ()),
    (LEAP, 'Leap', 4.5, ()),
]
# Between baked frames FBX2glTF's result is straight.
BAKED_FPS = 60


class FootAudit(ProcessTest):
    def setUp(self):
        super().setUp()
        # npm leaves the program without the right to run.
        self.converter = self.folder / 'FBX2glTF'
        shutil.copy(CONVERTER, self.converter)
        self.converter.chmod(0o755)

    def converted(self, path):
        target = self.folder / 'converted'
        process = subprocess.run(
            [self.converter, '-i', path, '-o', target, '--binary']
            + ['--anim-framerate', f'bake{BAKED_FPS}'],
            capture_output=True,
            text=True,
            timeout=300,
        )
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        return GltfPaths(target.with_suffix('.glb'))

    def test_drift_of_balls_is_what_another_reader_sees(self):
        for path, clip, distance_m, arguments in CLIPS:
            with self.subTest(path=path.name, clip=clip, distance_m=distance_m):
                shown = path
                if distance_m:
                    shown = self.folder / 'out.fbx'
                    options = ('--clip', clip, '--distance-m', distance_m, *arguments, '-q')
                    self.run_clipmill('stretch', path, *options, '-o', shown)
                info = self.run_json('info', shown, '--json')
                names = {node['id']: node['name'] for node in info['nodes']}
                roles = info['humanoid']['roles']
                start = next(c['start_s'] for c in info['clips'] if c['name'] == clip)
                check = self.run_json('check', shown, '--clip', clip, '--json')['clips'][0]
                file = self.converted(shown)
                # Its clips start at zero.
                times = foot_slide.times_of(*file.span(clip))
                errors = []
                for contact in check['contacts'] + check['ground_spans']:
                    side, part = contact['part'].split()
                    if part != 'ball' or side + 'Toes' not in roles:
                        continue
                    joint = names[roles[side + 'Toes']]
                    span = {k: contact[k] - start for k in ('start_s', 'end_s')}
                    track = file.positions(clip, times, [joint])[joint]
                    drift = foot_slide.drift_mm(track, times, span)
                    errors.append(abs(drift - contact['drift_mm']))
                    self.assertLess(errors[-1], 0.5 + 0.05 * drift, contact)
                print(
                    f'{path.name} {clip} {distance_m}: {len(errors)} spans of balls, drift '
                    f"{max(errors, default=0):.2f} mm apart, planted_drift_mm "
                    f"{check['measures']['planted_drift_mm']:.2f}"
                )
                if path != RUN or distance_m:
                    self.assertGreater(len(errors), 1)


if __name__ == '__main__':
    unittest.main(warnings="ignore")
