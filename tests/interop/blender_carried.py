# SPDX-License-Identifier: MIT
"""What Blender sees in a binary FBX file beside poses.

  blender -b --factory-startup -noaudio -P blender_carried.py -- FILE OUT.json

Sets are {position: values}; positions are those of the mesh, in metres, y up.
"""
import json
import sys

import bpy

source, target = sys.argv[sys.argv.index('--') + 1 :][:2]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.fbx(filepath=source)
mesh = bpy.data.objects['Cloth']
points = {}
for loop in mesh.data.loops:
    p = mesh.matrix_world @ mesh.data.vertices[loop.vertex_index].co
    points[loop.index] = ' '.join('%.4f' % (x + 0.0) for x in (p.x, p.z, -p.y + 0.0))
result = {
    'uvs': [
        {points[i]: list(layer.data[i].uv) for i in points} for layer in mesh.data.uv_layers
    ],
    'colors': [
        {points[i]: list(layer.data[i].color) for i in points}
        for layer in mesh.data.color_attributes
    ],
    'custom': {
        name: list(value) if hasattr(value, 'to_list') else value
        for name, value in bpy.data.objects['Top'].items()
    },
}
with open(target, 'w') as file:
    json.dump(result, file)
