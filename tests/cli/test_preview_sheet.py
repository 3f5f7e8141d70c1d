# SPDX-License-Identifier: MIT
"""Contact sheets: what is written, when, and whether the images of the README are current."""
import subprocess
import unittest

import glb
import png
import webp
from clipmill_process import PROGRAM, ROOT, SAMPLES, ProcessTest


class PreviewSheet(ProcessTest):
    def setUp(self):
        super().setUp()
        self.file('in.glb', glb.swinging_chain())

    def test_a_sheet_is_a_png_and_nothing_else_is_written(self):
        process = self.run_clipmill('preview', 'in.glb', '--sheet', 'sheet.png')
        self.assertEqual(process.stdout, '')
        self.assertEqual(process.stderr, '')
        self.assertEqual(self.files(), ['in.glb', 'sheet.png'])
        width, height = png.size(self.folder / 'sheet.png')
        self.assertLessEqual(width, 2400)
        self.assertGreater(height, 100)
        kinds = {kind for kind, _ in png.chunks(self.folder / 'sheet.png')}
        self.assertFalse(kinds & {b'tIME', b'tEXt', b'zTXt', b'iTXt'}, kinds)

    def test_two_files_make_two_rows_of_the_same_frames(self):
        self.run_clipmill('dynamic-bones', 'in.glb', '-o', 'out.glb', '--chain', 'Bone0')
        self.run_clipmill('preview', 'in.glb', '--sheet', 'one.png')
        self.run_clipmill('preview', 'in.glb', 'out.glb', '--sheet', 'two.png')
        one, two = (png.size(self.folder / name) for name in ('one.png', 'two.png'))
        self.assertEqual(one[0], two[0])
        self.assertGreater(two[1], 1.5 * one[1])

    def test_the_same_call_gives_the_same_bytes_for_any_number_of_threads(self):
        written = set()
        for threads in ('1', '2', '0'):
            self.run_clipmill('preview', 'in.glb', '--sheet', 'sheet.png', '-j', threads)
            written.add((self.folder / 'sheet.png').read_bytes())
        self.assertEqual(len(written), 1)

    def test_frames_and_views_change_the_image(self):
        seen = set()
        for arguments in (
            [],
            ['--frames', '3'],
            ['--view', 'front'],
            ['--view', 'side'],
            ['--view', 'back'],
            ['--view', 'three-quarter', '--frames', '2'],
            ['--view', 'top'],
            ['--focus', 'Bone3'],
            ['--focus', 'Bone3', '--follow'],
        ):
            self.run_clipmill('preview', 'in.glb', '--sheet', 'sheet.png', *arguments)
            seen.add((self.folder / 'sheet.png').read_bytes())
        self.assertEqual(len(seen), 9)

    def test_wrong_usage_is_exit_2(self):
        for arguments in (
            [],
            ['in.glb'],
            ['in.glb', '--sheet', 's.png', '--frames', '0'],
            ['in.glb', '--sheet', 's.png', '--frames', '25'],
            ['in.glb', '--sheet', 's.png', '--view', 'below'],
        ):
            self.assertEqual(self.run_clipmill('preview', *arguments, exit_code=2).stdout, '')
        self.assertEqual(self.files(), ['in.glb'])

    def test_what_cannot_be_shown_is_exit_3_and_named(self):
        self.file('text.glb', 'no glTF')
        for arguments, parts in (
            (['no.glb'], ['no.glb', 'no such file']),
            (['text.glb'], ['text.glb']),
            (['in.glb', 'no.glb'], ['no.glb', 'no such file']),
            (['in.glb', '--clip', 'Swya'], ['in.glb', 'Swya', 'Sway']),
            (['in.glb', '--focus', 'Bnoe3'], ['--focus', 'Bnoe3', 'Bone3']),
        ):
            process = self.run_clipmill('preview', *arguments, '--sheet', 's.png', exit_code=3)
            self.assertOneSentence(process.stderr, *parts)
        process = self.run_clipmill('preview', 'in.glb', '--sheet', 'no/s.png', exit_code=3)
        self.assertOneSentence(process.stderr, 'no/s.png')
        self.assertEqual(self.files(), ['in.glb', 'text.glb'])

    def test_names_with_control_characters_are_printed_as_text(self):
        value, _, binary = glb.read(self.folder / 'in.glb')
        for name in ('</script><img onerror=x>', '走る', 'a\nb\u0007', 'w' * 100000, ''):
            value['animations'][0]['name'] = name
            value['nodes'][0]['name'] = name
            path = self.file('name.glb', glb.assemble(value, binary))
            process = self.run_clipmill('preview', path, '--sheet', 'sheet.png', '--frames', '2')
            self.assertEqual(process.stderr, '')

    def test_every_sample_can_be_shown(self):
        for path in sorted(SAMPLES.glob('*/*.glb')):
            self.run_clipmill('preview', path, '--sheet', 'sheet.png', '--frames', '2')


class ReadmeImages(ProcessTest):
    def test_the_images_of_the_readme_are_those_of_the_program(self):
        subprocess.run(
            [ROOT / 'scripts' / 'readme_images.sh', PROGRAM, self.folder], check=True, timeout=300
        )
        committed = sorted(path.name for path in (ROOT / 'docs').glob('*.png'))
        movies = sorted(f'media/{path.name}' for path in (ROOT / 'docs' / 'media').glob('*.webp'))
        self.assertEqual(self.files(), sorted(committed + movies))
        for name in committed:
            old, new = ROOT / 'docs' / name, self.folder / name
            self.assertLess(old.stat().st_size, 300000, name)
            # Another version of libpng or zlib may pack the same pixels into other bytes.
            if old.read_bytes() != new.read_bytes():
                remedy = f'{name}: scripts/readme_images.sh'
                self.assertTrue(png.pixels(old) == png.pixels(new), remedy)
        self.assertGreaterEqual(len(movies), 4)
        for name in movies:
            old, new = ROOT / 'docs' / name, self.folder / name
            is_first = name == 'media/dynamic-bones.webp'
            self.assertLess(old.stat().st_size, 600000 if is_first else 250000, name)
            self.assertLessEqual(webp.Animation(old).width, 640 if is_first else 440, name)
            # libwebp packs lossy frames: only its bytes can be compared.
            remedy = f'{name}: scripts/readme_images.sh'
            self.assertTrue(old.read_bytes() == new.read_bytes(), remedy)


if __name__ == '__main__':
    unittest.main(warnings="ignore")
