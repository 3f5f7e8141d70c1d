# SPDX-License-Identifier: MIT
"""Contacts of every clip of the corpus and the samples that is named after a gait or a jump, in all
formats, against heights that an independent evaluator finds."""
import collections
import re
import unittest

import corpus
from clipmill_process import SAMPLES, ProcessTest

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
    corpus.CORPUS / 'bvh' / 'facebookresearch__fair1' / 'jumping.bvh',
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


def kind_of(stem, clip):
    """'gait', 'flight' or None by the name of a clip."""
    name = NAMELESS.get((stem, clip), clip)
    if FLIGHTS.search(name):
        return 'flight'
    return 'gait' if GAITS.search(name) and not NO_GAIT.search(name) else None


class Heights:
    """Heights of feet of one file over the ground of its gaits, in legs."""

    def __init__(self, test, path):
        import numpy

        self.numpy = numpy
        self.stem = path.stem
        if path.suffix not in ('.glb', '.vrma'):
            target = test.folder / (path.stem + '.glb')
            test.run_clipmill('convert', path, '-o', target, '-q')
            path = target
        self.module = corpus.evaluator()
        self.file = self.module.Gltf(str(path))
        self.info = test.run_json('info', path, '--json')
        names = {node['id']: node['name'] for node in self.info['nodes']}
        self.joints = {r: names[n] for r, n in self.info['humanoid']['roles'].items()}
        self.clips = {
            c['name']: c
            for c in self.info['clips']
            if c['end_s'] > c['start_s'] and kind_of(path.stem, c['name'])
        }
        self.heights, self.times = {}, {}
        for name in self.clips:
            self.evaluate(name)

    def evaluate(self, name):
        span = self.clips[name]
        count = round((span['end_s'] - span['start_s']) * SAMPLES_PER_SECOND) + 1
        times = self.numpy.linspace(span['start_s'], span['end_s'], count)
        index = [c['name'] for c in self.info['clips']].index(name)
        poses = self.module.evaluate(self.file, clip=str(index), times=list(times))
        world = self.numpy.array(poses['clips'][0]['world'])[:, :, 3::4]
        at = {node.split('/')[-1]: n for n, node in enumerate(poses['nodes'])}
        self.times[name] = times
        self.heights[name] = {}
        for side in ('left', 'right'):
            for joint in JOINTS:
                if side + joint in self.joints:
                    path = world[:, at[self.joints[side + joint]]]
                    self.heights[name][side + joint] = path[:, 1]
        chain = [self.joints['left' + j] for j in ('UpperLeg', 'LowerLeg')]
        knee, ankle = (world[0, at[j]] for j in (chain[1], self.joints['leftFoot']))
        thigh = self.numpy.linalg.norm(knee - world[0, at[chain[0]]])
        self.leg = thigh + self.numpy.linalg.norm(ankle - knee)

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


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
