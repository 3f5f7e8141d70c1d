# SPDX-License-Identifier: MIT
"""A mesh with a texture that is mirrored at the middle, with its tangents as FBX and as GLB.

  blender -b --factory-startup -noaudio -P blender_tangents.py -- OUT.fbx OUT.glb
"""
import sys

import bpy

fbx, gltf = sys.argv[sys.argv.index('--') + 1 :][:2]
bpy.ops.wm.read_factory_settings(use_empty=True)
# Two triangles a side of a bent sheet, rotated within the texture, the left side mirrored.
points = [(-1, 0, 0.3), (0, 0, 0), (1, 0, 0.3), (-1, 1, 0.5), (0, 1, 0.125), (1, 1, 0.25)]
triangles = [(0, 1, 4), (0, 4, 3), (1, 2, 5), (1, 5, 4)]
mesh = bpy.data.meshes.new('Sheet')
mesh.from_pydata(points, [], triangles)
layer = mesh.uv_layers.new(name='UVMap')
for loop in mesh.loops:
    x, y, _ = points[loop.vertex_index]
    layer.data[loop.index].uv = (0.75 * abs(x) + 0.25 * y, 0.75 * y - 0.25 * abs(x))
for polygon in mesh.polygons:
    polygon.use_smooth = True
mesh.update()
bpy.context.collection.objects.link(bpy.data.objects.new('Sheet', mesh))
bpy.ops.export_scene.fbx(filepath=fbx, use_tspace=True, bake_anim=False)
bpy.ops.export_scene.gltf(filepath=gltf, export_format='GLB', export_tangents=True)
