# SPDX-License-Identifier: MIT
"""Writes a glTF file as FBX with Blender:
blender -b --factory-startup -P blender_fbx.py -- IN OUT"""
import sys

import bpy
import numpy

# Blender 3.4 uses names that later versions of numpy dropped.
for name, kind in (('bool', bool), ('int', int), ('float', float)):
    if name not in numpy.__dict__:
        setattr(numpy, name, kind)

source, target = sys.argv[sys.argv.index('--') + 1 :]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = 30
bpy.ops.import_scene.gltf(filepath=source)
bpy.context.scene.frame_start, bpy.context.scene.frame_end = 0, 30
bpy.ops.export_scene.fbx(
    filepath=target,
    add_leaf_bones=False,
    bake_anim_use_nla_strips=False,
    bake_anim_use_all_actions=False,
    bake_anim_simplify_factor=0.0,
)
