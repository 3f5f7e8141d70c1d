# SPDX-License-Identifier: MIT
"""Tangents of a mesh with a mirrored texture, between glTF and FBX as Blender writes both."""
import pathlib
import subprocess
import unittest

import numpy as np
import pose_evaluator
from clipmill_process import ProcessTest

HERE = pathlib.Path(__file__).resolve().parent


def tangents_of(path):
    """{(position, side): tangent} of a GLB with one mesh, in the world."""
    file = pose_evaluator._Gltf(path)
    worlds = file.worlds({'channels': []}, 0)
    (index,) = (n for n, node in enumerate(file.nodes) if 'mesh' in node)
    world, found = np.array(worlds[index]), {}
    for primitive in file.json['meshes'][file.nodes[index]['mesh']]['primitives']:
        attributes = primitive['attributes']
        points = file.accessor(attributes['POSITION'])
        for point, tangent in zip(points, file.accessor(attributes['TANGENT'])):
            position = world[:3, :3] @ point + world[:3, 3]
            direction = world[:3, :3] @ tangent[:3]
            key = tuple(round(float(x), 3) + 0.0 for x in position), float(tangent[3])
            found[key] = direction / np.linalg.norm(direction)
    return found


class Tangents(ProcessTest):
    def setUp(self):
        super().setUp()
        subprocess.run(
            ['blender', '-b', '--factory-startup', '-noaudio', '-P', HERE / 'blender_tangents.py']
            + ['--', self.folder / 'a.fbx', self.folder / 'a.glb'],
            capture_output=True, check=True, timeout=600,
        )
        self.expected = tangents_of(self.folder / 'a.glb')

    def check_tangents(self, name):
        found = tangents_of(self.folder / name)
        self.assertEqual(sorted(found), sorted(self.expected))
        farthest = max(np.abs(found[key] - self.expected[key]).max() for key in found)
        print('%s: tangents agree to %.1e' % (name, farthest))
        self.assertLess(farthest, 1e-5)

    def test_both_sides_of_the_mirror_occur(self):
        self.assertEqual(len(self.expected), 8)
        self.assertEqual({side for _, side in self.expected}, {-1.0, 1.0})

    def test_blenders_fbx_has_the_tangents_of_its_glb(self):
        self.run_clipmill('convert', 'a.fbx', '-o', 'from_fbx.glb')
        self.check_tangents('from_fbx.glb')

    def test_from_glb_to_fbx_and_back(self):
        self.run_clipmill('convert', 'a.glb', '-o', 'b.fbx')
        self.run_clipmill('convert', 'b.fbx', '-o', 'back.glb')
        self.check_tangents('back.glb')


if __name__ == '__main__':
    unittest.main()
