# SPDX-License-Identifier: MIT
"""Where the heads of an armature's bones are in Blender."""
import mathutils


def heads(scene, armature, action):
    """At every frame of the action, in metres, y up; other actions and tracks have no effect."""
    armature.animation_data_create()
    for track in armature.animation_data.nla_tracks:
        track.mute = True
    armature.animation_data.action = None
    for bone in armature.pose.bones:  # what this action does not key must not stay from the last
        bone.matrix_basis = mathutils.Matrix()
    scene.frame_set(-1000)
    armature.animation_data.action = action
    first, last = (int(round(x)) for x in action.frame_range)
    frames = []
    for frame in range(first, last + 1):
        scene.frame_set(frame)
        points = {}
        for bone in armature.pose.bones:
            x, y, z = armature.matrix_world @ bone.head
            points[bone.name] = [x, z, -y]
        frames.append(points)
    return {'first': first, 'frames': frames}
