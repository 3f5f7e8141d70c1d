# SPDX-License-Identifier: MIT
"""The stage stretch as a process, checked in the files that it writes."""
import math
import unittest

from clipmill_process import SAMPLES, ProcessTest

TENTH_MM = 1e-4
LEAP_FRAMES = 63
HOLD = range(27, 34)


class Stretch(ProcessTest):
    def paths_of(self, file, clip, *names):
        """Metric positions of the nodes at every frame, one list a name."""
        poses = self.run_json(
            'poses', file, '--clip', clip, '--fps', 30, '--space', 'metric', '--json'
        )
        ends = [path.rsplit('/', 1)[-1] for path in poses['nodes']]
        world = poses['clips'][0]['world']
        return [[tuple(pose[ends.index(name)][3::4]) for pose in world] for name in names]

    def stretch(self, extension, clip, *arguments):
        source, output = SAMPLES / 'stretch' / ('humanoid.' + extension), 'out.' + extension
        self.run_clipmill(
            'stretch', source, '-o', output, '--clip', clip, '--report', 'r.json', *arguments
        )
        return source, output

    def assertNear(self, point, expected):
        self.assertLess(math.dist(point, expected), TENTH_MM, (point, expected))

    def test_a_leap_ends_at_5_m_and_keeps_its_hold(self):
        for extension in ('glb', 'fbx'):
            source, output = self.stretch(extension, 'Leap', '--distance-m', 5, '--feet', 'off')
            was, hips_was = self.paths_of(source, 'Leap', 'Root', 'Hips')
            root, hips = self.paths_of(output, 'Leap', 'Root', 'Hips')
            self.assertEqual(len(root), LEAP_FRAMES)
            self.assertNear(root[-1], (0, 0, 5))
            for frame in range(LEAP_FRAMES):
                self.assertNear(root[frame], (0, 0, was[frame][2] * 5 / 3))
                shift = root[frame][2] - was[frame][2]
                expected = (*hips_was[frame][:2], hips_was[frame][2] + shift)
                self.assertNear(hips[frame], expected)
            for frame in HOLD:
                self.assertNear(root[frame], root[HOLD[0]])

    def test_locked_feet_do_not_change_the_root_path(self):
        _, output = self.stretch('glb', 'Leap', '--distance-m', 5)
        root, toes = self.paths_of(output, 'Leap', 'Root', 'LeftToeBase')
        self.assertNear(root[-1], (0, 0, 5))
        for frame in range(LEAP_FRAMES - 10, LEAP_FRAMES):  # planted after the landing
            self.assertLess(math.dist(toes[frame], toes[-1]), 0.005)

    def test_a_lunge_goes_farther_and_still_returns(self):
        # 0.5 m ahead and 0.2 m back: 0.7 m of path, to which 0.5 m are added.
        for extension in ('glb', 'fbx'):
            _, output = self.stretch(extension, 'Lunge', '--distance-m', 0.8)
            (root,) = self.paths_of(output, 'Lunge', 'Root')
            self.assertNear(root[-1], (0, 0, 0.8))
            farthest = max(point[2] for point in root)
            self.assertLess(abs(farthest - 0.5 * (1 + 0.5 / 0.7)), TENTH_MM)

    def test_the_distance_of_the_clip_changes_no_byte(self):
        for extension in ('glb', 'fbx'):
            source, output = self.stretch(extension, 'Leap', '--distance-m', 3)
            self.assertEqual(source.read_bytes(), (self.folder / output).read_bytes())

    def test_the_other_clip_does_not_change(self):
        source, output = self.stretch('glb', 'Leap', '--distance-m', 5)
        for before, after in zip(
            self.paths_of(source, 'Lunge', 'Root', 'Head'),
            self.paths_of(output, 'Lunge', 'Root', 'Head'),
        ):
            self.assertEqual(before, after)

    def test_extend_time_makes_a_clip_longer(self):
        for extension in ('glb', 'fbx'):
            _, output = self.stretch(
                extension, 'Leap', '--distance-m', 6, '--max-speed-ratio', 1, '--extend-time'
            )
            (root,) = self.paths_of(output, 'Leap', 'Root')
            self.assertAlmostEqual((len(root) - 1) / 30, 2 * 62 / 30, delta=0.05)
            self.assertNear(root[-1], (0, 0, 6))

    def test_several_distances_and_directions_give_one_file_each(self):
        source = SAMPLES / 'stretch' / 'humanoid.glb'
        self.run_clipmill(
            'stretch', source, '-o', 'leap_{}.glb', '--clip', 'Leap', '--distance-m', '3,4.5'
        )
        self.assertEqual(self.files(), ['leap_3m.glb', 'leap_4.5m.glb'])
        (root,) = self.paths_of('leap_4.5m.glb', 'Leap', 'Root')
        self.assertNear(root[-1], (0, 0, 4.5))
        ring = ('--distance-m', 2, '--ring-count', 4)
        self.run_clipmill('stretch', source, '-o', 'ring_{}.glb', '--clip', 'Leap', *ring)
        (root,) = self.paths_of('ring_2m_090deg.glb', 'Leap', 'Root')
        self.assertNear(root[-1], (2, 0, 0))

    def test_a_hand_reaches_its_target(self):
        _, output = self.stretch(
            'fbx', 'Lunge', '--bone', 'RightHand', '--bone-at-m', '0.2,1,1.5', '--at-s', 0.7
        )
        (hand,) = self.paths_of(output, 'Lunge', 'RightHand')
        self.assertNear(hand[21][::2], (0.2, 1.5))

    def test_invalid_settings_are_refused_in_one_sentence(self):
        source = SAMPLES / 'stretch' / 'humanoid.glb'
        for code, arguments, parts in (
            (2, (), ('no target',)),
            (2, ('--to-m', '1,2'), ('to_m', '3 numbers')),
            (3, ('--distance-m', 5, '--root-joint', 'Rot'), ('Rot', "'Root'")),
            (2, ('--distance-m', 5, '--window', 3), ('besides windows',)),
        ):
            process = self.run_clipmill(
                'stretch', source, '-o', 'out.glb', '--clip', 'Leap', *arguments, exit_code=code
            )
            self.assertOneSentence(process.stderr, *parts)
        self.assertEqual(self.files(), [])


if __name__ == '__main__':
    unittest.main()
