# SPDX-License-Identifier: MIT
"""Takes GLB files apart and puts them together, independently of the program under test."""
import json
import pathlib
import struct

COMPONENTS = {5121: ('B', 1), 5122: ('h', 2), 5123: ('H', 2), 5125: ('I', 4), 5126: ('f', 4)}


def read(path):
    """(json value, json text, BIN chunk or None)."""
    return read_bytes(pathlib.Path(path).read_bytes())


def read_bytes(data):
    """The same of the bytes of a file."""
    assert data[:4] == b'glTF'
    at, chunks = 12, []
    while at + 8 <= len(data):
        size, kind = struct.unpack('<II', data[at : at + 8])
        chunks.append((kind, data[at + 8 : at + 8 + size]))
        at += 8 + size
    text = chunks[0][1]
    binary = next((c for k, c in chunks[1:] if k == 0x004E4942), None)
    return json.loads(text), text, binary


def rows(value, binary, index):
    """Rows of numbers of an accessor, sparse or not, normalized integers as shares of 1."""
    accessor = value['accessors'][index]
    width = {'SCALAR': 1, 'VEC2': 2, 'VEC3': 3, 'VEC4': 4}[accessor['type']]
    letter, size = COMPONENTS[accessor['componentType']]

    def read(source, count, letter, size, width):
        view = value['bufferViews'][source['bufferView']]
        start = view.get('byteOffset', 0) + source.get('byteOffset', 0)
        stride = view.get('byteStride', width * size)
        return [
            struct.unpack_from('<%d%s' % (width, letter), binary, start + i * stride)
            for i in range(count)
        ]

    result = [(0,) * width] * accessor['count']
    if 'bufferView' in accessor:
        result = read(accessor, accessor['count'], letter, size, width)
    if 'sparse' in accessor:
        sparse = accessor['sparse']
        indices = read(
            sparse['indices'],
            sparse['count'],
            *COMPONENTS[sparse['indices']['componentType']],
            1,
        )
        for (i,), row in zip(indices, read(sparse['values'], sparse['count'], letter, size, width)):
            result[i] = row
    if accessor.get('normalized'):
        parts = {5121: 255, 5122: 32767}[accessor['componentType']]
        result = [tuple(max(n / parts, -1.0) for n in row) for row in result]
    return result


def assemble(value, binary=b''):
    text = value if isinstance(value, bytes) else json.dumps(value, separators=(',', ':')).encode()
    text += b' ' * (-len(text) % 4)
    binary += b'\0' * (-len(binary) % 4)
    chunks = struct.pack('<II', len(text), 0x4E4F534A) + text
    if binary:
        chunks += struct.pack('<II', len(binary), 0x004E4942) + binary
    return struct.pack('<4sII', b'glTF', 2, 12 + len(chunks)) + chunks


def swinging_chain(joints=4, keys=31, fps=30.0, times=None):
    """A GLB whose chain of joints 0.1 m apart is moved from side to side at its root."""
    import math

    times = times if times is not None else [k / fps for k in range(keys)]
    moves = [(0.2 * math.sin(2 * math.pi * t), 0.0, 0.0) for t in times]
    binary = struct.pack('<%df' % len(times), *times)
    binary += b''.join(struct.pack('<3f', *move) for move in moves)
    nodes = [
        {'name': 'Bone%d' % i, 'translation': [0, -0.1 if i else 1.0, 0], 'children': [i + 1]}
        for i in range(joints)
    ]
    del nodes[-1]['children']
    value = {
        'asset': {'version': '2.0'},
        'scene': 0,
        'scenes': [{'nodes': [joints]}],
        'nodes': nodes + [{'name': 'Mover', 'children': [0]}],
        'animations': [
            {
                'name': 'Sway',
                'channels': [{'sampler': 0, 'target': {'node': joints, 'path': 'translation'}}],
                'samplers': [{'input': 0, 'output': 1}],
            }
        ],
        'accessors': [
            {
                'bufferView': 0,
                'componentType': 5126,
                'count': len(times),
                'type': 'SCALAR',
                'min': [min(times)],
                'max': [max(times)],
            },
            {'bufferView': 1, 'componentType': 5126, 'count': len(times), 'type': 'VEC3'},
        ],
        'bufferViews': [
            {'buffer': 0, 'byteLength': 4 * len(times)},
            {'buffer': 0, 'byteOffset': 4 * len(times), 'byteLength': 12 * len(times)},
        ],
        'buffers': [{'byteLength': len(binary)}],
    }
    return assemble(value, binary)
