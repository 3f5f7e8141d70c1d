# SPDX-License-Identifier: MIT
"""Edits of one joint through the program edit_joint, and their expected results."""
import json
import math
import os
import pathlib
import subprocess

from clipmill_process import PROGRAM

EDIT_JOINT = os.environ.get(
    'CLIPMILL_EDIT_JOINT',
    str(pathlib.Path(PROGRAM).parents[2] / 'tests' / 'corpus' / 'edit_joint'),
)
ANGLE = 20.0


def edit(source, output, **options):
    """The report of edit_joint on its edit of `source`. Error: AssertionError."""
    arguments = [x for k, v in options.items() for x in ('--' + k, str(v))]
    process = subprocess.run(
        [EDIT_JOINT, source, output, *arguments], capture_output=True, text=True
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def matrices(rows):
    """World matrices of the schema of `poses` as frames x nodes x 4 x 4."""
    import numpy

    world = numpy.array(rows, float).reshape(len(rows), -1, 3, 4)
    last = numpy.broadcast_to([0.0, 0.0, 0.0, 1.0], world.shape[:2] + (1, 4))
    return numpy.concatenate([world, last], axis=2)


def rotation_about_x(degrees):
    import numpy

    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return numpy.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def subtree_of(nodes, joint):
    """Indices of the paths at and below `joint`, itself first."""
    return [n for n, name in enumerate(nodes) if (name + '/').startswith(joint + '/')]


def rotated(before, joint, parent, subtree):
    """The worlds with the joint rotated by ANGLE about its x axis, its scale applied before. Holds
    where every node takes over all scales above it."""
    import numpy

    expected = before.copy()
    for frame, world in enumerate(before):
        above = world[parent] if parent is not None else numpy.eye(4)
        local = numpy.linalg.inv(above) @ world[joint]
        scale = numpy.linalg.norm(local[:3, :3], axis=0)
        local[:3, :3] = local[:3, :3] / scale @ rotation_about_x(ANGLE) * scale
        change = above @ local @ numpy.linalg.inv(world[joint])
        for n in subtree:
            expected[frame, n] = change @ world[n]
    return expected
