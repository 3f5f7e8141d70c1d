# SPDX-FileCopyrightText: 2026 the clipmill authors
# SPDX-License-Identifier: MIT
"""The playground, opened from disk in a real browser: what it saves has the bytes of the native
program. Run by scripts/targets.sh."""
import json
import os
import pathlib
import unittest

from browser import ARTIFACTS, BrowserTest
from clipmill_process import SAMPLES

PAGE = pathlib.Path(os.environ['CLIPMILL_PLAYGROUND'])
CORPUS = os.environ.get('CLIPMILL_CORPUS')
WIDE = {'viewport': {'width': 1400, 'height': 900}}


def ask(expression):
    return {'eval': f'window.clipmill.{expression}'}


def add_stage(name, values):
    return ask(f'addStage({json.dumps(name)}, {json.dumps(values)})')


def choose_clip(name):
    return ask(f'chooseClip({json.dumps(name)})')


class PlaygroundTest(BrowserTest):
    def run_in_page(self, character, clip, stages, screenshot):
        """Drops a character, runs stages over one clip; what the page saved and its recipe."""
        saved, recipe = self.folder / 'saved', self.folder / 'recipe.toml'
        steps = [
            {'drop': str(character)},
            ask('isReady()'),
            choose_clip(clip),
            *(add_stage(name, values) for name, values in stages),
            ask('run()'),
            {'wait': 1500},  # the preview draws
            {'screenshot': str(ARTIFACTS / screenshot)},
            {'save': '#save-file', 'to': str(saved)},
            {'save': '#save-recipe', 'to': str(recipe)},
        ]
        results = self.results(PAGE, *steps, **WIDE)
        self.assertIn('Done in', results[-5][0])
        self.assertEqual(results[-2], f'{character.stem}_out{character.suffix}')
        return saved.read_bytes(), recipe

    def native(self, character, clip, recipe):
        """What the native program makes of the recipe that the page saved."""
        output = self.folder / f'native{character.suffix}'
        self.run_clipmill('run', character, '--recipe', recipe, '--clip', clip, '-o', output)
        return output.read_bytes()

    def test_dynamic_bones_and_stretch(self):
        character = SAMPLES / 'dynamic-bones/humanoid.glb'
        stages = [
            ('dynamic-bones', {'chain': [{'root': 'Tail1', 'preset': 'tail'}]}),
            ('stretch', {'distance_m': 4}),
        ]
        saved, recipe = self.run_in_page(character, 'Run', stages, 'playground.png')
        self.assertEqual(saved, self.native(character, 'Run', recipe))
        self.assertNotEqual(saved, character.read_bytes())

    def test_an_fbx_character(self):
        character = SAMPLES / 'stretch/humanoid.fbx'
        stages = [('stretch', {'distance_m': 5})]
        saved, recipe = self.run_in_page(character, 'Leap', stages, 'playground_fbx.png')
        self.assertEqual(saved, self.native(character, 'Leap', recipe))

    @unittest.skipUnless(CORPUS, 'no corpus (set CLIPMILL_CORPUS to a folder of test files)')
    def test_a_character_of_the_corpus(self):
        character = pathlib.Path(CORPUS) / 'gltf/KayKit-Game-Assets__Barbarian.glb'
        stages = [
            ('dynamic-bones', {'chain': [{'root': 'head', 'preset': 'tail'}]}),
            ('stretch', {'distance_m': 2}),
        ]
        saved, recipe = self.run_in_page(
            character, 'Dodge_Backward', stages, 'playground_corpus.png'
        )
        self.assertEqual(saved, self.native(character, 'Dodge_Backward', recipe))

    def test_a_wrong_setting_is_reported_and_the_page_goes_on(self):
        character = SAMPLES / 'stretch/humanoid.glb'
        results = self.results(
            PAGE,
            {'drop': str(character)},
            ask('isReady()'),
            add_stage('stretch', {'root_joint': 'NoSuchJoint'}),
            ask('run()'),
            ask('output()'),
            ask('addStage("loop", {})'),
            **WIDE,
        )
        self.assertIn('NoSuchJoint', ' '.join(results[3]))
        self.assertIsNone(results[4])

    def test_a_run_can_be_cancelled(self):
        character = SAMPLES / 'self-collision/humanoid_fat.glb'
        results = self.results(
            PAGE,
            {'drop': str(character)},
            ask('isReady()'),
            add_stage('self-collision', {}),
            {'eval': 'void window.clipmill.run()'},
            {'wait': 500},
            {'click': '#cancel'},
            {'eval': 'document.querySelector("#messages").textContent'},
            add_stage('trim', {'end_s': 0.5}),
            **WIDE,
        )
        self.assertEqual(results[6], 'Cancelled')


if __name__ == '__main__':
    unittest.main()
