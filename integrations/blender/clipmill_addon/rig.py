# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""The bones of an armature, and their poses over frames as arrays.

Poses are matrices (frames, bones, 4, 4) in the space of the armature, as Blender shows them: with
constraints, drivers and NLA strips."""
import contextlib
import math

import numpy as np
from mathutils import Matrix

from . import transforms

# A frame farther than this from a whole one lies between two frames.
_FRAME_TOLERANCE = 1e-3


class Rig:
    """Names, parents (-1: none) and rest poses of the bones, each parent before its children;
    `deforming` are the indices of those that deform meshes."""

    def __init__(self, armature):
        bones = []
        for bone in armature.data.bones:
            if bone.parent is None:
                bones += [bone, *bone.children_recursive]
        # Sorted by the number of bones above, so that every parent is before its children.
        bones.sort(key=lambda bone: len(bone.parent_recursive))
        self.names = [bone.name for bone in bones]
        index = {name: i for i, name in enumerate(self.names)}
        self.parents = [index[b.parent.name] if b.parent else -1 for b in bones]
        self.rest = np.array([bone.matrix_local for bone in bones], float)
        self.rest_locals = transforms.local_from_poses(self.rest, self.parents)
        self.lengths = np.array([bone.length for bone in bones])
        self.deforming = [b for b, bone in enumerate(bones) if bone.use_deform]
        self._bones = bones
        self._is_plain = [
            bone.use_inherit_rotation
            and bone.inherit_scale == 'FULL'
            and (bone.use_local_location or bone.parent is None)
            for bone in bones
        ]

    def size(self):
        """The largest extent of the bones at rest."""
        heads = self.rest[:, :3, 3]
        return max(float(np.ptp(heads, axis=0).max()), float(self.lengths.max()), 1e-9)

    def bases(self, poses):
        """What keys have to hold so that the bones have these poses: matrices relative to the rest
        pose, by the rules of each bone for what it inherits."""
        locals_ = transforms.local_from_poses(poses, self.parents)
        bases = np.linalg.solve(np.broadcast_to(self.rest_locals, locals_.shape), locals_)
        for b, is_plain in enumerate(self._is_plain):
            if not is_plain:
                bases[:, b] = [self._basis(b, poses[f]) for f in range(len(poses))]
        return bases

    def _basis(self, b, poses):
        bone, parent = self._bones[b], self.parents[b]
        options = {'invert': True}
        if parent >= 0:
            options['parent_matrix'] = Matrix(poses[parent])
            options['parent_matrix_local'] = self._bones[parent].matrix_local
        return bone.convert_local_to_pose(Matrix(poses[b]), bone.matrix_local, **options)


class Motion:
    """An armature over whole frames: `poses` of its bones, `worlds` and `bases` of the object
    (frames, 4, 4), all in Blender's axes and units."""

    def __init__(self, name, frames, poses, worlds, bases):
        self.name, self.frames = name, frames
        self.poses, self.worlds, self.bases = poses, worlds, bases


def frames_of(action):
    """The whole frames of an action, and whether it starts and ends at whole ones."""
    start, end = action.frame_range
    frames = np.arange(math.floor(start + _FRAME_TOLERANCE), math.ceil(end - _FRAME_TOLERANCE) + 1)
    is_whole = all(abs(f - round(f)) < _FRAME_TOLERANCE for f in (start, end))
    return frames, is_whole


def fps_of(scene):
    return scene.render.fps / scene.render.fps_base


def metres_per_unit(scene):
    units = scene.unit_settings
    return 1.0 if units.system == 'NONE' else units.scale_length


@contextlib.contextmanager
def without_skins(scene, armature):
    """Within it the meshes that the armature deforms are hidden, so that frames change several
    times as fast. Meshes that its constraints refer to stay."""
    targets = {
        getattr(constraint, 'target', None)
        for bone in armature.pose.bones for constraint in bone.constraints
    }
    skins = [
        item for item in scene.objects
        if item.type == 'MESH' and not item.hide_viewport and item not in targets
        and any(m.type == 'ARMATURE' and m.object == armature for m in item.modifiers)
    ]
    try:
        for skin in skins:
            skin.hide_viewport = True
        yield
    finally:
        for skin in skins:
            skin.hide_viewport = False


def sample(context, armature, rig, name, frames):
    """The armature as Blender shows it at these frames. The current frame stays."""
    scene = context.scene
    current, subframe = scene.frame_current, scene.frame_subframe
    poses = np.empty((len(frames), len(rig.names), 4, 4))
    worlds, bases = np.empty((len(frames), 4, 4)), np.empty((len(frames), 4, 4))
    for row, frame in enumerate(frames):
        scene.frame_set(int(frame))
        shown = armature.evaluated_get(context.evaluated_depsgraph_get())
        bones = shown.pose.bones
        poses[row] = [bones[bone].matrix for bone in rig.names]
        worlds[row], bases[row] = shown.matrix_world, shown.matrix_basis
    scene.frame_set(current, subframe=subframe)
    return Motion(name, frames, poses, worlds, bases)


def pose_error(rig, first, second):
    """The largest distance of a head or tail of each bone between two arrays of poses."""
    tails = np.zeros((len(rig.names), 4))
    tails[:, 1], tails[:, 3] = rig.lengths, 1.0
    difference = first - second
    heads = np.linalg.norm(difference[..., :3, 3], axis=-1)
    ends = np.linalg.norm(np.einsum('fbij,bj->fbi', difference, tails)[..., :3], axis=-1)
    return np.maximum(heads, ends).max(axis=0)
