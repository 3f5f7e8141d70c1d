# SPDX-License-Identifier: MIT
"""The operators of the add-on in scenes, and what Blender shows afterwards (blender_scenes.py)."""
import pathlib
import sys

import bpy

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from blender_scenes import (
    PROGRAM, SAMPLES, TARGET, add_chains, curves_of, messages, re_names, rotations, run_scenes,
    scene_of, shown, shown_rotations, shown_vertices, use,
)

DYNAMIC = SAMPLES / 'dynamic-bones' / 'humanoid.glb'
STRETCH = SAMPLES / 'stretch' / 'humanoid.glb'


def dynamic_bones():
    armature = scene_of(DYNAMIC)
    action = use(armature, 'Walk')
    reference = rotations(armature)
    before = curves_of(action)
    chains = add_chains(armature, ('Tail1', 'Tail2', 'Whip1'))
    names = [chain.root for chain in chains]
    chains[names.index('Tail1')].preset = 'tail'
    chains[names.index('Whip1')].preset = 'rope'
    chains[names.index('Whip1')].damping_ratio = (0.8, 0.8)
    name = armature.name
    bpy.ops.ed.undo_push(message='before the bake')
    status = bpy.ops.clipmill.bake(stage='dynamic-bones')
    bpy.ops.ed.undo_push(message='bake')
    after = curves_of(action)
    changed = sorted(k for k in after if before.get(k) != after[k])
    result = {'status': list(status), 'roots': names, 'changed': changed, 'messages': messages()}
    result['heads'] = shown(armature, action)
    result.update(reference=reference, rotations=shown_rotations(armature, action))
    bpy.ops.ed.undo()
    armature = bpy.data.objects[name]
    action = next(a for a in bpy.data.actions if 'Walk' in re_names(a))
    result['is_restored'] = curves_of(action) == before
    result['chains_left'] = len(armature.clipmill.dynamic_bones.chain)
    return result


def batch():
    armature = scene_of(DYNAMIC)
    use(armature, 'Walk')
    add_chains(armature, ('Tail1',))[0].preset = 'tail'
    status = bpy.ops.clipmill.bake(stage='dynamic-bones', all_actions=True)
    clips = {a.name.split('_')[0]: shown(armature, a) for a in list(bpy.data.actions)}
    return {'status': list(status), 'heads': clips, 'messages': messages()}


def fbx_in_euler():
    """An FBX file in centimetres, with bones whose rotations are Euler angles, and angle and
    axis."""
    armature = scene_of(SAMPLES / 'dynamic-bones' / 'humanoid.fbx')
    action = use(armature, 'Walk')
    reference = rotations(armature)
    for curve in list(action.fcurves):
        if '"Tail' in curve.data_path and 'rotation' in curve.data_path:
            action.fcurves.remove(curve)
    for name, mode in (('Tail1', 'XYZ'), ('Tail2', 'ZYX'), ('Tail3', 'AXIS_ANGLE')):
        armature.pose.bones[name].rotation_mode = mode
    add_chains(armature, ('Tail1',))[0].preset = 'tail'
    status = bpy.ops.clipmill.bake(stage='dynamic-bones')
    modes = sorted({b.rotation_mode for b in armature.pose.bones})
    return {
        'status': list(status), 'modes': modes, 'messages': messages(),
        'scale': list(armature.scale), 'heads': shown(armature, action),
        'reference': reference, 'rotations': shown_rotations(armature, action),
    }


def stretch():
    armature = scene_of(STRETCH)
    action = use(armature, 'Leap')
    reference = rotations(armature)
    empty = bpy.data.objects.new('Goal', None)
    bpy.context.scene.collection.objects.link(empty)
    empty.location = (1.0, -4.0, 0.0)
    status = bpy.ops.clipmill.bake(stage='stretch', target='OBJECT', target_object='Goal')
    result = {'status': list(status), 'messages': messages(), 'empty': shown(armature, action)}
    result.update(reference=reference, rotations=shown_rotations(armature, action))
    armature = scene_of(STRETCH)
    action = use(armature, 'Leap')
    bpy.context.scene.cursor.location = (0.0, -5.0, 0.0)
    result['cursor_status'] = list(bpy.ops.clipmill.bake(stage='stretch', target='CURSOR'))
    result['cursor'] = shown(armature, action)
    return result


def self_collision():
    armature = scene_of(SAMPLES / 'self-collision' / 'humanoid_fat.glb')
    action = use(armature, 'ArmsThroughBelly')
    reference = rotations(armature)
    checked = list(bpy.ops.clipmill.check())
    found = [
        (f.clip, f.frame, f.text) for f in bpy.context.window_manager.clipmill.findings
    ]
    bpy.context.scene.frame_set(0)
    bpy.ops.clipmill.jump(index=0)
    jumped = bpy.context.scene.frame_current
    status = bpy.ops.clipmill.bake(stage='self-collision')
    bpy.ops.clipmill.check()
    left = [(f.clip, f.frame, f.text) for f in bpy.context.window_manager.clipmill.findings]
    return {
        'status': list(status), 'checked': checked, 'findings': found, 'left': left,
        'jumped': jumped, 'messages': messages(), 'heads': shown(armature, action),
        'reference': reference, 'rotations': shown_rotations(armature, action),
    }


def tet_bake():
    armature = scene_of(SAMPLES / 'tet-bake' / 'humanoid.glb')
    use(armature, 'ForearmTwist')
    (mesh,) = [o for o in bpy.data.objects if o.type == 'MESH' and o.data.shape_keys is None
               and any(m.type == 'ARMATURE' for m in o.modifiers)]
    bpy.ops.ed.undo_push(message='before the bakes')
    status = [list(bpy.ops.clipmill.bake(stage='tet-bake')) for _ in range(2)]
    bpy.ops.clipmill.check()
    volumes = [f.text for f in bpy.context.window_manager.clipmill.findings if 'volume' in f.text]
    keys = mesh.data.shape_keys
    frames = []
    for frame in (0, 10, 20, 30):
        bpy.context.scene.frame_set(frame)
        frames.append([frame, shown_vertices(mesh)])
    result = {
        'status': status, 'names': [k.name for k in keys.key_blocks], 'frames': frames,
        'curves': len(keys.animation_data.action.fcurves), 'messages': messages(),
        'volumes': volumes,
    }
    name = mesh.name
    bpy.ops.ed.undo_push(message='bakes')
    bpy.ops.ed.undo()
    result['is_restored'] = bpy.data.objects[name].data.shape_keys is None
    return result


def retarget():
    armature = scene_of(SAMPLES / 'tet-bake' / 'humanoid.glb')
    kept = {a.name: curves_of(a) for a in bpy.data.actions}
    armature.clipmill.input.clip_from_clip = 'Leap'
    status = bpy.ops.clipmill.retarget(filepath=str(STRETCH))
    action = bpy.data.actions['Leap']
    return {
        'status': list(status), 'heads': shown(armature, action), 'messages': messages(),
        'are_others_kept': all(curves_of(bpy.data.actions[n]) == c for n, c in kept.items()),
    }


def rigged():
    """A tail whose base is constrained and driven, and an arm with IK: they stay as they are."""
    armature = scene_of(DYNAMIC)
    action = use(armature, 'Walk')
    goal = bpy.data.objects.new('Goal', None)
    bpy.context.scene.collection.objects.link(goal)
    goal.location = (0.4, -0.3, 1.2)
    bones = armature.pose.bones
    ik = bones['LeftForeArm'].constraints.new('IK')
    ik.target, ik.chain_count = goal, 2
    limit = bones['Spine'].constraints.new('COPY_ROTATION')
    limit.target, limit.influence = goal, 0.3
    driver = bones['Head'].driver_add('scale', 0).driver
    driver.expression = '1.1'
    for other in [a for a in bpy.data.actions if a != action]:
        bpy.data.actions.remove(other)  # the exporter merges all of them
    rules_before = rules(armature)
    before = curves_of(action)
    bpy.context.scene.frame_set(0)
    bpy.ops.export_scene.gltf(
        filepath=str(TARGET / 'rigged.glb'), export_format='GLB', export_force_sampling=True,
        export_nla_strips=False, export_animations=True, export_current_frame=False,
        export_frame_range=False, export_def_bones=False, export_optimize_animation_size=False,
    )
    add_chains(armature, ('Tail1',))[0].preset = 'tail'
    status = bpy.ops.clipmill.bake(stage='dynamic-bones')
    after = curves_of(action)
    return {
        'status': list(status), 'are_rules_kept': rules(armature) == rules_before,
        'changed': sorted(k for k in after if before.get(k) != after[k]),
        'heads': shown(armature, action), 'messages': messages(),
    }


def moving_object():
    """An armature object that itself travels by 3 m, below a parent that is rotated and scaled."""
    armature = scene_of(STRETCH)
    action = use(armature, 'Leap')
    for curve in list(action.fcurves):
        if '"Root"' in curve.data_path:
            action.fcurves.remove(curve)
    armature.pose.bones['Root'].matrix_basis.identity()
    parent = bpy.data.objects.new('Parent', None)
    bpy.context.scene.collection.objects.link(parent)
    parent.location, parent.rotation_euler, parent.scale = (1, 2, 0), (0, 0, 0.5), (0.5, 0.5, 0.5)
    armature.parent = parent
    first, last = action.frame_range
    for index, (start, end) in enumerate(((0.0, 0.0), (0.0, -6.0), (0.0, 0.0))):
        curve = action.fcurves.new('location', index=index)
        curve.keyframe_points.add(2)
        curve.keyframe_points.foreach_set('co', (first, start, last, end))
        curve.update()
    before = curves_of(action)
    armature.clipmill.stretch.distance_m = '5'
    armature.clipmill.stretch.feet = 'off'
    status = bpy.ops.clipmill.bake(stage='stretch')
    after = curves_of(action)
    worlds = []
    for frame in (first, last):
        bpy.context.scene.frame_set(int(frame))
        worlds.append(list(armature.matrix_world.translation))
    return {
        'status': list(status), 'worlds': worlds, 'messages': messages(),
        'changed': sorted(k for k in after if before.get(k) != after[k]),
    }


def driven_chain():
    """A driver on a bone of the chain itself: the bake cannot show, and that is reported."""
    armature = scene_of(DYNAMIC)
    use(armature, 'Walk')
    for index in range(4):
        driver = armature.pose.bones['Tail2'].driver_add('rotation_quaternion', index).driver
        driver.expression = '1.0' if index == 0 else '0.0'
    add_chains(armature, ('Tail1',))[0].preset = 'tail'
    status = bpy.ops.clipmill.bake(stage='dynamic-bones')
    return {'status': list(status), 'messages': messages()}


def errors():
    """What an artist sees where the engine refuses: nothing changes."""
    armature = scene_of(DYNAMIC)
    action = use(armature, 'Walk')
    before = curves_of(action)
    add_chains(armature, ('Tail1',))[0].root = 'Tial1'
    found = {}
    try:
        bpy.ops.clipmill.bake(stage='dynamic-bones')
    except RuntimeError as error:
        found['refused'] = str(error)
    addon_preferences = bpy.context.preferences.addons['clipmill_addon'].preferences
    addon_preferences.program = str(TARGET / 'nowhere')
    try:
        bpy.ops.clipmill.bake(stage='dynamic-bones')
    except (RuntimeError, AttributeError) as error:
        found['missing'] = str(error)
    addon_preferences.program = str(PROGRAM)
    found['is_kept'] = curves_of(action) == before
    return found


def rules(armature):
    """Constraints and drivers with their values."""
    found = []
    for bone in armature.pose.bones:
        for constraint in bone.constraints:
            target_name = constraint.target.name if constraint.target else None
            found.append((bone.name, constraint.type, constraint.influence, target_name))
    for curve in armature.animation_data.drivers:
        found.append((curve.data_path, curve.array_index, curve.driver.expression))
    return found


run_scenes(
    dynamic_bones, batch, fbx_in_euler, stretch, self_collision, tet_bake, retarget, rigged,
    moving_object, driven_chain, errors,
)
