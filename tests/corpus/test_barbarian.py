# SPDX-License-Identifier: MIT
"""All 76 clips of a stout character whose arms rest inside its body, in one run."""
import json
import math
import pathlib
import tempfile
import unittest

import corpus
from clipmill_process import PROGRAM, ProcessTest, run

BARBARIAN = corpus.CORPUS / 'gltf/KayKit-Game-Assets__Barbarian.glb'

DEPTHS = (
    'penetrating_vertices_percent',
    'penetrating_frames_percent',
    'penetrating_midpoints_percent',
    'max_penetration_percent',
    'penetration_intervals',
)
# Clips in which both hands hold one thing and limits keep some frames as they are: how many.
LEFT_FRAMES = {
    '2H_Melee_Attack_Slice': 4,
    '2H_Ranged_Reload': 1,
}
LIMITS = ('jerk_above_limit', 'rotation_limit', 'leg_move_limit', 'anatomical_limit')

JERKS = tuple(joint + '_jerk_radps3' for joint in ('shoulder', 'elbow', 'hip', 'knee'))


def unit(vector):
    length = math.hypot(*vector)
    return [x / length for x in vector]


def carried(to, from_, vector):
    """The vector after the rotation that brings one world matrix to another."""
    local = [sum(from_[i][k] * vector[i] for i in range(3)) for k in range(3)]
    return unit([sum(to[i][k] * local[k] for k in range(3)) for i in range(3)])


class Barbarian(ProcessTest):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix='clipmill-barbarian-')
        cls.addClassCleanup(holder.cleanup)
        cls.resolved = pathlib.Path(holder.name) / 'free.glb'
        report = cls.resolved.with_suffix('.json')
        run(PROGRAM, 'self-collision', BARBARIAN, '-o', cls.resolved, '--report', report, '-q')
        cls.clips = json.loads(report.read_text())['clips']

    def test_no_clip_is_worse_and_few_frames_still_penetrate(self):
        self.assertEqual(len(self.clips), 76)
        penetrating_before = 0.0
        for clip in self.clips:
            metrics = clip['stages'][0]['metrics']
            before, after = metrics['before'], metrics['after']
            penetrating_before += clip['frames'] * before['penetrating_frames_percent'] / 100.0
            left = LEFT_FRAMES.get(clip['clip'], 0)
            codes = [warning['code'] for warning in clip['stages'][0]['warnings']]
            with self.subTest(clip=clip['clip']):
                for name in DEPTHS:
                    # A window that is resolved in part may leave two.
                    if left and name == 'penetration_intervals':
                        continue
                    self.assertLessEqual(after[name], before[name], name)
                for name in JERKS:
                    self.assertLessEqual(after[name], 1.1 * before[name] + 1e-6, name)
                for code in LIMITS:
                    self.assertTrue(left or code not in codes, code)
                self.assertEqual(left > 0, any(code in codes for code in LIMITS))
                penetrating = clip['frames'] * after['penetrating_frames_percent'] / 100.0
                self.assertLessEqual(penetrating, left + 1e-6)
                self.assertEqual(penetrating > 0.0, 'penetration_remains' in codes)
                self.assertLessEqual(after['max_rotation_deg'], 60.0)
                kept = after.get('contacts_kept_percent', 100.0)
                self.assertGreaterEqual(kept, 95.0)
                self.assertEqual(after.get('grips_kept_percent', 100.0), 100.0)
                self.assertLessEqual(after.get('grip_error_mm', 0.0), 5.0)
                self.assertLessEqual(after.get('grip_error_deg', 0.0), 5.0)
                # A contact that is dropped is reported.
                self.assertEqual(kept < 100.0, 'contact_dropped' in codes)
        self.assertGreater(penetrating_before, 2000.0)

    def test_any_number_of_threads_gives_the_same_bytes(self):
        outputs = set()
        for threads in (1, 2):
            self.run_clipmill(
                'self-collision', BARBARIAN, '-o', 'out.glb', '-q', '-j', threads,
                '--clip', '2H_Melee_Idle', '--clip', '1H_Melee_*',
            )  # fmt: skip
            outputs.add((self.folder / 'out.glb').read_bytes())
        self.assertEqual(len(outputs), 1)

    def worlds_of(self, file, clip, *names):
        """Per frame, the world matrices of some nodes as 3 rows of 4."""
        poses = self.run_json('poses', file, '--clip', clip, '--fps', 30, '--json')
        nodes = [path.split('/')[-1] for path in poses['nodes']]
        return [
            [[row[nodes.index(name)][4 * i : 4 * i + 4] for i in range(3)] for name in names]
            for row in poses['clips'][0]['world']
        ]

    def hands_of(self, file, clip):
        """Per frame, rotation and position of the left wrist in the axes of the right one."""
        hands = []
        for a, b in self.worlds_of(file, clip, 'wrist.r', 'wrist.l'):
            apart = [b[i][3] - a[i][3] for i in range(3)]
            rotation = [
                [sum(a[k][i] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)
            ]
            position = [sum(a[k][i] * apart[k] for k in range(3)) for i in range(3)]
            hands.append((rotation, position))
        return hands

    def test_two_handed_weapons_are_held_in_every_frame(self):
        # Frames in which both hands are on the weapon; the left hand lets go of it in other frames.
        held = {
            '2H_Melee_Idle': (0, 33),
            '2H_Melee_Attack_Slice': (0, 34),
            '2H_Melee_Attack_Chop': (0, 24),
            '2H_Melee_Attack_Stab': (0, 33),
            '2H_Melee_Attack_Spinning': (0, 21),
        }
        for clip, (first, end) in held.items():
            before, after = (self.hands_of(file, clip) for file in (BARBARIAN, self.resolved))
            for frame in range(first, end):
                (from_r, from_p), (to_r, to_p) = before[frame], after[frame]
                self.assertLess(math.dist(from_p, to_p), 0.005, (clip, frame))
                trace = sum(from_r[i][j] * to_r[i][j] for i in range(3) for j in range(3))
                angle = math.acos(max(-1.0, min(1.0, (trace - 1.0) / 2.0)))
                self.assertLess(math.degrees(angle), 5.0, (clip, frame))

    def wrist_use(self, file, clip, side):
        """Per frame, the bend of a wrist relative to its range: flexion and extension 85 degrees,
        32 to the thumb, 46 to the little finger. In the T-pose, thumbs point forward (+z)."""
        names = ('lowerarm.' + side, 'wrist.' + side)
        (rest_forearm, rest_hand) = self.worlds_of(BARBARIAN, 'T-Pose', *names)[0]
        along = unit([rest_hand[i][3] - rest_forearm[i][3] for i in range(3)])
        thumb = unit([z - along[2] * a for z, a in zip((0.0, 0.0, 1.0), along)])
        uses = []
        for forearm, hand in self.worlds_of(file, clip, *names):
            # Where the forearm points, as the hand sees it.
            towards = carried(rest_hand, hand, carried(forearm, rest_forearm, along))
            cosine = sum(a * b for a, b in zip(towards, along))
            angle = math.degrees(math.acos(max(-1.0, min(1.0, cosine))))
            if angle < 0.01:
                uses.append(0.0)
                continue
            tilt = unit([cosine * a - t for a, t in zip(along, towards)])
            deviation = sum(a * b for a, b in zip(tilt, thumb))
            widest = 32.0 if deviation > 0.0 else 46.0
            flexion = math.sqrt(max(0.0, 1.0 - deviation**2))
            uses.append(angle * math.hypot(deviation / widest, flexion / 85.0))
        return uses

    def test_wrists_stay_within_their_range(self):
        largest = 0.0
        for clip in self.clips:
            if not clip['clip'].startswith('2H_'):
                continue
            for side in 'lr':
                self.assertLess(max(self.wrist_use(BARBARIAN, clip['clip'], side)), 1.0)
                use = max(self.wrist_use(self.resolved, clip['clip'], side))
                with self.subTest(clip=clip['clip'], side=side):
                    self.assertLess(use, 1.01)
                largest = max(largest, use)
        self.assertGreater(largest, 0.9)  # some of them need all of it


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
