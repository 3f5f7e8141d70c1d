# SPDX-License-Identifier: MIT
"""FBX files that are unusual but valid enough: what other programs read of them is read here too,
and what is not understood stays."""
import struct

import glb
from clipmill_process import ProcessTest
from text_fbx import SECOND, head

HEAD = head('"TimeMode", "enum", "", "",11')


def quoted(value):
    return str(value) if isinstance(value, int) else '"%s"' % value


def document(objects, connections):
    lines = ''.join(
        '\tC: "%s",%s\n' % (c[0], ','.join(quoted(n) for n in c[1:]))
        for c in connections
    )
    return HEAD + 'Objects:  {\n' + objects + '}\nConnections:  {\n' + lines + '}\n'


def model(number, name, *properties, kind='LimbNode'):
    lines = ''.join('\t\t\tP: %s\n' % p for p in properties)
    return (
        '\tModel: %d, "Model::%s", "%s" {\n\t\tVersion: 232\n\t\tProperties70:  {\n%s\t\t}\n\t}\n'
        % (number, name, kind, lines)
    )


def triangle(number):
    return (
        '\tGeometry: %d, "Geometry::", "Mesh" {\n'
        '\t\tVertices: *9 {\n\t\t\ta: 0,0,0,1,0,0,0,1,0\n\t\t}\n'
        '\t\tPolygonVertexIndex: *3 {\n\t\t\ta: 0,1,-3\n\t\t}\n\t}\n' % number
    )


ROTATION = '"Lcl Rotation", "Lcl Rotation", "", "A",0,0,90'
TILT = '"PreRotation", "Vector3D", "Vector", "",90,0,0'


class FbxEdges(ProcessTest):
    def world(self, name, node=0, **options):
        poses = self.run_json('poses', name, '--times', '0', **options)
        return [round(x, 6) for x in poses['clips'][0]['world'][0][node]]

    def rotation_of(self, *properties):
        objects = model(1, 'A', *properties)
        self.file('a.fbx', document(objects, [('OO', 1, 0)]))
        world = self.world('a.fbx')
        return world[0:3] + world[4:7] + world[8:11]

    def test_rotation_space_that_is_for_limits_only(self):
        about_z = [0, -1, 0, 1, 0, 0, 0, 0, 1]
        active = '"RotationActive", "bool", "", "",1'
        limit_only = '"RotationSpaceForLimitOnly", "bool", "", "",1'
        # x about by 90 degrees, after z.
        tilted = [0, -1, 0, 0, 0, -1, 1, 0, 0]
        self.assertEqual(self.rotation_of(ROTATION, TILT, active), tilted)
        self.assertEqual(self.rotation_of(ROTATION, TILT, active, limit_only), about_z)
        off = '"RotationActive", "bool", "", "",0'
        self.assertEqual(self.rotation_of(ROTATION, TILT, off), about_z)

    def test_rotation_space_for_limits_has_the_order_xyz(self):
        angles = '"Lcl Rotation", "Lcl Rotation", "", "A",90,90,0'
        order = '"RotationOrder", "enum", "", "",5'
        limit_only = '"RotationSpaceForLimitOnly", "bool", "", "",1'
        # About x, then y: y * x; with order z, y, x it is x * y.
        self.assertEqual(self.rotation_of(angles, order), [0, 0, 1, 1, 0, 0, 0, 1, 0])
        self.assertEqual(
            self.rotation_of(angles, order, limit_only), [0, 1, 0, 0, 0, -1, -1, 0, 0]
        )

    def test_spheric_order_is_read_with_a_warning(self):
        angles = '"Lcl Rotation", "Lcl Rotation", "", "A",90,90,0'
        spheric = self.rotation_of(angles, '"RotationOrder", "enum", "", "",6')
        self.assertEqual(spheric, [0, 1, 0, 0, 0, -1, -1, 0, 0])
        self.assertIn('spheric', self.run_clipmill('info', 'a.fbx').stdout)

    def test_one_mesh_of_several_nodes_and_nodes_without_names(self):
        anchor = '"Lcl Translation", "Lcl Translation", "", "A",%d,0,0'
        objects = triangle(9) + model(1, 'A', anchor % 5, kind='Mesh')
        objects += model(2, '', anchor % 7, kind='Mesh') + model(3, '', anchor % 1)
        self.file(
            'a.fbx',
            document(
                objects,
                [('OO', 1, 0), ('OO', 2, 0), ('OO', 3, 2), ('OO', 9, 1), ('OO', 9, 2)],
            ),
        )
        poses = self.run_json('poses', 'a.fbx', '--times', '0', '--vertices')
        self.assertEqual(poses['nodes'], ['A', '#1', '#1/#2'])
        self.assertEqual([w[3] for w in poses['clips'][0]['world'][0]], [5, 7, 8])
        shown = {m['mesh']: m['positions'][::3] for m in poses['clips'][0]['skinned']}
        self.assertEqual(shown, {'A': [5, 6, 5], '#1': [7, 8, 7]})
        self.run_clipmill('convert', 'a.fbx', '-o', 'b.glb')
        value, _, _ = glb.read(self.folder / 'b.glb')
        self.assertEqual(sum('mesh' in node for node in value['nodes']), 2)

    def test_stack_without_keys_is_a_clip_of_its_length(self):
        stack = (
            '\tAnimationStack: 20, "AnimStack::Still", "" {\n\t\tProperties70:  {\n'
            '\t\t\tP: "LocalStart", "KTime", "Time", "",%d\n'
            '\t\t\tP: "LocalStop", "KTime", "Time", "",%d\n\t\t}\n\t}\n' % (SECOND, 3 * SECOND)
        )
        layer = '\tAnimationLayer: 21, "AnimLayer::Base", "" {\n\t}\n'
        self.file(
            'a.fbx',
            document(model(1, 'A', ROTATION) + stack + layer, [('OO', 1, 0), ('OO', 21, 20)]),
        )
        clips = self.run_json('info', 'a.fbx', '--json')['clips']
        self.assertEqual([(c['name'], c['start_s'], c['end_s']) for c in clips], [('Still', 1, 3)])
        self.run_clipmill('trim', 'a.fbx', '-o', 'b.fbx', '--end-s', '0.5')
        clips = self.run_json('info', 'b.fbx', '--json')['clips']
        self.assertEqual([(c['start_s'], c['end_s']) for c in clips], [(1, 1.5)])

    def shape(self, full_weights, percent):
        objects = triangle(9) + model(1, 'A', kind='Mesh')
        objects += (
            '\tGeometry: 10, "Geometry::Up", "Shape" {\n\t\tVersion: 100\n'
            '\t\tIndexes: *2 {\n\t\t\ta: 0,2\n\t\t}\n'
            '\t\tVertices: *6 {\n\t\t\ta: 0,0,2,0,0,2\n\t\t}\n\t}\n'
            '\tDeformer: 11, "Deformer::", "BlendShape" {\n\t\tVersion: 100\n\t}\n'
            '\tDeformer: 12, "SubDeformer::Up", "BlendShapeChannel" {\n\t\tVersion: 100\n'
            '\t\tDeformPercent: %g\n\t\tFullWeights: *%d {\n\t\t\ta: %s\n\t\t}\n\t}\n'
            % (percent, len(full_weights), ','.join('%g' % w for w in full_weights))
        )
        connections = [('OO', 1, 0), ('OO', 9, 1), ('OO', 11, 9), ('OO', 12, 11), ('OO', 10, 12)]
        self.file('a.fbx', document(objects, connections))
        poses = self.run_json('poses', 'a.fbx', '--times', '0', '--vertices')
        return [round(z, 6) for z in poses['clips'][0]['skinned'][0]['positions'][2::3]]

    def test_weights_of_the_points_of_a_shape(self):
        # As Blender writes a vertex group: 25 % of 2 at point 0, all of it at point 2.
        self.assertEqual(self.shape([25, 100], 100), [0.5, 0, 2])
        self.assertEqual(self.shape([25, 100], 50), [0.25, 0, 1])
        # One number is the percentage at which the shape is whole.
        self.assertEqual(self.shape([50], 25), [1, 0, 1])

    def skinned(self, *members):
        objects = triangle(9) + model(1, 'M', kind='Mesh')
        objects += model(2, 'J', '"Lcl Translation", "Lcl Translation", "", "A",0,3,0')
        objects += (
            '\tDeformer: 11, "Deformer::", "Skin" {\n\t\tVersion: 101\n\t}\n'
            '\tDeformer: 12, "SubDeformer::", "Cluster" {\n\t\tVersion: 100\n'
            '\t\tIndexes: *3 {\n\t\t\ta: 0,1,2\n\t\t}\n\t\tWeights: *3 {\n\t\t\ta: 1,1,1\n\t\t}\n'
            '%s\t}\n' % ''.join(members)
        )
        connections = [
            ('OO', 1, 0), ('OO', 2, 0), ('OO', 9, 1), ('OO', 11, 9), ('OO', 12, 11), ('OO', 2, 12)
        ]
        data = document(objects, connections)
        self.file('a.fbx', data)
        self.run_clipmill('convert', 'a.fbx', '-o', 'same.fbx')
        self.assertEqual((self.folder / 'same.fbx').read_text(), data)
        poses = self.run_json('poses', 'a.fbx', '--times', '0', '--vertices')
        return poses['clips'][0]['skinned'][0]['positions'][1::3]

    def test_cluster_without_transform(self):
        def matrix(name, y):
            return (
                '\t\t%s: *16 {\n\t\t\ta: 1,0,0,0,0,1,0,0,0,0,1,0,0,%d,0,1\n\t\t}\n' % (name, y)
            )

        # Bound where it is: nothing moves. Bound 2 below the joint of today: all is 2 higher.
        self.assertEqual(self.skinned(), [0, 0, 1])
        self.assertEqual(self.skinned(matrix('TransformLink', 3)), [0, 0, 1])
        self.assertEqual(self.skinned(matrix('TransformLink', 1)), [2, 2, 3])
        self.assertEqual(
            self.skinned(matrix('Transform', -1), matrix('TransformLink', 1)), [2, 2, 3]
        )


def binary_elements(data, at, end, wide):
    """(start, end, end of values, name) of each element, the outer ones first."""
    word = 8 if wide else 4
    while at < end:
        head = struct.unpack_from('<QQQ' if wide else '<III', data, at)
        name_size = data[at + 3 * word]
        if head[0] == 0:
            return
        values = at + 3 * word + 1 + name_size
        name = data[values - name_size : values].decode()
        yield at, head[0], values + head[2], name
        yield from binary_elements(data, values + head[2], head[0], wide)
        at = head[0]


class ElementsWithoutEnd(ProcessTest):
    """Some writers leave 0 for the end of an element that has no others within it."""

    def setUp(self):
        super().setUp()
        self.file('in.glb', glb.swinging_chain())
        self.run_clipmill('convert', 'in.glb', '-o', 'whole.fbx')
        self.data = (self.folder / 'whole.fbx').read_bytes()
        wide = struct.unpack_from('<I', self.data, 23)[0] >= 7500
        leaves = [
            start
            for start, end, values_end, _ in binary_elements(self.data, 27, len(self.data), wide)
            if end == values_end
        ]
        self.assertGreater(len(leaves), 100)
        changed = bytearray(self.data)
        for start in leaves:
            changed[start : start + (8 if wide else 4)] = bytes(8 if wide else 4)
        self.file('a.fbx', bytes(changed))

    def test_they_are_read(self):
        poses = [
            self.run_json('poses', name, '--fractions', '0,0.3,1')
            for name in ('whole.fbx', 'a.fbx')
        ]
        self.assertEqual(poses[0], poses[1])

    def test_they_stay_as_they_are(self):
        self.run_clipmill('convert', 'a.fbx', '-o', 'same.fbx')
        self.assertEqual(
            (self.folder / 'same.fbx').read_bytes(), (self.folder / 'a.fbx').read_bytes()
        )

    def test_an_edit_is_the_same_edit(self):
        for name in ('whole', 'a'):
            self.run_clipmill('trim', name + '.fbx', '-o', name + '2.fbx', '--end-s', '0.5')
        poses = [
            self.run_json('poses', name, '--fractions', '0,0.3,1')
            for name in ('whole2.fbx', 'a2.fbx')
        ]
        self.assertEqual(poses[0], poses[1])

    def test_values_that_go_on_behind_the_file_are_refused(self):
        data = (self.folder / 'a.fbx').read_bytes()
        at = data.index(b'FBXVersion') - 1
        changed = bytearray(data)
        changed[at - 4 : at] = struct.pack('<I', 0x7FFFFFFF)
        self.file('b.fbx', bytes(changed))
        process = self.run_clipmill('info', 'b.fbx', exit_code=3)
        self.assertOneSentence(process.stderr, 'b.fbx')


if __name__ == '__main__':
    import unittest

    unittest.main()
