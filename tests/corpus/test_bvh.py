# SPDX-License-Identifier: MIT
"""A real BVH file: every joint of every frame where an independent evaluation has it."""
import unittest

import corpus
from clipmill_process import ProcessTest

JUMP = corpus.CORPUS / 'bvh' / 'facebookresearch__fair1' / 'jumping.bvh'


class BvhFile:
    """The joints and numbers of a BVH file, read by lines and brackets."""

    def __init__(self, path):
        import numpy as np

        head, motion = path.read_text().split('MOTION')
        self.names, self.parents, self.offsets, self.channels = [], [], [], []
        stack = []
        for line in head.splitlines():
            tokens = line.split()
            if not tokens:
                continue
            if tokens[0] in ('ROOT', 'JOINT', 'End'):
                name = self.names[stack[-1]] + '_End' if tokens[0] == 'End' else tokens[1]
                self.parents.append(stack[-1] if stack else -1)
                self.names.append(name)
                self.offsets.append(None)
                self.channels.append([])
            elif tokens[0] == '{':
                stack.append(len(self.names) - 1)
            elif tokens[0] == '}':
                stack.pop()
            elif tokens[0] == 'OFFSET':
                self.offsets[stack[-1]] = np.array([float(w) for w in tokens[1:]])
            elif tokens[0] == 'CHANNELS':
                self.channels[stack[-1]] = tokens[2:]
        lines = motion.strip().splitlines()
        self.frame_s = float(lines[1].split(':')[1])
        self.frames = np.array([[float(w) for w in line.split()] for line in lines[2:]])
        assert len(self.frames) == int(lines[0].split(':')[1])

    def paths(self):
        paths = []
        for name, parent in zip(self.names, self.parents):
            paths.append(name if parent < 0 else paths[parent] + '/' + name)
        return paths

    def positions(self):
        """frames x joints x 3, in file units: every frame at once, by matrices."""
        import numpy as np

        count = len(self.frames)
        points = np.zeros((count, len(self.names), 3))
        rotations, column = [], 0
        for joint, parent in enumerate(self.parents):
            local = np.tile(np.eye(3), (count, 1, 1))
            move = np.tile(self.offsets[joint], (count, 1))
            for channel in self.channels[joint]:
                value, axis = self.frames[:, column], 'XYZ'.index(channel[0])
                column += 1
                if channel[1:] == 'position':
                    move[:, axis] = value
                    continue
                a, b = (axis + 1) % 3, (axis + 2) % 3
                rotation = np.tile(np.eye(3), (count, 1, 1))
                cosine, sine = np.cos(np.radians(value)), np.sin(np.radians(value))
                rotation[:, a, a], rotation[:, b, b] = cosine, cosine
                rotation[:, a, b], rotation[:, b, a] = -sine, sine
                local = local @ rotation
            if parent < 0:
                points[:, joint] = move
                rotations.append(local)
            else:
                moved = np.einsum('fij,fj->fi', rotations[parent], move)
                points[:, joint] = points[:, parent] + moved
                rotations.append(rotations[parent] @ local)
        assert column == self.frames.shape[1]
        return points


class Bvh(ProcessTest):
    def poses(self, path, file):
        """frames x joints x 3 as the program has them, at the times of the file's frames."""
        import numpy as np

        points = []
        for first in range(0, len(file.frames), 100):
            times = [k * file.frame_s for k in range(first, min(first + 100, len(file.frames)))]
            poses = self.run_json('poses', path, '--times', ','.join(map(repr, times)), '--json')
            order = [poses['nodes'].index(p) for p in file.paths()]
            world = np.array(poses['clips'][0]['world'])
            points.append(world[:, order][:, :, 3::4])
        return np.concatenate(points)

    def test_every_joint_of_every_frame(self):
        import numpy as np

        file = BvhFile(JUMP)
        expected = file.positions()
        self.assertEqual(expected.shape[:2], (654, 34))
        height = np.ptp(expected[0], axis=0).max()
        error = np.abs(self.poses(JUMP, file) - expected).max() / height
        print('largest error of the BVH file: %.2e of the height' % error)
        self.assertLess(error, 1e-5)

        self.run_clipmill('convert', JUMP, '-o', 'jump.glb')
        # By its size the file is in inches, and its z is up: a warning, and so written.
        info = self.run_json('info', JUMP, '--json')
        self.assertEqual({w['code'] for w in info['warnings']}, {'bvh_unit', 'bvh_up_axis'})
        self.assertAlmostEqual(info['clips'][0]['fps'], 1 / file.frame_s, 9)
        metric = 0.0254 * expected[..., [0, 2, 1]] * [1, 1, -1]
        error = np.abs(self.poses('jump.glb', file) - metric).max() / (0.0254 * height)
        print('largest error of the GLB: %.2e of the height' % error)
        self.assertLess(error, 1e-5)
        self.assertLess(abs(np.ptp(metric[0], axis=0)[1] - 1.1), 0.2)

    def test_the_written_file_keeps_every_frame(self):
        self.run_clipmill('convert', JUMP, '-o', 'jump.glb')
        diff = self.run_json('diff', JUMP, 'jump.glb', '--fps', '50', '--json')['clips'][0]
        self.assertLess(diff['max_mm'], 0.01)
        self.assertEqual((diff['only_in_a'], diff['only_in_b']), ([], []))


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
