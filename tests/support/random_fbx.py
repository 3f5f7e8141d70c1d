# SPDX-License-Identifier: MIT
"""FBX files in text form whose nodes have everything that enters a transform, at random: orders,
pivots, offsets, pre- and post-rotation, inherit types, and what switches them off."""
import random

from text_fbx import SECOND, head

HEAD = head(
    '"TimeMode", "enum", "", "",6',
    '"TimeSpanStart", "KTime", "Time", "",0',
    '"TimeSpanStop", "KTime", "Time", "",%d',
)
FPS = 30
KEYS = 7


def text_of(value):
    return repr(value) if isinstance(value, float) else str(value)


class RandomFbx:
    """`spheric`: whether the spheric order is among the orders."""

    def __init__(self, seed, spheric=False, nodes=4):
        self.chance = random.Random(seed)
        self.orders = range(7 if spheric else 6)
        # What FBX2glTF gets right: it takes every scale of a node that skips that of its parent for
        # 1, and glTF has no other order than that of inherit type 1 for uneven scales.
        self.scales = self.chance.choice(('none', 'even', 'uneven'))
        self.objects, self.connections, self.number = [], [], 1000
        self.traits = []
        parent = 0
        self.stack()
        for index in range(nodes):
            number = self.next()
            self.node(number, 'Joint%d' % index, parent)
            # A chain, with a branch now and then.
            parent = number if self.chance.random() < 0.8 or parent == 0 else parent

    def next(self):
        self.number += 1
        return self.number

    def vector(self, size):
        return [round(self.chance.uniform(-size, size), 3) for _ in range(3)]

    def stack(self):
        stack, self.layer = self.next(), self.next()
        stop = (KEYS - 1) * SECOND // FPS
        self.objects.append(
            '\tAnimationStack: %d, "AnimStack::Clip", "" {\n\t\tProperties70:  {\n'
            '\t\t\tP: "LocalStop", "KTime", "Time", "",%d\n'
            '\t\t\tP: "ReferenceStop", "KTime", "Time", "",%d\n\t\t}\n\t}\n' % (stack, stop, stop)
        )
        self.objects.append('\tAnimationLayer: %d, "AnimLayer::Base", "" {\n\t}\n' % self.layer)
        self.connections.append('"OO",%d,%d' % (self.layer, stack))

    def properties(self):
        c = self.chance
        found = {'Lcl Translation': self.vector(20), 'Lcl Rotation': self.vector(170)}
        for name, size in (('PreRotation', 90), ('PostRotation', 90), ('RotationPivot', 10),
                           ('RotationOffset', 10), ('ScalingPivot', 10), ('ScalingOffset', 10)):
            if c.random() < 0.5:
                found[name] = self.vector(size)
        if self.scales != 'none' and c.random() < 0.5:
            scales = [round(c.uniform(0.5, 2), 3) for _ in range(3)]
            found['Lcl Scaling'] = scales if self.scales == 'uneven' else scales[:1] * 3
        found['RotationOrder'] = c.choice(self.orders)
        types = {'none': (0, 1, 2), 'even': (0, 1), 'uneven': (1,)}
        found['InheritType'] = c.choice(types[self.scales])
        found['RotationActive'] = int(c.random() < 0.8)
        found['RotationSpaceForLimitOnly'] = int(c.random() < 0.2)
        return found

    def line(self, name, value):
        kinds = {'Lcl Translation': '"Lcl Translation", "", "A+"', 'InheritType': '"enum", "", ""',
                 'Lcl Rotation': '"Lcl Rotation", "", "A+"', 'RotationOrder': '"enum", "", ""',
                 'Lcl Scaling': '"Lcl Scaling", "", "A+"', 'RotationActive': '"bool", "", ""',
                 'RotationSpaceForLimitOnly': '"bool", "", ""'}
        values = value if isinstance(value, list) else [value]
        kind = kinds.get(name, '"Vector3D", "Vector", ""')
        return '\t\t\tP: "%s", %s,%s\n' % (name, kind, ','.join(map(text_of, values)))

    def node(self, number, name, parent):
        properties = self.properties()
        self.traits.append({'name': name, **properties})
        lines = ''.join(self.line(k, v) for k, v in properties.items())
        self.objects.append(
            '\tModel: %d, "Model::%s", "Null" {\n\t\tVersion: 232\n\t\tProperties70:  {\n%s\t\t}\n'
            '\t\tShading: Y\n\t\tCulling: "CullingOff"\n\t}\n' % (number, name, lines)
        )
        self.connections.append('"OO",%d,%d' % (number, parent))
        for path, letter, size in (('Lcl Translation', 'T', 20), ('Lcl Rotation', 'R', 170)):
            if self.chance.random() < 0.7:
                self.curves(number, path, letter, properties[path], size)

    def curves(self, number, path, letter, rest, size):
        curve_node = self.next()
        lines = ''.join(
            '\t\t\tP: "d|%s", "Number", "", "A",%r\n' % (axis, x) for axis, x in zip('XYZ', rest)
        )
        self.objects.append(
            '\tAnimationCurveNode: %d, "AnimCurveNode::%s", "" {\n\t\tProperties70:  {\n%s\t\t}\n'
            '\t}\n' % (curve_node, letter, lines)
        )
        self.connections.append('"OO",%d,%d' % (curve_node, self.layer))
        self.connections.append('"OP",%d,%d, "%s"' % (curve_node, number, path))
        for axis, start in zip('XYZ', rest):
            if self.chance.random() < 0.8:
                self.curve(curve_node, axis, start, size)

    def curve(self, curve_node, axis, start, size):
        curve = self.next()
        times = [k * SECOND // FPS for k in range(KEYS)]
        values = [round(start + self.chance.uniform(-size, size) / 4, 3) for _ in times]
        data = (('KeyTime', times), ('KeyValueFloat', values), ('KeyAttrFlags', [4]),
                ('KeyAttrDataFloat', [0, 0, 0, 0]), ('KeyAttrRefCount', [len(times)]))
        lines = ''.join(
            '\t\t%s: *%d {\n\t\t\ta: %s\n\t\t}\n' % (name, len(v), ','.join(map(text_of, v)))
            for name, v in data
        )
        self.objects.append(
            '\tAnimationCurve: %d, "AnimCurve::", "" {\n\t\tDefault: %r\n\t\tKeyVer: 4008\n%s\t}\n'
            % (curve, start, lines)
        )
        self.connections.append('"OP",%d,%d, "d|%s"' % (curve, curve_node, axis))

    def definitions(self):
        # Autodesk's library reads no object of a type that is not counted here.
        kinds = [o.split(':')[0].strip() for o in self.objects]
        lines = ''.join(
            '\tObjectType: "%s" {\n\t\tCount: %d\n\t}\n' % (kind, kinds.count(kind))
            for kind in sorted(set(kinds))
        )
        return 'Definitions:  {\n\tVersion: 100\n\tCount: %d\n%s}\n' % (len(kinds), lines)

    def text(self):
        lines = ''.join('\tC: %s\n' % c for c in self.connections)
        return (
            HEAD % ((KEYS - 1) * SECOND // FPS)
            + self.definitions()
            + 'Objects:  {\n' + ''.join(self.objects) + '}\n'
            + 'Connections:  {\n' + lines + '}\n'
        )
