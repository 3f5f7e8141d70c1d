# SPDX-License-Identifier: MIT
"""Stages that edit clips, materials of skins, and every setting of the panel, in scenes of Blender
(blender_scenes.py)."""
import pathlib
import sys

import bpy

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from blender_scenes import SAMPLES, curves_of, messages, run_scenes, scene_of, shown, use

DYNAMIC = SAMPLES / 'dynamic-bones' / 'humanoid.glb'
STRETCH = SAMPLES / 'stretch' / 'humanoid.glb'
# Stages with settings that the test bakes by the command line too.
EDITS = {
    'trim': ('Walk', {'start_s': 0.3, 'end_s': 0.6}),
    'retime': ('Walk', {'time_scale': 0.5}),
    'retime slower': ('Walk', {'time_scale': 2.0}),
    'mirror': ('Walk', {}),
    'loop': ('Run', {'window_s': 0.1}),
    'root': ('WalkForward', {'root_motion': 'in_place'}),
}


def edits():
    """One bake for each of EDITS; the action has a custom property with a key at its end."""
    results = {}
    for name, (clip, settings) in EDITS.items():
        armature = scene_of(DYNAMIC)
        action = use(armature, clip)
        armature['glow'] = 1.0
        armature.keyframe_insert('["glow"]', frame=action.frame_range[1])
        stage = name.split()[0]
        set_all(getattr(armature.clipmill, stage), settings)
        status = bpy.ops.clipmill.bake(stage=stage)
        curves = curves_of(action)
        ends = {keys[-1][0] for path, keys in curves.items() if 'glow' not in path}
        results[name] = {
            'status': list(status), 'messages': messages(), 'glow': curves['["glow"][0]'],
            'last_key': max(ends), 'heads': shown_until(armature, action, max(ends)),
        }
    return results


def shown_until(armature, action, last):
    """Heads until a frame; keys of custom properties make the action longer."""
    return shown(armature, action)[: int(last) + 1]


def set_all(group, settings):
    for key, value in settings.items():
        setattr(group, key, value)
        if hasattr(group, 'use_' + key):
            setattr(group, 'use_' + key, True)


def with_another_clip():
    """blend and concat, whose other clip is another action of the armature."""
    results = {}
    for stage in ('blend', 'concat'):
        armature = scene_of(DYNAMIC)
        action = use(armature, 'Walk')
        other = next(a for a in bpy.data.actions if a.name.startswith('Run'))
        before = curves_of(other)
        getattr(getattr(armature.clipmill, stage), 'with').add().clip = other.name
        status = bpy.ops.clipmill.bake(stage=stage)
        results[stage] = {
            'status': list(status), 'heads': shown(armature, action),
            'is_other_kept': curves_of(other) == before,
        }
    return results


def materials():
    """A mask of a material takes the correction from the faces with it alone."""
    moved = {}
    for name in ('', 'skin', 'cloth'):
        armature = scene_of(SAMPLES / 'tet-bake' / 'humanoid.glb')
        use(armature, 'ForearmTwist')
        (mesh,) = [o for o in bpy.data.objects
                   if o.type == 'MESH' and any(m.type == 'ARMATURE' for m in o.modifiers)]
        is_cloth = two_materials(mesh)
        if name:
            mask = armature.clipmill.tet_bake.mask.add()
            mask.material, mask.stiffness = name, 1.0
        bpy.ops.clipmill.bake(stage='tet-bake')
        moved[name] = largest_moves(mesh, is_cloth)
    return moved


def two_materials(mesh):
    """Gives the right half of a mesh the material `cloth`; whether each vertex is of it alone."""
    mesh.data.materials.clear()
    for name in ('skin', 'cloth'):
        mesh.data.materials.append(bpy.data.materials.new(name))
    faces = {0: set(), 1: set()}
    for polygon in mesh.data.polygons:
        polygon.material_index = int(polygon.center.x < 0.0)
        faces[polygon.material_index].update(polygon.vertices)
    return [v in faces[1] and v not in faces[0] for v in range(len(mesh.data.vertices))]


def largest_moves(mesh, is_cloth):
    """The largest displacement of shape keys, of skin and of cloth."""
    keys = mesh.data.shape_keys.key_blocks
    moves = [0.0, 0.0]
    for key in keys[1:]:
        for point, base, cloth in zip(key.data, keys[0].data, is_cloth):
            moves[cloth] = max(moves[cloth], (point.co - base.co).length)
    return moves


def settings():
    """For each setting another value than its default, and the table of a recipe with and without
    it."""
    registry = sys.modules['clipmill_addon'].state.registry
    armature = scene_of(STRETCH)
    found = []
    for stage in registry.stages:
        group = getattr(armature.clipmill, stage.group)
        found += changed_fields(stage.name, '', stage, group)
        for items in stage.lists:
            collection = getattr(group, items.name)
            found += changed_fields(stage.name, items.name, items, collection.add())
            collection.clear()
    return found


def changed_fields(stage, where, table, group):
    unset, found = table.value(group), []
    for field in table.fields:
        value = change(group, field)
        found.append([stage, where, field.name, field.kind, value, table.value(group), unset])
        restore(group, field)
    return found


def change(group, field):
    """Gives a setting another value; returns it."""
    value = getattr(group, field.name)
    low, high = field.bounds
    if field.kind == 'boolean':
        value = not value
    elif field.kind == 'choice':
        value = field.choices[-1] if value != field.choices[-1] else field.choices[0]
    elif field.kind == 'integer':
        value = value + 1 if value + 1 <= high else value - 1
    elif field.kind == 'number':
        value = value + 0.25 if value + 0.25 <= high else value - 0.25
    elif field.kind in ('curve', 'vector'):
        value = [v + 0.25 if v + 0.25 <= high else v - 0.25 for v in value]
    else:
        value = '1, 2, 3' if field.kind == 'numbers' else 'Hips'
    setattr(group, field.name, value)
    if field.is_optional:
        setattr(group, field.switch, True)
    return value


def restore(group, field):
    group.property_unset(field.name)
    if field.is_optional:
        group.property_unset(field.switch)


if __name__ == '__main__':
    run_scenes(edits, with_another_clip, materials, settings)
