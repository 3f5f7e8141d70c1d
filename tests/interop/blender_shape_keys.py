# SPDX-License-Identifier: MIT
"""The shape keys that Blender makes of a binary FBX file, and where the vertices of those meshes
are at every frame of the keys' action.

  blender -b --factory-startup -noaudio -P blender_shape_keys.py -- FILE OUT.json

Positions are in metres, y up.
"""
import json
import sys

import bpy

source, target = sys.argv[sys.argv.index('--') + 1 :][:2]
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
bpy.ops.import_scene.fbx(filepath=source, anim_offset=0.0, ignore_leaf_bones=False)


def vertices(mesh):
    """Skinned and morphed."""
    seen = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
    positions = (seen.matrix_world @ v.co for v in seen.data.vertices)
    return [[p.x, p.z, -p.y] for p in positions]


def shape_keys(mesh):
    keys = mesh.data.shape_keys
    first, last = (int(round(x)) for x in keys.animation_data.action.frame_range)
    frames, weights = [], []
    for frame in range(first, last + 1):
        scene.frame_set(frame)
        frames.append(vertices(mesh))
        weights.append([block.value for block in keys.key_blocks[1:]])
    names = [block.name for block in keys.key_blocks[1:]]
    return {'names': names, 'first': first, 'frames': frames, 'weights': weights}


result = {
    o.name: shape_keys(o) for o in bpy.data.objects if o.type == 'MESH' and o.data.shape_keys
}
with open(target, 'w') as file:
    json.dump(result, file)
