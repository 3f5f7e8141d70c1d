# SPDX-License-Identifier: MIT
"""What scripts for tests of the add-on do in Blender: install it, bring in a character, choose a
clip and chains, and see what is shown.

  blender -b --factory-startup -noaudio -P SCRIPT.py -- ZIP PROGRAM SAMPLES OUT_FOLDER [SCENE ..]

BLENDER_USER_SCRIPTS names an empty folder for the installation. OUT_FOLDER/results.json gets one
member for each scene; heads are in metres, y up, at every frame of an action.
"""
import json
import pathlib
import sys

import bpy
import numpy
from blender_heads import heads

numpy.bool = bool  # Blender 3.4's importer uses numpy.bool, which Debian's numpy no longer has
Y_UP = numpy.array([[1.0, 0, 0], [0, 0, 1.0], [0, -1.0, 0]])
ADDON, PROGRAM, SAMPLES, TARGET = map(pathlib.Path, sys.argv[sys.argv.index('--') + 1 :][:4])


def install():
    bpy.ops.preferences.addon_install(filepath=str(ADDON))
    bpy.ops.preferences.addon_enable(module='clipmill_addon')
    bpy.context.preferences.addons['clipmill_addon'].preferences.program = str(PROGRAM)


def scene_of(path, fps=30):
    """An empty scene with the character of a file; its armature is active."""
    for item in list(bpy.data.objects):
        bpy.data.objects.remove(item)
    bpy.ops.outliner.orphans_purge(do_recursive=True)
    for action in list(bpy.data.actions):
        bpy.data.actions.remove(action)
    bpy.context.scene.render.fps = fps
    if path.suffix == '.fbx':
        bpy.ops.import_scene.fbx(filepath=str(path), anim_offset=0.0, ignore_leaf_bones=False)
    else:
        bpy.ops.import_scene.gltf(filepath=str(path))
    (armature,) = [o for o in bpy.data.objects if o.type == 'ARMATURE']
    if armature.animation_data:
        for track in list(armature.animation_data.nla_tracks):
            armature.animation_data.nla_tracks.remove(track)
    bpy.context.view_layer.objects.active = armature
    return armature


def use(armature, clip):
    """Makes the imported action of a clip the active one, and all others start from rest."""
    action = next(a for a in bpy.data.actions if clip in re_names(a))
    for bone in armature.pose.bones:
        bone.matrix_basis.identity()
    armature.animation_data.action = action
    bpy.context.scene.frame_set(0)
    return action


def re_names(action):
    """Names of the clip that an importer may have made the action of."""
    return {action.name.split('_')[0], action.name.split('|')[-1], *action.name.split('|')}


def add_chains(armature, bones):
    """Chooses bones in pose mode and adds their chains, as an artist does."""
    bpy.ops.object.mode_set(mode='POSE')
    for bone in armature.data.bones:
        bone.select = bone.name in bones
    bpy.ops.clipmill.list_add(stage='dynamic-bones', items='chain')
    bpy.ops.object.mode_set(mode='OBJECT')
    return armature.clipmill.dynamic_bones.chain


def curves_of(action):
    """{path and index: its keys} of an action."""
    return {
        f'{c.data_path}[{c.array_index}]': [tuple(k.co) for k in c.keyframe_points]
        for c in action.fcurves
    }


def shown(armature, action):
    return heads(bpy.context.scene, armature, action)['frames']


def rotations(armature):
    """{bone: its rotation in the world with y up, 9 numbers} at the current frame."""
    found = {}
    for bone in armature.pose.bones:
        world = numpy.array(armature.matrix_world @ bone.matrix)[:3, :3]
        world /= numpy.linalg.norm(world, axis=0)
        found[bone.name] = (Y_UP @ world).ravel().tolist()
    return found


def shown_rotations(armature, action):
    """Those at every frame of an action that `shown` has made the active one."""
    first, last = (int(round(x)) for x in action.frame_range)
    frames = []
    for frame in range(first, last + 1):
        bpy.context.scene.frame_set(frame)
        frames.append(rotations(armature))
    return frames


def shown_vertices(mesh):
    """The vertices of a mesh at the current frame, in metres, y up."""
    seen = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [(Y_UP @ (seen.matrix_world @ v.co)).tolist() for v in seen.data.vertices]


def messages():
    return [m.text for m in bpy.context.window_manager.clipmill.messages]


def run_scenes(*scenes):
    """Installs the add-on, calls each function, and writes what they return."""
    install()
    only = sys.argv[sys.argv.index('--') + 5 :]
    results = {s.__name__: s() for s in scenes if not only or s.__name__ in only}
    (TARGET / 'results.json').write_text(json.dumps(results))
