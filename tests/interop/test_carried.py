# SPDX-License-Identifier: MIT
"""Texture coordinates, colours, tangents, custom properties, visibility, cameras and lights of
converted files, as Autodesk's library (FBX2glTF), Blender and the Khronos validator see them."""
import json
import math
import os
import pathlib
import subprocess
import unittest

import carried_scene
import glb
import pose_evaluator
from clipmill_process import ProcessTest

HERE = pathlib.Path(__file__).resolve().parent
MODULES = pathlib.Path(os.environ['CLIPMILL_NODE_MODULES'])
FBX2GLTF = MODULES / 'fbx2gltf' / 'bin' / 'Linux' / 'FBX2glTF'


def srgb(c):
    return c * 12.92 if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055


def source_of(name):
    """The node of the source file: conversions have cameras and lights in nodes below."""
    return name.removesuffix('_camera').removesuffix('_light')


class Carried(ProcessTest):
    def setUp(self):
        super().setUp()
        self.file('a.glb', carried_scene.scene())
        self.run_clipmill('convert', 'a.glb', '-o', 'b.fbx')

    def test_autodesk_reads_what_is_written_as_fbx(self):
        os.chmod(FBX2GLTF, 0o755)
        subprocess.run(
            [FBX2GLTF, '-b', '-i', self.folder / 'b.fbx', '-o', self.folder / 'seen.glb',
             '--user-properties'],
            capture_output=True, check=True, timeout=60,
        )
        found = carried_scene.sets_of(self.folder / 'seen.glb')
        # It looks at two sets of texture coordinates and at one of colours, which stays in sRGB.
        for name in ('TEXCOORD_0', 'TEXCOORD_1'):
            self.assertLess(carried_scene.largest_difference(found[name], name), 1e-6, name)
        # It gives all tangents the sign 1: it transforms them as points.
        for point, row in zip(carried_scene.POSITIONS, carried_scene.SETS['TANGENT']):
            seen = found['TANGENT'][tuple(float(x) for x in point)]
            for a, b in zip([*row[:3], 1.0], seen):
                self.assertAlmostEqual(a, b, places=6)
        for point, row in zip(carried_scene.POSITIONS, carried_scene.SETS['COLOR_0']):
            seen = found['COLOR_0'][tuple(float(x) for x in point)]
            for a, b in zip([*map(srgb, row[:3]), row[3]], seen):
                self.assertAlmostEqual(a, b, places=5)
        value, _, _ = glb.read(self.folder / 'seen.glb')
        (top,) = (node for node in value['nodes'] if node['name'] == 'Top')
        print('FBX2glTF:', json.dumps(top['extras']))
        entries = top['extras']['fromFBX']['userProperties']
        seen = {name: entry['value'] for name, entry in entries.items()}
        for name, expected in carried_scene.EXTRAS.items():
            self.assertEqual(seen[name], expected)

    def test_autodesk_sees_cameras_and_lights_at_their_positions(self):
        os.chmod(FBX2GLTF, 0o755)
        subprocess.run(
            [FBX2GLTF, '-b', '-i', self.folder / 'b.fbx', '-o', self.folder / 'seen.glb'],
            capture_output=True, check=True, timeout=60,
        )
        file = pose_evaluator._Gltf(self.folder / 'seen.glb')
        worlds = file.worlds({'channels': []}, 0)
        seen = {}
        for node, world in zip(file.nodes, worlds):
            name = source_of(node['name'])
            extension = node.get('extensions', {}).get('KHR_lights_punctual')
            if 'camera' in node:
                seen[name] = file.json['cameras'][node['camera']], world
            elif extension:
                lights = file.json['extensions']['KHR_lights_punctual']['lights']
                seen[name] = lights[extension['light']], world
        self.assertEqual(sorted(seen), sorted(carried_scene.VIEWS))
        views = {**carried_scene.CAMERAS, **carried_scene.LIGHTS}
        for name, (view, world) in seen.items():
            self.assertEqual(view['type'], views[name]['type'])
            # It converts the axes of cameras, and leaves those of lights, which shine along -y.
            axis = 2 if name in carried_scene.CAMERAS else 1
            direction = [-row[axis] for row in world[:3]]
            self.check_position(name, [row[3] for row in world[:3]], direction)
        print('FBX2glTF:', json.dumps({name: view for name, (view, _) in seen.items()}))
        lens, _ = seen['Eye']
        self.assertAlmostEqual(lens['perspective']['yfov'], 0.7, places=5)
        self.assertAlmostEqual(lens['perspective']['aspectRatio'], 1.5, places=5)

    def check_position(self, name, position, direction):
        for a, b in zip(position, carried_scene.VIEWS[name][0]):
            self.assertAlmostEqual(a, b, places=5, msg=name)
        if name == 'Lamp':
            return  # shines everywhere
        for a, b in zip(direction, carried_scene.direction_of(name)):
            self.assertAlmostEqual(a, b, places=5, msg=name)

    def check_blender_views(self, views):
        """Blender takes the units of the file for centimetres, and shows metres."""
        self.assertEqual(sorted(views), sorted(carried_scene.VIEWS))
        for name, view in views.items():
            self.check_position(name, view['position'], view['direction'])
        eye, half = views['Eye'], math.tan(0.35)
        self.assertAlmostEqual(eye['tangents'][0], 1.5 * half, places=5)
        self.assertAlmostEqual(eye['tangents'][1], half, places=5)
        self.assertAlmostEqual(eye['near'], 0.25, places=5)
        self.assertAlmostEqual(eye['far'], 90, places=3)
        self.assertEqual(views['Plan']['type'], 'ORTHO')
        kinds = {'Sun': 'SUN', 'Lamp': 'POINT', 'Torch': 'SPOT'}
        for name, light in carried_scene.LIGHTS.items():
            self.assertEqual(views[name]['type'], kinds[name])
            self.assertAlmostEqual(views[name]['intensity'], light['intensity'], places=4)
            for a, b in zip(views[name]['color'], light['color']):
                self.assertAlmostEqual(a, b, places=5)
        self.assertAlmostEqual(views['Torch']['cone'], 1.0, places=5)

    def test_blender_reads_what_is_written_as_fbx(self):
        subprocess.run(
            ['blender', '-b', '--factory-startup', '-noaudio', '-P', HERE / 'blender_carried.py']
            + ['--', self.folder / 'b.fbx', self.folder / 'seen.json'],
            capture_output=True, check=True, timeout=600,
        )
        seen = json.loads((self.folder / 'seen.json').read_text())
        keys = [' '.join('%.4f' % x for x in p) for p in carried_scene.POSITIONS]
        self.assertEqual(len(seen['uvs']), 3)
        for number, uvs in enumerate(seen['uvs']):
            for key, (u, v) in zip(keys, carried_scene.SETS['TEXCOORD_%d' % number]):
                self.assertAlmostEqual(uvs[key][0], u, places=6)
                self.assertAlmostEqual(uvs[key][1], 1 - v, places=6)
        self.assertEqual(len(seen['colors']), 2)
        for number, colors in enumerate(seen['colors']):
            for key, row in zip(keys, carried_scene.SETS['COLOR_%d' % number]):
                for a, b in zip(row, colors[key]):
                    self.assertAlmostEqual(a, b, delta=0.01)  # bytes
        for name, expected in carried_scene.EXTRAS.items():
            self.assertEqual(seen['custom'][name], expected)
        views = {source_of(name): view for name, view in seen['views'].items()}
        self.check_blender_views(views)

    def test_the_validator_accepts_what_is_written_as_glb(self):
        self.run_clipmill('convert', 'b.fbx', '-o', 'c.glb')
        process = subprocess.run(
            ['node', HERE / 'validate.cjs', MODULES, self.folder / 'c.glb'],
            capture_output=True, text=True, check=True, timeout=600,
        )
        (problems,) = json.loads(process.stdout).values()
        # It does not know the extension of visibility.
        self.assertEqual([p for p in problems if p['code'] != 'UNSUPPORTED_EXTENSION'], [])


if __name__ == '__main__':
    unittest.main(warnings='ignore')
