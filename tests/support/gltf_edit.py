# SPDX-License-Identifier: MIT
"""Edits a GLB: clips of joint rotations, another skin, markers that a close-up shows."""
import math
import pathlib

import numpy

import glb

SPECKS = 2000  # of the sphere of a close-up


class Rig:
    """Names, parents and bind poses of the joints of the first skin."""

    def __init__(self, value):
        nodes = value['nodes']
        above = {child: i for i, node in enumerate(nodes) for child in node.get('children', ())}
        self.nodes = value['skins'][0]['joints']
        self.joints = [nodes[i]['name'] for i in self.nodes]
        self.parents, self.positions, self.rotations, self.local = {}, {}, {}, {}
        for i in self.nodes:
            node, parent = nodes[i], nodes[above[i]]['name'] if i in above else None
            name = node['name']
            own = numpy.array(node.get('rotation', (0.0, 0.0, 0.0, 1.0)))
            shift = numpy.array(node.get('translation', (0.0, 0.0, 0.0)))
            self.parents[name], self.local[name] = parent, own
            if parent in self.rotations:
                shift = matrix(self.rotations[parent]) @ shift
                self.positions[name] = self.positions[parent] + shift
                self.rotations[name] = product(self.rotations[parent], own)
            else:
                self.positions[name], self.rotations[name] = shift, own


def product(a, b):
    """Of quaternions x, y, z, w: the rotation b, then a."""
    u, v = numpy.array(a[:3]), numpy.array(b[:3])
    return numpy.append(a[3] * v + b[3] * u + numpy.cross(u, v), a[3] * b[3] - u @ v)


def conjugate(q):
    return q * numpy.array((-1.0, -1.0, -1.0, 1.0))


def matrix(q):
    axes = [product(product(q, (*axis, 0.0)), conjugate(q))[:3] for axis in numpy.eye(3)]
    return numpy.stack(axes, axis=1)


def about(axis, degrees):
    half = math.radians(degrees) / 2.0
    axis = numpy.array(axis, float)
    return numpy.append(math.sin(half) * axis / numpy.linalg.norm(axis), math.cos(half))


class Document:
    def __init__(self, path):
        self.value, _, self.binary = glb.read(path)

    def rig(self):
        return Rig(self.value)

    def accessor(self, array, component, kind):
        view = {'buffer': 0, 'byteOffset': len(self.binary), 'byteLength': array.nbytes}
        self.binary += array.tobytes() + bytes(-array.nbytes % 4)
        self.value['bufferViews'].append(view)
        accessor = {
            'bufferView': len(self.value['bufferViews']) - 1,
            'componentType': component,
            'count': array.size if kind == 'SCALAR' else len(array),
            'type': kind,
        }
        if component == 5126 and kind in ('SCALAR', 'VEC3'):
            rows = array.reshape(accessor['count'], -1)
            accessor['min'] = [float(x) for x in rows.min(axis=0)]
            accessor['max'] = [float(x) for x in rows.max(axis=0)]
        self.value['accessors'].append(accessor)
        return len(self.value['accessors']) - 1

    def add_clip(self, name, times, rotations):
        """`rotations`: {joint: quaternions about axes of the bind pose, one a time}."""
        rig = self.rig()
        time = self.accessor(numpy.array(times, '<f4'), 5126, 'SCALAR')
        clip = {'name': name, 'samplers': [], 'channels': []}
        for joint, keys in rotations.items():
            parent = rig.rotations.get(rig.parents[joint], numpy.array((0.0, 0.0, 0.0, 1.0)))
            own = [
                product(product(conjugate(parent), product(key, parent)), rig.local[joint])
                for key in keys
            ]
            output = self.accessor(numpy.array(own, '<f4'), 5126, 'VEC4')
            target = {'node': rig.nodes[rig.joints.index(joint)], 'path': 'rotation'}
            clip['channels'].append({'sampler': len(clip['samplers']), 'target': target})
            clip['samplers'].append({'input': time, 'output': output})
        self.value['animations'].append(clip)

    def normals(self, vertices, triangles):
        corners = vertices[triangles]
        face = numpy.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        normals = numpy.zeros((len(vertices), 3))
        for i in range(3):
            numpy.add.at(normals, triangles[:, i], face)
        return normals / numpy.linalg.norm(normals, axis=1, keepdims=True)

    def set_skin(self, vertices, triangles, weights):
        """One primitive of the first material instead of all meshes, with four weights a vertex."""
        largest = numpy.argsort(-weights, axis=1)[:, :4]
        shares = numpy.take_along_axis(weights, largest, axis=1)
        shares /= shares.sum(axis=1, keepdims=True)
        normals = self.normals(vertices, triangles)
        attributes = {
            'POSITION': self.accessor(vertices.astype('<f4'), 5126, 'VEC3'),
            'NORMAL': self.accessor(normals.astype('<f4'), 5126, 'VEC3'),
            'JOINTS_0': self.accessor(largest.astype('<u2'), 5123, 'VEC4'),
            'WEIGHTS_0': self.accessor(shares.astype('<f4'), 5126, 'VEC4'),
        }
        indices = self.accessor(triangles.astype('<u4').reshape(-1), 5125, 'SCALAR')
        primitive = {'attributes': attributes, 'indices': indices, 'material': 0}
        self.value['meshes'] = [{'name': 'Body', 'primitives': [primitive]}]
        self.value['animations'] = []

    def add_markers(self, name, joint, centre, radius):
        """A node below a joint with specks on a sphere, whose centre is relative to the joint in
        the bind pose: `preview --focus NAME` shows the sphere."""
        rig = self.rig()
        joint_from_bind = matrix(conjugate(rig.rotations[joint]))
        golden = math.pi * (3.0 - math.sqrt(5.0))
        points = []
        for i in range(SPECKS):
            y = 1.0 - 2.0 * (i + 0.5) / SPECKS
            r = math.sqrt(1.0 - y * y)
            points.append((r * math.cos(i * golden), y, r * math.sin(i * golden)))
        points = (numpy.array(centre) + radius * numpy.array(points)) @ joint_from_bind.T
        corners = numpy.repeat(points, 3, axis=0)
        corners[1::3] += (1e-6, 0.0, 0.0)
        corners[2::3] += (0.0, 1e-6, 0.0)
        attributes = {'POSITION': self.accessor(corners.astype('<f4'), 5126, 'VEC3')}
        self.value['meshes'].append({'primitives': [{'attributes': attributes}]})
        self.value['nodes'].append({'name': name, 'mesh': len(self.value['meshes']) - 1})
        above = self.value['nodes'][rig.nodes[rig.joints.index(joint)]]
        above.setdefault('children', []).append(len(self.value['nodes']) - 1)

    def write(self, path):
        self.value['buffers'][0]['byteLength'] = len(self.binary)
        pathlib.Path(path).write_bytes(glb.assemble(self.value, self.binary))
