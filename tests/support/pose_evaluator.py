# SPDX-License-Identifier: MIT
"""World transforms of files by numpy, independently of the program under test: glTF 2.0, BVH, and
the transform chain of FBX. Run as a program it writes NAME.poses.json beside each file named."""
import base64
import json
import pathlib
import sys

import numpy as np

import glb

FRACTIONS = (0, 0.11, 0.25, 0.37, 0.5, 0.63, 0.77, 0.9, 1)
_TYPES = {5120: 'i1', 5121: 'u1', 5122: '<i2', 5123: '<u2', 5125: '<u4', 5126: '<f4'}
_SIZES = {'SCALAR': 1, 'VEC2': 2, 'VEC3': 3, 'VEC4': 4, 'MAT4': 16}


def about(axis, degrees):
    """The 4 x 4 rotation about axis 0, 1 or 2."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    matrix = np.eye(4)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    matrix[i, i] = matrix[j, j] = c
    matrix[j, i], matrix[i, j] = s, -s
    return matrix


def moved(vector):
    matrix = np.eye(4)
    matrix[:3, 3] = vector
    return matrix


def scaled(vector):
    return np.diag([*vector, 1.0])


def rotated(quaternion):
    """Of x, y, z, w: the rotation that v -> q v q* is, by the columns of the axes."""
    x, y, z, w = np.array(quaternion) / np.linalg.norm(quaternion)
    left = np.array([[w, -z, y, x], [z, w, -x, y], [-y, x, w, z], [-x, -y, -z, w]])
    right = np.array([[w, -z, y, -x], [z, w, -x, -y], [-y, x, w, -z], [x, y, z, w]])
    matrix = np.eye(4)
    matrix[:3, :3] = (left @ right)[:3, :3]
    return matrix


def fbx_local(node, translation, rotation, scale):
    """The transform chain of the FBX SDK: T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1. `node`
    has the properties of the model; rotations are degrees about x, y and z, in that order."""

    def euler(angles):
        return about(2, angles[2]) @ about(1, angles[1]) @ about(0, angles[0])

    def of(name):
        return np.array(node.get(name, (0.0, 0.0, 0.0)), float)

    pivot, scale_pivot = of('RotationPivot'), of('ScalingPivot')
    matrix = moved(translation) @ moved(of('RotationOffset')) @ moved(pivot)
    matrix = matrix @ euler(of('PreRotation')) @ euler(rotation)
    matrix = matrix @ np.linalg.inv(euler(of('PostRotation'))) @ moved(-pivot)
    matrix = matrix @ moved(of('ScalingOffset')) @ moved(scale_pivot)
    return matrix @ scaled(scale) @ moved(-scale_pivot)


def pose_file(nodes, clips):
    """What `clipmill poses --json` prints of the same: `clips` are (name, times, worlds)."""
    return {
        'nodes': nodes,
        'clips': [
            {
                'name': name,
                'times': [round(float(t), 9) for t in times],
                'world': [
                    [[float('%.9g' % x) for x in m[:3].ravel()] for m in worlds]
                    for worlds in poses
                ],
            }
            for name, times, poses in clips
        ],
    }


class _Gltf:
    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        if data[:4] == b'glTF':
            self.json, _, self.binary = glb.read(path)
        else:
            self.json = json.loads(data)
            uri = self.json['buffers'][0]['uri']
            self.binary = base64.b64decode(uri.split(',', 1)[1])
        self.nodes = self.json['nodes']
        self.parents = {c: i for i, n in enumerate(self.nodes) for c in n.get('children', [])}

    def numbers(self, view, offset, kind, width, count):
        view = self.json['bufferViews'][view]
        start = view.get('byteOffset', 0) + offset
        item = np.dtype(kind).itemsize * width
        stride = view.get('byteStride', item)
        rows = [
            np.frombuffer(self.binary, kind, width, start + k * stride) for k in range(count)
        ]
        return np.array(rows, float)

    def accessor(self, index):
        a = self.json['accessors'][index]
        kind, width = _TYPES[a['componentType']], _SIZES[a['type']]
        values = np.zeros((a['count'], width))
        if 'bufferView' in a:
            values = self.numbers(a['bufferView'], a.get('byteOffset', 0), kind, width, a['count'])
        if 'sparse' in a:
            at, to = a['sparse']['indices'], a['sparse']['values']
            n = a['sparse']['count']
            rows = self.numbers(at['bufferView'], 0, _TYPES[at['componentType']], 1, n)
            values[rows[:, 0].astype(int)] = self.numbers(to['bufferView'], 0, kind, width, n)
        if a.get('normalized'):
            values = np.maximum(values / np.iinfo(np.dtype(kind)).max, -1.0)
        return values

    def path(self, i):
        name = self.nodes[i].get('name', '#%d' % i)
        return f'{self.path(self.parents[i])}/{name}' if i in self.parents else name

    def sampled(self, sampler, path, time):
        times = self.accessor(sampler['input'])[:, 0]
        values = self.accessor(sampler['output'])
        mode = sampler.get('interpolation', 'LINEAR')
        if mode == 'CUBICSPLINE':
            values = values.reshape(len(times), 3, -1)
        k = int(np.clip(np.searchsorted(times, time, 'right') - 1, 0, len(times) - 2))
        h = times[k + 1] - times[k]
        f = float(np.clip((time - times[k]) / h, 0, 1))
        if mode == 'STEP':
            return values[k + (f == 1)]
        if mode == 'CUBICSPLINE':
            # By the Bezier points of the same curve (de Casteljau).
            points = [values[k][1], values[k][1] + h / 3 * values[k][2]]
            points += [values[k + 1][1] - h / 3 * values[k + 1][0], values[k + 1][1]]
            while len(points) > 1:
                points = [(1 - f) * a + f * b for a, b in zip(points, points[1:])]
            return points[0]
        a, b = values[k], values[k + 1]
        if path != 'rotation':
            return a + f * (b - a)
        b = b if a @ b >= 0 else -b
        angle = np.arctan2(np.linalg.norm(a - b), np.linalg.norm(a + b)) * 2
        if angle < 1e-9:
            return a
        return (np.sin((1 - f) * angle) * a + np.sin(f * angle) * b) / np.sin(angle)

    def local(self, i, values):
        node = self.nodes[i]
        if 'matrix' in node:
            return np.array(node['matrix'], float).reshape(4, 4).T
        t = values.get('translation', node.get('translation', (0, 0, 0)))
        r = values.get('rotation', node.get('rotation', (0, 0, 0, 1)))
        s = values.get('scale', node.get('scale', (1, 1, 1)))
        return moved(t) @ rotated(r) @ scaled(s)

    def worlds(self, clip, time):
        values = {}
        for channel in clip['channels']:
            path = channel['target']['path']
            sampler = clip['samplers'][channel['sampler']]
            value = self.sampled(sampler, path, time)
            values.setdefault(channel['target']['node'], {})[path] = value

        def world(i):
            local = self.local(i, values.get(i, {}))
            return world(self.parents[i]) @ local if i in self.parents else local

        return [world(i) for i in range(len(self.nodes))]

    def poses(self):
        clips = []
        for clip in self.json.get('animations', []):
            inputs = [self.accessor(s['input'])[:, 0] for s in clip['samplers']]
            low, high = min(i[0] for i in inputs), max(i[-1] for i in inputs)
            times = [low + f * (high - low) for f in FRACTIONS]
            clips.append((clip.get('name', ''), times, [self.worlds(clip, t) for t in times]))
        return pose_file([self.path(i) for i in range(len(self.nodes))], clips)


def skinned_vertices(path, times):
    """For each of `times` in the first clip of a glTF file: the vertices of all skinned primitives
    in world space, in the order of nodes and primitives. Morph targets displace them before."""
    file = _Gltf(path)
    clip = file.json['animations'][0]
    weights_of = {
        c['target']['node']: clip['samplers'][c['sampler']]
        for c in clip['channels']
        if c['target']['path'] == 'weights'
    }

    def weights(i, mesh, count, time):
        if i not in weights_of:
            return file.nodes[i].get('weights', mesh.get('weights', [0.0] * count))
        keys = file.accessor(weights_of[i]['input'])[:, 0]
        values = file.accessor(weights_of[i]['output']).reshape(len(keys), count)
        return [np.interp(time, keys, values[:, k]) for k in range(count)]

    def posed(i, primitive, time, worlds):
        mesh = file.json['meshes'][file.nodes[i]['mesh']]
        skin = file.json['skins'][file.nodes[i]['skin']]
        names = primitive['attributes']
        points = file.accessor(names['POSITION'])
        targets = primitive.get('targets', [])
        for weight, target in zip(weights(i, mesh, len(targets), time), targets):
            points = points + weight * file.accessor(target['POSITION'])
        binds = file.accessor(skin['inverseBindMatrices']).reshape(-1, 4, 4).transpose(0, 2, 1)
        maps = np.array([worlds[j] @ bind for j, bind in zip(skin['joints'], binds)])
        joints = file.accessor(names['JOINTS_0']).astype(int)
        shares = file.accessor(names['WEIGHTS_0'])
        shares = shares / shares.sum(axis=1, keepdims=True)
        blended = np.einsum('vk,vkij->vij', shares, maps[joints])
        return np.einsum('vij,vj->vi', blended, np.c_[points, np.ones(len(points))])[:, :3]

    result = []
    for time in times:
        worlds = file.worlds({**clip, 'channels': [
            c for c in clip['channels'] if c['target']['path'] != 'weights']}, time)  # fmt: skip
        result.append(np.concatenate([
            posed(i, primitive, time, worlds)
            for i, node in enumerate(file.nodes) if 'skin' in node
            for primitive in file.json['meshes'][node['mesh']]['primitives']
        ]))  # fmt: skip
    return result


def gltf_positions(path, clip, times):
    """Times x nodes x 3: the origins of the nodes of a glTF file along the clip of that number."""
    file = _Gltf(path)
    animation = file.json['animations'][clip]
    return np.array([[w[:3, 3] for w in file.worlds(animation, t)] for t in times])


class _Bvh:
    """Joints, without end sites; times between frames take what the channels are there."""

    def __init__(self, path):
        head, motion = pathlib.Path(path).read_text().split('MOTION')
        self.joints, stack, name = [], [], None
        tokens = iter(head.split())
        for token in tokens:
            if token in ('ROOT', 'JOINT'):
                name = next(tokens)
            elif token == 'End':
                next(tokens)
                name = None
            elif token == '{':
                parent = stack[-1] if stack else -1
                if name:
                    self.joints.append({'name': name, 'parent': parent, 'channels': []})
                stack.append(len(self.joints) - 1 if name else None)
            elif token == '}':
                stack.pop()
            elif token == 'OFFSET' and stack[-1] is not None:
                self.joints[stack[-1]]['offset'] = [float(next(tokens)) for _ in range(3)]
            elif token == 'CHANNELS':
                count = int(next(tokens))
                self.joints[stack[-1]]['channels'] = [next(tokens) for _ in range(count)]
        lines = motion.strip().splitlines()
        self.step = float(lines[1].split(':')[1])
        self.frames = np.array([[float(x) for x in line.split()] for line in lines[2:]])

    def worlds(self, numbers):
        worlds, at = [], 0
        for joint in self.joints:
            translation, rotation = np.array(joint['offset'], float), np.eye(4)
            for channel in joint['channels']:
                axis = 'XYZ'.index(channel[0])
                if channel.endswith('position'):
                    translation[axis] = numbers[at]
                else:
                    rotation = rotation @ about(axis, numbers[at])
                at += 1
            local = moved(translation) @ rotation
            worlds.append(local if joint['parent'] < 0 else worlds[joint['parent']] @ local)
        return worlds

    def path(self, i):
        joint = self.joints[i]
        name = joint['name']
        return f"{self.path(joint['parent'])}/{name}" if joint['parent'] >= 0 else name

    def poses(self, name):
        times = [k * self.step for k in range(len(self.frames))]
        poses = [self.worlds(numbers) for numbers in self.frames]
        nodes = [self.path(i) for i in range(len(self.joints))]
        return pose_file(nodes, [(name, times, poses)])


def poses_of(path):
    path = pathlib.Path(path)
    return _Bvh(path).poses(path.stem) if path.suffix == '.bvh' else _Gltf(path).poses()


def write_poses(path, poses):
    target = pathlib.Path(path).with_suffix(pathlib.Path(path).suffix + '.poses.json')
    target.write_text(json.dumps(poses, separators=(',', ':')) + '\n')


if __name__ == '__main__':
    for argument in sys.argv[1:]:
        write_poses(argument, poses_of(argument))
