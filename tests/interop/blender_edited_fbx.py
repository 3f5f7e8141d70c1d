# SPDX-License-Identifier: MIT
"""What Blender makes of a binary FBX file: bones, their heads at the frames of the actions, vertex
groups, materials, images.

  blender -b --factory-startup -noaudio -P blender_edited_fbx.py -- FILE OUT.json

Heads are in metres, y up, at every frame of each action; `start` is the time of frame 0.
"""
import json
import pathlib
import sys

import bpy

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from blender_heads import heads

source, target = sys.argv[sys.argv.index('--') + 1 :][:2]
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
bpy.ops.import_scene.fbx(filepath=source, anim_offset=0.0, ignore_leaf_bones=False)

armatures = [o for o in bpy.data.objects if o.type == 'ARMATURE']
result = {
    'fps': scene.render.fps / scene.render.fps_base,
    'bones': {a.name: sorted(b.name for b in a.data.bones) for a in armatures},
    'parents': {
        b.name: b.parent.name if b.parent else None for a in armatures for b in a.data.bones
    },
    'meshes': {
        o.name: [len(o.data.vertices), sorted(g.name for g in o.vertex_groups)]
        for o in bpy.data.objects
        if o.type == 'MESH'
    },
    'materials': sorted(m.name for m in bpy.data.materials),
    'images': sorted(i.name for i in bpy.data.images),
    'action_names': sorted(a.name for a in bpy.data.actions),
    'actions': {
        a.name: heads(scene, arm, a)
        for arm in armatures
        for a in bpy.data.actions
        if a.name.startswith(arm.name + '|')
    },
}
with open(target, 'w') as file:
    json.dump(result, file)
