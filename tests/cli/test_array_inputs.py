# SPDX-License-Identifier: MIT
"""Motion in NumPy arrays as input: SMPL poses, joint positions, HumanML3D features."""
import sys
import unittest

from clipmill_process import SAMPLES, ProcessTest

try:
    import numpy as np
except ImportError:
    print('skipped: python3-numpy is not installed')
    sys.exit(77)

from test_arrays import matrices, posed

# The tree of SMPL, as its joints are numbered.
SMPL = [-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19]
TREES = {
    22: SMPL,
    24: SMPL + [20, 21],
    52: SMPL + [j for w, f in ((20, 22), (21, 37)) for k in range(5)
                for j in (w, f + 3 * k, f + 3 * k + 1)],
    55: SMPL + [15, 15, 15] + [j for w, f in ((20, 25), (21, 40)) for k in range(5)
                               for j in (w, f + 3 * k, f + 3 * k + 1)],
}  # fmt: skip


def rodrigues(vectors):
    """Rotation matrices of vectors axis * angle, by the formula of Rodrigues."""
    angle = np.linalg.norm(vectors, axis=-1)[..., None, None]
    axis = vectors / np.maximum(angle[..., 0], 1e-12)
    x, y, z = np.moveaxis(axis, -1, 0)
    zero = np.zeros_like(x)
    cross = np.stack(
        [np.stack([zero, -z, y], -1), np.stack([z, zero, -x], -1), np.stack([-y, x, zero], -1)], -2
    )
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * (cross @ cross)


def smooth(random, frames, shape, amount):
    """Numbers on waves of up to 1 Hz at 30 frames a second."""
    time = np.arange(frames).reshape(-1, *[1] * len(shape)) / 30
    rate, phase = random.uniform(0.5, 6, shape), random.uniform(0, 6.3, shape)
    return random.uniform(-amount, amount, shape) * np.sin(rate * time + phase)


def amass(random, joints, frames=40):
    """Arrays as AMASS has them: z is up, the body walks along y."""
    poses = smooth(random, frames, (joints, 3), 0.6)
    upright = rodrigues(np.array([np.pi / 2, 0, 0]))
    yaw = rodrigues(np.stack([np.zeros(frames), np.zeros(frames), np.linspace(0, 4, frames)], -1))
    root = yaw @ upright @ rodrigues(0.3 * poses[:, 0])
    angle = np.arccos(np.clip((np.trace(root, axis1=1, axis2=2) - 1) / 2, -1, 1))
    skew = np.stack(
        [root[:, 2, 1] - root[:, 1, 2], root[:, 0, 2] - root[:, 2, 0],
         root[:, 1, 0] - root[:, 0, 1]], -1,
    )
    poses[:, 0] = skew * (angle / (2 * np.sin(angle)))[:, None]
    time = np.arange(frames)
    trans = np.stack([0.1 * np.sin(time), time / 30, np.full(frames, 0.9)], -1)
    return {
        'poses': poses.reshape(frames, -1),
        'trans': trans,
        'betas': random.standard_normal(16),
        'mocap_framerate': np.array(120.0),
        'gender': np.array('female'),
        'dmpls': np.zeros((frames, 8)),
    }


class BodyPoses(ProcessTest):
    def exported(self, file, *flags):
        self.run_clipmill('export', file, '--joints', 'out.npz', *flags)
        return dict(np.load(self.folder / 'out.npz'))

    def rest_offsets(self, joints):
        """Of the neutral skeleton, from a file with no rotation at all."""
        np.savez(self.folder / 'zero.npz', poses=np.zeros((2, 3 * joints)), trans=np.zeros((2, 3)),
                 mocap_framerate=30.0)  # fmt: skip
        poses = self.run_json('poses', 'zero.npz', '--times', '0', '--json')
        points = np.array(poses['clips'][0]['world'][0])[:joints, 3::4]
        tree = TREES[joints]
        offsets = [points[j] - points[p] if p >= 0 else points[j] for j, p in enumerate(tree)]
        return np.array(offsets)

    def test_poses_of_amass_give_the_angles_and_positions_of_numpy(self):
        random = np.random.default_rng(11)
        for joints in TREES:
            with self.subTest(joints=joints):
                arrays = amass(random, joints)
                np.savez(self.folder / 'walk.npz', **arrays)
                out = self.exported('walk.npz')
                self.assertEqual(float(out['fps']), 120.0)
                self.assertEqual(len(out['names']), joints)
                np.testing.assert_array_equal(out['parents'], TREES[joints])
                local = rodrigues(arrays['poses'].reshape(-1, joints, 3))
                rotated = matrices(out['rotations'])
                np.testing.assert_allclose(rotated[:, 1:], local[:, 1:], atol=1e-5)
                offsets = np.repeat(self.rest_offsets(joints)[None], len(local), 0)
                offsets[:, 0] = arrays['trans']
                points, worlds = posed(TREES[joints], offsets, local)
                # From z up to y up.
                metric = points[..., [0, 2, 1]] * [1, 1, -1]
                np.testing.assert_allclose(out['positions'], metric, atol=1e-5)
                self.assertGreater(np.mean(metric[:, 15, 1] - metric[:, 7, 1]), 0.5)
                # The same in the space of the file.
                poses = self.run_json('poses', 'walk.npz', '--fps', 120, '--json')
                worlds_file = np.array(poses['clips'][0]['world'])[:, :joints]
                worlds_file = worlds_file.reshape(-1, joints, 3, 4)
                np.testing.assert_allclose(worlds_file[..., 3], points, atol=1e-5)
                np.testing.assert_allclose(worlds_file[..., :3], worlds, atol=1e-5)

    def test_parts_of_poses_are_the_same_as_one_array(self):
        arrays = amass(np.random.default_rng(5), 55)
        np.savez(self.folder / 'whole.npz', **arrays)
        poses = arrays.pop('poses')
        arrays['mocap_frame_rate'] = arrays.pop('mocap_framerate')
        arrays.update(root_orient=poses[:, :3], pose_body=poses[:, 3:66], pose_jaw=poses[:, 66:69],
                      pose_eye=poses[:, 69:75], pose_hand=poses[:, 75:])  # fmt: skip
        arrays['markers_latent_vids'] = np.array({'C7': 3470}, object)
        np.savez(self.folder / 'parts.npz', **arrays)
        whole, parts = self.exported('whole.npz'), self.exported('parts.npz')
        for key in ('positions', 'rotations', 'names'):
            np.testing.assert_array_equal(whole[key], parts[key])

    def test_info_names_the_kind_and_what_is_assumed(self):
        np.savez(self.folder / 'walk.npz', **amass(np.random.default_rng(1), 52))
        info = self.run_json('info', 'walk.npz', '--json')
        text = self.run_clipmill('info', 'walk.npz').stdout
        self.assertIn('SMPL-H poses, female', text)
        self.assertIn('betas', text)
        self.assertEqual(info['clips'][0]['name'], 'walk')
        self.assertEqual(info['clips'][0]['fps'], 120.0)
        self.assertIn('LeftUpperArm'.lower(), text.replace(' ', '').lower())

    def test_what_is_refused(self):
        def fails(*parts, exit_code=3, flags=(), **arrays):
            np.savez(self.folder / 'bad.npz', **arrays)
            process = self.run_clipmill('info', 'bad.npz', *flags, exit_code=exit_code)
            self.assertOneSentence(process.stderr, 'bad.npz', *parts)

        fails('poses', 'pickle', poses=np.array([{'a': 1}], object), trans=np.zeros((3, 3)))
        fails('poses', '70 numbers a frame', poses=np.zeros((3, 70)))
        fails('trans', '(2, 3)', poses=np.zeros((3, 72)), trans=np.zeros((2, 3)))
        fails('poses', 'not finite', poses=np.full((3, 72), np.nan))
        fails('no motion', 'other', other=np.zeros((3, 4)), more=np.zeros(2))
        fails('several skeletons have 17', 'h36m17 or coco17', exit_code=2,
              joints=np.zeros((3, 17, 3)))  # fmt: skip
        fails('no skeleton with 19', exit_code=2, joints=np.zeros((3, 19, 3)))
        fails("'h36m'", exit_code=2, flags=('--skeleton', 'h36m'), joints=np.zeros((3, 17, 3)))
        fails('mocap_framerate', poses=np.zeros((3, 72)), mocap_framerate=0.0)
        fails("'q' is no axis", exit_code=2, flags=('--array-up', 'q'), poses=np.zeros((3, 72)))


class Positions(ProcessTest):
    def captured(self, random, frames=60):
        """A random motion of a body of the tree of SMPL with other proportions, y up."""
        np.savez(self.folder / 'rest.npz', poses=np.zeros((2, 66)), trans=np.zeros((2, 3)),
                 fps=30.0)  # fmt: skip
        poses = self.run_json('poses', 'rest.npz', '--times', '0', '--json')
        points = np.array(poses['clips'][0]['world'][0])[:22, 3::4]
        offsets = np.array([points[j] - points[max(p, 0)] for j, p in enumerate(SMPL)])
        offsets = offsets * random.uniform(0.85, 1.2, (22, 1))
        offsets = np.repeat(offsets[None], frames, 0)
        offsets[:, 0] = smooth(random, frames, (3,), 0.5) + [0, 1, 0]
        return posed(SMPL, offsets, rodrigues(smooth(random, frames, (22, 3), 0.5)))[0]

    def played(self, name, frames, fps, *flags):
        poses = self.run_json('poses', name, '--fps', fps, '--space', 'metric', '--json', *flags)
        worlds = np.array(poses['clips'][0]['world'])
        self.assertEqual(len(worlds), frames)
        names = [path.rsplit('/', 1)[-1] for path in poses['nodes']]
        return worlds[..., 3::4], names

    def test_positions_are_followed_with_bones_of_constant_length(self):
        random = np.random.default_rng(2)
        for case in range(5):
            points = self.captured(random)
            np.save(self.folder / 'dance.npy', points)
            made, _ = self.played('dance.npy', len(points), 20)
            np.testing.assert_allclose(made[:, :22], points, atol=1e-3)
            bones = np.linalg.norm(made[:, 1:22] - made[:, SMPL[1:]], axis=-1)
            self.assertLess(np.ptp(bones, axis=0).max(), 1e-6)

    def test_unit_and_axes_are_found(self):
        points = self.captured(np.random.default_rng(3))
        np.save(self.folder / 'a.npy', points)
        expected, _ = self.played('a.npy', len(points), 20)
        # Millimetres with z up, and centimetres with y down.
        np.save(self.folder / 'b.npy', 1000 * points[..., [0, 2, 1]] * [1, -1, 1])
        np.save(self.folder / 'c.npy', (100 * points * [1, -1, -1]).astype('f4'))
        for name in ('b.npy', 'c.npy'):
            made, _ = self.played(name, len(points), 20)
            np.testing.assert_allclose(made, expected, atol=1e-4)

    def test_jitter_is_followed_on_average(self):
        random = np.random.default_rng(4)
        points = self.captured(random)
        noisy = points + 0.004 * random.standard_normal(points.shape)
        np.savez(self.folder / 'noisy.npz', positions=noisy, fps=25)
        made, _ = self.played('noisy.npz', len(points), 25)
        error = np.linalg.norm(made[:, :22] - points, axis=-1)
        self.assertLess(error.mean(), 0.012)
        bones = np.linalg.norm(made[:, 1:22] - made[:, SMPL[1:]], axis=-1)
        self.assertLess(np.ptp(bones, axis=0).max(), 1e-6)

    def test_skeletons_of_17_joints(self):
        points = self.captured(np.random.default_rng(6))
        at = {name: points[:, k] for k, name in enumerate(
            'pelvis lhip rhip spine1 lknee rknee spine2 lankle rankle spine3 lfoot rfoot neck '
            'lcollar rcollar head lshoulder rshoulder lelbow relbow lwrist rwrist'.split()
        )}  # fmt: skip
        at['mid'] = (at['lhip'] + at['rhip']) / 2
        at['top'] = at['head'] + 0.5 * (at['head'] - at['neck'])
        h36m = ('mid rhip rknee rankle lhip lknee lankle spine2 neck head top lshoulder lelbow '
                'lwrist rshoulder relbow rwrist').split()  # fmt: skip
        np.save(self.folder / 'h36m.npy', np.stack([at[n] for n in h36m], 1))
        made, names = self.played('h36m.npy', len(points), 30, '--skeleton', 'h36m17')
        for ours, theirs in (('left_wrist', 'lwrist'), ('right_ankle', 'rankle'), ('head', 'head'),
                             ('left_knee', 'lknee'), ('spine', 'spine2')):  # fmt: skip
            with self.subTest(h36m=ours):
                error = np.linalg.norm(made[:, names.index(ours)] - at[theirs], axis=-1)
                # Distances within the trunk are not constant here.
                limit = 0.001 if ours in ('left_knee', 'right_ankle') else 0.05
                self.assertLess(error.max(), limit)
        side = 0.07 * np.cross(at['rshoulder'] - at['lshoulder'], at['neck'] - at['mid'])
        ear = 0.2 * (at['lshoulder'] - at['rshoulder'])
        coco = [at['top'] - side, at['head'] - side, at['head'] - side, at['head'] + ear,
                at['head'] - ear]  # fmt: skip
        coco += [at[n] for n in 'lshoulder rshoulder lelbow relbow lwrist rwrist lhip rhip lknee '
                 'rknee lankle rankle'.split()]  # fmt: skip
        np.save(self.folder / 'coco.npy', np.stack(coco, 1))
        made, names = self.played('coco.npy', len(points), 30, '--skeleton', 'coco17')
        pairs = (('left_hip', 'lhip'), ('left_ankle', 'lankle'), ('right_knee', 'rknee'))
        for ours, theirs in pairs:
            with self.subTest(coco=ours):
                error = np.linalg.norm(made[:, names.index(ours)] - at[theirs], axis=-1)
                self.assertLess(error.max(), 0.001)

    def test_features_of_humanml3d(self):
        points = self.captured(np.random.default_rng(8))
        frames = len(points)
        # The reverse: positions to features with a heading that changes.
        heading = np.cumsum(np.linspace(0, 0.05, frames)) - np.linspace(0, 0.05, frames)[0]
        c, s = np.cos(2 * heading), np.sin(2 * heading)

        def into_heading(v, k):
            # q v q*, with q = (cos a, 0, sin a, 0): about y by 2 a.
            return np.stack([c[k] * v[..., 0] + s[k] * v[..., 2], v[..., 1],
                             -s[k] * v[..., 0] + c[k] * v[..., 2]], -1)  # fmt: skip

        start = points[0, 0] * [1, 0, 1]
        features = np.zeros((frames, 263))
        features[:-1, 0] = np.diff(heading)
        for f in range(frames):
            root = points[f, 0] * [1, 0, 1]
            features[f, 4:67] = into_heading(points[f, 1:] - root, f).ravel()
            features[f, 3] = points[f, 0, 1]
            if f:
                step = into_heading(points[f, 0] - points[f - 1, 0], f)
                features[f - 1, 1:3] = step[[0, 2]]
        np.save(self.folder / 'text.npy', features)
        made, _ = self.played('text.npy', frames, 20)
        np.testing.assert_allclose(made[:, :22], points - start, atol=1e-3)


class OnCharacters(ProcessTest):
    def test_a_clip_that_was_exported_comes_back(self):
        source = SAMPLES / 'dynamic-bones' / 'humanoid.glb'
        self.run_clipmill('export', source, '--joints', 'walk.npz', '--clip', 'WalkForward')
        arrays = np.load(self.folder / 'walk.npz')
        for name in ('back.glb', 'back.fbx'):
            with self.subTest(name):
                self.run_clipmill('convert', 'walk.npz', '-o', name, '--keys', 'all')
                self.run_clipmill('export', name, '--joints', 'again.npz', '--fps', 30)
                again = np.load(self.folder / 'again.npz')
                rows = [list(again['names']).index(n) for n in arrays['names']]
                np.testing.assert_allclose(
                    again['positions'][:, rows], arrays['positions'], atol=2e-5
                )
                self.assertEqual(str(again['clip']), 'WalkForward')
        # Onto the character that it came from: the same motion.
        self.run_clipmill(
            'run', source, '--clip-from', 'walk.npz', '-o', 'same.glb', '--keys', 'all'
        )
        clips = self.run_json('info', 'same.glb', '--json')['clips']
        made = clips[-1]['name']
        self.run_clipmill('export', 'same.glb', '--joints', 'same.npz', '--clip', made)
        same = np.load(self.folder / 'same.npz')
        rows = [list(same['names']).index(n) for n in arrays['names']]
        error = np.abs(same['positions'][:, rows] - arrays['positions']).max()
        self.assertLess(error, 1e-4)

    def test_poses_and_positions_move_the_limbs_of_a_character_alike(self):
        arrays = amass(np.random.default_rng(12), 22, 60)
        np.savez(self.folder / 'dance.npz', **arrays)
        self.run_clipmill('export', 'dance.npz', '--joints', 'joints.npz')
        source = dict(np.load(self.folder / 'joints.npz'))
        np.savez(self.folder / 'points.npz', positions=source['positions'], fps=source['fps'])
        limbs = {
            ('left_shoulder', 'left_elbow'): ('LeftArm', 'LeftForeArm'),
            ('right_elbow', 'right_wrist'): ('RightForeArm', 'RightHand'),
            ('left_hip', 'left_knee'): ('LeftUpLeg', 'LeftLeg'),
            ('right_knee', 'right_ankle'): ('RightLeg', 'RightFoot'),
        }
        for extension in ('glb', 'fbx'):
            for file in ('dance.npz', 'points.npz'):
                with self.subTest(extension=extension, file=file):
                    character = SAMPLES / 'stretch' / ('humanoid.' + extension)
                    out = 'out.' + extension
                    self.run_clipmill('run', character, '--clip-from', file, '-o', out)
                    clip = self.run_json('info', out, '--json')['clips'][-1]['name']
                    self.run_clipmill(
                        'export', out, '--joints', 'o.npz', '--clip', clip, '--fps', 120
                    )
                    made = dict(np.load(self.folder / 'o.npz'))
                    self.check_limbs(limbs, source, made)

    def check_limbs(self, limbs, source, made):
        def directions(arrays, pair):
            names = [str(n) for n in arrays['names']]
            a, b = (arrays['positions'][:, names.index(n)].astype(float) for n in pair)
            return (b - a) / np.linalg.norm(b - a, axis=-1, keepdims=True)

        for theirs, ours in limbs.items():
            a, b = directions(source, theirs), directions(made, ours)
            # The characters may face other directions: the best rotation about the vertical.
            x = (a[:, 0] * b[:, 0] + a[:, 2] * b[:, 2]).sum()
            z = (a[:, 2] * b[:, 0] - a[:, 0] * b[:, 2]).sum()
            c, s = np.cos(np.arctan2(z, x)), np.sin(np.arctan2(z, x))
            a = np.stack([c * a[:, 0] + s * a[:, 2], a[:, 1], -s * a[:, 0] + c * a[:, 2]], -1)
            angle = np.degrees(np.arccos(np.clip((a * b).sum(-1), -1, 1)))
            self.assertLess(angle.max(), 2.0, (theirs, ours))


if __name__ == '__main__':
    unittest.main()
