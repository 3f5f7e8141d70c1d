# SPDX-License-Identifier: MIT
"""The glTF assets of tests/corpus/files, made accessor by accessor."""
import base64
import json

import numpy as np

import glb
import pose_evaluator as evaluator


class Gltf:
    """An asset under construction, with one buffer."""

    def __init__(self):
        self.binary = b''
        self.json = {
            'asset': {'version': '2.0', 'generator': 'tests/support/make_corpus_files.py'},
            'scene': 0, 'scenes': [{'nodes': [0]}], 'nodes': [], 'accessors': [],
            'bufferViews': [],
        }  # fmt: skip

    def view(self, data, **more):
        self.binary += b'\0' * (-len(self.binary) % 4)
        view = {'buffer': 0, 'byteOffset': len(self.binary), 'byteLength': len(data), **more}
        self.json['bufferViews'].append(view)
        self.binary += data
        return len(self.json['bufferViews']) - 1

    def accessor(self, values, kind, dtype='<f4', **more):
        values = np.array(values, dtype)
        values = values.reshape(len(values), -1)
        component = {'<f4': 5126, '<u2': 5123, 'u1': 5121, '<i2': 5122, 'i1': 5120}[dtype]
        padding = -values.itemsize * values.shape[1] % 4
        rows = b''.join(row.tobytes() + b'\0' * padding for row in values)
        stride = values.itemsize * values.shape[1] + padding
        view = self.view(rows, **({'byteStride': stride} if padding else {}))
        made = {
            'bufferView': view, 'componentType': component, 'count': len(values), 'type': kind,
            **more,
        }  # fmt: skip
        if kind in ('SCALAR', 'VEC3'):
            made['min'], made['max'] = (
                [float(x) if dtype == '<f4' else int(x) for x in limit]
                for limit in (values.min(0), values.max(0))
            )
        self.json['accessors'].append(made)
        return len(self.json['accessors']) - 1

    def nodes(self, rig):
        for name, _, offset in rig:
            self.json['nodes'].append({'name': name, 'translation': list(map(float, offset))})
        for i, (_, parent, _) in enumerate(rig):
            if parent >= 0:
                self.json['nodes'][parent].setdefault('children', []).append(i)

    def animation(self, name, channels):
        """`channels`: (node, path, times, values, interpolation)."""
        made = {'name': name, 'channels': [], 'samplers': []}
        kinds = {'rotation': 'VEC4', 'weights': 'SCALAR'}
        inputs = {}
        for node, path, times, values, mode in channels:
            key = tuple(times)
            if key not in inputs:
                inputs[key] = self.accessor(times, 'SCALAR')
            output = values
            if not isinstance(values, int):
                output = self.accessor(values, kinds.get(path, 'VEC3'))
            sampler = {'input': inputs[key], 'output': output, 'interpolation': mode}
            made['samplers'].append(sampler)
            target = {'node': node, 'path': path}
            made['channels'].append({'sampler': len(made['samplers']) - 1, 'target': target})
        self.json.setdefault('animations', []).append(made)

    def use(self, *names, required=()):
        self.json['extensionsUsed'] = list(names)
        if required:
            self.json['extensionsRequired'] = list(required)

    def write(self, path):
        """Writes the file, and its poses beside it."""
        self.json['buffers'] = [{'byteLength': len(self.binary)}]
        if path.suffix == '.gltf':
            data = base64.b64encode(self.binary).decode()
            self.json['buffers'][0]['uri'] = 'data:application/octet-stream;base64,' + data
            path.write_text(json.dumps(self.json, indent=1) + '\n')
        else:
            path.write_bytes(glb.assemble(self.json, self.binary))
        evaluator.write_poses(path, evaluator.poses_of(path))
