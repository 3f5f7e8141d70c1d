# SPDX-License-Identifier: MIT
"""Files, names and machines that are unusual: what is valid enough is processed, what is refused is
refused with a message that can be read, and nothing wrong stays behind."""
import base64
import json
import os
import shutil
import signal
import struct
import subprocess
import time

import glb
from clipmill_process import PROGRAM, ProcessTest

TAKE_OF_HUGE_KEYS = '''; FBX 6.1.0 project file
FBXHeaderExtension:  {
 FBXHeaderVersion: 1003
 FBXVersion: 6100
}
Objects:  {
 Model: "Model::A", "LimbNode" {
  Version: 232
  Properties60:  {
   Property: "Lcl Translation", "Lcl Translation", "A+",0,0,0
   Property: "Lcl Rotation", "Lcl Rotation", "A+",0,0,0
   Property: "Lcl Scaling", "Lcl Scaling", "A+",1,1,1
  }
 }
}
Connections:  {
 Connect: "OO", "Model::A", "Model::Scene"
}
Takes:  {
 Current: "Take"
 Take: "Take" {
  FileName: "Take.tak"
  LocalTime: 0,46186158000
  ReferenceTime: 0,46186158000
  Model: "Model::A" {
   Version: 1.1
   Channel: "Transform" {
    Channel: "T" {
     Channel: "X" {
      Default: 0
      KeyVer: 4005
      KeyCount: 3
      Key: 0,1e308,L,23093079000,-1e308,L,46186158000,1e308,L
      Color: 1,0,0
     }
     LayerType: 1
    }
   }
  }
 }
}
'''


def text_form(value, binary):
    value['buffers'][0]['uri'] = (
        'data:application/octet-stream;base64,' + base64.b64encode(binary).decode()
    )
    return json.dumps(value)


class HardEdges(ProcessTest):
    def setUp(self):
        super().setUp()
        path = self.file('in.glb', glb.swinging_chain())
        self.value, _, self.binary = glb.read(path)

    def test_extensions_in_capitals_are_extensions(self):
        for name in ('A.GLB', 'B.Fbx', 'C.GLTF'):
            self.run_clipmill('convert', 'in.glb', '-o', name)
            self.run_clipmill('info', name)
        self.assertTrue((self.folder / 'C.GLTF').read_bytes().startswith(b'{'))
        self.assertTrue((self.folder / 'B.Fbx').read_bytes().startswith(b'Kaydara'))
        self.file('empty.toml', '')
        self.file('many/WALK.GLB', glb.swinging_chain())
        self.run_clipmill('batch', 'many', '--recipe', 'empty.toml', '--out-dir', 'out')
        self.assertIn('out/WALK.GLB', self.files())

    def test_vrm_in_capitals_is_no_target_of_a_conversion(self):
        self.run_clipmill('convert', 'in.glb', '-o', 'a.fbx')
        self.run_clipmill('convert', 'a.fbx', '-o', 'b.VRM', exit_code=2)

    def test_missing_image_is_a_warning_and_the_reference_stays(self):
        self.value['images'] = [{'uri': 'skin.png'}]
        text = text_form(self.value, self.binary)
        self.file('a.gltf', text)
        (self.folder / 'out').mkdir()
        process = self.run_clipmill(
            'trim', 'a.gltf', '-o', 'out/a.gltf', '--end-s', '0.5', '--report', 'report.json',
            '--depfile', 'a.d',
        )
        written = json.loads((self.folder / 'out/a.gltf').read_text())
        self.assertEqual(written['images'], [{'uri': 'skin.png'}])
        report = json.loads((self.folder / 'report.json').read_text())
        self.assertIn('missing_file', [w['code'] for w in report['warnings']])
        self.assertIn('warning', process.stderr)
        # make would have no rule for a file that does not exist.
        self.assertNotIn('skin.png', (self.folder / 'a.d').read_text())
        self.run_clipmill('convert', 'a.gltf', '-o', 'out/b.gltf')
        self.assertEqual((self.folder / 'out/b.gltf').read_text(), text)

    def test_missing_image_stays_a_reference_of_the_glb_that_a_text_file_becomes(self):
        self.value['images'] = [{'uri': 'skin.png'}]
        self.file('a.gltf', text_form(self.value, self.binary))
        for options in ((), ('--compact',)):
            process = self.run_clipmill('convert', 'a.gltf', '-o', 'a.glb', *options)
            self.assertIn('skin.png', process.stderr)
            written, _, _ = glb.read(self.folder / 'a.glb')
            self.assertEqual(written['images'], [{'uri': 'skin.png'}])

    def test_strict_refuses_a_missing_image(self):
        self.value['images'] = [{'uri': 'skin.png'}]
        self.file('a.gltf', text_form(self.value, self.binary))
        (self.folder / 'out').mkdir()
        process = self.run_clipmill(
            'convert', 'a.gltf', '-o', 'out/a.gltf', '--strict', exit_code=3
        )
        self.assertOneSentence(process.stderr, 'a.gltf', 'skin.png')
        self.assertNotIn('out/a.gltf', self.files())

    def test_image_that_exists_is_copied(self):
        self.value['images'] = [{'uri': 'skin.png'}]
        self.file('a.gltf', text_form(self.value, self.binary))
        self.file('skin.png', b'\x89PNG')
        (self.folder / 'out').mkdir()
        self.run_clipmill('convert', 'a.gltf', '-o', 'out/a.gltf', '--strict')
        self.assertEqual((self.folder / 'out/skin.png').read_bytes(), b'\x89PNG')

    def empty_sampler(self):
        """The second channel has a sampler without keys."""
        number = len(self.value['accessors'])
        for kind in ('SCALAR', 'VEC3'):
            self.value['accessors'].append({'componentType': 5126, 'count': 0, 'type': kind})
        animation = self.value['animations'][0]
        animation['samplers'].append({'input': number, 'output': number + 1})
        animation['channels'].append({'sampler': 1, 'target': {'node': 1, 'path': 'translation'}})
        return glb.assemble(self.value, self.binary)

    def test_sampler_without_keys_animates_nothing_and_stays(self):
        data = self.empty_sampler()
        self.file('a.glb', data)
        self.run_clipmill('convert', 'a.glb', '-o', 'same.glb')
        self.assertEqual((self.folder / 'same.glb').read_bytes(), data)
        self.run_clipmill('trim', 'a.glb', '-o', 'b.glb', '--end-s', '0.5', '--report', 'r.json')
        written, _, _ = glb.read(self.folder / 'b.glb')
        self.assertEqual(written['animations'][0]['samplers'][1], {'input': 2, 'output': 3})
        self.assertIn('sampler_without_keys', (self.folder / 'r.json').read_text())
        poses = [
            self.run_json('poses', name, '--times', '0,0.25') for name in ('in.glb', 'a.glb')
        ]
        self.assertEqual(poses[0]['clips'], poses[1]['clips'])

    def test_keys_that_could_not_be_read_again_are_not_written(self):
        # Between such keys a curve is infinite.
        self.file('a.fbx', TAKE_OF_HUGE_KEYS)
        self.run_clipmill('info', 'a.fbx')
        (self.folder / 'out').mkdir()
        process = self.run_clipmill(
            'trim', 'a.fbx', '-o', 'out/a.fbx', '--end-s', '0.4', exit_code=3
        )
        self.assertOneSentence(process.stderr, 'out/a.fbx', 'A: ', 'finite number')
        self.assertEqual(self.files(), ['a.fbx', 'in.glb'])

    def test_bake_into_an_old_fbx_file_is_refused_before_the_bake(self):
        self.file('a.fbx', TAKE_OF_HUGE_KEYS)
        process = self.run_clipmill('tet-bake', 'a.fbx', '-o', 'b.fbx', exit_code=3)
        self.assertOneSentence(process.stderr, 'error: a.fbx: is FBX 6 or older')
        # Converted, it is a new file: what is amiss then is that it has no skin.
        process = self.run_clipmill('tet-bake', 'a.fbx', '-o', 'b.glb', exit_code=None)
        self.assertNotIn('FBX 6', process.stderr)

    def stderr_bytes(self, *arguments):
        return subprocess.run(
            [PROGRAM, *arguments], cwd=self.folder, capture_output=True, timeout=60
        ).stderr

    def test_errors_are_utf8(self):
        broken = b'HIERARCHY\nROOT \xe4\xff\n{\nOFFSET 0 0 0\nCHANNELS 1 \xfcposition\n}\n'
        self.file('a.bvh', broken)
        for arguments in (
            ['info', 'a.bvh'],
            ['info', b'missing\xff.glb'],
            ['trim', 'in.glb', '-o', b'x\xff.abc'],
            ['dynamic-bones', 'in.glb', '-o', 'x.glb', '--chain', b'Bone\xff'],
            ['run', 'in.glb', '-o', 'x.glb', '--recipe', b'r\xe9cipe.toml'],
            [b'frob\xff'],
            ['info', 'in.glb', b'--fr\xffob'],
        ):
            text = self.stderr_bytes(*arguments)
            self.assertTrue(text, arguments)
            text.decode('utf-8')
        self.assertIn(b'a.bvh', self.stderr_bytes('info', 'a.bvh'))
        self.assertIn(b'missing\\xff.glb', self.stderr_bytes('info', b'missing\xff.glb'))

    def test_settings_that_do_not_fit_the_file_name_it(self):
        process = self.run_clipmill(
            'trim', 'in.glb', '-o', 'x.glb', '--start-s', '5', exit_code=2
        )
        self.assertOneSentence(process.stderr, 'in.glb: ', 'Sway')

    def cubic_key(self, numbers):
        """A file with a clip of one cubic key that has so many numbers."""
        offset = len(self.binary)
        binary = self.binary + struct.pack('<f%df' % len(numbers), 0.0, *numbers)
        view = len(self.value['bufferViews'])
        self.value['bufferViews'] += [
            {'buffer': 0, 'byteOffset': offset, 'byteLength': 4},
            {'buffer': 0, 'byteOffset': offset + 4, 'byteLength': 4 * len(numbers)},
        ]
        accessor = len(self.value['accessors'])
        self.value['accessors'] += [
            {'bufferView': view, 'componentType': 5126, 'count': 1, 'type': 'SCALAR'},
            {
                'bufferView': view + 1,
                'componentType': 5126,
                'count': len(numbers) // 3,
                'type': 'VEC3',
            },
        ]
        self.value['buffers'][0]['byteLength'] = len(binary)
        self.value['animations'].append(
            {
                'name': 'Still',
                'channels': [{'sampler': 0, 'target': {'node': 4, 'path': 'translation'}}],
                'samplers': [
                    {'input': accessor, 'output': accessor + 1, 'interpolation': 'CUBICSPLINE'}
                ],
            }
        )
        return glb.assemble(self.value, binary)

    def test_clip_of_one_cubic_key_is_a_constant(self):
        for numbers, warns in (((0, 0, 0, 1, 2, 3, 0, 0, 0), False), ((1, 2, 3), True)):
            with self.subTest(numbers):
                super().setUp()
                self.file('in.glb', glb.swinging_chain())
                self.value, _, self.binary = glb.read(self.folder / 'in.glb')
                data = self.cubic_key(numbers)
                self.file('a.glb', data)
                self.run_clipmill('convert', 'a.glb', '-o', 'same.glb')
                self.assertEqual((self.folder / 'same.glb').read_bytes(), data)
                # Work on the other clip leaves the sampler as it is.
                process = self.run_clipmill(
                    'trim', 'a.glb', '-o', 'b.glb', '--end-s', '0.5', '--clip', 'Sway'
                )
                self.assertEqual('tangents' in process.stderr, warns)
                written, _, _ = glb.read(self.folder / 'b.glb')
                self.assertEqual(written['animations'][1], self.value['animations'][1])
                poses = self.run_json('poses', 'b.glb', '--clip', 'Still', '--times', '0,7')
                for world in poses['clips'][0]['world']:
                    self.assertEqual(world[4][3::4], [1, 2, 3])

    def test_sampler_with_too_few_values_is_refused(self):
        self.file('a.glb', self.cubic_key((1, 2, 3, 4, 5, 6)))
        process = self.run_clipmill('info', 'a.glb', exit_code=3)
        self.assertOneSentence(process.stderr, 'a.glb', 'animations[1].samplers[0]')

    def test_result_that_needs_more_memory_than_allowed_is_refused_at_once(self):
        for arguments in (
            ['retime', '--duration-s', '10000'],
            ['retime', '--duration-s', '86400'],
            ['retime', '--result-fps', '1000', '--time-scale', '100'],
            ['concat'] + ['--with', 'Sway'] * 100,
        ):
            with self.subTest(arguments):
                start = time.monotonic()
                process = self.run_clipmill(
                    arguments[0], 'in.glb', '-o', 'x.glb', *arguments[1:], '--max-decoded-mb', '1',
                    exit_code=3,
                )
                self.assertLess(time.monotonic() - start, 5.0)
                self.assertOneSentence(process.stderr, 'in.glb', 'Sway', '--max-decoded-mb')
                self.assertEqual(self.files(), ['in.glb'])

    def test_results_count_together(self):
        # 0.5 MB each: two fit into 1 MB, three do not.
        nodes = len(self.value['nodes'])
        for name in ('Sway2', 'Sway3', 'Sway4'):
            self.value['animations'].append({**self.value['animations'][0], 'name': name})
        self.file('many.glb', glb.assemble(self.value, self.binary))
        duration_s = (1 << 20) * 0.45 / (80 * nodes) / 30
        for stage in (['retime', '--duration-s', str(duration_s)],
                      ['concat'] + ['--with', 'Sway'] * round(duration_s)):
            arguments = [stage[0], 'many.glb', *stage[1:], '--max-decoded-mb', '1']
            arguments += ['--clip', 'Sway2', '--clip', 'Sway3']
            self.run_clipmill(*arguments, '-o', 'two.glb')
            arguments += ['--clip', 'Sway4']
            process = self.run_clipmill(*arguments, '-o', 'x.glb', exit_code=3)
            self.assertOneSentence(process.stderr, 'many.glb', '3 clips', '--max-decoded-mb')
            self.assertNotIn('x.glb', self.files())

    def test_signal_ends_a_long_stage_soon(self):
        process = subprocess.Popen(
            [PROGRAM, 'retime', 'in.glb', '-o', 'x.glb', '--duration-s', '80000', '--fps', '100'],
            cwd=self.folder,
            stderr=subprocess.PIPE,
        )
        time.sleep(2.0)
        self.assertIsNone(process.poll(), 'the stage was not at work')
        start = time.monotonic()
        process.send_signal(signal.SIGTERM)
        _, text = process.communicate(timeout=60)
        seconds = time.monotonic() - start
        self.assertEqual(process.returncode, 75, text)
        # Within a second on a machine that does nothing else; without the signal it takes minutes.
        self.assertLess(seconds, 15.0)
        self.assertEqual(self.files(), ['in.glb'])

    def test_batch_sweeps_temporary_files_of_killed_runs(self):
        self.file('empty.toml', '')
        ended = subprocess.Popen(['true'])
        ended.wait()
        dead, alive = ended.pid, os.getpid()
        kept = ['out/.in.glb.%d.0.tmp' % alive, 'out/.other.glb.%d.0.tmp' % dead, 'out/.in.tmp']
        swept = ['out/.in.glb.%d.3.tmp' % dead, 'out/.in.glb.report.json.%d.4.tmp' % dead]
        # Beside the report; and of an input that is gone, whose output was written long ago.
        kept += ['.r.json.%d.0.tmp' % alive, '.s.json.%d.0.tmp' % dead, 'out/.gone.%d.tmp' % dead]
        swept += ['.r.json.%d.1.tmp' % dead, 'out/.gone.glb.%d.0.tmp' % dead]
        for name in kept + swept:
            self.file(name, 'part')
            if 'gone' in name:
                os.utime(self.folder / name, (0, 0))
        self.run_clipmill(
            'batch', 'in.glb', '--recipe', 'empty.toml', '--out-dir', 'out', '--report', 'r.json'
        )
        files = self.files()
        for name in kept:
            self.assertIn(name, files)
        for name in swept:
            self.assertNotIn(name, files)

    def test_batch_after_kill_9_leaves_no_temporary_file(self):
        # So many bytes that nobody refers to take a while to write.
        value, _, binary = glb.read(self.folder / 'in.glb')
        binary += bytes(80 << 20)
        value['buffers'][0]['byteLength'] = len(binary)
        (self.folder / 'in.glb').unlink()
        self.file('many/a.glb', glb.assemble(value, binary))
        self.file('cut.toml', '[[stage]]\ntype = "trim"\nend_s = 0.5\n')
        command = ['batch', 'many', '--recipe', 'cut.toml', '--out-dir', 'out', '-j', '1']
        left = []
        for _ in range(20):
            process = subprocess.Popen(
                [PROGRAM, *command], cwd=self.folder, stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            while process.poll() is None and not left:
                left = list(self.folder.glob('out/**/.*.tmp'))
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            left = list(self.folder.glob('out/**/.*.tmp'))
            if left:
                break
            shutil.rmtree(self.folder / 'out', ignore_errors=True)
        self.assertTrue(left, 'no run was killed while it wrote')
        self.run_clipmill(*command)
        self.assertEqual(list(self.folder.glob('out/**/.*.tmp')), [])
        self.assertIn('out/a.glb', self.files())
        once = (self.folder / 'out/a.glb').read_bytes()
        self.run_clipmill('run', 'many/a.glb', '--recipe', 'cut.toml', '-o', 'b.glb')
        self.assertEqual(once, (self.folder / 'b.glb').read_bytes())


if __name__ == '__main__':
    import unittest

    unittest.main()
