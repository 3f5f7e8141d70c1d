# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""The file that goes to the engine, and the motions that come back.

The file has a node for the armature, one for each bone under the same name and with the same axes,
and one for each mesh; lengths in metres, y up. So nothing has to be matched or converted back."""
import numpy as np

from . import glb, transforms

# Differences of keys below these are rounding: [units], [rad], [1].
_TOLERANCES = {'translation': 1e-7, 'rotation': 2e-6, 'scale': 2e-6}
# Rounding of Blender's poses in translations relative to the parent [size of the rig], and scales.
_POSE_ROUNDING = 2e-6


class Scene:
    """A rig with its motions and skins, as nodes of a file. `metres` is the length of a unit."""

    def __init__(self, armature_name, rig, metres, fps):
        self.rig, self.fps = rig, fps
        self.world = transforms.GLTF_FROM_BLENDER @ np.diag([metres, metres, metres, 1.0])
        self.names = _unique([*rig.names, armature_name])
        self.skins = []

    @property
    def armature_node(self):
        return len(self.rig.names)

    def write(self, path, rest_world, motions, skins=(), mesh_worlds=()):
        """Writes the file. `rest_world` is the armature's matrix, `mesh_worlds` those of the meshes
        at the same time. Returns the largest distance [units] by which bones that are sheared
        differ from their poses."""
        writer = glb.Writer()
        self._add_nodes(writer, rest_world)
        self.skins = list(skins)
        for skin, mesh_world in zip(self.skins, mesh_worlds):
            skin.file_from_mesh = self.world @ mesh_world
            self._add_skin(writer, skin, self.world @ rest_world)
        error = 0.0
        for motion in motions:
            error = max(error, self._add_motion(writer, motion))
        writer.write(path)
        return error

    def _add_nodes(self, writer, rest_world):
        locals_ = [*self.rig.rest_locals, self.world @ rest_world]
        parents = [p if p >= 0 else self.armature_node for p in self.rig.parents]
        nodes = []
        for index, (name, local) in enumerate(zip(self.names, locals_)):
            t, r, s = transforms.decompose(local)
            if index != self.armature_node:
                s = np.ones(3)  # but for rounding: bones have no scale at rest
            nodes.append(
                {'name': name, 'translation': list(t), 'rotation': list(r), 'scale': list(s)}
            )
        for child, parent in enumerate(parents):
            nodes[parent].setdefault('children', []).append(child)
        writer.json['nodes'] = nodes
        writer.json['scenes'] = [{'nodes': [self.armature_node]}]
        writer.json['scene'] = 0

    def _add_skin(self, writer, skin, file_from_armature):
        """Vertices are in the space of the file, so that the bones are bound where they rest."""
        nodes, scene = writer.json['nodes'], writer.json['scenes'][0]
        joints = list(skin.bones)
        binds = np.linalg.inv(file_from_armature @ self.rig.rest[skin.bones])
        name = _unique([*(n['name'] for n in nodes), skin.name])[-1]
        scene['nodes'].append(len(nodes))
        nodes.append({
            'name': name,
            'mesh': len(writer.json.setdefault('meshes', [])),
            'skin': len(writer.json.setdefault('skins', [])),
        })
        mesh = {'name': skin.name}
        mesh['primitives'] = [_primitive(writer, skin, part) for part in skin.parts]
        if skin.shapes:
            mesh['extras'] = {'targetNames': [shape.name for shape in skin.shapes]}
        writer.json['meshes'].append(mesh)
        if skin.follows_mesh:
            t, r, s = transforms.decompose(
                np.linalg.solve(file_from_armature, skin.file_from_mesh)
            )
            joints.append(len(nodes))
            nodes[self.armature_node].setdefault('children', []).append(len(nodes))
            nodes.append({
                'name': _unique([*(n['name'] for n in nodes), skin.name + ' object'])[-1],
                'translation': list(t), 'rotation': list(r), 'scale': list(s),
            })
            binds = np.concatenate([binds, np.linalg.inv(skin.file_from_mesh)[None]])
        columns = np.swapaxes(binds, 1, 2).reshape(len(binds), 16).astype('f4')
        writer.json['skins'].append(
            {'joints': joints, 'inverseBindMatrices': writer.accessor(columns, 'MAT4')}
        )

    def _add_motion(self, writer, motion):
        rig = self.rig
        locals_ = transforms.local_from_poses(motion.poses, rig.parents)
        t, r, s = transforms.decompose(locals_)
        rest_t = rig.rest_locals[:, :3, 3]
        t = _without_rounding(t, rest_t, _POSE_ROUNDING * rig.size())
        s = _without_rounding(s, np.ones_like(rest_t), _POSE_ROUNDING)
        kept = transforms.poses_from_local(transforms.compose(t, r, s), rig.parents)
        times = ((motion.frames - motion.frames[0]) / self.fps).astype('f4')
        animation = {'name': motion.name, 'channels': [], 'samplers': []}
        time_accessor = writer.accessor(times, 'SCALAR', has_bounds=True)
        for node in range(len(rig.names)):
            _add_channels(writer, animation, time_accessor, node, t[:, node], r[:, node],
                          s[:, node])
        world = self.world @ motion.worlds
        if np.abs(world - world[0]).max() > 1e-6:
            _add_channels(writer, animation, time_accessor, self.armature_node,
                          *transforms.decompose(world))
        for index, skin in enumerate(self.skins):
            if skin.shapes:
                values = np.stack([shape.values[motion.name] for shape in skin.shapes], axis=1)
                _add_channel(writer, animation, time_accessor, self.skin_node_of(writer, index),
                             'weights', values.ravel(), 'SCALAR')
        writer.json.setdefault('animations', []).append(animation)
        return float(np.abs(kept - motion.poses).max())

    def read(self, path):
        """The clips of a file that the engine made of this one, in its order."""
        reader = glb.Reader(path)
        return [Clip(self, reader, a) for a in reader.json.get('animations', [])]

    def rest_clip(self, path):
        """The rest pose of a file as a clip of one frame."""
        return Clip(self, glb.Reader(path), {'channels': [], 'samplers': []})

    def read_morphs(self, path, index):
        """(names, displacements (morphs, vertices, 3)) of a skin, in the space of its mesh."""
        reader = glb.Reader(path)
        mesh = reader.json['meshes'][reader.json['nodes'][self.skin_node_of(reader, index)]['mesh']]
        names = mesh.get('extras', {}).get('targetNames', [])
        skin = self.skins[index]
        displacements = np.zeros((len(names), len(skin.positions), 3), 'f4')
        for part, primitive in zip(skin.parts, mesh['primitives']):
            for displacement, target in zip(displacements, primitive.get('targets', [])):
                displacement[part.vertices] = reader.array(target['POSITION'])
        return names, displacements @ np.linalg.inv(skin.file_from_mesh[:3, :3]).T

    def skin_node_of(self, file, index):
        """The node of the skin with that index: skins are added in this order."""
        nodes = file.json['nodes']
        return [n for n, node in enumerate(nodes) if 'skin' in node][index]


class Clip:
    """A clip of a file of the engine, at whole frames from its start."""

    def __init__(self, scene, reader, animation):
        self.name = animation.get('name', '')
        self._scene, self._nodes = scene, reader.json['nodes']
        self._reader, self._channels = reader, reader.channels(animation)
        end = max((keys[-1] for keys, _, _ in self._channels.values()), default=0.0)
        self.times = np.arange(round(end * scene.fps) + 1) / scene.fps

    def local(self, node):
        """(translations, rotations, scales) of a node."""
        rest = self._nodes[node]
        values = []
        for path, default in (
            ('translation', [0, 0, 0]), ('rotation', [0, 0, 0, 1]), ('scale', [1, 1, 1])
        ):
            channel = self._channels.get((node, path))
            if channel is None:
                value = np.tile(np.array(rest.get(path, default), float), (len(self.times), 1))
            else:
                value = glb.sample(channel, path == 'rotation', self.times)
            values.append(value)
        return values

    def poses(self):
        """Poses of the bones in the space of the armature."""
        rig = self._scene.rig
        locals_ = [transforms.compose(*self.local(n)) for n in range(len(rig.names))]
        return transforms.poses_from_local(np.stack(locals_, axis=1), rig.parents)

    def worlds(self):
        """Matrices of the armature in Blender's axes and units."""
        world = transforms.compose(*self.local(self._scene.armature_node))
        return np.linalg.solve(np.broadcast_to(self._scene.world, world.shape), world)

    def weights(self, index, count):
        """Weights (frames, count) of the morphs of a skin."""
        node = self._scene.skin_node_of(self._reader, index)
        channel = self._channels.get((node, 'weights'))
        if channel is None:
            return np.zeros((len(self.times), count))
        return glb.sample(channel, False, self.times)


def changed(before, after, tolerance_unit):
    """{'translation', 'rotation', 'scale'} that differ between two arrays of matrices (frames, 4,
    4). The shorter one holds its last frame."""
    count = max(len(before), len(after))
    first = transforms.decompose(_held(before, count))
    second = transforms.decompose(_held(after, count))
    dots = np.abs(np.einsum('fk,fk->f', first[1], second[1]))
    sines = np.sqrt(np.maximum(1.0 - dots * dots, 0.0))
    found = set()
    if np.abs(second[0] - first[0]).max() > _TOLERANCES['translation'] * tolerance_unit:
        found.add('translation')
    if 2 * sines.max() > _TOLERANCES['rotation']:
        found.add('rotation')
    if np.abs(second[2] - first[2]).max() > _TOLERANCES['scale']:
        found.add('scale')
    return found


def _without_rounding(values, rest, tolerance):
    """Values (frames, nodes, 3); those of nodes that stay where they are are constant, and exactly
    those of the rest pose if they are near it: the engine sees bones of constant length."""
    means = values.mean(axis=0)
    is_at_rest = np.abs(means - rest).max(axis=1) <= tolerance
    means[is_at_rest] = rest[is_at_rest]
    is_still = np.abs(values - means).max(axis=(0, 2)) <= tolerance
    return np.where(is_still[:, None], means, values)


def _held(matrices, count):
    return matrices[np.minimum(np.arange(count), len(matrices) - 1)]


def _primitive(writer, skin, part):
    rows, triangles = part.vertices, part.triangles
    linear, origin = skin.file_from_mesh[:3, :3].T, skin.file_from_mesh[:3, 3]
    if np.linalg.det(linear) < 0:
        triangles = triangles[:, ::-1]
    positions = writer.accessor(
        (skin.positions[rows] @ linear + origin).astype('f4'), 'VEC3', has_bounds=True
    )
    attributes = {'POSITION': positions}
    for k in range(0, skin.joints.shape[1], 4):
        joints, weights = skin.joints[rows, k : k + 4], skin.weights[rows, k : k + 4]
        attributes[f'JOINTS_{k // 4}'] = writer.accessor(joints, 'VEC4')
        attributes[f'WEIGHTS_{k // 4}'] = writer.accessor(weights, 'VEC4')
    indices = writer.accessor(triangles.ravel(), 'SCALAR')
    primitive = {'attributes': attributes, 'indices': indices}
    if skin.shapes:
        primitive['targets'] = [
            {'POSITION': writer.accessor(
                (shape.displacements[rows] @ linear).astype('f4'), 'VEC3', has_bounds=True
            )}
            for shape in skin.shapes
        ]
    if part.material:
        primitive['material'] = writer.material(part.material)
    return primitive


def _add_channels(writer, animation, time_accessor, node, translations, rotations, scales):
    for path, values, kind in (
        ('translation', translations, 'VEC3'),
        ('rotation', transforms.continuous(rotations), 'VEC4'),
        ('scale', scales, 'VEC3'),
    ):
        _add_channel(writer, animation, time_accessor, node, path, values, kind)


def _add_channel(writer, animation, time_accessor, node, path, values, kind):
    output = writer.accessor(values.astype('f4'), kind)
    animation['channels'].append(
        {'sampler': len(animation['samplers']), 'target': {'node': node, 'path': path}}
    )
    animation['samplers'].append({'input': time_accessor, 'output': output})


def _unique(names):
    """The same names; one that is there before gets a number."""
    taken, result = set(), []
    for name in names:
        unique, number = name, 1
        while unique in taken:
            number += 1
            unique = f'{name} {number}'
        taken.add(unique)
        result.append(unique)
    return result
