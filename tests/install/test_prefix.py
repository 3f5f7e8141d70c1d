# SPDX-License-Identifier: MIT
"""What `cmake --install` puts into a folder works there, wherever that folder is moved to."""
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

from clipmill_process import PROGRAM, ROOT, SAMPLES, is_sanitized, run

BUILD = pathlib.Path(PROGRAM).resolve().parents[2]


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix='clipmill-install-')
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.prefix = cls.folder / 'moved to'
        first = cls.folder / 'first'
        run('cmake', '--install', BUILD, '--prefix', first)
        first.rename(cls.prefix)
        cls.program = cls.prefix / 'bin' / 'clipmill'
        cls.documents = cls.prefix / 'share' / 'doc' / 'clipmill'

    def configure(self, source, name):
        build = self.folder / name
        generator = ('-G', 'Ninja') if shutil.which('ninja') else ()
        prefix = f'-DCMAKE_PREFIX_PATH={self.prefix}'
        return build, run('cmake', '-S', source, '-B', build, prefix, *generator)

    def root_net_m(self, path, clip='Leap'):
        text = run(self.program, 'check', path, '--clip', clip, '--json')
        return float(re.search(r'"root_net_m": ?([0-9.]+)', text)[1])

    def test_no_installed_text_names_the_folder_of_the_build(self):
        for path in self.prefix.rglob('*'):
            if path.suffix in ('.cmake', '.h', '.1', '.fish') or path == self.program:
                content = path.read_bytes()
                for folder in (ROOT, BUILD, self.folder / 'first'):
                    self.assertFalse(str(folder).encode() + b'/' in content, path)

    def test_the_manual_page_and_completions_are_those_of_the_program(self):
        share = self.prefix / 'share'
        for path, arguments in (
            ('bash-completion/completions/clipmill', ('completions', 'bash')),
            ('zsh/site-functions/_clipmill', ('completions', 'zsh')),
            ('fish/vendor_completions.d/clipmill.fish', ('completions', 'fish')),
        ):
            self.assertEqual((share / path).read_text(), run(self.program, *arguments))
        page = (share / 'man' / 'man1' / 'clipmill.1').read_text()
        self.assertRegex(page.splitlines()[0], r'^\.TH CLIPMILL 1 "\d{4}-\d\d-\d\d" "clipmill \d')

    def test_a_sample_is_found_and_its_recipe_runs(self):
        sample = self.documents / 'samples' / 'dynamic-bones'
        out = self.folder / 'baked.glb'
        recipe = sample / 'recipe.toml'
        flags = ('--recipe', recipe, '--clip', 'Run', '-o', out)
        run(self.program, 'run', sample / 'humanoid.glb', *flags)
        self.assertNotEqual(out.read_bytes(), (sample / 'humanoid.glb').read_bytes())

    def test_the_helper_that_reads_other_formats_is_found(self):
        mesh = self.folder / 'triangle.obj'
        mesh.write_text('v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n')
        run(self.program, 'convert', mesh, '-o', self.folder / 'triangle.glb')
        self.assertIn('"meshes"', run(self.program, 'info', self.folder / 'triangle.glb', '--json'))

    def test_the_page_of_the_preview_is_found_where_it_was_built(self):
        page = self.prefix / 'share' / 'clipmill' / 'viewer.html'
        if not (BUILD / 'tools' / 'share' / 'clipmill' / 'viewer.html').exists():
            self.skipTest('this build has no page of the preview (scripts/viewer.sh)')
        self.assertTrue(page.exists())
        out = self.folder / 'preview.html'
        run(self.program, 'preview', SAMPLES / 'stretch' / 'humanoid.glb', '-o', out)
        self.assertGreater(out.stat().st_size, page.stat().st_size)

    def test_the_sample_of_a_build_step_builds_with_the_installed_package(self):
        source = self.documents / 'samples' / 'build-step'
        build, _ = self.configure(source, 'step')
        run('cmake', '--build', build)
        self.assertAlmostEqual(self.root_net_m(build / 'leaps' / 'humanoid.glb'), 4.0, places=3)
        self.assertAlmostEqual(self.root_net_m(build / 'leaps' / 'humanoid.fbx'), 5.0, places=3)

    def test_another_project_builds_against_the_library(self):
        build, output = self.configure(ROOT / 'tests' / 'install' / 'consumer', 'consumer')
        self.assertIn(f'program: {self.program}', output)
        headers = (build / 'every_header.cc').read_text().splitlines()
        self.assertGreater(len(headers), 30)
        run('cmake', '--build', build)
        sample = SAMPLES / 'stretch' / 'humanoid.glb'
        out = self.folder / 'leap.glb'
        output = run(build / 'consumer', sample, out, 'Leap', '4.5')
        self.assertAlmostEqual(float(output), 4.5, places=3)
        # The library does what the program does.
        again = self.folder / 'again.glb'
        run(self.program, 'stretch', sample, '-o', again, '--clip', 'Leap', '--distance-m', '4.5')
        self.assertEqual(out.read_bytes(), again.read_bytes())

    def test_a_version_that_is_not_there_is_refused(self):
        source = self.folder / 'newer'
        source.mkdir()
        (source / 'CMakeLists.txt').write_text(
            'cmake_minimum_required(VERSION 3.20)\nproject(newer LANGUAGES NONE)\n'
            'find_package(clipmill 99 REQUIRED)\n'
        )
        with self.assertRaisesRegex(AssertionError, 'version'):
            self.configure(source, 'newer-build')


if __name__ == '__main__':
    if is_sanitized():
        print('skipped: the project that uses the library would have to be sanitized too')
        sys.exit(77)
    if not shutil.which('cmake'):
        print('skipped: there is no cmake')
        sys.exit(77)
    unittest.main()
