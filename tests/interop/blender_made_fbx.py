# SPDX-License-Identifier: MIT
"""What Blender makes of an FBX file: the vertices of all meshes in every action, and the rest.

  blender -b --factory-startup -noaudio -P blender_made_fbx.py -- FILE OUT.json FRAME,FRAME,..

Vertices are in metres with y up, meshes in the order of their names, at frames counted from 0.
"""
import json
import sys

import bpy
import mathutils

source, target, frames = sys.argv[sys.argv.index('--') + 1 :][:3]
frames = [int(f) for f in frames.split(',')]
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
bpy.ops.import_scene.fbx(filepath=source)
armatures = [o for o in bpy.data.objects if o.type == 'ARMATURE']
meshes = sorted((o for o in bpy.data.objects if o.type == 'MESH'), key=lambda o: o.name)
rest_matrix = {a.name: a.matrix_basis.copy() for a in armatures}


def vertices():
    points = []
    graph = bpy.context.evaluated_depsgraph_get()
    for mesh in meshes:
        seen = mesh.evaluated_get(graph)
        for vertex in seen.to_mesh().vertices:
            x, y, z = seen.matrix_world @ vertex.co
            points.append([x, z, -y])
    return points


def play(armature, action):
    armature.animation_data.action = None
    armature.matrix_basis = rest_matrix[armature.name]
    for bone in armature.pose.bones:  # nothing may stay from the action before
        bone.matrix_basis = mathutils.Matrix()
    armature.animation_data.action = action
    seen = []
    for frame in frames:
        scene.frame_set(frame + 1)  # the importer puts second 0 on frame 1
        seen.append(vertices())
    return {'range': list(action.frame_range), 'vertices': seen}


colors = {}
for material in bpy.data.materials:
    surface = material.node_tree and material.node_tree.nodes.get('Principled BSDF')
    if surface:
        colors[material.name] = {
            'color': list(surface.inputs['Base Color'].default_value),
            'metallic': surface.inputs['Metallic'].default_value,
            'roughness': surface.inputs['Roughness'].default_value,
        }
result = {
    'fps': scene.render.fps / scene.render.fps_base,
    'bones': {a.name: sorted(b.name for b in a.data.bones) for a in armatures},
    'materials': colors,
    'images': sorted(i.name for i in bpy.data.images if i.packed_file),
    'keys': {k.name: [b.name for b in k.key_blocks] for k in bpy.data.shape_keys},
    'actions': {
        action.name.split('|')[-1]: play(armature, action)
        for armature in armatures
        for action in bpy.data.actions
        if action.name.startswith(armature.name + '|')
    },
}
with open(target, 'w') as file:
    json.dump(result, file)
