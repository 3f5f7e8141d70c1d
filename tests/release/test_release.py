# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""What scripts/release.sh made, used as someone who downloads it would. Run by
scripts/check_release.sh."""
import hashlib
import json
import pathlib
import subprocess
import tempfile
import unittest
import zipfile

from clean_root import CannotMake, CleanRoot
from clipmill_process import ROOT, SAMPLES, run

FOLDER = ROOT / 'build' / 'release-files'
SAMPLE = SAMPLES / 'dynamic-bones'
OLD_DEBIAN = 'bullseye'


def only(pattern):
    """The released file that matches."""
    (path,) = FOLDER.glob(pattern)
    return path


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def expected_sha256(name):
    """The hash that tests/golden.sha256 has for an output."""
    lines = (ROOT / 'tests' / 'golden.sha256').read_text().splitlines()
    return dict(reversed(line.split('  ')) for line in lines)[name]


class ReleaseTest(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix='clipmill release ')
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def assert_bakes(self, *program):
        """The sample's recipe gives the expected bytes, in an emulator after some minutes."""
        out = self.folder / 'out.glb'
        recipe = SAMPLE / 'recipe.toml'
        run(*program, 'run', SAMPLE / 'humanoid.glb', '--recipe', recipe, '-o', out, '-q',
            timeout=3600)  # fmt: skip
        self.assertEqual(sha256(out), expected_sha256('dynamic-bones rod glb'))


class Lists(ReleaseTest):
    def test_the_sums_are_of_all_files(self):
        run('sha256sum', '--check', '--strict', '--quiet', 'SHA256SUMS', cwd=FOLDER)
        lines = (FOLDER / 'SHA256SUMS').read_text().splitlines()
        names = {path.name for path in FOLDER.iterdir()} - {'SHA256SUMS'}
        self.assertEqual({line.split('  ')[1] for line in lines}, names)

    def test_the_bill_of_materials_names_files_and_libraries(self):
        bill = json.loads((FOLDER / 'clipmill.spdx.json').read_text())
        sums = {f['fileName'][2:]: f['checksums'][0]['checksumValue'] for f in bill['files']}
        lists = {'SHA256SUMS', 'clipmill.spdx.json'}
        self.assertEqual(sums, {p.name: sha256(p) for p in FOLDER.iterdir() if p.name not in lists})
        versions = {p['name']: p['versionInfo'] for p in bill['packages']}
        for name in ('libassimp-dev', 'libc6-dev', 'mingw-w64-x86-64-dev', 'emscripten', 'three'):
            self.assertRegex(versions[name], r'^\d')
        identifiers = [entry['SPDXID'] for entry in bill['packages'] + bill['files']]
        self.assertEqual(len(set(identifiers)), len(identifiers))
        for relation in bill['relationships']:
            self.assertIn(relation['relatedSpdxElement'], identifiers)


class LinuxProgram(ReleaseTest):
    def setUp(self):
        super().setUp()
        archive = only('clipmill-*-linux-x86_64.tar.gz')
        run('tar', '-xzf', archive, '-C', self.folder)
        self.program = self.folder / archive.name[: -len('.tar.gz')] / 'bin' / 'clipmill'

    def test_it_needs_no_library_of_the_system(self):
        self.assertNotIn('NEEDED', run('readelf', '--dynamic', self.program))
        self.assertNotIn('INTERP', run('readelf', '--program-headers', '--wide', self.program))
        self.assert_bakes(self.program)

    def test_it_brings_its_pages_and_the_licences_of_its_parts(self):
        page = self.folder / 'page.html'
        run(self.program, 'preview', SAMPLE / 'humanoid.glb', '-o', page)
        self.assertIn('clipmill', page.read_text())
        notices = self.program.parents[1] / 'share/doc/clipmill/THIRD-PARTY.txt'
        text = notices.read_text()
        for part in ('libpng-dev', 'libc6-dev', 'GNU LESSER GENERAL PUBLIC LICENSE'):
            self.assertTrue(part in text, part)

    def test_it_runs_in_an_old_system(self):
        root_folder = self.folder / 'root'
        root_folder.mkdir()
        archive = ROOT / 'build' / 'interop' / f'{OLD_DEBIAN}.tar'
        try:
            root = CleanRoot(archive, root_folder, OLD_DEBIAN)
        except CannotMake as reason:
            self.skipTest(f'no system of another age: {reason}')
        run('cp', '-r', self.program.parents[1], root_folder / 'opt' / 'clipmill')
        done = root.run(
            'cat /etc/debian_version; cd /opt/clipmill/share/doc/clipmill/samples/dynamic-bones && '
            '/opt/clipmill/bin/clipmill run humanoid.glb --recipe recipe.toml -o /out.glb -q'
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLess(float(done.stdout), 12)
        self.assertEqual(sha256(root_folder / 'out.glb'), expected_sha256('dynamic-bones rod glb'))


class ArmPackage(ReleaseTest):
    def test_the_program_runs_with_the_packages_it_depends_on(self):
        package = only('clipmill_*_arm64.deb')
        self.assertEqual(run('dpkg-deb', '--field', package, 'Architecture').strip(), 'arm64')
        root = self.folder / 'root'
        run(ROOT / 'scripts' / 'unpack_arm64.sh', package, root)
        program = ('qemu-aarch64-static', '-L', root, root / 'usr' / 'bin' / 'clipmill')
        self.assert_bakes(*program)
        # The helper program has the libraries that it needs.
        helper = ('qemu-aarch64-static', '-L', root, root / 'usr/libexec/clipmill/clipmill-import')
        done = subprocess.run([str(c) for c in helper], capture_output=True, text=True)
        self.assertNotIn('error while loading shared libraries', done.stderr)

    def test_the_development_package_has_libraries_of_arm64(self):
        run('dpkg-deb', '-x', only('libclipmill-dev_*_arm64.deb'), self.folder)
        (library,) = self.folder.rglob('libclipmill_io.a')
        self.assertIn('AArch64', run('readelf', '--file-header', library))


class WindowsProgram(ReleaseTest):
    def test_it_runs_where_it_was_unpacked_and_needs_windows_alone(self):
        with zipfile.ZipFile(only('clipmill-*-windows-x86_64.zip')) as archive:
            archive.extractall(self.folder / 'the program')
        (program,) = self.folder.rglob('clipmill.exe')
        run(ROOT / 'scripts' / 'check_dlls.sh', program)
        wine = ROOT / 'scripts' / 'wine.sh'
        self.assert_bakes(wine, program)
        run(wine, program, 'preview', SAMPLE / 'humanoid.glb', '-o', self.folder / 'page.html')
        self.assertTrue((program.parents[1] / 'share/doc/clipmill/THIRD-PARTY.txt').is_file())


if __name__ == '__main__':
    unittest.main()
