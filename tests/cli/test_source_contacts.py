# SPDX-License-Identifier: MIT
"""Contacts of the source character of a retargeted clip, as goals of self-collision."""
import json
import unittest

from clipmill_process import SAMPLES, ProcessTest

FAT = SAMPLES / 'self-collision' / 'humanoid_fat.glb'
SLIM = SAMPLES / 'stretch' / 'humanoid.glb'
WALKER = SAMPLES / 'dynamic-bones' / 'humanoid.glb'
CLIP = 'HandsOnHips'
TAKEN = ('--clip-from', FAT, '--clip-from-clip', CLIP, '--contacts-from', 'source')
PARTS = {'left arm - trunk', 'right arm - trunk'}
EQUAL = 1e-6
NEAR = 1.5  # percent of the height


class SourceContacts(ProcessTest):
    def stage_of(self, command, target, output, *arguments):
        """What the report has of the stage for the only clip, and the notes of the run."""
        report = self.folder / 'report.json'
        self.run_clipmill(command, target, '-o', output, '--report', report, '-q', *arguments)
        found = json.loads(report.read_text())
        (clip,) = found['clips']
        return clip['stages'][-1], found['notes']

    def errors(self, stage):
        return [stage['metrics'][when]['contact_error_percent'] for when in ('before', 'after')]

    def test_hands_on_the_hips_of_a_stout_character_are_on_those_of_a_slim_one(self):
        for target in (SLIM, WALKER):
            stage, _ = self.stage_of('self-collision', target, 'goals.glb', *TAKEN)
            self.assertLess(self.errors(stage)[1], NEAR, target)
            self.assertEqual(stage['metrics']['after']['penetrating_frames_percent'], 0.0)
            self.assertLess(stage['metrics']['after']['max_rotation_deg'], 60.1)
            for joint in ('shoulder', 'elbow'):
                jerk = [stage['metrics'][w][joint + '_jerk_radps3'] for w in ('before', 'after')]
                self.assertLess(jerk[1], 1.1 * jerk[0] + EQUAL, joint)
            self.assertEqual({c['parts'] for c in stage['contact']}, PARTS)

    def test_hands_within_a_belly_are_brought_to_its_surface(self):
        stage, _ = self.stage_of('self-collision', FAT, 'out.glb', *TAKEN, '--clip', CLIP + '_2')
        before, after = self.errors(stage)
        self.assertGreater(before, 5.0)
        self.assertLess(after, 0.5 * before)
        self.assertEqual(stage['metrics']['after']['penetrating_frames_percent'], 0.0)

    def test_contacts_of_the_clip_have_no_goals(self):
        stage, _ = self.stage_of(
            'self-collision', SLIM, 'clip.glb', *TAKEN[:4]
        )
        self.assertNotIn('contact_error_percent', stage['metrics']['after'])

    def test_the_list_is_edited_and_given_back(self):
        stage, _ = self.stage_of('self-collision', SLIM, 'goals.glb', *TAKEN)
        listed = [c for c in stage['contact'] if c['parts'].startswith('left')]
        recipe = self.folder / 'recipe.json'
        recipe.write_text(json.dumps({'stage': [{'type': 'self-collision', 'contact': listed}]}))
        stage, _ = self.stage_of('run', SLIM, 'left.glb', *TAKEN, '--recipe', recipe)
        self.assertEqual(stage['contact'], listed)
        self.assertLess(self.errors(stage)[1], NEAR)
        both, left = (self.rotations(name) for name in ('goals.glb', 'left.glb'))
        plain = self.rotations(self.plain())
        self.assertNotEqual(both['RightArm'], plain['RightArm'])
        self.assertEqual(left['RightArm'], plain['RightArm'])
        self.assertNotEqual(left['LeftArm'], plain['LeftArm'])

    def plain(self):
        self.run_clipmill('run', SLIM, *TAKEN, '-o', 'plain.glb', '-q')
        return 'plain.glb'

    def rotations(self, file):
        poses = self.run_json('poses', file, '--clip', CLIP, '--times', '1.0', '--json')
        names = [path.rsplit('/', 1)[-1] for path in poses['nodes']]
        world = poses['clips'][0]['world'][0]
        return {n: [round(x, 4) for x in world[i]] for i, n in enumerate(names)}

    def test_merge_has_the_goals_too(self):
        self.run_clipmill('split', FAT, '-o', '{}.glb', '--clip', CLIP, '-q')
        stage, _ = self.stage_of(
            *('merge', SLIM, 'merged.glb', self.folder / (CLIP + '.glb')),
            *('--self-collision', *TAKEN[4:]),
        )
        self.assertLess(self.errors(stage)[1], NEAR)

    def test_a_source_without_a_skin_is_reported(self):
        self.run_clipmill('split', FAT, '-o', '{}.glb', '--clip', CLIP, '--skeleton-only', '-q')
        stage, notes = self.stage_of(
            *('self-collision', SLIM, 'bare.glb'),
            *('--clip-from', self.folder / (CLIP + '.glb'), *TAKEN[4:]),
        )
        self.assertNotIn('contact_error_percent', stage['metrics']['after'])
        self.assertTrue(any('no mesh is skinned' in note for note in notes), notes)

    def test_threads_change_no_byte(self):
        for threads in (1, 2):
            self.run_clipmill(
                'self-collision', SLIM, *TAKEN, '-o', f'{threads}.glb', '--threads', threads, '-q'
            )
        one, two = (self.folder / f'{threads}.glb' for threads in (1, 2))
        self.assertTrue(one.read_bytes() == two.read_bytes())


if __name__ == '__main__':
    unittest.main()
