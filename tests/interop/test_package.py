# SPDX-License-Identifier: MIT
"""The packages of scripts/package.sh: what is in them, the result of lintian, and that they work on
a Debian that has nothing else."""
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from clean_root import CannotMake, CleanRoot
from clipmill_process import PROGRAM, ROOT, run

FOLDER = ROOT / 'build' / 'package'
RUNTIME = sorted(FOLDER.glob('clipmill_*.deb'))
DEVEL = sorted(FOLDER.glob('libclipmill-dev_*.deb'))


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix='clipmill-package-')
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        for deb in (*RUNTIME, *DEVEL):
            run('dpkg-deb', '-x', deb, cls.folder / deb.name.partition('_')[0])
        cls.runtime = cls.folder / 'clipmill'
        cls.devel = cls.folder / 'libclipmill-dev'

    def test_control_fields(self):
        version = run(PROGRAM, '--version').split()[1]
        for deb, section, needs in (
            (RUNTIME[0], 'graphics', ('libc6', 'libassimp5', 'libpng16-16', 'libwebp7')),
            (DEVEL[0], 'libdevel', (f'clipmill (= {version}-1)', 'libglm-dev', 'libwebp-dev')),
        ):
            text = run('dpkg-deb', '-f', deb)
            fields = dict(re.findall(r'^([\w-]+): (.*)$', text, re.M))
            self.assertEqual(fields['Version'], f'{version}-1')
            self.assertEqual(fields['Section'], section)
            self.assertTrue(fields['Maintainer'].startswith('clipmill developers <'))
            self.assertEqual(fields['Architecture'], run('dpkg', '--print-architecture').strip())
            for needed in needs:
                self.assertIn(needed, fields['Depends'])
            self.assertGreater(len(text.partition('Description: ')[2].splitlines()), 1)

    def test_installed_files_are_in_their_folders(self):
        for name in (
            'bin/clipmill',
            'libexec/clipmill/clipmill-import',
            'share/clipmill/viewer.html',
            'share/man/man1/clipmill.1.gz',
            'share/bash-completion/completions/clipmill',
            'share/zsh/vendor-completions/_clipmill',
            'share/fish/vendor_completions.d/clipmill.fish',
            'share/doc/clipmill/copyright',
            'share/doc/clipmill/changelog.gz',
            'share/doc/clipmill/changelog.Debian.gz',
            'share/doc/clipmill/samples/dynamic-bones/recipe.toml',
        ):
            self.assertTrue((self.runtime / 'usr' / name).is_file(), name)
        found = {path.name for path in self.devel.rglob('*')}
        self.assertLessEqual({'clipmillLibrary.cmake', 'libclipmill_io.a', 'io.h'}, found)
        for deb in (RUNTIME[0], DEVEL[0]):
            for line in run('dpkg-deb', '-c', deb).splitlines():
                mode, owner, *_, name = line.split()
                self.assertEqual(owner, 'root/root', line)
                self.assertNotIn(mode[8], 'w', line)
                self.assertTrue(name == './' or name.startswith('./usr/'), line)

    def test_other_projects_build_against_what_the_packages_hold(self):
        prefix = self.folder / 'both'
        for deb in (RUNTIME[0], DEVEL[0]):
            run('dpkg-deb', '-x', deb, prefix)
        # A project without a language, and one of C++.
        step = prefix / 'usr' / 'share' / 'doc' / 'clipmill' / 'samples' / 'build-step'
        for source in (step, ROOT / 'tests' / 'install' / 'consumer'):
            build = self.folder / f'build-{source.name}'
            run(
                'cmake',
                '-S',
                source,
                '-B',
                build,
                '-G',
                'Ninja',
                f'-DCMAKE_PREFIX_PATH={prefix}/usr',
            )
            run('cmake', '--build', build)
            self.assertIn(
                f'{prefix}/usr/share/cmake/clipmill', (build / 'CMakeCache.txt').read_text()
            )
        self.assertTrue((self.folder / 'build-build-step' / 'leaps' / 'humanoid.glb').is_file())
        output = run(
            self.folder / 'build-consumer' / 'consumer',
            ROOT / 'samples' / 'stretch' / 'humanoid.glb',
            self.folder / 'leap.glb',
            'Leap',
            '4.5',
        )
        self.assertAlmostEqual(float(output), 4.5, places=3)

    def test_programs_are_stripped_and_nothing_names_this_machine(self):
        for name in ('bin/clipmill', 'libexec/clipmill/clipmill-import'):
            sections = run('readelf', '--section-headers', '--wide', self.runtime / 'usr' / name)
            self.assertNotIn('.symtab', sections)
            self.assertNotIn('.debug', sections)
        files = [path for root in (self.runtime, self.devel) for path in root.rglob('*')]
        self.assertGreater(len(files), 100)
        for path in files:
            content = path.read_bytes() if path.is_file() else b''
            for folder in (ROOT, pathlib.Path.home()):
                self.assertFalse(str(folder).encode() + b'/' in content, path)

    def test_lintian_finds_no_error(self):
        if not shutil.which('lintian'):
            self.skipTest('there is no lintian')
        output = subprocess.run(
            ['lintian', '--allow-root', '--fail-on', 'error', RUNTIME[0], DEVEL[0]],
            capture_output=True,
            text=True,
        )
        self.assertEqual(output.returncode, 0, output.stdout + output.stderr)

    def test_packing_again_gives_the_same_bytes(self):
        def hashes():
            return [hashlib.sha256(deb.read_bytes()).hexdigest() for deb in (RUNTIME[0], DEVEL[0])]

        before = hashes()
        for deb in (RUNTIME[0], DEVEL[0]):
            deb.rename(deb.with_suffix('.before'))
        run(ROOT / 'scripts' / 'package.sh')
        self.assertEqual(hashes(), before)

    def test_the_package_works_in_a_clean_root(self):
        with tempfile.TemporaryDirectory(prefix='clipmill-root-') as folder:
            try:
                root = CleanRoot(ROOT / 'build' / 'interop' / 'minbase.tar', pathlib.Path(folder))
            except CannotMake as reason:
                print(f'skipped: no clean root to install into: {reason}')
                return
            self.install(root)
            self.use(root)

    def install(self, root):
        shutil.copy(RUNTIME[0], root.folder / 'clipmill.deb')
        done = root.run(
            'apt-get update -qq && apt-get install -y -qq --no-install-recommends /clipmill.deb'
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def use(self, root):
        """Runs a sample, the helper and the preview; the bytes are those that are made here."""
        done = root.run(
            'cd /usr/share/doc/clipmill/samples/dynamic-bones && '
            'clipmill run humanoid.glb --recipe recipe.toml --clip Run -o /baked.glb -q && '
            'clipmill preview humanoid.glb /baked.glb -o /preview.html -q && '
            'printf "v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1 2 3\\n" > /triangle.obj && '
            'clipmill convert /triangle.obj -o /triangle.glb -q'
        )
        self.assertEqual((done.returncode, done.stdout), (0, ''), done.stderr)
        sample = ROOT / 'samples' / 'dynamic-bones'
        here = self.folder / 'baked.glb'
        recipe = sample / 'recipe.toml'
        flags = ('--recipe', recipe, '--clip', 'Run', '-o', here, '-q')
        run(PROGRAM, 'run', sample / 'humanoid.glb', *flags)
        self.assertEqual((root.folder / 'baked.glb').read_bytes(), here.read_bytes())
        for name in ('preview.html', 'triangle.glb'):
            self.assertGreater((root.folder / name).stat().st_size, 500, name)


if __name__ == '__main__':
    if not RUNTIME or not DEVEL:
        print('skipped: there are no packages; scripts/package.sh makes them')
        sys.exit(77)
    unittest.main()
