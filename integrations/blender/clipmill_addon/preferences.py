# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""Preferences of the add-on: where the program is."""
import bpy
from bpy.props import StringProperty

from . import state


def _reload(_self, context):
    state.load_schema(context)


class ClipmillPreferences(bpy.types.AddonPreferences):
    bl_idname = __package__
    program: StringProperty(
        name='Program', subtype='FILE_PATH', update=_reload,
        description='Path of the program clipmill. Empty: the one that is found on PATH',
    )

    def draw(self, context):
        self.layout.prop(self, 'program')
        path = state.find_program(context)
        self.layout.label(text=f'Uses {path}' if path else 'The program clipmill was not found',
                          icon='CHECKMARK' if path else 'ERROR')
        self.layout.operator('clipmill.reload')


class CLIPMILL_OT_reload(bpy.types.Operator):
    """Finds the program again, and reads which settings it has"""

    bl_idname = 'clipmill.reload'
    bl_label = 'Find clipmill'

    def execute(self, context):
        error = state.load_schema(context)
        if error:
            self.report({'ERROR'}, error)
            return {'CANCELLED'}
        return {'FINISHED'}


CLASSES = (ClipmillPreferences, CLIPMILL_OT_reload)
