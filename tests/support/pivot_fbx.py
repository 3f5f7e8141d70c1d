# SPDX-License-Identifier: MIT
"""A walk of a sample as an FBX text of another exporter's habits: centimetres, z up, rotations
before and after, pivots and offsets, every joint of inherit type Rrs below hips that are scaled.
And an evaluator of such files by numpy; neither shares code with the program under test."""
import math

import numpy as np

import fbx_tree
import pose_evaluator as evaluator
from joint_paths import GltfPaths

TICKS = 46186158000
HIPS_SCALE = 1.25
RRS = 2


def euler(angles):
    x, y, z = (evaluator.about(axis, angle) for axis, angle in enumerate(angles))
    return z @ y @ x


def angles_of(matrix):
    """Degrees about x, y, z, in that order, of a rotation."""
    y = math.asin(max(-1.0, min(1.0, -matrix[2, 0])))
    x = math.atan2(matrix[2, 1], matrix[2, 2])
    z = math.atan2(matrix[1, 0], matrix[0, 0])
    return np.degrees([x, y, z])


def unwrapped(rows):
    return np.degrees(np.unwrap(np.radians(rows), axis=0))


class Joint:
    """`translations` and `rotations`: rows of Lcl values at the times of the clip."""

    def __init__(self, name, parent, number):
        k = number % 5
        self.name, self.parent = name, parent
        self.properties = {
            'PreRotation': (10 * k, -15 + 4 * k, 20 - 7 * k),
            'PostRotation': (5 * k, 3, -4 * k),
            'RotationPivot': (1 + k, -2, 0.5 * k),
            'RotationOffset': (-1, 0.5 * k, 2),
        }
        self.scale = HIPS_SCALE if name == 'Hips' else 1.0

    def set_locals(self, rest_cm, locals_cm):
        self.rest = [rows[0] for rows in self.values(rest_cm[None])]
        self.translations, self.rotations = self.values(locals_cm)

    def values(self, locals_cm):
        """Rows of Lcl Translation and Lcl Rotation of local matrices."""
        pre, post = euler(self.properties['PreRotation']), euler(self.properties['PostRotation'])
        pivot, offset = (
            np.array(self.properties[p], float) for p in ('RotationPivot', 'RotationOffset')
        )
        rotations, translations = [], []
        for local in locals_cm:
            rotation = np.eye(4)
            rotation[:3, :3] = local[:3, :3]
            rotations.append(angles_of(np.linalg.inv(pre) @ rotation @ post))
            translations.append(local[:3, 3] - offset - pivot + rotation[:3, :3] @ pivot)
        return np.array(translations), unwrapped(np.array(rotations))


def joints_of(path, clip, times, keep):
    """The named joints of a glTF file and those above them, as joints of the FBX file."""
    file = GltfPaths(path)
    worlds = file.worlds(clip, times, [file.names.index(name) for name in keep])
    order = sorted(worlds, key=lambda n: len(file.file.path(n).split('/')))
    z_up = evaluator.about(0, 90)
    joints = []
    for number, node in enumerate(order):
        parent = file.file.parent[node]
        joint = Joint(file.names[node], order.index(parent) if parent >= 0 else -1, number)
        joint.hangs_on_hips = parent >= 0 and file.names[parent] == 'Hips'
        above = worlds[parent] if parent >= 0 else np.tile(np.linalg.inv(z_up), (len(times), 1, 1))
        local = np.linalg.inv(above) @ worlds[node]
        rest = (np.eye(4) if parent >= 0 else z_up) @ file.file.local(node, {})
        for matrices in (rest, local):
            matrices[..., :3, 3] *= 100 / (HIPS_SCALE if joint.hangs_on_hips else 1)
        joint.set_locals(rest, local)
        joints.append(joint)
    return joints


def numbers(values):
    values = [float(v) for v in np.atleast_1d(values)]
    return f'*{len(values)} {{ a: {",".join("%.17g" % v for v in values)} }}'


def write(path, joints, times):
    objects, links = [], []
    for i, joint in enumerate(joints):
        lines = ['P: "RotationActive", "bool", "", "",1', f'P: "InheritType", "enum", "", "",{RRS}']
        values = dict(joint.properties)
        values['Lcl Translation'], values['Lcl Rotation'] = joint.rest
        values['Lcl Scaling'] = (joint.scale,) * 3
        for name, v in values.items():
            kind = name if name.startswith('Lcl') else 'Vector3D'
            lines.append(f'P: "{name}", "{kind}", "", "A",{v[0]:.17g},{v[1]:.17g},{v[2]:.17g}')
        objects.append(
            f'Model: {100 + i}, "Model::{joint.name}", "LimbNode" {{\nVersion: 232\n'
            'Properties70: {\n' + '\n'.join(lines) + '\n}\n}'
        )
        links.append(f'C: "OO",{100 + i},{100 + joint.parent if joint.parent >= 0 else 0}')
    end = round(times[-1] * TICKS)
    objects.append(
        'AnimationStack: 90, "AnimStack::Walk", "" {\nProperties70: {\n'
        f'P: "LocalStop", "KTime", "Time", "",{end}\n}}\n}}'
    )
    objects.append('AnimationLayer: 91, "AnimLayer::Base", "" {\n}')
    links.append('C: "OO",91,90')
    ticks = ','.join(str(round(t * TICKS)) for t in times)
    for i, joint in enumerate(joints):
        for n, (name, rows) in enumerate(
            (('Lcl Translation', joint.translations), ('Lcl Rotation', joint.rotations))
        ):
            node = 1000 + 20 * i + 10 * n
            objects.append(f'AnimationCurveNode: {node}, "AnimCurveNode::{name[4]}", "" {{\n}}')
            links += [f'C: "OO",{node},91', f'C: "OP",{node},{100 + i}, "{name}"']
            for k in range(3):
                objects.append(
                    f'AnimationCurve: {node + k + 1}, "AnimCurve::", "" {{\nDefault: 0\n'
                    f'KeyVer: 4008\nKeyTime: *{len(times)} {{ a: {ticks} }}\n'
                    f'KeyValueFloat: {numbers(rows[:, k])}\nKeyAttrFlags: *1 {{ a: 4 }}\n'
                    'KeyAttrDataFloat: *4 { a: 0,0,0,0 }\n'
                    f'KeyAttrRefCount: *1 {{ a: {len(times)} }}\n}}'
                )
                links.append(f'C: "OP",{node + k + 1},{node}, "d|{"XYZ"[k]}"')
    axes = {'UpAxis': 2, 'UpAxisSign': 1, 'FrontAxis': 1, 'FrontAxisSign': -1, 'CoordAxis': 0}
    lines = [f'P: "{k}", "int", "Integer", "",{v}' for k, v in axes.items()]
    lines += ['P: "CoordAxisSign", "int", "Integer", "",1']
    lines += ['P: "UnitScaleFactor", "double", "Number", "",1']
    path.write_text(
        '; FBX 7.4.0 project file\nFBXHeaderExtension: {\nFBXHeaderVersion: 1003\n'
        'FBXVersion: 7400\n}\nGlobalSettings: {\nVersion: 1000\nProperties70: {\n'
        + '\n'.join(lines) + '\n}\n}\nObjects: {\n' + '\n'.join(objects)
        + '\n}\nConnections: {\n' + '\n'.join(links) + '\n}\n'
    )  # fmt: skip


class PivotFbx:
    """Positions of the joints of such a file. Keys are linear."""

    def __init__(self, path):
        root = fbx_tree.read(path)
        objects = root.first('Objects')
        self.models, curves, nodes = {}, {}, {}
        for model in objects.all('Model'):
            properties = {p.values[0]: p.values[4:] for p in model.first('Properties70').children}
            self.models[model.values[0]] = [str(model.values[1]), properties, 0, {}]
        for curve in objects.all('AnimationCurve'):
            flags = np.atleast_1d(curve.first('KeyAttrFlags').values[0])
            assert all(int(f) & 4 for f in flags), 'a key is not linear'
            times = np.array(curve.first('KeyTime').values[0], float) / TICKS
            curves[curve.values[0]] = times, np.array(curve.first('KeyValueFloat').values[0], float)
        for node in objects.all('AnimationCurveNode'):
            nodes[node.values[0]] = {}
        for link in root.first('Connections').all('C'):
            kind, child, parent, *prop = link.values
            if child in curves and parent in nodes:
                nodes[parent]['XYZ'.index(prop[0][-1])] = curves[child]
            elif child in self.models and parent in self.models:
                self.models[child][2] = parent
        for link in root.first('Connections').all('C'):
            kind, child, parent, *prop = link.values
            if child in nodes and parent in self.models and prop:
                self.models[parent][3][prop[0]] = nodes[child]

    def id_of(self, name):
        names = {m[0].split('::')[-1].split('\0')[0]: i for i, m in self.models.items()}
        return names[name]

    def value(self, model, name, time):
        values = list(map(float, model[1].get(name, (0, 0, 0))))
        for axis, (times, keys) in model[3].get(name, {}).items():
            values[axis] = np.interp(time, times, keys)
        return values

    def world(self, node, time):
        """(matrix with scale, matrix for children whose inherit type is Rrs)."""
        model = self.models[node]
        assert int(model[1]['InheritType'][0]) == RRS
        parts = [self.value(model, 'Lcl ' + p, time) for p in ('Translation', 'Rotation')]
        local = evaluator.fbx_local(model[1], *parts, (1, 1, 1))
        scale = evaluator.scaled(list(map(float, model[1]['Lcl Scaling'])))
        if not model[2]:
            return local @ scale
        # Position in the axes and scale of the parent; rotation without its scale.
        parent = self.world(model[2], time)
        result = parent @ local
        axes = parent[:3, :3] / np.linalg.norm(parent[:3, :3], axis=0)
        result[:3, :3] = axes @ local[:3, :3]
        return result @ scale

    def positions_m(self, name, times):
        """Metres, y up."""
        node = self.id_of(name)
        z_up = np.array([self.world(node, t)[:3, 3] for t in times]) / 100
        return z_up[:, [0, 2, 1]] * [1, 1, -1]
