# SPDX-License-Identifier: MIT
"""Makes VRM characters of both versions with a clip of which all angles and weights are known."""
import json
import struct

import numpy as np

SIDES = ('left', 'right')
FINGERS = {
    'Thumb': ('Metacarpal', 'Proximal', 'Distal'),
    **{f: ('Proximal', 'Intermediate', 'Distal') for f in ('Index', 'Middle', 'Ring', 'Little')},
}
THUMBS_OF_VRM0 = {
    'ThumbMetacarpal': 'ThumbProximal',
    'ThumbProximal': 'ThumbIntermediate',
    'ThumbDistal': 'ThumbDistal',
}
PRESETS_OF_VRM0 = {
    'aa': 'a', 'ih': 'i', 'ou': 'u', 'ee': 'e', 'oh': 'o', 'happy': 'joy', 'sad': 'sorrow',
    'relaxed': 'fun', 'blinkLeft': 'blink_l', 'blinkRight': 'blink_r', 'lookUp': 'lookup',
    'lookDown': 'lookdown', 'lookLeft': 'lookleft', 'lookRight': 'lookright',
}  # fmt: skip
# Binds of (mesh, morph, weight); two meshes with eight morphs each.
EXPRESSIONS = {
    'aa': [(0, 0, 1.0)],
    'ou': [(0, 1, 0.5), (1, 0, 1.0)],
    'blink': [(0, 2, 1.0), (0, 3, 1.0)],
    'happy': [(0, 4, 0.8), (0, 0, 0.25), (1, 1, 0.6)],
    'angry': [(1, 2, 1.0)],
    'Ears': [(1, 3, 0.75)],
    'lookUp': [(0, 5, 1.0)],
    'lookDown': [(0, 6, 1.0)],
    'lookLeft': [(0, 7, 1.0)],
    'lookRight': [(1, 4, 1.0)],
}
CUSTOM = ('Ears',)
MORPHS = 8


def multiplied(a, b):
    (ax, ay, az, aw), (bx, by, bz, bw) = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    return np.stack(
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ],
        -1,
    )


def conjugated(q):
    return q * [-1, -1, -1, 1]


def rotated(q, v):
    return multiplied(multiplied(q, np.append(v, 0.0)), conjugated(q))[..., :3]


def about(axis, angle):
    angle = np.asarray(angle)[..., None]
    return np.concatenate([np.sin(angle / 2) * np.asarray(axis), np.cos(angle / 2)], -1)


def random_rotation(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def skeleton():
    """[(role, parent role, position)], parents first, in a T-pose that faces +z."""
    joints = [
        ('hips', None, (0, 0.9, 0)),
        ('spine', 'hips', (0, 1.0, 0.01)),
        ('chest', 'spine', (0, 1.1, 0)),
        ('upperChest', 'chest', (0, 1.25, -0.01)),
        ('neck', 'upperChest', (0, 1.4, 0)),
        ('head', 'neck', (0, 1.5, 0.02)),
        ('jaw', 'head', (0, 1.53, 0.05)),
    ]
    for side, s in zip(SIDES, (1, -1)):
        joints += [
            (side + 'Eye', 'head', (0.03 * s, 1.58, 0.08)),
            (side + 'Shoulder', 'upperChest', (0.05 * s, 1.38, 0)),
            (side + 'UpperArm', side + 'Shoulder', (0.15 * s, 1.38, 0)),
            (side + 'LowerArm', side + 'UpperArm', (0.4 * s, 1.38, 0)),
            (side + 'Hand', side + 'LowerArm', (0.65 * s, 1.38, 0)),
            (side + 'UpperLeg', 'hips', (0.09 * s, 0.88, 0)),
            (side + 'LowerLeg', side + 'UpperLeg', (0.09 * s, 0.48, 0)),
            (side + 'Foot', side + 'LowerLeg', (0.09 * s, 0.09, 0)),
            (side + 'Toes', side + 'Foot', (0.09 * s, 0.02, 0.12)),
        ]
        for f, (finger, parts) in enumerate(FINGERS.items()):
            parent = side + 'Hand'
            for p, part in enumerate(parts):
                role = side + finger + part
                joints.append((role, parent, ((0.7 + 0.03 * p) * s, 1.38, 0.04 - 0.02 * f)))
                parent = role
    return joints


class Glb:
    def __init__(self):
        self.data = bytearray()
        self.json = {
            'asset': {'version': '2.0'},
            'scene': 0,
            'scenes': [{'nodes': [0]}],
            'nodes': [],
            'accessors': [],
            'bufferViews': [],
        }

    def accessor(self, values, kind, bounds=False):
        values = np.ascontiguousarray(values, '<f4')
        view = {'buffer': 0, 'byteOffset': len(self.data), 'byteLength': values.nbytes}
        self.data += values.tobytes()
        count = len(values) if kind != 'SCALAR' else values.size
        accessor = {
            'bufferView': len(self.json['bufferViews']),
            'componentType': 5126,
            'count': count,
            'type': kind,
        }
        if bounds:
            rows = values.reshape(count, -1)
            accessor['min'] = rows.min(0).tolist()
            accessor['max'] = rows.max(0).tolist()
        self.json['bufferViews'].append(view)
        self.json['accessors'].append(accessor)
        return len(self.json['accessors']) - 1

    def write(self, path):
        self.json['buffers'] = [{'byteLength': len(self.data)}]
        text = json.dumps(self.json).encode()
        text += b' ' * (-len(text) % 4)
        data = bytes(self.data) + b'\0' * (-len(self.data) % 4)
        path.write_bytes(
            struct.pack('<4sII', b'glTF', 2, 28 + len(text) + len(data))
            + struct.pack('<I4s', len(text), b'JSON')
            + text
            + struct.pack('<I4s', len(data), b'BIN\0')
            + data
        )


def smooth(rng, times, size):
    """Sums of three slow waves, within about 1."""
    waves = rng.uniform(0.2, 1.3, (3, size)), rng.uniform(0, 6.3, (3, size))
    return sum(np.sin(2 * np.pi * times[:, None] * f + p) for f, p in zip(*waves)) / 3


def expression_weights(rng, times, overrides):
    """Known weights; with overrides, those that suppress others alternate with them."""
    names = [name for name in EXPRESSIONS if not name.startswith('look')]
    weights = dict(zip(names, np.clip(0.5 + smooth(rng, times, len(names)).T, 0, 1)))
    if overrides:
        first = times < times[-1] / 2
        for name in names:
            weights[name] = weights[name] * (first if name == 'happy' else ~first)
    return weights


def make(path, version, seed, gaze='bone', overrides=False, height=1.0, left_out=()):
    """Writes a character with the clip 'Move' and returns what is known of it."""
    rng = np.random.default_rng(seed)
    joints = [j for j in skeleton() if j[0] not in left_out]
    front = 1 if version == 1 else -1
    glb = Glb()
    nodes = glb.json['nodes']
    nodes.append({'name': 'Root', 'children': []})
    index, world, spot = {None: 0}, {None: np.array([0, 0, 0, 1.0])}, {None: np.zeros(3)}
    parents = {role: parent for role, parent, _ in skeleton()}
    for role, parent, position in joints:
        while parent in left_out:
            parent = parents[parent]
        position = np.array(position) * [front, 1, front] * height
        world[role] = random_rotation(rng) if version == 1 else np.array([0, 0, 0, 1.0])
        spot[role] = position
        local = multiplied(conjugated(world[parent]), world[role])
        offset = rotated(conjugated(world[parent]), position - spot[parent])
        index[role] = len(nodes)
        nodes.append(
            {
                'name': 'J_' + role,
                'translation': offset.tolist(),
                'rotation': local.tolist(),
                'children': [],
            }
        )
        nodes[index[parent]]['children'].append(index[role])
    meshes = []
    for m in range(2):
        meshes.append(len(nodes))
        nodes[0]['children'].append(len(nodes))
        nodes.append({'name': f'Face{m}', 'mesh': m})
    add_meshes(glb)
    for node in nodes:
        if 'children' in node and not node['children']:
            del node['children']

    times = np.linspace(0.0, 2.0, 61)
    known = {'times': times, 'expressions': expression_weights(rng, times, overrides)}
    yaw, pitch = smooth(rng, times, 2).T * 0.6
    known['gaze'] = yaw, pitch
    add_clip(glb, rng, known, joints, index, world, meshes, gaze, front)
    add_extension(glb, version, index, meshes, gaze, overrides)
    glb.write(path)
    return known


def add_meshes(glb):
    corners = [[0, 1.6, 0.1], [0.01, 1.6, 0.1], [0, 1.61, 0.1]]
    moved = [[0.0, 0.0, 0.01]] * 3
    glb.json['meshes'] = []
    for m in range(2):
        positions = glb.accessor(corners, 'VEC3', bounds=True)
        target = glb.accessor(moved, 'VEC3', bounds=True)
        primitive = {
            'attributes': {'POSITION': positions},
            'targets': [{'POSITION': target}] * MORPHS,
        }
        glb.json['meshes'].append({'name': f'Face{m}', 'primitives': [primitive]})


# How far eyes and expressions follow the gaze.
RANGE_DEG, EYES_DEG = 50.0, 12.0


def gaze_weights(known):
    yaw, pitch = known['gaze']
    share = np.radians(RANGE_DEG)
    return {
        'lookLeft': np.clip(yaw / share, 0, 1),
        'lookRight': np.clip(-yaw / share, 0, 1),
        'lookDown': np.clip(pitch / share, 0, 1),
        'lookUp': np.clip(-pitch / share, 0, 1),
    }


def add_clip(glb, rng, known, joints, index, world, meshes, gaze, front):
    times = known['times']
    time_accessor = glb.accessor(times, 'SCALAR', bounds=True)
    samplers, channels = [], []

    def add(node, path, values, kind):
        samplers.append({'input': time_accessor, 'output': glb.accessor(values, kind)})
        channels.append({'sampler': len(samplers) - 1, 'target': {'node': node, 'path': path}})

    to_front = about([0, 1, 0], 0.0 if front == 1 else np.pi)
    for role, _, _ in joints:
        node = glb.json['nodes'][index[role]]
        rest = np.array(node['rotation'])
        if role.endswith('Eye'):
            if gaze != 'bone':
                continue
            shares = EYES_DEG / RANGE_DEG
            yaw, pitch = (np.clip(a, -np.radians(RANGE_DEG), np.radians(RANGE_DEG)) * shares
                          for a in known['gaze'])  # fmt: skip
            look = multiplied(about([0, 1, 0], yaw), about([1, 0, 0], pitch))
            axes = multiplied(conjugated(to_front), world['head'])
            values = multiplied(multiplied(multiplied(conjugated(axes), look), axes), rest)
        else:
            angles = smooth(rng, times, 3) * 0.7
            motion = multiplied(
                about([0, 1, 0], angles[:, 0]),
                multiplied(about([1, 0, 0], angles[:, 1]), about([0, 0, 1], angles[:, 2])),
            )
            values = multiplied(rest, motion)
        add(index[role], 'rotation', values, 'VEC4')
    hips = np.array(glb.json['nodes'][index['hips']]['translation'])
    add(index['hips'], 'translation', hips + 0.2 * smooth(rng, times, 3), 'VEC3')
    weights = dict(known['expressions'])
    if gaze == 'expression':
        weights |= gaze_weights(known)
    for m, node in enumerate(meshes):
        morphs = np.zeros((len(times), MORPHS))
        for name, curve in weights.items():
            for mesh, morph, weight in EXPRESSIONS[name]:
                if mesh == m:
                    morphs[:, morph] += weight * curve
        add(node, 'weights', morphs.ravel(), 'SCALAR')
    glb.json['animations'] = [{'name': 'Move', 'samplers': samplers, 'channels': channels}]


def add_extension(glb, version, index, meshes, gaze, overrides):
    roles = {role: node for role, node in index.items() if role}
    output = EYES_DEG if gaze == 'bone' else 1.0
    if version == 1:
        expressions = {'preset': {}, 'custom': {}}
        for name, binds in EXPRESSIONS.items():
            entry = {
                'morphTargetBinds': [
                    {'node': meshes[m], 'index': i, 'weight': w} for m, i, w in binds
                ]
            }
            if overrides and name == 'happy':
                entry |= {'overrideMouth': 'blend', 'overrideBlink': 'block'}
            if overrides and name == 'angry':
                entry |= {'isBinary': True, 'overrideLookAt': 'blend'}
            expressions['custom' if name in CUSTOM else 'preset'][name] = entry
        map_ = {'inputMaxValue': RANGE_DEG, 'outputScale': output}
        look = {'type': gaze, 'offsetFromHeadBone': [0, 0.06, 0]}
        for key in ('HorizontalInner', 'HorizontalOuter', 'VerticalDown', 'VerticalUp'):
            look['rangeMap' + key] = map_
        glb.json['extensionsUsed'] = ['VRMC_vrm']
        glb.json['extensions'] = {
            'VRMC_vrm': {
                'specVersion': '1.0',
                'meta': {
                    'name': 'x',
                    'authors': ['x'],
                    'licenseUrl': 'https://vrm.dev/licenses/1.0/',
                },
                'humanoid': {'humanBones': {r: {'node': n} for r, n in roles.items()}},
                'expressions': expressions,
                'lookAt': look,
            }
        }
        return
    bones = []
    for role, node in roles.items():
        for new, old in THUMBS_OF_VRM0.items():
            if role.endswith(new):
                role = role.replace(new, old)
                break
        bones.append({'bone': role, 'node': node, 'useDefaultValues': True})
    groups = []
    for name, binds in EXPRESSIONS.items():
        preset = 'unknown' if name in CUSTOM else PRESETS_OF_VRM0.get(name, name)
        groups.append(
            {
                'name': name,
                'presetName': preset,
                'binds': [{'mesh': m, 'index': i, 'weight': 100 * w} for m, i, w in binds],
                'materialValues': [],
                'isBinary': False,
            }
        )
    curve = {'curve': [0, 0, 0, 1, 1, 1, 1, 0], 'xRange': RANGE_DEG, 'yRange': output}
    look = {'lookAtTypeName': 'Bone' if gaze == 'bone' else 'BlendShape', 'firstPersonBone': -1}
    for key in ('HorizontalInner', 'HorizontalOuter', 'VerticalDown', 'VerticalUp'):
        look['lookAt' + key] = curve
    glb.json['extensionsUsed'] = ['VRM']
    glb.json['extensions'] = {
        'VRM': {
            'specVersion': '0.0',
            'meta': {'title': 'x'},
            'humanoid': {'humanBones': bones},
            'blendShapeMaster': {'blendShapeGroups': groups},
            'firstPerson': look,
        }
    }
