# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""The panel "clipmill", in the tab Animation of the sidebar of the 3D view and in the tab Object of
the Properties. Settings are drawn as the schema has them."""
import textwrap

import bpy
from bpy.props import BoolProperty, EnumProperty, PointerProperty

from . import state

# Where the panel is: the start of its class names, and what puts it there.
_POSITIONS = (
    ('VIEW3D', {
        'bl_space_type': 'VIEW_3D', 'bl_region_type': 'UI', 'bl_category': 'Animation',
    }),
    ('PROPERTIES', {
        'bl_space_type': 'PROPERTIES', 'bl_region_type': 'WINDOW', 'bl_context': 'object',
    }),
)
# Width of a letter, and of what is beside a text in a panel [pixels at the ordinary scale].
_LETTER_PX, _MARGIN_PX = 7.0, 60.0
# Stages with a panel of their own; the others are in the panel "More stages".
_MAIN = ('dynamic-bones', 'stretch', 'self-collision', 'tet-bake')
# Settings to show at first; what a newer program adds is below "All settings".
_FIRST = {
    'dynamic_bones': ('auto', 'colliders', 'ground_m', 'loop', 'wind_mps2'),
    'dynamic_bones_chain': (
        *('root', 'preset', 'droop_deg', 'damping_ratio', 'gravity_mps2', 'cross'),
    ),
    'dynamic_bones_collider': ('node', 'shape', 'offset_m', 'tail_m', 'radius_m'),
    'stretch': ('distance_m', 'heading_deg', 'height', 'yaw', 'feet', 'add_steps'),
    'self_collision': ('tolerance_percent', 'max_rotation_deg', 'ease_s'),
    'tet_bake': ('preset', 'tolerance_mm', 'volume_preservation', 'soft_tissue', 'jiggle'),
    'input': ('clip_from_clip', 'keep_feet', 'keep_hands'),
}


def _more_stages(_self, _context):
    # Blender needs the strings to live on.
    _more_stages.items = [
        (s.name, s.label, s.doc) for s in state.registry.stages if s.name not in (*_MAIN, 'input')
    ]
    return _more_stages.items


class ClipmillView(bpy.types.PropertyGroup):
    """What the panel shows."""

    all_settings: BoolProperty(name='All settings', description='Show every setting of a stage')
    all_actions: BoolProperty(
        name='All actions', description='Bake and check all actions with keys of this armature'
    )
    target: EnumProperty(
        name='Target',
        items=[
            ('SETTINGS', 'Distance', 'The distance or point of the settings'),
            ('CURSOR', '3D cursor', 'The root ends at the 3D cursor'),
            ('OBJECT', 'Object', 'The root ends at an object, such as an empty'),
        ],
    )
    target_object: PointerProperty(name='Object', type=bpy.types.Object)
    more: EnumProperty(name='Stage', items=_more_stages)


class ClipmillPanel:
    """A panel below the main one; its position is given by `_panels_at`."""

    bl_options = {'DEFAULT_CLOSED'}

    @classmethod
    def poll(cls, context):
        return state.armature_of(context) is not None and bool(state.registry.stages)


class CLIPMILL_UL_items(bpy.types.UIList):
    def draw_item(self, _context, layout, _data, item, _icon, _active, _property, _index):
        key = next((k for k in ('root', 'node', 'joint', 'bone', 'clip') if hasattr(item, k)), None)
        if key:
            layout.prop(item, key, text='', emboss=False)
        else:
            layout.label(text='Item')
        if hasattr(item, 'preset'):
            layout.prop(item, 'preset', text='')


class CLIPMILL_UL_findings(bpy.types.UIList):
    def draw_item(self, _context, layout, _data, item, _icon, _active, _property, index):
        row = layout.split(factor=0.2)
        jump = row.operator('clipmill.jump', text=str(item.frame))
        jump.index = index
        row.label(text=item.text)


class MainPanel:
    """The program, the armature, the run and its messages."""

    bl_label = 'clipmill'

    @classmethod
    def poll(cls, context):
        is_properties = cls.bl_space_type == 'PROPERTIES'
        return not is_properties or state.armature_of(context) is not None

    def draw(self, context):
        layout = self.layout
        if not state.registry.stages:
            layout.label(text='The program clipmill was not found', icon='ERROR')
            layout.operator('clipmill.reload')
            return
        armature = state.armature_of(context)
        if armature is None:
            layout.label(text='Select an armature')
            return
        view = context.window_manager.clipmill_view
        action = armature.animation_data.action if armature.animation_data else None
        layout.label(text=f"{armature.name}: {action.name if action else 'no action'}",
                     icon='ARMATURE_DATA')
        row = layout.row()
        row.prop(view, 'all_actions')
        row.prop(view, 'all_settings')
        if state.running is not None:
            run = state.running
            layout.label(text=f'{run.step} {run.done} of {run.total}', icon='TIME')
            layout.operator('clipmill.cancel', icon='X')
        for message in context.window_manager.clipmill.messages:
            draw_text(layout, context, message.text)


class StagePanel(ClipmillPanel):
    """A panel for one stage."""

    stage = ''

    def draw(self, context):
        stage = state.registry.find(self.stage)
        draw_stage(self.layout, context, stage)


def draw_text(layout, context, text):
    """A text on as many lines as the region needs."""
    scale = context.preferences.system.ui_scale
    letters = int((context.region.width / scale - _MARGIN_PX) / _LETTER_PX)
    box = layout.box().column(align=True)
    for number, line in enumerate(textwrap.wrap(text, max(letters, 20))):
        box.label(text=line, icon='INFO' if number == 0 else 'BLANK1')


def draw_stage(layout, context, stage):
    armature, view = state.armature_of(context), context.window_manager.clipmill_view
    group = getattr(armature.clipmill, stage.group)
    bake = {}
    if stage.name == 'stretch':
        layout.prop(view, 'target')
        if view.target == 'OBJECT':
            layout.prop(view, 'target_object')
        bake = {
            'target': view.target,
            'target_object': view.target_object.name if view.target_object else '',
        }
    for items in stage.lists:
        draw_list(layout, context, stage, group, items)
    draw_fields(layout, view, stage, group, stage.group)
    operator = layout.operator('clipmill.bake', text=f'Bake {stage.label.lower()}', icon='ACTION')
    operator.stage, operator.all_actions = stage.name, view.all_actions
    for key, value in bake.items():
        setattr(operator, key, value)


def draw_fields(layout, view, table, group, key, parent=None):
    first = _FIRST.get(key)
    column = layout.column()
    for field in table.shown_fields(group, parent):
        if view.all_settings or not first or field.name in first:
            draw_field(column, group, field)


def draw_field(layout, group, field):
    """A setting with its name, so that both fit into a narrow sidebar."""
    if field.kind in ('curve', 'vector'):
        heading = field.label + (', root and tip' if field.kind == 'curve' else '')
        row = draw_switch(layout.column(align=True), group, field, heading)
        for index in range(2 if field.kind == 'curve' else 3):
            row.prop(group, field.name, index=index, text='')
    elif field.is_optional:
        draw_switch(layout, group, field, '').prop(group, field.name)
    elif field.kind in ('choice', 'text', 'texts', 'numbers'):
        row = layout.split(factor=0.42)
        row.label(text=field.label)
        row.prop(group, field.name, text='')
    else:
        layout.prop(group, field.name)


def draw_switch(layout, group, field, heading):
    """A row for the value of a setting, behind its switch where it has one."""
    if heading:
        layout.label(text=heading)
    row = layout.row(align=True)
    if not field.is_optional:
        return row
    row.prop(group, field.switch, text='')
    value = row.row(align=True)
    value.active = getattr(group, field.switch)
    return value


def draw_list(layout, context, stage, group, items):
    view = context.window_manager.clipmill_view
    collection, index = getattr(group, items.name), getattr(group, items.name + '_index')
    main = items.name == 'chain'
    if not (main or view.all_settings or len(collection)):
        return
    layout.label(text=items.name.capitalize() + 's')
    row = layout.row()
    row.template_list('CLIPMILL_UL_items', f'{stage.group}_{items.name}', group, items.name, group,
                      items.name + '_index', rows=3)
    column = row.column(align=True)
    for operator, icon in (('clipmill.list_add', 'ADD'), ('clipmill.list_remove', 'REMOVE')):
        button = column.operator(operator, text='', icon=icon)
        button.stage, button.items = stage.name, items.name
    if index < len(collection):
        box = layout.box()
        item = collection[index]
        draw_fields(box, view, items, item, f'{stage.group}_{items.name}', group)
        if getattr(item, 'preset', 'none') != 'none':
            box.label(text='Defaults: by the preset')


class RetargetPanel(ClipmillPanel):
    bl_label = 'Retarget'

    def draw(self, context):
        layout = self.layout
        view, table = context.window_manager.clipmill_view, state.registry.find('input')
        draw_fields(layout, view, table, state.armature_of(context).clipmill.input, 'input')
        layout.operator('clipmill.retarget', icon='IMPORT')


class CheckPanel(ClipmillPanel):
    bl_label = 'Check'

    def draw(self, context):
        results = context.window_manager.clipmill
        operator = self.layout.operator('clipmill.check', icon='VIEWZOOM')
        operator.all_actions = context.window_manager.clipmill_view.all_actions
        if results.findings:
            self.layout.template_list('CLIPMILL_UL_findings', '', results, 'findings', results,
                                      'finding_index')
            chosen = results.findings[min(results.finding_index, len(results.findings) - 1)]
            draw_text(self.layout, context, f'{chosen.clip}, frame {chosen.frame}: {chosen.text}')


class MorePanel(ClipmillPanel):
    bl_label = 'More stages'

    def draw(self, context):
        view = context.window_manager.clipmill_view
        self.layout.prop(view, 'more')
        if view.more:
            draw_stage(self.layout, context, state.registry.find(view.more))


def _stage_panel(number, name):
    members = {'bl_label': name.replace('-', ' ').capitalize(), 'stage': name}
    if number == 0:
        members['bl_options'] = set()
    return type('StagePanel_' + name, (StagePanel,), members)


def _panels_at(position, where):
    """The classes of the main panel and of those below it, at one position."""
    main = f'CLIPMILL_PT_{position}'
    classes = [type(main, (MainPanel, bpy.types.Panel), {'bl_idname': main, **where})]
    stages = [_stage_panel(number, name) for number, name in enumerate(_MAIN)]
    for number, panel in enumerate((*stages, RetargetPanel, CheckPanel, MorePanel)):
        members = {'bl_idname': f'{main}_{number}', 'bl_parent_id': main, **where}
        classes.append(type(f'{main}_{number}', (panel, bpy.types.Panel), members))
    return classes


CLASSES = (
    ClipmillView, CLIPMILL_UL_items, CLIPMILL_UL_findings,
    *(panel for position in _POSITIONS for panel in _panels_at(*position)),
)


def register():
    bpy.types.WindowManager.clipmill_view = PointerProperty(type=ClipmillView)


def unregister():
    del bpy.types.WindowManager.clipmill_view
