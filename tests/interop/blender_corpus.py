# SPDX-License-Identifier: MIT
"""Characters of other projects in Blender: a GLB with 76 actions, an FBX in centimetres and a VRM
(blender_scenes.py). CLIPMILL_CORPUS names the folder with their files."""
import os
import pathlib
import shutil
import sys
import time

import bpy

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from blender_scenes import SAMPLES, TARGET, add_chains, messages, run_scenes, scene_of, shown, use

CORPUS = pathlib.Path(os.environ['CLIPMILL_CORPUS'])
BARBARIAN = CORPUS / 'gltf' / 'KayKit-Game-Assets__Barbarian.glb'
KENNEY = CORPUS / 'fbx' / 'ufbx__data' / 'maya_kenney_character_7700_binary.fbx'
GODETTE = CORPUS / 'vrm' / 'V-Sekai__Godette_vrm_v4.vrm'
HAIR = ('HairBall_L', 'HairBall_R')
BATCH = ('Idle', 'Walking_A', 'Jump_Full_Long', 'Lie_Down')


def action_of(clip):
    return next(a for a in bpy.data.actions if a.name in (clip, clip + '_Rig'))


def barbarian():
    """The arms of a run out of the body; then all 76 actions mirrored at once."""
    armature = scene_of(BARBARIAN)
    armature.animation_data.action = action_of('Running_A')
    bpy.context.scene.frame_set(0)
    checked = list(bpy.ops.clipmill.check())
    findings = [f.text for f in bpy.context.window_manager.clipmill.findings]
    status = [list(bpy.ops.clipmill.bake(stage='self-collision'))]
    result = {'checked': checked, 'findings': findings}
    result['heads'] = shown(armature, action_of('Running_A'))
    start_s = time.monotonic()
    status.append(list(bpy.ops.clipmill.bake(stage='mirror', all_actions=True)))
    result.update(status=status, batch_s=time.monotonic() - start_s, messages=messages())
    result['actions'] = len(bpy.data.actions)
    result['batch'] = {clip: shown(armature, action_of(clip)) for clip in BATCH}
    return result


def kenney():
    """An FBX with a rig of controls, in centimetres."""
    armature = scene_of(KENNEY, fps=24)
    (action,) = bpy.data.actions
    armature.animation_data.action = action
    armature.clipmill.retime.time_scale = 0.5
    status = list(bpy.ops.clipmill.bake(stage='retime'))
    return {'status': status, 'messages': messages(), 'heads': shown(armature, action)}


def godette():
    """A VRM without clips: a walk of a sample is put on it, then its hair moves."""
    shutil.copy(GODETTE, TARGET / 'godette.glb')
    armature = scene_of(TARGET / 'godette.glb')
    armature.clipmill.input.clip_from_clip = 'Walk'
    source = SAMPLES / 'dynamic-bones' / 'humanoid.glb'
    status = [list(bpy.ops.clipmill.retarget(filepath=str(source)))]
    action = use(armature, 'Walk')
    retargeted = shown(armature, action)
    for name in HAIR:
        add_chains(armature, (name,))[-1].preset = 'ponytail'
    status.append(list(bpy.ops.clipmill.bake(stage='dynamic-bones')))
    return {
        'status': status, 'retargeted': retargeted, 'heads': shown(armature, action),
        'messages': messages(),
    }


run_scenes(barbarian, kenney, godette)
