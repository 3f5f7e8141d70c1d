# SPDX-License-Identifier: MIT
"""Contacts of feet with the ground: against labels made by hand, and in every clip by its name."""
import json
import math
import re
import unittest
from pathlib import Path

import corpus
from clipmill_process import SAMPLES, ProcessTest

LABELS = Path(__file__).with_name('foot_contacts.tsv')
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


def read_labels():
    labels = {}
    for line in LABELS.read_text().splitlines():
        if line.startswith('#'):
            continue
        path, clip, foot, first, last = line.split('\t')
        labels.setdefault((path, clip), {}).setdefault(foot, []).append((int(first), int(last)))
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

    def test_precision_and_recall_against_labels(self):
        right = found = recalled = labelled = 0
        for (path, clip), feet in read_labels().items():
            contacts = self.check(corpus.CORPUS / path, clip)[0]['contacts']
            for foot, spans in feet.items():
                truth = {frame for a, b in spans for frame in range(a, b + 1)}
                ours = frames_of(contacts, foot)
                right += len(ours & near(truth))
                found += len(ours)
                recalled += len(truth & near(ours))
                labelled += len(truth)
        self.assertGreater(labelled, 500)
        self.assertGreaterEqual(right / found, 0.95)
        self.assertGreaterEqual(recalled / labelled, 0.95)

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
