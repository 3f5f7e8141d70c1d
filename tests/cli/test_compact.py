# SPDX-License-Identifier: MIT
"""`convert --compact` and `run --compact`: buffers without what nothing refers to, and the same
values for everything that something refers to."""
import base64
import json
import struct

import glb
from clipmill_process import ProcessTest

SIZES = {5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4}
WIDTHS = {'SCALAR': 1, 'VEC2': 2, 'VEC3': 3, 'VEC4': 4, 'MAT4': 16}


class Buffers:
    """The values of a file, read without the program under test."""

    def __init__(self, value, binary, folder=None):
        self.value = value
        self.buffers = []
        for buffer in value.get('buffers', []):
            uri = buffer.get('uri')
            if uri is None:
                data = binary
            elif uri.startswith('data:'):
                data = base64.b64decode(uri.split(',', 1)[1])
            else:
                data = (folder / uri).read_bytes()
            self.buffers.append(data[: buffer['byteLength']])

    def view(self, index):
        view = self.value['bufferViews'][index]
        start = view.get('byteOffset', 0)
        data = self.buffers[view['buffer']][start : start + view['byteLength']]
        assert len(data) == view['byteLength'], 'a view ends behind its buffer'
        return data

    def accessor(self, index):
        accessor = self.value['accessors'][index]
        size = SIZES[accessor['componentType']]
        element = size * WIDTHS[accessor['type']]
        if 'bufferView' in accessor:
            view = self.value['bufferViews'][accessor['bufferView']]
            data, start = self.view(accessor['bufferView']), accessor.get('byteOffset', 0)
            assert (view.get('byteOffset', 0) + start) % size == 0 and start % size == 0
            stride = view.get('byteStride', element)
            rows = [
                data[start + k * stride : start + k * stride + element]
                for k in range(accessor['count'])
            ]
            assert all(len(row) == element for row in rows), 'an accessor ends behind its view'
        else:
            rows = [bytes(element)] * accessor['count']
        if 'sparse' in accessor:
            rows = list(rows)
            sparse = accessor['sparse']
            indices = struct.unpack_from(
                '<%dH' % sparse['count'], self.view(sparse['indices']['bufferView'])
            )
            values = self.view(sparse['values']['bufferView'])
            for k, index in enumerate(indices):
                rows[index] = values[k * element : (k + 1) * element]
        return rows

    def everything(self):
        """The values of all that is used, in the order of the file."""
        used = []
        for animation in self.value.get('animations', []):
            for sampler in animation['samplers']:
                used += [self.accessor(sampler['input']), self.accessor(sampler['output'])]
        for mesh in self.value.get('meshes', []):
            for primitive in mesh['primitives']:
                for name in sorted(primitive['attributes']):
                    used.append(self.accessor(primitive['attributes'][name]))
                if 'indices' in primitive:
                    used.append(self.accessor(primitive['indices']))
                for target in primitive.get('targets', []):
                    used += [self.accessor(target[name]) for name in sorted(target)]
        for skin in self.value.get('skins', []):
            used.append(self.accessor(skin['inverseBindMatrices']))
        for image in self.value.get('images', []):
            if 'bufferView' in image:
                used.append(self.view(image['bufferView']))
        return used


class Maker:
    """A file put together part by part."""

    def __init__(self):
        self.value = {'asset': {'version': '2.0'}, 'accessors': [], 'bufferViews': []}
        self.binary = b''

    def view(self, data, **members):
        self.binary += b'\0' * (-len(self.binary) % 4)
        self.value['bufferViews'].append(
            {'buffer': 0, 'byteOffset': len(self.binary), 'byteLength': len(data), **members}
        )
        self.binary += data
        return len(self.value['bufferViews']) - 1

    def accessor(self, kind, count, component=5126, **members):
        self.value['accessors'].append(
            {'componentType': component, 'count': count, 'type': kind, **members}
        )
        return len(self.value['accessors']) - 1

    def glb(self):
        self.value['buffers'] = [{'byteLength': len(self.binary), 'name': 'all'}]
        return glb.assemble(self.value, self.binary)


def full_file():
    """Interleaved vertices, a sparse morph target, 16-bit indices, an image, a skin, and between
    them data that nothing uses."""
    maker = Maker()

    def waste():
        unused = maker.view(struct.pack('<9f', *range(9)))
        maker.accessor('VEC3', 3, bufferView=unused)

    waste()
    vertices = b''.join(
        struct.pack('<6f4B4B', k, k + 1, k + 2, 0, 1, 0, 0, 1, 0, 0, 200, 55, 0, 0)
        for k in range(5)
    )
    mixed = maker.view(vertices, byteStride=32)
    positions = maker.accessor('VEC3', 5, bufferView=mixed, min=[0, 1, 2], max=[4, 5, 6])
    normals = maker.accessor('VEC3', 5, bufferView=mixed, byteOffset=12)
    joints = maker.accessor('VEC4', 5, 5121, bufferView=mixed, byteOffset=24)
    weights = maker.accessor('VEC4', 5, 5121, bufferView=mixed, byteOffset=28, normalized=True)
    waste()
    # Two arrays in one view, the first of them unused; the second does not start on 4 bytes.
    both = maker.view(struct.pack('<7H', 9, 0, 1, 2, 2, 3, 4))
    maker.accessor('SCALAR', 1, 5123, bufferView=both)
    indices = maker.accessor('SCALAR', 6, 5123, bufferView=both, byteOffset=2)
    waste()
    sparse = maker.accessor(
        'VEC3',
        5,
        sparse={
            'count': 2,
            'indices': {'bufferView': maker.view(struct.pack('<2H', 1, 3)), 'componentType': 5123},
            'values': {'bufferView': maker.view(struct.pack('<6f', 1, 2, 3, 4, 5, 6))},
        },
        min=[0, 0, 0],
        max=[4, 5, 6],
    )
    image = maker.view(b'\x89PNG\r\n\x1a\nxyz')
    matrix = struct.pack('<16f', 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)
    binds = maker.accessor('MAT4', 2, bufferView=maker.view(matrix * 2))
    times = maker.accessor(
        'SCALAR', 2, bufferView=maker.view(struct.pack('<2f', 0, 1)), min=[0], max=[1]
    )
    moves = maker.accessor('VEC3', 2, bufferView=maker.view(struct.pack('<6f', 0, 0, 0, 1, 2, 3)))
    maker.value.update(
        {
            'scene': 0,
            'scenes': [{'nodes': [0, 2]}],
            'nodes': [
                {'name': 'A', 'children': [1]},
                {'name': 'B'},
                {'name': 'M', 'mesh': 0, 'skin': 0},
            ],
            'skins': [{'joints': [0, 1], 'inverseBindMatrices': binds}],
            'images': [{'bufferView': image, 'mimeType': 'image/png'}],
            'meshes': [
                {
                    'primitives': [
                        {
                            'attributes': {
                                'POSITION': positions,
                                'NORMAL': normals,
                                'JOINTS_0': joints,
                                'WEIGHTS_0': weights,
                            },
                            'indices': indices,
                            'targets': [{'POSITION': sparse}],
                        }
                    ]
                }
            ],
            'animations': [
                {
                    'name': 'Move',
                    'samplers': [{'input': times, 'output': moves}],
                    'channels': [{'sampler': 0, 'target': {'node': 1, 'path': 'translation'}}],
                }
            ],
            'extras': {'note': [1, 2, 3]},
        }
    )
    return maker


class Compact(ProcessTest):
    def read(self, name):
        value, _, binary = glb.read(self.folder / name)
        return Buffers(value, binary, self.folder)

    def size(self, name):
        return (self.folder / name).stat().st_size

    def unused(self, name):
        return self.run_json('info', name, '--json')['unreferenced_bytes']

    def test_file_that_was_edited_five_times(self):
        self.file('in.glb', glb.swinging_chain())
        self.file('a.glb', glb.swinging_chain())
        for length in ('0.9', '0.8', '0.7', '0.6', '0.5'):
            self.run_clipmill('trim', 'a.glb', '-o', 'a.glb', '--end-s', length, '--keys', 'all')
        self.run_clipmill(
            'trim', 'in.glb', '-o', 'once.glb', '--end-s', '0.5', '--keys', 'all', '--compact'
        )
        self.assertGreater(self.unused('a.glb'), 1000)
        self.assertIn('nothing refers to', self.run_clipmill('info', 'a.glb').stdout)
        self.run_clipmill('convert', 'a.glb', '-o', 'b.glb', '--compact')
        self.assertEqual(self.unused('b.glb'), 0)
        self.assertEqual(self.unused('in.glb'), 0)
        # Five edits leave what one leaves: 16 keys of 16 bytes.
        for name in ('b.glb', 'once.glb'):
            self.assertEqual(self.read(name).value['buffers'][0]['byteLength'], 16 * 16)
        self.assertEqual(self.read('a.glb').everything(), self.read('b.glb').everything())
        self.assertEqual(len(self.read('b.glb').value['accessors']), 2)

    def test_all_that_is_used_keeps_its_values(self):
        maker = full_file()
        self.file('a.glb', maker.glb())
        self.run_clipmill('convert', 'a.glb', '-o', 'b.glb', '--compact')
        before, after = self.read('a.glb'), self.read('b.glb')
        self.assertEqual(before.everything(), after.everything())
        self.assertEqual(self.unused('a.glb'), 3 * 36)
        self.assertEqual(self.unused('b.glb'), 0)
        self.assertEqual(len(before.value['accessors']) - 4, len(after.value['accessors']))
        self.assertEqual(len(before.value['bufferViews']) - 3, len(after.value['bufferViews']))
        self.assertEqual(after.value['buffers'][0]['name'], 'all')
        for key in ('nodes', 'scenes', 'extras', 'asset'):
            self.assertEqual(before.value[key], after.value[key])
        self.run_clipmill('convert', 'b.glb', '-o', 'c.glb', '--compact')
        self.assertEqual((self.folder / 'b.glb').read_bytes(), (self.folder / 'c.glb').read_bytes())
        self.run_clipmill('diff', 'a.glb', 'c.glb', '--tolerance-mm', '0')

    def test_without_the_flag_the_file_stays(self):
        data = full_file().glb()
        self.file('a.glb', data)
        self.run_clipmill('convert', 'a.glb', '-o', 'b.glb')
        self.assertEqual((self.folder / 'b.glb').read_bytes(), data)

    def test_unknown_extension_keeps_all_that_it_may_refer_to(self):
        maker = full_file()
        maker.value['nodes'][0]['extensions'] = {'ACME_points': {'positions': 0}}
        maker.value['extensionsUsed'] = ['ACME_points']
        self.file('a.glb', maker.glb())
        self.run_clipmill('convert', 'a.glb', '-o', 'b.glb', '--compact')
        self.assertEqual((self.folder / 'a.glb').read_bytes(), (self.folder / 'b.glb').read_bytes())

    def test_instances_of_a_mesh_are_uses(self):
        maker = full_file()
        maker.value['nodes'][2]['extensions'] = {
            'EXT_mesh_gpu_instancing': {'attributes': {'TRANSLATION': 0}}
        }
        self.file('a.glb', maker.glb())
        self.run_clipmill('convert', 'a.glb', '-o', 'b.glb', '--compact')
        before, after = self.read('a.glb'), self.read('b.glb')
        moved = after.value['nodes'][2]['extensions']['EXT_mesh_gpu_instancing']['attributes']
        self.assertEqual(before.accessor(0), after.accessor(moved['TRANSLATION']))
        self.assertEqual(self.unused('a.glb'), 2 * 36)

    def test_text_with_a_file_for_its_buffer(self):
        maker = full_file()
        maker.glb()
        maker.value['buffers'] = [{'byteLength': len(maker.binary), 'uri': 'a.bin'}]
        self.file('a.gltf', json.dumps(maker.value, indent=1))
        self.file('a.bin', maker.binary)
        process = self.run_clipmill('convert', 'a.gltf', '-o', 'b.gltf', '--compact', exit_code=3)
        self.assertOneSentence(process.stderr, 'a.bin', 'exists with other content')
        (self.folder / 'out').mkdir()
        self.run_clipmill('convert', 'a.gltf', '-o', 'out/a.gltf', '--compact')
        before = Buffers(maker.value, None, self.folder)
        value = json.loads((self.folder / 'out/a.gltf').read_text())
        after = Buffers(value, None, self.folder / 'out')
        self.assertEqual(before.everything(), after.everything())
        self.assertEqual((self.folder / 'a.bin').read_bytes(), maker.binary)
        self.assertEqual(self.size('out/a.bin'), value['buffers'][0]['byteLength'])
        # The same as one file.
        self.run_clipmill('convert', 'a.gltf', '-o', 'c.glb', '--compact')
        self.assertEqual(before.everything(), self.read('c.glb').everything())
        self.assertEqual(self.unused('c.glb'), 0)

    def test_text_with_its_buffer_within(self):
        maker = full_file()
        maker.glb()
        data = base64.b64encode(maker.binary).decode()
        maker.value['buffers'] = [
            {
                'byteLength': len(maker.binary),
                'uri': 'data:application/octet-stream;base64,' + data,
            }
        ]
        self.file('a.gltf', json.dumps(maker.value))
        self.run_clipmill('convert', 'a.gltf', '-o', 'b.gltf', '--compact')
        value = json.loads((self.folder / 'b.gltf').read_text())
        before, after = Buffers(maker.value, None), Buffers(value, None)
        self.assertEqual(before.everything(), after.everything())
        self.assertLess(self.size('b.gltf'), self.size('a.gltf'))

    def test_file_with_nothing_but_waste(self):
        maker = Maker()
        maker.accessor('VEC3', 3, bufferView=maker.view(bytes(36)))
        maker.value['nodes'] = [{'name': 'A'}]
        self.file('a.glb', maker.glb())
        self.run_clipmill('convert', 'a.glb', '-o', 'b.glb', '--compact')
        after = self.read('b.glb')
        self.assertNotIn('accessors', after.value)
        self.assertNotIn('bufferViews', after.value)
        self.assertEqual(after.value['buffers'][0]['byteLength'], 4)

    def test_view_behind_the_end_of_its_buffer_is_refused(self):
        maker = full_file()
        maker.value['bufferViews'][1]['byteLength'] = 100000
        self.file('a.glb', maker.glb())
        process = self.run_clipmill('convert', 'a.glb', '-o', 'b.glb', '--compact', exit_code=3)
        self.assertOneSentence(process.stderr, 'bufferViews[1]')
        self.assertEqual(self.files(), ['a.glb'])


if __name__ == '__main__':
    import unittest

    unittest.main()
