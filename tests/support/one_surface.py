# SPDX-License-Identifier: MIT
"""A character whose skin is one closed surface from head to toes, on the skeleton of a sample: a
GLB. The skin is a level set of rounded limbs, meshed by surface nets; a vertex takes weights of
the bones that are near it, relative to the radius of each."""
import numpy

import gltf_edit

CELL_M = 0.014
BLEND_M = 0.03  # within the trunk, and of limbs with it
LIMB_BLEND_M = 0.006  # of parts of a limb
FALLOFF = 5  # power of the relative distance
WEIGHT_PASSES = 6
LIMBS = (  # joint, start, end, radius at both: joints or metres up, to the left and to the front
    ('Hips', (0.07, 0.96, 0.0), (0.05, 1.05, 0.0), 0.105, 0.1),
    ('Spine', (0.045, 1.06, 0.0), (0.045, 1.16, 0.0), 0.095, 0.095),
    ('Spine1', (0.045, 1.18, 0.0), (0.055, 1.28, 0.0), 0.095, 0.1),
    ('Spine2', (0.06, 1.3, 0.0), (0.07, 1.4, -0.005), 0.105, 0.09),
    ('Neck', (0.0, 1.47, -0.015), (0.0, 1.57, -0.005), 0.058, 0.054),
    ('Head', (0.0, 1.66, 0.005), (0.0, 1.71, 0.0), 0.08, 0.09),
    ('LeftShoulder', 'LeftShoulder', 'LeftArm', 0.05, 0.055),
    ('LeftArm', 'LeftArm', 'LeftForeArm', 0.055, 0.042),
    ('LeftForeArm', 'LeftForeArm', 'LeftHand', 0.042, 0.03),
    ('LeftHand', 'LeftHand', 0.15, 0.032, 0.026),
    ('LeftUpLeg', 'LeftUpLeg', 'LeftLeg', 0.088, 0.058),
    ('LeftLeg', 'LeftLeg', 'LeftFoot', 0.056, 0.042),
    ('LeftFoot', 'LeftFoot', 'LeftToeBase', 0.045, 0.038),
    ('LeftToeBase', 'LeftToeBase', 0.06, 0.036, 0.03),
)
TRUNK = ('Hips', 'Spine', 'Spine1', 'Spine2', 'Neck', 'Head')


def segments(rig):
    """{joint: (start, end, radius at start, radius at end)} of the left half."""
    made = {}
    for joint, start, end, first, last in LIMBS:
        a = rig.positions[start] if isinstance(start, str) else numpy.array(start)
        if isinstance(end, float):  # on from the bone above
            above = rig.positions[rig.parents[joint]]
            end = a + end * (a - above) / numpy.linalg.norm(a - above)
        b = rig.positions[end] if isinstance(end, str) else numpy.array(end)
        made[joint] = (a, b, first, last)
    return made


def relative(points, segment):
    """(distance from the axis of a segment, radius there) of each point."""
    a, b, first, last = segment
    along = numpy.clip((points - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
    distance = numpy.linalg.norm(points - a - along[..., None] * (b - a), axis=-1)
    return distance, first + (last - first) * along


def flattened(points, segment):
    """Points between a segment of the trunk and its mirror image are moved beside it, so that the
    trunk has the same thickness there."""
    beside = numpy.maximum(points[..., 0], segment[0][0])
    return numpy.concatenate([beside[..., None], points[..., 1:]], axis=-1)


def smooth_minimum(a, b, width):
    h = numpy.clip(0.5 + 0.5 * (b - a) / width, 0.0, 1.0)
    return b + h * (a - b) - width * h * (1.0 - h)


def field(points, limbs):
    """Signed distance, roughly, of points mirrored to the left half [m]."""
    trunk, rest = numpy.full((2, *points.shape[:-1]), 1.0)
    for joint, segment in limbs.items():
        at = abs(points) * (1.0, 0.0, 0.0) + points * (0.0, 1.0, 1.0)
        if joint in TRUNK:
            distance, radius = relative(flattened(at, segment), segment)
            trunk = smooth_minimum(trunk, distance - radius, BLEND_M)
        else:
            distance, radius = relative(at, segment)
            rest = smooth_minimum(rest, distance - radius, LIMB_BLEND_M)
    return smooth_minimum(trunk, rest, BLEND_M)


def surface_nets(values, low, cell):
    """(vertices, triangles) of the level 0 of samples on a grid."""
    inside = values < 0.0
    corners = [(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    shape = numpy.array(values.shape) - 1

    def at(array, corner):
        return array[tuple(slice(c, c + s) for c, s in zip(corner, shape))]

    count = sum(at(inside, c).astype(int) for c in corners)
    is_mixed = (count > 0) & (count < 8)
    total, crossings = numpy.zeros((*shape, 3)), numpy.zeros(shape)
    for axis in range(3):
        step = numpy.eye(3, dtype=int)[axis]
        for corner in corners:
            if corner[axis]:
                continue
            a, b = at(values, corner), at(values, tuple(corner + step))
            is_crossed = (a < 0.0) != (b < 0.0)
            share = numpy.where(is_crossed, a / numpy.where(is_crossed, a - b, 1.0), 0.0)
            point = numpy.array(corner) + share[..., None] * step
            total += numpy.where(is_crossed[..., None], point, 0.0)
            crossings += is_crossed
    number = numpy.full(shape, -1)
    number[is_mixed] = numpy.arange(is_mixed.sum())
    cells = numpy.argwhere(is_mixed)
    vertices = low + cell * (cells + total[is_mixed] / crossings[is_mixed][:, None])
    triangles = []
    for axis in range(3):
        step = numpy.eye(3, dtype=int)[axis]
        u, v = numpy.eye(3, dtype=int)[(axis + 1) % 3], numpy.eye(3, dtype=int)[(axis + 2) % 3]
        first = inside[tuple(slice(0, s) for s in shape)]
        second = inside[tuple(slice(d, d + s) for d, s in zip(step, shape))]
        for edge in numpy.argwhere(first != second):
            ring = [number[tuple(edge - d)] for d in (u * 0, u, u + v, v)]
            if not first[tuple(edge)]:
                ring = ring[::-1]
            triangles += [(ring[0], ring[1], ring[2]), (ring[0], ring[2], ring[3])]
    return vertices, numpy.array(triangles)


def averaged(values, triangles, passes):
    """Values of vertices after passes of averages with their neighbours."""
    edges = numpy.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    degree = numpy.bincount(edges[:, 0], minlength=len(values))
    for _ in range(passes):
        total = numpy.zeros_like(values)
        numpy.add.at(total, edges[:, 0], values[edges[:, 1]])
        values = 0.5 * (values + total / degree[:, None])
    return values


def weights_of(vertices, triangles, rig, limbs):
    weights = numpy.zeros((len(vertices), len(rig.joints)))
    for joint, segment in limbs.items():
        for sign in (1.0, -1.0):
            if joint in TRUNK and sign < 0.0:
                continue
            at = vertices * (sign, 1.0, 1.0)
            if joint in TRUNK:
                at = flattened(abs(at) * (1.0, 0.0, 0.0) + at * (0.0, 1.0, 1.0), segment)
            distance, radius = relative(at, segment)
            name = joint if sign > 0.0 else joint.replace('Left', 'Right')
            share = (distance / radius) ** -FALLOFF
            if joint not in TRUNK:
                share[at[:, 0] < 0.0] = 0.0
            weights[:, rig.joints.index(name)] = share
    weights /= weights.sum(axis=1, keepdims=True)
    return averaged(weights, triangles, WEIGHT_PASSES)


def build(sample):
    """A Document with the skeleton of a sample, without its clips, and a skin of one surface."""
    document = gltf_edit.Document(sample)
    rig = document.rig()
    limbs = segments(rig)
    low, high = numpy.array([-0.9, -0.1, -0.25]), numpy.array([0.9, 1.9, 0.35])
    # Half a cell beside the plane of symmetry, so that both halves have the same cells.
    low[0] = -CELL_M * (round(0.9 / CELL_M) + 0.5)
    axes = [numpy.arange(a, b, CELL_M) for a, b in zip(low, high)]
    values = field(numpy.stack(numpy.meshgrid(*axes, indexing='ij'), axis=-1), limbs)
    vertices, triangles = surface_nets(values, low, CELL_M)
    vertices = averaged(vertices, triangles, 2)
    weights = weights_of(vertices, triangles, rig, limbs)
    document.set_skin(vertices, triangles, weights)
    return document
