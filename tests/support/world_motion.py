# SPDX-License-Identifier: MIT
"""Where all nodes of two files are at the same times, whatever the units and axes of each."""
import math

# Radians between the same joint of the same chain over two spellings of one motion. A conversion
# may rotate an axis by 3e-5, and each joint of a chain adds the errors of those above it: ten
# joints in a row make twenty times as much of it at the last one.
CHAIN_ROTATION_RAD = 3e-4


def point_and_axes(world):
    """The position of a node, and its axes as directions: unit factors leave lengths in them."""
    point = world[3::4]
    axes = []
    for column in range(3):
        axis = world[column::4][:3]
        length = math.hypot(*axis)
        axes.append([x / length for x in axis])
    return point, axes


def height_of(poses):
    """Height of the lowest to the highest position in all poses."""
    heights = [node[7] for clip in poses['clips'] for pose in clip['world'] for node in pose]
    return max(heights) - min(heights)


def worst_differences(a, b):
    """(distance of positions, distance of the ends of unit axes), the largest over all nodes.

    `a` and `b` are what `clipmill poses --space metric` printed.
    """
    if a['nodes'] != b['nodes'] or len(a['clips']) != len(b['clips']):
        raise ValueError('the files have other nodes or clips')
    distance = rotation = 0.0
    for clip, other in zip(a['clips'], b['clips']):
        if len(clip['world']) != len(other['world']):
            raise ValueError('the clips have another number of frames')
        for pose, other_pose in zip(clip['world'], other['world']):
            for world, other_world in zip(pose, other_pose):
                point, axes = point_and_axes(world)
                other_point, other_axes = point_and_axes(other_world)
                distance = max(distance, math.dist(point, other_point))
                rotation = max(rotation, *map(math.dist, axes, other_axes))
    return distance, rotation
