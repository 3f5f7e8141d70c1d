# SPDX-License-Identifier: MIT
"""Folders, patterns and lists of files whose clips are merged onto a character."""
import unittest

import mixamo_character
from clipmill_process import SAMPLES, ProcessTest


class MergeInputs(ProcessTest):
    def setUp(self):
        super().setUp()
        self.file('clips/hero.glb', mixamo_character.character())
        character = self.folder / 'clips/hero.glb'
        self.run_clipmill('split', character, '-o', 'clips/{}.glb')
        self.run_clipmill('convert', 'clips/Idle.glb', '-o', 'clips/Rest.fbx')
        self.file('clips/more/Again.glb', (self.folder / 'clips/Walk.glb').read_bytes())
        self.file('clips/notes.txt', 'no clip')
        self.run_clipmill(
            'trim', SAMPLES / 'stretch/humanoid.glb', '-o', 'other.glb', '--clip', 'Leap'
        )

    def merged(self, *arguments, character='clips/hero.glb'):
        """Names of the clips that the character has gained."""
        own = {c['name'] for c in self.run_json('info', character, '--json')['clips']}
        self.run_clipmill('merge', character, *arguments, '-o', 'all.glb', '--names', 'file')
        names = [c['name'] for c in self.run_json('info', 'all.glb', '--json')['clips']]
        return [name for name in names if name not in own]

    def test_a_folder_gives_its_files_in_order_without_the_character(self):
        names = self.merged('clips', character='other.glb')
        self.assertEqual(names, ['Idle', 'Rest', 'Walk', 'hero_Walk', 'hero_Idle'])
        gained = self.merged('clips')
        self.assertEqual(len(gained), 3, gained)
        self.assertIn('Rest', gained)

    def test_folders_of_folders_only_if_asked(self):
        names = self.merged('clips', '--recursive', character='other.glb')
        self.assertIn('Again', names)
        self.assertEqual(len(names), 6)

    def test_folders_give_clips_that_are_only_read(self):
        (self.folder / 'moves').mkdir()
        self.run_clipmill('export', 'other.glb', '--joints', 'moves/leap.npz')
        self.file('moves/notes.txt', 'no clip')
        names = self.merged('moves', character='clips/hero.glb')
        self.assertEqual(names, ['leap_Leap', 'leap_Lunge'])

    def test_patterns_and_lists(self):
        self.assertEqual(self.merged('clips/*.fbx', character='other.glb'), ['Rest'])
        self.file('list.txt', 'clips/Walk.glb\nclips/Rest.fbx\n')
        names = self.merged('@list.txt', character='other.glb')
        self.assertEqual(sorted(names), ['Rest', 'Walk'])

    def test_single_files_keep_their_order(self):
        names = self.merged('clips/Walk.glb', 'clips/Rest.fbx', character='other.glb')
        self.assertEqual(names, ['Walk', 'Rest'])

    def test_a_folder_without_clips_is_an_error(self):
        (self.folder / 'empty').mkdir()
        process = self.run_clipmill('merge', 'other.glb', 'empty', '-o', 'x.glb', exit_code=3)
        self.assertOneSentence(process.stderr, 'empty')
        self.assertNotIn('x.glb', self.files())


if __name__ == '__main__':
    unittest.main(warnings='ignore')
