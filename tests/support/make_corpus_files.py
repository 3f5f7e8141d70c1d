# SPDX-License-Identifier: MIT
"""Writes the files of tests/corpus/files, and beside each the poses that pose_evaluator.py or the
formula of its motion gives. Each run writes the same bytes. tests/corpus/files/README.md lists
the files."""
import math
import pathlib
import struct

import numpy as np

import pose_evaluator as evaluator
from gltf_asset import Gltf

FILES = pathlib.Path(__file__).resolve().parents[1] / 'corpus' / 'files'
FPS = 30
# Name, parent, offset from the parent in metres.
HUMAN = [
    ('Root', -1, (0, 0, 0)),
    ('Hips', 0, (0, 0.9, 0)),
    ('Spine', 1, (0, 0.2, 0)),
    ('Chest', 2, (0, 0.2, 0)),
    ('Neck', 3, (0, 0.2, 0)),
    ('Head', 4, (0, 0.1, 0)),
    ('LeftUpLeg', 1, (0.1, -0.05, 0)),
    ('LeftLeg', 6, (0, -0.4, 0)),
    ('LeftFoot', 7, (0, -0.4, 0)),
    ('LeftToeBase', 8, (0, -0.03, 0.12)),
    ('RightUpLeg', 1, (-0.1, -0.05, 0)),
    ('RightLeg', 10, (0, -0.4, 0)),
    ('RightFoot', 11, (0, -0.4, 0)),
    ('RightToeBase', 12, (0, -0.03, 0.12)),
    ('LeftShoulder', 3, (0.05, 0.15, 0)),
    ('LeftArm', 14, (0.12, 0, 0)),
    ('LeftForeArm', 15, (0.26, 0, 0)),
    ('LeftHand', 16, (0.24, 0, 0)),
    ('RightShoulder', 3, (-0.05, 0.15, 0)),
    ('RightArm', 18, (-0.12, 0, 0)),
    ('RightForeArm', 19, (-0.26, 0, 0)),
    ('RightHand', 20, (-0.24, 0, 0)),
    ('Tail1', 1, (0, 0, -0.1)),
    ('Tail2', 22, (0, -0.05, -0.15)),
    ('Tail3', 23, (0, -0.05, -0.15)),
]
VRM_BONES = {
    'hips': 'Hips', 'spine': 'Spine', 'chest': 'Chest', 'neck': 'Neck', 'head': 'Head',
    'leftUpperLeg': 'LeftUpLeg', 'leftLowerLeg': 'LeftLeg', 'leftFoot': 'LeftFoot',
    'rightUpperLeg': 'RightUpLeg', 'rightLowerLeg': 'RightLeg', 'rightFoot': 'RightFoot',
    'leftUpperArm': 'LeftArm', 'leftLowerArm': 'LeftForeArm', 'leftHand': 'LeftHand',
    'rightUpperArm': 'RightArm', 'rightLowerArm': 'RightForeArm', 'rightHand': 'RightHand',
}  # fmt: skip
INDEX = {name: i for i, (name, _, _) in enumerate(HUMAN)}


def quaternion(axis, degrees):
    half = math.radians(degrees) / 2
    return [math.sin(half) * (k == axis) for k in range(3)] + [math.cos(half)]


def rest_positions(rig):
    positions = []
    for _, parent, offset in rig:
        base = positions[parent] if parent >= 0 else np.zeros(3)
        positions.append(base + np.array(offset, float))
    return positions


def body(rig):
    """(positions, triangles, joints): a box of 12 triangles from each joint to its child."""
    at = rest_positions(rig)
    positions, triangles, joints = [], [], []
    for i, (_, parent, _) in enumerate(rig):
        if parent < 0:
            continue
        ends = [at[c] for c, (_, p, _) in enumerate(rig) if p == i] or [at[i]]
        low = np.minimum(at[i], ends[0]) - 0.05
        high = np.maximum(at[i], ends[0]) + 0.05
        start = len(positions)
        for k in range(8):
            positions.append([(high if k >> a & 1 else low)[a] for a in range(3)])
            joints.append(i)
        corners = (0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4)
        corners += (2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5)
        triangles += [start + c for c in corners]
    return np.array(positions), triangles, joints


def add_skin(asset, rig):
    """The boxes of body(), each on its joint."""
    positions, triangles, joints = body(rig)
    inverse = []
    for at in rest_positions(rig):
        inverse.append(evaluator.moved(-at).T.ravel())
    attributes = {
        'POSITION': asset.accessor(positions, 'VEC3'),
        'JOINTS_0': asset.accessor([[j, 0, 0, 0] for j in joints], 'VEC4', 'u1'),
        'WEIGHTS_0': asset.accessor([[1, 0, 0, 0] for _ in joints], 'VEC4'),
    }
    indices = asset.accessor(triangles, 'SCALAR', '<u2')
    asset.json['meshes'] = [{'primitives': [{'attributes': attributes, 'indices': indices}]}]
    matrices = asset.accessor(inverse, 'MAT4')
    asset.json['skins'] = [{'joints': list(range(len(rig))), 'inverseBindMatrices': matrices}]
    asset.json['nodes'].append({'name': 'Body', 'mesh': 0, 'skin': 0})
    asset.json['scenes'][0]['nodes'].append(len(asset.json['nodes']) - 1)


def walk_channels(seconds=1.0, stride=1.2, root='Hips'):
    """One cycle of two steps; the hips carry the root motion."""
    times = [k / FPS for k in range(round(seconds * FPS) + 1)]
    phase = [2 * math.pi * t / seconds for t in times]
    rest = rest_positions(HUMAN)[INDEX[root]] if root == 'Hips' else np.zeros(3)
    channels = [(
        INDEX[root], 'translation', times,
        [rest + (0, 0.02 * math.cos(2 * p), stride * t / seconds) for p, t in zip(phase, times)],
        'LINEAR',
    )]  # fmt: skip

    def swing(name, axis, degrees, shift=0.0, middle=0.0):
        values = [quaternion(axis, middle + degrees * math.sin(p + shift)) for p in phase]
        channels.append((INDEX[name], 'rotation', times, values, 'LINEAR'))

    swing('LeftUpLeg', 0, 25)
    swing('RightUpLeg', 0, 25, math.pi)
    swing('LeftLeg', 0, 20, 0.8, 22)
    swing('RightLeg', 0, 20, 0.8 + math.pi, 22)
    swing('LeftArm', 1, 20, math.pi, -40)
    swing('RightArm', 1, 20, math.pi, 40)
    swing('Tail1', 1, 15)
    return channels


def character(root='Hips'):
    asset = Gltf()
    asset.nodes(HUMAN)
    add_skin(asset, HUMAN)
    asset.animation('Walk', walk_channels(root=root))
    return asset


def chain_asset(count=4):
    rig = [('Bone%d' % i, i - 1, (0, 0.3 if i else 0.1, 0)) for i in range(count)]
    asset = Gltf()
    asset.nodes(rig)
    return asset


def write_sparse():
    # Two of eleven keys differ from zero; a reader that drops them holds the joint still.
    asset = chain_asset()
    times = [k / 10 for k in range(11)]
    indices = asset.view(struct.pack('<2H', 3, 7))
    values = asset.view(struct.pack('<6f', 0.5, 0, 0, -0.25, 0.1, 0.3))
    asset.json['accessors'].append({
        'componentType': 5126, 'count': 11, 'type': 'VEC3',
        'sparse': {
            'count': 2,
            'indices': {'bufferView': indices, 'componentType': 5123},
            'values': {'bufferView': values},
        },
    })  # fmt: skip
    asset.animation('Jerk', [
        (0, 'translation', times, 0, 'LINEAR'),
        (2, 'rotation', times, [quaternion(2, 9 * k) for k in range(11)], 'LINEAR'),
    ])  # fmt: skip
    asset.write(FILES / 'sparse_keys.gltf')


def write_cubic():
    asset = chain_asset()
    half = math.sqrt(0.5)
    asset.animation('Cubic', [
        (1, 'translation', [0.0, 0.5, 2.0], [
            (0, 0, 0), (0, 0.3, 0), (1, 0, 0),
            (2, 0, 0), (0.4, 0.6, 0), (-1, 0, 0.5),
            (0, 0, 0), (0, 0.3, 0.2), (0, 0, 0),
        ], 'CUBICSPLINE'),
        (2, 'rotation', [0.0, 1.0, 2.0], [
            (0, 0, 0, 0), (0, 0, 0, 1), (0.5, 0, 0, 0),
            (0, 0.4, 0, 0), (half, 0, 0, half), (0, 0.4, 0, 0),
            (0, 0, 0, 0), (0, half, 0, half), (0, 0, 0, 0),
        ], 'CUBICSPLINE'),
        (3, 'scale', [0.0, 0.7, 1.3, 2.0],
         [(1, 1, 1), (2, 2, 2), (0.5, 0.5, 0.5), (1, 1, 1)], 'STEP'),
    ])  # fmt: skip
    asset.write(FILES / 'cubic_keys.glb')


def write_quantised():
    # KHR_mesh_quantization: positions of 16 bits, rotations of keys of 16 and of 8 bits.
    asset = Gltf()
    asset.nodes(HUMAN)
    add_skin(asset, HUMAN)
    positions, _, _ = body(HUMAN)
    attributes = asset.json['meshes'][0]['primitives'][0]['attributes']
    attributes['POSITION'] = asset.accessor(
        np.round(positions / 2 * 32767), 'VEC3', '<i2', normalized=True
    )
    # The skin scales them back.
    matrices = asset.json['skins'][0]
    matrices['inverseBindMatrices'] = asset.accessor(
        [(evaluator.moved(-at) @ evaluator.scaled((2, 2, 2))).T.ravel()
         for at in rest_positions(HUMAN)], 'MAT4'
    )  # fmt: skip
    channels = []
    for node, path, times, values, mode in walk_channels():
        if path == 'rotation':
            top, kind = (127, 'i1') if node == INDEX['Tail1'] else (32767, '<i2')
            numbers = np.round(np.array(values) * top)
            values = asset.accessor(numbers, 'VEC4', kind, normalized=True)
        channels.append((node, path, times, values, mode))
    asset.animation('Walk', channels)
    asset.use('KHR_mesh_quantization', required=['KHR_mesh_quantization'])
    asset.write(FILES / 'quantised.glb')


def write_joint_scale():
    # Uneven scale of a joint is inherited by rotated children; one node has a matrix.
    asset = chain_asset()
    matrix = evaluator.moved((0, 0.3, 0)) @ evaluator.about(0, 30) @ evaluator.scaled((1, 2, 1))
    asset.json['nodes'][3] = {'name': 'Bone3', 'matrix': list(matrix.T.ravel())}
    times = [0.0, 0.5, 1.0]
    asset.animation('Squash', [
        (1, 'scale', times, [(1, 1, 1), (1.5, 0.6, 1.5), (1, 1, 1)], 'LINEAR'),
        (2, 'rotation', times, [quaternion(2, d) for d in (0, 60, -30)], 'LINEAR'),
    ])  # fmt: skip
    asset.write(FILES / 'joint_scale.glb')


def write_morphs():
    asset = chain_asset(2)
    square = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    primitive = {
        'attributes': {'POSITION': asset.accessor(square, 'VEC3')},
        'targets': [
            {'POSITION': asset.accessor([(0, 0, z), (0, 0, 0), (0, z, 0)], 'VEC3')}
            for z in (0.5, -1.0)
        ],
    }
    asset.json['meshes'] = [{'primitives': [primitive], 'weights': [0.25, 0.0]}]
    asset.json['nodes'][1]['mesh'] = 0
    weights = [0, 0, 1, 0.5, 0.2, 1]
    asset.animation('Face', [
        (1, 'weights', [0.0, 1.0, 2.0], weights, 'LINEAR'),
        (0, 'translation', [0.0, 2.0], [(0, 0.1, 0), (1, 0.1, 0)], 'LINEAR'),
    ])  # fmt: skip
    asset.write(FILES / 'morph_weights.glb')


def write_vrm():
    springs = [INDEX['Tail%d' % k] for k in (1, 2, 3)]
    one = character()
    one.use('VRMC_vrm', 'VRMC_springBone')
    bones = {bone: {'node': INDEX[name]} for bone, name in VRM_BONES.items()}
    joint = {'hitRadius': 0.02, 'stiffness': 1.0, 'dragForce': 0.4, 'gravityPower': 0.2}
    meta = {'name': 'Boxes', 'authors': ['the clipmill authors'],
            'licenseUrl': 'https://vrm.dev/licenses/1.0/'}  # fmt: skip
    one.json['extensions'] = {
        'VRMC_vrm': {'specVersion': '1.0', 'meta': meta, 'humanoid': {'humanBones': bones}},
        'VRMC_springBone': {
            'specVersion': '1.0',
            'colliders': [{'node': INDEX['Hips'], 'shape': {'sphere': {'radius': 0.12}}}],
            'colliderGroups': [{'name': 'body', 'colliders': [0]}],
            'springs': [{
                'name': 'tail', 'joints': [{'node': n, **joint} for n in springs],
                'colliderGroups': [0],
            }],
        },
    }  # fmt: skip
    one.write(FILES / 'springs_vrm1.vrm')
    zero = character()
    zero.use('VRM')
    group = {
        'comment': 'tail', 'stiffiness': 1.0, 'gravityPower': 0.2, 'dragForce': 0.4,
        'gravityDir': {'x': 0, 'y': -1, 'z': 0}, 'center': -1, 'hitRadius': 0.02,
        'bones': springs[:1], 'colliderGroups': [0],
    }  # fmt: skip
    sphere = {'offset': {'x': 0, 'y': 0, 'z': 0}, 'radius': 0.12}
    human = [{'bone': bone, 'node': INDEX[name]} for bone, name in VRM_BONES.items()]
    zero.json['extensions'] = {'VRM': {
        'specVersion': '0.0', 'meta': {'title': 'Boxes', 'author': 'the clipmill authors'},
        'humanoid': {'humanBones': human},
        'secondaryAnimation': {
            'boneGroups': [group],
            'colliderGroups': [{'node': INDEX['Hips'], 'colliders': [sphere]}],
        },
    }}  # fmt: skip
    zero.write(FILES / 'springs_vrm0.vrm')
    motion = Gltf()
    motion.nodes(HUMAN)
    motion.animation('Walk', walk_channels())
    motion.use('VRMC_vrm_animation')
    motion.json['extensions'] = {'VRMC_vrm_animation': {
        'specVersion': '1.0', 'humanoid': {'humanBones': bones},
    }}  # fmt: skip
    motion.write(FILES / 'walk.vrma')


def write_bvh():
    # Centimetres, z up, and another order of axes in each joint.
    lines = [
        'HIERARCHY', 'ROOT Hips', '{', 'OFFSET 0 0 95',
        'CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation',
        'JOINT Spine', '{', 'OFFSET 0 2 40', 'CHANNELS 3 Yrotation Zrotation Xrotation',
        'JOINT Head', '{', 'OFFSET 0 0 30', 'CHANNELS 3 Xrotation Yrotation Zrotation',
        'End Site', '{', 'OFFSET 0 0 20', '}', '}', '}',
        'JOINT LeftLeg', '{', 'OFFSET 10 0 -5', 'CHANNELS 3 Zrotation Yrotation Xrotation',
        'End Site', '{', 'OFFSET 0 0 -90', '}', '}', '}', 'MOTION', 'Frames: 13',
        'Frame Time: 0.0416667',
    ]  # fmt: skip
    for k in range(13):
        p = math.pi * k / 6
        row = [10 * k, 3 * math.sin(p), 95 + 2 * math.cos(p), 20 * math.sin(p), 5 * k, -10]
        row += [15 * math.cos(p), 8 * k, 30 * math.sin(p), 12 * k - 40, 25, -7 * k]
        row += [40 * math.sin(p), 10 * math.cos(p), 3 * k]
        lines.append(' '.join('%.6f' % x for x in row))
    path = FILES / 'z_up_cm.bvh'
    path.write_text('\n'.join(lines) + '\n')
    evaluator.write_poses(path, evaluator.poses_of(path))


# Properties of models as exporters of 3ds Max and Maya leave them; the first is the root.
FBX_MODELS = [
    ('Pelvis', -1, {'Lcl Translation': (0, 0, 95), 'PreRotation': (90, 0, 0)}),
    ('Thigh', 0, {
        'Lcl Translation': (12, -4, 3), 'Lcl Rotation': (10, 20, 30), 'PreRotation': (0, 0, -90),
        'PostRotation': (15, -25, 40), 'RotationPivot': (1, 2, 3), 'RotationOffset': (-2, 0.5, 1),
    }),
    ('Calf', 1, {
        'Lcl Translation': (40, 0, 0), 'RotationPivot': (0, 4, 0), 'ScalingPivot': (3, 0, -1),
        'ScalingOffset': (0.5, 0.25, 0), 'PreRotation': (5, 0, 10),
    }),
    ('Foot', 2, {'Lcl Translation': (38, 1, 0)}),
]  # fmt: skip
# Curves: model, property, key times in seconds, values of x, y and z at them.
FBX_CURVES = [
    (0, 'Lcl Translation', [0, 0.5, 1], [(0, 0, 95), (30, -5, 90), (80, 0, 95)]),
    (1, 'Lcl Rotation', [0, 0.25, 1], [(10, 20, 30), (-40, 35, 10), (60, -20, 75)]),
    (2, 'Lcl Scaling', [0, 1], [(1, 1, 1), (2, 2, 2)]),
    (2, 'Lcl Rotation', [0, 0.5, 1], [(0, 0, 0), (0, 90, 0), (45, 0, -45)]),
]
TICKS = 46186158000


def fbx_paths():
    paths = []
    for name, parent, _ in FBX_MODELS:
        paths.append(f'{paths[parent]}/{name}' if parent >= 0 else name)
    return paths


def fbx_worlds(time):
    worlds = []
    for i, (_, parent, properties) in enumerate(FBX_MODELS):
        values = {'Lcl Translation': (0, 0, 0), 'Lcl Rotation': (0, 0, 0),
                  'Lcl Scaling': (1, 1, 1), **properties}  # fmt: skip
        for model, name, times, keys in FBX_CURVES:
            if model == i:
                keys = np.array(keys, float)
                values[name] = [np.interp(time, times, keys[:, k]) for k in range(3)]
        local = evaluator.fbx_local(values, *(values['Lcl ' + w] for w in
                                              ('Translation', 'Rotation', 'Scaling')))
        worlds.append(local if parent < 0 else worlds[parent] @ local)
    return worlds


def write_fbx():
    def numbers(values):
        values = list(values)
        return f'*{len(values)} {{ a: {",".join("%.17g" % v for v in values)} }}'

    objects, links = [], []
    for i, (name, parent, properties) in enumerate(FBX_MODELS):
        lines = [f'P: "RotationActive", "bool", "", "",1', 'P: "InheritType", "enum", "", "",1']
        lines += [f'P: "{k}", "{k if k[:3] == "Lcl" else "Vector3D"}", "", "A",{v[0]},{v[1]},{v[2]}'
                  for k, v in properties.items()]  # fmt: skip
        objects.append(f'Model: {100 + i}, "Model::{name}", "LimbNode" {{\nVersion: 232\n'
                       'Properties70: {\n' + '\n'.join(lines) + '\n}\n}')  # fmt: skip
        links.append(f'C: "OO",{100 + i},{100 + parent if parent >= 0 else 0}')
    objects.append('AnimationStack: 200, "AnimStack::Step", "" {\nProperties70: {\n'
                   f'P: "LocalStop", "KTime", "Time", "",{TICKS}\n}}\n}}')  # fmt: skip
    objects.append('AnimationLayer: 201, "AnimLayer::Base", "" {\n}')
    links.append('C: "OO",201,200')
    for n, (model, name, times, keys) in enumerate(FBX_CURVES):
        node = 300 + 10 * n
        objects.append(f'AnimationCurveNode: {node}, "AnimCurveNode::{name[4]}", "" {{\n}}')
        links += [f'C: "OO",{node},201', f'C: "OP",{node},{100 + model}, "{name}"']
        for k in range(3):
            ticks = ','.join(str(round(t * TICKS)) for t in times)
            objects.append(
                f'AnimationCurve: {node + k + 1}, "AnimCurve::", "" {{\nDefault: 0\n'
                f'KeyVer: 4008\nKeyTime: *{len(times)} {{ a: {ticks} }}\n'
                f'KeyValueFloat: {numbers(key[k] for key in keys)}\nKeyAttrFlags: *1 {{ a: 4 }}\n'
                'KeyAttrDataFloat: *4 { a: 0,0,0,0 }\n'
                f'KeyAttrRefCount: *1 {{ a: {len(times)} }}\n}}'
            )
            links.append(f'C: "OP",{node + k + 1},{node}, "d|{"XYZ"[k]}"')
    settings = {'UpAxis': 2, 'UpAxisSign': 1, 'FrontAxis': 1, 'FrontAxisSign': -1, 'CoordAxis': 0,
                'CoordAxisSign': 1}  # fmt: skip
    lines = [f'P: "{k}", "int", "Integer", "",{v}' for k, v in settings.items()]
    lines.append('P: "UnitScaleFactor", "double", "Number", "",1')
    text = '; FBX 7.4.0 project file\nFBXHeaderExtension: {\nFBXHeaderVersion: 1003\n'
    text += 'FBXVersion: 7400\n}\nGlobalSettings: {\nVersion: 1000\nProperties70: {\n'
    text += '\n'.join(lines) + '\n}\n}\nObjects: {\n' + '\n'.join(objects)
    text += '\n}\nConnections: {\n' + '\n'.join(links) + '\n}\n'
    path = FILES / 'pivots_cm.fbx'
    path.write_text(text)
    poses = [fbx_worlds(t) for t in evaluator.FRACTIONS]
    evaluator.write_poses(
        path, evaluator.pose_file(fbx_paths(), [('Step', evaluator.FRACTIONS, poses)])
    )


def main():
    FILES.mkdir(exist_ok=True)
    character().write(FILES / 'hips_root.glb')
    character('Root').write(FILES / 'root_joint.glb')
    for write in (write_sparse, write_cubic, write_quantised, write_joint_scale, write_morphs,
                  write_vrm, write_bvh, write_fbx):  # fmt: skip
        write()


if __name__ == '__main__':
    main()
