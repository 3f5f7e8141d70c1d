# SPDX-License-Identifier: MIT
"""clipmill: skeletal animation clips in FBX, glTF and VRM files.

`run` does what the command line does. `load` gives the skeleton, the clips and the meshes of a file
as NumPy arrays; a sampled `Motion` may be changed and saved into the file.

Arrays have the units and axes of the file. `Asset.metric_from_file` leads to metres, y up. Matrices
are 4 x 4 and multiply columns. Quaternions are x, y, z, w.
"""
from clipmill._clipmill import Error, __version__
from clipmill.assets import Asset, Clip, Mesh, Motion, load
from clipmill.runs import check, diff, retarget, run, schema
from clipmill.stages import Stage, stage

__all__ = [
    'Asset',
    'Clip',
    'Error',
    'Mesh',
    'Motion',
    'Stage',
    '__version__',
    'check',
    'diff',
    'load',
    'retarget',
    'run',
    'schema',
    'stage',
]
