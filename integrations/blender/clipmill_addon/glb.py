# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""GLB files with nodes, animations, skins and morph targets (glTF 2.0 specification, sections 3.6
and 4): what goes to the engine and comes back. Needs NumPy alone."""
import json
import struct

import numpy as np

from . import transforms

_MAGIC, _JSON, _BIN = 0x46546C67, 0x4E4F534A, 0x004E4942
_FORMATS = {5120: 'i1', 5121: 'u1', 5122: '<i2', 5123: '<u2', 5125: '<u4', 5126: '<f4'}
_COMPONENTS = {'float32': 5126, 'uint16': 5123, 'uint32': 5125}
_TYPES = {'SCALAR': 1, 'VEC2': 2, 'VEC3': 3, 'VEC4': 4, 'MAT4': 16}


class Writer:
    """Collects the JSON and the buffer of a file; `json` may be filled by its user."""

    def __init__(self):
        self.json = {'asset': {'version': '2.0', 'generator': 'clipmill add-on for Blender'}}
        self.data = bytearray()

    def accessor(self, array, kind, has_bounds=False):
        """Index of a new accessor with the rows of `array`; `kind` is a type such as VEC3."""
        array = np.ascontiguousarray(array)
        views = self.json.setdefault('bufferViews', [])
        views.append({'buffer': 0, 'byteOffset': len(self.data), 'byteLength': array.nbytes})
        self.data += array.tobytes() + bytes(-array.nbytes % 4)
        accessor = {
            'bufferView': len(views) - 1,
            'componentType': _COMPONENTS[array.dtype.name],
            'count': len(array),
            'type': kind,
        }
        if has_bounds:
            rows = array.reshape(len(array), -1)
            accessor['min'] = rows.min(axis=0).tolist()
            accessor['max'] = rows.max(axis=0).tolist()
        accessors = self.json.setdefault('accessors', [])
        accessors.append(accessor)
        return len(accessors) - 1

    def material(self, name):
        """Index of the material with that name."""
        materials = self.json.setdefault('materials', [])
        names = [material['name'] for material in materials]
        if name not in names:
            materials.append({'name': name})
            return len(names)
        return names.index(name)

    def write(self, path):
        if self.data:
            self.json['buffers'] = [{'byteLength': len(self.data)}]
        text = json.dumps(self.json).encode()
        text += b' ' * (-len(text) % 4)
        chunks = struct.pack('<II', len(text), _JSON) + text
        if self.data:
            chunks += struct.pack('<II', len(self.data), _BIN) + bytes(self.data)
        with open(path, 'wb') as file:
            file.write(struct.pack('<III', _MAGIC, 2, 12 + len(chunks)) + chunks)


class Reader:
    """The JSON of a file, its accessors as arrays, and its animations at given times."""

    def __init__(self, path):
        with open(path, 'rb') as file:
            content = file.read()
        magic, _, length = struct.unpack_from('<III', content)
        if magic != _MAGIC or length > len(content):
            raise ValueError(f'{path} is no GLB file')
        self.json, self.data, offset = {}, b'', 12
        while offset < length:
            size, kind = struct.unpack_from('<II', content, offset)
            chunk = content[offset + 8 : offset + 8 + size]
            if kind == _JSON:
                self.json = json.loads(chunk)
            elif kind == _BIN:
                self.data = chunk
            offset += 8 + size

    def array(self, index):
        """The elements of an accessor, one a row; normalized integers as floats."""
        accessor = self.json['accessors'][index]
        width = _TYPES[accessor['type']]
        kind = np.dtype(_FORMATS[accessor['componentType']])
        if 'bufferView' in accessor:
            values = self._elements(accessor, accessor['count'], kind, width)
        else:
            values = np.zeros((accessor['count'], width), kind)
        if 'sparse' in accessor:
            sparse = accessor['sparse']
            count = sparse['count']
            index_kind = np.dtype(_FORMATS[sparse['indices']['componentType']])
            rows = self._elements(sparse['indices'], count, index_kind, 1)[:, 0]
            values = values.copy()
            values[rows] = self._elements(sparse['values'], count, kind, width)
        if accessor.get('normalized'):
            values = np.maximum(values / np.iinfo(kind).max, -1.0)
        return values

    def _elements(self, source, count, kind, width):
        view = self.json['bufferViews'][source['bufferView']]
        start = view.get('byteOffset', 0) + source.get('byteOffset', 0)
        size = kind.itemsize * width
        return np.ndarray(
            (count, width), kind, self.data, start, (view.get('byteStride', size), kind.itemsize)
        )

    def channels(self, animation):
        """{(node, path): (times, values, interpolation)} of an animation of the file."""
        found = {}
        for channel in animation['channels']:
            target = channel['target']
            sampler = animation['samplers'][channel['sampler']]
            found[target.get('node', -1), target['path']] = (
                self.array(sampler['input'])[:, 0].astype(float),
                self.array(sampler['output']).astype(float),
                sampler.get('interpolation', 'LINEAR'),
            )
        return found


def sample(channel, is_rotation, times):
    """Values (times, width) of a channel of Reader.channels, for LINEAR and STEP."""
    keys, values, interpolation = channel
    values = values.reshape(len(keys), -1)
    if interpolation == 'CUBICSPLINE':
        raise ValueError('cubic keys are not read')
    after = np.clip(np.searchsorted(keys, times, side='right'), 1, max(len(keys) - 1, 1))
    before = np.minimum(after - 1, len(keys) - 1)
    after = np.minimum(after, len(keys) - 1)
    spans = np.where(after > before, keys[after] - keys[before], 1.0)
    shares = np.clip((times - keys[before]) / spans, 0.0, 1.0)
    # Keys are stored as 32-bit floats: a frame next to a key is meant to be at the key.
    shares = np.where(shares < 1e-4, 0.0, np.where(shares > 1 - 1e-4, 1.0, shares))
    if interpolation == 'STEP':
        shares = np.floor(shares)
    if is_rotation:
        return transforms.slerp(values[before], values[after], shares)
    return values[before] + shares[:, None] * (values[after] - values[before])
