# SPDX-License-Identifier: MIT
"""Arrays of joints in .npz files, with NumPy as the referee."""
import os
import pathlib
import struct
import subprocess
import sys
import unittest
import zipfile
import zlib

from clipmill_process import ROOT, SAMPLES, ProcessTest

try:
    import numpy as np
except ImportError:
    print('skipped: python3-numpy is not installed')
    sys.exit(77)

COPY = os.environ.get('CLIPMILL_COPY_ARRAYS', str(ROOT / 'build/release/tests/cli/copy_arrays'))


def matrices(quaternions):
    """Rotation matrices of quaternions w, x, y, z, by v -> q v q*."""
    w, x, y, z = np.moveaxis(np.asarray(quaternions, float), -1, 0)
    rows = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def posed(parents, translations, rotations):
    """Forward kinematics: positions (T, J, 3) and rotations (T, J, 3, 3) in the world."""
    points, worlds = [], []
    for j, parent in enumerate(parents):
        local = translations[:, j]
        if parent < 0:
            points.append(local)
            worlds.append(rotations[:, j])
        else:
            points.append(points[parent] + (worlds[parent] @ local[..., None])[..., 0])
            worlds.append(worlds[parent] @ rotations[:, j])
    return np.stack(points, 1), np.stack(worlds, 1)


class ArrayFiles(ProcessTest):
    """The reader and the writer of .npy and .npz."""

    def copied(self, name, exit_code=0):
        process = subprocess.run(
            [COPY, self.folder / name, self.folder / 'copy.npz'], capture_output=True, text=True
        )
        self.assertEqual(process.returncode, exit_code, process.stderr)
        return process.stderr if exit_code else np.load(self.folder / 'copy.npz')

    def arrays(self):
        random = np.random.default_rng(7)
        arrays = {
            'texts': np.array(['Hips', 'Björn', '左足', '😀', '']),
            'bytes': np.array([b'neutral', b'f']),
            'single': np.array(59.94),
            'gender': np.array('female'),
            'empty': np.zeros((0, 22, 3)),
            'flags': random.random((3, 5)) > 0.5,
            'fortran': np.asfortranarray(random.standard_normal((3, 4, 5, 2))),
            'texts_fortran': np.asfortranarray(np.array([['a', 'bc'], ['def', 'g']])),
            'big_texts': np.array(['Hips', '左足']).astype('>U6'),
            'edges': np.array([0.0, -0.0, 1e-8, 65504, np.inf, -np.inf, 6e-8], 'f2'),
        }
        for kind in ('f2', 'f4', 'f8', 'i1', 'i2', 'i4', 'i8', 'u1', 'u2', 'u4', 'u8'):
            for order in '<>':
                values = (100 * random.standard_normal((4, 3, 2))).astype(order + kind)
                arrays[f'{kind}_{"le" if order == "<" else "be"}'] = values
        return arrays

    def test_every_type_and_order_is_read_as_numpy_reads_it(self):
        arrays = self.arrays()
        np.savez(self.folder / 'stored.npz', **arrays)
        np.savez_compressed(self.folder / 'deflated.npz', **arrays)
        for name in ('stored.npz', 'deflated.npz'):
            copy = self.copied(name)
            self.assertEqual(sorted(copy.files), sorted(arrays))
            for key, value in arrays.items():
                with self.subTest(file=name, array=key):
                    self.assertEqual(copy[key].shape, value.shape)
                    self.assertEqual(copy[key].dtype, value.dtype.newbyteorder('<'))
                    np.testing.assert_array_equal(copy[key], value)

    def test_single_arrays_and_all_versions_of_the_header(self):
        values = np.arange(24.0).reshape(2, 3, 4)
        for version in ((1, 0), (2, 0), (3, 0)):
            with open(self.folder / 'one.npy', 'wb') as file:
                np.lib.format.write_array(file, values, version=version)
            np.testing.assert_array_equal(self.copied('one.npy')['array'], values)

    def test_entries_with_64_bit_sizes(self):
        # Every size and offset in the extra field, the end of the directory in its 64-bit record.
        np.save(self.folder / 'a.npy', np.arange(5.0))
        data = (self.folder / 'a.npy').read_bytes()
        crc = zlib.crc32(data)
        wide = 2**32 - 1
        local = struct.pack('<I5H3I2H', 0x04034B50, 45, 0, 0, 0, 33, crc, wide, wide, 5, 20)
        local += b'a.npy' + struct.pack('<2H2Q', 1, 16, len(data), len(data)) + data
        entry = struct.pack(
            *('<I6H3I5H2I', 0x02014B50, 45, 45, 0, 0, 0, 33, crc, wide, wide),
            *(5, 28, 0, 0, 0, 0, 2**32 - 1),
        )
        entry += b'a.npy' + struct.pack('<2H3Q', 1, 24, len(data), len(data), 0)
        end64 = struct.pack(
            '<IQ2H2I4Q', 0x06064B50, 44, 45, 45, 0, 0, 1, 1, len(entry), len(local)
        )
        locator = struct.pack('<IIQI', 0x07064B50, 0, len(local) + len(entry), 1)
        end = struct.pack('<I4H2IH', 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, 2**32 - 1, 2**32 - 1, 0)
        self.file('wide.npz', local + entry + end64 + locator + end)
        np.testing.assert_array_equal(np.load(self.folder / 'wide.npz')['a'], np.arange(5.0))
        np.testing.assert_array_equal(self.copied('wide.npz')['a'], np.arange(5.0))

    def test_objects_and_damaged_files_are_refused(self):
        np.savez(self.folder / 'object.npz', vids=np.array({'a': 1}, object))
        text = self.copied('object.npz', exit_code=3)
        self.assertIn('vids', text)
        self.assertIn('Python objects (a pickle)', text)
        np.savez(self.folder / 'complex.npz', z=np.zeros(3, complex))
        self.assertIn("'<c16'", self.copied('complex.npz', exit_code=3))
        np.savez(self.folder / 'record.npz', r=np.zeros(3, [('a', 'f4')]))
        self.assertIn('records', self.copied('record.npz', exit_code=3))
        np.savez(self.folder / 'large.npz', a=np.zeros(9_000_000))
        self.assertIn('memory', self.copied('large.npz', exit_code=3))
        np.savez(self.folder / 'good.npz', a=np.arange(100.0))
        good = (self.folder / 'good.npz').read_bytes()
        at = good.index(np.arange(100.0).tobytes()) + 80
        self.file('bad.npz', good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
        self.assertIn('checksum', self.copied('bad.npz', exit_code=3))
        for cut in (25, 60, len(good) // 2, len(good) - 30, len(good) - 1):
            self.file('cut.npz', good[:cut])
            self.copied('cut.npz', exit_code=3)

    def test_what_is_written_can_be_unpacked_and_repeats_to_the_byte(self):
        np.savez(self.folder / 'in.npz', **self.arrays())
        self.copied('in.npz')
        first = (self.folder / 'copy.npz').read_bytes()
        with zipfile.ZipFile(self.folder / 'copy.npz') as archive:
            self.assertIsNone(archive.testzip())
            self.assertEqual({e.date_time for e in archive.infolist()}, {(1980, 1, 1, 0, 0, 0)})
        self.copied('in.npz')
        self.assertEqual((self.folder / 'copy.npz').read_bytes(), first)


class Export(ProcessTest):
    """clipmill export."""

    def exported(self, file, *flags):
        self.run_clipmill('export', file, '--joints', 'joints.npz', *flags)
        return np.load(self.folder / 'joints.npz')

    def check_against_poses(self, file, clip, fps):
        """The arrays against the poses that the program prints."""
        arrays = self.exported(file, '--clip', clip, '--fps', fps)
        poses = self.run_json(
            'poses', file, '--clip', clip, '--fps', fps, '--space', 'metric', '--json'
        )
        worlds = np.array(poses['clips'][0]['world']).reshape(-1, len(poses['nodes']), 3, 4)
        names = [path.rsplit('/', 1)[-1] for path in poses['nodes']]
        nodes = [names.index(name) for name in arrays['names']]
        self.assertEqual(arrays['positions'].shape, (len(worlds), len(nodes), 3))
        np.testing.assert_allclose(arrays['positions'], worlds[:, nodes][..., 3], atol=2e-6)
        points, rotations = posed(
            arrays['parents'], arrays['translations'].astype(float), matrices(arrays['rotations'])
        )
        np.testing.assert_allclose(points, worlds[:, nodes][..., 3], atol=1e-5)
        axes = worlds[:, nodes][..., :3]
        axes = axes / np.linalg.norm(axes, axis=-2, keepdims=True)
        np.testing.assert_allclose(rotations, axes, atol=1e-5)
        return arrays, worlds, poses['nodes']

    def test_positions_and_forward_kinematics_are_those_of_the_clip(self):
        for extension in ('glb', 'fbx'):
            with self.subTest(extension):
                file = SAMPLES / 'dynamic-bones' / f'humanoid.{extension}'
                arrays, worlds, paths = self.check_against_poses(file, 'Run', 60)
                self.assertEqual(float(arrays['fps']), 60.0)
                self.assertEqual(str(arrays['clip']), 'Run')
                self.assertEqual(str(arrays['quaternion_order']), 'wxyz')
                np.testing.assert_allclose(
                    np.linalg.norm(arrays['rotations'], axis=-1), 1.0, atol=1e-6
                )
                steps = (arrays['rotations'][1:] * arrays['rotations'][:-1]).sum(-1)
                self.assertGreater(steps.min(), 0.0)
                # The names and parents are those of the paths.
                names = list(arrays['names'])
                for name, parent in zip(names, arrays['parents']):
                    path = next(p for p in paths if p.rsplit('/', 1)[-1] == name)
                    above = names[parent] if parent >= 0 else ''
                    self.assertIn(above, ['', *path.split('/')[:-1]])
                np.testing.assert_array_equal(
                    arrays['root_translation'], arrays['positions'][:, 0]
                )

    def test_six_numbers_give_the_matrix_by_the_published_formula(self):
        arrays = self.exported(SAMPLES / 'stretch' / 'humanoid.glb', '--clip', 'Leap')
        six = arrays['rotations_6d'].astype(float)
        # Zhou et al. 2019, equation 15: Gram-Schmidt of the two columns, then their cross product.
        first = six[..., :3] / np.linalg.norm(six[..., :3], axis=-1, keepdims=True)
        second = six[..., 3:] - (first * six[..., 3:]).sum(-1, keepdims=True) * first
        second /= np.linalg.norm(second, axis=-1, keepdims=True)
        built = np.stack([first, second, np.cross(first, second)], -1)
        np.testing.assert_allclose(built, matrices(arrays['rotations']), atol=2e-6)

    def test_the_rest_pose_is_that_of_the_character(self):
        glb = self.exported(SAMPLES / 'dynamic-bones' / 'humanoid.glb', '--clip', 'Run')
        glb = {key: glb[key] for key in glb.files}
        fbx = self.exported(SAMPLES / 'dynamic-bones' / 'humanoid.fbx', '--clip', 'Run')
        points, _ = posed(
            glb['parents'],
            glb['rest_translations'][None].astype(float),
            matrices(glb['rest_rotations'])[None],
        )
        height = np.ptp(points[0, :, 1])
        self.assertGreater(height, 1.0)
        # The FBX file has joints of its own, such as the ends of chains.
        rows = [list(fbx['names']).index(name) for name in glb['names']]
        np.testing.assert_allclose(
            fbx['rest_translations'][rows], glb['rest_translations'], atol=1e-5
        )

    def test_several_clips_make_several_files(self):
        file = SAMPLES / 'dynamic-bones' / 'humanoid.glb'
        self.run_clipmill(
            *('export', file, '--joints', '{}_joints.npz', '--clip', 'W*', '--clip', 'Run')
        )
        names = self.files()
        self.assertIn('Run_joints.npz', names)
        self.assertIn('WalkForward_joints.npz', names)
        self.run_clipmill('export', file, '--joints', 'again.npz', '--clip', 'Run')
        self.assertEqual(
            (self.folder / 'again.npz').read_bytes(), (self.folder / 'Run_joints.npz').read_bytes()
        )

    def test_what_cannot_be_exported(self):
        file = SAMPLES / 'stretch' / 'humanoid.glb'
        process = self.run_clipmill('export', file, '--joints', 'a.txt', exit_code=2)
        self.assertOneSentence(process.stderr, 'a.txt', 'use .npz')
        process = self.run_clipmill(
            'export', file, '--joints', 'a.npz', '--clip', 'No', exit_code=3
        )
        self.assertOneSentence(process.stderr, 'No')
        process = self.run_clipmill('export', file, '--joints', 'no/{}.npz', exit_code=3)
        self.assertOneSentence(process.stderr, 'no/')
        self.assertEqual(self.files(), [])


if __name__ == '__main__':
    unittest.main()
