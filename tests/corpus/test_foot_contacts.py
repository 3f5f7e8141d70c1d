# SPDX-License-Identifier: MIT
"""Contacts of feet with the ground: against labels made by hand, and in every clip by its name."""
import csv
import json
import math
import re
import unittest
from pathlib import Path

import corpus
from clipmill_process import ROOT, SAMPLES, ProcessTest

LABELS = Path(__file__).with_name('labels')
KINDS = ('walks', 'runs', 'dances', 'jumps')
STATES = ('planted', 'tip', 'unclear')
# Clips whose contacts were known while the detection was made; see labels/README.md.
SEEN_BEFORE = {
    *('Walking_A', 'Walking_B', 'Walking_C', 'Walking_Backwards', 'Running_B'),
    *('Robot_Walking', 'Robot_Dance', 'jumping'),
}
LABEL_FPS = 30
SLACK_FRAMES = 2

CHARACTERS = [
    corpus.CORPUS / 'gltf' / 'KayKit-Game-Assets__Barbarian.glb',
    corpus.CORPUS / 'gltf' / 'gdquest-demos__godot-csharp' / 'mannequiny-0.3.0.glb',
    corpus.CORPUS / 'gltf' / 'godotengine__player.glb',
    corpus.CORPUS / 'gltf' / 'raysan5__robot.glb',
    SAMPLES / 'dynamic-bones' / 'humanoid.glb',
    SAMPLES / 'dynamic-bones' / 'humanoid.fbx',
]
LOCOMOTION = re.compile('walk|run|jog|strafe|crouch|idle', re.IGNORECASE)
JUMP = re.compile('jump|fall', re.IGNORECASE)
# Times at which all points of both feet are well above the ground, read from their heights [s].
FLIGHTS = [
    (CHARACTERS[0], 'Jump_Idle', 0.0, 1.07),
    (CHARACTERS[0], 'Jump_Full_Long', 0.35, 1.8),
    (CHARACTERS[0], 'Jump_Full_Short', 0.35, 0.65),
    (CHARACTERS[3], 'Robot_Jump', 0.2, 0.45),
    (CHARACTERS[3], 'Robot_WalkJump', 0.28, 0.58),
    (SAMPLES / 'stretch' / 'humanoid.glb', 'Leap', 0.65, 1.33),
    (corpus.CORPUS / 'bvh' / 'facebookresearch__fair1' / 'jumping.bvh', 'jumping', 2.5, 2.75),
]


def read_labels(kind):
    """{(file, clip): {foot: {state: frames}}}"""
    labels = {}
    with open(LABELS / (kind + '.csv'), newline='') as file:
        for row in csv.DictReader(file):
            feet = labels.setdefault((row['file'], row['clip']), {})
            states = feet.setdefault(row['foot'], {state: set() for state in STATES})
            first, last = int(row['first_frame']), int(row['last_frame'])
            states[row['state']].update(range(first, last + 1))
    return labels


def near(frames):
    return {frame + k for frame in frames for k in range(-SLACK_FRAMES, SLACK_FRAMES + 1)}


def frames_of(contacts, foot):
    """The frames of the labels in which the heel or the ball of a foot is planted."""
    frames = set()
    for contact in contacts:
        if contact['part'].split()[0] == foot:
            first = math.ceil(contact['start_s'] * LABEL_FPS - 1e-3)
            last = math.floor(contact['end_s'] * LABEL_FPS + 1e-3)
            frames.update(range(first, last + 1))
    return frames


class FootContacts(ProcessTest):
    def check(self, path, clip=None):
        choice = ('--clip', clip) if clip else ()
        return self.run_json('check', path, *choice, '--json')['clips']

    def compared(self, path, clip, feet):
        """Numbers of frames: found and labelled, found; labelled and found, labelled; the same two
        with the frames in which only the tip is on the ground."""
        folder = ROOT if path.startswith('samples/') else corpus.CORPUS
        contacts = self.check(folder / path, clip)[0]['contacts']
        sums = [0] * 6
        for foot, states in feet.items():
            truth, either = states['planted'], states['planted'] | states['tip']
            unclear = near(states['unclear'] | states['tip']) - truth
            ours = frames_of(contacts, foot) - unclear
            found = near(frames_of(contacts, foot))
            pairs = (ours & near(truth), ours, truth & found, truth, either & found, either)
            sums = [total + len(frames) for total, frames in zip(sums, pairs)]
        return sums

    def test_precision_and_recall_against_labels(self):
        groups = {}
        for kind in KINDS:
            for (path, clip), feet in read_labels(kind).items():
                sums = self.compared(path, clip, feet)
                print(f'{clip}: {sums[0]} of {sums[1]} right, {sums[2]} of {sums[3]} found')
                is_seen = clip in SEEN_BEFORE or 'mannequiny' in path
                seen = 'seen before' if is_seen else 'not seen'
                for name in (kind, seen, 'all'):
                    old = groups.get(name, [0] * 6)
                    groups[name] = [a + b for a, b in zip(old, sums)]
        for name, sums in groups.items():
            precision, recall = sums[0] / sums[1], sums[2] / sums[3]
            tips = sums[4] / sums[5]
            print(f'{name}: precision {precision:.3f}, recall {recall:.3f}, {sums[3]} frames')
            print(f'  recall with tips {tips:.3f}')
            with self.subTest(group=name):
                self.assertGreaterEqual(precision, 0.95)
                self.assertGreaterEqual(recall, 0.95)
                self.assertGreaterEqual(tips, 0.9)
        self.assertGreater(groups['not seen'][3], 150)

    def test_every_clip_of_locomotion_has_contacts(self):
        count = 0
        for path in CHARACTERS:
            for clip in self.check(path):
                measures = clip['measures']
                if not LOCOMOTION.search(clip['clip']) or JUMP.search(clip['clip']):
                    continue
                with self.subTest(path=path.name, clip=clip['clip']):
                    self.assertGreater(len(clip['contacts']), 0)
                    self.assertIsNotNone(measures['foot_skate_cm'])
                    self.assertIsNotNone(measures['planted_drift_mm'])
                    count += 1
        self.assertGreater(count, 25)

    def test_feet_of_an_fbx_with_pivots_in_centimetres_are_locked(self):
        source = corpus.CORPUS / 'fbx' / 'ufbx__data' / 'maya_kenney_character_7700_binary.fbx'
        report = self.folder / 'report.json'
        before = self.check(source)[0]['measures']['planted_drift_mm']
        for distance_m in (2, 4, 8):
            stretch = ('stretch', source, '--distance-m', str(distance_m), '--still', 'linear')
            self.run_clipmill(*stretch, '--feet', 'lock', '-o', 'out.fbx', '--report', report)
            clip = json.loads(report.read_text())['clips'][0]
            # The root, and upper leg, lower leg and foot of both sides.
            self.assertGreaterEqual(clip['keys']['tracks'], 7)
            after = clip['stages'][0]['metrics']['after']['planted_drift_mm']
            codes = {warning['code'] for warning in clip['stages'][0]['warnings']}
            print(f'{distance_m} m: {before:.1f} -> {after:.1f} mm')
            # A run at 8 m/s with keys 1/24 s apart, whose feet slide in the source.
            self.assertEqual(after > before + 5.0, 'feet_slide' in codes)
            self.assertLess(after, 5.0 if distance_m == 4 else before)

    def test_no_contact_lies_in_a_flight(self):
        for path, clip, start_s, end_s in FLIGHTS:
            with self.subTest(path=path.name, clip=clip):
                for contact in self.check(path, clip)[0]['contacts']:
                    is_before = contact['end_s'] <= start_s
                    self.assertTrue(is_before or contact['start_s'] >= end_s, contact)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
