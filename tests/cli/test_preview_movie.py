# SPDX-License-Identifier: MIT
"""Movies: what is written, when, and how long it plays."""
import os
import unittest

import glb
import webp
from clipmill_process import SAMPLES, ProcessTest

SMALL = ('--movie-width', '96', '--movie-height', '80', '--movie-fps', '10')


class PreviewMovie(ProcessTest):
    def setUp(self):
        super().setUp()
        self.file('in.glb', glb.swinging_chain())
        clip = self.run_json('info', 'in.glb', '--json')['clips'][0]
        self.seconds = clip['end_s'] - clip['start_s']

    def movie(self, *arguments, name='movie.webp'):
        process = self.run_clipmill('preview', *arguments, '--movie', name, *SMALL)
        self.assertEqual(process.stdout, '')
        return webp.Animation(self.folder / name)

    def test_a_movie_is_an_endless_webp_of_the_length_of_the_clip_and_nothing_else_is_written(self):
        movie = self.movie('in.glb')
        self.assertEqual(self.files(), ['in.glb', 'movie.webp'])
        self.assertEqual(movie.loops, 0)
        self.assertEqual((movie.width, movie.height), (96, 80))
        self.assertAlmostEqual(sum(movie.durations_ms), 1000 * self.seconds, delta=0.501)
        self.assertAlmostEqual(len(movie.durations_ms), 10 * self.seconds, delta=1.0)

    def test_two_files_make_two_panels(self):
        self.run_clipmill('dynamic-bones', 'in.glb', '-o', 'out.glb', '--chain', 'Bone0')
        movie = self.movie('in.glb', 'out.glb')
        self.assertEqual((movie.width, movie.height), (2 * 96 + 4, 80))

    def test_the_bytes_are_the_same_for_any_number_of_threads(self):
        written = set()
        for threads in ('1', '2', '0'):
            self.movie('in.glb', '-j', threads)
            written.add((self.folder / 'movie.webp').read_bytes())
        self.assertEqual(len(written), 1)

    def test_options_change_the_movie(self):
        seen = set()
        for arguments in (
            [],
            ['--view', 'front'],
            ['--view', 'side'],
            ['--movie-width', '128', '--movie-height', '128'],
            ['--movie-width', '128', '--movie-height', '128', '--no-movie-labels'],
            ['--movie-fps', '5'],
            ['--focus', 'Bone3'],
            ['--movie-quality', '85'],
        ):
            self.run_clipmill('preview', 'in.glb', '--movie', 'movie.webp', *arguments)
            seen.add((self.folder / 'movie.webp').read_bytes())
        self.assertEqual(len(seen), 8)

    def test_a_longer_clip_is_shortened_with_a_warning(self):
        process = self.run_clipmill(
            'preview', 'in.glb', '--movie', 'movie.webp', '--movie-seconds', '0.25', *SMALL
        )
        self.assertIn('warning', process.stderr)
        self.assertIn('--movie-seconds', process.stderr)
        self.assertEqual(sum(webp.Animation(self.folder / 'movie.webp').durations_ms), 250)

    def test_page_sheet_and_movie_can_be_written_by_one_call(self):
        self.movie('in.glb', '--sheet', 'sheet.png')
        self.assertEqual(self.files(), ['in.glb', 'movie.webp', 'sheet.png'])

    def test_wrong_usage_is_exit_2_and_writes_nothing(self):
        for arguments in (
            ['--movie', 'm.webp', '--movie-fps', '0'],
            ['--movie', 'm.webp', '--movie-fps', '51'],
            ['--movie', 'm.webp', '--movie-width', '63'],
            ['--movie', 'm.webp', '--movie-height', '1921'],
            ['--movie', 'm.webp', '--movie-seconds', '0'],
            ['--movie', 'm.webp', '--movie-seconds', '121'],
            ['--movie', 'm.webp', '--movie-quality', '101'],
            ['--movie', 'm.webp', '--view', 'below'],
        ):
            process = self.run_clipmill('preview', 'in.glb', *arguments, exit_code=2)
            self.assertEqual(process.stdout, '')
        self.assertEqual(self.files(), ['in.glb'])

    def test_another_extension_is_refused_with_a_remedy_before_anything_is_read(self):
        for name in ('movie.gif', 'movie.png', 'movie', 'movie.webp.mp4'):
            process = self.run_clipmill('preview', 'no.glb', '--movie', name, exit_code=2)
            self.assertOneSentence(process.stderr, name, '.webp')
        self.assertEqual(self.files(), ['in.glb'])
        self.movie('in.glb', name='UPPER.WEBP')

    def test_what_cannot_be_shown_is_exit_3_and_named(self):
        value, _, binary = glb.read(self.folder / 'in.glb')
        del value['animations']
        self.file('still.glb', glb.assemble(value, binary))
        for arguments, parts in (
            (['no.glb'], ['no.glb', 'no such file']),
            (['in.glb', '--clip', 'Swya'], ['in.glb', 'Swya', 'Sway']),
            (['still.glb'], ['still.glb', '--sheet']),
            (['in.glb', '--focus', 'Bnoe3'], ['--focus', 'Bnoe3', 'Bone3']),
        ):
            process = self.run_clipmill('preview', *arguments, '--movie', 'm.webp', exit_code=3)
            self.assertOneSentence(process.stderr, *parts)
        self.assertEqual(self.files(), ['in.glb', 'still.glb'])

    def test_the_file_appears_whole_or_not_at_all(self):
        process = self.run_clipmill(
            'preview', 'in.glb', '--movie', 'no/m.webp', *SMALL, exit_code=3
        )
        self.assertOneSentence(process.stderr, 'no/m.webp')
        old = self.file('m.webp', b'old content')
        # A reader that has the old file open goes on reading the old file: the new one is renamed.
        with old.open('rb') as before:
            self.movie('in.glb', name='m.webp')
            self.assertEqual(before.read(), b'old content')
            self.assertNotEqual(os.fstat(before.fileno()).st_ino, old.stat().st_ino)
        self.assertEqual(self.files(), ['in.glb', 'm.webp'])

    def test_every_sample_can_be_shown(self):
        for path in sorted(SAMPLES.glob('*/*.glb')):
            with self.subTest(path.parent.name):
                self.movie(path, '--movie-seconds', '0.3')


if __name__ == '__main__':
    unittest.main(warnings="ignore")
