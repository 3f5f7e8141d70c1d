# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""Operators that run the engine: in the background with progress and Esc to cancel where they are
invoked from the interface, and at once where a script calls them."""
import bpy
from bpy.props import BoolProperty, EnumProperty, StringProperty
from bpy_extras.io_utils import ImportHelper
from mathutils import Vector

from . import engine, rig, state, tasks

# Stages whose results depend on the shape of the meshes.
_WITH_SKINS = {'self-collision', 'tet-bake'}
# Stages whose settings name other clips.
_WITH_ALL_CLIPS = {'blend', 'concat'}
# What the results need to fit into a scene.
_FIXED = {
    'tet-bake': {'bake_to': 'morph', 'deltas': 'float', 'normals': False, 'twist_joints': 'off'}
}
_SECONDS = 0.1


class EngineOperator:
    """What the operators have in common; `make_task` and `finish` are theirs."""

    bl_options = {'UNDO'}
    _task = _run = _timer = None
    allowed_exit_codes = ()

    @classmethod
    def poll(cls, context):
        return state.armature_of(context) is not None and context.mode in ('OBJECT', 'POSE')

    def invoke(self, context, _event):
        return self.start(context)

    def start(self, context):
        if bpy.app.background:
            return self.execute(context)
        if state.running is not None:
            self.report({'ERROR'}, 'clipmill is running')
            return {'CANCELLED'}
        if not self._prepare(context):
            return {'CANCELLED'}
        manager = context.window_manager
        state.running = self._run
        self._timer = manager.event_timer_add(_SECONDS, window=context.window)
        manager.modal_handler_add(self)
        return {'RUNNING_MODAL'}

    def execute(self, context):
        if not self._prepare(context):
            return {'CANCELLED'}
        self._run.wait()
        return self._end(context)

    def modal(self, context, event):
        if event.type == 'ESC' or state.is_cancelled:
            self._run.cancel()
            self._stop_modal(context)
            self._task.close()
            self.report({'INFO'}, 'clipmill was cancelled, nothing was changed')
            return {'CANCELLED'}
        if event.type != 'TIMER':
            return {'PASS_THROUGH'}
        if self._run.poll():
            self._show_progress(context)
            return {'PASS_THROUGH'}
        self._stop_modal(context)
        return self._end(context)

    def cancel(self, _context):
        """Blender ends the operator, for example since another file is opened."""
        self._run.cancel()
        self._task.close()
        state.running, state.is_cancelled = None, False

    def _prepare(self, context):
        try:
            program = state.program(context)
            self._task = self.make_task(context, state.armature_of(context), program)
            self._run = engine.Run(self._task.command)
        except (engine.EngineError, ValueError) as error:
            self._fail(context, error)
            return False
        return True

    def _end(self, context):
        try:
            self._run.check(*self.allowed_exit_codes)
            summary = self.finish(context)
        except (engine.EngineError, ValueError, OSError) as error:
            self._fail(context, error)
            return {'CANCELLED'}
        state.show_messages(context, self._task.messages)
        for message in self._task.messages[:3]:
            self.report({'WARNING'}, message)
        self._task.close()
        self.report({'INFO'}, f'clipmill: {summary}')
        return {'FINISHED'}

    def _fail(self, context, error):
        text = str(error)
        if self._task is not None:
            # The file is the add-on's own.
            text = text.replace(self._task.path('in.glb') + ': ', '')
            self._task.close()
        state.show_messages(context, [text])
        self.report({'ERROR'}, text)

    def _show_progress(self, context):
        run = self._run
        share = f'{run.done} of {run.total}' if run.total else ''
        context.workspace.status_text_set(f'clipmill: {run.step} {share}   Esc: cancel')
        state.redraw(context)

    def _stop_modal(self, context):
        context.window_manager.event_timer_remove(self._timer)
        context.workspace.status_text_set(None)
        state.running, state.is_cancelled = None, False
        state.redraw(context)


def _all_actions():
    return BoolProperty(
        name='All actions', description='All actions with keys of this armature, not the active one'
    )


class CLIPMILL_OT_bake(EngineOperator, bpy.types.Operator):
    """Runs a stage of clipmill on the active action, and writes the result into its keys"""

    bl_idname = 'clipmill.bake'
    bl_label = 'Bake'
    stage: StringProperty(name='Stage', default='dynamic-bones')
    all_actions: _all_actions()
    target: EnumProperty(
        name='Target', description='Where the root ends (stretch)',
        items=[
            ('SETTINGS', 'Settings', 'Distance or point of the settings'),
            ('CURSOR', '3D cursor', 'The location of the 3D cursor'),
            ('OBJECT', 'Object', 'The location of an object, such as an empty'),
        ],
    )
    target_object: StringProperty(name='Target object')

    def make_task(self, context, armature, program):
        stage = state.registry.find(self.stage)
        settings = stage.value(getattr(armature.clipmill, stage.group))
        settings.update(_FIXED.get(self.stage, {}))
        if self.stage == 'stretch' and self.target != 'SETTINGS':
            settings['to_m'] = self._target(context)
            settings.pop('distance_m', None)
        sources = tasks.sources_of(context, armature, self.all_actions)
        if not sources:
            raise engine.EngineError('no action has keys of the bones of this armature')
        baked = {source.name for source in sources}
        if self.stage in _WITH_ALL_CLIPS:
            others = tasks.sources_of(context, armature, True)
            sources += [source for source in others if source.name not in baked]
        shows_skins = self.stage in _WITH_SKINS or settings.get('colliders') in ('auto', 'skin')
        recipe = {'stage': [{'type': self.stage, **settings}]}
        return tasks.BakeTask(context, armature, program, recipe, sources, baked, shows_skins)

    def _target(self, context):
        """The target in metres, y up."""
        if self.target == 'CURSOR':
            point = context.scene.cursor.location
        else:
            target = context.scene.objects.get(self.target_object)
            if target is None:
                raise engine.EngineError('choose the object that is the target')
            point = target.evaluated_get(context.evaluated_depsgraph_get()).matrix_world.translation
        x, y, z = Vector(point) * rig.metres_per_unit(context.scene)
        return [x, z, -y]

    def finish(self, context):
        return f'{self.stage} {self._task.finish(context)}'


class CLIPMILL_OT_retarget(EngineOperator, bpy.types.Operator, ImportHelper):
    """Retargets the clips of a file onto this armature, as new actions"""

    bl_idname = 'clipmill.retarget'
    bl_label = 'Retarget from a file'
    filter_glob: StringProperty(
        default='*.fbx;*.glb;*.gltf;*.vrm;*.vrma;*.bvh;*.npz;*.npy', options={'HIDDEN'}
    )

    _has_browser = False

    def invoke(self, context, event):
        if self.filepath:
            return self.start(context)
        self._has_browser = True
        return ImportHelper.invoke(self, context, event)

    def execute(self, context):
        # The file browser calls this too; the run is in the background then.
        return self.start(context) if self._has_browser else EngineOperator.execute(self, context)

    def make_task(self, context, armature, program):
        table = state.registry.find('input')
        settings = table.value(armature.clipmill.input)
        path = bpy.path.abspath(self.filepath)
        return tasks.RetargetTask(context, armature, program, settings, path)

    def finish(self, context):
        return f'{self._task.finish(context)} new actions'


class CLIPMILL_OT_check(EngineOperator, bpy.types.Operator):
    """Lists frames where feet drift, limbs penetrate or the skin loses volume"""

    bl_idname = 'clipmill.check'
    bl_label = 'Check'
    bl_options = set()
    allowed_exit_codes = (4,)
    all_actions: _all_actions()

    def make_task(self, context, armature, program):
        sources = tasks.sources_of(context, armature, self.all_actions)
        return tasks.CheckTask(context, armature, program, sources)

    def finish(self, context):
        findings = self._task.finish(context, self._run)
        state.show_findings(context, findings)
        return f'{len(findings)} findings'


class CLIPMILL_OT_cancel(bpy.types.Operator):
    """Ends the run; nothing is changed"""

    bl_idname = 'clipmill.cancel'
    bl_label = 'Cancel'

    def execute(self, _context):
        state.is_cancelled = state.running is not None
        return {'FINISHED'}


CLASSES = (CLIPMILL_OT_bake, CLIPMILL_OT_retarget, CLIPMILL_OT_check, CLIPMILL_OT_cancel)
