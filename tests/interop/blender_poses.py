# SPDX-License-Identifier: MIT
"""What Blender makes of a glTF file: bones, their heads at some frames, meshes, materials, images.

  blender -b --factory-startup -noaudio -P blender_poses.py -- FILE OUT.json

Heads are in metres in glTF axes (y up), at every frame of each action at 30 frames a second.
"""
import json
import pathlib
import sys

import bpy
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from blender_heads import heads

numpy.bool = bool  # Blender 3.4's importer uses numpy.bool, which Debian's numpy no longer has
source, target = sys.argv[sys.argv.index('--') + 1 :][:2]
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps = 30  # the rate of the samples, so that frames fall on keys
bpy.ops.import_scene.gltf(filepath=source)


def animates(action, armature):
    names = {bone.name for bone in armature.data.bones}
    return any(
        c.data_path.startswith('pose.bones["') and c.data_path.split('"')[1] in names
        for c in action.fcurves
    )


armatures = [o for o in bpy.data.objects if o.type == 'ARMATURE']
result = {
    'fps': scene.render.fps,
    'bones': {a.name: sorted(b.name for b in a.data.bones) for a in armatures},
    'meshes': {
        o.name: [len(o.data.vertices), len(o.vertex_groups)]
        for o in bpy.data.objects
        if o.type == 'MESH'
    },
    'materials': sorted(m.name for m in bpy.data.materials),
    'images': sorted(i.name for i in bpy.data.images),
    'actions': {
        a.name: heads(scene, arm, a)
        for arm in armatures
        for a in bpy.data.actions
        if animates(a, arm)
    },
}
with open(target, 'w') as file:
    json.dump(result, file)
