# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""F-curves of actions: those of Blender 3.4, and the slotted actions that 4.4 introduced.

What slots need is found by feature tests and written from their documentation."""
import numpy as np

# FPoint.interpolation as foreach_set takes it.
_LINEAR = 1


def channels(action, owner, ensure=False):
    """What has the F-curves of `action` for the data-block `owner`: the action itself, or the
    channelbag of its slot; None where there is none and `ensure` is false."""
    if not hasattr(action, 'slots'):
        return action
    slot = _slot(action, owner, ensure)
    if slot is None:
        return None
    layers = action.layers
    if not layers and not ensure:
        return None
    layer = layers[0] if layers else layers.new('Layer')
    strips = layer.strips
    if not strips and not ensure:
        return None
    strip = strips[0] if strips else strips.new(type='KEYFRAME')
    return strip.channelbag(slot, ensure=True) if ensure else strip.channelbag(slot)


def _slot(action, owner, ensure):
    animation = owner.animation_data
    if animation and animation.action == action and animation.action_slot:
        return animation.action_slot
    kind = owner.id_type
    for slot in action.slots:
        if slot.target_id_type in (kind, 'UNSPECIFIED'):
            return slot
    return action.slots.new(id_type=kind, name=owner.name) if ensure else None


def assign(owner, action):
    """Makes `action` the active one of `owner`; None for no action."""
    animation = owner.animation_data or owner.animation_data_create()
    animation.action = action
    if action is not None and hasattr(animation, 'action_slot') and not animation.action_slot:
        animation.action_slot = _slot(action, owner, True)


def state(owner):
    """What `restore` needs to undo `assign`."""
    animation = owner.animation_data
    if animation is None:
        return None, None
    return animation.action, getattr(animation, 'action_slot', None)


def restore(owner, kept):
    action, slot = kept
    if owner.animation_data is None or state(owner) == kept:
        return
    owner.animation_data.action = action
    if slot is not None:
        owner.animation_data.action_slot = slot


def animates(action, armature):
    """Whether an action has keys of bones of the armature."""
    bag = channels(action, armature)
    if bag is None:
        return False
    for curve in bag.fcurves:
        if curve.data_path.startswith('pose.bones["'):
            try:
                armature.path_resolve(curve.data_path)
                return True
            except ValueError:
                continue
    return False


def write(bag, path, index, group, frames, values):
    """Replaces the keys of a curve between the first and the last of `frames`; other keys stay."""
    curve = bag.fcurves.find(path, index=index)
    if curve is None:
        curve = bag.fcurves.new(path, index=index)
        if group:
            curve.group = bag.groups.get(group) or bag.groups.new(group)
    points = curve.keyframe_points
    for i in reversed(range(len(points))):
        if frames[0] - 0.5 <= points[i].co[0] <= frames[-1] + 0.5:
            points.remove(points[i], fast=True)
    kept = len(points)
    points.add(len(frames))
    coordinates = np.empty((len(points), 2), 'f4')
    points.foreach_get('co', coordinates.ravel())
    coordinates[kept:, 0], coordinates[kept:, 1] = frames, values
    points.foreach_set('co', coordinates.ravel())
    kinds = np.empty(len(points), 'i4')
    points.foreach_get('interpolation', kinds)
    kinds[kept:] = _LINEAR
    points.foreach_set('interpolation', kinds)
    curve.update()


def end_at(curve, first, last, old_last):
    """Removes the keys of a curve after the frame `last` up to `old_last`, where a clip ended
    before. A curve without keys at earlier frames keeps its value, from the frame `first`."""
    points = curve.keyframe_points
    after = [i for i in range(len(points)) if last + 0.5 < points[i].co[0] <= old_last + 0.5]
    if not after:
        return
    if len(after) == len(points):
        points.insert(first, points[after[0]].co[1], options={'FAST'})
        after = [i for i in range(len(points)) if points[i].co[0] > last + 0.5]
    for i in reversed(after):
        points.remove(points[i], fast=True)
    curve.update()
