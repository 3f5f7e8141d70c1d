# SPDX-License-Identifier: MIT
"""A GLB with all that conversions carry beside poses: three sets of texture coordinates and two of
vertex colours, tangents, custom properties of each kind, a hidden node, cameras and lights; and
what of it a GLB has."""
import struct

import glb
import pose_evaluator

POSITIONS = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
NORMALS = [(0, 0, 1)] * 4
SETS = {
    'TANGENT': [(1, 0, 0, 1), (0, 1, 0, -1), (0.6, 0.8, 0, 1), (-1, 0, 0, -1)],
    'TEXCOORD_0': [(0, 0), (1, 0), (1, 1), (0, 1)],
    'TEXCOORD_1': [(0.25, 0.5), (0.5, 0.125), (0.75, 1), (0, 0.375)],
    'TEXCOORD_2': [(3, -1), (0.5, 0.5), (0.25, 0.75), (1, 2)],
    'COLOR_0': [(1, 0, 0, 1), (0, 1, 0, 1), (0, 0, 1, 1), (0.5, 0.5, 0.5, 0.25)],
    'COLOR_1': [(0, 0, 0, 1), (0.25, 0.5, 0.75, 1), (1, 1, 1, 0.5), (0.125, 1, 0, 1)],
}
EXTRAS = {
    'tag': 'left "hand" \u00e4', 'health': 3, 'ratio': 0.375, 'locked': True, 'aim': [1.5, -2, 0.25]
}

# Of glTF: they look along -z of their nodes.
CAMERAS = {
    'Eye': {'type': 'perspective',
            'perspective': {'aspectRatio': 1.5, 'yfov': 0.7, 'znear': 0.25, 'zfar': 90}},
    'Plan': {'type': 'orthographic',
             'orthographic': {'xmag': 3, 'ymag': 2, 'znear': 0.5, 'zfar': 20}},
}
LIGHTS = {
    'Sun': {'type': 'directional', 'color': [1, 0.5, 0.25], 'intensity': 3},
    'Lamp': {'type': 'point', 'color': [1, 1, 1], 'intensity': 40},
    'Torch': {'type': 'spot', 'color': [0, 1, 0], 'intensity': 20,
              'spot': {'innerConeAngle': 0.25, 'outerConeAngle': 0.5}},
}
# Positions and rotations of their nodes.
VIEWS = {
    'Eye': ([1, 2, 3], [0.5, -0.5, 0.5, 0.5]),
    'Plan': ([0, 4, 0], [-0.6, 0, 0, 0.8]),
    'Sun': ([0, 5, 0], [0.28, 0, 0, 0.96]),
    'Lamp': ([0, 3, 1], [0, 0, 0, 1]),
    'Torch': ([-1, 1, 0], [0, 0.6, 0, 0.8]),
}


def direction_of(name):
    """Where a camera or light looks, in the world (its nodes hang below one at rest)."""
    x, y, z, w = VIEWS[name][1]
    return [-2 * (x * z + w * y), -2 * (y * z - w * x), -1 + 2 * (x * x + y * y)]


def _view_nodes():
    nodes = []
    for number, name in enumerate(CAMERAS):
        nodes.append({'name': name, 'camera': number})
    for number, name in enumerate(LIGHTS):
        nodes.append({'name': name, 'extensions': {'KHR_lights_punctual': {'light': number}}})
    for node in nodes:
        node['translation'], node['rotation'] = VIEWS[node['name']]
    return nodes


def scene():
    """The bytes of the GLB."""
    arrays = [('POSITION', 3, POSITIONS), ('NORMAL', 3, NORMALS)]
    arrays += [(name, 2 if name.startswith('TEX') else 4, rows) for name, rows in SETS.items()]
    binary, views, accessors = b'', [], []
    for name, width, rows in arrays:
        data = b''.join(struct.pack('<%df' % width, *row) for row in rows)
        views.append({'buffer': 0, 'byteOffset': len(binary), 'byteLength': len(data)})
        binary += data
        accessor = {'bufferView': len(accessors), 'componentType': 5126, 'count': len(rows),
                    'type': 'VEC%d' % width}
        if name == 'POSITION':
            accessor.update(min=[0, 0, 0], max=[1, 1, 0])
        accessors.append(accessor)
    views.append({'buffer': 0, 'byteOffset': len(binary), 'byteLength': 12})
    binary += struct.pack('<6H', 0, 1, 2, 0, 2, 3)
    accessors.append(
        {'bufferView': len(accessors), 'componentType': 5123, 'count': 6, 'type': 'SCALAR'}
    )
    attributes = {name: k for k, (name, _, _) in enumerate(arrays)}
    value = {
        'asset': {'version': '2.0'},
        'extensionsUsed': ['KHR_node_visibility', 'KHR_lights_punctual'],
        'extensions': {'KHR_lights_punctual': {'lights': list(LIGHTS.values())}},
        'cameras': list(CAMERAS.values()),
        'scene': 0,
        'scenes': [{'nodes': [0]}],
        'nodes': [
            {'name': 'Top', 'children': list(range(1, 3 + len(VIEWS))), 'extras': EXTRAS},
            {'name': 'Cloth', 'mesh': 0},
            {'name': 'Ghost', 'mesh': 0, 'translation': [2, 0, 0],
             'extensions': {'KHR_node_visibility': {'visible': False}}},
            *_view_nodes(),
        ],
        'meshes': [
            {'primitives': [{'attributes': attributes, 'indices': len(accessors) - 1}]}
        ],
        'accessors': accessors,
        'bufferViews': views,
        'buffers': [{'byteLength': len(binary)}],
    }
    return glb.assemble(value, binary)


def sets_of(path, node='Cloth'):
    """{attribute: {position: values}} of the mesh of a node of a GLB."""
    file = pose_evaluator._Gltf(path)
    (index,) = (n['mesh'] for n in file.nodes if n.get('name') == node)
    found = {}
    for primitive in file.json['meshes'][index]['primitives']:
        attributes = primitive['attributes']
        points = file.accessor(attributes['POSITION'])
        for name in attributes:
            if not name.startswith(('TAN', 'TEX', 'COL')):
                continue
            for point, row in zip(points, file.accessor(attributes[name])):
                key = tuple(round(float(x), 4) + 0.0 for x in point)
                found.setdefault(name, {})[key] = [float(x) for x in row]
    return found


def largest_difference(found, name):
    """Between a set of sets_of() and what scene() has."""
    points = [tuple(float(x) for x in p) for p in POSITIONS]
    assert sorted(found) == sorted(points), found
    return max(
        abs(a - b) for p, row in zip(points, SETS[name]) for a, b in zip(row, found[p])
    )
