# SPDX-License-Identifier: MIT
"""Files that get a joint, weights and keys through the program add_joint."""
import json
import os
import pathlib
import subprocess

from clipmill_process import PROGRAM

ADD_JOINT = os.environ.get(
    'CLIPMILL_ADD_JOINT',
    str(pathlib.Path(PROGRAM).parents[2] / 'tests' / 'corpus' / 'add_joint'),
)


def add(source, output):
    """The report of add_joint on the file that it wrote. Error: AssertionError."""
    process = subprocess.run([ADD_JOINT, source, output], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def expected(done):
    """Where the vertices of the mesh should be, as poses x vertices x 3, in metres."""
    import numpy

    poses = [pose['positions'] for pose in done['poses']]
    return numpy.array(poses).reshape(len(poses), -1, 3)


def times(done):
    return ','.join('%.9f' % pose['time'] for pose in done['poses'])


def positions_of(skinned, mesh, count):
    """Those of the node `mesh` in the schema of `poses`: all its primitives, one after another."""
    import numpy

    of_time = {}
    for part in skinned:
        if part['mesh'] == mesh:
            of_time.setdefault(part['time'], []).extend(part['positions'])
    assert len(of_time) == count, (len(of_time), count)
    return numpy.array([of_time[t] for t in sorted(of_time)]).reshape(count, -1, 3)
