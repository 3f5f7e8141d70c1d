# SPDX-License-Identifier: MIT
"""Every operator on a rig that has constraints, drivers, an NLA track and a shape key of its own:
what each changes in the scene, and what its undo restores (blender_scenes.py)."""
import pathlib
import sys

import bpy
import numpy

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from blender_scenes import SAMPLES, add_chains, curves_of, messages, run_scenes, scene_of, use

DYNAMIC = SAMPLES / 'dynamic-bones' / 'humanoid.glb'
STRETCH = SAMPLES / 'stretch' / 'humanoid.glb'
SKIN = SAMPLES / 'tet-bake' / 'humanoid.glb'
FAT = SAMPLES / 'self-collision' / 'humanoid_fat.glb'


def swing(armature):
    add_chains(armature, ('Tail1',))[0].preset = 'tail'
    return bpy.ops.clipmill.bake(stage='dynamic-bones')


def lengthen(armature):
    bpy.context.scene.cursor.location = (0.0, -5.0, 0.0)
    return bpy.ops.clipmill.bake(stage='stretch', target='CURSOR')


def bake(stage, **options):
    return lambda armature: bpy.ops.clipmill.bake(stage=stage, **options)


def retarget(armature):
    return bpy.ops.clipmill.retarget(filepath=str(STRETCH))


def check(armature):
    return bpy.ops.clipmill.check(all_actions=True)


# Name: file, clip, forearm or shin whose limb an IK constraint holds, what is called.
CASES = {
    'dynamic-bones': (DYNAMIC, 'Walk', 'LeftForeArm', swing),
    'stretch': (STRETCH, 'Leap', 'LeftForeArm', lengthen),
    'self-collision': (FAT, 'ArmsThroughBelly', 'LeftLeg', bake('self-collision')),
    'tet-bake': (SKIN, 'ForearmTwist', 'LeftLeg', bake('tet-bake')),
    'retarget': (SKIN, 'ForearmTwist', 'LeftForeArm', retarget),
    'mirror all': (DYNAMIC, 'Walk', 'LeftForeArm', bake('mirror', all_actions=True)),
    'trim': (DYNAMIC, 'Walk', 'LeftForeArm', bake('trim')),
    'check': (FAT, 'ArmsThroughBelly', 'LeftLeg', check),
}


def skin_of():
    return next(
        o for o in bpy.data.objects
        if o.type == 'MESH' and any(m.type == 'ARMATURE' for m in o.modifiers)
    )


def add_rules(armature, limb):
    """Constraints, drivers, a muted NLA strip, keys of a property, and a driven shape key."""
    goal = bpy.data.objects.new('Goal', None)
    bpy.context.scene.collection.objects.link(goal)
    goal.location = (0.4, -0.3, 1.2)
    bones = armature.pose.bones
    ik = bones[limb].constraints.new('IK')
    ik.target, ik.chain_count = goal, 2
    copied = bones['Spine'].constraints.new('COPY_ROTATION')
    copied.target, copied.influence = goal, 0.3
    bones['Head'].driver_add('scale', 0).driver.expression = '1.1'
    armature['glow'] = 1.0
    armature.keyframe_insert('["glow"]', frame=5)
    track = armature.animation_data.nla_tracks.new()
    track.strips.new('kept', 0, armature.animation_data.action)
    track.mute = True
    mesh = skin_of()
    mesh.shape_key_add(name='Basis', from_mix=False)
    smile = mesh.shape_key_add(name='Smile', from_mix=False)
    smile.data[0].co.z += 0.01
    smile.driver_add('value').driver.expression = '0.5'
    mesh.modifiers.new('Smooth', 'SMOOTH').iterations = 2


def everything():
    """What an artist would miss: actions, rules, shape keys, objects and their modifiers."""
    return {
        'actions': {a.name: curves_of(a) for a in bpy.data.actions},
        'rules': [rules_of(o) for o in sorted(bpy.data.objects, key=lambda o: o.name)],
        'shapes': {
            o.name: {k.name: points_of(k) for k in o.data.shape_keys.key_blocks}
            for o in bpy.data.objects if o.type == 'MESH' and o.data.shape_keys
        },
        'objects': {o.name: facts_of(o) for o in bpy.data.objects},
        'frame': bpy.context.scene.frame_current,
    }


def rules_of(item):
    found = [item.name]
    for bone in item.pose.bones if item.pose else ():
        found.append([bone.name, bone.rotation_mode])
        for rule in bone.constraints:
            found.append([rule.name, rule.type, rule.influence, rule.mute, rule.target.name])
    for owner in (item, getattr(item.data, 'shape_keys', None)):
        for curve in owner.animation_data.drivers if owner and owner.animation_data else ():
            found.append([curve.data_path, curve.array_index, curve.driver.expression])
    for track in item.animation_data.nla_tracks if item.animation_data else ():
        found.append([track.name, track.mute, [s.action.name for s in track.strips]])
    return found


def points_of(block):
    points = numpy.empty(3 * len(block.data), 'f4')
    block.data.foreach_get('co', points)
    return points.tobytes().hex()


def facts_of(item):
    modifiers = [[m.name, m.type, m.show_viewport] for m in item.modifiers]
    matrix = [list(row) for row in item.matrix_basis]
    return [matrix, item.parent.name if item.parent else '', item.hide_viewport, modifiers]


def differences(before, after):
    """Names of what differs: actions with their curves, shape keys, and other groups."""
    found = []
    for name in sorted({*before['actions'], *after['actions']}):
        old, new = before['actions'].get(name), after['actions'].get(name)
        if old is None or new is None:
            found.append(f'action {name}')
            continue
        found += [f'{name} {p}' for p in {*old, *new} if old.get(p) != new.get(p)]
    for mesh in {*before['shapes'], *after['shapes']}:
        old, new = before['shapes'].get(mesh, {}), after['shapes'].get(mesh, {})
        found += [f'shape key {n}' for n in {*old, *new} if old.get(n) != new.get(n)]
    return sorted(found + [g for g in ('rules', 'objects', 'frame') if before[g] != after[g]])


def rigs():
    """Each case: what it changes, and what is left of that after the undo."""
    results = {}
    for name, (path, clip, limb, call) in CASES.items():
        armature = scene_of(path)
        use(armature, clip)
        add_rules(armature, limb)
        if name == 'trim':
            armature.clipmill.trim.end_s, armature.clipmill.trim.use_end_s = 0.6, True
        bpy.context.scene.frame_set(3)
        before = everything()
        bpy.ops.ed.undo_push(message='before')
        status = call(armature)
        bpy.ops.ed.undo_push(message=name)
        after, seen = everything(), messages()
        bpy.ops.ed.undo()
        results[name] = {
            'status': list(status), 'changed': differences(before, after), 'messages': seen,
            'left': differences(before, everything()),
        }
    return results


if __name__ == '__main__':
    run_scenes(rigs)
