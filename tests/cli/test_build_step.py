# SPDX-License-Identifier: MIT
"""Clips as a step of a build: cmake/ClipmillAddClips.cmake under Ninja and Make."""
import shutil
import subprocess
import sys
import unittest

import glb
from clipmill_process import PROGRAM, ROOT, SAMPLES, ProcessTest

GENERATORS = [
    generator
    for generator, program in (('Ninja', 'ninja'), ('Unix Makefiles', 'make'))
    if shutil.which('cmake') and shutil.which(program)
]
PROGRAM_GIVEN = '-DCLIPMILL_PROGRAM=' + PROGRAM
PROJECT = '''
cmake_minimum_required(VERSION 3.20)
project(test LANGUAGES NONE)
include("%s")
clipmill_add_clips(TARGET swings RECIPE swing.toml OUT_DIR out BASE_DIR in
  INPUTS in/a.glb "in/sub/b c.glb" in/split.gltf)
clipmill_add_clips(TARGET others RECIPE other.toml OUT_DIR others INPUTS in/a.glb
  ARGS --keys all)
'''
RECIPE = '[[stage]]\ntype = "dynamic-bones"\n[[stage.chain]]\nroot = "Bone0"\nfrequency_hz = %s\n'
RULE = '[[rule]]\nclips = "sub/*"\nset."output.keys" = "all"\n'


class BuildStep(ProcessTest):
    def configure(self, source, generator):
        self.build_folder = self.folder / 'build'
        shutil.rmtree(self.build_folder, ignore_errors=True)
        self.succeed('-S', source, '-B', self.build_folder, '-G', generator, PROGRAM_GIVEN)

    def succeed(self, *arguments):
        process = self.cmake(*arguments)
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)

    def cmake(self, *arguments):
        return subprocess.run(
            ['cmake', *map(str, arguments)], text=True, capture_output=True, timeout=300
        )

    def built(self):
        """Names of the clips that a build makes."""
        before = self.times()
        self.succeed('--build', self.build_folder)
        return {name for name, time in self.times().items() if before.get(name) != time}

    def times(self):
        return {
            path.relative_to(self.build_folder).as_posix(): path.stat().st_mtime_ns
            for path in self.build_folder.rglob('*')
            if path.suffix in ('.glb', '.gltf')
        }

    def test_a_build_processes_changed_clips_only(self):
        self.file('swing.toml', RECIPE % 2 + RULE)
        self.file('other.toml', RECIPE % 4)
        self.file('CMakeLists.txt', PROJECT % (ROOT / 'cmake' / 'ClipmillAddClips.cmake'))
        for generator in GENERATORS:
            with self.subTest(generator):
                self.file('in/a.glb', glb.swinging_chain(joints=4))
                self.file('in/sub/b c.glb', glb.swinging_chain(joints=5))
                self.file('in/whole.glb', glb.swinging_chain(joints=6))
                self.run_clipmill('convert', 'in/whole.glb', '-o', 'in/split.gltf')
                self.file('swing.toml', RECIPE % 2 + RULE)
                self.configure(self.folder, generator)
                everything = {'out/a.glb', 'out/sub/b c.glb', 'out/split.gltf', 'others/in/a.glb'}
                self.assertEqual(self.built(), everything)
                self.assertEqual(self.built(), set())
                self.file('in/sub/b c.glb', glb.swinging_chain(joints=7))
                self.assertEqual(self.built(), {'out/sub/b c.glb'})
                # No command names this file: the dependency file does.
                buffer = self.folder / 'in' / 'split.bin'
                buffer.write_bytes(buffer.read_bytes())
                self.assertEqual(self.built(), {'out/split.gltf'})
                self.file('swing.toml', RECIPE % 3 + RULE)
                self.assertEqual(self.built(), everything - {'others/in/a.glb'})
                self.assertEqual(self.built(), set())
                self.assertRules()

    def assertRules(self):
        """The nested clip got the keys of its rule: one a frame, more than its sibling."""
        for name, keys in (('out/sub/b c.glb', True), ('out/a.glb', False)):
            value, _, _ = glb.read(self.build_folder / name)
            samplers = value['animations'][0]['samplers']
            counts = {value['accessors'][sampler['input']]['count'] for sampler in samplers}
            self.assertEqual(counts == {31}, keys, name)

    def test_a_failed_clip_fails_the_build_until_it_is_fixed(self):
        self.file('CMakeLists.txt', PROJECT % (ROOT / 'cmake' / 'ClipmillAddClips.cmake'))
        self.file('swing.toml', RECIPE % 2)
        self.file('other.toml', RECIPE % 4)
        for generator in GENERATORS:
            with self.subTest(generator):
                for name in ('in/a.glb', 'in/sub/b c.glb', 'in/whole.glb'):
                    self.file(name, glb.swinging_chain())
                self.run_clipmill('convert', 'in/whole.glb', '-o', 'in/split.gltf')
                self.file('in/a.glb', glb.swinging_chain()[:200])
                self.configure(self.folder, generator)
                process = self.cmake('--build', self.build_folder)
                self.assertNotEqual(process.returncode, 0)
                self.assertIn('in/a.glb: ', process.stdout + process.stderr)
                self.assertNotIn('out/a.glb', self.times())
                self.file('in/a.glb', glb.swinging_chain())
                self.assertLessEqual({'out/a.glb', 'others/in/a.glb'}, self.built())

    def test_the_sample_builds(self):
        for generator in GENERATORS:
            with self.subTest(generator):
                self.configure(SAMPLES / 'build-step', generator)
                self.succeed('--build', self.build_folder)
                for name, distance_m in (('humanoid.glb', 4.0), ('humanoid.fbx', 5.0)):
                    clips = self.run_json('info', self.build_folder / 'leaps' / name, '--json')
                    self.assertEqual([clip['name'] for clip in clips['clips']], ['Leap', 'Lunge'])
                    measured = self.run_json(
                        'check', self.build_folder / 'leaps' / name, '--clip', 'Leap', '--json'
                    )
                    self.assertAlmostEqual(
                        measured['clips'][0]['measures']['root_net_m'], distance_m, places=3
                    )

    def test_mistakes_in_the_call_are_errors(self):
        module = ROOT / 'cmake' / 'ClipmillAddClips.cmake'
        head = 'cmake_minimum_required(VERSION 3.20)\nproject(t LANGUAGES NONE)\n'
        for call, word in (
            ('TARGET t RECIPE r INPUTS a.glb', 'OUT_DIR is missing'),
            ('TARGET t RECIPE r OUT_DIR o INPUTS a.glb b/../a.glb', 'two inputs'),
        ):
            self.file('CMakeLists.txt', f'{head}include("{module}")\nclipmill_add_clips({call})\n')
            process = self.cmake(
                *('-G', GENERATORS[0], '-S', self.folder, '-B', self.folder / 'b', PROGRAM_GIVEN)
            )
            self.assertNotEqual(process.returncode, 0)
            self.assertIn(word, process.stderr)


if __name__ == '__main__':
    if not GENERATORS:
        print('skipped: there is no cmake with ninja or make')
        sys.exit(77)
    unittest.main()
