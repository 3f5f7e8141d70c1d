# SPDX-License-Identifier: MIT
"""Where Blender has the vertices of an FBX file's one mesh with shape keys, at every frame of each
take.

  blender -b --factory-startup -noaudio -P blender_skin.py -- FILE OUT.json FOLDER

OUT.json: {take: frames}; FOLDER/TAKE.f32 holds frames x vertices x 3 single floats, metres, y up.
"""
import array
import json
import pathlib
import sys

import bpy

source, target, folder = sys.argv[sys.argv.index('--') + 1 :]
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
bpy.ops.import_scene.fbx(filepath=source, anim_offset=0.0, ignore_leaf_bones=False)
(mesh,) = (o for o in bpy.data.objects if o.type == 'MESH' and o.data.shape_keys)
keys = mesh.data.shape_keys


def positions():
    """Skinned and morphed."""
    seen = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
    world = seen.matrix_world
    for vertex in seen.data.vertices:
        position = world @ vertex.co
        yield from (position.x, position.z, -position.y)


def play(take):
    for owner in [o for o in bpy.data.objects if o.animation_data] + [keys]:
        (action,) = (
            a
            for a in bpy.data.actions
            if a.name.split('|')[-1] == take
            and a.name.split('|')[0] == owner.animation_data.action.name.split('|')[0]
        )
        owner.animation_data.action = action
    first, last = (int(round(x)) for x in keys.animation_data.action.frame_range)
    values = array.array('f')
    for frame in range(first, last + 1):
        scene.frame_set(frame)
        values.extend(positions())
    (pathlib.Path(folder) / (take + '.f32')).write_bytes(values.tobytes())
    return last + 1 - first


takes = sorted({a.name.split('|')[-1] for a in bpy.data.actions})
with open(target, 'w') as file:
    json.dump({take: play(take) for take in takes}, file)
