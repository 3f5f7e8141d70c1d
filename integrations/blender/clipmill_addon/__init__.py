# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""Add-on for Blender: bakes of clipmill in the scene. The work is done by the program clipmill."""
import bpy

from . import lists, operators, panels, preferences, state

bl_info = {
    'name': 'clipmill',
    'description': 'Bakes dynamic bones, stretched moves, self-collision and skin corrections',
    'author': 'the clipmill authors',
    'version': (0, 1, 0),
    'blender': (3, 4, 0),
    'location': '3D View > Sidebar > Animation; Properties > Object',
    'category': 'Animation',
}

_CLASSES = (
    *state.CLASSES, *preferences.CLASSES, *operators.CLASSES, *lists.CLASSES, *panels.CLASSES
)


def register():
    for group in _CLASSES:
        bpy.utils.register_class(group)
    state.register()
    panels.register()
    state.load_schema(bpy.context)


def unregister():
    panels.unregister()
    state.unregister()
    for group in reversed(_CLASSES):
        bpy.utils.unregister_class(group)
