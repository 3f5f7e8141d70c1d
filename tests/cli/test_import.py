# SPDX-License-Identifier: MIT
"""Formats that are only read: what comes of them, and what happens when their reader breaks."""
import os
import pathlib
import signal
import stat
import subprocess
import time
import unittest

import glb
from clipmill_process import PROGRAM, ProcessTest

BVH = '''HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Tail
  {
    OFFSET 0 50 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT Tail2
    {
      OFFSET 0 50 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      End Site
      {
        OFFSET 0 50 0
      }
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.04
0 90 0 0 0 0 0 0 0 0 0 0
5 90 0 10 0 0 20 0 0 0 0 0
9 90 0 20 0 0 40 0 0 0 0 0
'''

# No reader accepts this, but its first bytes identify the format.
COLLADA = '<?xml version="1.0"?>\n<COLLADA version="1.4.1"></COLLADA>\n'
OBJ = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n'


# A triangle whose texture is mirrored: u grows along -x, v along y.
TEXTURED = '''<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="1"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
{sources}
<vertices id="vertices"><input semantic="POSITION" source="#position"/></vertices>
<triangles count="1">
<input semantic="VERTEX" source="#vertices" offset="0"/>
<input semantic="NORMAL" source="#normal" offset="0"/>
<input semantic="TEXCOORD" source="#uv0" offset="0" set="0"/>
<input semantic="TEXCOORD" source="#uv1" offset="0" set="1"/>
<input semantic="COLOR" source="#color" offset="0" set="0"/>
<input semantic="TEXTANGENT" source="#tangent" offset="0"/>
<input semantic="TEXBINORMAL" source="#bitangent" offset="0"/>
<p>0 1 2</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/></node>
</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene>
</COLLADA>
'''


def collada_source(name, params, numbers):
    width = len(params)
    values = ' '.join(str(x) for vertex in numbers for x in vertex)
    accessor = ''.join(f'<param name="{p}" type="float"/>' for p in params)
    return (
        f'<source id="{name}"><float_array id="{name}_a" count="{3 * width}">{values}'
        f'</float_array><technique_common><accessor source="#{name}_a" count="3" '
        f'stride="{width}">{accessor}</accessor></technique_common></source>'
    )


class Collada(ProcessTest):
    def test_tangents_and_all_sets_of_texture_coordinates_arrive(self):
        sources = [
            collada_source('position', 'XYZ', [(0, 0, 0), (1, 0, 0), (0, 1, 0)]),
            collada_source('normal', 'XYZ', [(0, 0, 1)] * 3),
            collada_source('uv0', 'ST', [(1, 0), (0, 0), (1, 1)]),
            collada_source('uv1', 'ST', [(0.5, 0.25), (0, 0.25), (0.5, 0)]),
            collada_source('color', 'RGBA', [(1, 0.5, 0.25, 1)] * 3),
            collada_source('tangent', 'XYZ', [(-1, 0, 0)] * 3),
            collada_source('bitangent', 'XYZ', [(0, 1, 0)] * 3),
        ]
        self.file('in.dae', TEXTURED.format(sources='\n'.join(sources)))
        self.run_clipmill('convert', 'in.dae', '-o', 'out.glb')
        value, _, data = glb.read(self.folder / 'out.glb')
        attributes = value['meshes'][0]['primitives'][0]['attributes']

        def rows(name):
            return sorted(glb.rows(value, data, attributes[name]))

        # The bitangent is -cross(normal, tangent); glTF counts v from the top.
        self.assertEqual(rows('TANGENT'), [(-1, 0, 0, -1)] * 3)
        self.assertEqual(rows('TEXCOORD_0'), [(0, 1), (1, 0), (1, 1)])
        self.assertEqual(rows('TEXCOORD_1'), [(0, 0.75), (0.5, 0.75), (0.5, 1)])
        self.assertEqual(rows('COLOR_0'), [(1, 0.5, 0.25, 1)] * 3)


class Bvh(ProcessTest):
    def setUp(self):
        super().setUp()
        self.file('jump.bvh', BVH)

    def test_the_converted_clip_plays_in_viewers(self):
        self.run_clipmill('convert', 'jump.bvh', '-o', 'jump.glb')
        value, _, _ = glb.read(self.folder / 'jump.glb')
        self.assertEqual([a['name'] for a in value['animations']], ['jump'])
        self.assertEqual(len(value['meshes']), 1)
        self.assertEqual(value['nodes'][value['skins'][0]['joints'][0]]['name'], 'Hips')
        info = self.run_json('info', 'jump.glb', '--json')
        self.assertEqual((info['clips'][0]['fps'], info['clips'][0]['start_s']), (25.0, 0.0))
        self.assertAlmostEqual(info['clips'][0]['end_s'], 0.08, 6)

    def test_metres_and_the_same_motion(self):
        self.run_clipmill('convert', 'jump.bvh', '-o', 'jump.glb')
        self.run_clipmill('diff', 'jump.bvh', 'jump.glb', '--tolerance-mm', '0.001')
        poses = self.run_json('poses', 'jump.glb', '--times', '0', '--json')
        tail = poses['nodes'].index('Hips/Tail/Tail2')
        self.assertAlmostEqual(poses['clips'][0]['world'][0][tail][7], 1.9, 6)
        in_file = self.run_json('poses', 'jump.bvh', '--times', '0', '--json')
        self.assertAlmostEqual(in_file['clips'][0]['world'][0][tail][7], 190.0, 9)

    def test_the_assumed_unit_is_a_warning(self):
        info = self.run_json('info', 'jump.bvh', '--json')
        self.assertEqual(info['format'], 'BVH')
        self.assertEqual([w['code'] for w in info['warnings']], ['bvh_unit'])
        self.assertIn('centimetres', info['warnings'][0]['text'])

    def test_a_stage_runs_and_leaves_the_other_tracks(self):
        self.run_clipmill('dynamic-bones', 'jump.bvh', '-o', 'out.glb', '--chain', 'Tail')
        self.run_clipmill('convert', 'jump.bvh', '-o', 'plain.glb')
        diff = self.run_json('diff', 'plain.glb', 'out.glb', '--json')
        moved = {n['path'] for n in diff['clips'][0]['nodes'] if n['max_mm'] > 0.001}
        self.assertIn('Hips/Tail/Tail2', moved)
        self.assertNotIn('Hips', moved)

    def test_other_outputs_are_refused_before_work(self):
        for name in ('out.bvh', 'jump.bvh', 'out.vrm', 'out.dae'):
            process = self.run_clipmill('convert', 'jump.bvh', '-o', name, exit_code=2)
            self.assertOneSentence(process.stderr, name, '.glb')
        self.assertEqual(self.files(), ['jump.bvh'])

    def test_a_broken_file_is_refused_with_its_line(self):
        self.file('bad.bvh', BVH.replace('5 90', '5 x'))
        process = self.run_clipmill('convert', 'bad.bvh', '-o', 'out.glb', exit_code=3)
        self.assertOneSentence(process.stderr, 'bad.bvh', 'line 25')
        self.assertEqual(self.files(), ['bad.bvh', 'jump.bvh'])

    def test_no_helper_is_needed(self):
        environment = dict(os.environ, CLIPMILL_IMPORT='no-such-program')
        self.run_clipmill('convert', 'jump.bvh', '-o', 'jump.glb', env=environment)


class Helper(ProcessTest):
    def setUp(self):
        super().setUp()
        self.file('in.dae', COLLADA)

    def fake(self, script):
        """The environment with a helper that runs a shell script."""
        path = self.file('helper.sh', '#!/bin/sh\n' + script)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return dict(os.environ, CLIPMILL_IMPORT=str(path))

    def colors(self, name):
        value, _, _ = glb.read(self.folder / name)
        return [m['pbrMetallicRoughness'].get('baseColorFactor') for m in value['materials']]

    def assertRefused(self, environment, *parts, exit_code=3):
        before = self.files()
        process = self.run_clipmill(
            'convert', 'in.dae', '-o', 'out.glb', exit_code=exit_code, env=environment
        )
        self.assertOneSentence(process.stderr, 'in.dae', *parts)
        self.assertEqual(self.files(), before)
        return process

    def test_a_crash_of_the_helper_is_an_error(self):
        for script, part in (
            ('kill -ABRT $$', 'signal 6'),
            ('kill -SEGV $$', 'signal 11'),
            ('exit 1', 'exit code 1'),
            ('echo half a scene; kill -ABRT $$', 'signal 6'),
            ('echo garbage', 'invalid response'),
            ('head -c 100000 /dev/urandom', 'invalid response'),
            ('true', 'invalid response'),
        ):
            with self.subTest(script):
                self.assertRefused(self.fake(script), part, 'save it as glTF')

    def test_its_standard_error_is_not_shown(self):
        process = self.assertRefused(self.fake('echo assertion failed >&2; kill -ABRT $$'))
        self.assertNotIn('assertion', process.stderr)

    def test_a_helper_that_never_ends_is_ended(self):
        environment = dict(self.fake('sleep 1000'), CLIPMILL_IMPORT_SECONDS='0.3')
        self.assertRefused(environment, 'was not read within 0.3 s')

    def test_a_helper_that_writes_without_end_is_ended(self):
        process = self.run_clipmill(
            'convert',
            'in.dae',
            '-o',
            'out.glb',
            '--max-decoded-mb',
            '1',
            exit_code=3,
            env=self.fake('yes'),
        )
        self.assertOneSentence(process.stderr, 'in.dae', '--max-decoded-mb')

    def test_a_helper_that_needs_too_much_memory_is_refused(self):
        # As much as the library may take for --max-decoded-mb 1, and half as much again.
        script = 'exec python3 -c "import sys; sys.stdout.write(str(len(bytearray(%d << 20))))"'
        for megabytes, part in ((64, 'invalid response'), (768, 'exit code 1')):
            with self.subTest(megabytes):
                process = self.run_clipmill(
                    'convert', 'in.dae', '-o', 'out.glb', '--max-decoded-mb', '1', exit_code=3,
                    env=self.fake(script % megabytes),
                )
                self.assertOneSentence(process.stderr, 'in.dae', part)

    def test_a_signal_ends_the_helper_too(self):
        process = subprocess.Popen(
            [PROGRAM, 'convert', 'in.dae', '-o', 'out.glb'],
            cwd=self.folder,
            env=self.fake('exec sleep 1000'),
            stderr=subprocess.PIPE,
            text=True,
        )
        children = pathlib.Path(f'/proc/{process.pid}/task/{process.pid}/children')
        deadline = time.monotonic() + 60
        while not children.read_text() and time.monotonic() < deadline:
            time.sleep(0.01)
        helper = int(children.read_text().split()[0])
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 75)
        self.assertOneSentence(stderr, 'interrupted')
        self.assertFalse(pathlib.Path(f'/proc/{helper}').exists())
        self.assertNotIn('out.glb', self.files())

    def write_file_that_takes_long(self):
        """An SMD file of so many materials that the library needs minutes for it."""
        lines = ['version 1', 'nodes', '0 "a" -1', 'end', 'skeleton', 'time 0']
        lines += ['0 0 0 0 0 0 0', 'end', 'triangles']
        for k in range(200000):
            lines.append(f'm{k}')
            lines += [f'0 {k} {x} {y} 0 0 0 1 0 0' for x, y in ((0, 0), (1, 0), (0, 1))]
        return self.file('long.smd', '\n'.join([*lines, 'end', '']))

    def assertGone(self, process_id, seconds):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            try:
                stat = pathlib.Path(f'/proc/{process_id}/stat').read_text()
            except OSError:
                return
            if stat.rsplit(')', 1)[1].split()[0] == 'Z':
                return
            time.sleep(0.02)
        os.kill(process_id, signal.SIGKILL)
        self.fail('the helper still runs')

    def test_the_helper_ends_when_its_parent_is_killed(self):
        self.write_file_that_takes_long()
        process = subprocess.Popen(
            [PROGRAM, 'convert', 'long.smd', '-o', 'out.glb'], cwd=self.folder
        )
        self.addCleanup(process.kill)
        children = pathlib.Path(f'/proc/{process.pid}/task/{process.pid}/children')
        helpers, deadline = [], time.monotonic() + 60
        while not helpers and time.monotonic() < deadline:
            helpers = [int(child) for child in children.read_text().split()]
            time.sleep(0.01)
        time.sleep(1.0)  # It is at work.
        self.assertIsNone(process.poll())
        process.kill()
        process.wait(timeout=60)
        self.assertGone(helpers[0], 5.0)
        self.assertEqual([name for name in self.files() if name.startswith('out')], [])

    def test_the_helper_ends_by_its_own_clock_and_where_nobody_reads(self):
        helper = pathlib.Path(PROGRAM).with_name('clipmill-import')
        if not helper.is_file():
            helper = pathlib.Path(PROGRAM).parents[1] / 'libexec/clipmill/clipmill-import'
        path = self.write_file_that_takes_long()
        command = [helper, path, str(1 << 30), str(1 << 30), '0.1']
        process = subprocess.run(command, stdout=subprocess.DEVNULL, timeout=60)
        self.assertIn(process.returncode, (-signal.SIGALRM, -signal.SIGXCPU))
        reading, writing = os.pipe()
        os.close(reading)
        start = time.monotonic()
        process = subprocess.run(command, stdout=writing, timeout=60)
        os.close(writing)
        self.assertEqual(process.returncode, 1)
        self.assertLess(time.monotonic() - start, 4.0)

    def test_a_missing_helper_is_named(self):
        environment = dict(os.environ, CLIPMILL_IMPORT='nowhere/clipmill-import')
        self.assertRefused(environment, 'nowhere/clipmill-import', 'install')

    def test_a_file_without_content_is_refused_by_the_real_one(self):
        self.assertRefused(os.environ)

    def test_every_truncation_of_a_mark_is_refused(self):
        for text in ('xof 0303txt 0032\n', 'MD5Version 10\n', 'xof 0302bin 0064\nxxxx'):
            self.file('in.dae', text)
            self.assertRefused(os.environ)

    def test_files_outside_of_the_folder_are_not_read(self):
        self.file('red.mtl', 'newmtl Red\nKd 1 0 0\n')
        self.file('inner/cube.obj', 'mtllib ../red.mtl\nusemtl Red\n' + OBJ)
        self.run_clipmill('convert', 'inner/cube.obj', '-o', 'cube.glb')
        self.assertNotIn([1.0, 0.0, 0.0, 1.0], self.colors('cube.glb'))

    def test_files_of_the_folder_are_read_and_are_in_the_depfile(self):
        self.file('cube.mtl', 'newmtl Red\nKd 1 0 0\n')
        self.file('cube.obj', 'mtllib cube.mtl\nusemtl Red\n' + OBJ)
        self.file('empty.toml', '')
        self.run_clipmill(
            'run', 'cube.obj', '--recipe', 'empty.toml', '-o', 'cube.glb', '--depfile', 'cube.d'
        )
        self.assertIn([1.0, 0.0, 0.0, 1.0], self.colors('cube.glb'))
        rule = (self.folder / 'cube.d').read_text()
        self.assertEqual(rule, 'cube.glb: cube.obj cube.mtl empty.toml\n')


if __name__ == '__main__':
    unittest.main(warnings="ignore")
