# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""Results of the engine as keys of bones, objects and shape keys. Nothing else is written."""
import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from . import curves, exchange, transforms
from .skins import BAKED, Shape

# Properties of bones and objects that a bake may key.
TRANSFORMS = ('location', 'rotation_quaternion', 'rotation_euler', 'rotation_axis_angle', 'scale')


def write_clip(armature, action, rig, motion, before, after, first=0):
    """Writes keys for the bones whose poses changed from clip `before` to clip `after`, and for the
    object where the armature itself moved otherwise. `motion` is what was sampled, or None for a
    new clip from the frame `first`. Returns the names of the bones, and whether the object was
    keyed."""
    first = motion.frames[0] if motion else first
    frames = first + np.arange(len(after.times))
    bag = curves.channels(action, armature, ensure=True)
    old, new = rig.bases(before.poses()), rig.bases(after.poses())
    written = []
    for b, name in enumerate(rig.names):
        paths = exchange.changed(old[:, b], new[:, b], rig.size())
        if paths:
            bone = armature.pose.bones[name]
            _write_transform(bag, bone, bone.path_from_id(), name, frames, new[:, b], paths)
            written.append(name)
    is_moved = _write_object(armature, bag, frames, motion, before.worlds(), after.worlds())
    if motion and len(frames) < len(motion.frames):
        for curve in bag.fcurves:
            if _is_transform(curve.data_path):
                curves.end_at(curve, frames[0], frames[-1], motion.frames[-1])
    if motion and len(frames) != len(motion.frames) and getattr(action, 'use_frame_range', False):
        action.frame_end = frames[-1]
    return written, is_moved


def _is_transform(path):
    """Whether a data path is one of the transforms of a bone or of the object."""
    return path.rpartition('.')[2] in TRANSFORMS and (
        path in TRANSFORMS or path.startswith('pose.bones["') and path.count('"].') == 1
    )


def other_animation(armature, action, first, last):
    """Data paths with keys between two frames that are not transforms of bones or of the
    object."""
    bag = curves.channels(action, armature)
    return sorted({
        curve.data_path for curve in (bag.fcurves if bag else [])
        if not _is_transform(curve.data_path)
        and any(first <= key.co[0] <= last for key in curve.keyframe_points)
    })


def _write_object(armature, bag, frames, motion, old, new):
    paths = exchange.changed(old, new, max(np.abs(new[:, :3, 3]).max(), 1.0))
    if not paths:
        return False
    if motion is None:
        bases = np.broadcast_to(np.array(armature.matrix_basis), new.shape)
        worlds = np.broadcast_to(np.array(armature.matrix_world), new.shape)
    else:
        rows = np.minimum(np.arange(len(new)), len(motion.bases) - 1)
        bases, worlds = motion.bases[rows], motion.worlds[rows]
    # world = above * basis, where parents and delta transforms are in `above`.
    above = worlds @ np.linalg.inv(bases)
    matrices = np.linalg.inv(above) @ new
    _write_transform(bag, armature, '', 'Object Transforms', frames, matrices, paths)
    return True


def _write_transform(bag, target, prefix, group, frames, matrices, paths):
    """Keys of an object or a bone whose `matrix_basis` shall be `matrices`."""
    prefix = prefix + '.' if prefix else ''
    t, r, s = transforms.decompose(matrices)
    channels = []
    if 'translation' in paths:
        channels.append(('location', t))
    if 'rotation' in paths:
        channels.append(_rotation_channel(target.rotation_mode, transforms.continuous(r)))
    if 'scale' in paths:
        channels.append(('scale', s))
    for path, values in channels:
        for index in range(values.shape[1]):
            curves.write(bag, prefix + path, index, group, frames, values[:, index])


def _rotation_channel(mode, rotations):
    quaternions = [Quaternion((r[3], r[0], r[1], r[2])) for r in rotations]
    if mode == 'QUATERNION':
        return 'rotation_quaternion', np.array(quaternions)
    if mode == 'AXIS_ANGLE':
        pairs = [q.to_axis_angle() for q in quaternions]
        return 'rotation_axis_angle', np.array([[angle, *axis] for axis, angle in pairs])
    angles = []
    for quaternion in quaternions:
        near = (angles[-1],) if angles else ()
        angles.append(quaternion.to_euler(mode, *near))
    return 'rotation_euler', np.array(angles)


def driven_bones(armature, names):
    """Those of the bones whose transforms are driven: their keys have no effect."""
    animation = armature.animation_data
    drivers = {d.data_path for d in animation.drivers} if animation else set()
    return [
        name for name in names
        if any(f'{armature.pose.bones[name].path_from_id()}.{p}' in drivers for p in TRANSFORMS)
    ]


def write_shapes(mesh_object, names, displacements, clips):
    """Adds shape keys with displacements (shapes, vertices, 3), in place of those of an earlier
    bake, and keys of their values. `clips` is a list of (name of an action, is it the active one,
    frames, values (frames, shapes))."""
    remove_shapes(mesh_object)
    if mesh_object.data.shape_keys is None:
        mesh_object.shape_key_add(name='Basis', from_mix=False)
    keys = mesh_object.data.shape_keys
    basis = _points_of(keys.reference_key)
    paths = []
    for name, displacement, column in zip(names, displacements, range(len(names))):
        block = mesh_object.shape_key_add(name=name, from_mix=False)
        block.relative_key = keys.reference_key
        block.data.foreach_set('co', (basis + displacement).astype('f4').ravel())
        low = min((float(c[3][:, column].min()) for c in clips), default=0.0)
        high = max((float(c[3][:, column].max()) for c in clips), default=1.0)
        block.slider_min, block.slider_max = min(low, 0.0), max(high, 1.0)
        paths.append(f'{block.path_from_id()}.value')
    mesh_object.data.shape_keys[BAKED] = [p.split('"')[1] for p in paths]
    for action_name, is_active, frames, values in clips:
        bag = curves.channels(_shape_action(keys, mesh_object, action_name, is_active), keys, True)
        for path, column in zip(paths, values.T):
            curves.write(bag, path, 0, '', frames, column)


def baked_shapes(mesh_object, clips):
    """[skins.Shape] of an earlier bake. `clips` is a list of (name of an action, is it the active
    one, frames)."""
    keys = mesh_object.data.shape_keys
    names = [n for n in keys.get(BAKED, ()) if n in keys.key_blocks] if keys else []
    basis = _points_of(keys.reference_key) if names else None
    shapes = []
    for name in names:
        block = keys.key_blocks[name]
        values = {
            clip: _values_of(block, _find_shape_action(keys, mesh_object, clip, is_active), frames)
            for clip, is_active, frames in clips
        }
        shapes.append(Shape(name, _points_of(block) - basis, values))
    return shapes


def _points_of(block):
    points = np.empty((len(block.data), 3), 'f4')
    block.data.foreach_get('co', points.ravel())
    return points


def _values_of(block, action, frames):
    """Values of a shape key at frames of an action; 0 without keys."""
    bag = curves.channels(action, block.id_data) if action else None
    curve = bag.fcurves.find(f'{block.path_from_id()}.value') if bag else None
    return np.array([curve.evaluate(frame) if curve else 0.0 for frame in frames])


def _find_shape_action(keys, mesh_object, action_name, is_active):
    """The action of the shape keys that goes with an action of the armature, or None."""
    if is_active and keys.animation_data and keys.animation_data.action:
        return keys.animation_data.action
    return bpy.data.actions.get(f'{action_name} {mesh_object.name}')


def _shape_action(keys, mesh_object, action_name, is_active):
    """The same action; a new one where there is none."""
    action = _find_shape_action(keys, mesh_object, action_name, is_active)
    if action is None:
        action = bpy.data.actions.new(f'{action_name} {mesh_object.name}')
        action.use_fake_user = True
    if is_active:
        curves.assign(keys, action)
    return action


def remove_shapes(mesh_object):
    """Removes the shape keys of an earlier bake, and their keys."""
    keys = mesh_object.data.shape_keys
    if keys is None or BAKED not in keys:
        return
    names = [name for name in keys[BAKED] if name in keys.key_blocks]
    paths = {f'{keys.key_blocks[name].path_from_id()}.value' for name in names}
    for action in bpy.data.actions:
        bag = curves.channels(action, keys)
        for curve in [c for c in bag.fcurves if c.data_path in paths] if bag else []:
            if action == curves.state(keys)[0] or action.name.endswith(f' {mesh_object.name}'):
                bag.fcurves.remove(curve)
    for name in names:
        mesh_object.shape_key_remove(keys.key_blocks[name])
