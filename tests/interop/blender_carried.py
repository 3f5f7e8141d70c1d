# SPDX-License-Identifier: MIT
"""What Blender sees in a binary FBX file beside poses.

  blender -b --factory-startup -noaudio -P blender_carried.py -- FILE OUT.json

Sets are {position: values}; positions are those of the mesh, in metres, y up.
"""
import json
import sys

import bpy
import mathutils

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
# In y up: Blender's cameras and lights look along -z of their objects.
def seen(thing):
    m = thing.matrix_world
    position = m.translation
    axis = (m.to_3x3() @ mathutils.Vector((0, 0, -1))).normalized()
    return {
        'position': [position.x, position.z, -position.y],
        'direction': [axis.x, axis.z, -axis.y],
    }


bpy.context.view_layer.update()
result['views'] = {}
for thing in bpy.data.objects:
    if thing.type not in ('CAMERA', 'LIGHT'):
        continue
    view, data = seen(thing), thing.data
    view['type'] = data.type
    if thing.type == 'CAMERA':
        view['tangents'] = [data.sensor_width / data.lens / 2, data.sensor_height / data.lens / 2]
        view['near'], view['far'], view['width'] = data.clip_start, data.clip_end, data.ortho_scale
    else:
        view['color'], view['intensity'] = list(data.color), data.energy
        if data.type == 'SPOT':
            view['cone'] = data.spot_size
    result['views'][thing.name] = view
with open(target, 'w') as file:
    json.dump(result, file)
