# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""What an operator does before and after a run of the engine: sample the armature into a file, and
write the results as keys."""
import json
import os
import tempfile

import bpy
import numpy as np
from mathutils import Matrix

from . import checks, curves, engine, exchange, keys, rig as rigs, skins

# Bones that miss their result by more than this share of the rig's size are reported.
_MISSED = 1e-4


def _location_in(clip, first):
    """The location of a warning, in brackets, without the name of its clip."""
    for separator in (', ', ': '):
        first = first.removeprefix(clip + separator)
    return f' ({first})' if first not in ('', clip) else ''


def _counted(count, noun):
    return f'{count} {noun}' + ('s' if count != 1 else '')


class Source:
    """A clip to send: an action and its frames. Without an action: the frames of the scene."""

    def __init__(self, scene, action, name):
        self.action = action.name if action else None
        self.name = action.name if action else name
        self.is_whole = True
        if action:
            self.frames, self.is_whole = rigs.frames_of(action)
        else:
            self.frames = np.arange(scene.frame_start, scene.frame_end + 1)


class Task:
    """One run for one armature. Data-blocks are found again by name when it ends."""

    def __init__(self, context, armature, program):
        self.program, self.armature_name = program, armature.name
        self.folder = tempfile.TemporaryDirectory(prefix='clipmill-')
        self.rig = rigs.Rig(armature)
        self.fps = rigs.fps_of(context.scene)
        self.metres = rigs.metres_per_unit(context.scene)
        self.exchange = exchange.Scene(armature.name, self.rig, self.metres, self.fps)
        self.sources, self.motions, self.mesh_names, self.messages = [], [], [], []

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def close(self):
        self.folder.cleanup()

    def send(self, context, armature, sources, shows_skins, has_shapes=False):
        """Writes in.glb: the armature with these clips, and its meshes with the shape keys of an
        earlier bake if `has_shapes`. All stages find root, feet and bind pose by the skins; what
        they do not see of them is reported if `shows_skins`: the result depends on their shape."""
        self.sources = sources
        self.motions = _sample_all(context, armature, self.rig, sources)
        meshes = skins.meshes_of(context.scene, armature)
        self.mesh_names = [mesh.name for mesh in meshes]
        for mesh in meshes if shows_skins else ():
            self.messages += skins.differences(mesh)
        for source in sources:
            if not source.is_whole:
                self.messages.append(
                    f'{source.name} starts or ends between two frames: set the frame rate of the'
                    ' scene to that of the clip'
                )
        active = curves.state(armature)[0]
        clips = [
            (s.name, not s.action or (active is not None and s.action == active.name), s.frames)
            for s in sources if has_shapes
        ]
        error = self.exchange.write(
            self.path('in.glb'), np.array(armature.matrix_world), self.motions,
            [skins.Skin(mesh, self.rig, keys.baked_shapes(mesh, clips) if has_shapes else ())
             for mesh in meshes],
            [np.array(mesh.matrix_world) for mesh in meshes],
        )
        if error > _MISSED * self.rig.size():
            self.messages.append(f'bones are sheared: their poses were off by up to {error:.2g}')

    def arguments(self, recipe, clips=('all',)):
        """The command line of a run of `recipe`."""
        recipe.setdefault('output', {}).update(keys='all', fps=self.fps)
        with open(self.path('recipe.json'), 'w', encoding='utf-8') as file:
            json.dump(recipe, file)
        flags = [f'--clip={clip}' for clip in clips]
        return [
            self.program, 'run', self.path('in.glb'), '--recipe', self.path('recipe.json'),
            '-o', self.path('out.glb'), '--report', self.path('report.json'),
            '--progress', 'json', *flags,
        ]

    def armature(self):
        armature = bpy.data.objects.get(self.armature_name)
        if armature is None or rigs.Rig(armature).names != self.rig.names:
            raise engine.EngineError(f'{self.armature_name} was changed while the engine ran')
        return armature

    def take_report(self):
        """Warnings of the engine, as messages."""
        with open(self.path('report.json'), encoding='utf-8') as file:
            report = json.load(file)
        for clip in report.get('clips', []):
            stages = [w for s in clip.get('stages', []) for w in s.get('warnings', [])]
            for warning in clip.get('warnings', []) + stages:
                where = _location_in(clip['clip'], warning.get('first', ''))
                self.messages.append(f"{clip['clip']}: {warning['text']}{where}")
        self.messages += [w['text'] for w in report.get('warnings', [])]


class BakeTask(Task):
    """Stages that change clips: the results replace keys of the actions that were sent."""

    def __init__(self, context, armature, program, recipe, sources, baked, shows_skins):
        super().__init__(context, armature, program)
        self.send(context, armature, sources, shows_skins)
        self.baked = [s for s in sources if s.name in baked]
        self.command = self.arguments(recipe, [s.name for s in self.baked])

    def finish(self, context):
        """Writes the results; returns what was changed, as text."""
        armature = self.armature()
        self.take_report()
        before = {c.name: c for c in self.exchange.read(self.path('in.glb'))}
        after = {c.name: c for c in self.exchange.read(self.path('out.glb'))}
        bones, action_count, has_object = set(), 0, False
        for source in self.baked:
            motion = self.motions[self.sources.index(source)]
            action = _action_of(armature, source)
            written, is_moved = keys.write_clip(
                armature, action, self.rig, motion, before[source.name], after[source.name]
            )
            bones.update(written)
            action_count += bool(written) or is_moved
            has_object = has_object or is_moved
            self._report_length(armature, action, motion, after[source.name])
            self._report_missed(context, armature, source, written, after[source.name])
        shape_count = self._write_shapes(context, armature, after)
        keyed = [_counted(len(bones), 'bone')] if bones else []
        keyed += ['the object'] if has_object else []
        keyed += [_counted(shape_count, 'shape key')] if shape_count else []
        if not keyed:
            return 'changed nothing'
        where = f' in {action_count} actions' if action_count > 1 else ''
        return f'wrote keys of {", ".join(keyed)}{where}'

    def _report_length(self, armature, action, motion, after):
        """Reports keys that do not follow a clip that became longer or shorter."""
        if len(after.times) == len(motion.frames):
            return
        others = keys.other_animation(armature, action, motion.frames[0], motion.frames[-1])
        if others:
            self.messages.append(
                f'{action.name}: the clip has another length, and these keys stay where they are:'
                f' {", ".join(others[:5])}'
            )

    def _report_missed(self, context, armature, source, written, clip):
        """Reports bones that show something else than the result, since constraints, drivers or
        other actions move them too."""
        if not written:
            return
        source.frames = source.frames[0] + np.arange(len(clip.times))
        (shown,) = _sample_all(context, armature, self.rig, [source])
        errors = rigs.pose_error(self.rig, shown.poses, clip.poses())
        missed = [b for b, e in enumerate(errors) if e > _MISSED * self.rig.size()]
        if missed:
            names = ', '.join(self.rig.names[b] for b in missed[:5])
            self.messages.append(
                f'{source.name}: {len(missed)} bones are off by up to {errors.max():.3g}, since'
                f' constraints, drivers or other actions move them: {names}'
            )
        driven = keys.driven_bones(armature, written)
        if driven:
            self.messages.append(f'{source.name}: drivers override the keys of {", ".join(driven)}')

    def _write_shapes(self, context, armature, after):
        count = 0
        active = curves.state(armature)[0]
        for index, name in enumerate(self.mesh_names):
            names, displacements = self.exchange.read_morphs(self.path('out.glb'), index)
            mesh = context.scene.objects.get(name)
            if not names or mesh is None:
                continue
            clips = []
            for source in self.baked:
                clip = after[source.name]
                frames = source.frames[0] + np.arange(len(clip.times))
                is_active = active is not None and source.action == active.name
                values = clip.weights(index, len(names))
                clips.append((source.name, is_active or not source.action, frames, values))
            keys.write_shapes(mesh, names, displacements, clips)
            count += len(names)
        return count


class RetargetTask(Task):
    """Clips of another file as new actions."""

    def __init__(self, context, armature, program, settings, path):
        super().__init__(context, armature, program)
        self.send(context, armature, [], False)
        self.first_frame = context.scene.frame_start
        self.command = self.arguments({'input': {**settings, 'clip_from': path}})

    def finish(self, context):
        armature = self.armature()
        self.take_report()
        rest = self.exchange.rest_clip(self.path('in.glb'))
        clips = self.exchange.read(self.path('out.glb'))
        for number, clip in enumerate(clips):
            action = bpy.data.actions.new(clip.name)
            action.use_fake_user = True
            keys.write_clip(armature, action, self.rig, None, rest, clip, self.first_frame)
            if number == 0:
                curves.assign(armature, action)
        context.scene.frame_set(context.scene.frame_current)
        return len(clips)


class CheckTask(Task):
    """Measures of clips; changes nothing."""

    def __init__(self, context, armature, program, sources):
        super().__init__(context, armature, program)
        self.send(context, armature, sources, True, has_shapes=True)
        self.command = [program, 'check', self.path('in.glb'), '--json']

    def finish(self, context, run):
        """[checks.Finding] of all clips."""
        starts = {s.name: s.frames[0] for s in self.sources}
        return checks.findings(json.loads(run.stdout), starts, self.fps)


def sources_of(context, armature, is_all):
    """The active action, or all actions with keys of the armature's bones."""
    if not is_all:
        action = curves.state(armature)[0]
        return [Source(context.scene, action, armature.name)]
    return [
        Source(context.scene, action, '')
        for action in bpy.data.actions
        if curves.animates(action, armature)
    ]


def _action_of(armature, source):
    """The action of a source; a new one where nothing was assigned."""
    if source.action:
        action = bpy.data.actions.get(source.action)
        if action is None:
            raise engine.EngineError(f'action {source.action} was removed while the engine ran')
        return action
    action = bpy.data.actions.new(source.name)
    curves.assign(armature, action)
    source.action = action.name
    return action


def _sample_all(context, armature, rig, sources):
    """Motions of the sources. An action that is not the active one starts from the rest pose, so
    that bones without keys do not keep what another action left them."""
    with rigs.without_skins(context.scene, armature):
        return list(_sample_each(context, armature, rig, sources))


def _sample_each(context, armature, rig, sources):
    kept = curves.state(armature)
    poses = [[tuple(getattr(b, path)) for path in keys.TRANSFORMS] for b in armature.pose.bones]
    try:
        for source in sources:
            action = bpy.data.actions.get(source.action) if source.action else None
            if action is not None and action != kept[0]:
                for bone in armature.pose.bones:
                    bone.matrix_basis = Matrix()
                curves.assign(armature, action)
            yield rigs.sample(context, armature, rig, source.name, source.frames)
            curves.restore(armature, kept)
    finally:
        curves.restore(armature, kept)
        for bone, values in zip(armature.pose.bones, poses):
            for path, value in zip(keys.TRANSFORMS, values):
                setattr(bone, path, value)
        scene = context.scene
        scene.frame_set(scene.frame_current, subframe=scene.frame_subframe)
