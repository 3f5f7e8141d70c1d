# SPDX-License-Identifier: MIT
"""Every real FBX file in other formats: the same poses and vertices, at any time."""
import collections
import re
import unittest

import corpus
from clipmill_process import ProcessTest

FRACTIONS = corpus.FRACTIONS + ',.0123,.1931,.3333,.4142,.5772,.7071,.9871,.99951'
TOLERANCE = 1e-4
# The warning where a pose could not be kept.
SHEARED = 'that only a shear could express'
# Where children skip the uneven scale of a node, a helper below the node has its scale.
HELPER = re.compile(r'([^/]+)/\1_scale(?=/|$)')


def without_helper(path):
    return HELPER.sub(r'\1', path)


def unit_of(worlds):
    """The length of the axes of roots: formats differ in the units that they keep."""
    import numpy

    lengths = numpy.linalg.norm(worlds[..., :3], axis=-2)
    return float(numpy.median(lengths))


def pairs_of(before, after):
    """Nodes by path; nodes that share a path in their order. A helper represents its node."""
    indices_of = collections.defaultdict(list)
    for index, name in enumerate(after):
        if without_helper(name) != name and name.endswith('_scale'):
            indices_of[without_helper(name)].pop()
        indices_of[without_helper(name)].append(index)
    return [(index, indices_of[name].pop(0)) for index, name in enumerate(before)]


def world_error(before, after, pairs):
    """(largest error, size): positions relative to the size, axes relative to their unit."""
    import numpy

    a, b = (
        numpy.array(clip['world'], float).reshape(len(clip['times']), -1, 3, 4)
        for clip in (before, after)
    )
    a, b = a[:, [i for i, _ in pairs]], b[:, [j for _, j in pairs]]
    positions = a[..., 3].reshape(-1, 3)
    size = max(float(numpy.ptp(positions, axis=0).max()), 1e-3)
    axes = abs(a[..., :3] / unit_of(a) - b[..., :3] / unit_of(b))
    largest = numpy.maximum(1.0, abs(a[..., :3] / unit_of(a)).max(axis=(2, 3), keepdims=True))
    return max(float(abs(a - b)[..., 3].max()) / size, float((axes / largest).max())), size


def points_of(clip):
    """{(mesh, number of the time): points}."""
    import numpy

    points = collections.defaultdict(list)
    for mesh in clip['skinned']:
        nearest = int(numpy.argmin(abs(numpy.array(clip['times']) - mesh['time'])))
        key = without_helper(mesh['mesh']), nearest
        points[key].append(numpy.array(mesh['positions'], float).reshape(-1, 3))
    return {key: numpy.concatenate(parts) for key, parts in points.items()}


def vertex_error(before, after, size):
    """Largest distance from a point of the one to the nearest of the other, in both directions."""
    import numpy

    a, b = points_of(before), points_of(after)
    assert sorted(a) == sorted(b), 'other meshes'
    worst = 0.0
    for key in a:
        for p, q in ((a[key], b[key]), (b[key], a[key])):
            for at in range(0, len(p), 256):
                squares = ((p[at : at + 256, None] - q[None]) ** 2).sum(-1)
                worst = max(worst, float(numpy.sqrt(squares.min(1)).max()))
    return worst / size


class Conversions(ProcessTest):
    def poses(self, path):
        return self.run_json(
            'poses', path, '--fractions', FRACTIONS, '--space', 'metric', '--vertices',
            '--max-vertices', 2000, '--json',
        )

    def convert(self, path, name):
        """(the new file, whether a shear was dropped)"""
        process = self.run_clipmill('convert', path, '-o', name)
        return self.folder / name, SHEARED in process.stderr

    def errors_of(self, before, after):
        self.assertEqual(len(before['clips']), len(after['clips']))
        pairs = pairs_of(before['nodes'], after['nodes'])
        world = vertex = 0.0
        for a, b in zip(before['clips'], after['clips']):
            error, size = world_error(a, b, pairs)
            world = max(world, error)
            vertex = max(vertex, vertex_error(a, b, size))
        return world, vertex

    def test_glb_and_back_keep_every_pose(self):
        compared, sheared, worst = 0, 0, collections.Counter()
        for path in corpus.fbx_files():
            with self.subTest(path.name):
                before = self.poses(path)
                glb, is_sheared = self.convert(path, 'out.glb')
                if is_sheared:
                    sheared += 1
                    continue
                fbx, _ = self.convert(glb, 'back.fbx')
                for output in (glb, fbx):
                    world, vertex = self.errors_of(before, self.poses(output))
                    self.assertLess(world, TOLERANCE, output.name)
                    self.assertLess(vertex, TOLERANCE, output.name)
                    kind = output.suffix
                    worst[kind, 'world'] = max(worst[kind, 'world'], world)
                    worst[kind, 'vertex'] = max(worst[kind, 'vertex'], vertex)
                compared += 1
        print(compared, 'files,', sheared, 'sheared,', dict(worst))
        self.assertGreaterEqual(compared, 50)
        self.assertEqual(sheared, 0)


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
