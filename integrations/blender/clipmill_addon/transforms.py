# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""Transforms as arrays: matrices (.., 4, 4), translations and scales (.., 3), quaternions (.., 4)
in the order x, y, z, w. Needs NumPy alone."""
import numpy as np

# glTF has y up, Blender has z up: (x, y, z) in Blender is (x, z, -y) in glTF.
GLTF_FROM_BLENDER = np.array(
    [[1.0, 0, 0, 0], [0, 0, 1.0, 0], [0, -1.0, 0, 0], [0, 0, 0, 1.0]]
)


def compose(translations, rotations, scales):
    """The matrices of translations, unit quaternions and scales."""
    x, y, z, w = np.moveaxis(np.asarray(rotations, float), -1, 0)
    matrices = np.zeros(x.shape + (4, 4))
    columns = (
        (1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)),
        (2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)),
        (2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)),
    )
    for column, values in enumerate(columns):
        for row, value in enumerate(values):
            matrices[..., row, column] = value * scales[..., column]
    matrices[..., :3, 3] = translations
    matrices[..., 3, 3] = 1.0
    return matrices


def decompose(matrices):
    """(translations, rotations, scales) whose matrices are nearest to `matrices`; shear is dropped.
    A mirrored matrix has a negative scale on x."""
    matrices = np.asarray(matrices, float)
    scales = np.linalg.norm(matrices[..., :3, :3], axis=-2)
    is_mirrored = np.linalg.det(matrices[..., :3, :3]) < 0
    scales[..., 0] = np.where(is_mirrored, -scales[..., 0], scales[..., 0])
    divisors = np.where(np.abs(scales) < 1e-12, 1.0, scales)
    rotations = quaternions(matrices[..., :3, :3] / divisors[..., None, :])
    return matrices[..., :3, 3].copy(), rotations, scales


def quaternions(rotations):
    """Unit quaternions of rotation matrices (.., 3, 3).

    A quaternion is an eigenvector of a symmetric matrix of the entries (Bar-Itzhack 2000, "New
    method for extracting the quaternion from a rotation matrix"), which also finds the nearest
    rotation of a matrix that is not orthogonal."""
    m = rotations
    k = np.empty(m.shape[:-2] + (4, 4))
    k[..., 0, 0] = m[..., 0, 0] - m[..., 1, 1] - m[..., 2, 2]
    k[..., 1, 1] = m[..., 1, 1] - m[..., 0, 0] - m[..., 2, 2]
    k[..., 2, 2] = m[..., 2, 2] - m[..., 0, 0] - m[..., 1, 1]
    k[..., 3, 3] = m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2]
    k[..., 0, 1] = k[..., 1, 0] = m[..., 1, 0] + m[..., 0, 1]
    k[..., 0, 2] = k[..., 2, 0] = m[..., 2, 0] + m[..., 0, 2]
    k[..., 1, 2] = k[..., 2, 1] = m[..., 2, 1] + m[..., 1, 2]
    k[..., 0, 3] = k[..., 3, 0] = m[..., 2, 1] - m[..., 1, 2]
    k[..., 1, 3] = k[..., 3, 1] = m[..., 0, 2] - m[..., 2, 0]
    k[..., 2, 3] = k[..., 3, 2] = m[..., 1, 0] - m[..., 0, 1]
    return np.linalg.eigh(k)[1][..., 3]


def continuous(rotations):
    """The same rotations (frames, 4), each with the sign nearer to the one before it."""
    rotations = np.array(rotations, float)
    dots = np.einsum('fk,fk->f', rotations[1:], rotations[:-1])
    signs = np.cumprod(np.concatenate([[1.0], np.where(dots < 0, -1.0, 1.0)]))
    return rotations * signs[:, None]


def slerp(first, second, shares):
    """Rotations between those of two arrays (n, 4), along the shorter arc."""
    dots = np.einsum('nk,nk->n', first, second)
    second = np.where(dots[:, None] < 0, -second, second)
    angles = np.arccos(np.clip(np.abs(dots), 0.0, 1.0))
    sines = np.sin(angles)
    is_small = sines < 1e-6
    divisors = np.where(is_small, 1.0, sines)
    before = np.where(is_small, 1 - shares, np.sin((1 - shares) * angles) / divisors)
    after = np.where(is_small, shares, np.sin(shares * angles) / divisors)
    mixed = before[:, None] * first + after[:, None] * second
    return mixed / np.linalg.norm(mixed, axis=1, keepdims=True)


def local_from_poses(poses, parents):
    """Poses (.., nodes, 4, 4) relative to the parent of each node; -1 is no parent."""
    locals_ = poses.copy()
    for node, parent in enumerate(parents):
        if parent >= 0:
            locals_[..., node, :, :] = np.linalg.solve(
                poses[..., parent, :, :], poses[..., node, :, :]
            )
    return locals_


def poses_from_local(locals_, parents):
    """The inverse of local_from_poses; a parent is before its children."""
    poses = locals_.copy()
    for node, parent in enumerate(parents):
        if parent >= 0:
            poses[..., node, :, :] = poses[..., parent, :, :] @ locals_[..., node, :, :]
    return poses
