# SPDX-License-Identifier: MIT
"""Contacts of every clip of the corpus and the samples that is named after a gait or a jump, in all
formats, against heights that an independent evaluator finds; drift and skate against its paths."""
import collections
import json
import re
import unittest

import corpus
import foot_slide
from clipmill_process import SAMPLES, ProcessTest
from joint_paths import GltfPaths
from test_bvh import JUMP, BvhFile

GLTF = corpus.CORPUS / 'gltf'
FILES = [
    GLTF / 'KayKit-Game-Assets__Barbarian.glb',
    GLTF / 'gdquest-demos__godot-csharp' / 'mannequiny-0.3.0.glb',
    GLTF / 'godotengine__player.glb',
    GLTF / 'raysan5__robot.glb',
    SAMPLES / 'dynamic-bones' / 'humanoid.glb',
    SAMPLES / 'dynamic-bones' / 'humanoid.fbx',
    SAMPLES / 'stretch' / 'humanoid.glb',
    SAMPLES / 'stretch' / 'humanoid.fbx',
    corpus.FBX / 'maya_kenney_character_7700_binary.fbx',
    JUMP,
    corpus.CORPUS / 'vrm' / 'pixiv__test.vrma',
]
# Clips that are not named so: a run, and a standing pose.
NAMELESS = {('maya_kenney_character_7700_binary', 'Take 001'): 'run', ('pixiv__test', ''): 'idle'}
GAITS = re.compile('walk|run|jog|strafe|crouch|sneak|idle', re.IGNORECASE)
FLIGHTS = re.compile('jump|fall|leap', re.IGNORECASE)
NO_GAIT = re.compile('sit_|lie_|jump|fall', re.IGNORECASE)
SAMPLES_PER_SECOND = 60
LOW, HIGH = 0.15, 0.25  # of a leg
JOINTS = ('Foot', 'Toes')
LEGS = ('UpperLeg', 'LowerLeg', 'Foot', 'Toes')


def kind_of(stem, clip):
    """'gait', 'flight' or None by the name of a clip."""
    name = NAMELESS.get((stem, clip), clip)
    if FLIGHTS.search(name):
        return 'flight'
    return 'gait' if GAITS.search(name) and not NO_GAIT.search(name) else None


class BvhPaths:
    """The joints of the corpus' BVH file in metres, y up; by its size it is in inches."""

    SCALE_M = 0.0254

    def __init__(self, path):
        import numpy

        self.file = BvhFile(path)
        self.names = self.file.names
        self.metric = self.SCALE_M * self.file.positions()[..., [0, 2, 1]] * [1, 1, -1]
        self.own_times = numpy.arange(len(self.metric)) * self.file.frame_s

    def positions(self, clip, times, names):
        import numpy

        def path(joint):
            axes = self.metric[:, joint].T
            return numpy.stack([numpy.interp(times, self.own_times, axis) for axis in axes], axis=1)

        return {name: path(self.names.index(name)) for name in names}


def paths_of(test, path):
    """The joints of a file, without the readers of the program under test. FBX samples have a GLB
    beside them with the same clips. Kenney's character is converted; test_kenney_s_joints compares
    that with the poses of another evaluator."""
    if path == JUMP:
        return BvhPaths(path)
    if path.suffix == '.fbx' and path.with_suffix('.glb').is_file():
        path = path.with_suffix('.glb')
    if path.suffix == '.fbx':
        target = test.folder / (path.stem + '.glb')
        test.run_clipmill('convert', path, '-o', target, '-q')
        path = target
    return GltfPaths(path)


class Heights:
    """Heights of feet of one file over the ground of its gaits, in legs."""

    def __init__(self, test, path):
        import numpy

        self.numpy = numpy
        self.stem = path.stem
        self.file = paths_of(test, path)
        self.info = test.run_json('info', path, '--json')
        names = {node['id']: node['name'] for node in self.info['nodes']}
        self.joints = {r: names[n] for r, n in self.info['humanoid']['roles'].items()}
        self.clips = {
            c['name']: c
            for c in self.info['clips']
            if c['end_s'] > c['start_s'] and kind_of(path.stem, c['name'])
        }
        self.heights, self.times, self.paths = {}, {}, {}
        for name in self.clips:
            self.evaluate(name)

    def evaluate(self, name):
        span = self.clips[name]
        count = round((span['end_s'] - span['start_s']) * SAMPLES_PER_SECOND) + 1
        times = self.numpy.linspace(span['start_s'], span['end_s'], count)
        self.times[name] = times
        wanted = [self.joints[r] for r in self.joints if r.endswith(LEGS)]
        found = self.file.positions(name, times, wanted)
        self.paths[name] = {r: found[j] for r, j in self.joints.items() if j in found}
        self.heights[name] = {
            side + joint: self.paths[name][side + joint][:, 1]
            for side in ('left', 'right')
            for joint in JOINTS
            if side + joint in self.joints
        }
        upper, knee, ankle = (self.paths[name]['left' + joint][0] for joint in LEGS[:3])
        bones = (upper - knee, knee - ankle)
        self.leg = sum(self.numpy.linalg.norm(bone) for bone in bones)

    def ground(self, role):
        """Median over all gaits (else all clips) of the lowest height of a joint."""
        gaits = [n for n in self.clips if kind_of(self.stem, n) == 'gait'] or self.clips
        return self.numpy.median([self.heights[n][role].min() for n in gaits])

    def lift(self, name, side):
        """(times, height of the lower of foot and toes over the ground)."""
        lifts = []
        for role, height in self.heights[name].items():
            if role.startswith(side):
                lifts.append((height - self.ground(role)) / self.leg)
        return self.times[name], self.numpy.min(lifts, axis=0)


class ContactAudit(ProcessTest):
    def check_low(self, heights, clip, gait):
        """Where a foot has a contact it is low."""
        for side in ('left', 'right'):
            times, lift = heights.lift(clip['clip'], side)
            for contact in clip['contacts']:
                if contact['part'].startswith(side):
                    inside = (times >= contact['start_s']) & (times <= contact['end_s'])
                    if inside.any():
                        self.assertLess(lift[inside].min(), LOW, (gait, contact))

    def check_flight(self, heights, clip):
        """Where both feet are high no foot has a contact. Returns the time in the air."""
        times, left = heights.lift(clip['clip'], 'left')
        _, right = heights.lift(clip['clip'], 'right')
        in_air = (left > HIGH) & (right > HIGH)
        for contact in clip['contacts']:
            inside = (times > contact['start_s']) & (times < contact['end_s'])
            self.assertFalse((in_air & inside).any(), (clip['clip'], contact))
        return in_air.sum() / SAMPLES_PER_SECOND

    def test_gaits_have_contacts_of_both_feet_and_flights_have_none(self):
        table = collections.defaultdict(lambda: [0, 0, 0, 0.0])
        for path in FILES:
            heights = Heights(self, path)
            row = table[path.suffix[1:]]
            for clip in self.run_json('check', path, '--json')['clips']:
                name = clip['clip']
                if name not in heights.clips:
                    continue
                with self.subTest(path=path.name, clip=name):
                    if kind_of(path.stem, name) == 'flight':
                        row[2] += 1
                        row[3] += self.check_flight(heights, clip)
                        continue
                    row[0] += 1
                    sides = {contact['part'].split()[0] for contact in clip['contacts']}
                    self.assertEqual(sides, {'left', 'right'})
                    row[1] += 1
                    self.check_low(heights, clip, name)
        print('format: gaits, with contacts of both feet, flights, seconds in the air')
        for suffix, (gaits, found, flights, air_s) in table.items():
            print(f'{suffix}: {gaits}, {found}, {flights}, {air_s:.2f}')
        self.assertGreaterEqual(table['glb'][0], 26)
        self.assertGreaterEqual(table['fbx'][0], 5)
        self.assertGreater(table['glb'][3], 3.0)
        self.assertGreater(table['bvh'][3], 0.1)

    def test_kenney_s_joints_are_those_of_another_evaluator(self):
        """At the nine times that it has: legs, hips and toes, in parts of the height."""
        import numpy

        source = corpus.FBX / 'maya_kenney_character_7700_binary.fbx'
        expected = json.loads(corpus.expected_poses(source, self.folder).read_text())
        clip = expected['clips'][0]
        nodes = [n.split('/')[-1] for n in expected['nodes']]
        file = paths_of(self, source)
        info = self.run_json('info', source, '--json')
        names = {node['id']: node['name'] for node in info['nodes']}
        legs = [
            names[n] for r, n in info['humanoid']['roles'].items() if r.endswith((*LEGS, 'hips'))
        ]
        start, end = file.span(file.clips[0])
        times = start + (end - start) * numpy.array(list(map(float, corpus.FRACTIONS.split(','))))
        ours = file.positions(file.clips[0], times, legs)
        world = numpy.array(clip['world'])[:, :, 3::4]
        hips = names[info['humanoid']['roles']['hips']]
        # Distances from the hips, since unit and axes differ.
        ratios = []
        for joint in legs:
            if joint != hips:
                theirs = world[:, nodes.index(joint)] - world[:, nodes.index(hips)]
                mine = ours[joint] - ours[hips]
                lengths = [numpy.linalg.norm(path, axis=1) for path in (mine, theirs)]
                ratios.append(lengths[0] / lengths[1])
        spread = numpy.ptp(ratios) / numpy.mean(ratios)
        print(f'kenney: distances of {len(ratios)} joints from the hips differ by {spread:.1e}')
        self.assertGreaterEqual(len(ratios), 8)
        self.assertLess(spread, 1e-4)

    def test_drift_and_skate_are_those_of_the_evaluator(self):
        """Clips that travel, on ground that rests."""
        sources = [
            (JUMP, 'jumping'),
            (SAMPLES / 'stretch' / 'humanoid.fbx', 'Leap'),
            (SAMPLES / 'dynamic-bones' / 'humanoid.fbx', 'WalkForward'),
        ]
        for path, name in sources:
            with self.subTest(path=path.name, clip=name):
                heights = Heights(self, path)
                check = self.run_json('check', path, '--clip', name, '--json')['clips'][0]
                span = heights.clips[name]
                times = foot_slide.times_of(span['start_s'], span['end_s'])
                toes = {f'{s} ball': heights.joints[s + 'Toes'] for s in ('left', 'right')}
                found = heights.file.positions(name, times, list(toes.values()))
                parts = {part: found[joint] for part, joint in toes.items()}
                errors = [0.0]
                for contact in check['contacts'] + check['ground_spans']:
                    if contact['part'] in parts:
                        drift = foot_slide.drift_mm(parts[contact['part']], times, contact)
                        errors.append(abs(drift - contact['drift_mm']))
                        self.assertLess(errors[-1], 0.3 + 0.03 * drift, contact)
                balls = [s for s in check['ground_spans'] if s['part'] in parts]
                skate = foot_slide.skate_cm(parts, times, balls, heights.leg)
                ours = check['measures']['foot_skate_cm']
                print(
                    f'{path.name} {name}: drift {max(errors):.2f} mm apart at most in '
                    f'{len(errors) - 1} spans, skate of balls {skate:.4f} cm, of all {ours:.4f}'
                )
                self.assertGreater(len(errors), 3)
                self.assertLess(abs(skate - ours), 0.5 * max(skate, ours) + 0.01)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
