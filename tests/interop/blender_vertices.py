# SPDX-License-Identifier: MIT
"""The bones that Blender makes of a binary FBX file, and where the vertices of its meshes are at
some frames of the only action.

  blender -b --factory-startup -noaudio -P blender_vertices.py -- FILE OUT.json FRAME,FRAME,..

Positions are in metres, y up; frames count from the first of the action.
"""
import json
import sys

import bpy

source, target, frames = sys.argv[sys.argv.index('--') + 1 :][:3]
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
bpy.ops.import_scene.fbx(filepath=source, anim_offset=0.0, ignore_leaf_bones=False)
armatures = [o for o in bpy.data.objects if o.type == 'ARMATURE']
meshes = [o for o in bpy.data.objects if o.type == 'MESH']
first = int(round(min(a.frame_range[0] for a in bpy.data.actions)))


def vertices(mesh):
    seen = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
    positions = (seen.matrix_world @ v.co for v in seen.data.vertices)
    return [[p.x, p.z, -p.y] for p in positions]


result = {'bones': sorted(b.name for a in armatures for b in a.data.bones), 'meshes': {}}
for frame in frames.split(','):
    scene.frame_set(first + int(frame))
    for mesh in meshes:
        result['meshes'].setdefault(mesh.name, []).append(vertices(mesh))
with open(target, 'w') as file:
    json.dump(result, file)
