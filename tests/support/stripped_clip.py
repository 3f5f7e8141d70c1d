# SPDX-License-Identifier: MIT
"""Clip files as some libraries have them: a GLB of one clip without meshes and skins, whose nodes
store a frame of the motion as their pose."""
import numpy as np

import glb
import pose_evaluator


def strip(source, clip_name, frame_time, output):
    """Writes the clip of `source` to `output` with the pose at `frame_time` in its nodes."""
    value, _, binary = glb.read(source)
    gltf = pose_evaluator._Gltf(source)
    clip = next(a for a in value['animations'] if a.get('name') == clip_name)
    for channel in clip['channels']:
        target, sampler = channel['target'], clip['samplers'][channel['sampler']]
        if target['path'] == 'weights':
            continue
        pose = gltf.sampled(sampler, target['path'], frame_time)
        if target['path'] == 'rotation':
            pose = pose / np.linalg.norm(pose)
        value['nodes'][target['node']][target['path']] = [float(x) for x in pose]
    clip['channels'] = [c for c in clip['channels'] if c['target']['path'] != 'weights']
    for node in value['nodes']:
        for key in ('mesh', 'skin', 'extensions', 'camera'):
            node.pop(key, None)
    for key in ('meshes', 'skins', 'materials', 'textures', 'images', 'samplers', 'cameras',
                'extensions', 'extensionsUsed', 'extensionsRequired'):  # fmt: skip
        value.pop(key, None)
    value['animations'] = [clip]
    used = {i for s in clip['samplers'] for i in (s['input'], s['output'])}
    order = sorted(used)
    value['accessors'] = [value['accessors'][i] for i in order]
    for sampler in clip['samplers']:
        sampler['input'] = order.index(sampler['input'])
        sampler['output'] = order.index(sampler['output'])
    output.write_bytes(glb.assemble(value, binary))
