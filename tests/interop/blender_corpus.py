# SPDX-License-Identifier: MIT
"""Characters of other projects in Blender: GLB files, one with 76 actions, one of a fox, FBX files
in centimetres, and a VRM (blender_scenes.py). CLIPMILL_CORPUS names the folder with their files."""
import os
import pathlib
import shutil
import sys
import time

import bpy

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from blender_scenes import (
    SAMPLES, TARGET, add_chains, messages, run_scenes, scene_of, shown, shown_vertices, use,
)

CORPUS = pathlib.Path(os.environ['CLIPMILL_CORPUS'])
BARBARIAN = CORPUS / 'gltf' / 'KayKit-Game-Assets__Barbarian.glb'
KENNEY = CORPUS / 'fbx' / 'ufbx__data' / 'maya_kenney_character_7700_binary.fbx'
GODETTE = CORPUS / 'vrm' / 'V-Sekai__Godette_vrm_v4.vrm'
MANNEQUIN = CORPUS / 'gltf' / 'gdquest-demos__godot-csharp' / 'mannequiny-0.3.0.glb'
FOX = CORPUS / 'gltf' / 'bevyengine__Fox.glb'
PLAYER = CORPUS / 'gltf' / 'godotengine__player.glb'
SAUSAGE = CORPUS / 'fbx' / 'ufbx__data' / 'maya_game_sausage_7500_binary_wiggle.fbx'
HAIR = ('HairBall_L', 'HairBall_R')
BATCH = ('Idle', 'Walking_A', 'Jump_Full_Long', 'Lie_Down')


def action_of(clip):
    return next(a for a in bpy.data.actions if a.name in (clip, clip + '_Rig', clip + '_root'))


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


def mannequin():
    """Clips that start at the second frame, and a skin with three materials. Blender's importer
    rests the bones elsewhere than the nodes, so that feet have other contacts."""
    armature = scene_of(MANNEQUIN)
    armature.animation_data.action = action_of('run')
    target = bpy.data.objects.new('Goal', None)
    bpy.context.scene.collection.objects.link(target)
    target.location = (0.0, -2.0, 0.0)
    armature.clipmill.stretch.feet = 'off'
    status = [list(bpy.ops.clipmill.bake(stage='stretch', target='OBJECT', target_object='Goal'))]
    result = {'heads': shown(armature, action_of('run')), 'messages': messages()}
    armature.animation_data.action = action_of('fight_punch')
    status.append(list(bpy.ops.clipmill.bake(stage='tet-bake')))
    meshes = [o for o in bpy.data.objects if o.type == 'MESH' and o.data.shape_keys]
    bpy.context.scene.frame_set(9)
    result['vertices'] = [point for mesh in meshes for point in shown_vertices(mesh)]
    return {**result, 'status': status}


def fox():
    """An animal 150 units long, at 24 frames a second: its tail in all actions."""
    armature = scene_of(FOX, fps=24)
    armature.animation_data.action = action_of('Survey')
    add_chains(armature, ('b_Tail01_012',))[0].preset = 'tail'
    status = list(bpy.ops.clipmill.bake(stage='dynamic-bones', all_actions=True))
    clips = {clip: shown(armature, action_of(clip)) for clip in ('Survey', 'Walk')}
    return {'status': status, 'messages': messages(), 'heads': clips}


def player():
    """A robot gets a walk of another project, with its feet on the ground."""
    armature = scene_of(PLAYER)
    armature.clipmill.input.clip_from_clip, armature.clipmill.input.keep_feet = 'Walking_A', True
    status = list(bpy.ops.clipmill.retarget(filepath=str(BARBARIAN)))
    return {'status': status, 'heads': shown(armature, armature.animation_data.action)}


def sausage():
    """An FBX file of Maya, whose joints swing."""
    armature = scene_of(SAUSAGE, fps=24)
    (action,) = [a for a in bpy.data.actions if a.name.startswith(armature.name)]
    armature.animation_data.action = action
    add_chains(armature, ('joint1',))[0].preset = 'antenna'
    status = list(bpy.ops.clipmill.bake(stage='dynamic-bones'))
    return {'status': status, 'heads': shown(armature, action), 'messages': messages()}


run_scenes(barbarian, kenney, godette, mannequin, fox, player, sausage)
