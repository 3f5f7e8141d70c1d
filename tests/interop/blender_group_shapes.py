# SPDX-License-Identifier: MIT
"""A mesh with two animated shape keys, one of which a vertex group weights point by point, as a
binary FBX file of Blender; and where its vertices are at every frame.

  blender -b --factory-startup -noaudio -P blender_group_shapes.py -- OUT.fbx OUT.json

Positions are in metres, y up.
"""
import json
import sys

import bpy

target, seen_path = sys.argv[sys.argv.index('--') + 1 :][:2]
FRAMES = 21
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.frame_start, scene.frame_end = 1, FRAMES
bpy.ops.mesh.primitive_grid_add(x_subdivisions=4, y_subdivisions=4, size=2.0)
mesh = bpy.context.object
mesh.location, mesh.rotation_euler = (0.5, -1.0, 2.0), (0.3, 0.2, -0.4)
group = mesh.vertex_groups.new(name='Share')
for vertex in mesh.data.vertices:
    group.add([vertex.index], (vertex.index % 7) / 6, 'REPLACE')
mesh.shape_key_add(name='Basis')
whole, shared = mesh.shape_key_add(name='Whole'), mesh.shape_key_add(name='Shared')
for index, (a, b) in enumerate(zip(whole.data, shared.data)):
    a.co.x += 0.3 * (index % 3)
    b.co.z += 1.0 + 0.1 * index
shared.vertex_group = 'Share'
for key, values in ((whole, (0.0, 0.8, 0.2)), (shared, (1.0, 0.0, 0.7))):
    for frame, value in zip((1, 11, FRAMES), values):
        key.value = value
        key.keyframe_insert('value', frame=frame)

frames = []
for frame in range(1, FRAMES + 1):
    scene.frame_set(frame)
    seen = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
    positions = (seen.matrix_world @ v.co for v in seen.data.vertices)
    frames.append([[p.x, p.z, -p.y] for p in positions])
# Actions of shape keys are not among "all actions".
bpy.ops.export_scene.fbx(
    filepath=target, bake_anim_simplify_factor=0.0, bake_anim_use_nla_strips=False,
    bake_anim_use_all_actions=False,
)
with open(seen_path, 'w') as file:
    json.dump({'fps': scene.render.fps, 'frames': frames}, file)
