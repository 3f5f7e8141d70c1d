# SPDX-License-Identifier: MIT
"""Skins as points over time: of point caches, and of glTF files by the independent evaluator."""
import struct

import numpy

import corpus

# What a bake counts as moved: less nobody sees.
MOVED = 1e-5


def read_pc2(path):
    """Positions of a PC2 file, frames x vertices x 3."""
    data = path.read_bytes()
    assert data[:12] == b'POINTCACHE2\0', path
    version, points, start, step, frames = struct.unpack('<IIffI', data[12:32])
    assert (version, start, step) == (1, 0.0, 1.0), path
    return numpy.frombuffer(data, '<f4', offset=32).reshape(frames, points, 3).astype(float)


class GltfSkin:
    """The meshes of one node of a glTF file, primitives one after another."""

    def __init__(self, path):
        self.gltf = corpus.evaluator().Gltf(str(path))
        self.clips = {a['name']: a for a in self.gltf.json['animations']}

    def primitives(self, mesh=0):
        return self.gltf.json['meshes'][mesh]['primitives']

    def rest(self, mesh=0):
        """Positions in the mesh, vertices x 3."""
        parts = [self.gltf.accessor(p['attributes']['POSITION']) for p in self.primitives(mesh)]
        return numpy.concatenate(parts)

    def triangles(self, mesh=0):
        parts, first = [], 0
        for p in self.primitives(mesh):
            count = len(self.gltf.accessor(p['attributes']['POSITION']))
            parts.append(first + self.gltf.accessor(p['indices']).astype(int).reshape(-1, 3))
            first += count
        return numpy.concatenate(parts)

    def skinned_triangles(self):
        """Of all nodes with a skin, with vertices counted as in posed()."""
        parts, first = [], 0
        for node in self.gltf.nodes:
            if 'mesh' in node and 'skin' in node:
                parts.append(first + self.triangles(node['mesh']))
                first += len(self.rest(node['mesh']))
        return numpy.concatenate(parts)

    def strongest_joints(self, mesh=0):
        """Names of the nodes that move each vertex most."""
        (skin,) = {n['skin'] for n in self.gltf.nodes if n.get('mesh') == mesh}
        names = [self.gltf.nodes[j]['name'] for j in self.gltf.json['skins'][skin]['joints']]
        found = []
        for p in self.primitives(mesh):
            joints = self.gltf.accessor(p['attributes']['JOINTS_0']).astype(int)
            weights = self.gltf.accessor(p['attributes']['WEIGHTS_0'])
            found += [names[row[w.argmax()]] for row, w in zip(joints, weights)]
        return found

    def posed(self, clip, times):
        """All skinned vertices at rest and in a clip, and the node that moves each most: positions
        with as many rows as vertices, frames of such, names."""
        skinned = [n for n in self.gltf.nodes if 'mesh' in n and 'skin' in n]
        paths = {self.gltf.path(self.gltf.nodes.index(n)) for n in skinned}

        def at(pose):
            parts = self.gltf.vertices(pose, self.gltf.worlds(pose))
            return numpy.concatenate([positions for path, _, positions in parts if path in paths])

        names = [name for n in skinned for name in self.strongest_joints(n['mesh'])]
        poses = [self.gltf.sample(self.clips[clip], time) for time in times]
        return at({}), numpy.array([at(pose) for pose in poses]), numpy.array(names)

    def targets(self, mesh=0):
        return len(self.primitives(mesh)[0].get('targets', []))

    def weights_range(self, clip):
        """Least and largest key of all morph weights of a clip."""
        animation = self.clips[clip]
        keys = [
            self.gltf.accessor(animation['samplers'][channel['sampler']]['output'])
            for channel in animation['channels']
            if channel['target']['path'] == 'weights'
        ]
        return min(k.min() for k in keys), max(k.max() for k in keys)

    def positions(self, clip, times):
        """Morphed and skinned, in the file's world: frames x vertices x 3."""
        frames = []
        for time in times:
            pose = self.gltf.sample(self.clips[clip], time)
            parts = self.gltf.vertices(pose, self.gltf.worlds(pose))
            frames.append(numpy.concatenate([positions for _, _, positions in parts]))
        return numpy.array(frames)


def errors_mm(positions, wanted, plain):
    """(rms, largest) distance over the vertices that the bake moves: those that are elsewhere
    than plain skinning has them in any frame of any clip. Arguments: lists of frames x vertices x
    3 in metres, one a clip; results: one pair a clip."""
    moved = numpy.zeros(wanted[0].shape[1], bool)
    for a, b in zip(wanted, plain):
        moved |= abs(a - b).max(axis=(0, 2)) > MOVED
    results = []
    for a, b in zip(positions, wanted):
        squares = ((a - b)[:, moved] ** 2).sum(axis=2)
        results.append((1e3 * numpy.sqrt(squares.mean()), 1e3 * numpy.sqrt(squares.max())))
    return results


def same_vertices(rest, other_rest):
    """For each vertex of `other_rest` one of `rest` at the same position, and the largest gap."""
    nearest = numpy.empty(len(other_rest), int)
    gap = 0.0
    for v, position in enumerate(other_rest):
        squares = ((rest - position) ** 2).sum(axis=1)
        nearest[v] = squares.argmin()
        gap = max(gap, float(squares[nearest[v]]) ** 0.5)
    return nearest, gap


def accelerations(positions):
    """Lengths of the second differences, (frames - 2) x vertices."""
    return numpy.linalg.norm(positions[2:] - 2.0 * positions[1:-1] + positions[:-2], axis=2)


def widest_gap(positions, first):
    """Farthest that vertices are from those that `first` (of welded()) has them joined to."""
    return float(numpy.linalg.norm(positions - positions[:, first], axis=2).max())


def welded(rest):
    """For each vertex the first in the same position."""
    first = {}
    return numpy.array([first.setdefault(tuple(p), v) for v, p in enumerate(rest.tolist())])


def winding(points, positions, triangles):
    """Winding numbers of a surface about points (Van Oosterom and Strackee 1983)."""
    import numpy as np

    numbers = []
    for point in points:
        a, b, c = (positions[triangles[:, i]] - point for i in range(3))
        la, lb, lc = (np.linalg.norm(x, axis=1) for x in (a, b, c))
        above = np.einsum('ij,ij->i', a, np.cross(b, c))
        below = la * lb * lc
        for x, y, length in ((a, b, lc), (b, c, la), (c, a, lb)):
            below += np.einsum('ij,ij->i', x, y) * length
        numbers.append(2 * np.arctan2(above, below).sum() / (4 * np.pi))
    return np.array(numbers)


def within_others(positions, triangles, weld, depth):
    """The number of points of a welded surface that are within another part of it: so far under
    them is their own body and the other one."""
    import numpy as np

    corners = positions[triangles]
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(positions)
    for i in range(3):
        np.add.at(normals, weld[triangles[:, i]], faces)
    points = np.unique(weld)
    normals = normals[points]
    normals = normals / np.maximum(np.linalg.norm(normals, axis=1), 1e-30)[:, None]
    return int((winding(positions[points] - depth * normals, positions, triangles) > 1.5).sum())


def limb_triangles(skin, bones):
    """The triangles of the skin that follow `bones` most, with vertices in one position merged,
    and the rims of the open ends, each a closed loop of vertices."""
    joints = skin.strongest_joints()
    weld = welded(skin.rest())
    corners = weld[skin.triangles()]
    inside = numpy.array([all(joints[v] in bones for v in t) for t in corners])
    corners = corners[inside]
    edges = {(a, b) for t in corners for a, b in zip(t, numpy.roll(t, -1))}
    follows = {a: b for a, b in edges if (b, a) not in edges}
    rims = []
    while follows:
        rim = [next(iter(follows))]
        while rim[-1] in follows:
            rim.append(follows.pop(rim[-1]))
        rims.append(rim[:-1])
    return corners, rims


def limb_volume(positions, corners, rims):
    """Volume within the triangles and fans over the rims, from the mean of each."""
    a, b, c = (positions[corners[:, i]] - positions[corners[0, 0]] for i in range(3))
    volume = (a * numpy.cross(b, c)).sum() / 6.0
    for rim in rims:
        around = positions[rim] - positions[corners[0, 0]]
        middle = around.mean(axis=0)
        volume += (middle * numpy.cross(numpy.roll(around, -1, axis=0), around)).sum() / 6.0
    return volume


class Edges:
    """Strain and flips of the edges of a skin: triangles with vertices in one position at rest
    merged, each edge with the joint that moves its first vertex most."""

    FLIPPED_COSINE = -0.5

    def __init__(self, rest, triangles, names):
        corners = welded(rest)[triangles]
        self.opposite = {}
        for a, b, c in corners.tolist():
            if a != b and b != c and c != a:
                for one, other, third in ((a, b, c), (b, c, a), (c, a, b)):
                    ends = min(one, other), max(one, other)
                    self.opposite.setdefault(ends, []).append(third)
        self.ends = numpy.array(list(self.opposite))
        self.shared = numpy.array([(*e, *t) for e, t in self.opposite.items() if len(t) == 2])
        self.joint = numpy.unique(names, return_inverse=True)[1][self.ends[:, 0]]
        self.lengths = self.lengths_in(rest)
        self.flat = self.cosines(rest) > 0.0

    def lengths_in(self, positions):
        return numpy.linalg.norm(positions[self.ends[:, 0]] - positions[self.ends[:, 1]], axis=1)

    def cosines(self, positions):
        a, b, left, right = (positions[self.shared[:, i]] for i in range(4))
        n, m = numpy.cross(b - a, left - a), numpy.cross(right - a, b - a)
        product = numpy.linalg.norm(n, axis=1) * numpy.linalg.norm(m, axis=1)
        return (n * m).sum(axis=1) / numpy.maximum(product, 1e-30)

    def largest_strain(self, frames):
        """Root mean square of the strain of the edges of a joint, of the worst joint and frame."""
        largest = 0.0
        for positions in frames:
            changes = (self.lengths_in(positions) - self.lengths) ** 2
            sums = [numpy.bincount(self.joint, x) for x in (changes, self.lengths**2)]
            largest = max(largest, (sums[0] / numpy.maximum(sums[1], 1e-12)).max() ** 0.5)
        return largest

    def max_flipped(self, frames):
        """Edges that are nearly flat at rest and flipped in the worst frame."""
        return max(
            int(((self.cosines(positions) < self.FLIPPED_COSINE) & self.flat).sum())
            for positions in frames
        )
