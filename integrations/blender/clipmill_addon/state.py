# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""What operators and panels share: the program, its settings, the run, messages and findings."""
import bpy
from bpy.props import CollectionProperty, IntProperty, PointerProperty, StringProperty

from . import engine, settings

registry = settings.Registry()
# The engine.Run of an operator in the background, and whether it is to end.
running = None
is_cancelled = False


class ClipmillFinding(bpy.types.PropertyGroup):
    clip: StringProperty()
    frame: IntProperty()
    text: StringProperty()


class ClipmillMessage(bpy.types.PropertyGroup):
    text: StringProperty()


class ClipmillResults(bpy.types.PropertyGroup):
    findings: CollectionProperty(type=ClipmillFinding)
    finding_index: IntProperty()
    messages: CollectionProperty(type=ClipmillMessage)


CLASSES = (ClipmillFinding, ClipmillMessage, ClipmillResults)


def register():
    bpy.types.WindowManager.clipmill = PointerProperty(type=ClipmillResults)


def unregister():
    del bpy.types.WindowManager.clipmill
    registry.unregister()


def preferences(context):
    addon = context.preferences.addons.get(__package__)
    return addon.preferences if addon else None


def find_program(context):
    """The path of the program, or None."""
    chosen = preferences(context)
    return engine.find(bpy.path.abspath(chosen.program) if chosen and chosen.program else '')


def program(context):
    """The path of the program, whose settings are registered."""
    path = find_program(context)
    if path is None:
        chosen = preferences(context)
        name = chosen.program if chosen and chosen.program else 'clipmill'
        raise engine.EngineError(
            f'the program {name} was not found: install it, or set its path in the preferences'
        )
    if not registry.stages:
        load_schema(context)
    return path


def load_schema(context):
    """Registers the settings of the program. Returns a sentence where that fails."""
    registry.unregister()
    path = find_program(context)
    if path is None:
        return 'the program clipmill was not found'
    try:
        registry.register(engine.schema(path))
    except engine.EngineError as error:
        return str(error)
    return ''


def armature_of(context):
    """The active armature, or the one that deforms the active mesh; None where there is none."""
    active = context.object
    if active is None:
        return None
    if active.type == 'ARMATURE':
        return active
    for modifier in active.modifiers:
        if modifier.type == 'ARMATURE' and modifier.object:
            return modifier.object
    return None


def show_messages(context, messages):
    shown = context.window_manager.clipmill.messages
    shown.clear()
    for message in messages:
        shown.add().text = message


def show_findings(context, findings):
    results = context.window_manager.clipmill
    results.findings.clear()
    results.finding_index = 0
    for finding in findings:
        item = results.findings.add()
        item.clip, item.frame, item.text = finding.clip, finding.frame, finding.text


def redraw(context):
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type in ('VIEW_3D', 'PROPERTIES'):
                area.tag_redraw()
