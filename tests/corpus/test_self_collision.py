# SPDX-License-Identifier: MIT
"""Penetration of arms and legs of real characters, resolved in place in GLB and FBX."""
import json
import unittest

import corpus
from clipmill_process import ProcessTest

MANNEQUIN = corpus.CORPUS / 'gltf/gdquest-demos__godot-csharp/mannequiny-0.3.0.glb'
KENNEY = corpus.CORPUS / 'fbx/ufbx__data/maya_kenney_character_7700_binary.fbx'
FOX = corpus.CORPUS / 'gltf/bevyengine__Fox.glb'

# Of the mannequin: these and the joints below them may move.
LIMBS = ('clavicle.l', 'clavicle.r', 'thigh.l', 'thigh.r')


class SelfCollisionReal(ProcessTest):
    def metrics_of(self, source, output, *arguments):
        report = self.folder / 'report.json'
        self.run_clipmill(
            'self-collision', source, '-o', output, '--report', report, '-q', *arguments
        )
        clips = json.loads(report.read_text())['clips']
        return {clip['clip']: clip['stages'][0]['metrics'] for clip in clips}

    def poses_of(self, file, clip):
        poses = self.run_json('poses', file, '--clip', clip, '--fps', 30, '--json')
        return poses['nodes'], poses['clips'][0]['world']

    def test_a_character_without_penetration_is_unchanged_byte_for_byte(self):
        metrics = self.metrics_of(KENNEY, 'out.fbx')
        for clip in metrics.values():
            self.assertEqual(clip['before']['penetrating_frames_percent'], 0.0)
        self.assertEqual((self.folder / 'out.fbx').read_bytes(), KENNEY.read_bytes())

    def test_a_dash_is_resolved_and_only_limbs_move(self):
        self.run_clipmill('convert', MANNEQUIN, '-o', 'mannequin.fbx', '-q')
        for source, decimals in ((MANNEQUIN, 9), (self.folder / 'mannequin.fbx', 5)):
            output = 'free' + source.suffix
            metrics = self.metrics_of(source, output, '--clip', 'dash')['dash']
            self.assertGreater(metrics['before']['max_penetration_percent'], 1.0)
            self.assertLessEqual(metrics['after']['max_penetration_percent'], 1.0)
            self.assertEqual(metrics['after']['penetrating_frames_percent'], 0.0)
            paths, before = self.poses_of(source, 'dash')
            _, after = self.poses_of(output, 'dash')
            moved = 0
            for i, path in enumerate(paths):
                apart = max(
                    abs(a - b)
                    for was, is_now in zip(before, after)
                    for a, b in zip(was[i], is_now[i])
                )
                if any(part in LIMBS for part in path.split('/')):
                    moved += apart > 1e-3
                else:
                    self.assertLess(apart, 10.0**-decimals, path)
            self.assertGreater(moved, 0)
            # Other clips are unchanged.
            self.assertEqual(self.poses_of(source, 'run'), self.poses_of(output, 'run'))

    def test_the_reference_method_runs_on_real_characters(self):
        for clip in ('dash', 'fight_punch'):
            metrics = self.metrics_of(
                MANNEQUIN, 'paper.glb', '--clip', clip, '--method', 'reference'
            )[clip]
            before, after = metrics['before'], metrics['after']
            name = 'key_frames_boxes_overlap_percent'
            self.assertGreater(before[name], 0.0)
            self.assertLess(after[name], before[name])

    def test_a_fox_is_no_human(self):
        process = self.run_clipmill('self-collision', FOX, '-o', 'fox.glb', exit_code=3)
        self.assertOneSentence(process.stderr, 'no humanoid was found', 'humanoid_map')


if __name__ == '__main__':
    corpus.skip_unless_present()
    unittest.main(warnings="ignore")
