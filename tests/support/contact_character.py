# SPDX-License-Identifier: MIT
"""A character whose thighs, legs and shoes are in contact or overlap, arms at its sides: a GLB.

The trunk and the legs are one surface; shoes and arms are surfaces of their own. In the clip
`Spread` the legs, the feet and the arms move apart."""
import math
import struct

import numpy

import glb

HALF = 16  # segments of half of the trunk
CROTCH = 8  # segments of the line between the legs
RADIUS = 0.1  # of a leg
TRUNK = (0.2, 0.13)  # half axes
FRAMES = 16
FPS = 30.0
JOINTS = [  # name, parent, position
    ('Hips', -1, (0.0, 0.95, 0.0)),
    ('Spine', 0, (0.0, 1.12, 0.0)),
    ('Chest', 1, (0.0, 1.28, 0.0)),
    ('LeftArm', 2, (0.245, 1.34, 0.0)),
    ('LeftForeArm', 3, (0.245, 1.03, 0.0)),
    ('RightArm', 2, (-0.245, 1.34, 0.0)),
    ('RightForeArm', 5, (-0.245, 1.03, 0.0)),
    ('LeftUpLeg', 0, (0.1, 0.86, 0.0)),
    ('LeftLeg', 7, (0.1, 0.47, 0.0)),
    ('LeftFoot', 8, (0.1, 0.1, 0.0)),
    ('RightUpLeg', 0, (-0.1, 0.86, 0.0)),
    ('RightLeg', 10, (-0.1, 0.47, 0.0)),
    ('RightFoot', 11, (-0.1, 0.1, 0.0)),
]
INDEX = {name: i for i, (name, _, _) in enumerate(JOINTS)}
POSITIONS = numpy.array([p for _, _, p in JOINTS])
SPREAD = {  # largest rotation about z and x, degrees
    'LeftUpLeg': (32.0, -20.0),
    'RightUpLeg': (-32.0, 20.0),
    'LeftLeg': (0.0, 35.0),
    'RightLeg': (0.0, 25.0),
    'LeftFoot': (10.0, 20.0),
    'LeftArm': (70.0, 0.0),
    'RightArm': (-70.0, 0.0),
    'LeftForeArm': (30.0, 0.0),
}


def smooth(t):
    t = min(max(t, 0.0), 1.0)
    return t * t * (3.0 - 2.0 * t)


class Builder:
    def __init__(self):
        self.positions, self.weights, self.limbs, self.triangles = [], [], [], []

    def vertex(self, position, weights, limb):
        self.positions.append(position)
        self.weights.append({INDEX[n]: w for n, w in weights.items() if w > 1e-6})
        self.limbs.append(limb)
        return len(self.positions) - 1

    def tube(self, rings, flip=False):
        for a, b in zip(rings, rings[1:]):
            for i in range(len(a)):
                k = (i + 1) % len(a)
                for t in ((a[i], b[i], b[k]), (a[i], b[k], a[k])):
                    self.triangles.append(t[::-1] if flip else t)

    def cap(self, ring, middle, flip=False):
        for i in range(len(ring)):
            t = (middle, ring[i], ring[(i + 1) % len(ring)])
            self.triangles.append(t[::-1] if flip else t)


def trunk_weights(y):
    if y < 1.12:
        w = smooth((y - 1.0) / 0.2)
        return {'Hips': 1.0 - w, 'Spine': w}
    w = smooth((y - 1.16) / 0.2)
    return {'Spine': 1.0 - w, 'Chest': w}


def leg_weights(y, side):
    if y > 0.65:
        w = smooth((0.95 - y) / 0.2)
        return {'Hips': 1.0 - w, side + 'UpLeg': w}
    if y > 0.28:
        w = smooth((0.57 - y) / 0.2)
        return {side + 'UpLeg': 1.0 - w, side + 'Leg': w}
    w = smooth((0.14 - y) / 0.08)
    return {side + 'Leg': 1.0 - w, side + 'Foot': w}


def build(overlap):
    """Both legs reach `overlap` metres beyond the plane of symmetry. Positions, joints and weights
    (each vertices x joints), triangles, the limb of each vertex."""
    made = Builder()
    a, b = TRUNK

    def half_ring(y, limb, weights):
        angles = [2.0 * math.pi * i / (2 * HALF) for i in range(2 * HALF)]
        return [
            made.vertex((a * math.sin(t), y, -b * math.cos(t)), weights(y), limb) for t in angles
        ]

    heights = [0.85 + 0.02 * k for k in range(31)]
    hip = half_ring(heights[0], 'trunk', lambda y: {'Hips': 1.0})
    for v in hip:  # both thighs take part
        x = made.positions[v][0]
        side = 'Left' if x >= 0.0 else 'Right'
        w = 0.5 * smooth(abs(x) / 0.1)
        made.weights[v] = {INDEX['Hips']: 1.0 - w, INDEX[side + 'UpLeg']: w}
    rings = [hip] + [half_ring(y, 'trunk', trunk_weights) for y in heights[1:]]
    for ring in rings:
        for v in ring:
            x, y, _ = made.positions[v]
            w = 0.5 * smooth((abs(x) - 0.1) / 0.1) * smooth((y - 1.2) / 0.12)
            if w > 0.0:
                arm = INDEX['LeftArm' if x > 0 else 'RightArm']
                made.weights[v] = {n: k * (1.0 - w) for n, k in made.weights[v].items()}
                made.weights[v][arm] = w
    made.tube(rings)
    top = made.vertex((0.0, heights[-1] + 0.03, 0.0), {'Chest': 1.0}, 'trunk')
    made.cap(rings[-1], top, flip=True)
    line = [
        made.vertex((0.0, 0.85, b - 2.0 * b * k / CROTCH), {'Hips': 1.0}, 'trunk')
        for k in range(1, CROTCH)
    ]
    for side, sign in (('Left', 1.0), ('Right', -1.0)):
        if sign > 0:
            first = hip[: HALF + 1] + line
        else:
            first = hip[HALF:] + [hip[0]] + line[::-1]
        outline = numpy.array([made.positions[v] for v in first])
        angles = numpy.arctan2(sign * (outline[:, 0] - sign * 0.1), -outline[:, 2])
        legs = [first]
        for k in range(1, 41):
            y = 0.85 - 0.02 * k
            t = smooth(k / 12.0)
            shift = -overlap * smooth(k / 6.0)
            ring = []
            for at, angle in zip(outline, angles):
                round_x = sign * (RADIUS + RADIUS * math.sin(angle))
                x = (1.0 - t) * at[0] + t * round_x + sign * shift
                z = (1.0 - t) * at[2] - t * RADIUS * math.cos(angle)
                ring.append(made.vertex((x, y, z), leg_weights(y, side), side + ' leg'))
            legs.append(ring)
        made.tube(legs, flip=True)
        end = made.vertex(
            (sign * (RADIUS - overlap), 0.03, 0.0), leg_weights(0.03, side), side + ' leg'
        )
        made.cap(legs[-1], end)
        add_shoe(made, side, sign, overlap)
        add_arm(made, side, sign)
    return made


def add_shoe(made, side, sign, overlap):
    rings = []
    for k in range(13):
        z = -0.12 + 0.03 * k
        rings.append([])
        for i in range(16):
            angle = 2.0 * math.pi * i / 16
            # Boxes with round corners, in contact along their inner sides.
            c, s = math.cos(angle), math.sin(angle)
            x = math.copysign(abs(c) ** 0.4, c) * 0.105 + 0.105 - overlap
            y = math.copysign(abs(s) ** 0.4, s) * 0.06 + 0.06
            rings[-1].append(
                made.vertex((sign * x, y, z), leg_weights(min(y, 0.12), side), side + ' leg')
            )
    flip = sign < 0
    made.tube(rings, flip=not flip)
    for ring, z, is_flipped in ((rings[0], -0.13, flip), (rings[-1], 0.25, not flip)):
        middle = made.vertex(
            (sign * (0.105 - overlap), 0.06, z), leg_weights(0.06, side), side + ' leg'
        )
        made.cap(ring, middle, flip=not is_flipped)


def add_arm(made, side, sign):
    rings = []
    for k in range(37):
        y = 1.42 - 0.02 * k
        if y > 1.2:
            w = 0.5 + 0.5 * smooth((1.4 - y) / 0.12)
            weights = {'Chest': 1.0 - w, side + 'Arm': w}
        else:
            w = smooth((1.11 - y) / 0.16)
            weights = {side + 'Arm': 1.0 - w, side + 'ForeArm': w}
        rings.append([])
        for i in range(16):
            angle = 2.0 * math.pi * i / 16
            x = 0.245 + 0.045 * math.cos(angle)
            rings[-1].append(
                made.vertex((sign * x, y, 0.045 * math.sin(angle)), weights, side + ' arm')
            )
    flip = sign > 0
    made.tube(rings, flip=flip)
    ends = ((rings[0], 1.44, {'Chest': 0.5, side + 'Arm': 0.5}), (rings[-1], 0.68, None))
    for number, (ring, y, weights) in enumerate(ends):
        middle = made.vertex(
            (sign * 0.245, y, 0.0), weights or {side + 'ForeArm': 1.0}, side + ' arm'
        )
        made.cap(ring, middle, flip=flip == (number == 0))


def rotation(z_deg, x_deg):
    z, x = math.radians(z_deg), math.radians(x_deg)
    about_z = numpy.array(
        [[math.cos(z), -math.sin(z), 0], [math.sin(z), math.cos(z), 0], [0, 0, 1]]
    )
    about_x = numpy.array(
        [[1, 0, 0], [0, math.cos(x), -math.sin(x)], [0, math.sin(x), math.cos(x)]]
    )
    return about_z @ about_x


def quaternion(z_deg, x_deg):
    z, x = math.radians(z_deg) / 2.0, math.radians(x_deg) / 2.0
    # about z times about x, as (x, y, z, w)
    return (
        math.cos(z) * math.sin(x),
        math.sin(z) * math.sin(x),
        math.sin(z) * math.cos(x),
        math.cos(z) * math.cos(x),
    )


def skinned(made):
    """Plain skinning by the definition: frames x vertices x 3."""
    rest = numpy.array(made.positions)
    weights = numpy.zeros((len(rest), len(JOINTS)))
    for v, of in enumerate(made.weights):
        for joint, weight in of.items():
            weights[v, joint] = weight
    weights /= weights.sum(axis=1, keepdims=True)
    frames = []
    for frame in range(FRAMES):
        share = frame / (FRAMES - 1)
        linear, origin = [], []
        for j, (name, parent, _) in enumerate(JOINTS):
            own = rotation(*(share * d for d in SPREAD.get(name, (0.0, 0.0))))
            if parent < 0:
                linear.append(own)
                origin.append(POSITIONS[j])
            else:
                linear.append(linear[parent] @ own)
                origin.append(
                    origin[parent] + linear[parent] @ (POSITIONS[j] - POSITIONS[parent])
                )
        moved = [
            (rest - POSITIONS[j]) @ linear[j].T + origin[j] for j in range(len(JOINTS))
        ]
        frames.append(numpy.einsum('vj,jvk->vk', weights, numpy.array(moved)))
    return numpy.array(frames)


def glb_of(made):
    positions = numpy.array(made.positions, '<f4')
    triangles = numpy.array(made.triangles, '<u4')
    corners = positions[triangles].astype(float)
    normals = numpy.zeros((len(positions), 3))
    face = numpy.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    for i in range(3):
        numpy.add.at(normals, triangles[:, i], face)
    normals /= numpy.maximum(numpy.linalg.norm(normals, axis=1, keepdims=True), 1e-12)
    joints = numpy.zeros((len(positions), 4), '<u2')
    weights = numpy.zeros((len(positions), 4), '<f4')
    for v, of in enumerate(made.weights):
        largest = sorted(of.items(), key=lambda item: -item[1])[:4]
        for k, (joint, weight) in enumerate(largest):
            joints[v, k], weights[v, k] = joint, weight
    weights /= weights.sum(axis=1, keepdims=True)
    binds = numpy.zeros((len(JOINTS), 16), '<f4')
    for j, position in enumerate(POSITIONS):
        matrix = numpy.eye(4)
        matrix[:3, 3] = -position
        binds[j] = matrix.T.reshape(16)
    times = numpy.arange(FRAMES, dtype='<f4') / FPS
    binary, views, accessors = b'', [], []

    def add(array, component, kind, bounds=False):
        nonlocal binary
        data = array.tobytes()
        views.append({'buffer': 0, 'byteOffset': len(binary), 'byteLength': len(data)})
        binary += data + b'\0' * (-len(data) % 4)
        accessor = {
            'bufferView': len(views) - 1,
            'componentType': component,
            'count': array.size if kind == 'SCALAR' else len(array),
            'type': kind,
        }
        if bounds:
            flat = array.reshape(accessor['count'], -1)
            accessor['min'] = [float(x) for x in flat.min(axis=0)]
            accessor['max'] = [float(x) for x in flat.max(axis=0)]
        accessors.append(accessor)
        return len(accessors) - 1

    primitive = {
        'attributes': {
            'POSITION': add(positions, 5126, 'VEC3', True),
            'NORMAL': add(normals.astype('<f4'), 5126, 'VEC3'),
            'JOINTS_0': add(joints, 5123, 'VEC4'),
            'WEIGHTS_0': add(weights, 5126, 'VEC4'),
        },
        'indices': add(triangles.reshape(-1), 5125, 'SCALAR'),
    }
    inverse_binds = add(binds, 5126, 'MAT4')
    time = add(times, 5126, 'SCALAR', True)
    samplers, channels = [], []
    for name, (z_deg, x_deg) in SPREAD.items():
        shares = [f / (FRAMES - 1) for f in range(FRAMES)]
        keys = numpy.array([quaternion(s * z_deg, s * x_deg) for s in shares], '<f4')
        samplers.append({'input': time, 'output': add(keys, 5126, 'VEC4')})
        channels.append(
            {
                'sampler': len(samplers) - 1,
                'target': {'node': INDEX[name], 'path': 'rotation'},
            }
        )
    nodes = []
    for name, parent, position in JOINTS:
        above = POSITIONS[parent] if parent >= 0 else numpy.zeros(3)
        offset = [float(x) for x in numpy.array(position) - above]
        node = {'name': name, 'translation': offset}
        below = [i for i, joint in enumerate(JOINTS) if joint[1] == INDEX[name]]
        if below:
            node['children'] = below
        nodes.append(node)
    nodes.append({'name': 'Body', 'mesh': 0, 'skin': 0})
    value = {
        'asset': {'version': '2.0'},
        'scene': 0,
        'scenes': [{'nodes': [0, len(nodes) - 1]}],
        'nodes': nodes,
        'meshes': [{'name': 'Body', 'primitives': [primitive]}],
        'skins': [{'joints': list(range(len(JOINTS))), 'inverseBindMatrices': inverse_binds}],
        'animations': [{'name': 'Spread', 'samplers': samplers, 'channels': channels}],
        'accessors': accessors,
        'bufferViews': views,
        'buffers': [{'byteLength': len(binary)}],
    }
    return glb.assemble(value, binary)


def gluing(made, plain, baked, near=0.03, opened=0.01):
    """(pairs of vertices of two limbs nearer than `near` at rest that skinning moves apart by more
    than `opened` in a frame, those of them that the bake moves apart by less than half as far);
    metres; the most of any frame."""
    rest = numpy.array(made.positions)
    limbs = numpy.array(made.limbs)
    pairs = []
    for limb in sorted(set(limbs) - {'trunk'}):
        own = numpy.flatnonzero(limbs == limb)
        others = numpy.flatnonzero(limbs != limb)
        # Where a limb joins the trunk it is connected to it.
        joint = {'leg': 0.62, 'arm': 1.15}[limb.split()[1]]
        own = own[rest[own, 1] < joint]
        others = others[rest[others, 1] < joint]
        for v in own:
            distance = numpy.linalg.norm(rest[others] - rest[v], axis=1)
            if len(distance) and distance.min() < near:
                pairs.append((v, others[distance.argmin()]))
    a, b = numpy.array(pairs).T

    def opening(frames):
        apart = numpy.linalg.norm(frames[:, a] - frames[:, b], axis=2)
        return apart - numpy.linalg.norm(rest[a] - rest[b], axis=1)

    wanted, found = opening(plain), opening(baked)
    is_open = wanted > opened
    is_glued = is_open & (found < 0.5 * wanted)
    return int(is_open.sum(axis=1).max()), int(is_glued.sum(axis=1).max())
