# SPDX-License-Identifier: MIT
"""@pixiv/three-vrm-animation plays VRM animations that we write; we play its sample alike."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

import numpy as np

import corpus
import vrm_maker
from clipmill_process import ProcessTest

HERE = pathlib.Path(__file__).resolve().parent
MODULES = pathlib.Path(os.environ.get('CLIPMILL_NODE_MODULES', ''))
VRM = corpus.CORPUS / 'vrm'
SAMPLE = VRM / 'pixiv__test.vrma'
ROBOT = VRM / 'saturday06__debug_robot.vrm'
GODETTE = VRM / 'V-Sekai__Godette_vrm_v4.vrm'
ANGLE = 1e-4  # rad
WEIGHT = 1e-5


def played(*jobs):
    """What vrma.mjs finds, one response a job."""
    jobs = [{k: str(v) if k in ('model', 'vrma') else v for k, v in job.items()} for job in jobs]
    process = subprocess.run(
        ['node', HERE / 'vrma.mjs', MODULES],
        input=json.dumps(jobs).encode(),
        capture_output=True,
        timeout=600,
    )
    if process.returncode:
        raise AssertionError(process.stderr.decode())
    return json.loads(process.stdout)


def angle(a, b):
    """The largest angle between two rows of quaternions, in radians."""
    a, b = (q / np.linalg.norm(q, axis=-1, keepdims=True) for q in (np.array(a), np.array(b)))
    sign = np.where((a * b).sum(-1, keepdims=True) < 0, -1.0, 1.0)
    apart = np.linalg.norm(a - sign * b, axis=-1)
    return float((4 * np.arcsin(np.minimum(1, apart / 2))).max())


def largest_angle(a, b, skipped=()):
    roles = [role for role in a['bones'] if role not in skipped]
    return max((angle(a['bones'][r], b['bones'][r]), r) for r in roles)


def swing(response):
    return max(angle(q, [q[0]] * len(q)) for q in response['bones'].values())


def largest_morph(a, b):
    return max(
        (np.abs(np.array(a['morphs'][n]) - b['morphs'][n]).max() for n in a['morphs']), default=0.0
    )


class VrmaTest(ProcessTest):
    def frames(self, seconds, fps=30):
        return [i / fps for i in range(int(seconds * fps))]

    def animation_count(self, path):
        content = path.read_bytes()
        return json.loads(content[20 : 20 + int.from_bytes(content[12:16], 'little')]).get(
            'animations', []
        )

    def clip_put_on(self, model, source, *flags):
        """The model with the clips of `source`; the index of the first of them."""
        output = self.folder / ('put_on' + model.suffix)
        self.run_clipmill(
            'run', model, '--clip-from', source, '-o', output, '--keys', 'all', '-q', *flags
        )
        return output, len(self.animation_count(model))

    def check_alike(self, model, vrma, times, skipped=()):
        """A VRM animation, put on the model by us and played by three-vrm-animation."""
        output, index = self.clip_put_on(model, vrma)
        theirs, ours = played(
            {'model': model, 'vrma': vrma, 'times': times},
            {'model': output, 'index': index, 'times': times},
        )
        self.assertGreater(swing(theirs), 0.1, 'nothing moves')
        apart, role = largest_angle(theirs, ours, skipped)
        morphs = largest_morph(theirs, ours)
        print(
            f'{vrma.name} on {model.name}: joints {apart:.1e} rad ({role}), morphs {morphs:.1e}, '
            f'{len(theirs["bones"])} joints, {len(times)} frames'
        )
        self.assertLess(apart, ANGLE, role)
        self.assertLess(morphs, WEIGHT)
        return theirs, ours

    def test_their_sample_moves_characters_of_both_versions(self):
        # Expressions of the second saturate between frames, so it is compared at frames alone.
        for model, fps in ((ROBOT, 60), (GODETTE, 30)):
            with self.subTest(model.name):
                self.check_alike(model, SAMPLE, self.frames(3.0, fps))

    def characters(self):
        # Without overrides: a clip of morphs knows none, and shows what an override would hide.
        for version in (1, 0):
            for gaze in ('bone', 'expression'):
                path = self.folder / f'vrm{version}_{gaze}.vrm'
                known = vrm_maker.make(path, version, 7 + version, gaze, overrides=False)
                yield path, known

    def test_ours_is_played_as_the_clip_that_it_was_made_of(self):
        for model, known in self.characters():
            with self.subTest(model.name):
                vrma = model.with_suffix('.vrma')
                self.run_clipmill('convert', model, '-o', vrma, '--keys', 'all', '-q')
                times = known['times'][:-1].tolist()
                own, theirs = played(
                    {'model': model, 'times': times},
                    {'model': model, 'vrma': vrma, 'times': times},
                )
                apart, role = largest_angle(own, theirs)
                morphs = largest_morph(own, theirs)
                weights = max(
                    np.abs(curve[:-1] - theirs['expressions'][name]).max()
                    for name, curve in known['expressions'].items()
                )
                hips = np.abs(np.array(own['hips']) - theirs['hips']).max()
                print(
                    f'{model.name}: joints {apart:.1e} rad ({role}), expressions {weights:.1e}, '
                    f'morphs {morphs:.1e}, hips {hips:.1e} m'
                )
                self.assertGreater(swing(own), 0.3)
                self.assertLess(apart, ANGLE, role)
                self.assertLess(weights, WEIGHT)
                self.assertLess(morphs, WEIGHT)
                self.assertLess(hips, 1e-5)

    def test_ours_moves_other_characters_as_we_move_them(self):
        sources = []
        for model, _ in self.characters():
            vrma = self.folder / (model.stem + '_source.vrma')
            self.run_clipmill('convert', model, '-o', vrma, '--keys', 'all', '-q')
            sources.append(vrma)
        for version in (1, 0):
            target = self.folder / f'other{version}.vrm'
            vrm_maker.make(target, version, 40 + version, overrides=version == 1, height=1.3)
            for vrma in sources:
                with self.subTest(vrma.name, version=version):
                    theirs, ours = self.check_alike(target, vrma, self.frames(2.0))
                    hips = np.abs(np.array(theirs['hips']) - ours['hips']).max()
                    self.assertLess(hips, 1e-4)

    def test_reduced_keys_stay_within_the_tolerance(self):
        model, known = next(self.characters())
        vrma = self.folder / 'reduced.vrma'
        self.run_clipmill('convert', model, '-o', vrma, '-q')
        times = known['times'][:-1].tolist()
        own, theirs = played(
            {'model': model, 'times': times}, {'model': model, 'vrma': vrma, 'times': times}
        )
        apart, role = largest_angle(own, theirs)
        print(f'reduced keys: {apart:.1e} rad ({role})')
        self.assertLess(apart, 1e-3, role)

    def test_clips_of_other_formats_become_animations(self):
        """Limbs point where those of the FBX clip do, whose bones have names of another family."""
        vrma = self.folder / 'clip.vrma'
        self.run_clipmill('convert', KENNEY, '-o', vrma, '--keys', 'all', '-q')
        times = self.frames(20 / 24, 24)
        (theirs,) = played({'model': ROBOT, 'vrma': vrma, 'times': times})
        seconds = ','.join(f'{t:.9f}' for t in times)
        poses = self.run_clipmill('poses', KENNEY, '--space', 'metric', '--times', seconds)
        source = source_points(json.loads(poses.stdout))
        moves = 0.0
        for (start, end), (source_start, source_end) in LIMBS.items():
            there = direction(theirs['points'][start], theirs['points'][end])
            here = direction(source[source_start], source[source_end])
            apart = np.degrees(np.arccos(np.clip((there * here).sum(-1), -1, 1)))
            moves = max(moves, np.degrees(np.arccos(np.clip(here @ here[0], -1, 1))).max())
            print(f'{KENNEY.name}: {start} {apart.max():.2f} degrees')
            self.assertLess(apart.max(), 2.0, start)
        self.assertGreater(moves, 40.0)


def source_points(poses):
    """World positions of joints by name, a row a time."""
    worlds = np.array(poses['clips'][0]['world'])  # frames, nodes, rows of 3 x 4
    return {path.split('/')[-1]: worlds[:, i, 3::4] for i, path in enumerate(poses['nodes'])}


def direction(start, end):
    bone = np.array(end) - np.array(start)
    return bone / np.linalg.norm(bone, axis=-1, keepdims=True)


KENNEY = corpus.FBX / 'maya_kenney_character_7700_binary.fbx'
LIMBS = {
    (side.lower() + start, side.lower() + end): (side + source_start, side + source_end)
    for side in ('Left', 'Right')
    for start, end, source_start, source_end in (
        ('UpperArm', 'LowerArm', 'Arm', 'ForeArm'),
        ('LowerArm', 'Hand', 'ForeArm', 'Hand'),
        ('UpperLeg', 'LowerLeg', 'UpLeg', 'Leg'),
        ('LowerLeg', 'Foot', 'Leg', 'Foot'),
    )
}


if __name__ == '__main__':
    if not (MODULES / '@pixiv/three-vrm-animation').is_dir():
        print('skipped: no three-vrm-animation; scripts/interop.sh installs it')
        sys.exit(77)
    corpus.skip_unless_present()
    unittest.main()
