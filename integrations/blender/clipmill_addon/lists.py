# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""Operators of the lists in the panel: chains, colliders, windows, findings."""
import bpy
from bpy.props import IntProperty, StringProperty

from . import curves, state

# Keys of an item that name a bone, in the order in which they are looked for.
_BONE_KEYS = ('root', 'node', 'joint', 'bone')


def chosen_bones(armature):
    """Selected bones without a selected bone above them, as in pose mode."""
    selected = {b.name for b in armature.pose.bones if _is_selected(b)}
    return [
        b.name for b in armature.data.bones
        if b.name in selected and not any(p.name in selected for p in b.parent_recursive)
    ]


def _is_selected(pose_bone):
    # Blender 5.0 moved the selection from bones to pose bones.
    owner = pose_bone.bone if hasattr(pose_bone.bone, 'select') else pose_bone
    return owner.select and not pose_bone.bone.hide


class CLIPMILL_OT_list_add(bpy.types.Operator):
    """Adds an item; one for each chain of selected bones in pose mode"""

    bl_idname = 'clipmill.list_add'
    bl_label = 'Add'
    bl_options = {'UNDO', 'INTERNAL'}
    stage: StringProperty()
    items: StringProperty()

    @classmethod
    def poll(cls, context):
        return state.armature_of(context) is not None and bool(state.registry.stages)

    def execute(self, context):
        armature = state.armature_of(context)
        group = getattr(armature.clipmill, state.registry.find(self.stage).group)
        collection = getattr(group, self.items)
        names = chosen_bones(armature) if context.mode == 'POSE' else []
        for name in names or ['']:
            item = collection.add()
            key = next((k for k in _BONE_KEYS if hasattr(item, k)), None)
            if name and key:
                setattr(item, key, name)
                if hasattr(item, f'use_{key}'):
                    setattr(item, f'use_{key}', True)
        setattr(group, self.items + '_index', len(collection) - 1)
        return {'FINISHED'}


class CLIPMILL_OT_list_remove(bpy.types.Operator):
    """Removes the item"""

    bl_idname = 'clipmill.list_remove'
    bl_label = 'Remove'
    bl_options = {'UNDO', 'INTERNAL'}
    stage: StringProperty()
    items: StringProperty()

    def execute(self, context):
        armature = state.armature_of(context)
        group = getattr(armature.clipmill, state.registry.find(self.stage).group)
        collection, index = getattr(group, self.items), getattr(group, self.items + '_index')
        if index < len(collection):
            collection.remove(index)
            setattr(group, self.items + '_index', max(index - 1, 0))
        return {'FINISHED'}


class CLIPMILL_OT_jump(bpy.types.Operator):
    """Shows the frame of a finding"""

    bl_idname = 'clipmill.jump'
    bl_label = 'Jump to the frame'
    bl_options = {'UNDO', 'INTERNAL'}
    index: IntProperty()

    def execute(self, context):
        results = context.window_manager.clipmill
        if not 0 <= self.index < len(results.findings):
            return {'CANCELLED'}
        finding = results.findings[self.index]
        results.finding_index = self.index
        armature, action = state.armature_of(context), bpy.data.actions.get(finding.clip)
        if armature and action and curves.state(armature)[0] != action:
            curves.assign(armature, action)
        context.scene.frame_set(finding.frame)
        return {'FINISHED'}


CLASSES = (CLIPMILL_OT_list_add, CLIPMILL_OT_list_remove, CLIPMILL_OT_jump)
