# SPDX-License-Identifier: MIT
"""A character as Mixamo makes them: no root joint, the hips at the top with all root motion, names
with a prefix. A GLB with a box of skin around each joint and two clips: `Walk` goes 2 m in a
curve, `Idle` only sways."""
import math
import struct

import glb

FPS = 30.0
FRAMES = 31
PREFIX = 'mixamorig:'
HALF_BOX = 0.03
JOINTS = [  # name, parent, position in metres
    ('Hips', -1, (0.0, 0.98, 0.01)),
    ('Spine', 0, (0.0, 1.08, 0.0)),
    ('Spine1', 1, (0.0, 1.2, 0.0)),
    ('Spine2', 2, (0.0, 1.32, 0.0)),
    ('Neck', 3, (0.0, 1.48, 0.0)),
    ('Head', 4, (0.0, 1.58, 0.02)),
]
for side, x in (('Left', 1), ('Right', -1)):
    chest, first = 3, len(JOINTS)
    JOINTS += [
        (side + 'Shoulder', chest, (0.05 * x, 1.42, 0.0)),
        (side + 'Arm', first, (0.18 * x, 1.42, 0.0)),
        (side + 'ForeArm', first + 1, (0.46 * x, 1.42, -0.01)),
        (side + 'Hand', first + 2, (0.72 * x, 1.42, 0.0)),
        (side + 'UpLeg', 0, (0.09 * x, 0.92, 0.0)),
        (side + 'Leg', first + 4, (0.1 * x, 0.5, 0.02)),
        (side + 'Foot', first + 5, (0.1 * x, 0.09, -0.02)),
        (side + 'ToeBase', first + 6, (0.1 * x, 0.02, 0.12)),
    ]
INDEX = {name: i for i, (name, _, _) in enumerate(JOINTS)}
SWING = {  # about x, in radians, and the sign of the phase
    'LeftUpLeg': 0.5,
    'RightUpLeg': -0.5,
    'LeftArm': -0.4,
    'RightArm': 0.4,
    'Spine1': 0.1,
}


def quaternion(axis, angle):
    s = math.sin(angle / 2)
    return [axis[0] * s, axis[1] * s, axis[2] * s, math.cos(angle / 2)]


def product(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]


class Builder:
    def __init__(self):
        self.binary, self.views, self.accessors = b'', [], []

    def add(self, form, rows, kind, component=5126, bounds=False):
        rows = [r if isinstance(r, (list, tuple)) else [r] for r in rows]
        data = b''.join(struct.pack('<' + form, *r) for r in rows)
        self.views.append(
            {'buffer': 0, 'byteOffset': len(self.binary), 'byteLength': len(data)}
        )
        self.binary += data + b'\0' * (-len(data) % 4)
        accessor = {
            'bufferView': len(self.views) - 1,
            'componentType': component,
            'count': len(rows),
            'type': kind,
        }
        if bounds:
            as_stored = [struct.unpack('<' + form, struct.pack('<' + form, *r)) for r in rows]
            accessor['min'] = [min(c) for c in zip(*as_stored)]
            accessor['max'] = [max(c) for c in zip(*as_stored)]
        self.accessors.append(accessor)
        return len(self.accessors) - 1


def hips_at(clip, t):
    """Position and rotation of the hips."""
    x, y, z = JOINTS[0][2]
    sway = 0.02 * math.sin(2 * math.pi * t)
    if clip == 'Idle':
        return [x + 0.2 * sway, y + sway, z], quaternion((0, 0, 1), sway)
    position = [x + 0.5 * t * t, y + sway, z + 2.0 * t]
    tilt = product(quaternion((1, 0, 0), 0.1), quaternion((0, 0, 1), sway))
    return position, product(quaternion((0, 1, 0), 0.6 * t), tilt)


def clip_json(builder, name):
    times = [k / FPS for k in range(FRAMES)]
    time = builder.add('f', times, 'SCALAR', bounds=True)
    hips = [hips_at(name, t) for t in times]
    tracks = [(0, 'translation', builder.add('3f', [p for p, _ in hips], 'VEC3'))]
    tracks.append((0, 'rotation', builder.add('4f', [q for _, q in hips], 'VEC4')))
    for joint, angle in SWING.items():
        size = angle if name == 'Walk' else 0.1 * angle
        keys = [quaternion((1, 0, 0), size * math.sin(4 * math.pi * t)) for t in times]
        tracks.append((INDEX[joint], 'rotation', builder.add('4f', keys, 'VEC4')))
    return {
        'name': name,
        'samplers': [{'input': time, 'output': output} for _, _, output in tracks],
        'channels': [
            {'sampler': s, 'target': {'node': node, 'path': path}}
            for s, (node, path, _) in enumerate(tracks)
        ],
    }


def mesh_json(builder):
    positions, triangles, joints = [], [], []
    for j, (_, _, at) in enumerate(JOINTS):
        first = len(positions)
        for corner in range(8):
            signs = [1 if corner >> axis & 1 else -1 for axis in range(3)]
            positions.append([a + s * HALF_BOX for a, s in zip(at, signs)])
            joints.append([j, 0, 0, 0])
        for face in ((0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2),
                     (1, 3, 7, 5)):  # fmt: skip
            a, b, c, d = (first + v for v in face)
            triangles += [[a], [b], [c], [a], [c], [d]]
    primitive = {
        'attributes': {
            'POSITION': builder.add('3f', positions, 'VEC3', bounds=True),
            'JOINTS_0': builder.add('4B', joints, 'VEC4', 5121),
            'WEIGHTS_0': builder.add('4f', [[1, 0, 0, 0]] * len(joints), 'VEC4'),
        },
        'indices': builder.add('H', triangles, 'SCALAR', 5123),
    }
    return {'primitives': [primitive]}


def character():
    """The bytes of the GLB."""
    builder = Builder()
    nodes = []
    for j, (name, parent, at) in enumerate(JOINTS):
        above = JOINTS[parent][2] if parent >= 0 else (0.0, 0.0, 0.0)
        node = {'name': PREFIX + name, 'translation': [a - b for a, b in zip(at, above)]}
        children = [k for k, joint in enumerate(JOINTS) if joint[1] == j]
        if children:
            node['children'] = children
        nodes.append(node)
    nodes.append({'name': 'Body', 'mesh': 0, 'skin': 0})
    binds = [[1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, -y, -z, 1] for _, _, (x, y, z) in JOINTS]
    skin = {
        'joints': list(range(len(JOINTS))),
        'skeleton': 0,
        'inverseBindMatrices': builder.add('16f', binds, 'MAT4'),
    }
    value = {
        'asset': {'version': '2.0'},
        'scene': 0,
        'scenes': [{'nodes': [0, len(JOINTS)]}],
        'nodes': nodes,
        'skins': [skin],
        'meshes': [mesh_json(builder)],
        'animations': [clip_json(builder, name) for name in ('Walk', 'Idle')],
    }
    value['bufferViews'], value['accessors'] = builder.views, builder.accessors
    value['buffers'] = [{'byteLength': len(builder.binary)}]
    return glb.assemble(value, builder.binary)
